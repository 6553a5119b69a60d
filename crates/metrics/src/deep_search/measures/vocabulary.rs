//! [`Vocabulary`]: words as numbers, so that measures compare and count without touching text again.

use std::ops::Range;

use probare_text::python;
use probare_text::tokens::{Tokens, synthlink};
use rustc_hash::FxHashMap;

/// The number of a word in its [`Vocabulary`].
pub type WordId = u32;

/// The words that were read so far, with what the measures ask about each.
///
/// One vocabulary serves many texts: whatever it has read once it finds again without a new entry.
#[derive(Debug, Default)]
pub struct Vocabulary {
    places: FxHashMap<Box<str>, WordId>,
    words: Vec<Word>,
    /// Room for the lower-cased text.
    lowered: String,
    /// What the measure at work has noted about each word.
    pub(super) marks: Marks,
}

#[derive(Debug)]
struct Word {
    text: Box<str>,
    stem: WordId,
    is_stop: bool,
    has_digit: bool,
}

/// The tokens of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    /// Their numbers, in order.
    pub ids: Vec<WordId>,
    /// The bytes of the text that each came from.
    pub spans: Vec<Range<usize>>,
}

impl Words {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

impl Vocabulary {
    /// The tokens of a text.
    pub fn read(&mut self, text: &str) -> Words {
        let mut words = Words::default();
        self.read_into(text, &mut words);
        words
    }

    /// The tokens of a text, in room that was used before.
    pub fn read_into(&mut self, text: &str, words: &mut Words) {
        words.ids.clear();
        words.spans.clear();
        let mut lowered = std::mem::take(&mut self.lowered);
        synthlink::visit(text, &mut lowered, |token, span| {
            words.ids.push(self.word(token));
            words.spans.push(span);
        });
        self.lowered = lowered;
    }

    /// Tokens that were made already.
    pub fn take(&mut self, tokens: &Tokens) -> Words {
        let ids = tokens.texts().map(|token| self.word(token)).collect();
        Words { ids, spans: tokens.iter().map(|token| token.span).collect() }
    }

    /// The number of a token.
    fn word(&mut self, token: &str) -> WordId {
        if let Some(place) = self.places.get(token) {
            return *place;
        }
        let id = self.add(token);
        let stem = synthlink::stem(token);
        if *stem != *token {
            // The stem of a stem is itself, so this goes one step deep.
            self.words[id as usize].stem = self.word(&stem);
        }
        id
    }

    fn add(&mut self, token: &str) -> WordId {
        let id = WordId::try_from(self.words.len()).expect("texts in memory have fewer than 2^32 words");
        self.places.insert(token.into(), id);
        self.words.push(Word {
            text: token.into(),
            stem: id,
            is_stop: synthlink::is_stop_word(token),
            has_digit: token.chars().any(python::is_digit),
        });
        self.marks.grow(self.words.len());
        id
    }

    /// The text of a word.
    pub fn text(&self, id: WordId) -> &str {
        &self.words[id as usize].text
    }

    /// The word without its plural ending.
    pub fn stem(&self, id: WordId) -> WordId {
        self.words[id as usize].stem
    }

    /// Whether it says nothing about the content.
    pub fn is_stop_word(&self, id: WordId) -> bool {
        self.words[id as usize].is_stop
    }

    /// Whether it holds a digit.
    pub fn has_digit(&self, id: WordId) -> bool {
        self.words[id as usize].has_digit
    }
}

/// A note on each word that one measure can make and the next forgets: a note counts only with the number of its round.
#[derive(Debug, Default)]
pub(super) struct Marks {
    notes: Vec<(u64, u32)>,
    round: u64,
}

impl Marks {
    fn grow(&mut self, words: usize) {
        self.notes.resize(words, (0, 0));
    }

    /// Forgets all notes.
    pub fn begin(&mut self) {
        self.round += 1;
    }

    /// The note on a word, if there is one.
    pub fn get(&self, word: WordId) -> Option<u32> {
        let (round, note) = self.notes[word as usize];
        (round == self.round).then_some(note)
    }

    /// Notes something on a word.
    pub fn set(&mut self, word: WordId, note: u32) {
        self.notes[word as usize] = (self.round, note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_one_number_and_its_stem_another() {
        let mut vocabulary = Vocabulary::default();
        let words = vocabulary.read("Cities and the city’s 8-hour days");
        let texts: Vec<&str> = words.ids.iter().map(|id| vocabulary.text(*id)).collect();
        assert_eq!(texts, ["cities", "and", "the", "city", "8", "hour", "days"]);
        assert_eq!(vocabulary.stem(words.ids[0]), words.ids[3]);
        assert!(vocabulary.is_stop_word(words.ids[1]) && vocabulary.has_digit(words.ids[4]));
        assert_eq!(vocabulary.read("city").ids, [words.ids[3]]);
    }

    #[test]
    fn notes_are_forgotten_with_the_round() {
        let mut vocabulary = Vocabulary::default();
        let word = vocabulary.read("press").ids[0];
        vocabulary.marks.begin();
        assert_eq!(vocabulary.marks.get(word), None);
        vocabulary.marks.set(word, 7);
        assert_eq!(vocabulary.marks.get(word), Some(7));
        vocabulary.marks.begin();
        assert_eq!(vocabulary.marks.get(word), None);
    }
}
