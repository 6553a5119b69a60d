//! The overall score: the mean of the tasks, each rounded to two decimals as Python rounds.

use probare_text::python::{fixed, round};

use super::Subtask;
use super::aggregate::mean;

/// A task's value from the metric of its records, from 0 to 100 with two decimals.
pub fn task_score(subtask: Subtask, values: &[f64]) -> f64 {
    let scale = if subtask == Subtask::IdeaGeneration { 1.0 } else { 100.0 };
    round(mean(values) * scale, 2)
}

/// The mean of all tasks with two decimals.
pub fn overall_text(tasks: &[f64]) -> String {
    fixed(mean(tasks), 2)
}
