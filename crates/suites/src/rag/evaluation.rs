//! [`Evaluator`]: the three metrics and the cost of one exchange, and the verdict over them.

use probare_core::{BuildError, Profile};
use probare_metrics::rag::hallucination::{self, Examination, Hallucination};
use probare_metrics::rag::verdict::{self, Judgement, Measures, Thresholds};
use probare_metrics::rag::{completeness, relevance};

use super::Exchange;

/// How exchanges are evaluated.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluator {
    /// Limits of the verdict.
    pub thresholds: Thresholds,
    /// Options of `hallucination`, the profile among them.
    pub hallucination: Hallucination,
}

/// What came of an exchange; all values are unrounded.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Value of `relevance`.
    pub relevance: f64,
    /// Value of `completeness`.
    pub completeness: f64,
    /// Every anchor, and the value of `hallucination`.
    pub hallucination: Examination,
    /// What the exchange is estimated to cost.
    pub cost_usd: f64,
    /// Which reading of `hallucination` this is.
    pub profile: Profile,
    thresholds: Thresholds,
}

impl Evaluator {
    /// An evaluator, if its numbers make sense.
    pub fn new(thresholds: Thresholds, hallucination: Hallucination) -> Result<Self, BuildError> {
        Ok(Self { thresholds, hallucination: hallucination.checked()? })
    }

    /// Computes everything but the verdict, which also depends on the time that this took.
    pub fn evaluate(&self, exchange: &Exchange) -> Evaluation {
        let Exchange { query, response, .. } = exchange;
        let chunks = exchange.chunks();
        Evaluation {
            relevance: relevance::compare(query, response).value(),
            completeness: completeness::cover(query, response).value,
            hallucination: hallucination::examine(response, &chunks, &self.hallucination.settings()),
            cost_usd: verdict::estimated_cost_usd(query, response, &chunks),
            profile: self.hallucination.profile,
            thresholds: self.thresholds,
        }
    }
}

impl Evaluation {
    /// The verdict, given how long the evaluation took.
    pub fn judgement(&self, latency_ms: Option<f64>) -> Judgement {
        let measures = Measures {
            relevance: self.relevance,
            completeness: self.completeness,
            hallucination: self.hallucination.value(),
            unsupported: verdict::unsupported_texts(&self.hallucination),
            latency_ms,
            cost_usd: self.cost_usd,
        };
        verdict::judge(&measures, &self.thresholds)
    }
}
