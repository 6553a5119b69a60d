//! Counting n-grams, for metrics that compare texts by them (BLEU, chrF, ROUGE-N).
//!
//! The items of a text may be words, characters or anything else that can be told apart. An n-gram is known by a number
//! that is built from the number of its first n - 1 items and its last item, so no n-gram is ever copied.
//!
//! ```
//! use probare_text::ngrams::{NgramOverlap, overlaps};
//!
//! let left = ["the", "cat", "the", "cat"];
//! let right = ["the", "cat", "sat"];
//! assert_eq!(overlaps(&left, &right, 2)[1], NgramOverlap { matched: 1, left: 3, right: 2 });
//! ```

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// How many n-grams of one order two texts have, and share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NgramOverlap {
    /// Shared n-grams: each as often as it occurs on the side where it is rarer.
    pub matched: usize,
    /// N-grams of the left text.
    pub left: usize,
    /// N-grams of the right text.
    pub right: usize,
}

impl NgramOverlap {
    /// Share of the left n-grams that matched; 0 if there are none.
    pub fn left_share(self) -> f64 {
        share(self.matched, self.left)
    }

    /// Share of the right n-grams that matched; 0 if there are none.
    pub fn right_share(self) -> f64 {
        share(self.matched, self.right)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Overlap of two texts for the orders 1 to `highest_order`.
pub fn overlaps<T: Eq + Hash>(left: &[T], right: &[T], highest_order: usize) -> Vec<NgramOverlap> {
    clipped_overlaps(left, &[right], highest_order)
}

/// Overlap of a text with several references at once, for the orders 1 to `highest_order`.
///
/// A shared n-gram counts at most as often as in the reference that has it most often (the clipping of BLEU); `right`
/// is the number of n-grams of all references together.
pub fn clipped_overlaps<T: Eq + Hash>(left: &[T], references: &[&[T]], highest_order: usize) -> Vec<NgramOverlap> {
    let mut items = FxHashMap::default();
    let mut texts: Vec<Grams> =
        std::iter::once(&left).chain(references).map(|text| Grams::new(text, &mut items)).collect();
    let mut overlaps = Vec::with_capacity(highest_order);
    for order in 1..=highest_order {
        let distinct = if order == 1 { items.len() } else { grow(&mut texts, order) };
        overlaps.push(overlap(&texts, distinct));
    }
    overlaps
}

/// How often each n-gram of this order occurs, in order of first occurrence.
pub fn counts<T: Eq + Hash>(text: &[T], order: usize) -> Vec<(&[T], usize)> {
    probare_cancellation::count_steps(text.len());
    let mut places: FxHashMap<&[T], usize> = FxHashMap::default();
    let mut counts: Vec<(&[T], usize)> = Vec::new();
    // There is no n-gram of order 0.
    for gram in text.windows(order.max(1)).filter(|_| order > 0) {
        let place = *places.entry(gram).or_insert(counts.len());
        match counts.get_mut(place) {
            Some((_, count)) => *count += 1,
            None => counts.push((gram, 1)),
        }
    }
    counts
}

/// The n-grams of one text, by number, and its items, by number.
struct Grams {
    items: Vec<usize>,
    grams: Vec<usize>,
}

impl Grams {
    fn new<'t, T: Eq + Hash>(text: &'t [T], numbers: &mut FxHashMap<&'t T, usize>) -> Self {
        probare_cancellation::count_steps(text.len());
        let items: Vec<usize> = text
            .iter()
            .map(|item| {
                let next = numbers.len();
                *numbers.entry(item).or_insert(next)
            })
            .collect();
        Self { grams: items.clone(), items }
    }
}

/// Goes from the n-grams of the order before to those of `order`; gives how many distinct ones there are.
fn grow(texts: &mut [Grams], order: usize) -> usize {
    let mut numbers: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for text in texts {
        probare_cancellation::count_steps(text.grams.len());
        // The last n-gram of the order before has no item behind it.
        text.grams.pop();
        for (gram, &last) in text.grams.iter_mut().zip(text.items.iter().skip(order - 1)) {
            let next = numbers.len();
            *gram = *numbers.entry((*gram, last)).or_insert(next);
        }
    }
    numbers.len()
}

/// Compares the first text with the others, whose n-grams have numbers below `distinct`.
fn overlap(texts: &[Grams], distinct: usize) -> NgramOverlap {
    let Some((left, references)) = texts.split_first() else { return NgramOverlap::default() };
    let mut most = vec![0_usize; distinct];
    let mut counts = vec![0_usize; distinct];
    for reference in references {
        count(&mut counts, &reference.grams);
        for &gram in &reference.grams {
            most[gram] = most[gram].max(counts[gram]);
        }
        for &gram in &reference.grams {
            counts[gram] = 0;
        }
    }
    let mut matched = 0;
    for &gram in &left.grams {
        // Each occurrence on the left uses up one on the right.
        if most[gram] > 0 {
            most[gram] -= 1;
            matched += 1;
        }
    }
    NgramOverlap {
        matched,
        left: left.grams.len(),
        right: references.iter().map(|reference| reference.grams.len()).sum(),
    }
}

fn count(counts: &mut [usize], grams: &[usize]) {
    for &gram in grams {
        counts[gram] += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn characters(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn a_text_shorter_than_the_order_has_no_ngrams() {
        let overlaps = overlaps(&characters("ab"), &characters("abc"), 4);
        assert_eq!(overlaps[1], NgramOverlap { matched: 1, left: 1, right: 2 });
        assert_eq!(overlaps[2], NgramOverlap { matched: 0, left: 0, right: 1 });
        assert_eq!(overlaps[3], NgramOverlap::default());
        assert_eq!(overlaps[3].left_share(), 0.0);
    }

    #[test]
    fn references_clip_by_the_one_that_has_most() {
        let overlap = clipped_overlaps(&characters("aaab"), &[&characters("a"), &characters("aac")], 1)[0];
        assert_eq!(overlap, NgramOverlap { matched: 2, left: 4, right: 4 });
        assert_eq!(clipped_overlaps(&characters("ab"), &[], 1)[0], NgramOverlap { matched: 0, left: 2, right: 0 });
    }

    #[test]
    fn counts_keep_the_order_of_the_text() {
        let text = characters("abab");
        assert_eq!(counts(&text, 2), [(&['a', 'b'][..], 2), (&['b', 'a'][..], 1)]);
        assert!(counts(&text, 0).is_empty());
        assert!(counts(&text, 5).is_empty());
    }

    proptest! {
        #[test]
        fn equals_counting_every_ngram_apart(left in "[abc]{0,20}", right in "[abc]{0,20}") {
            let (left, right) = (characters(&left), characters(&right));
            for (index, overlap) in overlaps(&left, &right, 5).into_iter().enumerate() {
                let order = index + 1;
                let mut available: HashMap<&[char], usize> = counts(&right, order).into_iter().collect();
                let mut matched = 0;
                for gram in left.windows(order) {
                    if let Some(count) = available.get_mut(gram).filter(|count| **count > 0) {
                        *count -= 1;
                        matched += 1;
                    }
                }
                prop_assert_eq!(overlap.matched, matched);
                prop_assert_eq!(overlap.left, left.windows(order).len());
                prop_assert_eq!(overlap.right, right.windows(order).len());
            }
        }
    }
}
