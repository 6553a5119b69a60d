//! Whether what a program printed is what it should have printed: letter by letter, else a judge says.

use probare_core::{BackendAnswer, Profile, ScoreError};
use serde_json::Value as Json;

use crate::sgi::metrics::extraction::replies::{ReplyParseOptions, reply_object, reply_text};

/// How a test was decided, by the published names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparisonMethod {
    /// The same letters.
    ExactMatch,
    /// A judge said so.
    Judge,
    /// A judge said something that cannot be read.
    Unreadable,
    /// No judge answered.
    NoReply,
    /// The program did not come to a good end.
    ExecutionFailed,
}

impl ComparisonMethod {
    /// The published name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ExactMatch => "exact_match",
            Self::Judge => "llm_judge",
            Self::Unreadable => "llm_judge_parse_failed",
            Self::NoReply => "failed",
            Self::ExecutionFailed => "execution_failed",
        }
    }
}

/// What a judge's reply says: whether it passes, how that was decided, and the judge's reason. Where no reply came there is an
/// error in place of the reason, and the verdict is nobody's.
pub fn read_judgment(
    answer: &BackendAnswer,
    options: ReplyParseOptions,
    profile: Profile,
) -> (bool, ComparisonMethod, Result<String, ScoreError>) {
    let text = match reply_text(answer, profile) {
        Ok(text) => text.to_owned(),
        Err(error) => return (false, ComparisonMethod::NoReply, Err(error)),
    };
    match reply_object(&text, options) {
        None => (false, ComparisonMethod::Unreadable, Ok(text)),
        Some(map) => match map.get("judgment") {
            Some(Json::String(verdict)) => {
                let reason = map.get("reason").and_then(Json::as_str).unwrap_or_default().to_owned();
                (probare_text::python::lower(verdict) == "correct", ComparisonMethod::Judge, Ok(reason))
            }
            // Words are asked for; a number has none to compare.
            Some(_) => (false, ComparisonMethod::Unreadable, Ok(text)),
            None => (false, ComparisonMethod::Judge, Ok(text)),
        },
    }
}
