//! A history in Markdown.

use super::columns::COLUMNS;
use super::terminal::{states, step};
use super::{History, Series};
use crate::escape::{excerpt, markdown};
use crate::markdown::table;
use crate::number::count_with_noun;

/// Unstable cases of a series.
const UNSTABLE: usize = 10;

impl History {
    /// The history as a Markdown page.
    pub fn to_markdown(&self) -> String {
        let mut text = "# History\n\n".to_owned();
        for series in &self.series {
            text.push_str(&self.section(series));
        }
        text.push_str(&format!("- {}\n", markdown(&self.rule)));
        for note in &self.notes {
            text.push_str(&format!("- note: {}\n", markdown(note)));
        }
        text
    }

    fn section(&self, series: &Series) -> String {
        let name = |run: usize| excerpt(&self.runs[run].name, 60);
        let trend = series.spark(self.runs.len());
        let mut text = format!("## {}: {}  {trend}\n\n", markdown(&series.title()), markdown(&series.metric));
        let columns = || COLUMNS.iter().filter(|column| column.is_brief);
        let heads: Vec<&str> = ["run"].into_iter().chain(columns().map(|column| column.head)).chain([""]).collect();
        let rows = series.points.iter().map(|point| {
            let numbers = columns().map(|column| (column.cell)(point));
            [name(point.run)].into_iter().chain(numbers).chain([self.remark(point)]).collect::<Vec<String>>()
        });
        text.push_str(&table(&heads, rows));
        if let Some(run) = series.first_difference {
            text.push_str(&format!("First difference: {}.\n\n", markdown(&name(run))));
        }
        if let (Some(since), Some(first)) = (&series.since_first, series.points.first()) {
            text.push_str(&format!("Since {}: {}.\n\n", markdown(&name(first.run)), markdown(&step(since))));
        }
        if series.unstable_cases > 0 {
            let cases = count_with_noun(series.unstable_cases, "case is", "cases are");
            let shown = series.unstable.len().min(UNSTABLE);
            text.push_str(&format!("{cases} now good, now bad; the first {shown}:\n\n"));
            let row =
                |case: &super::UnstableCase| vec![excerpt(&case.id, 60), case.flips.to_string(), states(&case.states)];
            text.push_str(&table(&["case", "changes", "run by run"], series.unstable.iter().take(UNSTABLE).map(row)));
        }
        text
    }
}
