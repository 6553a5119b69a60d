//! [`Registry`]: all metrics by id, and the ids of those that were retired.

use std::fmt;
use std::sync::Arc;

use crate::{MetricDef, MetricRequest, OwnMetric, closest};

/// All metrics, sorted by family and id, and those that the user brings to one run.
#[derive(Debug, Clone)]
pub struct Registry {
    metrics: Vec<&'static MetricDef>,
    /// Metrics of the user's own.
    own: Vec<Arc<OwnMetric>>,
    retired: &'static [RetiredMetric],
}

/// A metric of an earlier release. Its id stays known, so that errors can name what replaces it and old results still open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetiredMetric {
    /// Its id.
    pub id: &'static str,
    /// The family that it belonged to.
    pub family: &'static str,
    /// The first release without it.
    pub since: &'static str,
    /// Why it went, as the rest of a sentence.
    pub reason: &'static str,
    /// What to use in its place.
    pub replacement: &'static str,
}

/// No metric has that id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownMetric {
    /// The id that was asked for.
    pub id: String,
    /// The nearest id that exists.
    pub similar: Option<&'static str>,
    /// The metric that once had this id.
    pub retired: Option<&'static RetiredMetric>,
}

impl std::error::Error for UnknownMetric {}

impl fmt::Display for UnknownMetric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.retired {
            Some(retired) => {
                write!(formatter, "metric `{}` was retired in {}: {}", self.id, retired.since, retired.reason)
            }
            None => write!(formatter, "unknown metric `{}`", self.id),
        }
    }
}

impl UnknownMetric {
    /// What to use instead, if that is known.
    pub fn hint(&self) -> Option<String> {
        if self.id.contains([',', ' ']) {
            let names: Vec<&str> = self.id.split([',', ' ']).filter(|name| !name.is_empty()).collect();
            return Some(format!("that is one name; each metric is named by itself: `-m {}`", names.join(" -m ")));
        }
        let elsewhere = ELSEWHERE.iter().find(|(names, _)| names.contains(&self.id.as_str()));
        match (self.retired, elsewhere, self.similar) {
            (Some(retired), _, _) => Some(retired.replacement.to_owned()),
            (None, Some((_, nearest)), _) => Some(format!(
                "other tools have a metric of this name; the nearest here, defined in another way: {nearest}"
            )),
            (None, None, Some(similar)) => Some(format!("a similar name exists: `{similar}`")),
            (None, None, None) => None,
        }
    }
}

/// Names of metrics in other tools, and what answers nearly the same question here. They are pointers, not aliases: definitions
/// differ.
const ELSEWHERE: [(&[&str], &str); 13] = [
    (
        &["faithfulness", "groundedness", "context_faithfulness", "context-faithfulness"],
        "`judge_claims` (asks a model), `hallucination` (by rules)",
    ),
    (
        &["answer_relevancy", "answer_relevance", "answer-relevance", "response_relevancy"],
        "`judge_answer_relevancy` (asks a model), `relevance` (by words)",
    ),
    (
        &["context_recall", "context-recall", "contextual_recall"],
        "`judge_context_recall` (asks a model), `recall_at_k` (where the relevant documents are known)",
    ),
    (
        &["context_precision", "contextual_precision", "context-precision"],
        "`judge_context_precision` (asks a model), `average_precision` (where the relevant documents are known)",
    ),
    (
        &["context_relevance", "context_relevancy", "contextual_relevancy", "context-relevance"],
        "`judge_context_relevance` (asks a model), `precision_at_k` (where the relevant documents are known)",
    ),
    (&["noise_sensitivity", "noise-sensitivity"], "`judge_noise_sensitivity`"),
    (
        &["answer_correctness", "correctness", "factual_correctness", "factuality"],
        "`answer_match` (by rules), `judge_same_answer` (asks a model)",
    ),
    (
        &["g_eval", "geval", "g-eval", "llm_rubric", "llm-rubric", "model_graded_qa", "toxicity", "bias"],
        "`judge_rubric` with a rubric of ours or your own question and levels",
    ),
    (&["rouge", "rouge1", "rouge2", "rougeL", "rouge-n", "rouge_n"], "`rouge_l`"),
    (&["f1", "squad_f1"], "`token_f1`"),
    (&["equals", "match", "em"], "`exact_match`"),
    (&["is-json", "is_json"], "`json_valid`, `json_schema`"),
    (&["bertscore", "bert_score", "similar", "semantic_similarity"], "`embedding_similarity`"),
];

impl Registry {
    /// Joins the tables of the families; `retired` are the ids that are known and gone.
    pub fn new(families: &[&[&'static MetricDef]], retired: &'static [RetiredMetric]) -> Self {
        let mut metrics: Vec<_> = families.iter().flat_map(|family| family.iter().copied()).collect();
        metrics.sort_by_key(|metric| (metric.family, metric.id));
        Self { metrics, own: Vec::new(), retired }
    }

    /// The metric of this id.
    pub fn get(&self, id: &str) -> Result<&'static MetricDef, UnknownMetric> {
        self.metrics.iter().copied().find(|metric| metric.id == id).ok_or_else(|| UnknownMetric {
            id: id.to_owned(),
            similar: closest(id, self.metrics.iter().map(|metric| metric.id)),
            retired: self.retired(id),
        })
    }

    /// The same with a metric of the user's own.
    #[must_use]
    pub fn with_own(mut self, metric: impl Into<Arc<OwnMetric>>) -> Self {
        self.own.push(metric.into());
        self
    }

    /// The metric of the user's own that a request asks for.
    pub fn own(&self, request: &MetricRequest) -> Option<&OwnMetric> {
        let is_asked = |metric: &&Arc<OwnMetric>| match (&metric.request, &request.code) {
            (Some(name), Some(_)) => *name == request.name,
            (None, None) => metric.id == request.id,
            _ => false,
        };
        self.own.iter().find(is_asked).map(|metric| &**metric)
    }

    /// The retired metric of this id.
    pub fn retired(&self, id: &str) -> Option<&'static RetiredMetric> {
        self.retired.iter().find(|metric| metric.id == id)
    }

    /// All metrics, by family and id.
    pub fn iter(&self) -> impl Iterator<Item = &'static MetricDef> + '_ {
        self.metrics.iter().copied()
    }
}
