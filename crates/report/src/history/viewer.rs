//! A history for pages that are drawn elsewhere: words and digits of the terminal, and the trend as a picture.

use schemars::JsonSchema;
use serde::Serialize;

use super::terminal::{states, step};
use super::{History, Series};
use crate::number::{count_with_noun, three_decimals};
use crate::svg::{Trend, TrendPoint};

/// Unstable cases of a series.
const UNSTABLE: usize = 10;

/// What runs have become, for a page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HistoryView {
    /// Their names, the oldest first.
    pub runs: Vec<String>,
    /// One for each data set, model and metric.
    pub series: Vec<SeriesView>,
    /// The rule that decides, in words.
    pub rule: String,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// The means of one metric, run after run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SeriesView {
    /// The data set.
    pub dataset: String,
    /// Whose outputs they are.
    pub model: Option<String>,
    /// The metric.
    pub metric: String,
    /// The trend as a picture.
    pub svg: String,
    /// The first mean.
    pub first: Option<String>,
    /// The last mean.
    pub last: Option<String>,
    /// The difference since the first run, with its interval.
    pub since_first: Option<String>,
    /// The first run that differs from the one before it.
    pub first_difference: Option<String>,
    /// Cases that change between good and bad.
    pub unstable: Vec<UnstableCaseView>,
    /// How many those are, in words.
    pub unstable_words: String,
    /// How many those are.
    pub unstable_cases: u64,
}

/// A case that changes between good and bad.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UnstableCaseView {
    /// Its id.
    pub id: String,
    /// What it was, run after run.
    pub states: String,
}

impl History {
    /// Everything that a small picture of each series needs.
    pub fn to_view(&self) -> HistoryView {
        HistoryView {
            runs: self.runs.iter().map(|run| run.name.clone()).collect(),
            series: self.series.iter().map(|series| self.series_view(series)).collect(),
            rule: self.rule.clone(),
            notes: self.notes.clone(),
        }
    }

    fn series_view(&self, series: &Series) -> SeriesView {
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
        SeriesView {
            dataset: series.dataset.clone(),
            model: series.model.clone(),
            metric: series.metric.clone(),
            svg: trend.svg(),
            first: series.points.first().and_then(|point| point.mean).map(three_decimals),
            last: last.and_then(|point| point.mean).map(three_decimals),
            since_first: series.since_first.as_ref().or_else(|| last?.step.as_ref()).map(step),
            first_difference: series.first_difference.map(|run| name(run).to_owned()),
            unstable: (series.unstable.iter().take(UNSTABLE))
                .map(|case| UnstableCaseView { id: case.id.clone(), states: states(&case.states) })
                .collect(),
            unstable_words: count_with_noun(
                series.unstable_cases,
                "case changes between good and bad",
                "cases change between good and bad",
            ),
            unstable_cases: series.unstable_cases,
        }
    }
}
