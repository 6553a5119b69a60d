//! How well the answer chooses among options.

use probare_core::{BuildError, Profile, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::grading::{Prepared, QuestionType, Settings};

/// Options of `pick_many`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PickMany {
    /// Which reading: words (`reference`), or what the answer asserts (`careful`).
    pub profile: Profile,
    /// What is expected of every case; `metric` in the metadata of the case where it is absent.
    pub metric: Option<Json>,
    /// Whether synonyms and plurals count; by default for lists only.
    pub synonyms: Option<bool>,
    /// Whether near spellings count; by default for options only.
    pub fuzzy: Option<bool>,
    /// Least similarity of a near spelling.
    pub fuzzy_threshold: f64,
}

impl Default for PickMany {
    fn default() -> Self {
        Self { profile: Profile::Reference, metric: None, synonyms: None, fuzzy: None, fuzzy_threshold: 0.85 }
    }
}

metric!(PickMany as Pure {
    summary: "What the options that an answer chooses are worth together, penalties included",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    profiles: [Reference, Careful],
    whole: |parts| Some((parts.get("raw")? / parts.get("best")?).clamp(0.0, 1.0)),
    prepare: prepare,
    since: "0.1",
    version: 1,
    page: "pick_many.md",
});

fn prepare(options: PickMany) -> Result<Prepared, BuildError> {
    let PickMany { profile, metric, synonyms, fuzzy, fuzzy_threshold } = options;
    let settings = Settings { profile, fuzzy_threshold, synonyms, fuzzy, ..Settings::default() };
    Prepared::new(QuestionType::PickMany, settings, metric.as_ref())
}
