//! Words of a text with their bytes, compared as two bags: what token metrics have in common.

use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::ops::Range;

use probare_core::{Evidence, EvidenceKind, Field};
use probare_text::tokens::Tokens;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::bounded_evidence::BoundedEvidence;

/// The words of one text, in order.
#[derive(Debug, Default)]
pub struct SpannedWords<'a> {
    pub texts: Vec<&'a str>,
    pub spans: Vec<Range<usize>>,
}

impl<'a> SpannedWords<'a> {
    /// The words of these tokens; `original` leads from their spans to those of the field.
    pub fn new(tokens: &'a Tokens, original: impl Fn(Range<usize>) -> Range<usize>) -> Self {
        Self { texts: tokens.texts().collect(), spans: tokens.iter().map(|token| original(token.span)).collect() }
    }
}

/// Wanted words that follow each other, as one span each.
pub fn word_runs(spans: &[Range<usize>], is_included: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut stretches: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for (index, span) in spans.iter().enumerate() {
        probare_cancellation::count_steps(1);
        match stretches.last_mut() {
            _ if !is_included(index) => open = false,
            Some(last) if open => last.end = span.end.max(last.end),
            _ => {
                stretches.push(span.clone());
                open = true;
            }
        }
    }
    stretches
}

/// Which words of two texts have a counterpart in the other, each occurrence being used once.
#[derive(Debug, PartialEq, Eq)]
pub struct Counterparts {
    pub left: Vec<bool>,
    pub right: Vec<bool>,
}

impl Counterparts {
    /// Pairs equal words, from the left.
    pub fn pair<T: Copy + Eq + Hash>(left: &[T], right: &[T]) -> Self {
        // For each word the first place that is open; for each place of the right text the next one of the same word.
        let mut first: FxHashMap<T, usize> = FxHashMap::with_capacity_and_hasher(right.len(), FxBuildHasher);
        let mut next = vec![None; right.len()];
        for (place, word) in right.iter().enumerate().rev() {
            probare_cancellation::count_steps(1);
            next[place] = first.insert(*word, place);
        }
        let mut found = Self { left: vec![false; left.len()], right: vec![false; right.len()] };
        for (index, word) in left.iter().enumerate() {
            probare_cancellation::count_steps(1);
            let Entry::Occupied(mut open) = first.entry(*word) else { continue };
            let place = *open.get();
            found.left[index] = true;
            found.right[place] = true;
            match next[place] {
                Some(later) => *open.get_mut() = later,
                None => {
                    open.remove();
                }
            }
        }
        found
    }
}

/// How many words two texts share, each occurrence being used once. Nothing but the number is kept.
pub fn shared_count(left: &[&str], right: &[&str]) -> usize {
    let mut open: FxHashMap<&str, usize> = FxHashMap::default();
    for word in right {
        probare_cancellation::count_steps(1);
        *open.entry(word).or_default() += 1;
    }
    left.iter()
        .filter(|word| match open.get_mut(**word) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        })
        .count()
}

/// Shows stretches of words, given by their spans: those of the response that were found, then those of the reference that are missing, then those of the
/// response that the reference has not.
pub fn push_overlap_evidence(
    evidence: &mut BoundedEvidence,
    (response, response_words): (&str, &[Range<usize>]),
    (reference, index, reference_words): (&str, usize, &[Range<usize>]),
    found: &Counterparts,
) {
    for span in word_runs(response_words, |word| found.left[word]) {
        evidence.push(|| Evidence::at(EvidenceKind::Matched, Field::Response, span, response));
    }
    for span in word_runs(reference_words, |word| !found.right[word]) {
        evidence.push(|| Evidence::at(EvidenceKind::Missing, Field::Reference, span, reference).in_item(index));
    }
    for span in word_runs(response_words, |word| !found.left[word]) {
        evidence.push(|| unsupported_evidence(span, response));
    }
}

/// A stretch of the response that no reference has.
pub fn unsupported_evidence(span: Range<usize>, response: &str) -> Evidence {
    Evidence::at(EvidenceKind::Unsupported, Field::Response, span, response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_occurrence_is_used_once() {
        let found = Counterparts::pair(&["a", "b", "a", "c"], &["a", "c", "d"]);
        assert_eq!(found.left, [true, false, false, true]);
        assert_eq!(found.right, [true, true, false]);
        let found = Counterparts::pair(&["a", "a"], &["a", "b", "a", "a"]);
        assert_eq!(found.right, [true, false, true, false], "the first places are taken first");
        assert_eq!(shared_count(&["a", "b", "a", "c"], &["a", "c", "d"]), 2);
    }

    #[test]
    fn neighbours_become_one_stretch() {
        let words = [0..1, 2..3, 4..5, 6..7];
        assert_eq!(word_runs(&words, |word| word != 2), [0..3, 6..7]);
        assert_eq!(word_runs(&words, |_| false), [0..0; 0]);
    }
}
