//! The columns of a table of differences: what terminal, Markdown and HTML show of a metric and of each slice.

use super::MetricDifference;
use super::phrases::{adjusted_interval_text, detectable, interval, p_value, signed};
use crate::number::three_decimals;
use crate::table::{SharedColumn, TextColumn};

/// A column; brief tables are those of slices on a terminal and in Markdown.
pub(super) type DifferenceColumn = SharedColumn<MetricDifference>;

/// All columns, in their order.
pub(super) static COLUMNS: [DifferenceColumn; 10] = [
    DifferenceColumn::new("baseline", 3, true, |found| three_decimals(found.baseline)),
    DifferenceColumn::new("other", 3, true, |found| three_decimals(found.other)),
    DifferenceColumn::new("difference", 0, true, |found| signed(found.contrast.mean)),
    DifferenceColumn::new("95 % interval", 0, true, interval),
    DifferenceColumn::new("p", 4, true, |found| p_value(found.contrast.p_value)),
    DifferenceColumn::new("adjusted interval", 1, false, adjusted_interval_text),
    DifferenceColumn::new("adjusted p", 0, true, |found| p_value(found.adjusted)),
    DifferenceColumn::new("detectable", 2, false, detectable),
    DifferenceColumn::new("pairs", 3, true, |found| found.contrast.pairs.to_string()),
    DifferenceColumn::new("verdict", 0, false, |found| found.verdict().to_owned()),
];

impl DifferenceColumn {
    /// Those of slices.
    pub(super) fn of_slices() -> impl Iterator<Item = &'static Self> {
        COLUMNS.iter().filter(|column| column.is_brief)
    }

    /// Whether it holds words.
    pub(super) fn is_verdict(&self) -> bool {
        self.head == "verdict"
    }

    /// The column for a terminal.
    pub(super) fn text<'a>(&self, rows: impl Iterator<Item = Option<&'a MetricDifference>>) -> TextColumn {
        if self.is_verdict() {
            self.fill(TextColumn::left(self.head), "no pair was scored", rows)
        } else {
            self.fill(TextColumn::right(self.head), "–", rows)
        }
    }
}
