//! Cosine of the counts of words and of pairs of neighbouring words.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::care::phrases::{EXACT, Word, Words};

/// Similarity of two texts: the cosine of their counts of lower-cased ASCII words and pairs of words, between 0 and 1.
pub fn similarity(left: &str, right: &str) -> f64 {
    similarity_of((left, &Words::of(left)), (right, &Words::of(right)))
}

/// To two decimals, halves up, as reports show it.
pub fn rounded(similarity: f64) -> f64 {
    (similarity * 100.0 + 0.5).floor() / 100.0
}

/// [`similarity`] for texts whose words have been read.
pub(in crate::care) fn similarity_of(left: (&str, &Words), right: (&str, &Words)) -> f64 {
    let (left, right) = (Lowered::new(left.0, left.1), Lowered::new(right.0, right.1));
    if left.words.list.is_empty() || right.words.list.is_empty() {
        return 0.0;
    }
    let sums = if left.words.underscore || right.words.underscore {
        sums_of_strings(&left, &right)
    } else {
        sums_of_pairs(&left, &right)
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
        if text.is_ascii() || !text.contains(['\u{130}', '\u{212a}']) {
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

/// Dot product and squared lengths of the two count vectors.
#[derive(Default)]
struct Sums {
    dot: u64,
    left: u64,
    right: u64,
}

impl Sums {
    /// Counts a term once more: the square of a count grows by the next odd number, and the product by the count of the
    /// other side. All terms of the left text come first.
    #[inline]
    fn count(&mut self, term: &mut Term, of_left: bool) {
        if of_left {
            self.left += 2 * u64::from(term.left) + 1;
            term.left += 1;
        } else {
            self.right += 2 * u64::from(term.right) + 1;
            self.dot += u64::from(term.left);
            term.right += 1;
        }
    }
}

/// A term and how often it occurs on either side.
#[derive(Clone, Copy, Default)]
struct Term {
    hash: u64,
    left: u32,
    right: u32,
    /// For a long word, which its hash does not tell apart from all others: the number of the word plus one.
    long: usize,
}

/// What counting needs, kept for the next texts: an exchange has too many terms for the quick paths of an allocator.
#[derive(Default)]
struct Tables {
    words: Table,
    pairs: Table,
    /// The numbers of the words of both texts in the table of words.
    numbers: Vec<usize>,
    /// Pairs that may occur more than once: whether they stand in the left text, and their hash.
    repeated: Vec<(bool, u64)>,
}

/// Words of an exchange whose memory is kept: a book must not hold it for ever.
const MOST_KEPT: usize = 1 << 14;

thread_local! {
    static TABLES: RefCell<Tables> = RefCell::default();
}

/// Counts terms in open hash tables. No word holds an underscore, so no word can equal a pair.
fn sums_of_pairs(left: &Lowered<'_>, right: &Lowered<'_>) -> Sums {
    TABLES.with_borrow_mut(|tables| {
        if tables.numbers.capacity() > MOST_KEPT {
            *tables = Tables::default();
        }
        let mut sums = Sums::default();
        tables.count_words(left, right, &mut sums);
        tables.count_pairs(left.words.list.len(), &mut sums);
        sums
    })
}

impl Tables {
    fn count_words(&mut self, left: &Lowered<'_>, right: &Lowered<'_>, sums: &mut Sums) {
        let first_right = left.words.list.len();
        self.words.clear(first_right + right.words.list.len());
        self.numbers.clear();
        for (text, of_left) in [(left, true), (right, false)] {
            for word in &text.words.list {
                // Two short words with the same hash are the same.
                let long = if word.end - word.start > EXACT { self.numbers.len() + 1 } else { 0 };
                let is_same = |known: usize| {
                    let (other, at) = if known <= first_right { (left, known) } else { (right, known - first_right) };
                    other.bytes(&other.words.list[at - 1]).eq_ignore_ascii_case(text.bytes(word))
                };
                let number = self.words.number(word.hash, long, is_same);
                sums.count(&mut self.words.terms[number], of_left);
                self.numbers.push(number);
            }
        }
    }

    /// Counts the pairs of neighbours. A pair can only occur again where both its words do; any other is a term of its own.
    fn count_pairs(&mut self, first_right: usize, sums: &mut Sums) {
        self.repeated.clear();
        let (left, right) = self.numbers.split_at(first_right);
        for (numbers, of_left) in [(left, true), (right, false)] {
            let mut before: Option<u64> = None;
            for &number in numbers {
                let term = &self.words.terms[number];
                let here = (term.left + term.right > 1).then_some(number as u64);
                if let (Some(before), Some(here)) = (before, here) {
                    // An odd factor loses nothing. Numbers fit: each word takes a byte, and texts stay below 4 GB.
                    self.repeated.push((of_left, (before << 32 | here).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
                }
                before = here;
            }
        }
        self.pairs.clear(self.repeated.len());
        for &(of_left, hash) in &self.repeated {
            let number = self.pairs.number(hash, 0, |_| false);
            sums.count(&mut self.pairs.terms[number], of_left);
        }
        let repeated_left = self.repeated.iter().filter(|(of_left, _)| *of_left).count();
        let repeated_right = self.repeated.len() - repeated_left;
        sums.left += (left.len().saturating_sub(1) - repeated_left) as u64;
        sums.right += (right.len().saturating_sub(1) - repeated_right) as u64;
    }
}

/// Terms by their hashes.
#[derive(Default)]
struct Table {
    terms: Vec<Term>,
    /// Number of a term plus one, at the place of its hash or, where that is taken, behind it; 0 is free. A power of two
    /// in length.
    slots: Vec<u32>,
}

impl Table {
    /// Forgets all terms and makes room for so many.
    fn clear(&mut self, most: usize) {
        self.terms.clear();
        self.slots.clear();
        self.slots.resize((most * 2).next_power_of_two(), 0);
    }

    /// The number of a term: the one it has, or the next one. `is_same` tells whether a long word that is known is this
    /// one.
    #[inline]
    fn number(&mut self, hash: u64, long: usize, is_same: impl Fn(usize) -> bool) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = usize::try_from(hash >> 32).unwrap_or(0) & mask;
        loop {
            let Some(known) = (self.slots[at] as usize).checked_sub(1) else {
                self.terms.push(Term { hash, left: 0, right: 0, long });
                // Each term takes a byte of its text at least, and texts stay below 4 GB; past that all share a slot.
                self.slots[at] = u32::try_from(self.terms.len()).unwrap_or(u32::MAX);
                return self.terms.len() - 1;
            };
            let term = &self.terms[known];
            if term.hash == hash && (term.long == 0) == (long == 0) && (long == 0 || is_same(term.long)) {
                return known;
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
        let (fast, plain) = (sums_of_pairs(&left, &right), sums_of_strings(&left, &right));
        assert_eq!((fast.dot, fast.left, fast.right), (plain.dot, plain.left, plain.right));
    }

    #[test]
    fn reports_round_halves_up() {
        assert_eq!(rounded(0.445), 0.45);
        assert_eq!(rounded(0.4449), 0.44);
        assert_eq!(rounded(1.0), 1.0);
    }
}
