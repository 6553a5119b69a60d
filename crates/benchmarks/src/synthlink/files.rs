//! The files of a scored run, and the text for the terminal.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use probare_report::{escape, wrap};
use probare_stats::Interval;
use probare_text::python::{fixed, repr_float};

use crate::printing::PRINTED;

use super::{Catalogue, CategoryMeans, SynthLinkSummary, SystemScores};

/// Columns of the measures and of the aggregate.
pub const COLUMNS: [&str; 6] = ["f1", "p_at_5", "rqs", "fcs", "ie", "aggregate_score"];

/// Head of the column with the interval that stands in tables for readers: that of the aggregate.
pub(super) const INTERVAL: &str = "aggregate's 95 % interval";

/// Name of the file with one row per question.
pub const SCORES: &str = "synthlink_scores.csv";
/// Name of the file with one row per category.
pub const CATEGORIES: &str = "synthlink_category_scores.csv";
/// Name of the file with the overall score.
pub const OVERALL: &str = "synthlink_overall_score.txt";
/// Name of the file with the intervals.
pub const INTERVALS: &str = "synthlink_intervals.csv";

/// Names of all files of a system, in order.
pub const NAMES: [&str; 4] = [SCORES, CATEGORIES, OVERALL, INTERVALS];

/// The three published files and the intervals, for `folder`. `prefix` stands before each name: empty for the published
/// numbers.
pub fn output_files(
    folder: &Path,
    prefix: &str,
    catalogue: &Catalogue,
    scores: &SystemScores,
    summary: &SynthLinkSummary,
) -> Vec<(PathBuf, String)> {
    let contents =
        [scores_csv(catalogue, scores), categories_csv(summary), overall_text(summary), intervals_csv(summary)];
    NAMES.iter().zip(contents).map(|(name, content)| (folder.join(format!("{prefix}{name}")), content)).collect()
}

/// One row per question, in the order of the catalogue.
pub fn scores_csv(catalogue: &Catalogue, scores: &SystemScores) -> String {
    let mut csv = format!("question_id,category,{}\n", COLUMNS.join(","));
    for row in &scores.rows {
        let question = &catalogue.questions()[row.question];
        let _ = write!(csv, "{},{}", escape::csv(&question.id), escape::csv(&question.category));
        numbers(&mut csv, row.with_aggregate());
    }
    csv
}

/// Means per category, by name.
pub fn categories_csv(summary: &SynthLinkSummary) -> String {
    let mut csv = format!("category,{}\n", COLUMNS.join(","));
    for group in &summary.categories {
        let Some(means) = group.means else { continue };
        csv.push_str(&escape::csv(group.category.as_deref().unwrap_or_default()));
        numbers(&mut csv, means);
    }
    csv
}

/// The overall score to four decimals, without a final newline. The published form has a number also where there are no rows.
pub fn overall_text(summary: &SynthLinkSummary) -> String {
    format!("Overall Aggregate Score: {}", fixed(summary.overall.aggregate().unwrap_or(0.0), 4))
}

/// Every mean with its denominator and its 95 % interval; a group of fewer than two rows has no interval.
pub fn intervals_csv(summary: &SynthLinkSummary) -> String {
    let mut csv = "category,measure,rows,answered,total,mean,low,high\n".to_owned();
    for group in summary.categories.iter().chain([&summary.overall]) {
        let name = group.category.as_deref().unwrap_or("overall");
        for (at, column) in COLUMNS.iter().enumerate() {
            let CategoryMeans { rows, answered, total, intervals, .. } = group;
            let ends = match intervals[at] {
                Some(Interval { low, high }) => format!("{},{}", repr_float(low), repr_float(high)),
                None => ",".to_owned(),
            };
            let mean = group.mean(at).map(repr_float).unwrap_or_default();
            let _ = writeln!(csv, "{},{column},{rows},{answered},{total},{mean},{ends}", escape::csv(name));
        }
    }
    csv
}

fn numbers(csv: &mut String, values: [f64; 6]) {
    for value in values {
        csv.push(',');
        csv.push_str(&repr_float(value));
    }
    csv.push('\n');
}

/// What is printed: the overall score, the coverage, and a table of categories.
pub fn terminal(summary: &SynthLinkSummary) -> String {
    let overall = &summary.overall;
    let score = overall.aggregate().map_or_else(|| "incomplete".to_owned(), |score| fixed(score, 4));
    let mut text = format!("Overall Score: {score}\n\nCategory Scores:\n");
    let mut lines = vec![head()];
    lines.extend(summary.categories.iter().chain([overall]).map(line));
    text.push_str(&align_columns(&lines));
    let intervals = summary
        .categories
        .iter()
        .chain([overall])
        .map(|group| format!("{} {}", escape::terminal(name(group)), format_interval(group.intervals[5])));
    let intervals: Vec<String> = intervals.collect();
    text.push('\n');
    wrap(&format!("{INTERVAL}: {}.", intervals.join(", ")), "", "", PRINTED, &mut text);
    let counted = match (overall.rows, overall.answered) {
        (0, _) => "there is no mean of nothing",
        (rows, answered) if rows > answered => "the others count as zero",
        _ => "means cover these",
    };
    let _ = writeln!(text, "\nAnswered {}/{}; {counted}.", overall.answered, overall.total);
    text
}

fn head() -> Vec<String> {
    let mut cells = vec!["category".to_owned(), "answered".to_owned()];
    cells.extend(COLUMNS.map(str::to_owned));
    cells
}

fn name(group: &CategoryMeans) -> &str {
    group.category.as_deref().unwrap_or("overall")
}

fn line(group: &CategoryMeans) -> Vec<String> {
    let mut cells = vec![escape::terminal(name(group)).into_owned(), format!("{}/{}", group.answered, group.total)];
    cells.extend((0..6).map(|at| format_mean(group.mean(at), 4)));
    cells
}

/// A mean with so many decimals, or a dash.
pub(super) fn format_mean(mean: Option<f64>, decimals: usize) -> String {
    mean.map_or_else(|| "-".to_owned(), |mean| fixed(mean, decimals))
}

/// `0.41 to 0.56`, or a dash.
pub(super) fn format_interval(interval: Option<Interval>) -> String {
    match interval {
        Some(Interval { low, high }) => format!("{} to {}", fixed(low, 4), fixed(high, 4)),
        None => "-".to_owned(),
    }
}

/// Cells in columns: the first to the left, the others to the right.
pub(super) fn align_columns(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let _ = if column == 0 { write!(row, "{cell:width$}") } else { write!(row, "  {cell:>width$}") };
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}
