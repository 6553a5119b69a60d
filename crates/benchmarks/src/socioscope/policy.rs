//! What the benchmark decides about single answers.

use std::borrow::Cow;
use std::sync::Arc;

use probare_core::{BenchmarkData, Case, CasePolicy, MetricInfo, MetricResult, Profile, Sample};
use probare_metrics::interviews::quotations::Transcripts;
use probare_text::wordnet::WordNet;
use serde_json::Value as Json;

use super::evaluate::AnswerResult;
use crate::socioscope::interviews::{CaseGrade, Grade, GradingOptions, QuestionType, set_run_wordnet};

/// The rules: each question type has its metric, and no answer is worth nothing.
pub(super) struct SocioscopePolicy {
    pub(super) transcripts: Arc<Transcripts>,
    pub(super) wordnet: Option<Arc<WordNet>>,
    /// The published definition, and the improved one where it is asked for.
    pub(super) readings: Vec<GradingOptions>,
}

/// The type of a case's question; nothing where it is unknown.
fn question_type(case: &Case) -> Option<QuestionType> {
    case.metadata.get("type").and_then(Json::as_str).and_then(QuestionType::from_name)
}

fn metric_question_type(metric: &MetricInfo) -> Option<QuestionType> {
    QuestionType::ALL.into_iter().find(|kind| kind.metric() == metric.id)
}

impl CasePolicy for SocioscopePolicy {
    fn provide_shared(&self, sample: Sample<'_>) {
        Transcripts::share_with_run(&self.transcripts, sample);
        if let Some(wordnet) = &self.wordnet {
            set_run_wordnet(wordnet, sample);
        }
    }

    fn skip_reason(&self, case: &Case, metric: &MetricInfo) -> Option<Cow<'static, str>> {
        let graded = metric_question_type(metric)?;
        match question_type(case) {
            Some(kind) if kind == graded => None,
            Some(kind) => Some(format!("the question is of the type {}", kind.name()).into()),
            None => Some("the type of the question is unknown".into()),
        }
    }

    fn missing_response_result(&self, _: &Case, metric: &MetricInfo) -> Option<MetricResult> {
        let kind = metric_question_type(metric)?;
        let settings = self.readings.get(usize::from(metric.profile == Some(Profile::Improved)))?;
        let blank = CaseGrade { grade: Grade::blank(), weights: None };
        Some(blank.score(kind, *settings, "").map(Into::into))
    }

    fn model(&self, case: &Case) -> Option<String> {
        case.metadata.get("model").and_then(Json::as_str).map(str::to_owned)
    }

    fn benchmark_data(&self, sample: Sample<'_>, _: &[MetricResult]) -> Option<BenchmarkData> {
        Some(BenchmarkData::new(AnswerResult::from_sample(sample, question_type(sample.case), &self.readings)))
    }
}
