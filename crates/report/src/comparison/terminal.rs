//! A comparison on a terminal.

use super::told::{
    detectable, evidence, interval, interval_adjusted, movements, p_value, pairing, result, signed, step,
};
use super::{Comparison, Evidences, Measured, Other};
use crate::escape::{excerpt, terminal};
use crate::number::column;
use crate::table::{Column, Table};
use crate::{Look, wrap};

/// Cases that are printed of a metric.
const CHANGES: usize = 5;

impl Comparison {
    /// The comparison as text: one table for each other run, slices, the cases that changed most, the limits.
    pub fn to_terminal(&self, evidences: &Evidences, look: Look) -> String {
        let mut text = String::new();
        let width = usize::from(look.width);
        for (at, other) in self.others.iter().enumerate() {
            let title = format!("{} against {}", excerpt(&other.name, 60), excerpt(&self.baseline, 60));
            text.push_str(&format!("{}\n", look.strong(&terminal(&title))));
            text.push_str(&format!("{}\n", pairing(other.pairing)));
            text.push_str(&table(other).render(width));
            if let Some(by) = &self.by {
                text.push_str(&slices(other, by).render(width));
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

fn table(other: &Other) -> Table {
    let mut metric = Column::left("metric");
    let mut baseline = Column::right("baseline").goes(3);
    let mut mean = Column::right("other").goes(3);
    let mut difference = Column::right("difference");
    let mut ends = Column::right("95 % interval");
    let mut p = Column::right("p").goes(4);
    let mut adjusted = Column::right("adjusted p");
    let mut adjusted_ends = Column::right("adjusted interval").goes(1);
    let mut least = Column::right("detectable").goes(2);
    let mut pairs = Column::right("pairs").goes(3);
    let mut verdict = Column::left("verdict");
    for measured in &other.metrics {
        metric.push(terminal(&measured.metric));
        let whole = measured.whole.as_ref();
        let cell = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        baseline.push(cell(whole.map(|whole| column(whole.baseline))));
        mean.push(cell(whole.map(|whole| column(whole.other))));
        difference.push(cell(whole.map(|whole| signed(whole.contrast.mean))));
        ends.push(cell(whole.map(interval)));
        p.push(cell(whole.map(|whole| p_value(whole.contrast.p_value))));
        adjusted.push(cell(whole.map(|whole| p_value(whole.adjusted))));
        adjusted_ends.push(cell(whole.map(interval_adjusted)));
        least.push(cell(whole.map(detectable)));
        pairs.push(cell(whole.map(|whole| whole.contrast.pairs.to_string())));
        verdict.push(whole.map_or("no pair was scored", super::Finding::verdict));
    }
    Table::new(vec![metric, baseline, mean, difference, ends, p, adjusted_ends, adjusted, least, pairs, verdict])
}

fn slices(other: &Other, by: &str) -> Table {
    let mut metric = Column::left("metric");
    let mut name = Column::left(&terminal(by));
    let mut baseline = Column::right("baseline").goes(2);
    let mut mean = Column::right("other").goes(2);
    let mut difference = Column::right("difference");
    let mut ends = Column::right("95 % interval").goes(1);
    let mut p = Column::right("p").goes(3);
    let mut adjusted = Column::right("adjusted p");
    let mut pairs = Column::right("pairs");
    for measured in &other.metrics {
        for slice in &measured.slices {
            metric.push(terminal(&measured.metric));
            name.push(terminal(&slice.slice));
            baseline.push(column(slice.finding.baseline));
            mean.push(column(slice.finding.other));
            difference.push(signed(slice.finding.contrast.mean));
            ends.push(interval(&slice.finding));
            p.push(p_value(slice.finding.contrast.p_value));
            adjusted.push(p_value(slice.finding.adjusted));
            pairs.push(slice.finding.contrast.pairs.to_string());
        }
    }
    Table::new(vec![metric, name, baseline, mean, difference, ends, p, adjusted, pairs])
}

fn changes(metric: &Measured, evidences: &Evidences, run: usize, look: Look) -> String {
    let mut text = format!("{}: {}\n", look.strong(&terminal(&metric.metric)), movements(metric));
    for change in metric.changes.iter().take(CHANGES) {
        let code = if change.improved { "32" } else { "31" };
        let word = look.mark(code, if change.improved { "better" } else { "worse" });
        text.push_str(&format!("  {word} {}: {}", terminal(&excerpt(&change.case.id, 40)), step(change)));
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
