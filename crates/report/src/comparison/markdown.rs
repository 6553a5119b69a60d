//! A comparison in Markdown, fit for a comment on a pull request.

use super::columns::{COLUMNS, DifferenceColumn};
use super::phrases::{case_name, evidence, movements, pairing, result, step};
use super::{ComparedRun, EvidenceByCase, MetricDifference, RunComparison};
use crate::escape::{excerpt, markdown};
use crate::markdown::table;
use crate::number::count_with_noun;

/// Cases of a metric, and slices, that a comment has room for.
const CHANGES: usize = 10;
const SLICES: usize = 30;

/// Bytes of the whole page: a comment on GitHub may have 65,536 characters.
const BYTES: usize = 60_000;

/// A page that stays short enough for a comment.
struct Page {
    text: String,
    left_out: u64,
}

impl Page {
    /// Adds a part whole, or not at all where there is no room for it.
    fn push(&mut self, part: &str) {
        if self.text.len() + part.len() <= BYTES {
            self.text.push_str(part);
        } else {
            self.left_out += 1;
        }
    }
}

impl RunComparison {
    /// The comparison as a Markdown page.
    pub fn to_markdown(&self, evidences: &EvidenceByCase) -> String {
        let mut page = Page { text: String::new(), left_out: 0 };
        page.push(&format!("# Comparison with {}\n\n", markdown(&excerpt(&self.baseline, 100))));
        // What decides stands first, so that it is there also where there is no room for the cases.
        for other in &self.others {
            for part in self.numbers(other) {
                page.push(&part);
            }
        }
        for (at, other) in self.others.iter().enumerate() {
            for part in cases(at, other, self.others.len() > 1, evidences) {
                page.push(&part);
            }
        }
        page.push(&format!("- {}\n", markdown(&self.rule)));
        if let Some(cluster) = &self.cluster {
            page.push(&format!("- intervals and p: by clusters of {}\n", markdown(cluster)));
        }
        for note in &self.notes {
            page.push(&format!("- note: {}\n", markdown(note)));
        }
        if page.left_out > 0 {
            let parts = count_with_noun(page.left_out, "part is", "parts are");
            page.text.push_str(&format!("\n{parts} omitted: the page would not fit into a comment.\n"));
        }
        page.text
    }

    /// Limits, differences and slices of a run.
    fn numbers(&self, other: &ComparedRun) -> Vec<String> {
        let mut parts = Vec::new();
        let name = excerpt(&other.name, 100);
        let mut text = format!("## {}\n\n{}.\n\n", markdown(&name), pairing(other.pairing));
        for gate in &other.gates {
            let sign = if gate.passed { "✅" } else { "❌" };
            text.push_str(&format!("- {sign} {}\n", markdown(&gate.to_string())));
        }
        if !other.gates.is_empty() {
            text.push('\n');
        }
        let rows = other.metrics.iter().filter_map(|metric| {
            let whole = metric.whole.as_ref()?;
            Some(cells(metric.metric.clone(), COLUMNS.iter(), whole))
        });
        text.push_str(&table(&heads("metric", COLUMNS.iter()), rows));
        parts.push(text);
        for (by, slices) in self.parts() {
            let rows = other.metrics.iter().flat_map(|metric| {
                slices(metric).iter().map(|slice| {
                    let name = format!("{}, {}", excerpt(&slice.slice, 60), metric.metric);
                    cells(name, DifferenceColumn::of_slices(), &slice.finding)
                })
            });
            let rows: Vec<Vec<String>> = rows.take(SLICES).collect();
            if !rows.is_empty() {
                parts.push(table(&heads(&format!("by {by}"), DifferenceColumn::of_slices()), rows));
            }
        }
        parts
    }
}

fn heads(first: &str, columns: impl Iterator<Item = &'static DifferenceColumn>) -> Vec<&str> {
    std::iter::once(first).chain(columns.map(|column| column.head)).collect()
}

fn cells(
    name: String,
    columns: impl Iterator<Item = &'static DifferenceColumn>,
    finding: &MetricDifference,
) -> Vec<String> {
    std::iter::once(name).chain(columns.map(|column| (column.cell)(finding))).collect()
}

/// The cases that changed, a metric at a time.
fn cases(at: usize, other: &ComparedRun, is_named: bool, evidences: &EvidenceByCase) -> Vec<String> {
    let mut parts = Vec::new();
    for metric in other.metrics.iter().filter(|metric| !metric.changes.is_empty()) {
        let name =
            if is_named { format!("{}, {}", excerpt(&other.name, 60), metric.metric) } else { metric.metric.clone() };
        let mut text = format!("<details><summary>{}: {}</summary>\n\n", crate::escape::html(&name), movements(metric));
        let rows = metric.changes.iter().take(CHANGES).map(|change| {
            let why = |run| result(evidences, change, run, &metric.metric).map(evidence).unwrap_or_default();
            vec![case_name(change, 60), step(change), why(0), why(at + 1)]
        });
        text.push_str(&table(&["case", "value", "evidence in the baseline", "evidence in the other"], rows));
        text.push_str("</details>\n\n");
        parts.push(text);
    }
    parts
}
