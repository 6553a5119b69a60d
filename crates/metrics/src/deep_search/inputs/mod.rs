//! What the metrics of this family read from a case.

mod careful_answer;
mod measured;
mod metadata;
mod response_words;
mod sources;

pub(super) use careful_answer::careful_answer;
pub(super) use measured::{Measured, keep, kept};
pub(super) use metadata::{iterations, steps, topics};
pub(super) use response_words::{ResponseWords, response_words, vocabulary};
pub(crate) use sources::Sources;
