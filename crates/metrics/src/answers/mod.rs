//! Answers to open questions: is what the model says right, given what a right answer says?

use probare_core::MetricDef;

pub mod answer_match;

pub(crate) mod matching;

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] = &[&answer_match::DEF];
