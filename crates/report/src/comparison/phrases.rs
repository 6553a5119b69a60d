//! Words that all forms of a comparison share.

use probare_core::{Evidence, MetricResult, Outcome};
use probare_stats::Interval;

use super::cases::{EvidenceByCase, Pairing};
use super::measure::{CaseChange, MetricComparison, MetricDifference};
use crate::escape::excerpt;
pub(crate) use crate::number::signed;
use crate::number::{count_with_noun, rounded, three_decimals};

/// The interval of a difference; a dash where there is none.
pub(super) fn interval(finding: &MetricDifference) -> String {
    ends(finding.contrast.interval)
}

/// The same with regard to all other tests.
pub(super) fn adjusted_interval_text(finding: &MetricDifference) -> String {
    ends(finding.interval_adjusted)
}

/// An interval of differences; a dash where there is none.
pub(crate) fn ends(ends: Option<Interval>) -> String {
    ends.map_or_else(|| "–".to_owned(), |ends| format!("{} to {}", signed(ends.low), signed(ends.high)))
}

/// A p value with three digits.
pub(crate) fn p_value(value: f64) -> String {
    if value < 0.001 { "< 0.001".to_owned() } else { format!("{value:.3}") }
}

/// The least difference that would have been found.
pub(super) fn detectable(finding: &MetricDifference) -> String {
    finding.detectable.map_or_else(|| "–".to_owned(), three_decimals)
}

/// How cases were paired, in a sentence.
pub(super) fn pairing(pairing: Pairing) -> String {
    let mut text = count_with_noun(pairing.matched, "case in both", "cases in both");
    for (number, words) in [
        (pairing.only_baseline, "only in the baseline"),
        (pairing.only_other, "only in the other"),
        (pairing.different_content, "with the same id but another question or reference, not compared"),
    ] {
        if number > 0 {
            text.push_str(&format!(", {number} {words}"));
        }
    }
    text
}

/// How many cases went where, in a sentence.
pub(super) fn movements(metric: &MetricComparison) -> String {
    let mut text = format!("{} better, {} worse", metric.improved, metric.worsened);
    if !metric.models.is_empty() {
        text.push_str(" of the outputs of all models");
    }
    if metric.flipped_to_good + metric.flipped_to_bad > 0 {
        text.push_str(&format!("; {} flipped to good, {} to bad", metric.flipped_to_good, metric.flipped_to_bad));
    }
    for (number, words) in [
        (metric.only_baseline_scored, "scored in the baseline only"),
        (metric.only_other_scored, "scored in the other only"),
    ] {
        if number > 0 {
            text.push_str(&format!("; {number} {words}"));
        }
    }
    text
}

/// The case that changed, with the model where the runs have several.
pub(super) fn case_name(change: &CaseChange, most: usize) -> String {
    let id = excerpt(&change.case.id, most);
    change.case.model.as_ref().map_or_else(|| id.clone(), |model| format!("{id} ({})", excerpt(model, most)))
}

/// From one value to the other.
pub(super) fn step(change: &CaseChange) -> String {
    format!("{} → {}", rounded(change.baseline), rounded(change.other))
}

/// What the run at this place, counted from the baseline, says of a changed case.
pub(super) fn result<'a>(
    evidences: &'a EvidenceByCase,
    change: &CaseChange,
    run: usize,
    metric: &str,
) -> Option<&'a MetricResult> {
    let seen = evidences.get(&change.case)?.get(run)?.as_ref()?;
    seen.named.iter().find(|(info, _)| info.name == metric).map(|(_, named)| named)
}

/// The question of a changed case, from the first of both runs that has it.
pub(super) fn question<'a>(evidences: &'a EvidenceByCase, change: &CaseChange, run: usize) -> Option<&'a str> {
    let runs = evidences.get(&change.case)?;
    [0, run].into_iter().find_map(|at| runs.get(at)?.as_ref()?.case.as_ref()?.query.as_deref())
}

/// The first pieces of evidence in one line.
pub(super) fn evidence(named: &MetricResult) -> String {
    match named {
        Ok(outcome @ (Outcome::Scored(_) | Outcome::Labelled(_))) => pieces(outcome.evidence()),
        Ok(Outcome::NotApplicable { reason }) => excerpt(reason, 100),
        Err(error) => excerpt(&error.to_string(), 100),
    }
}

fn pieces(evidence: &[Evidence]) -> String {
    let pieces: Vec<String> = (evidence.iter().take(3))
        .map(|piece| match &piece.note {
            Some(note) if piece.text.is_empty() => format!("{} {}", piece.kind.name(), excerpt(note, 60)),
            _ => format!("{} “{}”", piece.kind.name(), excerpt(&piece.text, 60)),
        })
        .collect();
    pieces.join(", ")
}
