//! [`WordInterner`]: words as numbers, so that measures compare and count without touching text again.

use std::hint::select_unpredictable;
use std::ops::Range;

use probare_text::python;
use probare_text::tokens::{Tokens, synthlink};
use rustc_hash::FxHashMap;

/// The number of a word in its [`WordInterner`].
pub type WordId = u32;

/// The words that were read so far, with what the measures ask about each.
///
/// One vocabulary serves many texts: whatever it has read once it finds again without a new entry.
#[derive(Debug, Default)]
pub struct WordInterner {
    numbers: FxHashMap<Box<str>, WordId>,
    words: Vec<WordFacts>,
    texts: Vec<Box<str>>,
    /// What the measure at work has noted about each word.
    pub(super) marks: WordMarks,
}

/// Verbs that tell the solver what to do and say nothing about the content.
const INSTRUCTIONS: [&str; 9] =
    ["confirm", "research", "link", "synthesize", "understand", "identify", "analyze", "define", "trace"];

/// What is known about a word besides its text.
#[derive(Debug, Clone, Copy)]
struct WordFacts {
    stem: WordId,
    is_stop: bool,
    has_digit: bool,
    is_instruction: bool,
}

/// The tokens of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordSequence {
    /// Their numbers, in order.
    pub ids: Vec<WordId>,
    /// The bytes of the text that each came from.
    pub spans: Vec<Range<usize>>,
}

impl WordInterner {
    /// The tokens of a text.
    pub fn read(&mut self, text: &str) -> WordSequence {
        let mut words = WordSequence::default();
        self.read_into(text, &mut words);
        words
    }

    /// The tokens of a text, in room that was used before.
    pub fn read_into(&mut self, text: &str, words: &mut WordSequence) {
        words.ids.clear();
        words.spans.clear();
        self.read_placed(text, &mut words.ids, |_, start, end| words.spans.push(start..end));
    }

    /// Adds the numbers of the tokens of a text to `ids`.
    pub fn read_ids(&mut self, text: &str, ids: &mut Vec<WordId>) {
        self.read_placed(text, ids, |_, _, _| ());
    }

    /// Adds the numbers of the tokens of a text to `ids`, and calls `place` with the index of each in the text, and the start
    /// and the end of what it came from.
    #[inline]
    pub(super) fn read_placed(
        &mut self,
        text: &str,
        ids: &mut Vec<WordId>,
        mut place: impl FnMut(usize, usize, usize),
    ) {
        let first = ids.len();
        synthlink::for_each_token(text, |token, span| {
            place(ids.len() - first, span.start, span.end);
            ids.push(self.number(token));
        });
    }

    /// How many words it knows.
    pub const fn size(&self) -> usize {
        self.words.len()
    }

    /// Tokens that were made already.
    pub fn intern_tokens(&mut self, tokens: &Tokens) -> WordSequence {
        let ids = tokens.texts().map(|token| self.number(token)).collect();
        WordSequence { ids, spans: tokens.iter().map(|token| token.span).collect() }
    }

    /// The number of a token.
    fn number(&mut self, token: &str) -> WordId {
        self.numbers.get(token).copied().unwrap_or_else(|| self.add(token))
    }

    /// Takes in a token that is not known.
    fn add(&mut self, token: &str) -> WordId {
        let id = WordId::try_from(self.words.len()).expect("texts in memory have fewer than 2^32 words");
        self.numbers.insert(token.into(), id);
        self.texts.push(token.into());
        self.words.push(WordFacts {
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

    /// Notes on the stem of each word where it stands first, and nothing on other words.
    pub(super) fn mark_stems(&mut self, ids: &[WordId]) {
        self.marks.begin();
        let (words, notes, round) = (self.words.as_slice(), self.marks.notes.as_mut_slice(), self.marks.round);
        // From the back, so that the first place of a word is the one that stays.
        let mut note = round + ids.len() as u64;
        for id in ids.iter().rev() {
            note -= 1;
            notes[words[*id as usize].stem as usize] = note;
        }
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

/// A note on each word that one measure can make and the next forgets.
#[derive(Debug, Default)]
pub(super) struct WordMarks {
    /// The number of a round in the upper half, and the note of that round in the lower half.
    notes: Vec<u64>,
    /// The round with an empty note. Notes of earlier rounds are smaller.
    round: u64,
}

impl WordMarks {
    const NEXT: u64 = 1 << u32::BITS;

    fn grow(&mut self, words: usize) {
        self.notes.resize(words, 0);
    }

    /// Forgets all notes.
    #[inline]
    pub fn begin(&mut self) {
        self.round = self.round.checked_add(Self::NEXT).unwrap_or_else(|| {
            self.notes.fill(0);
            Self::NEXT
        });
    }

    /// Whether there is a note on a word.
    #[inline]
    pub fn has(&self, word: WordId) -> bool {
        self.notes[word as usize] >= self.round
    }

    /// The note on a word; zero without one.
    #[inline]
    pub fn get(&self, word: WordId) -> u32 {
        // The difference is a note.
        u32::try_from(self.notes[word as usize].saturating_sub(self.round)).unwrap_or(u32::MAX)
    }

    /// Notes something on a word.
    #[inline]
    pub fn set(&mut self, word: WordId, note: u32) {
        self.notes[word as usize] = self.round | u64::from(note);
    }

    /// Notes a word `if_wanted`, and tells whether it was wanted and had no note.
    #[inline]
    pub fn add(&mut self, word: WordId, if_wanted: bool) -> bool {
        let note = &mut self.notes[word as usize];
        let is_new = if_wanted && *note < self.round;
        *note = select_unpredictable(is_new, self.round, *note);
        is_new
    }

    /// Notes one more on a word. No text has as many words as a note can count.
    #[inline]
    pub fn count(&mut self, word: WordId) {
        let note = &mut self.notes[word as usize];
        *note = self.round.max(*note) + 1;
    }

    /// Notes one less on a word, and tells whether there was one.
    #[inline]
    pub fn take(&mut self, word: WordId) -> bool {
        let note = &mut self.notes[word as usize];
        let is_there = *note > self.round;
        *note -= u64::from(is_there);
        is_there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_one_number_and_its_stem_another() {
        let mut vocabulary = WordInterner::default();
        let words = vocabulary.read("Cities and the city’s 8-hour days");
        let texts: Vec<&str> = words.ids.iter().map(|id| vocabulary.text(*id)).collect();
        assert_eq!(texts, ["cities", "and", "the", "city", "8", "hour", "days"]);
        assert_eq!(vocabulary.stem(words.ids[0]), words.ids[3]);
        assert!(vocabulary.is_stop_word(words.ids[1]) && vocabulary.has_digit(words.ids[4]));
        assert_eq!(vocabulary.read("city").ids, [words.ids[3]]);
    }

    #[test]
    fn notes_are_forgotten_with_the_round() {
        let mut vocabulary = WordInterner::default();
        let word = vocabulary.read("press").ids[0];
        vocabulary.marks.begin();
        assert_eq!((vocabulary.marks.has(word), vocabulary.marks.get(word)), (false, 0));
        vocabulary.marks.set(word, 7);
        assert_eq!((vocabulary.marks.has(word), vocabulary.marks.get(word)), (true, 7));
        vocabulary.marks.begin();
        assert_eq!((vocabulary.marks.has(word), vocabulary.marks.get(word)), (false, 0));
        vocabulary.marks.round = u64::from(u32::MAX) << u32::BITS;
        vocabulary.marks.set(word, 7);
        vocabulary.marks.begin();
        assert_eq!((vocabulary.marks.has(word), vocabulary.marks.round), (false, WordMarks::NEXT));
    }
}
