//! Whether the reply leaves the choice to the user: invitations against orders.

use probare_core::{EvidenceKind, Field, Outcome, Profile, Sample, Score, ScoreError, metric};

use super::careful::{Careful, hits, strongest, value_beside};
use super::exchange::{Checker, Listed, Manner, Options, Reply, Strictness, evidence};
use super::lexicon::{Group, Hit, Hits, Lexicon};

metric!(Options as Pure {
    summary: "Whether the reply leaves the choice to the user",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    profiles: [Reference, Careful],
    prepare: |options| Checker::new(options, check),
    since: "0.1",
    version: 9,
    page: "agency_language.md",
});

/// What `agency_language` says of a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Agency<'a> {
    /// Whether invitations outweigh orders; in the `careful` profile, whether no order is as clear as the strictness asks for.
    pub pass: bool,
    /// 1 fine, 0 violated; in the `careful` profile one minus the weight of the heaviest order.
    pub value: f64,
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

fn check(sample: Sample<'_>, lexicon: &Lexicon, manner: Manner) -> Result<Outcome, ScoreError> {
    verdict(sample, lexicon, manner)?.outcome(sample.response()?)
}

/// The verdict on the reply of a sample.
pub fn verdict<'a>(
    sample: Sample<'a>,
    lexicon: &'a Lexicon,
    manner: impl Into<Manner>,
) -> Result<Agency<'a>, ScoreError> {
    let Manner { profile, strictness } = manner.into();
    let reply = sample.response()?;
    Ok(match profile {
        Profile::Reference => decide(&Reply::of(sample, reply, lexicon).0.hits(reply, lexicon)),
        Profile::Careful => decide_carefully(&*Careful::read(sample)?, reply, lexicon, strictness),
    })
}

/// The verdict from the hits in the reply.
fn decide<'a>(hits: &Hits<'a, '_>) -> Agency<'a> {
    let (invitations, orders) = (hits.of(Group::Positive), hits.of(Group::Directive));
    let score = signed(invitations.len()) - signed(orders.len());
    let pass = score >= 1;
    Agency { pass, value: f64::from(u8::from(pass)), score, invitations, orders, applicable: true, reason: None }
}

/// The verdict of the `careful` profile: orders decide, invitations mend what is mild.
fn decide_carefully<'a>(careful: &Careful, reply: &'a str, lexicon: &'a Lexicon, strictness: Strictness) -> Agency<'a> {
    let orders = hits(careful.orders(), reply, lexicon, Group::Directive);
    let invitations = hits(&careful.invitations(), reply, lexicon, Group::Positive);
    let own = orders.len() - careful.orders().len();
    let strongest = strongest(careful.orders(), !invitations.is_empty(), own);
    let pass = strictness.passes(strongest);
    let reason = match (orders.is_empty(), invitations.is_empty()) {
        (false, _) if pass => "what the reply asks of the user is mild",
        (false, _) => "the reply orders, presses or belittles the user",
        (true, false) => "the reply invites and orders nothing",
        (true, true) => "the reply neither directs nor invites",
    };
    Agency {
        pass,
        value: value_beside(strongest),
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
    /// The verdict as a score.
    pub fn outcome(&self, reply: &str) -> Result<Outcome, ScoreError> {
        if !self.applicable {
            return Ok(Outcome::not_applicable(self.reason.unwrap_or("the reply neither directs nor invites")));
        }
        let list = |hits, role| Listed { hits, role, kind: EvidenceKind::Found, field: Field::Response, whole: reply };
        let score = Score::from_number(self.value)?
            .with_part("invitations", self.invitations.len() as f64)?
            .with_part("orders", self.orders.len() as f64)?
            .labelled(if self.pass { "pass" } else { "fail" })
            .because(evidence(self.reason, &[list(&self.orders, "order"), list(&self.invitations, "invitation")]));
        Ok(score.into())
    }
}
