//! Cosine of the counts of words and of pairs of neighbouring words.

use std::borrow::Cow;
use std::collections::BTreeMap;

use probare_core::Sample;

use crate::care::phrases::{Word, Words};

/// Similarity of two texts: the cosine of their counts of lower-cased ASCII words and pairs of words, between 0 and 1.
pub fn similarity(left: &str, right: &str) -> f64 {
    similarity_of(&mut Tables::default(), (left, &Words::of(left)), (right, &Words::of(right)))
}

/// To two decimals, halves up, as reports show it.
pub fn rounded(similarity: f64) -> f64 {
    (similarity * 100.0 + 0.5).floor() / 100.0
}

/// [`similarity`] of the message and the reply of a sample.
struct Similarity(f64);

/// [`similarity`] of the message and the reply of a sample, whose words have been read; computed once.
pub(in crate::care) fn similarity_in(sample: Sample<'_>, user: (&str, &Words), reply: (&str, &Words)) -> f64 {
    sample.reading(0, || Similarity(sample.scratch(|tables| similarity_of(tables, user, reply)))).0
}

fn similarity_of(tables: &mut Tables, left: (&str, &Words), right: (&str, &Words)) -> f64 {
    let (left, right) = (Lowered::new(left.0, left.1), Lowered::new(right.0, right.1));
    if left.words.list.is_empty() || right.words.list.is_empty() {
        return 0.0;
    }
    let sums = if left.words.underscore || right.words.underscore {
        sums_of_strings(&left, &right)
    } else {
        sums_of_pairs(tables, &left, &right)
    };
    sums.dot as f64 / ((sums.left as f64).sqrt() * (sums.right as f64).sqrt())
}

/// A text whose ASCII words are those of its full Unicode lower-casing. Only two characters outside ASCII become ASCII
/// letters there, the dotted capital I and the Kelvin sign, so the text is nearly always its own.
struct Lowered<'a> {
    text: Cow<'a, str>,
    words: Cow<'a, Words>,
}

impl<'a> Lowered<'a> {
    fn new(text: &'a str, words: &'a Words) -> Self {
        if text.is_ascii() || !has_other_letters(text.as_bytes()) {
            return Self { text: Cow::Borrowed(text), words: Cow::Borrowed(words) };
        }
        let lowered = text.to_lowercase();
        let words = Words::of(&lowered);
        Self { text: Cow::Owned(lowered), words: Cow::Owned(words) }
    }

    fn bytes(&self, word: &Word) -> &[u8] {
        &self.text.as_bytes()[word.span()]
    }
}

/// Whether the dotted capital I or the Kelvin sign may be there.
fn has_other_letters(bytes: &[u8]) -> bool {
    memchr::memchr2_iter(0xc4, 0xe2, bytes).any(|at| matches!(bytes.get(at + 1), Some(0xb0 | 0x84)))
}

/// Dot product and squared lengths of the two count vectors.
#[derive(Default)]
struct Sums {
    dot: u64,
    left: u64,
    right: u64,
}

impl Sums {
    /// Counts a term of the left text once more: the square of a count grows by the next odd number.
    #[inline]
    fn count_left(&mut self, term: &mut Term) {
        self.left += 2 * u64::from(term.left) + 1;
        term.left += 1;
    }

    /// The same for the right text, when all terms of the left one have been counted: the product grows by their count.
    #[inline]
    fn count_right(&mut self, term: &mut Term) {
        self.right += 2 * u64::from(term.right) + 1;
        self.dot += u64::from(term.left);
        term.right += 1;
    }
}

/// A term and how often it occurs on either side.
#[derive(Clone, Copy, Default)]
struct Term {
    hash: u64,
    left: u32,
    right: u32,
    /// For a long word, which its hash does not tell apart from all others: the number of the word plus one.
    long: u32,
    /// When it was entered; a term of an earlier round is none.
    round: u32,
}

/// What counting needs, kept for the next texts: an exchange has too many terms for the quick paths of an allocator.
#[derive(Default)]
struct Tables {
    words: Table,
    pairs: Table,
    /// The places of the words of both texts in the table of words.
    places: Vec<usize>,
}

/// Words of an exchange whose memory is kept: a book must not hold it for ever.
const MOST_KEPT: usize = 1 << 14;

/// Counts terms in open hash tables. No word holds an underscore, so no word can equal a pair.
fn sums_of_pairs(tables: &mut Tables, left: &Lowered<'_>, right: &Lowered<'_>) -> Sums {
    if tables.places.capacity() > MOST_KEPT {
        *tables = Tables::default();
    }
    let mut sums = Sums::default();
    tables.count_words(left, right, &mut sums);
    tables.count_pairs(left.words.list.len(), &mut sums);
    sums
}

impl Tables {
    fn count_words(&mut self, left: &Lowered<'_>, right: &Lowered<'_>, sums: &mut Sums) {
        let first_right = left.words.list.len();
        let words = first_right + right.words.list.len();
        self.words.begin(words);
        self.places.clear();
        self.places.resize(words, 0);
        let (left_places, right_places) = self.places.split_at_mut(first_right);
        let mut terms = self.words.terms();
        for (number, (word, place)) in left.words.list.iter().zip(left_places).enumerate() {
            probare_cancellation::steps(1);
            *place = if word.is_long() { terms.long_place(number, left, right) } else { terms.place(word.hash) };
            sums.count_left(terms.at(*place));
        }
        for (number, (word, place)) in (first_right..).zip(right.words.list.iter().zip(right_places)) {
            probare_cancellation::steps(1);
            *place = if word.is_long() { terms.long_place(number, left, right) } else { terms.place(word.hash) };
            sums.count_right(terms.at(*place));
        }
    }

    /// Counts the pairs of neighbours. A pair can only occur again where both its words do; any other is a term of its own.
    fn count_pairs(&mut self, first_right: usize, sums: &mut Sums) {
        self.pairs.begin(self.places.len());
        let (left, right) = self.places.split_at(first_right);
        let mut terms = self.pairs.terms();
        let single = self.words.each_repeated(left, |hash| {
            let place = terms.place(hash);
            sums.count_left(terms.at(place));
        });
        sums.left += single;
        let single = self.words.each_repeated(right, |hash| {
            let place = terms.place(hash);
            sums.count_right(terms.at(place));
        });
        sums.right += single;
    }
}

/// The word of this number, of both texts together.
fn word_of<'l>(number: usize, left: &'l Lowered<'_>, right: &'l Lowered<'_>) -> (&'l [u8], u64) {
    let (text, at) = match number.checked_sub(left.words.list.len()) {
        Some(at) => (right, at),
        None => (left, number),
    };
    let word = &text.words.list[at];
    (text.bytes(word), word.hash)
}

/// Terms by their hashes: at the place of the hash or, where that is taken, behind it.
#[derive(Default)]
struct Table {
    /// A power of two of them, or none.
    terms: Vec<Term>,
    round: u32,
}

impl Table {
    /// Forgets all terms and makes room for so many.
    fn begin(&mut self, most: usize) {
        let least = (most * 2).next_power_of_two();
        match self.round.checked_add(1) {
            Some(round) if least <= self.terms.len() => self.round = round,
            _ => *self = Self { terms: vec![Term::default(); least.max(self.terms.len())], round: 1 },
        }
    }

    fn terms(&mut self) -> Terms<'_> {
        Terms { terms: &mut self.terms, round: self.round }
    }

    /// Calls `take` with a hash of every pair of neighbours of which both occur more than once, and tells how many others
    /// there are. `places` are those of words in this table.
    fn each_repeated(&self, places: &[usize], mut take: impl FnMut(u64)) -> u64 {
        let occurs_again = |place: usize| self.terms.get(place).is_some_and(|term| term.left + term.right > 1);
        let mut others = 0;
        let mut before = places.first().map(|place| (*place, occurs_again(*place)));
        for here in places.iter().skip(1).map(|place| (*place, occurs_again(*place))) {
            probare_cancellation::steps(1);
            if let Some((before, true)) = before
                && here.1
            {
                // An odd factor loses nothing, and the factor spreads the bits.
                take(((before as u64) << 32 | here.0 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            } else {
                others += 1;
            }
            before = Some(here);
        }
        others
    }
}

/// The terms of a table while texts are counted.
struct Terms<'t> {
    terms: &'t mut [Term],
    round: u32,
}

impl Terms<'_> {
    #[inline]
    fn at(&mut self, place: usize) -> &mut Term {
        &mut self.terms[place]
    }

    /// The place of a term that its hash tells from all others; it is entered if it is new.
    #[inline]
    fn place(&mut self, hash: u64) -> usize {
        let mask = self.terms.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        loop {
            probare_cancellation::steps(1);
            let term = &mut self.terms[at];
            if term.round != self.round {
                *term = Term { hash, left: 0, right: 0, long: 0, round: self.round };
                return at;
            }
            if term.hash == hash && term.long == 0 {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// The place of the word of this number, which is long: where hashes are the same, its letters are looked at.
    #[inline(never)]
    fn long_place(&mut self, number: usize, left: &Lowered<'_>, right: &Lowered<'_>) -> usize {
        let (word, hash) = word_of(number, left, right);
        let mask = self.terms.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        loop {
            probare_cancellation::steps(1);
            let term = &mut self.terms[at];
            if term.round != self.round {
                // Numbers fit: each word takes a byte, and of texts four thousand million are read.
                let long = u32::try_from(number + 1).unwrap_or(u32::MAX);
                *term = Term { hash, left: 0, right: 0, long, round: self.round };
                return at;
            }
            let is_same = |known: usize| word_of(known - 1, left, right).0.eq_ignore_ascii_case(word);
            if term.hash == hash && term.long > 0 && is_same(term.long as usize) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }
}

/// Counts terms as strings, where a word such as `new_york` equals the pair of `new` and `york`.
fn sums_of_strings(left: &Lowered<'_>, right: &Lowered<'_>) -> Sums {
    let mut counts: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for (side, text) in [left, right].into_iter().enumerate() {
        let mut previous: Option<String> = None;
        for word in &text.words.list {
            probare_cancellation::steps(1);
            let word = text.text[word.span()].to_ascii_lowercase();
            if let Some(before) = previous {
                counts.entry(format!("{before}_{word}")).or_default()[side] += 1;
            }
            counts.entry(word.clone()).or_default()[side] += 1;
            previous = Some(word);
        }
    }
    counts.into_values().fold(Sums::default(), |sums, [left, right]| Sums {
        dot: sums.dot + left * right,
        left: sums.left + left * left,
        right: sums.right + right * right,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_pairs_count() {
        // a b, a_b against a c, a_c: one of three terms is shared.
        assert!((similarity("a b", "A c") - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(similarity("", "a"), 0.0);
        assert_eq!(similarity("日本", "a"), 0.0);
        assert!((similarity("café İ K", "caf i k") - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_word_with_an_underscore_may_be_a_pair() {
        // new, york, new_york against new_york: one shared term of three and one.
        assert!((similarity("new york", "new_york") - 1.0 / 3.0_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn both_ways_of_counting_agree() {
        let left = "I am so tired of it, so tired, so tired of understanding";
        let right = "So you are tired of it. It is so, so tired of UNDERSTANDING it.";
        let (left_words, right_words) = (Words::of(left), Words::of(right));
        let (left, right) = (Lowered::new(left, &left_words), Lowered::new(right, &right_words));
        let (fast, plain) = (sums_of_pairs(&mut Tables::default(), &left, &right), sums_of_strings(&left, &right));
        assert_eq!((fast.dot, fast.left, fast.right), (plain.dot, plain.left, plain.right));
    }

    #[test]
    fn reports_round_halves_up() {
        assert_eq!(rounded(0.445), 0.45);
        assert_eq!(rounded(0.4449), 0.44);
        assert_eq!(rounded(1.0), 1.0);
    }
}
