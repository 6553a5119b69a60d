//! What the metrics of this family read from a case.

mod measure_cache;
mod metadata;
mod parsed_answer;
mod response_words;

pub(super) use measure_cache::{MeasureValue, store_measure, stored_measure};
pub(super) use metadata::{iterations, steps, topics};
pub(super) use parsed_answer::parsed_answer;
pub(super) use response_words::{ResponseWords, response_words, vocabulary};
