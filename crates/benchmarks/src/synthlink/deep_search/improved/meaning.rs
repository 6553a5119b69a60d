//! Content words, and when two of them mean the same.

use std::ops::Range;

use probare_english::{ParsedText, ParsedToken, Upos};
use probare_text::tokens::synthlink;
use probare_text::wordnet::WordNet;
use rustc_hash::FxHashMap;

/// Bytes of a text that are parsed.
pub const LONGEST: usize = 20_000;

/// Words that bind or weigh others and carry little content of their own, beyond the published stop words.
const LIGHT_WORDS: [&str; 24] = [
    "about", "also", "become", "do", "get", "give", "go", "have", "later", "let", "make", "many", "more", "most",
    "much", "now", "only", "other", "same", "so", "then", "there", "very", "when",
];

/// A word that carries content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentWord {
    /// Dictionary form, in small letters.
    pub lemma: String,
    /// Stem of the form as written, after the published definition: two words with the same stem are the same word,
    /// whatever the tagger made of them.
    pub stem: String,
    /// Bytes of the text.
    pub span: Range<usize>,
    /// Whether it is part of a name.
    pub is_name: bool,
}

/// The content words among tokens: nouns, names, verbs, adjectives, numbers, most adverbs; no stop words.
pub fn content_words<'t>(tokens: impl IntoIterator<Item = &'t ParsedToken>) -> Vec<ContentWord> {
    tokens.into_iter().filter_map(content_word).collect()
}

fn content_word(token: &ParsedToken) -> Option<ContentWord> {
    let carries =
        matches!(token.upos, Upos::Noun | Upos::Propn | Upos::Verb | Upos::Adj | Upos::Num | Upos::Adv | Upos::X);
    let tokens = synthlink::tokens(&token.form);
    let first = tokens.texts().next()?;
    let lemma = token.lemma.to_lowercase();
    let is_light = LIGHT_WORDS.contains(&lemma.as_str()) || LIGHT_WORDS.contains(&first);
    if !carries || is_light || tokens.texts().all(synthlink::is_stop_word) {
        return None;
    }
    Some(ContentWord {
        lemma,
        stem: synthlink::stem(first).into_owned(),
        span: token.span.clone(),
        is_name: token.upos == Upos::Propn,
    })
}

/// The content words of a document.
pub fn all_content_words(document: &ParsedText) -> Vec<ContentWord> {
    content_words(document.tokens())
}

/// Decides whether words mean the same, and remembers what WordNet said.
#[derive(Debug, Default)]
pub struct MeaningCache {
    /// Lemma to the words that may stand for it: synonyms and the family it derives.
    related: FxHashMap<String, Vec<String>>,
}

impl MeaningCache {
    /// The same stem or lemma, a synonym, or a word of the same family (`invention`, `invent`).
    pub fn means_same(&mut self, left: &ContentWord, right: &ContentWord) -> bool {
        if left.stem == right.stem || left.lemma == right.lemma {
            return true;
        }
        // A name is a name: other words for `Turkey` are other things.
        !left.is_name && !right.is_name && self.related_words(&left.lemma).contains(&right.lemma)
    }

    /// Whether the words are opposites.
    pub fn are_opposites(left: &ContentWord, right: &ContentWord) -> bool {
        !left.is_name && !right.is_name && WordNet::embedded().is_antonym(&left.lemma, &right.lemma)
    }

    fn related_words(&mut self, lemma: &str) -> &[String] {
        self.related.entry(lemma.to_owned()).or_insert_with(|| {
            let net = WordNet::embedded();
            let words = net.derived_words(lemma).into_iter().chain(net.synonyms(lemma));
            words.map(|word| word.to_lowercase()).collect()
        })
    }
}

/// The beginning of a text that is looked at.
pub(super) fn truncate_text(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}
