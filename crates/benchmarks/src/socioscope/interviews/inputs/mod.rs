//! What the question types read: the answer with the places of its words, and the metric of the question.

mod answer;
mod expected;
mod json_string;
mod weights;

pub use answer::{AnswerItem, InterviewAnswer};
pub use expected::{ExpectedAnswer, ExpectedRationale, ExpectedYesNo};
pub use weights::{MetricSpecError, ValueWeights};
