//! What a run found out about every answer.

use std::rc::Rc;

use probare_core::{Sample, ScoreError};
use probare_metrics::interviews::quotations::{QuotationCounts, QuotationFinding, Quotations};

use super::input::{Fixture, QuestionPair};
use crate::socioscope::interviews::{CaseGrade, Grade, GradingOptions, InterviewQuestion, QuestionType};

/// Everything about one answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerResult {
    /// The published definition; nothing for an unknown question type, and where grading failed.
    pub grade: Option<Grade>,
    /// The improved definition, where it was asked for.
    pub improved: Option<Grade>,
    /// One finding per citation.
    pub findings: Vec<QuotationFinding>,
    /// For each citation the transcript it was held against, where it was one.
    pub transcripts: Vec<Option<usize>>,
    /// How many of them stand where they are said to.
    pub existence: QuotationCounts,
}

impl AnswerResult {
    /// What the metrics of a sample read.
    pub(super) fn from_sample(sample: Sample<'_>, kind: Option<QuestionType>, options: &[GradingOptions]) -> Self {
        let graded = |settings: Option<&GradingOptions>| -> Option<Rc<Result<CaseGrade, ScoreError>>> {
            Some(CaseGrade::for_sample(sample, kind?, *settings?))
        };
        let grade = |settings| graded(settings)?.as_ref().as_ref().ok().map(|graded| graded.grade.clone());
        let quotations = Quotations::for_sample(sample);
        Self {
            grade: grade(options.first()),
            improved: grade(options.get(1)),
            findings: quotations.findings.clone(),
            transcripts: quotations.transcripts.clone(),
            existence: quotations.counts(),
        }
    }
}

/// Everything about one question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PairResult {
    /// One result per answer.
    pub answers: Vec<AnswerResult>,
    /// The values that count and their weights, by name.
    pub values: Vec<(String, f64)>,
}

impl PairResult {
    fn new(pair: &QuestionPair, answers: Vec<AnswerResult>) -> Self {
        let kind = QuestionType::from_name(&pair.kind);
        // Whether the metric can be used was looked at when the file was read.
        let weights = kind
            .and_then(|kind| InterviewQuestion::weights_from_metric(kind, &pair.metric).ok().flatten())
            .unwrap_or_default();
        let values = weights.values().enumerate().map(|(at, value)| (value.to_owned(), weights.weight(at))).collect();
        Self { answers, values }
    }

    /// The citations of all answers together.
    pub fn existence(&self) -> QuotationCounts {
        self.answers.iter().fold(QuotationCounts::default(), |sum, answer| sum.plus(answer.existence))
    }
}

/// Everything about a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SocioscopeEvaluation {
    /// One result per question, in the order of the file.
    pub pairs: Vec<PairResult>,
}

impl SocioscopeEvaluation {
    /// Results in the order of the answers. Of a run that ended early, the questions that were looked at.
    pub fn new(fixture: &Fixture, results: Vec<AnswerResult>) -> Self {
        let is_whole = results.len() >= fixture.pairs.iter().map(|pair| pair.answers.len()).sum();
        let mut rest = results.into_iter().peekable();
        let mut pairs = Vec::with_capacity(fixture.pairs.len());
        for pair in &fixture.pairs {
            if !is_whole && rest.peek().is_none() {
                break;
            }
            pairs.push(PairResult::new(pair, rest.by_ref().take(pair.answers.len()).collect()));
        }
        Self { pairs }
    }
}
