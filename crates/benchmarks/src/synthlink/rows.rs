//! [`QuestionScores`]s: what the five measures say about the questions, in the order of the catalogue.

pub use crate::synthlink::deep_search::deep_search_aggregate::{MEASURES, MeasureWeights};
use probare_core::Score;

/// What to do with a question that has no prediction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingPolicy {
    /// Means cover the answered questions
    #[default]
    Skip,
    /// They count as zero, which is the fair way to compare systems
    Zero,
}

/// The five values of a question and their weighted sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuestionScores {
    /// Place of the question in the catalogue.
    pub question: usize,
    /// Whether it has a prediction.
    pub is_answered: bool,
    /// In the order of [`MEASURES`].
    pub values: [f64; 5],
    /// The weighted sum.
    pub aggregate: f64,
}

impl QuestionScores {
    /// The row of a question from the score of the aggregate, whose parts are the five values.
    pub fn new(question: usize, is_answered: bool, score: &Score) -> Self {
        let values = MEASURES.map(|name| score.parts.get(name).unwrap_or(0.0));
        Self { question, is_answered, values, aggregate: score.value.get() }
    }

    /// The five values and the sum.
    pub fn with_aggregate(&self) -> [f64; 6] {
        let [f1, p_at_5, rqs, fcs, ie] = self.values;
        [f1, p_at_5, rqs, fcs, ie, self.aggregate]
    }
}

/// The rows of one file of predictions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SystemScores {
    /// In the order of the catalogue.
    pub rows: Vec<QuestionScores>,
    /// Questions of the catalogue.
    pub total: usize,
    /// What was strange about the predictions, in their order.
    pub warnings: Vec<String>,
}
