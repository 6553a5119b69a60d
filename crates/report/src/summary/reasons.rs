//! [`ReasonCounts`]: why cases were not scored, counted, in memory that does not grow.

use serde::{Deserialize, Serialize};

use crate::escape::excerpt;

/// Different reasons that are kept apart; further ones are counted together.
const KEPT: usize = 8;

/// Characters of a reason that are kept.
const LENGTH: usize = 200;

/// One reason and how often it was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReasonCount {
    /// What was said.
    pub reason: String,
    /// How often.
    pub count: u64,
}

/// The first reasons that came, with counts, and a count of all others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReasonCounts {
    /// In the order in which they came first.
    pub kept: Vec<ReasonCount>,
    /// Cases with a reason that is not listed.
    pub others: u64,
}

impl ReasonCounts {
    pub(super) fn add(&mut self, reason: &str) {
        self.add_many(reason, 1);
    }

    /// Takes in what another has counted.
    pub(super) fn merge(&mut self, other: &Self) {
        for ReasonCount { reason, count } in &other.kept {
            self.add_many(reason, *count);
        }
        self.others += other.others;
    }

    fn add_many(&mut self, reason: &str, count: u64) {
        // The usual reasons are short and come again and again: those are compared without a copy.
        if let Some(known) = self.kept.iter_mut().find(|known| known.reason == reason) {
            known.count += count;
            return;
        }
        let reason = excerpt(reason, LENGTH);
        if let Some(known) = self.kept.iter_mut().find(|known| known.reason == reason) {
            known.count += count;
        } else if self.kept.len() < KEPT {
            self.kept.push(ReasonCount { reason, count });
        } else {
            self.others += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_and_bounded() {
        let mut reasons = ReasonCounts::default();
        for number in 0..20 {
            reasons.add("the case has no `response`");
            reasons.add(&format!("reason {number}"));
        }
        assert_eq!(reasons.kept[0], ReasonCount { reason: "the case has no `response`".into(), count: 20 });
        assert_eq!(reasons.kept.len(), KEPT);
        assert_eq!(reasons.others, 13);
    }
}
