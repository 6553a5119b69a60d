//! The final score of an idea: objective and subjective halves of four dimensions.

use super::Objective;
use super::votes::{Count, RESPECTS, gate};

/// One dimension, from 0 to 100.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Dimension {
    /// Ten times the objective score.
    pub objective: f64,
    /// 100 for a win, else 0.
    pub subjective: f64,
    /// The mean of both.
    pub value: f64,
}

/// The final score.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Final {
    /// Effectiveness, novelty, detailedness, feasibility.
    pub dimensions: [Dimension; 4],
    /// Their mean, from 0 to 100.
    pub score: f64,
}

/// Who won in each of the four respects that count.
pub type Subjective = [bool; 4];

/// Puts both halves together.
pub fn finish(objective: &Objective, won: Subjective) -> Final {
    let raw = [objective.effectiveness, objective.novelty, objective.detailedness, objective.feasibility];
    let mut dimensions = [Dimension::default(); 4];
    for (dimension, (raw, won)) in dimensions.iter_mut().zip(raw.into_iter().zip(won)) {
        let (objective, subjective) = (raw * 10.0, if won { 100.0 } else { 0.0 });
        *dimension = Dimension { objective, subjective, value: f64::midpoint(objective, subjective) };
    }
    let score = dimensions.iter().map(|dimension| dimension.value).sum::<f64>() / 4.0;
    Final { dimensions, score }
}

/// Who won by these counts.
pub fn won(counts: &[Count; 5]) -> Subjective {
    std::array::from_fn(|respect| counts[respect].result(gate(respect)) == "win")
}

/// Names of the dimensions.
pub const NAMES: [&str; 4] = [RESPECTS[0], RESPECTS[1], RESPECTS[2], RESPECTS[3]];
