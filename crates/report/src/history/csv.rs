//! A history as a table for spreadsheets: one row for each run and series.

use super::{History, Point, Series};
use crate::escape;

const HEADS: &str =
    "run,data set,model,metric,cases,mean,low,high,pairs,difference,p_value,p_value_adjusted,verdict,unstable_cases";

impl History {
    /// The history as CSV, with all digits.
    pub fn to_csv(&self) -> String {
        let rows = self.series.iter().flat_map(|series| series.points.iter().map(move |point| self.row(series, point)));
        std::iter::once(format!("{HEADS}\n")).chain(rows).collect()
    }

    fn row(&self, series: &Series, point: &Point) -> String {
        let optional = |number: Option<f64>| number.map(|number| format!("{number:?}")).unwrap_or_default();
        let step = point.step;
        format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
            escape::csv(&self.runs[point.run].name),
            escape::csv(&series.dataset),
            escape::csv(series.model.as_deref().unwrap_or_default()),
            escape::csv(&series.metric),
            point.cases,
            optional(point.mean),
            optional(point.interval.map(|ends| ends.low)),
            optional(point.interval.map(|ends| ends.high)),
            step.map(|step| step.pairs.to_string()).unwrap_or_default(),
            optional(step.map(|step| step.difference)),
            optional(step.map(|step| step.p_value)),
            optional(step.map(|step| step.adjusted)),
            step.map_or("", |step| step.verdict),
            series.unstable_cases,
        )
    }
}
