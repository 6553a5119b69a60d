//! Tables: the summary and the single answers as CSV, and a short one for the terminal.

use std::fmt::Write as _;

use probare_report::{escape, wrap};
use probare_text::python::repr_float;

use crate::printing::PRINTED;
use crate::socioscope::input::Fixture;
use crate::socioscope::{ScoreGroup, SocioscopeEvaluation, SocioscopeSummary, UNKNOWN_SOURCE};

/// Means of all groups with their denominators; both readings where both were computed.
pub fn summary_csv(summary: &SocioscopeSummary, improved: Option<&SocioscopeSummary>) -> String {
    let mut csv = "measure,group,name,mean,n,nulls,min,max,standard_deviation\n".to_owned();
    let mut line = |measure: &str, group: &str, name: &str, values: &ScoreGroup| {
        let number = |value: Option<f64>| value.map(repr_float).unwrap_or_default();
        let _ = writeln!(
            csv,
            "{measure},{group},{},{},{},{},{},{},{}",
            escape::csv(name),
            number(values.mean()),
            values.values.len(),
            values.nulls,
            number(values.min()),
            number(values.max()),
            number(values.standard_deviation())
        );
    };
    for (measure, summary) in [("score", Some(summary)), ("improved_score", improved)] {
        let Some(summary) = summary else { continue };
        line(measure, "overall", "", &summary.overall);
        summary.transcripts.iter().for_each(|(name, group)| line(measure, "transcript", name, group));
        summary.types.iter().for_each(|(name, group)| line(measure, "type", name, group));
        summary.models.iter().for_each(|(name, group)| line(measure, "model", name, group));
    }
    line("existence_score", "overall", "", &summary.verbatim);
    line("existence_score_normalised", "overall", "", &summary.verbatim_normalised);
    summary.verbatim_transcripts.iter().for_each(|(name, group)| line("existence_score", "transcript", name, group));
    summary.verbatim_models.iter().for_each(|(name, group)| line("existence_score", "model", name, group));
    csv
}

/// One row per answer.
pub fn answers_csv(fixture: &Fixture, evaluation: &SocioscopeEvaluation) -> String {
    let has_improved = evaluation.pairs.iter().flat_map(|pair| &pair.answers).any(|answer| answer.improved.is_some());
    let mut csv = "id,answer,type,source,model,score,raw,matched,flags".to_owned();
    csv.push_str(if has_improved { ",improved_score,improved_matched" } else { "" });
    csv.push_str(",citations,existence_score,existence_score_normalised\n");
    for (pair, result) in fixture.pairs.iter().zip(&evaluation.pairs) {
        for (index, (answer, graded)) in pair.answers.iter().zip(&result.answers).enumerate() {
            let names = |values: &[usize]| {
                values
                    .iter()
                    .filter_map(|value| result.values.get(*value))
                    .map(|(name, _)| name.as_str())
                    .collect::<Vec<_>>()
                    .join("; ")
            };
            let number = |value: Option<f64>| value.map(repr_float).unwrap_or_default();
            let grade = graded.grade.as_ref();
            let flags: Vec<&str> =
                grade.map(|grade| grade.flags.iter().map(|flag| flag.name()).collect()).unwrap_or_default();
            let _ = write!(
                csv,
                "{},{index},{},{},{},{},{},{},{}",
                escape::csv(&pair.id),
                escape::csv(&pair.kind),
                escape::csv(answer.source.as_deref().unwrap_or(UNKNOWN_SOURCE)),
                escape::csv(answer.model.as_deref().unwrap_or_default()),
                number(grade.map(|grade| grade.score)),
                number(grade.and_then(|grade| grade.raw)),
                escape::csv(&grade.map(|grade| names(&grade.matched)).unwrap_or_default()),
                escape::csv(&flags.join("; "))
            );
            if has_improved {
                let improved = graded.improved.as_ref();
                let matched = improved.map(|grade| names(&grade.matched)).unwrap_or_default();
                let _ = write!(csv, ",{},{}", number(improved.map(|grade| grade.score)), escape::csv(&matched));
            }
            let existence = graded.existence;
            let _ = writeln!(
                csv,
                ",{},{},{}",
                existence.citations,
                number(existence.score()),
                number(existence.score_normalised())
            );
        }
    }
    csv
}

/// What is printed: means by transcript with their denominators.
pub fn terminal(summary: &SocioscopeSummary, improved: Option<&SocioscopeSummary>) -> String {
    let mean = |group: Option<&ScoreGroup>| {
        group.and_then(ScoreGroup::mean).map_or_else(|| "n/a".to_owned(), |mean| format!("{mean:.4}"))
    };
    let mut rows = vec![vec!["transcript".to_owned(), "answers".to_owned(), "score".to_owned()]];
    if improved.is_some() {
        rows[0].push("improved".to_owned());
    }
    rows[0].push("verbatim".to_owned());
    let mut row =
        |name: &str, scores: &ScoreGroup, improved: Option<Option<&ScoreGroup>>, verbatim: Option<&ScoreGroup>| {
            let answers = scores.values.len() + scores.nulls;
            let mut cells = vec![escape::terminal(name).into_owned(), answers.to_string(), mean(Some(scores))];
            cells.extend(improved.map(mean));
            cells.push(mean(verbatim));
            rows.push(cells);
        };
    for (name, scores) in &summary.transcripts {
        let improved = improved.map(|improved| improved.transcripts.get(name));
        row(name, scores, improved, summary.verbatim_transcripts.get(name));
    }
    row("overall", &summary.overall, improved.map(|improved| Some(&improved.overall)), Some(&summary.verbatim));
    let widths: Vec<usize> = (0..rows[0].len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for cells in &rows {
        let mut line = String::new();
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            let _ = if column == 0 { write!(line, "{cell:width$}") } else { write!(line, "  {cell:>width$}") };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let statuses: Vec<String> =
        summary.statuses.iter().map(|(status, count)| format!("{} {count}", status.name())).collect();
    if !statuses.is_empty() {
        text.push('\n');
        wrap(&format!("Quotations: {}.", statuses.join(", ")), "", "", PRINTED, &mut text);
    }
    text
}
