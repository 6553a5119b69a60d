//! A comparison as a table for spreadsheets: one row for each metric, slice and run.

use super::{MetricDifference, RunComparison};
use crate::escape;

const HEADS: &str = "run,metric,slice,pairs,baseline,other,difference,low,high,low_adjusted,high_adjusted,p_value,p_value_adjusted,detectable,verdict,model";

impl RunComparison {
    /// The comparison as CSV, with all digits.
    pub fn to_csv(&self) -> String {
        let mut text = format!("{HEADS}\n");
        for other in &self.others {
            for metric in &other.metrics {
                let whole = metric.whole.iter().map(|whole| ("", "", whole));
                let models = metric.models.iter().map(|model| ("", model.slice.as_str(), &model.finding));
                let slices = metric.slices.iter().map(|slice| (slice.slice.as_str(), "", &slice.finding));
                for (slice, model, finding) in whole.chain(models).chain(slices) {
                    text.push_str(&row(&other.name, &metric.metric, (slice, model), finding));
                }
            }
        }
        text
    }
}

fn row(run: &str, metric: &str, (slice, model): (&str, &str), finding: &MetricDifference) -> String {
    let optional = |number: Option<f64>| number.map(|number| format!("{number:?}")).unwrap_or_default();
    let interval = finding.contrast.interval;
    format!(
        "{},{},{},{},{:?},{:?},{:?},{},{},{},{},{:?},{:?},{},{},{}\n",
        escape::csv(run),
        escape::csv(metric),
        escape::csv(slice),
        finding.contrast.pairs,
        finding.baseline,
        finding.other,
        finding.contrast.mean,
        optional(interval.map(|ends| ends.low)),
        optional(interval.map(|ends| ends.high)),
        optional(finding.interval_adjusted.map(|ends| ends.low)),
        optional(finding.interval_adjusted.map(|ends| ends.high)),
        finding.contrast.p_value,
        finding.adjusted,
        optional(finding.detectable),
        finding.verdict(),
        escape::csv(model),
    )
}
