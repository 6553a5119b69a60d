//! What the question types read: the answer with the places of its words, and the metric of the question.

mod answer;
mod expected;
mod located;
mod weights;

pub use answer::{Answer, Item};
pub use expected::{Expected, ExpectedAnswer, Rationale};
pub use weights::{MetricError, Weights};
