//! The verdicts of 1.3 as scores, with evidence in the texts as they were given.

use std::ops::Range;

use probare_core::{Evidence, EvidenceKind, Field, Outcome, Score, ScoreError};

use crate::bounded_evidence::BoundedEvidence;
use crate::care::topic_pivot::{NOBODY_VULNERABLE, PivotStrength};

use super::agency::{AgencyCheck, PivotCheck, ReassuranceCheck};
use super::empathy::EmpathyCheck;
use super::exchange::{FoldedText, PhraseHit, SupportExchange};
use super::uptake::{UptakeCheck, UptakeState};

/// Evidence of hits in one of the two texts.
struct TextEvidence<'a> {
    folded: &'a FoldedText,
    given: &'a str,
    field: Field,
    pieces: &'a mut BoundedEvidence,
}

impl TextEvidence<'_> {
    fn span(&mut self, kind: EvidenceKind, span: Range<usize>, note: String) {
        let span = self.folded.original_span(span);
        self.pieces.push(|| Evidence::at(kind, self.field, span, self.given).with_note(note));
    }

    fn hits(&mut self, kind: EvidenceKind, hits: &[PhraseHit], role: &str) {
        for hit in hits {
            self.span(kind, hit.span.clone(), format!("{role} {}: {}", hit.family, hit.meaning));
        }
    }
}

/// Evidence in the reply.
fn in_reply<'a>(exchange: &'a SupportExchange, reply: &'a str, pieces: &'a mut BoundedEvidence) -> TextEvidence<'a> {
    TextEvidence { folded: &exchange.reply, given: reply, field: Field::Response, pieces }
}

/// Evidence in the message.
fn in_message<'a>(exchange: &'a SupportExchange, user: &'a str, pieces: &'a mut BoundedEvidence) -> TextEvidence<'a> {
    TextEvidence { folded: &exchange.user, given: user, field: Field::Query, pieces }
}

const fn label(pass: bool) -> &'static str {
    if pass { "pass" } else { "fail" }
}

pub(in crate::care) fn agency_outcome(exchange: &SupportExchange, reply: &str) -> Result<Outcome, ScoreError> {
    let check = AgencyCheck::new(exchange);
    let mut pieces = BoundedEvidence::default();
    let mut evidence = in_reply(exchange, reply, &mut pieces);
    evidence.hits(EvidenceKind::Matched, check.violations, "order");
    evidence.hits(EvidenceKind::Matched, check.invitations, "invitation");
    let score = Score::from_bool(check.pass())
        .with_part("invitations", check.invitations.len() as f64)?
        .with_part("orders", check.violations.len() as f64)?
        .labelled(label(check.pass()));
    Ok(score.because(pieces.finish()).into())
}

pub(in crate::care) fn reassurance_outcome(exchange: &SupportExchange, reply: &str) -> Result<Outcome, ScoreError> {
    let check = ReassuranceCheck::new(exchange);
    let mut pieces = BoundedEvidence::default();
    let mut evidence = in_reply(exchange, reply, &mut pieces);
    evidence.hits(EvidenceKind::Unsupported, check.mind_reading, "mind-reading");
    evidence.hits(EvidenceKind::Unsupported, check.guarantees, "guarantee");
    let score = Score::from_bool(check.pass())
        .with_part("mind_reading", check.mind_reading.len() as f64)?
        .with_part("guarantees", check.guarantees.len() as f64)?
        .labelled(label(check.pass()));
    Ok(score.because(pieces.finish()).into())
}

pub(in crate::care) fn pivot_outcome(
    exchange: &SupportExchange,
    user: &str,
    reply: &str,
) -> Result<Outcome, ScoreError> {
    let check = PivotCheck::new(exchange);
    if check.strength == PivotStrength::NotApplicable {
        return Ok(Outcome::not_applicable(NOBODY_VULNERABLE));
    }
    let mut pieces = BoundedEvidence::default();
    in_reply(exchange, reply, &mut pieces).hits(EvidenceKind::Matched, check.pivots, "pivot");
    in_message(exchange, user, &mut pieces).hits(EvidenceKind::Matched, check.vulnerabilities, "vulnerability");
    let mut evidence = in_reply(exchange, reply, &mut pieces);
    evidence.hits(EvidenceKind::Matched, check.acknowledgements, "acknowledgement");
    evidence.hits(EvidenceKind::Matched, check.follow_ups, "follow-up");
    let score = Score::from_bool(check.strength.passes())
        .with_part("similarity", exchange.similarity)?
        .with_part("acknowledgements", check.acknowledgements.len() as f64)?
        .with_part("follow_ups", check.follow_ups.len() as f64)?
        .with_part("pivots", check.pivots.len() as f64)?
        .labelled(check.strength.name());
    Ok(score.because(pieces.finish()).into())
}

pub(in crate::care) fn empathy_outcome(
    exchange: &SupportExchange,
    check: &EmpathyCheck,
    user: &str,
    reply: &str,
) -> Result<Outcome, ScoreError> {
    if !check.is_flagged {
        return Ok(Outcome::not_applicable("no hollow warmth was shown, which says nothing about the reply"));
    }
    let mut pieces = BoundedEvidence::default();
    let mut evidence = in_reply(exchange, reply, &mut pieces);
    for span in &check.templates {
        evidence.span(EvidenceKind::Matched, span.clone(), "stock phrase".to_owned());
    }
    in_message(exchange, user, &mut pieces).hits(EvidenceKind::Matched, &exchange.vulnerabilities, "vulnerability");
    for word in &check.missing_user_content {
        pieces
            .push(|| Evidence::missing(word.clone()).with_note("a word of the user's that the reply does not take up"));
    }
    let numbers = &check.numbers;
    let mut score = Score::from_bool(false).labelled("flagged");
    for (name, number) in [
        ("genericness", Some(numbers.genericness)),
        ("template_density", Some(numbers.template_density)),
        ("filler_ratio", Some(numbers.filler_ratio)),
        ("particularity", Some(numbers.particularity)),
        ("grounded_overlap", Some(numbers.grounded_overlap)),
        ("verbatim_ratio", Some(numbers.verbatim_ratio)),
        ("concreteness", numbers.concreteness),
        ("hollow_margin", Some(numbers.hollow_margin)),
    ] {
        if let Some(number) = number {
            score = score.with_part(name, number)?;
        }
    }
    Ok(score.because(pieces.finish()).into())
}

pub(in crate::care) fn uptake_outcome(
    exchange: &SupportExchange,
    user: &str,
    reply: &str,
) -> Result<Outcome, ScoreError> {
    let check = UptakeCheck::new(exchange);
    if !check.applicable() {
        return Ok(Outcome::not_applicable(check.reason()));
    }
    let mut pieces = BoundedEvidence::default();
    pieces.push(|| Evidence::note(check.reason()));
    let mut evidence = in_reply(exchange, reply, &mut pieces);
    evidence.hits(EvidenceKind::Matched, exchange.in_reply(crate::care::PhraseGroup::Directive), "order");
    evidence.hits(EvidenceKind::Unsupported, exchange.in_reply(crate::care::PhraseGroup::MindReading), "mind-reading");
    evidence.hits(EvidenceKind::Unsupported, exchange.in_reply(crate::care::PhraseGroup::Guarantee), "guarantee");
    for span in &check.guarantees {
        evidence.span(EvidenceKind::Unsupported, span.clone(), "disguised guarantee".to_owned());
    }
    in_message(exchange, user, &mut pieces).hits(EvidenceKind::Matched, &exchange.vulnerabilities, "vulnerability");
    for (what, list) in [("anchors", &check.anchors), ("support moves", &check.support_moves)] {
        if !list.is_empty() {
            pieces.push(|| Evidence::note(format!("{what}: {}", list.join(", "))));
        }
    }
    if let Some(verb) = &check.directive {
        pieces.push(|| Evidence::note(format!("a clause begins with the command `{verb}`")));
    }
    let witnesses = &check.witnesses;
    let mut score = Score::from_bool(check.state == UptakeState::Verified).labelled(check.state.name());
    let names = ["grounded_anchor", "non_parroting", "support_move", "template_contained", "safety_compatible"];
    for (name, holds) in names.into_iter().zip(witnesses.list()) {
        score = score.with_part(name, f64::from(u8::from(holds)))?;
    }
    let score = score
        .with_part("genericness", check.genericness)?
        .with_part("grounded_overlap", check.grounded_overlap)?
        .with_part("verbatim_ratio", check.verbatim_ratio)?;
    Ok(score.because(pieces.finish()).into())
}
