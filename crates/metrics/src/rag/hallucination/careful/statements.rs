//! Sentences that hold no claim: held as a whole against the sentence of the context that speaks of the same.

use std::borrow::Cow;

use probare_nlp::{Document, Sentence, Token, Upos};

use super::super::context::{self, Context};
use super::super::examination::source_of;
use super::super::finding::{AnchorType, Finding, Standing};
use super::super::folding::words;
use super::super::verbs;
use super::alignment::{Alignment, is_content};
use super::meaning;

/// Share of the content words that the counterpart must hold.
const MOSTLY: f64 = 0.6;

/// Words that put a sentence with reserve.
pub(super) const RESERVE: [&str; 11] =
    ["could", "estimated", "likely", "may", "maybe", "might", "perhaps", "possibly", "probably", "seem", "seems"];

/// A finding for each sentence of which `has_claim` does not hold.
pub(super) fn findings(
    response: &str,
    document: &Document,
    has_claim: impl Fn(usize) -> bool,
    alignment: &Alignment,
    context: &Context<'_>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, sentence) in document.sentences.iter().enumerate() {
        if has_claim(index) || !is_statement(sentence) {
            continue;
        }
        let span = sentence.span();
        let Some(text) = response.get(span.clone()) else { continue };
        findings.push(Finding {
            kind: AnchorType::Claim,
            text: text.to_owned(),
            span: Some(span),
            components: None,
            is_negated: is_denied(sentence),
            standing: standing(sentence, index, alignment, context),
        });
    }
    findings
}

/// A sentence with a noun and a verb, without reserve and without a question mark.
fn is_statement(sentence: &Sentence) -> bool {
    let has = |wanted: &dyn Fn(&Token) -> bool| sentence.tokens.iter().any(wanted);
    has(&|token| matches!(token.upos, Upos::Verb | Upos::Aux))
        && has(&|token| matches!(token.upos, Upos::Noun | Upos::Propn))
        && !has(&|token| token.form == "?" || RESERVE.contains(&token.form.to_lowercase().as_str()))
}

fn is_denied(sentence: &Sentence) -> bool {
    sentence.tokens.iter().any(|token| {
        let lower = token.form.to_lowercase();
        context::is_negator(&lower) || matches!(lower.as_str(), "n't" | "n’t")
    })
}

fn standing(sentence: &Sentence, index: usize, alignment: &Alignment, context: &Context<'_>) -> Standing {
    let nothing = || Standing::Unsupported { reason: Cow::Borrowed("no sentence of the context says so") };
    let Some(&counterpart) = alignment.of(index).and_then(|found| found.sentences.first()) else { return nothing() };
    let source = || source_of(context, counterpart);
    let found = words(context.text_of(&context.sentences[counterpart]));
    let had: Vec<&str> = found.iter().map(|word| word.folded.as_str()).collect();
    let (mut all, mut held, mut opposites) = (0_u32, 0_u32, 0_u32);
    // From the first to the last word that has a counterpart.
    let mut stretch = had.len()..0;
    for token in sentence.tokens.iter().filter(|token| is_content(token)) {
        let (lemma, lower) = (token.lemma.to_lowercase(), token.form.to_lowercase());
        all += 1;
        // Most words are there as they are; a dictionary need not be asked about them.
        let same = had.iter().position(|word| *word == lemma || *word == lower);
        let alike = same.or_else(|| had.iter().position(|word| is_alike(token, &lemma, word)));
        let place = alike.or_else(|| had.iter().position(|word| is_against(token, &lemma, &lower, word)));
        if let Some(place) = place {
            held += 1;
            opposites += u32::from(alike.is_none());
            stretch = stretch.start.min(place)..stretch.end.max(place + 1);
        }
    }
    if all == 0 || f64::from(held) < MOSTLY * f64::from(all) {
        return nothing();
    }
    if had.iter().any(|word| RESERVE.contains(word)) {
        return Standing::Unsupported { reason: Cow::Borrowed("the context says so with reserve only") };
    }
    // A denial further off, as in "but not inside", is about something else.
    let near = found.get(stretch.start.saturating_sub(1)..stretch.end).unwrap_or_default();
    let denies = near.iter().any(|word| context::is_negator(&word.lower));
    let turns = opposites + u32::from(is_denied(sentence) != denies);
    if turns % 2 == 1 {
        let reason = if opposites > 0 { "the context has the opposite" } else { "one denies what the other states" };
        return Standing::Contradicted { reason: Cow::Borrowed(reason), source: source() };
    }
    if held < all && is_verb_missing(sentence, &had) {
        nothing()
    } else {
        Standing::Supported { source: source(), note: None }
    }
}

/// Whether the main verb has no counterpart, so that what is said differs even where it is said of the same.
fn is_verb_missing(sentence: &Sentence, had: &[&str]) -> bool {
    sentence.root().is_some_and(|root| {
        let token = &sentence.tokens[root];
        token.upos == Upos::Verb && !had.iter().any(|word| is_alike(token, &token.lemma, word))
    })
}

/// Whether a word of the context means the same as one of the response.
fn is_alike(token: &Token, lemma: &str, word: &str) -> bool {
    match token.upos {
        Upos::Verb => verbs::bases(word).iter().any(|base| meaning::is_paraphrase(lemma, base)),
        Upos::Noun | Upos::Adj => meaning::is_synonym(lemma, word),
        _ => false,
    }
}

fn is_against(token: &Token, lemma: &str, lower: &str, word: &str) -> bool {
    match token.upos {
        Upos::Verb => verbs::bases(word).iter().any(|base| meaning::is_opposite_verb(lemma, base)),
        _ => meaning::is_opposite_word(lower, word),
    }
}
