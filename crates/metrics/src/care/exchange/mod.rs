//! An exchange on its way through the checkers: all three at once with typed verdicts, or each as a metric.

mod checker;
mod phrase_search;

pub use checker::{CareConfig, Options, Strictness};
pub(super) use checker::{CareMetric, HitList, verdict_evidence};
pub(super) use phrase_search::{AssistantReply, UserMessage};
