//! Overlap of two sets of words.

use rustc_hash::{FxBuildHasher, FxHashMap};

/// Sizes of two sets and of what they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SetOverlap {
    /// Distinct words on the left.
    pub left: usize,
    /// Distinct words on the right.
    pub right: usize,
    /// Distinct words on both sides.
    pub shared: usize,
}

impl SetOverlap {
    /// Compares the distinct words of two lists.
    pub fn new<'t>(
        left: impl ExactSizeIterator<Item = &'t str>,
        right: impl ExactSizeIterator<Item = &'t str>,
    ) -> Self {
        let mut seen: FxHashMap<&str, Side> =
            FxHashMap::with_capacity_and_hasher(left.len() + right.len(), FxBuildHasher);
        let mut overlap = Self::default();
        for word in left {
            overlap.left += usize::from(seen.insert(word, Side::Left).is_none());
        }
        for word in right {
            match seen.insert(word, Side::Right) {
                None => overlap.right += 1,
                Some(Side::Left) => {
                    overlap.right += 1;
                    overlap.shared += 1;
                }
                Some(Side::Right) => {}
            }
        }
        overlap
    }

    /// Shared words by all words; 0 when there is no word at all.
    pub fn jaccard(self) -> f64 {
        let union = self.left + self.right - self.shared;
        if union == 0 { 0.0 } else { self.shared as f64 / union as f64 }
    }
}

/// Where a word was seen last.
enum Side {
    Left,
    Right,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_words_count_once() {
        let overlap = SetOverlap::new(["a", "b", "a"].into_iter(), ["a", "c", "c", "a"].into_iter());
        assert_eq!(overlap, SetOverlap { left: 2, right: 2, shared: 1 });
        assert_eq!(overlap.jaccard(), 1.0 / 3.0);
    }

    #[test]
    fn no_words_have_no_overlap() {
        assert_eq!(SetOverlap::new([].into_iter(), [].into_iter()).jaccard(), 0.0);
    }
}
