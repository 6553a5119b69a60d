//! [`ResumeHandle`]: a sample that waits for answers, on no thread.

use std::sync::Arc;

use probare_core::{BackendAnswer, Case, ErrorKind, ScoreError};

use super::CallResult;
use super::queue::Queue;
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

/// Puts a sample back into the queue: with its answers, or without where whoever was asked is gone.
pub(super) struct ResumeHandle {
    queue: Arc<Queue>,
    sample: Option<ParkedSample>,
}

impl ResumeHandle {
    pub fn new(queue: Arc<Queue>, sample: ParkedSample) -> Self {
        queue.count_parked();
        Self { queue, sample: Some(sample) }
    }

    pub fn deliver(mut self, delivery: Delivery) {
        if let Some(sample) = self.sample.take() {
            self.queue.resume_sample(sample, delivery);
        }
    }
}

impl Drop for ResumeHandle {
    fn drop(&mut self) {
        if let Some(sample) = self.sample.take() {
            self.queue.resume_sample(sample, Delivery::Lost);
        }
    }
}
