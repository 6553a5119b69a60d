//! A comparison on a terminal.

use super::phrases::{
    adjusted_interval_text, case_name, detectable, evidence, interval, movements, p_value, pairing, result, signed,
    step,
};
use super::{ComparedRun, EvidenceByCase, MetricComparison, RunComparison, Slice};
use crate::escape::{excerpt, terminal};
use crate::number::three_decimals;
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
                let word = look.mark(if gate.passed { "32" } else { "31" }, word);
                text.push_str(&format!("{word}: {}\n", terminal(rest)));
            }
            text.push('\n');
        }
        for note in &self.notes {
            text.push_str(&format!("note: {}\n", terminal(note)));
        }
        text.push_str(
            "difference: other minus baseline\ndetectable: the least difference that so many pairs show in four of five \
             tries\n",
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
    let mut baseline = TextColumn::right("baseline").goes(3);
    let mut mean = TextColumn::right("other").goes(3);
    let mut difference = TextColumn::right("difference");
    let mut ends = TextColumn::right("95 % interval");
    let mut p = TextColumn::right("p").goes(4);
    let mut adjusted = TextColumn::right("adjusted p");
    let mut adjusted_ends = TextColumn::right("adjusted interval").goes(1);
    let mut least = TextColumn::right("detectable").goes(2);
    let mut pairs = TextColumn::right("pairs").goes(3);
    let mut verdict = TextColumn::left("verdict");
    for measured in &other.metrics {
        metric.push(terminal(&measured.metric));
        let whole = measured.whole.as_ref();
        let cell = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        baseline.push(cell(whole.map(|whole| three_decimals(whole.baseline))));
        mean.push(cell(whole.map(|whole| three_decimals(whole.other))));
        difference.push(cell(whole.map(|whole| signed(whole.contrast.mean))));
        ends.push(cell(whole.map(interval)));
        p.push(cell(whole.map(|whole| p_value(whole.contrast.p_value))));
        adjusted.push(cell(whole.map(|whole| p_value(whole.adjusted))));
        adjusted_ends.push(cell(whole.map(adjusted_interval_text)));
        least.push(cell(whole.map(detectable)));
        pairs.push(cell(whole.map(|whole| whole.contrast.pairs.to_string())));
        verdict.push(whole.map_or("no pair was scored", super::MetricDifference::verdict));
    }
    TextTable::new(vec![metric, baseline, mean, difference, ends, p, adjusted_ends, adjusted, least, pairs, verdict])
}

fn slices(other: &ComparedRun, by: &str, parts: fn(&MetricComparison) -> &[Slice]) -> TextTable {
    let mut metric = TextColumn::left("metric");
    let mut name = TextColumn::left(&terminal(by));
    let mut baseline = TextColumn::right("baseline").goes(2);
    let mut mean = TextColumn::right("other").goes(2);
    let mut difference = TextColumn::right("difference");
    let mut ends = TextColumn::right("95 % interval").goes(1);
    let mut p = TextColumn::right("p").goes(3);
    let mut adjusted = TextColumn::right("adjusted p");
    let mut pairs = TextColumn::right("pairs");
    for measured in &other.metrics {
        for slice in parts(measured) {
            metric.push(terminal(&measured.metric));
            name.push(terminal(&slice.slice));
            baseline.push(three_decimals(slice.finding.baseline));
            mean.push(three_decimals(slice.finding.other));
            difference.push(signed(slice.finding.contrast.mean));
            ends.push(interval(&slice.finding));
            p.push(p_value(slice.finding.contrast.p_value));
            adjusted.push(p_value(slice.finding.adjusted));
            pairs.push(slice.finding.contrast.pairs.to_string());
        }
    }
    TextTable::new(vec![metric, name, baseline, mean, difference, ends, p, adjusted, pairs])
}

fn changes(metric: &MetricComparison, evidences: &EvidenceByCase, run: usize, look: TerminalStyle) -> String {
    let mut text = format!("{}: {}\n", look.strong(&terminal(&metric.metric)), movements(metric));
    for change in metric.changes.iter().take(CHANGES) {
        let code = if change.improved { "32" } else { "31" };
        let word = look.mark(code, if change.improved { "better" } else { "worse" });
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
