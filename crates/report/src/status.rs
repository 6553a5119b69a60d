//! [`ResultStatus`]: which of the three situations a result is in, as reports name it.

use std::borrow::Cow;

use probare_core::{CaseResult, MetricResult, Outcome, Score};

use crate::escape::excerpt;

/// Scored, not applicable or failed; never folded into a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultStatus {
    /// There is a value, or a label alone.
    Scored,
    /// The question does not apply to the case.
    NotApplicable,
    /// The case could not be scored.
    Failed,
}

impl ResultStatus {
    /// The situation of one result.
    pub const fn from_result(result: &MetricResult) -> Self {
        match result {
            Ok(Outcome::Scored(_) | Outcome::Labelled(_)) => Self::Scored,
            Ok(Outcome::NotApplicable { .. }) => Self::NotApplicable,
            Err(_) => Self::Failed,
        }
    }

    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scored => "scored",
            Self::NotApplicable => "not_applicable",
            Self::Failed => "failed",
        }
    }
}

/// Whose output a result is about, and which of several, where that is known.
pub(crate) fn model_and_repeat(result: &CaseResult) -> Option<String> {
    let repeat = (result.repeat > 0).then(|| format!("output {}", result.repeat + 1));
    let parts: Vec<String> = model_name(result).into_iter().chain(prompt_name(result)).chain(repeat).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The prompt, where the run has several.
fn prompt_name(result: &CaseResult) -> Option<String> {
    result.prompt.as_deref().map(|prompt| format!("prompt {}", excerpt(prompt, 60)))
}

/// The model whose output it is, and the one that answered in its place.
pub(crate) fn model_name(result: &CaseResult) -> Option<String> {
    let model = excerpt(result.model.as_deref()?, 60);
    Some(match result.answered_by() {
        Some(other) => format!("{model} (answered by {})", excerpt(other, 60)),
        None => model,
    })
}

/// The score of a result, if it has one.
pub(crate) fn score(result: &MetricResult) -> Option<&Score> {
    result.as_ref().ok().and_then(Outcome::score)
}

/// What there is to say beside the value: the label of a score, the reason why the question does not apply, the error.
pub(crate) fn note(result: &MetricResult) -> Cow<'_, str> {
    match result {
        Ok(Outcome::NotApplicable { reason }) => Cow::Borrowed(reason),
        Ok(outcome) => Cow::Borrowed(outcome.label().unwrap_or_default()),
        Err(error) => Cow::Owned(error.to_string()),
    }
}
