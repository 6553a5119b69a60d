//! A comparison on a terminal.

use super::columns::{COLUMNS, DifferenceColumn};
use super::phrases::{case_name, evidence, movements, pairing, result, step};
use super::{ComparedRun, EvidenceByCase, MetricComparison, RunComparison, Slice};
use crate::escape::{excerpt, terminal};
use crate::table::{TextColumn, TextTable};
use crate::{TerminalStyle, wrap};

/// Cases that are printed of a metric.
const CHANGES: usize = 5;

impl RunComparison {
    /// The comparison as text: one table for each other run, slices, the cases that changed most, the limits.
    pub fn to_terminal(&self, evidences: &EvidenceByCase, look: TerminalStyle) -> String {
        let mut text = String::new();
        let width = usize::from(look.width);
        for (at, other) in self.others.iter().enumerate() {
            let title = format!("{} against {}", excerpt(&other.name, 60), excerpt(&self.baseline, 60));
            text.push_str(&format!("{}\n", look.strong(&terminal(&title))));
            text.push_str(&format!("{}\n", pairing(other.pairing)));
            text.push_str(&table(other).render(width));
            for (by, parts) in self.parts() {
                if other.metrics.iter().any(|metric| !parts(metric).is_empty()) {
                    text.push_str(&slices(other, by, parts).render(width));
                }
            }
            for metric in &other.metrics {
                text.push_str(&changes(metric, evidences, at + 1, look));
            }
            for gate in &other.gates {
                let sentence = gate.to_string();
                let (word, rest) = sentence.split_once(": ").unwrap_or(("gate", &sentence));
                let word = look.good_or_bad(gate.passed, word);
                text.push_str(&format!("{word}: {}\n", terminal(rest)));
            }
            text.push('\n');
        }
        for note in &self.notes {
            text.push_str(&format!("note: {}\n", terminal(note)));
        }
        text.push_str(
            "difference: other minus baseline\ndetectable: the minimum detectable effect (80 % power) with this many \
             pairs\n",
        );
        if let Some(cluster) = &self.cluster {
            text.push_str(&format!("intervals and p: by clusters of `{}`\n", terminal(cluster)));
        }
        wrap(&self.rule, "", "", width, &mut text);
        text
    }
}

fn table(other: &ComparedRun) -> TextTable {
    let mut metric = TextColumn::left("metric");
    for measured in &other.metrics {
        metric.push(terminal(&measured.metric));
    }
    let rows = || other.metrics.iter().map(|measured| measured.whole.as_ref());
    TextTable::new(std::iter::once(metric).chain(COLUMNS.iter().map(|column| column.text(rows()))).collect())
}

fn slices(other: &ComparedRun, by: &str, parts: fn(&MetricComparison) -> &[Slice]) -> TextTable {
    let (mut metric, mut name) = (TextColumn::left("metric"), TextColumn::left(&terminal(by)));
    for measured in &other.metrics {
        for slice in parts(measured) {
            metric.push(terminal(&measured.metric));
            name.push(terminal(&slice.slice));
        }
    }
    let rows = || other.metrics.iter().flat_map(parts).map(|slice| Some(&slice.finding));
    TextTable::new(
        [metric, name].into_iter().chain(DifferenceColumn::of_slices().map(|column| column.text(rows()))).collect(),
    )
}

fn changes(metric: &MetricComparison, evidences: &EvidenceByCase, run: usize, look: TerminalStyle) -> String {
    let mut text = format!("{}: {}\n", look.strong(&terminal(&metric.metric)), movements(metric));
    for change in metric.changes.iter().take(CHANGES) {
        let word = look.good_or_bad(change.improved, if change.improved { "better" } else { "worse" });
        text.push_str(&format!("  {word} {}: {}", terminal(&case_name(change, 40)), step(change)));
        let why = result(evidences, change, run, &metric.metric).map(evidence).unwrap_or_default();
        // What does not fit into the line is on the page.
        let room = usize::from(look.width).saturating_sub(34);
        if !why.is_empty() {
            text.push_str(&format!("\n    {}", terminal(&excerpt(&why, room))));
        }
        text.push('\n');
    }
    let further = metric.improved + metric.worsened;
    if further > CHANGES as u64 {
        text.push_str(&format!("  and {} more, which the files have\n", further - CHANGES as u64));
    }
    text
}
