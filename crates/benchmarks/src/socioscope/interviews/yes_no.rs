//! Whether the answer says yes where it should, and no where it should.

use probare_core::{BuildError, Profile, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::grading::{GradingOptions, QuestionMetric, QuestionType};

/// Options of `yes_no`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct YesNo {
    /// Which definition: words (`published`), or what the answer asserts (`improved`).
    pub profile: Profile,
    /// What is expected of every case; `metric` in the metadata of the case where it is absent.
    pub metric: Option<Json>,
    /// Whether yes and no are compared letter by letter, case aside.
    pub strict: bool,
}

impl Default for YesNo {
    fn default() -> Self {
        Self { profile: Profile::Published, metric: None, strict: false }
    }
}

metric!(YesNo as Pure {
    summary: "Whether an answer says yes or no as expected",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    profiles: [Published, Improved],
    whole: |parts| parts.get("right"),
    prepare: prepare,
    since: "0.1",
    version: 4,
    page: "yes_no.md",
});

fn prepare(options: YesNo) -> Result<QuestionMetric, BuildError> {
    let YesNo { profile, metric, strict } = options;
    let settings = GradingOptions { profile, strict_yes_no: strict, ..GradingOptions::default() };
    QuestionMetric::new(QuestionType::YesNo, settings, metric.as_ref())
}
