//! How many tokens two texts share, counted as often as they occur in both.

use super::vocabulary::{WordId, WordInterner};

/// What two texts share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenOverlap {
    /// Tokens in both, each as often as in the text that has fewer of it.
    pub shared: usize,
    /// Tokens of the answer.
    pub answer: usize,
    /// Tokens of the reference.
    pub reference: usize,
}

impl TokenOverlap {
    /// What the words of an answer share with those of a reference; both were read with this vocabulary.
    pub fn from_ids(answer: &[WordId], reference: &[WordId], vocabulary: &mut WordInterner) -> Self {
        let marks = &mut vocabulary.marks;
        marks.begin();
        // How many of each word of the reference are still without a partner.
        for id in reference {
            probare_cancellation::count_steps(1);
            marks.count(*id);
        }
        let shared = answer.iter().map(|id| usize::from(marks.take(*id))).sum();
        Self { shared, answer: answer.len(), reference: reference.len() }
    }

    /// What two texts share.
    pub fn from_texts(answer: &str, reference: &str, vocabulary: &mut WordInterner) -> Self {
        let (answer, reference) = (vocabulary.read(answer), vocabulary.read(reference));
        Self::from_ids(&answer.ids, &reference.ids, vocabulary)
    }

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

    #[test]
    fn a_token_counts_as_often_as_both_have_it() {
        let found = TokenOverlap::from_texts("the the the press", "The press, the books", &mut WordInterner::default());
        assert_eq!(found, TokenOverlap { shared: 3, answer: 4, reference: 4 });
        assert_eq!(found.f1(), 0.75);
    }

    #[test]
    fn nothing_shared_is_zero_also_for_empty_texts() {
        let mut vocabulary = WordInterner::default();
        for (answer, reference) in [("", ""), ("a", ""), ("", "a"), ("a", "b")] {
            assert_eq!(TokenOverlap::from_texts(answer, reference, &mut vocabulary).f1(), 0.0);
        }
    }

    #[test]
    fn an_earlier_comparison_leaves_nothing_behind() {
        let mut vocabulary = WordInterner::default();
        let (reference, answer) = (vocabulary.read("one two two"), vocabulary.read("two two two"));
        for _ in 0..2 {
            assert_eq!(TokenOverlap::from_ids(&answer.ids, &reference.ids, &mut vocabulary).shared, 2);
        }
    }
}
