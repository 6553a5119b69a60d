//! Names in a response that the context does not hold.

use std::borrow::Cow;
use std::ops::Range;

use probare_nlp::{Document, Sentence, Token, Upos};
use probare_text::anchors::Anchor;
use probare_text::wordnet::WordNet;
use rustc_hash::FxHashSet;

use super::super::component::Component;
use super::super::context::Context;
use super::super::examination::source_of;
use super::super::finding::{AnchorType, Finding, Standing};
use super::facts::words;

/// A finding for each distinct name.
pub(super) fn findings(response: &str, document: &Document, anchors: &[Anchor], context: &Context<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut known = FxHashSet::default();
    for sentence in &document.sentences {
        for range in names(sentence) {
            let span = sentence.tokens[range.start].span.start..sentence.tokens[range.end - 1].span.end;
            let Some(text) = response.get(span.clone()) else { continue };
            let next = anchors.partition_point(|anchor| anchor.span.end <= span.start);
            let is_anchor = anchors.get(next).is_some_and(|anchor| anchor.span.start < span.end);
            if is_anchor || is_common_word(sentence, &range) || !known.insert(text) {
                continue;
            }
            findings.push(Finding {
                kind: AnchorType::Name,
                text: text.to_owned(),
                span: Some(span),
                components: None,
                is_negated: false,
                standing: standing(text, context),
            });
        }
    }
    findings
}

/// Runs of proper nouns.
fn names(sentence: &Sentence) -> Vec<Range<usize>> {
    let is_name =
        |token: &Token| token.upos == Upos::Propn && token.form.chars().next().is_some_and(char::is_uppercase);
    let mut names: Vec<Range<usize>> = Vec::new();
    for (index, _) in sentence.tokens.iter().enumerate().filter(|(_, token)| is_name(token)) {
        match names.last_mut() {
            Some(last) if last.end == index => last.end = index + 1,
            _ => names.push(index..index + 1),
        }
    }
    names
}

/// At the start of a sentence every word has a capital; one that a dictionary knows is no name there.
fn is_common_word(sentence: &Sentence, range: &Range<usize>) -> bool {
    let opens = range.start == 0 && range.len() == 1;
    opens && !WordNet::embedded().parts_of_speech(&sentence.tokens[range.start].form).is_empty()
}

fn standing(text: &str, context: &Context<'_>) -> Standing {
    let component = Component::words(text);
    let whole = context.seek(&component).and_then(|sought| {
        context
            .candidates(&sought)
            .into_iter()
            .find(|&index| !context.occurrences(&sought, &context.sentences[index]).is_empty())
    });
    // A first name may be missing; the family name is what a reader goes by.
    let family_name = || words(&component).last().and_then(|last| context.sentences_with(last).first().copied());
    let whole_or_all = whole.or_else(|| {
        let all_known = words(&component).iter().all(|word| !context.sentences_with(word).is_empty());
        if all_known { family_name() } else { None }
    });
    match whole_or_all {
        Some(sentence) => Standing::Supported { source: source_of(context, sentence), note: None },
        None => Standing::Unsupported { reason: Cow::Borrowed("the context does not hold this name") },
    }
}
