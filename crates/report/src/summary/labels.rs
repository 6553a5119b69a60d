//! [`LabelCounts`]: how often a metric gave which label, in memory that does not grow.

use serde::{Deserialize, Serialize};

use crate::escape::excerpt;

/// Different labels that are kept apart; further ones are counted together.
const KEPT: usize = 20;

/// Characters of a label that are kept.
const LENGTH: usize = 60;

/// One label and how often it was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelCount {
    pub label: String,
    /// How often.
    pub count: u64,
}

/// The first labels that came, with counts, and a count of all others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelCounts {
    /// In the order of the words, so that the same labels stand in the same order in every run.
    pub kept: Vec<LabelCount>,
    /// Cases with a label that is not listed.
    pub others: u64,
}

impl LabelCounts {
    /// Whether no case has a label.
    pub const fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub(super) fn add(&mut self, label: &str) {
        self.add_many(label, 1);
    }

    /// Takes in what another has counted.
    pub(super) fn merge(&mut self, other: &Self) {
        for LabelCount { label, count } in &other.kept {
            self.add_many(label, *count);
        }
        self.others += other.others;
    }

    fn add_many(&mut self, label: &str, count: u64) {
        if let Ok(at) = self.place(label) {
            self.kept[at].count += count;
            return;
        }
        let label = excerpt(label, LENGTH);
        match self.place(&label) {
            Ok(at) => self.kept[at].count += count,
            Err(at) if self.kept.len() < KEPT => self.kept.insert(at, LabelCount { label, count }),
            Err(_) => self.others += count,
        }
    }

    fn place(&self, label: &str) -> Result<usize, usize> {
        self.kept.binary_search_by(|known| known.label.as_str().cmp(label))
    }

    /// `PASS 9, WARN 2, FAIL 1`: the most frequent first.
    pub fn words(&self) -> String {
        let mut ordered: Vec<&LabelCount> = self.kept.iter().collect();
        ordered.sort_by_key(|label| std::cmp::Reverse(label.count));
        let mut words: Vec<String> = ordered.iter().map(|label| format!("{} {}", label.label, label.count)).collect();
        if self.others > 0 {
            words.push(format!("others {}", self.others));
        }
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_counted_and_bounded() {
        let mut labels = LabelCounts::default();
        assert!(labels.is_empty());
        for label in ["WARN", "PASS", "FAIL", "PASS", "PASS", "WARN"] {
            labels.add(label);
        }
        assert_eq!(labels.words(), "PASS 3, WARN 2, FAIL 1");
        for number in 0..30 {
            labels.add(&format!("x{number:02}"));
        }
        assert_eq!((labels.kept.len(), labels.others), (KEPT, 13));
    }
}
