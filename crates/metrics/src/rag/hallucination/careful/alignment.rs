//! Which sentence of the context speaks of the same as a sentence of the response, by content words.

use std::collections::BTreeSet;

use probare_nlp::{Document, Token, Upos};
use probare_text::stopwords;
use rustc_hash::FxHashMap;

use super::super::context::Context;
use super::super::folding::words;

/// For each sentence of a response the sentences of the context that share most of its content words.
#[derive(Debug)]
pub(super) struct Alignment {
    counterparts: Vec<Counterparts>,
}

/// The best counterparts of a sentence.
#[derive(Debug, Clone, Default)]
pub(super) struct Counterparts {
    /// Share of the content words that the best of them hold.
    pub coverage: f64,
    /// The best ones, in order.
    pub sentences: Vec<usize>,
}

/// More equally good counterparts say nothing.
const MOST: usize = 8;

impl Alignment {
    /// Aligns all sentences.
    pub fn new(document: &Document, context: &Context<'_>) -> Self {
        // The same sentence again has the same counterparts.
        let mut known: FxHashMap<BTreeSet<String>, Counterparts> = FxHashMap::default();
        let counterparts = document
            .sentences
            .iter()
            .map(|sentence| {
                let content: BTreeSet<String> = sentence
                    .tokens
                    .iter()
                    .filter(|token| is_content(token))
                    .flat_map(|token| words(&token.form))
                    .map(|word| word.folded)
                    .collect();
                if let Some(found) = known.get(&content) {
                    found.clone()
                } else {
                    let found = counterparts(&content, context);
                    known.insert(content, found.clone());
                    found
                }
            })
            .collect();
        Self { counterparts }
    }

    /// The counterparts of a sentence of the response.
    pub fn of(&self, sentence: usize) -> Option<&Counterparts> {
        self.counterparts.get(sentence)
    }
}

/// Whether a word says what a sentence is about.
pub(super) fn is_content(token: &Token) -> bool {
    matches!(token.upos, Upos::Noun | Upos::Propn | Upos::Verb | Upos::Adj | Upos::Adv)
        && !token.form.bytes().any(|byte| byte.is_ascii_digit())
        && !stopwords::nltk().contains(&token.form.to_lowercase())
}

fn counterparts(content: &BTreeSet<String>, context: &Context<'_>) -> Counterparts {
    let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
    for word in content {
        for &sentence in context.sentences_with(word) {
            *counts.entry(sentence).or_default() += 1;
        }
    }
    let Some(&most) = counts.values().max() else { return Counterparts::default() };
    let mut sentences: Vec<usize> =
        counts.into_iter().filter(|(_, count)| *count == most).map(|(sentence, _)| sentence).collect();
    sentences.sort_unstable();
    sentences.truncate(MOST);
    Counterparts { coverage: most as f64 / content.len().max(1) as f64, sentences }
}
