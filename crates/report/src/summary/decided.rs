//! [`DecidedCounts`]: who decided.

use probare_core::Decider;
use serde::{Deserialize, Serialize};

/// Who decided, where a metric may hand on what it cannot decide itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecidedCounts {
    /// Outputs that the metric decided by its own rules.
    #[serde(alias = "reading")]
    pub rule: u64,
    /// Outputs that a judge decided.
    pub judge: u64,
}

impl DecidedCounts {
    /// Takes in one output.
    pub(super) fn add(&mut self, by: Option<Decider>) {
        match by {
            Some(Decider::Rule) => self.rule += 1,
            Some(Decider::Judge) => self.judge += 1,
            None => {}
        }
    }

    /// Takes in those of a part.
    pub(super) const fn merge(&mut self, other: Self) {
        self.rule += other.rule;
        self.judge += other.judge;
    }
}
