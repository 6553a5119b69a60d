//! [`ParkedSample`]: a sample that waits for answers, on no thread.

use probare_core::{BackendAnswer, Case, ErrorKind, ScoreError};

use super::run_context::CallResult;
use crate::plan::ScoringProgress;

/// A sample between two answers.
pub(super) struct ParkedSample {
    pub number: u64,
    pub case: Case,
    pub stage: Stage,
}

/// What a sample waits for.
pub(super) enum Stage {
    /// Its output, after these replies.
    Responding(Vec<CallResult>),
    /// Answers to a metric.
    Scoring(Box<ScoringProgress>),
}

/// What a sample has waited for.
pub(super) enum Delivery {
    Reply(Box<CallResult>),
    Answers(Vec<BackendAnswer>),
    /// It never comes.
    Lost,
}

impl Delivery {
    /// What a sample gets whose answers never come.
    pub fn lost() -> ScoreError {
        ScoreError::other(ErrorKind::Failed, "the answer was lost, which is a bug of this program")
    }
}
