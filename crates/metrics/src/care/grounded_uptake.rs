//! Whether a reply takes up what was disclosed, by features that can be seen in the text. It describes; it certifies nothing.

use std::sync::Arc;

use probare_core::{BuildError, Metric, Outcome, Sample, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::lexicon::{Lexicon, Upstream};
use super::performative_empathy::check_upstream;
use super::synthesis_1_3::{self, SupportExchange};

metric!(Options as Pure {
    summary: "Whether a reply shows five visible features of taking up a disclosure; no verdict on its quality",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Query, Response],
    prepare: UptakeMetric::new,
    is_descriptive: true,
    since: "0.4",
    version: 1,
    page: "grounded_uptake.md",
});

/// Options of `grounded_uptake`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// The version of Synthesis that is reproduced; only `1.3` has this check.
    pub upstream: Option<Upstream>,
    /// Families of phrases to add to the bundled ones, or to use in their place: the content of a lexicon file, or its text.
    pub lexicon: Option<Json>,
}

/// The metric, ready to score.
struct UptakeMetric {
    lexicon: Arc<Lexicon>,
}

impl UptakeMetric {
    fn new(options: Options) -> Result<Self, BuildError> {
        check_upstream("grounded_uptake", options.upstream)?;
        Ok(Self { lexicon: Lexicon::from_option(options.lexicon, Upstream::V1_3)? })
    }
}

impl Metric for UptakeMetric {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let exchange = SupportExchange::for_sample(sample, &self.lexicon)?;
        synthesis_1_3::uptake_outcome(&exchange, sample.query()?, sample.response()?)
    }
}
