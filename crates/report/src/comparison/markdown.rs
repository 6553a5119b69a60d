//! A comparison in Markdown, fit for a comment on a pull request.

use super::told::{detectable, evidence, interval, movements, p_value, pairing, result, signed, step};
use super::{Comparison, Evidences};
use crate::escape::{excerpt, markdown};
use crate::markdown::table;
use crate::number::column;

/// Cases of a metric, and slices, that a comment has room for.
const CHANGES: usize = 10;
const SLICES: usize = 30;

impl Comparison {
    /// The comparison as a Markdown page.
    pub fn to_markdown(&self, evidences: &Evidences) -> String {
        let mut text = format!("# Comparison with {}\n\n", markdown(&excerpt(&self.baseline, 100)));
        for (at, other) in self.others.iter().enumerate() {
            let name = excerpt(&other.name, 100);
            text.push_str(&format!("## {}\n\n{}.\n\n", markdown(&name), pairing(other.pairing)));
            for gate in &other.gates {
                let sign = if gate.passed { "✅" } else { "❌" };
                text.push_str(&format!("- {sign} {}\n", markdown(&gate.to_string())));
            }
            if !other.gates.is_empty() {
                text.push('\n');
            }
            let rows = other.metrics.iter().filter_map(|metric| {
                let whole = metric.whole.as_ref()?;
                Some(vec![
                    metric.metric.clone(),
                    column(whole.baseline),
                    column(whole.other),
                    signed(whole.contrast.mean),
                    interval(whole),
                    p_value(whole.adjusted),
                    detectable(whole),
                    whole.contrast.pairs.to_string(),
                    whole.verdict().to_owned(),
                ])
            });
            let heads = [
                "metric",
                "baseline",
                "other",
                "difference",
                "95 % interval",
                "p (Holm)",
                "detectable",
                "pairs",
                "verdict",
            ];
            text.push_str(&table(&heads, rows));
            if let Some(by) = &self.by {
                let rows = other.metrics.iter().flat_map(|metric| {
                    metric.slices.iter().map(|slice| {
                        vec![
                            format!("{}, {}", excerpt(&slice.slice, 60), metric.metric),
                            column(slice.finding.baseline),
                            column(slice.finding.other),
                            signed(slice.finding.contrast.mean),
                            interval(&slice.finding),
                            p_value(slice.finding.adjusted),
                            slice.finding.contrast.pairs.to_string(),
                        ]
                    })
                });
                let by = format!("by {by}");
                let heads = [by.as_str(), "baseline", "other", "difference", "95 % interval", "p", "pairs"];
                text.push_str(&table(&heads, rows.take(SLICES)));
            }
            for metric in other.metrics.iter().filter(|metric| !metric.changes.is_empty()) {
                text.push_str(&format!(
                    "<details><summary>{}: {}</summary>\n\n",
                    crate::escape::html(&metric.metric),
                    movements(metric)
                ));
                let rows = metric.changes.iter().take(CHANGES).map(|change| {
                    let why = |run| result(evidences, change, run, &metric.metric).map(evidence).unwrap_or_default();
                    vec![excerpt(&change.case.id, 60), step(change), why(0), why(at + 1)]
                });
                text.push_str(&table(&["case", "value", "evidence in the baseline", "evidence in the other"], rows));
                text.push_str("</details>\n\n");
            }
        }
        for note in &self.notes {
            text.push_str(&format!("- note: {}\n", markdown(note)));
        }
        text
    }
}
