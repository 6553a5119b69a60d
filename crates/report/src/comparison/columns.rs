//! The columns of a table of differences: what terminal, Markdown and HTML show of a metric and of each slice.

use super::MetricDifference;
use super::phrases::{adjusted_interval_text, detectable, interval, p_value, signed};
use crate::number::three_decimals;
use crate::table::TextColumn;

/// A column.
pub(super) struct DifferenceColumn {
    pub head: &'static str,
    /// In which round it goes where a terminal has no room; 0 stays.
    goes: u8,
    /// Whether terminal and Markdown show it of slices too.
    pub is_of_slices: bool,
    /// What it says of a difference.
    pub cell: fn(&MetricDifference) -> String,
}

/// All columns, in their order.
pub(super) static COLUMNS: [DifferenceColumn; 10] = [
    column("baseline", 3, true, |found| three_decimals(found.baseline)),
    column("other", 3, true, |found| three_decimals(found.other)),
    column("difference", 0, true, |found| signed(found.contrast.mean)),
    column("95 % interval", 0, true, interval),
    column("p", 4, true, |found| p_value(found.contrast.p_value)),
    column("adjusted interval", 1, false, adjusted_interval_text),
    column("adjusted p", 0, true, |found| p_value(found.adjusted)),
    column("detectable", 2, false, detectable),
    column("pairs", 3, true, |found| found.contrast.pairs.to_string()),
    column("verdict", 0, false, |found| found.verdict().to_owned()),
];

const fn column(
    head: &'static str,
    goes: u8,
    is_of_slices: bool,
    cell: fn(&MetricDifference) -> String,
) -> DifferenceColumn {
    DifferenceColumn { head, goes, is_of_slices, cell }
}

impl DifferenceColumn {
    /// Those of slices.
    pub fn of_slices() -> impl Iterator<Item = &'static Self> {
        COLUMNS.iter().filter(|column| column.is_of_slices)
    }

    /// Whether it holds words.
    pub fn is_verdict(&self) -> bool {
        self.head == "verdict"
    }

    /// The column for a terminal.
    pub fn text<'a>(&self, rows: impl Iterator<Item = Option<&'a MetricDifference>>) -> TextColumn {
        let (column, empty) = if self.is_verdict() {
            (TextColumn::left(self.head), "no pair was scored")
        } else {
            (TextColumn::right(self.head), "–")
        };
        let mut column = column.goes(self.goes);
        for row in rows {
            column.push(row.map_or_else(|| empty.to_owned(), self.cell));
        }
        column
    }
}
