//! What a gate counts while a run goes on.

use probare_core::{Outcome, UNSURE};

use super::limit::{Gate, Relation};
use crate::summary::CaseMeans;

/// The cases that a gate looks at.
#[derive(Debug, Clone, Default)]
pub(crate) struct GateCounts {
    /// Cases that fail a gate on single cases, that are on the wrong side of a quantile's limit, that pass at a threshold,
    /// or that have the label.
    pub(crate) cases: u64,
    /// Cases that would fail but are excused.
    pub(crate) excused: u64,
    /// The value of the case that is furthest on the wrong side.
    pub(crate) worst: Option<f64>,
    /// The share of those that count, several outputs of a case being averaged within it.
    pub(crate) shares: CaseMeans,
}

impl GateCounts {
    pub(crate) fn new(is_clustered: bool) -> Self {
        Self { shares: CaseMeans::new(is_clustered), ..Self::default() }
    }

    /// Takes in a scored output, and says whether it counts, where a share is asked for and the output can have it. What a
    /// metric is unsure about has no other label: it is neither for nor against a gate on labels.
    pub(crate) fn add(&mut self, gate: &Gate, outcome: &Outcome, is_excused: bool) -> Option<bool> {
        let value = outcome.score().map(|score| score.value.get());
        let counts = match gate {
            Gate::Mean { .. } | Gate::NotWorse { .. } => return None,
            Gate::Any { relation, limit, .. } => {
                let value = value?;
                if !relation.holds(value, *limit) {
                    return None;
                }
                if is_excused {
                    self.excused += 1;
                    return None;
                }
                let is_under = matches!(relation, Relation::Under | Relation::AtMost);
                let further = |worst: f64| if is_under { worst.min(value) } else { worst.max(value) };
                self.worst = Some(self.worst.map_or(value, further));
                self.cases += 1;
                return None;
            }
            Gate::Quantile { relation, limit, .. } | Gate::PassRate { relation, limit, .. } => {
                relation.holds(value?, *limit)
            }
            Gate::Labels { .. } if matches!(outcome, Outcome::NotApplicable { .. }) => return None,
            Gate::Labels { label, .. } if outcome.label() == Some(UNSURE) && label != UNSURE => return None,
            Gate::Labels { label, .. } => outcome.label() == Some(label),
        };
        self.cases += u64::from(counts);
        Some(counts)
    }
}
