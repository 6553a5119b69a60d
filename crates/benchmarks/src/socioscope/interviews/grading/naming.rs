//! [`Naming`]: the options of the four types of questions whose answers name values.

use probare_core::{BuildError, Profile, ScoreParts};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::{GradingOptions, QuestionMetric, QuestionType};

/// Options of `list_one`, `list_many`, `pick_one` and `pick_many`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Naming {
    /// Which definition: words (`published`), or what the answer asserts (`improved`).
    profile: Profile,
    /// What is expected of every case; `metric` in the metadata of the case where it is absent.
    metric: Option<Json>,
    /// Whether synonyms and plurals count; by default for lists only.
    synonyms: Option<bool>,
    /// Whether near spellings count; by default for options only.
    fuzzy: Option<bool>,
    /// Least similarity of a near spelling.
    fuzzy_threshold: f64,
}

impl Default for Naming {
    fn default() -> Self {
        Self { profile: Profile::Published, metric: None, synonyms: None, fuzzy: None, fuzzy_threshold: 0.85 }
    }
}

impl Naming {
    /// A question of that type with these options.
    pub(crate) fn prepare(self, kind: QuestionType) -> Result<QuestionMetric, BuildError> {
        let Self { profile, metric, synonyms, fuzzy, fuzzy_threshold } = self;
        let settings = GradingOptions { profile, fuzzy_threshold, synonyms, fuzzy, ..GradingOptions::default() };
        QuestionMetric::new(kind, settings, metric.as_ref())
    }

    /// The score from its parts: what was named, of the best that could have been.
    pub(crate) fn whole(parts: &ScoreParts) -> Option<f64> {
        Some((parts.get("raw")? / parts.get("best")?).clamp(0.0, 1.0))
    }
}
