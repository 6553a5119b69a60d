//! Names in a sentence of the response that the context does not hold.

use std::borrow::Cow;
use std::cell::LazyCell;

use probare_english::text_analysis::TextAnalysis;
use rustc_hash::FxHashSet;

use super::super::finding::{AnchorFinding, AnchorType, SupportVerdict};
use super::sources::ContextIndex;
use super::support::SentenceSupport;

/// A finding for each name, a run of words with a capital.
pub(super) fn name_findings(
    response: &str,
    analysis: &TextAnalysis,
    support: &SentenceSupport,
    sources: &ContextIndex,
) -> Vec<AnchorFinding> {
    let mut findings = Vec::new();
    let mut at = 0;
    // The same for all names of the sentence.
    let is_known_otherwise =
        LazyCell::new(|| support.nearest.is_some_and(|nearest| has_other_name(analysis, support, sources, nearest)));
    while let Some(&(first, mut is_known)) = support.names.get(at) {
        let mut last = first;
        at += 1;
        while let Some(&(token, is_part_known)) = support.names.get(at) {
            if token > last + 1 {
                break;
            }
            is_known &= is_part_known;
            last = token;
            at += 1;
        }
        let span = analysis.original_span(first, last);
        let verdict = match support.nearest.filter(|_| is_known) {
            Some(nearest) => SupportVerdict::Supported { source: sources.source_of(nearest), note: None },
            None => match support.nearest.filter(|_| *is_known_otherwise) {
                Some(nearest) => SupportVerdict::Contradicted {
                    reason: Cow::Borrowed("the context has another name there"),
                    source: sources.source_of(nearest),
                },
                None => SupportVerdict::Unsupported { reason: Cow::Borrowed("the context does not hold this name") },
            },
        };
        findings.push(AnchorFinding {
            kind: AnchorType::Name,
            text: response.get(span.clone()).unwrap_or_default().to_owned(),
            span: Some(span),
            components: None,
            is_negated: false,
            verdict,
            nearest: None,
        });
    }
    findings
}

/// Whether a sentence of the context has all other words of this one and a name that it has not.
fn has_other_name(analysis: &TextAnalysis, support: &SentenceSupport, sources: &ContextIndex, nearest: usize) -> bool {
    let (there, sentence) = sources.sentence(nearest);
    let from = analysis.tokens.partition_point(|token| token.origin.start < support.span.start);
    let words = analysis.tokens[from..].iter().take_while(|token| token.origin.start < support.span.end);
    let words: FxHashSet<&str> = words.map(|token| &analysis.text[token.at.clone()]).collect();
    let is_name = |token: &usize| support.names.binary_search_by_key(token, |(name, _)| *name).is_ok();
    support.missing.iter().all(is_name)
        && sentence
            .tokens
            .clone()
            .any(|token| there.is_capital_inside(sentence, token) && !words.contains(there.word(token)))
}
