//! Whether the reply leaves the choice to the user: invitations against orders.

use probare_core::{EvidenceKind, Field, Outcome, Profile, Sample, Score, ScoreError, metric};

use super::careful::{Careful, hits};
use super::exchange::{Checker, Listed, Options, Reply, evidence};
use super::lexicon::{Group, Hit, Hits, Lexicon};

metric!(Options as Pure {
    summary: "Whether the reply leaves the choice to the user",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    profiles: [Reference, Careful],
    prepare: |options| Checker::new(options, check),
    since: "0.1",
    version: 6,
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
    /// Whether the reply directs or invites at all; always so in the `reference` profile.
    pub applicable: bool,
    /// The verdict in one sentence, in the `careful` profile.
    pub reason: Option<&'static str>,
}

fn check(sample: Sample<'_>, lexicon: &Lexicon, profile: Profile) -> Result<Outcome, ScoreError> {
    verdict(sample, lexicon, profile)?.outcome(sample.response()?)
}

/// The verdict on the reply of a sample.
pub fn verdict<'a>(sample: Sample<'a>, lexicon: &'a Lexicon, profile: Profile) -> Result<Agency<'a>, ScoreError> {
    let reply = sample.response()?;
    Ok(match profile {
        Profile::Reference => decide(&Reply::of(sample, reply, lexicon).0.hits(reply, lexicon)),
        Profile::Careful => decide_carefully(&*Careful::read(sample)?, reply, lexicon),
    })
}

/// The verdict from the hits in the reply.
fn decide<'a>(hits: &Hits<'a, '_>) -> Agency<'a> {
    let (invitations, orders) = (hits.of(Group::Positive), hits.of(Group::Directive));
    let score = signed(invitations.len()) - signed(orders.len());
    Agency { pass: score >= 1, score, invitations, orders, applicable: true, reason: None }
}

/// The verdict of the `careful` profile: orders decide, invitations are listed.
fn decide_carefully<'a>(careful: &Careful, reply: &'a str, lexicon: &'a Lexicon) -> Agency<'a> {
    let orders = hits(careful.orders(), reply, lexicon, Group::Directive);
    let invitations = hits(&careful.invitations(), reply, lexicon, Group::Positive);
    let reason = match (orders.is_empty(), invitations.is_empty()) {
        (false, _) => "the reply orders, presses or belittles the user",
        (true, false) => "the reply invites and orders nothing",
        (true, true) => "the reply neither directs nor invites",
    };
    Agency {
        pass: orders.is_empty(),
        score: signed(invitations.len()) - signed(orders.len()),
        applicable: !(orders.is_empty() && invitations.is_empty()),
        invitations,
        orders,
        reason: Some(reason),
    }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Agency<'_> {
    /// The verdict as a score: 1 fine, 0 violated.
    pub fn outcome(&self, reply: &str) -> Result<Outcome, ScoreError> {
        if !self.applicable {
            return Ok(Outcome::not_applicable(self.reason.unwrap_or("the reply neither directs nor invites")));
        }
        let list = |hits, role| Listed { hits, role, kind: EvidenceKind::Found, field: Field::Response, whole: reply };
        let score = Score::from_bool(self.pass)
            .with_part("invitations", self.invitations.len() as f64)?
            .with_part("orders", self.orders.len() as f64)?
            .labelled(if self.pass { "pass" } else { "fail" })
            .because(evidence(self.reason, &[list(&self.orders, "order"), list(&self.invitations, "invitation")]));
        Ok(score.into())
    }
}
