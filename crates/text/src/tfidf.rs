//! Term weights of a pair of texts, as scikit-learn's `TfidfVectorizer(stop_words="english")` gives them when it is
//! fitted on exactly these two.
//!
//! A term counts as often as it occurs, times ln(3 / (1 + df)) + 1, where df is the number of texts that hold it: 1 for a
//! term of both texts, ln 1.5 + 1 for a term of one. The cosine of the two vectors then comes down to a few sums of
//! whole numbers, which are exact and in no order.
//!
//! ```
//! use probare_text::tfidf::TermPair;
//!
//! let pair = TermPair::new("What is the capital of France?", "The capital of France is Paris.");
//! assert!((pair.cosine().unwrap() - 0.7092972666062739).abs() < 1e-12);
//! ```

use std::ops::Range;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::tokens::{Tokens, sklearn};

/// The terms of two texts, counted.
#[derive(Debug, Clone)]
pub struct TermPair {
    left: Tokens,
    right: Tokens,
    /// In order of first occurrence, the left text first.
    counts: Vec<Count>,
    left_norm: f64,
    right_norm: f64,
}

/// How often a term occurs on each side, and which token is its first there.
#[derive(Debug, Clone, Default)]
struct Count {
    left: u32,
    right: u32,
    first_left: Option<usize>,
    first_right: Option<usize>,
}

/// A term of one or both texts.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedTerm<'t> {
    /// The term.
    pub text: &'t str,
    /// How often it occurs in the left text.
    pub left: u32,
    /// How often it occurs in the right text.
    pub right: u32,
    /// Its first place in the left text.
    pub left_span: Option<Range<usize>>,
    /// Its first place in the right text.
    pub right_span: Option<Range<usize>>,
    /// Its weight in the vector of the left text, which has length 1.
    pub left_weight: f64,
    /// Its weight in the vector of the right text, which has length 1.
    pub right_weight: f64,
}

impl WeightedTerm<'_> {
    /// What the term adds to the cosine.
    pub fn contribution(&self) -> f64 {
        self.left_weight * self.right_weight
    }
}

impl TermPair {
    /// Counts the terms of both texts.
    pub fn new(left: &str, right: &str) -> Self {
        Self::from_tokens(sklearn::terms(left), sklearn::terms(right))
    }

    /// Counts these tokens as terms, for other ways to cut a text than `stop_words="english"`.
    pub fn from_tokens(left: Tokens, right: Tokens) -> Self {
        probare_cancellation::count_steps(left.len() + right.len());
        let mut places = FxHashMap::with_capacity_and_hasher(left.len() + right.len(), FxBuildHasher);
        let mut counts: Vec<Count> = Vec::with_capacity(left.len() + right.len());
        for (index, term) in left.texts().enumerate() {
            let count = entry(&mut places, &mut counts, term);
            count.left += 1;
            count.first_left.get_or_insert(index);
        }
        for (index, term) in right.texts().enumerate() {
            let count = entry(&mut places, &mut counts, term);
            count.right += 1;
            count.first_right.get_or_insert(index);
        }
        let left_norm = norm(counts.iter().map(|count| (count.left, count.is_shared())));
        let right_norm = norm(counts.iter().map(|count| (count.right, count.is_shared())));
        Self { left, right, counts, left_norm, right_norm }
    }

    /// Whether neither text holds a term, so that there is nothing to compare.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Cosine of the two weight vectors: 0 if one text has no term, nothing if neither has one.
    pub fn cosine(&self) -> Option<f64> {
        if self.is_empty() {
            return None;
        }
        let dot: u64 = self.counts.iter().map(|count| u64::from(count.left) * u64::from(count.right)).sum();
        Some(if dot == 0 { 0.0 } else { dot as f64 / (self.left_norm * self.right_norm) })
    }

    /// All terms, those of the left text first, in order of first occurrence.
    pub fn terms(&self) -> impl Iterator<Item = WeightedTerm<'_>> {
        self.counts.iter().map(|count| {
            let left = count.first_left.and_then(|index| self.left.get(index));
            let right = count.first_right.and_then(|index| self.right.get(index));
            let text = left.as_ref().or(right.as_ref()).map_or("", |token| token.text);
            let rarity = rarity(count.is_shared());
            let weight = |times: u32, norm: f64| if times == 0 { 0.0 } else { f64::from(times) * rarity / norm };
            WeightedTerm {
                text,
                left: count.left,
                right: count.right,
                left_span: left.map(|token| token.span),
                right_span: right.map(|token| token.span),
                left_weight: weight(count.left, self.left_norm),
                right_weight: weight(count.right, self.right_norm),
            }
        })
    }
}

impl Count {
    fn is_shared(&self) -> bool {
        self.left > 0 && self.right > 0
    }
}

fn entry<'c, 't>(places: &mut FxHashMap<&'t str, usize>, counts: &'c mut Vec<Count>, term: &'t str) -> &'c mut Count {
    let place = *places.entry(term).or_insert(counts.len());
    if place == counts.len() {
        counts.push(Count::default());
    }
    &mut counts[place]
}

/// The smoothed inverse document frequency among two texts.
fn rarity(is_shared: bool) -> f64 {
    if is_shared { 1.0 } else { 1.5_f64.ln() + 1.0 }
}

/// Length of the vector of `(count, is shared)`.
fn norm(counts: impl Iterator<Item = (u32, bool)>) -> f64 {
    let (mut shared, mut single) = (0_u64, 0_u64);
    for (count, is_shared) in counts {
        let square = u64::from(count) * u64::from(count);
        if is_shared {
            shared += square;
        } else {
            single += square;
        }
    }
    let rarity = rarity(false);
    (shared as f64 + single as f64 * rarity * rarity).sqrt()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_without_terms_has_cosine_zero_and_two_have_none() {
        assert_eq!(TermPair::new("is it", "paris").cosine(), Some(0.0));
        assert_eq!(TermPair::new("is it", "it is").cosine(), None);
        assert_eq!(TermPair::new("", "").cosine(), None);
    }

    #[test]
    fn terms_lead_back_to_both_texts() {
        let pair = TermPair::new("Capital capital?", "The CAPITAL is Paris");
        let terms: Vec<WeightedTerm<'_>> = pair.terms().collect();
        assert_eq!(terms.len(), 2);
        assert_eq!((terms[0].text, terms[0].left, terms[0].right), ("capital", 2, 1));
        assert_eq!((terms[0].left_span.clone(), terms[0].right_span.clone()), (Some(0..7), Some(4..11)));
        assert_eq!((terms[1].text, terms[1].left_span.clone()), ("paris", None));
    }

    proptest! {
        #[test]
        fn contributions_add_up_and_sides_can_be_swapped(left in "[a-d ]{0,30}", right in "[a-d ]{0,30}") {
            let pair = TermPair::new(&left, &right);
            let swapped = TermPair::new(&right, &left);
            prop_assert_eq!(pair.cosine(), swapped.cosine());
            if let Some(cosine) = pair.cosine() {
                let sum: f64 = pair.terms().map(|term| term.contribution()).sum();
                prop_assert!((sum - cosine).abs() < 1e-12);
                prop_assert!((0.0..=1.0 + 1e-12).contains(&cosine));
            }
        }
    }
}
