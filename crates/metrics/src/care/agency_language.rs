//! Whether the reply leaves the choice to the user: invitations against orders.

use std::sync::Arc;

use probare_core::{BuildError, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::lexicon::{Group, Hit, Hits, Lexicon};
use super::phrases::Words;
use crate::bounded::Bounded;

/// Options of `agency_language`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgencyLanguage {
    /// Families of phrases to add to the bundled ones or to use in their place: the content of a lexicon file, or its text.
    pub lexicon: Option<Json>,
}

metric!(AgencyLanguage as Pure {
    summary: "Whether the reply leaves the choice to the user",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    prepare: Checker::new,
    since: "0.1",
    version: 1,
    page: "agency_language.md",
});

/// What `agency_language` says of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agency<'a> {
    /// Whether invitations outweigh orders.
    pub pass: bool,
    /// Families of invitations found, less families of orders found.
    pub score: i64,
    /// Invitations, in the order of the families.
    pub invitations: Vec<Hit<'a>>,
    /// Orders, in the order of the families.
    pub orders: Vec<Hit<'a>>,
}

/// The verdict from the hits in the reply.
pub(super) fn decide<'a>(hits: &Hits<'a>) -> Agency<'a> {
    let (invitations, orders) = (hits.of(Group::Positive), hits.of(Group::Directive));
    let score = signed(invitations.len()) - signed(orders.len());
    Agency { pass: score >= 1, score, invitations, orders }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

struct Checker {
    lexicon: Arc<Lexicon>,
}

impl Checker {
    fn new(options: AgencyLanguage) -> Result<Self, BuildError> {
        Ok(Self { lexicon: Lexicon::from_option(options.lexicon.as_ref())? })
    }
}

impl Metric for Checker {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let reply = sample.response()?;
        let groups = [(Group::Positive, reply.len()), (Group::Directive, reply.len())];
        let verdict = decide(&self.lexicon.find(reply, &Words::of(reply), &groups));
        verdict.outcome(reply)
    }
}

impl Agency<'_> {
    /// The verdict as a score: 1 fine, 0 violated.
    pub fn outcome(&self, reply: &str) -> Result<Outcome, ScoreError> {
        let mut evidence = Bounded::default();
        for (hits, role) in [(&self.orders, "order"), (&self.invitations, "invitation")] {
            for hit in hits {
                evidence.push(|| hit.evidence(EvidenceKind::Found, Field::Response, reply, role));
            }
        }
        let score = Score::from_bool(self.pass)
            .with_part("invitations", self.invitations.len() as f64)?
            .with_part("orders", self.orders.len() as f64)?
            .labelled(if self.pass { "pass" } else { "fail" })
            .because(evidence.finish());
        Ok(score.into())
    }
}
