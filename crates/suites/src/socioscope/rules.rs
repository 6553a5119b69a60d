//! What the benchmark decides about single answers.

use std::borrow::Cow;
use std::sync::Arc;

use probare_core::{Case, Detail, MetricInfo, Named, Profile, Rules, Sample};
use probare_metrics::interviews::quotations::Transcripts;
use probare_metrics::interviews::{Grade, Graded, QuestionType, Settings, lend_wordnet};
use probare_text::wordnet::WordNet;
use serde_json::Value as Json;

use super::evaluate::AnswerResult;

/// The rules: each question type has its metric, and no answer is worth nothing.
pub(super) struct Grading {
    pub(super) transcripts: Arc<Transcripts>,
    pub(super) wordnet: Option<Arc<WordNet>>,
    /// The published reading, and the careful one where it is asked for.
    pub(super) readings: Vec<Settings>,
}

/// The type of a case's question; nothing where it is unknown.
fn kind(case: &Case) -> Option<QuestionType> {
    case.metadata.get("type").and_then(Json::as_str).and_then(QuestionType::from_name)
}

fn kind_of(metric: &MetricInfo) -> Option<QuestionType> {
    QuestionType::ALL.into_iter().find(|kind| kind.metric() == metric.id)
}

impl Rules for Grading {
    fn lend(&self, sample: Sample<'_>) {
        Transcripts::lend(&self.transcripts, sample);
        if let Some(wordnet) = &self.wordnet {
            lend_wordnet(wordnet, sample);
        }
    }

    fn leaves_out(&self, case: &Case, metric: &MetricInfo) -> Option<Cow<'static, str>> {
        let graded = kind_of(metric)?;
        match kind(case) {
            Some(kind) if kind == graded => None,
            Some(kind) => Some(format!("the question is of the type {}", kind.name()).into()),
            None => Some("the type of the question is unknown".into()),
        }
    }

    fn absent(&self, _: &Case, metric: &MetricInfo) -> Option<Named> {
        let kind = kind_of(metric)?;
        let settings = self.readings.get(usize::from(metric.profile == Profile::Careful))?;
        let blank = Graded { grade: Grade::blank(), weights: None };
        Some(blank.score(kind, *settings, "").map(Into::into))
    }

    fn model(&self, case: &Case) -> Option<String> {
        case.metadata.get("model").and_then(Json::as_str).map(str::to_owned)
    }

    fn detail(&self, sample: Sample<'_>, _: &[Named]) -> Option<Detail> {
        Some(Detail::new(AnswerResult::of(sample, kind(sample.case), &self.readings)))
    }
}
