//! Whether a reply to a disclosure is warm stock phrases and nothing else.

use std::sync::Arc;

use probare_core::{BuildError, Metric, Outcome, Sample, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::lexicon::{Lexicon, Upstream};
use super::synthesis_1_3::{self, Concreteness, EmpathyCheck, SupportExchange};

metric!(Options as Pure {
    summary: "Whether a reply to a disclosure is warm stock phrases and nothing else",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Query, Response],
    prepare: EmpathyMetric::new,
    since: "0.4",
    version: 1,
    page: "performative_empathy.md",
});

/// Options of `performative_empathy`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// The version of Synthesis that is reproduced; only `1.3` has this check.
    pub upstream: Option<Upstream>,
    /// Families of phrases to add to the bundled ones, or to use in their place: the content of a lexicon file, or its text.
    pub lexicon: Option<Json>,
    /// Ratings of words from 1 (abstract) to 5 (concrete) in place of the 49 bundled ones: an object with `ratings`, or the text of
    /// such a file or of a CSV with the columns `Word` and `Conc.M`.
    pub concreteness: Option<Json>,
}

/// An error where a version is asked for that lacks a check.
pub(super) fn check_upstream(id: &str, upstream: Option<Upstream>) -> Result<(), BuildError> {
    if upstream == Some(Upstream::V1_0) {
        return Err(BuildError::Options(format!("`{id}` exists in Synthesis 1.3 only; leave `upstream: 1.0` out")));
    }
    Ok(())
}

/// The metric, ready to score.
struct EmpathyMetric {
    lexicon: Arc<Lexicon>,
    ratings: Concreteness,
}

impl EmpathyMetric {
    fn new(options: Options) -> Result<Self, BuildError> {
        check_upstream("performative_empathy", options.upstream)?;
        let ratings = match &options.concreteness {
            None | Some(Json::Null) => Ok(Concreteness::bundled()),
            Some(Json::String(text)) => Concreteness::parse(text),
            Some(content) => Concreteness::from_json(content),
        };
        let ratings = ratings.map_err(|error| BuildError::Options(format!("`concreteness`: {error}")))?;
        Ok(Self { lexicon: Lexicon::from_option(options.lexicon, Upstream::V1_3)?, ratings })
    }
}

impl Metric for EmpathyMetric {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let exchange = SupportExchange::for_sample(sample, &self.lexicon)?;
        let check = EmpathyCheck::new(&exchange, &self.ratings);
        synthesis_1_3::empathy_outcome(&exchange, &check, sample.query()?, sample.response()?)
    }
}
