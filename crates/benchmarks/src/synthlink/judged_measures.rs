//! Reasoning and claims as a model judges them, beside the published measures and never in their place.

use std::fmt::Write as _;

use probare_core::{CaseResult, Outcome};
use probare_report::escape;
use probare_stats::mean;
use probare_text::python::{fixed, repr_float};
use serde_json::{Value as Json, json};

use super::{Catalogue, QuestionScores, files};

/// The judged measures: names in reports, and metrics.
pub(super) const JUDGED: [(&str, &str); 2] = [("judged rqs", "judge_steps"), ("judged fcs", "judge_claims")];

/// The file with a row for each question.
pub(super) const FILE: &str = "synthlink_judged_scores.csv";

/// What a model says of one question: reasoning steps and claims. Nothing where it gave no verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct JudgedRow {
    pub(super) question: usize,
    pub(super) values: [Option<f64>; 2],
}

impl JudgedRow {
    /// The verdicts among the results of a case; `places` are those of the two metrics.
    pub(super) fn from_result(question: usize, result: &CaseResult, places: [Option<usize>; 2]) -> Self {
        let value = |place: Option<usize>| {
            let named = result.results.get(place?)?.as_ref().ok()?;
            named.score().map(|score| score.value.get())
        };
        Self { question, values: places.map(value) }
    }
}

/// Whether the case was asked about at all: one without a prediction is left out.
pub(super) fn was_judged(result: &CaseResult, places: [Option<usize>; 2]) -> bool {
    let left_out = |place: Option<usize>| {
        place.is_none_or(|at| matches!(result.results.get(at), None | Some(Ok(Outcome::NotApplicable { .. }))))
    };
    !places.into_iter().all(left_out)
}

/// One row a question: the published value and the judged one of both measures. Where there is no verdict the cell is empty.
pub(super) fn csv(catalogue: &Catalogue, published: &[QuestionScores], judged: &[JudgedRow]) -> String {
    let mut csv = "question_id,category,rqs,judged_rqs,fcs,judged_fcs\n".to_owned();
    for row in judged {
        let question = &catalogue.questions()[row.question];
        let own = published.iter().find(|own| own.question == row.question).map(QuestionScores::with_aggregate);
        let shown = |value: Option<f64>| value.map(repr_float).unwrap_or_default();
        let _ = writeln!(
            csv,
            "{},{},{},{},{},{}",
            escape::csv(&question.id),
            escape::csv(&question.category),
            shown(own.map(|own| own[2])),
            shown(row.values[0]),
            shown(own.map(|own| own[3])),
            shown(row.values[1]),
        );
    }
    csv
}

/// The means of both measures over the questions with a verdict, each with that number.
fn means(judged: &[JudgedRow]) -> [(Option<f64>, usize); 2] {
    [0, 1].map(|at| {
        let values: Vec<f64> = judged.iter().filter_map(|row| row.values[at]).collect();
        (mean(&values), values.len())
    })
}

/// What is printed: each judged mean beside the published one, with its denominator.
pub(super) fn terminal(published: [Option<f64>; 2], judged: &[JudgedRow]) -> String {
    let mut text = "\nJudged by a model (beside the published measures):\n".to_owned();
    for ((name, (mean, count)), own) in ["rqs", "fcs"].iter().zip(means(judged)).zip(published) {
        let shown = mean.map_or_else(|| "no verdict".to_owned(), |mean| fixed(mean, 4));
        let _ = writeln!(
            text,
            "  {name}  {shown} over {count} of {}; published {}",
            judged.len(),
            files::format_mean(own, 4)
        );
    }
    text
}

/// The same as JSON.
pub(super) fn json(judged: &[JudgedRow]) -> Json {
    let [(rqs, rqs_count), (fcs, fcs_count)] = means(judged);
    json!({"rqs": {"mean": rqs, "verdicts": rqs_count}, "fcs": {"mean": fcs, "verdicts": fcs_count}, "questions": judged.len()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_their_denominators_and_no_verdict_is_no_zero() {
        let row = |rqs, fcs| JudgedRow { question: 0, values: [rqs, fcs] };
        let rows = [row(Some(1.0), None), row(Some(0.5), None)];
        assert_eq!(means(&rows), [(Some(0.75), 2), (None, 0)]);
        let text = terminal([Some(0.5), None], &rows);
        assert!(text.contains("rqs  0.7500 over 2 of 2; published 0.5000"), "{text}");
        assert!(text.contains("fcs  no verdict over 0 of 2; published -"), "{text}");
        assert_eq!(json(&rows)["fcs"]["mean"], Json::Null);
    }
}
