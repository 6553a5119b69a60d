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
    fn count(&mut self, term: &mut Counts, of_left: bool) {
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

/// How often a term occurs on either side.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    left: u32,
    right: u32,
}

impl Counts {
    /// Whether the term occurs more than once, on one side or on both.
    const fn is_repeated(self) -> bool {
        self.left + self.right > 1
    }
}

/// A word that has been seen: its hash, and where it stood first, counted through both texts.
#[derive(Clone, Copy, Default)]
struct Seen {
    hash: u64,
    number: usize,
}

/// The places of two words in the table of words, one in each half. Each word takes a byte at least, and texts stay below
/// 4 GB.
type Pair = u64;

/// What counting needs, kept for the next texts: an exchange has too many terms for the quick paths of an allocator.
#[derive(Default)]
struct Tables {
    words: Table<Seen>,
    pairs: Table<Pair>,
    /// The places of the words of both texts in the table of words.
    places: Vec<usize>,
}

thread_local! {
    static TABLES: RefCell<Tables> = RefCell::default();
}

/// Counts terms in open hash tables. No word holds an underscore, so no word can equal a pair.
fn sums_of_pairs(left: &Lowered<'_>, right: &Lowered<'_>) -> Sums {
    TABLES.with_borrow_mut(|tables| {
        let mut sums = Sums::default();
        let first_right = left.words.list.len();
        tables.clear(first_right + right.words.list.len());
        for (number, word) in left.words.list.iter().chain(&right.words.list).enumerate() {
            let place = tables.place_of_word(word, number, (left, right));
            sums.count(&mut tables.words.slots[place].1, number < first_right);
        }
        // A pair can only occur again where both its words do; any other is a term of its own.
        let Tables { words, pairs, places } = tables;
        let is_repeated = |pair: &[usize]| pair.iter().all(|place| words.slots[*place].1.is_repeated());
        let (left_places, right_places) = places.split_at(first_right);
        let repeated = [left_places, right_places].map(|places| places.windows(2).filter(|pair| is_repeated(pair)));
        pairs.clear(repeated.clone().into_iter().flatten().count());
        for (of_left, repeated) in [true, false].into_iter().zip(repeated) {
            for pair in repeated {
                let pair = (pair[0] as u64) << 32 | pair[1] as u64;
                let place = pairs.place(pair.wrapping_mul(0x9e37_79b9_7f4a_7c15), pair, |known| known == pair);
                sums.count(&mut pairs.slots[place].1, of_left);
            }
        }
        let alone = |places: &[usize]| places.windows(2).filter(|pair| !is_repeated(pair)).count() as u64;
        sums.left += alone(left_places);
        sums.right += alone(right_places);
        sums
    })
}

impl Tables {
    /// Forgets all terms and makes room for so many words.
    fn clear(&mut self, words: usize) {
        self.words.clear(words);
        self.places.clear();
    }

    /// The place of the word that has this number among the words of both texts.
    #[inline]
    fn place_of_word(&mut self, word: &Word, number: usize, (left, right): (&Lowered<'_>, &Lowered<'_>)) -> usize {
        let find = |number: usize| match number.checked_sub(left.words.list.len()) {
            None => (left, &left.words.list[number]),
            Some(number) => (right, &right.words.list[number]),
        };
        let same = |known: Seen| {
            known.hash == word.hash && {
                let ((text, _), (other, seen)) = (find(number), find(known.number));
                // Two short words with the same hash are the same.
                seen.span().len() <= EXACT && word.span().len() <= EXACT
                    || other.bytes(seen).eq_ignore_ascii_case(text.bytes(word))
            }
        };
        let place = self.words.place(word.hash, Seen { hash: word.hash, number }, same);
        self.places.push(place);
        place
    }
}

/// Terms with their counts, each at the place of its hash or, where that is taken, behind it.
#[derive(Default)]
struct Table<T> {
    /// A power of two in number; where both counts are zero, the place is free.
    slots: Vec<(T, Counts)>,
}

impl<T: Copy + Default> Table<T> {
    /// Forgets all terms and makes room for so many.
    fn clear(&mut self, most: usize) {
        /// Slots that are kept for the next texts: a book must not hold its memory for ever.
        const MOST_KEPT: usize = 1 << 16;
        if self.slots.capacity() > MOST_KEPT {
            self.slots = Vec::new();
        }
        self.slots.clear();
        self.slots.resize((most * 2).next_power_of_two(), (T::default(), Counts::default()));
    }

    /// The place of a term: the one it has, or a free one that it takes and keeps once it is counted.
    #[inline]
    fn place(&mut self, hash: u64, term: T, same: impl Fn(T) -> bool) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = usize::try_from(hash >> 32).unwrap_or(0) & mask;
        loop {
            let (known, counts) = self.slots[at];
            if counts == Counts::default() {
                self.slots[at].0 = term;
                return at;
            }
            if same(known) {
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
