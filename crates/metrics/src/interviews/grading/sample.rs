//! A question type as a metric: where it finds what is expected, and how a grade becomes a score.

use std::borrow::Cow;

use probare_core::{BuildError, Field, Metric, Outcome, Sample, Score, ScoreError};
use probare_text::wordnet::WordNet;
use serde_json::Value as Json;

use super::{Question, QuestionType, Settings, evidence};

/// Name in the metadata of what a question expects.
const METRIC: &str = "metric";

/// A question type with its options.
#[derive(Debug)]
pub(crate) struct Prepared {
    kind: QuestionType,
    settings: Settings,
    /// The question, where the options say what is expected of every case.
    question: Option<Question<'static>>,
}

impl Prepared {
    /// Checks the options and reads what they expect.
    pub(crate) fn new(kind: QuestionType, settings: Settings, metric: Option<&Json>) -> Result<Self, BuildError> {
        for (name, share) in
            [("fuzzy_threshold", settings.fuzzy_threshold), ("answer_weight", settings.rationale_weight)]
        {
            if !(0.0..=1.0).contains(&share) {
                return Err(BuildError::Options(format!("`{name}` is between 0 and 1, not {share}")));
            }
        }
        let question = match metric {
            Some(metric) => Some(
                Question::new(kind, metric, settings, WordNet::embedded())
                    .map_err(|error| BuildError::Options(format!("`metric` {error}")))?,
            ),
            None => None,
        };
        Ok(Self { kind, settings, question })
    }

    fn question_of(&self, metric: &Json) -> Result<Question<'static>, ScoreError> {
        Question::new(self.kind, metric, self.settings, WordNet::embedded()).map_err(|error| ScoreError::BadField {
            field: Field::Metadata,
            reason: format!("has a `metric` that {error}"),
        })
    }
}

/// What the case expects.
fn given(sample: Sample<'_>) -> Result<&Json, ScoreError> {
    sample.case.metadata.get(METRIC).ok_or_else(|| ScoreError::BadField {
        field: Field::Metadata,
        reason: "has no `metric`, and the options give none".into(),
    })
}

impl Metric for Prepared {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let built;
        let question = if let Some(question) = &self.question {
            question
        } else {
            built = self.question_of(given(sample)?)?;
            &built
        };
        let grade = question.grade(Some(response), sample.case.query.as_deref());
        let mut score = Score::from_number(grade.score)?;
        let parts = match self.kind {
            QuestionType::YesNo => vec![("right", Some(grade.score))],
            QuestionType::YesNoRationale => vec![
                ("binary", grade.binary.or(Some(0.0))),
                ("rationale", grade.rationale.or(Some(0.0))),
                ("answer_weight", grade.answer_weight.or(Some(self.settings.rationale_weight))),
            ],
            _ => vec![("raw", grade.raw.or(Some(0.0))), ("best", grade.best.or(Some(1.0)))],
        };
        for (name, value) in parts {
            if let Some(value) = value {
                score = score.with_part(Cow::Borrowed(name), value)?;
            }
        }
        Ok(score.because(evidence(&grade, question, response)).into())
    }
}
