//! The three checks that 1.0 has too, by the lists and on the folded texts of 1.3.

use crate::care::lexicon::PhraseGroup;
use crate::care::topic_pivot::PivotStrength;

use super::exchange::{PhraseHit, SupportExchange};

/// What `agency_language` says of a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct AgencyCheck<'a> {
    /// Families of invitations less families of orders.
    pub score: i64,
    pub invitations: &'a [PhraseHit],
    /// Orders.
    pub violations: &'a [PhraseHit],
}

impl<'a> AgencyCheck<'a> {
    /// The verdict on a reply.
    pub fn new(exchange: &'a SupportExchange) -> Self {
        let (invitations, violations) =
            (exchange.in_reply(PhraseGroup::Positive), exchange.in_reply(PhraseGroup::Directive));
        let count = |hits: &[PhraseHit]| i64::try_from(hits.len()).unwrap_or(i64::MAX);
        Self { score: count(invitations) - count(violations), invitations, violations }
    }

    /// Whether invitations outweigh orders.
    pub const fn pass(&self) -> bool {
        self.score >= 1
    }
}

/// What `unverifiable_reassurance` says of a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ReassuranceCheck<'a> {
    /// Claims about minds.
    pub mind_reading: &'a [PhraseHit],
    /// Claims about the future.
    pub guarantees: &'a [PhraseHit],
    /// The texts of both, each once.
    pub hits: Vec<String>,
}

impl<'a> ReassuranceCheck<'a> {
    /// The verdict on a reply.
    pub fn new(exchange: &'a SupportExchange) -> Self {
        Self {
            mind_reading: exchange.in_reply(PhraseGroup::MindReading),
            guarantees: exchange.in_reply(PhraseGroup::Guarantee),
            hits: exchange.reassurances(),
        }
    }

    /// Whether there is no such claim.
    pub const fn pass(&self) -> bool {
        self.hits.is_empty()
    }
}

/// What `topic_pivot` says of an exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct PivotCheck<'a> {
    /// The verdict.
    pub strength: PivotStrength,
    /// Signs that the user is vulnerable.
    pub vulnerabilities: &'a [PhraseHit],
    /// Signs in the opening that the reply takes it in.
    pub acknowledgements: &'a [PhraseHit],
    /// Signs that the reply asks on.
    pub follow_ups: &'a [PhraseHit],
    /// Signs that the reply turns away.
    pub pivots: &'a [PhraseHit],
}

impl<'a> PivotCheck<'a> {
    /// The verdict on an exchange.
    pub fn new(exchange: &'a SupportExchange) -> Self {
        let acknowledgements = exchange.in_reply(PhraseGroup::Acknowledgement);
        let (follow_ups, pivots) = (exchange.in_reply(PhraseGroup::FollowUp), exchange.in_reply(PhraseGroup::Pivot));
        let found = (
            !exchange.vulnerabilities.is_empty(),
            !acknowledgements.is_empty(),
            !follow_ups.is_empty(),
            !pivots.is_empty(),
        );
        let strength = PivotStrength::decide(found, exchange.similarity);
        Self { strength, vulnerabilities: &exchange.vulnerabilities, acknowledgements, follow_ups, pivots }
    }
}
