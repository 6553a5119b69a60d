//! How many tokens two texts share, counted as often as they occur in both.

use probare_text::tokens::{Tokens, synthlink};
use rustc_hash::FxHashMap;

/// The tokens of one text with how often each occurs, ready to be held against many others.
#[derive(Debug, Clone, Default)]
pub struct Bag {
    places: FxHashMap<Box<str>, u32>,
    counts: Vec<u32>,
    size: usize,
}

/// What two texts share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overlap {
    /// Tokens in both, each as often as in the text that has fewer of it.
    pub shared: usize,
    /// Tokens of the answer.
    pub answer: usize,
    /// Tokens of the reference.
    pub reference: usize,
}

impl Bag {
    /// The tokens of `text`.
    pub fn new(text: &str) -> Self {
        Self::of(&synthlink::tokens(text))
    }

    /// Tokens that were made already.
    pub fn of(tokens: &Tokens) -> Self {
        let mut bag = Self { size: tokens.len(), ..Self::default() };
        for token in tokens.texts() {
            if let Some(place) = bag.places.get(token) {
                bag.counts[*place as usize] += 1;
            } else {
                let place = u32::try_from(bag.counts.len()).expect("a text has fewer than 2^32 tokens");
                bag.places.insert(token.into(), place);
                bag.counts.push(1);
            }
        }
        bag
    }

    /// What the answer shares with this text. `seen` is called for every token of the answer in order with whether it
    /// counted as shared; `left` is a buffer that calls may reuse.
    pub fn compare(&self, answer: &Tokens, left: &mut Vec<u32>, mut seen: impl FnMut(usize, bool)) -> Overlap {
        left.clear();
        left.extend_from_slice(&self.counts);
        let mut shared = 0;
        for (index, token) in answer.texts().enumerate() {
            let counted = match self.places.get(token).map(|place| &mut left[*place as usize]) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    shared += 1;
                    true
                }
                _ => false,
            };
            seen(index, counted);
        }
        Overlap { shared, answer: answer.len(), reference: self.size }
    }

    /// What the answer shares with this text.
    pub fn overlap(&self, answer: &Tokens) -> Overlap {
        self.compare(answer, &mut Vec::new(), |_, _| {})
    }
}

impl Overlap {
    /// Share of the answer's tokens that the reference has; 0 for an empty answer.
    pub fn precision(&self) -> f64 {
        if self.shared == 0 { 0.0 } else { self.shared as f64 / self.answer as f64 }
    }

    /// Share of the reference's tokens that the answer has; 0 for an empty reference.
    pub fn recall(&self) -> f64 {
        if self.shared == 0 { 0.0 } else { self.shared as f64 / self.reference as f64 }
    }

    /// Harmonic mean of both; 0 where nothing is shared.
    ///
    /// Computed as `2PR / (P + R)`, in this order, because the published values carry its rounding: an overlap of
    /// exactly one half can come out one unit in the last place below 0.5, and the threshold of iterations sees that.
    pub fn f1(&self) -> f64 {
        if self.shared == 0 {
            return 0.0;
        }
        let (precision, recall) = (self.precision(), self.recall());
        2.0 * precision * recall / (precision + recall)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(answer: &str, reference: &str) -> Overlap {
        Bag::new(reference).overlap(&synthlink::tokens(answer))
    }

    #[test]
    fn a_token_counts_as_often_as_both_have_it() {
        let found = overlap("the the the press", "The press, the books");
        assert_eq!(found, Overlap { shared: 3, answer: 4, reference: 4 });
        assert_eq!(found.f1(), 0.75);
    }

    #[test]
    fn nothing_shared_is_zero_also_for_empty_texts() {
        for (answer, reference) in [("", ""), ("a", ""), ("", "a"), ("a", "b")] {
            assert_eq!(overlap(answer, reference).f1(), 0.0);
        }
    }

    #[test]
    fn the_buffer_of_an_earlier_comparison_does_not_matter() {
        let bag = Bag::new("one two two");
        let mut left = vec![9; 9];
        let tokens = synthlink::tokens("two two two");
        let mut counted = Vec::new();
        let found = bag.compare(&tokens, &mut left, |_, shared| counted.push(shared));
        assert_eq!(found.shared, 2);
        assert_eq!(counted, [true, true, false]);
    }
}
