//! The careful reading: what the reference profile misses or cannot tell.
//!
//! Response and context are both parsed. Claims of every finite verb are compared with the facts of the context, not with
//! bags of words: pronouns are led back to what they stand for, verbs and nouns may be replaced by what means the same,
//! an odd number of denials and opposites is a contradiction, and so are exchanged roles and another value of the same
//! sort. Numbers are converted and may be rounded where the response says so. Names that the context does not hold are
//! anchors of their own.

mod alignment;
mod amounts;
mod conversion;
mod facts;
mod judgement;
mod meaning;
mod names;
mod relations;
mod roles;
mod statements;

use std::collections::BTreeSet;

use probare_nlp::claims::ClaimOptions;
use probare_text::anchors::find_anchors;

use super::context::Context;
use super::examination::{claim_finding, sort};
use super::extraction;
use super::finding::Finding;
use super::trees::Trees;
use alignment::Alignment;
use amounts::Amounts;
use facts::Facts;
use judgement::Judge;

/// The findings of the careful profile, in the order of the response.
pub(super) fn findings(trees: &mut Trees, response: &str, chunks: &[&str]) -> Vec<Finding> {
    let document = trees.of(response);
    let anchors = find_anchors(response);
    let context = Context::new(chunks);
    let facts = Facts::new(&context, trees);
    let alignment = Alignment::new(&document, &context);
    let amounts = Amounts::new(response, &document, &anchors, &context, &alignment);
    let judge = Judge::new(&context, &facts);
    let mut findings = amounts.findings(&anchors);
    let subjects = roles::resolved_subjects(response, &document);
    let claims = extraction::extract(response, &document, &anchors, &ClaimOptions::careful());
    let with_claim: BTreeSet<usize> = claims.iter().map(|claim| claim.sentence).collect();
    let standings = judge.standings(response, &document, &claims, &subjects);
    findings.extend(claims.into_iter().zip(standings).map(|(claim, standing)| claim_finding(claim, standing)));
    let has_claim = |sentence: usize| with_claim.contains(&sentence);
    findings.extend(statements::findings(response, &document, has_claim, &alignment, &context));
    findings.extend(names::findings(response, &document, &anchors, &context));
    sort(&mut findings);
    findings
}
