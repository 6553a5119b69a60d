//! A history on a terminal.

use super::columns::COLUMNS;
use super::spark::spark;
use super::{CaseState, History, HistoryStep, Point, Series};
use crate::comparison::{ends, p_value, signed};
use crate::escape::{excerpt, terminal};
use crate::number::{count, count_with_noun};
use crate::table::{TextColumn, TextTable};
use crate::{PassAt, TerminalStyle, wrap};

/// Unstable cases that are printed of a series.
const UNSTABLE: usize = 5;

impl Series {
    /// Data set and model, in words.
    pub(super) fn title(&self) -> String {
        let model = self.model.as_ref().map(|model| format!(", {}", excerpt(model, 60))).unwrap_or_default();
        format!("{}{model}", excerpt(&self.dataset, 60))
    }

    /// The trend in one line of characters.
    pub(super) fn spark(&self, runs: usize) -> String {
        let mut values = vec![None; runs];
        for point in &self.points {
            values[point.run] = point.mean;
        }
        spark(&values)
    }
}

/// pass^k in words.
pub(super) fn passes(rates: &[PassAt]) -> String {
    rates
        .iter()
        .filter(|rates| rates.k > 1)
        .map(|rates| format!("pass^{} {:.4}", rates.k, rates.mean))
        .collect::<Vec<_>>()
        .join(", ")
}

/// How a case did, run by run.
pub(super) fn states(states: &[Option<CaseState>]) -> String {
    states.iter().map(|state| state.map_or("–", CaseState::name)).collect::<Vec<_>>().join(" ")
}

/// A step in words: `+0.120 (+0.050 to +0.190), adjusted p 0.012, better`.
pub(super) fn step(step: &HistoryStep) -> String {
    format!(
        "{} ({}), adjusted p {}, {}",
        signed(step.difference),
        ends(step.interval),
        p_value(step.adjusted),
        step.verdict
    )
}

impl History {
    /// What stands behind the numbers of a point.
    pub(super) fn remark(&self, point: &Point) -> String {
        let verdict = point.step.map_or("", |step| step.verdict);
        let end = if self.runs[point.run].stopped_early { "stopped early" } else { "" };
        let way = if point.another_way { "computed in another way" } else { "" };
        let pass = passes(&point.pass_all);
        [verdict, end, way, &pass].into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join("; ")
    }

    /// The history as text: a trend and a table for each data set, model and metric.
    pub fn to_terminal(&self, look: TerminalStyle) -> String {
        let width = usize::from(look.width);
        let mut text = String::new();
        for series in &self.series {
            let name = terminal(&series.metric).into_owned();
            let head = format!("{}: {}", terminal(&series.title()), look.strong(&name));
            text.push_str(&format!("{head}  {}\n", series.spark(self.runs.len())));
            text.push_str(&self.table(series).render(width));
            if let Some(run) = series.first_difference {
                text.push_str(&format!("first difference: {}\n", terminal(&excerpt(&self.runs[run].name, 60))));
            }
            if let (Some(since), Some(first)) = (&series.since_first, series.points.first()) {
                let name = excerpt(&self.runs[first.run].name, 60);
                text.push_str(&format!("since {}: {}\n", terminal(&name), step(since)));
            }
            if series.unstable_cases > 0 {
                let cases = count_with_noun(series.unstable_cases, "case is", "cases are");
                text.push_str(&format!("{cases} now good, now bad\n"));
                for case in series.unstable.iter().take(UNSTABLE) {
                    text.push_str(&format!("  {}: {}\n", terminal(&excerpt(&case.id, 40)), states(&case.states)));
                }
                if series.unstable_cases > UNSTABLE as u64 {
                    let more = count(series.unstable_cases - UNSTABLE as u64);
                    text.push_str(&format!("  and {more} more, which the files have\n"));
                }
            }
            text.push('\n');
        }
        for note in &self.notes {
            text.push_str(&format!("note: {}\n", terminal(note)));
        }
        wrap(&self.rule, "", "", width, &mut text);
        text
    }

    fn table(&self, series: &Series) -> TextTable {
        let mut run = TextColumn::left("run");
        let mut words = TextColumn::left("");
        for point in &series.points {
            run.push(terminal(&excerpt(&self.runs[point.run].name, 60)));
            words.push(self.remark(point));
        }
        let numbers = COLUMNS
            .iter()
            .map(|column| column.fill(TextColumn::right(column.head), "–", series.points.iter().map(Some)));
        TextTable::new([run].into_iter().chain(numbers).chain([words]).collect())
    }
}
