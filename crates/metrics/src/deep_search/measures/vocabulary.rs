//! [`Vocabulary`]: words as numbers, so that measures compare and count without touching text again.

use std::hint::select_unpredictable;
use std::ops::Range;

use probare_text::python;
use probare_text::tokens::synthlink::{Packed, Room};
use probare_text::tokens::{Tokens, synthlink};
use rustc_hash::FxHashMap;

use super::packed_map::PackedMap;

/// The number of a word in its [`Vocabulary`].
pub type WordId = u32;

/// The words that were read so far, with what the measures ask about each.
///
/// One vocabulary serves many texts: whatever it has read once it finds again without a new entry.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// Words of a few bytes, which most are, by the number they pack into.
    short: PackedMap,
    long: FxHashMap<Box<str>, WordId>,
    words: Vec<Word>,
    texts: Vec<Box<str>>,
    /// Lent out while a text is read.
    room: Option<Box<Room>>,
    /// What the measure at work has noted about each word.
    pub(super) marks: Marks,
}

/// Verbs that tell the solver what to do and say nothing about the content.
const INSTRUCTIONS: [&str; 9] =
    ["confirm", "research", "link", "synthesize", "understand", "identify", "analyze", "define", "trace"];

/// What is known about a word besides its text.
#[derive(Debug, Clone, Copy)]
struct Word {
    stem: WordId,
    is_stop: bool,
    has_digit: bool,
    is_instruction: bool,
}

/// The tokens of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    /// Their numbers, in order.
    pub ids: Vec<WordId>,
    /// The bytes of the text that each came from.
    pub spans: Vec<Range<usize>>,
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
        self.visit(text, |_, id, span| {
            words.ids.push(id);
            words.spans.push(span);
        });
    }

    /// Adds the numbers of the tokens of a text to `ids`.
    pub fn read_ids(&mut self, text: &str, ids: &mut Vec<WordId>) {
        self.visit(text, |_, id, _| ids.push(id));
    }

    /// Calls `take` with every token of a text and the bytes it came from, in order.
    pub(super) fn visit(&mut self, text: &str, mut take: impl FnMut(&mut Self, WordId, Range<usize>)) {
        let mut room = self.room.take().unwrap_or_default();
        room.for_each(text, |token| {
            let id = match token.packed.and_then(|packed| self.short.get(packed)) {
                Some(id) => id,
                None => self.number(token.text()),
            };
            take(self, id, token.span());
        });
        self.room = Some(room);
    }

    /// Tokens that were made already.
    pub fn take(&mut self, tokens: &Tokens) -> Words {
        let ids = tokens.texts().map(|token| self.number(token)).collect();
        Words { ids, spans: tokens.iter().map(|token| token.span).collect() }
    }

    /// The number of a token.
    #[cold]
    fn number(&mut self, token: &str) -> WordId {
        let known = match Packed::new(token.as_bytes()) {
            Some(packed) => self.short.get(packed),
            None => self.long.get(token).copied(),
        };
        known.unwrap_or_else(|| self.add(token))
    }

    /// Takes in a token that is not known.
    fn add(&mut self, token: &str) -> WordId {
        let id = WordId::try_from(self.words.len()).expect("texts in memory have fewer than 2^32 words");
        match Packed::new(token.as_bytes()) {
            Some(packed) => self.short.insert(packed, id),
            None => drop(self.long.insert(token.into(), id)),
        }
        self.texts.push(token.into());
        self.words.push(Word {
            stem: id,
            is_stop: synthlink::is_stop_word(token),
            has_digit: token.chars().any(python::is_digit),
            is_instruction: INSTRUCTIONS.contains(&token),
        });
        self.marks.grow(self.words.len());
        let stem = synthlink::stem(token);
        if *stem != *token {
            // The stem of a stem is itself, so this goes one step deep.
            self.words[id as usize].stem = self.number(&stem);
        }
        id
    }

    /// The text of a word.
    pub fn text(&self, id: WordId) -> &str {
        &self.texts[id as usize]
    }

    /// The word without its plural ending.
    #[inline]
    pub fn stem(&self, id: WordId) -> WordId {
        self.words[id as usize].stem
    }

    /// Whether it says nothing about the content.
    #[inline]
    pub fn is_stop_word(&self, id: WordId) -> bool {
        self.words[id as usize].is_stop
    }

    /// Whether it tells the solver what to do.
    #[inline]
    pub fn is_instruction(&self, id: WordId) -> bool {
        self.words[id as usize].is_instruction
    }

    /// Whether it holds a digit.
    #[inline]
    pub fn has_digit(&self, id: WordId) -> bool {
        self.words[id as usize].has_digit
    }
}

/// A note on each word that one measure can make and the next forgets: a note counts only with the number of its round.
#[derive(Debug, Default)]
pub(super) struct Marks {
    notes: Vec<(u32, u32)>,
    round: u32,
}

impl Marks {
    fn grow(&mut self, words: usize) {
        self.notes.resize(words, (0, 0));
    }

    /// Forgets all notes.
    #[inline]
    pub fn begin(&mut self) {
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.notes.fill((0, 0));
            1
        });
    }

    /// Whether there is a note on a word.
    #[inline]
    pub fn has(&self, word: WordId) -> bool {
        self.notes[word as usize].0 == self.round
    }

    /// The note on a word; zero without one.
    #[inline]
    pub fn get(&self, word: WordId) -> u32 {
        let (round, note) = self.notes[word as usize];
        select_unpredictable(round == self.round, note, 0)
    }

    /// Notes something on a word.
    #[inline]
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
        assert_eq!((vocabulary.marks.has(word), vocabulary.marks.get(word)), (false, 0));
        vocabulary.marks.set(word, 7);
        assert_eq!((vocabulary.marks.has(word), vocabulary.marks.get(word)), (true, 7));
        vocabulary.marks.begin();
        assert_eq!((vocabulary.marks.has(word), vocabulary.marks.get(word)), (false, 0));
        vocabulary.marks.round = u32::MAX;
        vocabulary.marks.set(word, 7);
        vocabulary.marks.begin();
        assert_eq!((vocabulary.marks.has(word), vocabulary.marks.round), (false, 1));
    }
}
