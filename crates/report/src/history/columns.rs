//! The columns of a series between the name of a run and the remark on it: what terminal and Markdown show.

use super::Point;
use crate::comparison::{p_value, signed};
use crate::number::{count, three_decimals};
use crate::table::SharedColumn;

/// A column; the brief table is that in Markdown.
pub(super) type PointColumn = SharedColumn<Point>;

/// All columns, in their order.
pub(super) static COLUMNS: [PointColumn; 6] = [
    PointColumn::new("mean", 0, true, |point| dash(point.mean.map(three_decimals))),
    PointColumn::new("95 % interval", 2, true, |point| dash(point.interval.map(|ends| ends.words()))),
    PointColumn::new("cases", 1, true, |point| count(point.cases)),
    PointColumn::new("difference", 0, true, |point| dash(point.step.map(|step| signed(step.difference)))),
    PointColumn::new("p", 3, false, |point| dash(point.step.map(|step| p_value(step.p_value)))),
    PointColumn::new("adjusted p", 0, true, |point| dash(point.step.map(|step| p_value(step.adjusted)))),
];

fn dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}
