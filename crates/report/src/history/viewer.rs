//! A history for pages that are drawn elsewhere: words and digits of the terminal, and the trend as a picture.

use serde_json::{Value as Json, json};

use super::terminal::{states, step};
use super::{History, Series};
use crate::number::{count_with_noun, three_decimals};
use crate::svg::{Trend, TrendPoint};

/// Unstable cases of a series.
const UNSTABLE: usize = 10;

impl History {
    /// Everything that a small picture of each series needs, as JSON.
    pub fn to_viewer_json(&self) -> Json {
        let series: Vec<Json> = self.series.iter().map(|series| self.series_to_json(series)).collect();
        json!({
            "runs": self.runs.iter().map(|run| &run.name).collect::<Vec<_>>(),
            "series": series,
            "rule": self.rule,
            "notes": self.notes,
        })
    }

    fn series_to_json(&self, series: &Series) -> Json {
        let name = |run: usize| self.runs[run].name.as_str();
        let points = series.points.iter().filter_map(|point| {
            Some(TrendPoint {
                label: name(point.run).to_owned(),
                place: point.run,
                value: point.mean?,
                interval: point.interval.map(|ends| (ends.low, ends.high)),
                mark: point.step.filter(super::HistoryStep::is_shown).map(|step| step.verdict == "better"),
            })
        });
        let trend = Trend {
            label: format!("{}: {}", series.title(), series.metric),
            places: self.runs.len(),
            points: points.collect(),
        };
        let last = series.points.last();
        let unstable: Vec<Json> = (series.unstable.iter().take(UNSTABLE))
            .map(|case| json!({"id": case.id, "states": states(&case.states)}))
            .collect();
        json!({
            "dataset": series.dataset,
            "model": series.model,
            "metric": series.metric,
            "svg": trend.svg(),
            "first": series.points.first().and_then(|point| point.mean).map(three_decimals),
            "last": last.and_then(|point| point.mean).map(three_decimals),
            "since_first": series.since_first.as_ref().or_else(|| last?.step.as_ref()).map(step),
            "first_difference": series.first_difference.map(name),
            "unstable": unstable,
            "unstable_words": count_with_noun(series.unstable_cases, "case changes between good and bad", "cases change between good and bad"),
            "unstable_cases": series.unstable_cases,
        })
    }
}
