//! A question type as a metric: where it finds what is expected, and how a grade becomes a score.

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::rc::Rc;
use std::sync::Arc;

use probare_core::{BuildError, Field, Metric, Outcome, Profile, Sample, Score, ScoreError, UNSURE};
use probare_text::wordnet::WordNet;
use rustc_hash::FxBuildHasher;
use serde_json::Value as Json;

use super::{Grade, GradingOptions, InterviewQuestion, QuestionType, grade_evidence};
use crate::socioscope::interviews::inputs::ValueWeights;

/// Name in the metadata of what a question expects.
const METRIC: &str = "metric";

/// A question type with its options.
#[derive(Debug)]
pub(crate) struct QuestionMetric {
    kind: QuestionType,
    settings: GradingOptions,
    /// The question, where the options say what is expected of every case.
    question: Option<InterviewQuestion<'static>>,
}

impl QuestionMetric {
    /// Checks the options and reads what they expect.
    pub(crate) fn new(kind: QuestionType, settings: GradingOptions, metric: Option<&Json>) -> Result<Self, BuildError> {
        for (name, share) in
            [("fuzzy_threshold", settings.fuzzy_threshold), ("answer_weight", settings.rationale_weight)]
        {
            if !(0.0..=1.0).contains(&share) {
                return Err(BuildError::Options(format!("`{name}` is between 0 and 1, not {share}")));
            }
        }
        let question = match metric {
            Some(metric) => Some(
                InterviewQuestion::new(kind, metric, settings, WordNet::embedded())
                    .map_err(|error| BuildError::Options(format!("`metric` {error}")))?,
            ),
            None => None,
        };
        Ok(Self { kind, settings, question })
    }
}

/// What the case expects.
fn expected_metric(sample: Sample<'_>) -> Result<&Json, ScoreError> {
    sample.case.metadata.get(METRIC).ok_or_else(|| ScoreError::BadField {
        field: Field::Metadata,
        reason: "has no `metric`, and the options give none".into(),
    })
}

/// The grade of a case, made once for all who ask.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CaseGrade {
    /// What the answer gets.
    pub grade: Grade,
    /// The values that count, where the question has some.
    pub weights: Option<ValueWeights>,
}

impl CaseGrade {
    /// The grade of the sample's response by what its metadata expect; no response at all is a blank answer.
    pub fn for_sample(
        sample: Sample<'_>,
        kind: QuestionType,
        settings: GradingOptions,
    ) -> Rc<Result<Self, ScoreError>> {
        sample.cached(key(kind, settings), || {
            let other = sample.run_cached(0, RunWordNet::default);
            let wordnet = other.0.as_deref().unwrap_or_else(|| WordNet::embedded());
            let question =
                InterviewQuestion::new(kind, expected_metric(sample)?, settings, wordnet).map_err(|error| {
                    let reason = format!("has a `metric` that {error}");
                    ScoreError::BadField { field: Field::Metadata, reason }
                })?;
            Ok(Self::from_question(&question, sample))
        })
    }

    fn from_question(question: &InterviewQuestion<'_>, sample: Sample<'_>) -> Self {
        let response = sample.output().map(|output| output.text.as_str());
        let grade = question.grade(response, sample.case.query.as_deref());
        Self { grade, weights: question.weights().cloned() }
    }

    /// As a score with its evidence.
    pub fn score(&self, kind: QuestionType, settings: GradingOptions, response: &str) -> Result<Score, ScoreError> {
        let Self { grade, weights } = self;
        let mut score = Score::from_number(grade.score)?;
        let parts = match kind {
            QuestionType::YesNo => vec![("right", Some(grade.score))],
            QuestionType::YesNoRationale => vec![
                ("binary", grade.binary.or(Some(0.0))),
                ("rationale", grade.rationale.or(Some(0.0))),
                ("answer_weight", grade.answer_weight.or(Some(settings.rationale_weight))),
            ],
            _ => vec![("raw", grade.raw.or(Some(0.0))), ("best", grade.best.or(Some(1.0)))],
        };
        for (name, value) in parts {
            if let Some(value) = value {
                score = score.with_part(Cow::Borrowed(name), value)?;
            }
        }
        if kind == QuestionType::YesNo && settings.profile == Profile::Improved && !settings.strict_yes_no {
            let is_said = grade.decision.as_ref().is_none_or(|decision| decision.is_said);
            let label = if grade.score >= 0.5 { "right" } else { "wrong" };
            score = score.labelled(if is_said { label } else { UNSURE });
        }
        Ok(score.because(grade_evidence(grade, weights.as_ref(), response)))
    }
}

/// A key for each combination of question type and grading options.
fn key(kind: QuestionType, settings: GradingOptions) -> u64 {
    let GradingOptions { profile, strict_yes_no, fuzzy_threshold, rationale_weight, synonyms, fuzzy } =
        settings.for_kind(kind);
    let numbers = (fuzzy_threshold.to_bits(), rationale_weight.to_bits());
    FxBuildHasher.hash_one((kind, profile, strict_yes_no, numbers, synonyms, fuzzy))
}

/// A WordNet that the run uses in place of the embedded one.
#[derive(Default)]
struct RunWordNet(Option<Arc<WordNet>>);

/// Gives another WordNet to the run.
pub fn set_run_wordnet(wordnet: &Arc<WordNet>, sample: Sample<'_>) {
    sample.run_cached(0, || RunWordNet(Some(Arc::clone(wordnet))));
}

impl Metric for QuestionMetric {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let read;
        let graded = if let Some(question) = &self.question {
            &CaseGrade::from_question(question, sample)
        } else {
            read = CaseGrade::for_sample(sample, self.kind, self.settings);
            read.as_ref().as_ref().map_err(Clone::clone)?
        };
        Ok(graded.score(self.kind, self.settings, response)?.into())
    }
}
