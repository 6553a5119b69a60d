//! Several systems on the same catalogue: who is ahead, by how much, and whether chance explains it.

use std::fmt::Write as _;

use probare_report::escape;
use probare_stats::{ConfidenceLevel, PairedDifference, paired_difference};
use probare_text::python::{fixed, repr_float};

use super::files::{COLUMNS, align_columns, format_interval};
use super::{QuestionScores, SystemScores};

/// Name of the file with the differences of every pair of systems.
pub const COMPARISON: &str = "synthlink_comparison.csv";

/// A named file of predictions and its scores.
#[derive(Debug, Clone, Copy)]
pub struct ScoredSystem<'a> {
    /// What tables call it.
    pub name: &'a str,
    /// Its rows.
    pub scores: &'a SystemScores,
}

/// The difference of two systems in one measure, over the questions that both have rows for.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemDifference {
    /// The system that is subtracted from.
    pub first: String,
    /// The system that is subtracted.
    pub second: String,
    /// The measure, or the aggregate.
    pub measure: &'static str,
    /// First minus second; nothing where they have no question in common.
    pub difference: Option<PairedDifference>,
}

/// All pairs of systems in the order given, all measures of a pair together.
pub fn differences(systems: &[ScoredSystem<'_>], seed: u64) -> Vec<SystemDifference> {
    let mut differences = Vec::new();
    for (at, first) in systems.iter().enumerate() {
        for second in &systems[at + 1..] {
            let pairs = pairs(&first.scores.rows, &second.scores.rows);
            for (column, measure) in COLUMNS.iter().enumerate() {
                let side = |pick: fn(&(QuestionScores, QuestionScores)) -> QuestionScores| -> Vec<f64> {
                    pairs.iter().map(|pair| pick(pair).with_aggregate()[column]).collect()
                };
                let (left, right) = (side(|pair| pair.0), side(|pair| pair.1));
                let difference = paired_difference(&left, &right, ConfidenceLevel::NINETY_FIVE, seed);
                let names = (first.name.to_owned(), second.name.to_owned());
                differences.push(SystemDifference { first: names.0, second: names.1, measure, difference });
            }
        }
    }
    differences
}

/// Rows of the same question. Both lists are in the order of the catalogue.
fn pairs(first: &[QuestionScores], second: &[QuestionScores]) -> Vec<(QuestionScores, QuestionScores)> {
    let mut rest = second.iter().peekable();
    first
        .iter()
        .filter_map(|left| {
            while rest.next_if(|right| right.question < left.question).is_some() {}
            rest.next_if(|right| right.question == left.question).map(|right| (*left, *right))
        })
        .collect()
}

/// The differences as a file.
pub fn csv(differences: &[SystemDifference]) -> String {
    let mut csv = "first,second,measure,pairs,difference,low,high,p_value\n".to_owned();
    for line in differences {
        let _ = write!(csv, "{},{},{}", escape::csv(&line.first), escape::csv(&line.second), line.measure);
        match line.difference {
            Some(PairedDifference { pairs, mean, interval, p_value }) => {
                let ends = interval.map_or_else(
                    || ",".to_owned(),
                    |interval| format!("{},{}", repr_float(interval.low), repr_float(interval.high)),
                );
                let _ = writeln!(csv, ",{pairs},{},{ends},{}", repr_float(mean), repr_float(p_value));
            }
            None => csv.push_str(",0,,,,\n"),
        }
    }
    csv
}

/// The differences of the aggregate for the terminal.
pub fn terminal(differences: &[SystemDifference]) -> String {
    let head = ["first", "second", "pairs", "difference", "95 % interval", "p"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    for line in differences.iter().filter(|line| line.measure == COLUMNS[5]) {
        let names = [&line.first, &line.second].map(|name| escape::terminal(name).into_owned());
        let numbers = match &line.difference {
            Some(found) => [
                found.pairs.to_string(),
                format!("{:+.4}", found.mean),
                format_interval(found.interval),
                fixed(found.p_value, 4),
            ],
            None => ["0", "-", "-", "-"].map(str::to_owned),
        };
        lines.push(names.into_iter().chain(numbers).collect());
    }
    format!("Paired differences of the aggregate:\n{}", align_columns(&lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(values: &[(usize, f64)]) -> SystemScores {
        let row = |(question, value): &(usize, f64)| QuestionScores {
            question: *question,
            is_answered: true,
            values: [*value; 5],
            aggregate: *value,
        };
        SystemScores { rows: values.iter().map(row).collect(), ..SystemScores::default() }
    }

    #[test]
    fn only_questions_that_both_have_are_compared() {
        let (first, second) = (scores(&[(0, 0.9), (2, 0.8), (5, 0.1)]), scores(&[(2, 0.3), (3, 1.0), (5, 0.0)]));
        let systems = [ScoredSystem { name: "a", scores: &first }, ScoredSystem { name: "b", scores: &second }];
        let found = differences(&systems, 1);
        assert_eq!(found.len(), 6);
        let aggregate = found[5].difference.unwrap();
        assert_eq!(aggregate.pairs, 2);
        assert!((aggregate.mean - 0.3).abs() < 1e-12);
        assert!(csv(&found).lines().nth(6).unwrap().starts_with("a,b,aggregate_score,2,0.3"));
    }

    #[test]
    fn systems_without_a_common_question_have_no_difference() {
        let (first, second) = (scores(&[(0, 0.9)]), scores(&[(1, 0.3)]));
        let systems = [ScoredSystem { name: "a", scores: &first }, ScoredSystem { name: "b", scores: &second }];
        let found = differences(&systems, 1);
        assert!(found.iter().all(|line| line.difference.is_none()));
        let line = terminal(&found).lines().last().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert_eq!(line.as_deref(), Some("a b 0 - - -"));
    }
}
