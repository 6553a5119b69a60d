//! The final score of an idea: objective and subjective halves of four dimensions.

use super::ObjectiveScores;
use super::votes::{RESPECTS, VoteCount, win_threshold};

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

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FinalScore {
    /// Effectiveness, novelty, detailedness, feasibility.
    pub dimensions: [Dimension; 4],
    /// Their mean, from 0 to 100.
    pub score: f64,
}

/// Who won in each of the four respects that count.
pub type RespectWins = [bool; 4];

/// Puts both halves together.
pub fn final_score(objective: &ObjectiveScores, won: RespectWins) -> FinalScore {
    let raw = [objective.effectiveness, objective.novelty, objective.detailedness, objective.feasibility];
    let mut dimensions = [Dimension::default(); 4];
    for (dimension, (raw, won)) in dimensions.iter_mut().zip(raw.into_iter().zip(won)) {
        let (objective, subjective) = (raw * 10.0, if won { 100.0 } else { 0.0 });
        *dimension = Dimension { objective, subjective, value: f64::midpoint(objective, subjective) };
    }
    let score = dimensions.iter().map(|dimension| dimension.value).sum::<f64>() / 4.0;
    FinalScore { dimensions, score }
}

/// Who won by these counts.
pub fn won_respects(counts: &[VoteCount; 5]) -> RespectWins {
    std::array::from_fn(|respect| counts[respect].result(win_threshold(respect)) == "win")
}

/// Names of the dimensions.
pub const DIMENSION_NAMES: [&str; 4] = [RESPECTS[0], RESPECTS[1], RESPECTS[2], RESPECTS[3]];
