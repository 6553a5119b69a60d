//! Whether an answer about an experiment chooses the right option.

use probare_core::{Evidence, EvidenceKind, Field, Metric, Outcome, Profile, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::reasoning::{boxed_letter, is_same_letter, key_letter};

/// Options of `experimental_reasoning`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExperimentalReasoning {
    /// Which definition: the published scores, or the same with small letters.
    pub profile: Profile,
    /// Read `\boxed{a}` too, as `SciEvalKit` does; the official script skips small letters. Default: false for published scores, else
    /// true.
    pub boxed_any_case: Option<bool>,
}

metric!(ExperimentalReasoning as Pure {
    summary: "Whether an answer about an experiment chooses the right option, by the letter in its box",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    metadata: ["answer"],
    profiles: [Published, Improved],
    since: "0.4",
    version: 1,
    page: "experimental_reasoning.md",
});

impl Metric for ExperimentalReasoning {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let metadata = &sample.case.metadata;
        let Some(answer) = metadata.get("answer").filter(|answer| !answer.is_null()) else {
            return Ok(Outcome::not_applicable("the case has no `metadata.answer`, the number of the right option"));
        };
        let response = sample.response()?;
        let options = metadata.get("options").and_then(Json::as_array).map(Vec::len);
        let wrong = |error: super::reasoning::ChoiceError| {
            ScoreError::other(probare_core::ErrorKind::Failed, error.to_string())
        };
        let key = key_letter(answer, options).map_err(wrong)?;
        let shown = key.map_or_else(|| "no letter".to_owned(), |key| format!("`{key}`"));
        let any_case = self.boxed_any_case.unwrap_or(self.profile == Profile::Improved);
        let Some(span) = boxed_letter(response, any_case) else {
            let missing = Evidence::missing("a letter in \\boxed{}").with_note(format!("the right option is {shown}"));
            return Ok(Score::from_bool(false).labelled("no_choice").because(vec![missing]).into());
        };
        let letter = char::from(response.as_bytes()[span.start]);
        let is_right = key.is_some_and(|key| is_same_letter(letter, key));
        let kind = if is_right { EvidenceKind::Matched } else { EvidenceKind::Compared };
        let evidence =
            Evidence::at(kind, Field::Response, span, response).with_note(format!("the right option is {shown}"));
        let label = if is_right { "right" } else { "wrong" };
        Ok(Score::from_bool(is_right).labelled(label).because(vec![evidence]).into())
    }
}
