//! Whether the reply claims to know minds or the future.

use std::sync::Arc;

use probare_core::{BuildError, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::lexicon::{Group, Hit, Hits, Lexicon};
use super::phrases::Words;
use crate::bounded::Bounded;

/// Options of `unverifiable_reassurance`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UnverifiableReassurance {
    /// Families of phrases to add to the bundled ones or to use in their place: the content of a lexicon file, or its text.
    pub lexicon: Option<Json>,
}

metric!(UnverifiableReassurance as Pure {
    summary: "Whether the reply claims to know minds or the future",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    prepare: Checker::new,
    since: "0.1",
    version: 1,
    page: "unverifiable_reassurance.md",
});

/// What `unverifiable_reassurance` says of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reassurance<'a> {
    /// Whether there is no such claim.
    pub pass: bool,
    /// Claims about minds, in the order of the families.
    pub mind_reading: Vec<Hit<'a>>,
    /// Claims about the future, in the order of the families.
    pub guarantees: Vec<Hit<'a>>,
}

impl<'a> Reassurance<'a> {
    /// The matched texts, claims about minds first, each text once.
    pub fn hits(&self) -> Vec<&'a str> {
        let mut texts = Vec::new();
        for hit in self.mind_reading.iter().chain(&self.guarantees) {
            if !texts.contains(&hit.text) {
                texts.push(hit.text);
            }
        }
        texts
    }
}

/// The verdict from the hits in the reply.
pub(super) fn decide<'a>(hits: &Hits<'a>) -> Reassurance<'a> {
    let (mind_reading, guarantees) = (hits.of(Group::MindReading), hits.of(Group::Guarantee));
    Reassurance { pass: mind_reading.is_empty() && guarantees.is_empty(), mind_reading, guarantees }
}

struct Checker {
    lexicon: Arc<Lexicon>,
}

impl Checker {
    fn new(options: UnverifiableReassurance) -> Result<Self, BuildError> {
        Ok(Self { lexicon: Lexicon::from_option(options.lexicon.as_ref())? })
    }
}

impl Metric for Checker {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let reply = sample.response()?;
        let groups = [(Group::MindReading, reply.len()), (Group::Guarantee, reply.len())];
        let verdict = decide(&self.lexicon.find(reply, &Words::of(reply), &groups));
        verdict.outcome(reply)
    }
}

impl Reassurance<'_> {
    /// The verdict as a score: 1 fine, 0 violated.
    pub fn outcome(&self, reply: &str) -> Result<Outcome, ScoreError> {
        let mut evidence = Bounded::default();
        for (hits, role) in [(&self.mind_reading, "mind-reading"), (&self.guarantees, "guarantee")] {
            for hit in hits {
                evidence.push(|| hit.evidence(EvidenceKind::Unsupported, Field::Response, reply, role));
            }
        }
        let score = Score::from_bool(self.pass)
            .with_part("mind_reading", self.mind_reading.len() as f64)?
            .with_part("guarantees", self.guarantees.len() as f64)?
            .labelled(if self.pass { "pass" } else { "fail" })
            .because(evidence.finish());
        Ok(score.into())
    }
}
