//! [`Checker`]: what the three metrics of this family have in common: their options, the choice of the profile, and the
//! form of their evidence. What they look for stands in their own files.

use std::sync::Arc;

use probare_core::{BuildError, Evidence, EvidenceKind, Field, Metric, Outcome, Profile, Sample, ScoreError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::bounded::Bounded;
use crate::care::lexicon::{Hit, Lexicon};

/// Options of the care checkers.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Which reading: the published phrases, or the structure of sentences.
    pub profile: Profile,
    /// Families of phrases to add to the bundled ones or to use in their place: the content of a lexicon file, or its text.
    pub lexicon: Option<Json>,
}

/// What a metric of this family says of a sample.
type Check = fn(Sample<'_>, &Lexicon, Profile) -> Result<Outcome, ScoreError>;

/// A metric of this family, ready to score.
pub(in crate::care) struct Checker {
    profile: Profile,
    lexicon: Arc<Lexicon>,
    check: Check,
}

impl Checker {
    pub(in crate::care) fn new(options: Options, check: Check) -> Result<Self, BuildError> {
        Ok(Self { profile: options.profile, lexicon: Lexicon::from_option(options.lexicon)?, check })
    }
}

impl Metric for Checker {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        (self.check)(sample, &self.lexicon, self.profile)
    }
}

/// Hits that are evidence of the same thing.
pub(in crate::care) struct Listed<'a> {
    /// The hits.
    pub hits: &'a [Hit<'a>],
    /// What they count as.
    pub role: &'static str,
    /// What kind of evidence they are.
    pub kind: EvidenceKind,
    /// Where they stand.
    pub field: Field,
    /// The whole text of that field.
    pub whole: &'a str,
}

/// The evidence of a verdict: its reason, then its hits.
pub(in crate::care) fn evidence(reason: Option<&'static str>, lists: &[Listed<'_>]) -> Vec<Evidence> {
    let mut evidence = Bounded::default();
    if let Some(reason) = reason {
        evidence.push(|| Evidence::note(reason));
    }
    for list in lists {
        for hit in list.hits {
            probare_cancellation::steps(1);
            evidence.push(|| hit.evidence(list.kind, list.field, list.whole, list.role));
        }
    }
    evidence.finish()
}
