//! Cosine of the counts of words and of pairs of neighbouring words.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::care::phrases::{Word, Words};

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
    fn add(&mut self, left: u64, right: u64) {
        self.dot += left * right;
        self.left += left * left;
        self.right += right * right;
    }
}

/// A term in the table of counts: words are told apart by their bytes, pairs by the numbers of their words.
#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u64,
    /// For a word: where it was first seen, in the left or the right text. For a pair: the numbers of its words.
    key: (u32, u32),
    left: u32,
    right: u32,
}

/// Counts terms in an open hash table. No word holds an underscore, so no word can equal a pair.
fn sums_of_pairs(left: &Lowered<'_>, right: &Lowered<'_>) -> Sums {
    let terms = left.words.list.len() + right.words.list.len();
    let mut words = Table::new(terms);
    let mut pairs = Table::new(terms);
    for (side, text) in [left, right].into_iter().enumerate() {
        let mut previous = None;
        for (number, word) in text.words.list.iter().enumerate() {
            let bytes = text.bytes(word);
            let slot = words.slot(word.hash, (side_key(side), truncated(number)), |(side, number)| {
                let other = if side == 0 { left } else { right };
                other.bytes(&other.words.list[number as usize]).eq_ignore_ascii_case(bytes)
            });
            words.count(slot, side);
            if let Some(before) = previous {
                let key = (before, truncated(slot));
                let hash = (u64::from(key.0) << 32 | u64::from(key.1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let pair = pairs.slot(hash, key, |known| known == key);
                pairs.count(pair, side);
            }
            previous = Some(truncated(slot));
        }
    }
    let mut sums = Sums::default();
    for slot in words.slots.iter().chain(&pairs.slots) {
        sums.add(slot.left.into(), slot.right.into());
    }
    sums
}

fn side_key(side: usize) -> u32 {
    u32::from(side != 0)
}

/// Texts hold fewer than 2^32 words, since each takes at least two bytes of an address space that they share.
fn truncated(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

struct Table {
    slots: Vec<Slot>,
    mask: usize,
}

impl Table {
    fn new(terms: usize) -> Self {
        let size = (terms * 2).next_power_of_two();
        Self { slots: vec![Slot::default(); size], mask: size - 1 }
    }

    /// The slot of a term: the one where it stands, or a free one that is now its own.
    fn slot(&mut self, hash: u64, key: (u32, u32), same: impl Fn((u32, u32)) -> bool) -> usize {
        let mut at = usize::try_from(hash >> 32).unwrap_or(0) & self.mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.left == 0 && slot.right == 0 {
                *slot = Slot { hash, key, left: 0, right: 0 };
                return at;
            }
            if slot.hash == hash && same(slot.key) {
                return at;
            }
            at = (at + 1) & self.mask;
        }
    }

    fn count(&mut self, at: usize, side: usize) {
        let slot = &mut self.slots[at];
        if side == 0 {
            slot.left += 1;
        } else {
            slot.right += 1;
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
    let mut sums = Sums::default();
    for [left, right] in counts.into_values() {
        sums.add(left, right);
    }
    sums
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
        let (left, right) = ("I am so tired of it, so tired", "So you are tired of it. It is so.");
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
