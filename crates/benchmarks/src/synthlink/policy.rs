//! What the benchmark decides about questions that have no prediction.

use std::borrow::Cow;

use probare_core::{Case, CasePolicy, Evidence, MetricInfo, MetricResult, Score, ScoreError, Value};
use serde_json::Value as Json;

use super::cases::SYSTEM;
use super::{MEASURES, MeasureWeights, MissingPolicy};

/// Id of the metric that has all five measures as parts.
pub(super) const AGGREGATE: &str = "deep_search_aggregate";

/// Such questions are left out, or count as zero.
pub(super) struct SynthLinkPolicy {
    pub(super) missing: MissingPolicy,
    pub(super) weights: MeasureWeights,
}

impl SynthLinkPolicy {
    fn zero(&self, metric: &MetricInfo) -> Result<Score, ScoreError> {
        let mut score = Score::new(Value::ZERO);
        if metric.id == AGGREGATE {
            for name in MEASURES {
                score = score.with_part(name, 0.0)?;
            }
            for (name, weight) in MEASURES.iter().zip(self.weights.list()) {
                score = score.with_part(format!("{name}_weight"), weight)?;
            }
        }
        Ok(score.because([Evidence::note("no prediction, which counts as zero")]))
    }
}

impl CasePolicy for SynthLinkPolicy {
    fn skip_reason(&self, case: &Case, _: &MetricInfo) -> Option<Cow<'static, str>> {
        (case.response.is_none() && self.missing == MissingPolicy::Skip).then_some("no prediction".into())
    }

    fn missing_response_result(&self, _: &Case, metric: &MetricInfo) -> Option<MetricResult> {
        Some(self.zero(metric).map(Into::into))
    }

    fn model(&self, case: &Case) -> Option<String> {
        case.metadata.get(SYSTEM).and_then(Json::as_str).map(str::to_owned)
    }
}
