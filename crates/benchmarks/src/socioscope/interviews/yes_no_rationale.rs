//! Whether the answer says yes or no as expected, and for which reasons.

use probare_core::{BuildError, Profile, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::grading::{GradingOptions, QuestionMetric, QuestionType};

/// Options of `yes_no_rationale`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct YesNoRationale {
    /// Which definition: words (`published`), or what the answer asserts (`improved`).
    pub profile: Profile,
    /// What is expected of every case; `metric` in the metadata of the case where it is absent.
    pub metric: Option<Json>,
    /// Whether yes and no are compared letter by letter, case aside.
    pub strict: bool,
    /// Share of the score that the yes or no carries, where the metric does not say.
    pub answer_weight: f64,
    /// Whether synonyms and plurals count; by default for lists only.
    pub synonyms: Option<bool>,
}

impl Default for YesNoRationale {
    fn default() -> Self {
        Self { profile: Profile::Published, metric: None, strict: false, answer_weight: 0.5, synonyms: None }
    }
}

metric!(YesNoRationale as Pure {
    summary: "Whether an answer says yes or no as expected, and how many of the expected reasons it gives",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    profiles: [Published, Improved],
    whole: |parts| {
        let (binary, weight) = (parts.get("binary")?, parts.get("answer_weight")?);
        let share = parts.get("rationale")?;
        Some(if binary == 0.0 { 0.0 } else { (weight * binary + (1.0 - weight) * share).clamp(0.0, 1.0) })
    },
    prepare: prepare,
    since: "0.1",
    version: 4,
    page: "yes_no_rationale.md",
});

fn prepare(options: YesNoRationale) -> Result<QuestionMetric, BuildError> {
    let YesNoRationale { profile, metric, strict, answer_weight, synonyms } = options;
    let settings = GradingOptions {
        profile,
        strict_yes_no: strict,
        rationale_weight: answer_weight,
        synonyms,
        ..GradingOptions::default()
    };
    QuestionMetric::new(QuestionType::YesNoRationale, settings, metric.as_ref())
}
