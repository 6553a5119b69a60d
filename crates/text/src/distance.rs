//! Levenshtein distance: the least number of inserted, deleted and replaced items that turn one text into the other.
//!
//! Between strings the items are characters (Unicode scalar values), and all spans are bytes. A distance takes
//! O(n m / 64) steps, so a megabyte against a page is a matter of milliseconds; the [`edits`] behind it take the same
//! order of time and memory that grows with n + m only.
//!
//! ```
//! use probare_text::distance::{EditKind, edits, levenshtein, similarity};
//!
//! assert_eq!(levenshtein("kitten", "sitting"), 3);
//! assert_eq!(similarity("abcd", "abxd"), 0.75);
//! let kinds: Vec<EditKind> = edits("cafe au", "café").into_iter().map(|edit| edit.kind).collect();
//! assert_eq!(kinds, [EditKind::Keep, EditKind::Replace, EditKind::Delete]);
//! ```

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::bit_vectors::{BitColumn, ColumnStep, Masks, ROWS, Symbol, pass_strip};

mod script;

use script::common_ends;
pub use script::{Edit, EditKind};

/// Distance between two strings, in characters.
pub fn levenshtein(left: &str, right: &str) -> usize {
    if left.is_ascii() && right.is_ascii() {
        distance(left.as_bytes(), right.as_bytes(), usize::MAX).unwrap_or(usize::MAX)
    } else {
        let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
        distance(&left, &right, usize::MAX).unwrap_or(usize::MAX)
    }
}

/// Distance between two strings if it is at most `limit`; gives up as soon as it cannot be.
pub fn levenshtein_within(left: &str, right: &str, limit: usize) -> Option<usize> {
    if left.is_ascii() && right.is_ascii() {
        distance(left.as_bytes(), right.as_bytes(), limit)
    } else {
        let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
        distance(&left, &right, limit)
    }
}

/// Distance between two lists of items, such as words.
pub fn levenshtein_items<T: Eq + Hash>(left: &[T], right: &[T]) -> usize {
    let (left, right) = number_items(left, right);
    distance(&left, &right, usize::MAX).unwrap_or(usize::MAX)
}

/// 1 - distance / length of the longer string, in characters. Two empty strings are alike: 1.
pub fn similarity(left: &str, right: &str) -> f64 {
    let longer = left.chars().count().max(right.chars().count());
    if longer == 0 { 1.0 } else { 1.0 - levenshtein(left, right) as f64 / longer as f64 }
}

/// A shortest edit script between two strings; spans are bytes. Neighbouring edits of one kind are joined.
pub fn edits(left: &str, right: &str) -> Vec<Edit> {
    let (left_characters, right_characters): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let (left_starts, right_starts) = (starts(left), starts(right));
    let mut edits = script::edits(&left_characters, &right_characters);
    for edit in &mut edits {
        edit.left = left_starts[edit.left.start]..left_starts[edit.left.end];
        edit.right = right_starts[edit.right.start]..right_starts[edit.right.end];
    }
    edits
}

/// A shortest edit script between two lists of items; spans are indices.
pub fn edits_of_items<T: Eq + Hash>(left: &[T], right: &[T]) -> Vec<Edit> {
    let (left, right) = number_items(left, right);
    script::edits(&left, &right)
}

/// Byte at which each character starts, and the length.
fn starts(text: &str) -> Vec<usize> {
    text.char_indices().map(|(start, _)| start).chain([text.len()]).collect()
}

/// Equal items get equal numbers.
fn number_items<T: Eq + Hash>(left: &[T], right: &[T]) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: FxHashMap<&T, u32> = FxHashMap::default();
    let mut number = |item| {
        let next = u32::try_from(numbers.len()).expect("a list of four billion distinct items does not fit in memory");
        *numbers.entry(item).or_insert(next)
    };
    (left.iter().map(&mut number).collect(), right.iter().map(&mut number).collect())
}

/// Rows that are worked on together where the pattern is long. What they hold stays near the processor, and the bit vectors
/// of many different symbols (words, Chinese characters) take memory for one strip only.
const STRIP: usize = 64 * ROWS;

/// The distance strip by strip: each leaves the steps of its last row to the one below.
fn by_strips<S: Symbol>(pattern: &[S], text: &[S]) -> usize {
    let mut steps = vec![ColumnStep::Up; text.len()];
    for strip in pattern.chunks(STRIP) {
        probare_cancellation::count_steps(text.len() * strip.len().div_ceil(ROWS));
        let masks = Masks::new(strip.iter().copied());
        if strip.len().is_multiple_of(ROWS) {
            pass_strip(&masks, text, &mut steps);
            continue;
        }
        let mut column = BitColumn::first(&masks);
        for (step, &symbol) in steps.iter_mut().zip(text) {
            *step = column.advance_below(symbol, *step);
        }
    }
    steps.into_iter().fold(pattern.len(), |value, step| step.apply(value))
}

fn distance<S: Symbol>(left: &[S], right: &[S], limit: usize) -> Option<usize> {
    let (start, end) = common_ends(left, right);
    let (left, right) = (&left[start..left.len() - end], &right[start..right.len() - end]);
    // The shorter one becomes the bits.
    let (pattern, text) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    if text.len() - pattern.len() > limit {
        return None;
    }
    if pattern.len() > STRIP {
        let value = by_strips(pattern, text);
        return (value <= limit).then_some(value);
    }
    let mut value = text.len();
    if !pattern.is_empty() {
        let masks = Masks::new(pattern.iter().copied());
        let mut column = BitColumn::first(&masks);
        for (read, &symbol) in text.iter().enumerate() {
            probare_cancellation::count_steps(pattern.len().div_ceil(ROWS));
            value = column.advance(symbol);
            // Each symbol to come lowers the last row by one at most.
            if value.saturating_sub(text.len() - read - 1) > limit {
                return None;
            }
        }
    }
    (value <= limit).then_some(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The textbook table.
    fn slow(left: &str, right: &str) -> usize {
        let right: Vec<char> = right.chars().collect();
        let mut row: Vec<usize> = (0..=right.len()).collect();
        for (line, left) in left.chars().enumerate() {
            let mut diagonal = row[0];
            row[0] = line + 1;
            for (index, &right) in right.iter().enumerate() {
                let replaced = diagonal + usize::from(left != right);
                diagonal = row[index + 1];
                row[index + 1] = replaced.min(diagonal + 1).min(row[index] + 1);
            }
        }
        row[right.len()]
    }

    #[test]
    fn known_distances() {
        for (left, right, expected) in
            [("", "", 0), ("", "abc", 3), ("flaw", "lawn", 2), ("intention", "execution", 5), ("été", "ete", 2)]
        {
            assert_eq!(levenshtein(left, right), expected, "{left} {right}");
        }
        assert_eq!(levenshtein_items(&["a", "b", "c"], &["a", "c"]), 1);
    }

    #[test]
    fn a_limit_cuts_off() {
        assert_eq!(levenshtein_within("kitten", "sitting", 3), Some(3));
        assert_eq!(levenshtein_within("kitten", "sitting", 2), None);
        assert_eq!(levenshtein_within("", "abc", 2), None);
    }

    #[test]
    fn similarity_of_nothing_is_one() {
        assert_eq!(similarity("", ""), 1.0);
        assert_eq!(similarity("", "a"), 0.0);
    }

    #[test]
    fn words_can_be_edited() {
        let edits = edits_of_items(&["the", "cat", "sat"], &["the", "big", "cat", "sits"]);
        let kinds: Vec<EditKind> = edits.iter().map(|edit| edit.kind).collect();
        assert_eq!(kinds, [EditKind::Keep, EditKind::Insert, EditKind::Keep, EditKind::Replace]);
    }

    proptest! {
        #[test]
        fn equals_the_textbook(left in "[abcé]{0,200}", right in "[abcé]{0,200}") {
            let expected = slow(&left, &right);
            prop_assert_eq!(levenshtein(&left, &right), expected);
            prop_assert_eq!(levenshtein_within(&left, &right, expected), Some(expected));
            if expected > 0 {
                prop_assert_eq!(levenshtein_within(&left, &right, expected - 1), None);
            }
        }

        #[test]
        fn equals_the_textbook_on_near_texts(text in "[ab ]{60,140}", at in 0_usize..60, other in "[abc]{0,3}") {
            let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            prop_assert_eq!(levenshtein(&text, &changed), slow(&text, &changed));
        }

        #[test]
        fn edits_rebuild_the_right_text_at_the_cost_of_the_distance(left in "[abé]{0,90}", right in "[abé]{0,90}") {
            let mut rebuilt = String::new();
            let (mut left_end, mut right_end, mut cost) = (0, 0, 0);
            for edit in edits(&left, &right) {
                prop_assert_eq!((edit.left.start, edit.right.start), (left_end, right_end));
                (left_end, right_end) = (edit.left.end, edit.right.end);
                let (from, to) = (&left[edit.left], &right[edit.right]);
                match edit.kind {
                    EditKind::Keep => prop_assert_eq!(from, to),
                    EditKind::Replace => prop_assert_eq!(from.chars().count(), to.chars().count()),
                    EditKind::Delete => prop_assert!(to.is_empty() && !from.is_empty()),
                    EditKind::Insert => prop_assert!(from.is_empty() && !to.is_empty()),
                }
                if edit.kind != EditKind::Keep {
                    cost += from.chars().count().max(to.chars().count());
                }
                rebuilt.push_str(to);
            }
            prop_assert_eq!((left_end, right_end), (left.len(), right.len()));
            prop_assert_eq!(cost, levenshtein(&left, &right));
            prop_assert_eq!(rebuilt, right);
        }
    }

    proptest! {
        // Each is thousands of symbols long, which unoptimised code feels.
        #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

        #[test]
        fn strips_equal_the_whole(left in "[abcé]{1,300}", right in "[abcé]{1,300}", rest in 0_usize..200) {
            // More than a strip, with an end that fills its last block or does not, and an odd or even text.
            let symbols = |text: &str, length| text.chars().cycle().take(length).collect::<Vec<char>>();
            let (left, right) = (symbols(&left, STRIP + rest * 8), symbols(&right, STRIP + 500 + rest));
            let masks = Masks::new(left.iter().copied());
            let mut column = BitColumn::first(&masks);
            let whole = right.iter().fold(left.len(), |_, symbol| column.advance(*symbol));
            prop_assert_eq!(by_strips(&left, &right), whole);
        }
    }
}
