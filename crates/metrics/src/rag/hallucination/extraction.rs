//! The claims of a response, with amounts and dates as wide as the anchors of the text have them.

use std::ops::Range;

use probare_english::ParsedText;
use probare_english::claims::{ClaimComponent as Found, ClaimOptions, claims};
use probare_text::anchors::Anchor;

use super::claim_support::ClaimStatement;
use super::component::ClaimComponent;
use super::verbs::VerbClass;

/// A claim of the response.
#[derive(Debug, Clone)]
pub(crate) struct ExtractedClaim {
    pub statement: ClaimStatement,
    /// Subject, verb, object.
    pub components: [String; 3],
    /// From the first word of the three to the last.
    pub span: Range<usize>,
}

impl ExtractedClaim {
    /// Subject, verb and object in one line.
    pub fn text(&self) -> String {
        self.components.join(" ")
    }
}

/// The claims of a parsed response, each once, in the order of their verbs.
pub(crate) fn extract_claims(
    response: &str,
    document: &ParsedText,
    anchors: &[Anchor],
    options: &ClaimOptions,
) -> Vec<ExtractedClaim> {
    let mut extracted: Vec<ExtractedClaim> = Vec::new();
    for claim in claims(document, options) {
        probare_cancellation::count_steps(1);
        let widened = |component: &Found| widen(response, document, claim.sentence, anchors, component);
        let (subject, subject_span) = widened(&claim.subject);
        let (object, object_span) = widened(&claim.object);
        let spans = [&subject_span, &claim.verb.span, &object_span];
        let span = spans.iter().map(|span| span.start).min().unwrap_or(0)
            ..spans.iter().map(|span| span.end).max().unwrap_or(0);
        let components = [subject.text.clone(), claim.verb.text.clone(), object.text.clone()];
        let is_known = extracted.last().is_some_and(|last| last.span == span && last.components == components);
        if is_known {
            continue;
        }
        let verb = VerbClass::of_lemma(&claim.lemma);
        let statement = ClaimStatement { subject, verb, object, is_negated: claim.negated };
        extracted.push(ExtractedClaim { statement, components, span });
    }
    extracted
}

/// The component as an amount, if its head belongs to a number or date of the response, or by its words.
pub(crate) fn widen(
    response: &str,
    document: &ParsedText,
    sentence: usize,
    anchors: &[Anchor],
    found: &Found,
) -> (ClaimComponent, Range<usize>) {
    let head = document.sentences.get(sentence).and_then(|sentence| sentence.tokens.get(found.head));
    if let Some(head) = head {
        let at = anchors.partition_point(|anchor| anchor.span.end <= head.span.start);
        if let Some(anchor) = anchors.get(at).filter(|anchor| anchor.span.start < head.span.end) {
            return (ClaimComponent::amount(anchor.text(response)), anchor.span.clone());
        }
        // "two Nobel Prizes": the number counts, the name follows.
        let counted = at.checked_sub(1).and_then(|before| anchors.get(before));
        if let Some(counted) = counted.filter(|anchor| found.span.contains(&anchor.span.start)) {
            let rest = response.get(counted.span.end..found.span.end).unwrap_or_default();
            let start = found.span.end - rest.trim_start().len();
            return (ClaimComponent::words(rest.trim_start()), start..found.span.end);
        }
    }
    (ClaimComponent::words(&found.text), found.span.clone())
}
