//! [`CallError`]: why a question got no answer.

use std::time::Duration;

use probare_core::{ErrorKind, ModelReply};

use crate::budget::BudgetError;
use crate::{CacheError, Fault};

/// Why a question got no answer. Every text has passed the redactor.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The provider gave no answer, after these attempts.
    #[error("model `{model}`: {reason} (attempt {attempts})")]
    Provider {
        /// The model by its name in the project.
        model: String,
        fault: Fault,
        reason: String,
        attempts: u32,
    },
    /// All attempts and waits together took too long.
    #[error("model `{model}`: no reply within {} seconds (attempt {attempts}{})", limit.as_secs_f64(), last.as_ref().map(|last| format!("; last: {last}")).unwrap_or_default())]
    TimedOut { model: String, limit: Duration, attempts: u32, last: Option<String> },
    /// The provider failed so often that it is left alone.
    #[error(
        "the circuit breaker of model `{model}` is open after {failures} {} in a row, the last: {last}",
        if *.failures == 1 { "failure" } else { "failures" }
    )]
    CircuitOpen {
        model: String,
        failures: u32,
        last: String,
        /// Whether another model may answer instead.
        permits_fallback: bool,
    },
    /// The budget does not allow the call.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// The question cannot be sent: it has no upper bound, or it asks for what cannot be expressed or sent together.
    #[error("{0}")]
    Unsendable(String),
    /// The provider wants a longer pause than a question may take.
    #[error(
        "model `{model}`: the provider asks to wait {} seconds, which is longer than `timeout_total` ({} seconds) allows{}",
        pause.as_secs(), limit.as_secs_f64(), last.as_ref().map(|last| format!(": {last}")).unwrap_or_default()
    )]
    Postponed { model: String, pause: Duration, limit: Duration, last: Option<String> },
    /// The question is answered in a batch, later.
    #[error("model `{model}`: the question waits in a batch, whose replies `probare resume` fetches")]
    InBatch { model: String },
    /// The model failed, and so did those that answer in its place.
    #[error("{first}; {}", others.join("; "))]
    Fallback {
        /// Why the model gave no answer.
        first: Box<Self>,
        /// Why the others gave none.
        others: Vec<String>,
    },
    /// Only recorded replies are allowed, and this one is not recorded.
    #[error("the response cache has no reply of model `{model}` to this question (key {key})")]
    NotRecorded {
        model: String,
        /// The beginning of the key in the record.
        key: String,
    },
    /// The record failed. A reply that cannot be recorded is not used.
    #[error("the response cache failed")]
    Record(#[from] CacheError),
    /// The run was ended from outside.
    #[error("the run ended before the reply arrived")]
    Cancelled,
    /// The question names a seat or a metric without a model.
    #[error("{reason}")]
    NoModel { reason: String },
    /// A bug of ours.
    #[error("the call stopped with an internal error, which is a bug: {reason}")]
    Internal { reason: String },
}

impl CallError {
    /// The settings ask for what cannot be sent together; `reason` is the rest of the sentence.
    pub(crate) fn conflict(model: &str, reason: &str) -> Self {
        Self::Unsendable(format!("model `{model}`: `extra_body` {reason}"))
    }

    /// What kind of failure it is in results.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Fallback { first, .. } => first.kind(),
            Self::TimedOut { .. } | Self::Provider { fault: Fault::TimedOut, .. } => ErrorKind::TimedOut,
            Self::NotRecorded { .. }
            | Self::InBatch { .. }
            | Self::NoModel { .. }
            | Self::Provider { fault: Fault::NotInCassette, .. } => ErrorKind::Missing,
            Self::Provider { fault: Fault::Moderated, .. } => ErrorKind::Refused,
            Self::Cancelled => ErrorKind::Cancelled,
            _ => ErrorKind::Failed,
        }
    }

    /// Whether another model may answer instead.
    pub(crate) fn permits_fallback(&self) -> bool {
        match self {
            Self::Provider { fault, .. } => fault.permits_fallback(),
            Self::CircuitOpen { permits_fallback, .. } => *permits_fallback,
            Self::TimedOut { .. } | Self::Postponed { .. } | Self::NotRecorded { .. } => true,
            _ => false,
        }
    }

    /// The failed reply that a judge gets to see.
    pub fn reply(&self) -> ModelReply {
        let mut reason = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            reason.push_str(&format!(": {error}"));
            cause = error.source();
        }
        ModelReply::failed(self.kind(), reason)
    }
}
