//! What a collector says about the records of a data set: their mean score, and means of what the records hold beside it.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::Subtask;

/// A record's score and the fields beside it; a failed record has neither.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordScore {
    pub score: Option<f64>,
    /// What the evaluator gave beside it.
    pub extra_fields: Map<String, Json>,
}

/// What is said about all records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aggregate {
    /// Mean of the scores that are there; 0 where there is none.
    pub performance: f64,
    /// Means by the names of the fields; empty where all records failed.
    pub extra_metrics: Map<String, Json>,
    /// Records with a score.
    pub scored: usize,
    /// Records without one: they leave the denominator of every mean here.
    pub failed: usize,
    /// How many records a mean is over, where not all that have fields have this one.
    pub counted: BTreeMap<&'static str, usize>,
}

/// The fields of ideas are means over all records that have any, a missing one counting 0.
pub fn aggregate(subtask: Subtask, records: &[RecordScore]) -> Aggregate {
    let scores: Vec<f64> = records.iter().filter_map(|record| record.score).collect();
    let with_fields: Vec<&Map<String, Json>> =
        records.iter().map(|record| &record.extra_fields).filter(|fields| !fields.is_empty()).collect();
    let (mut extra_metrics, mut counted) = (Map::new(), BTreeMap::new());
    if !with_fields.is_empty() {
        for name in subtask.figures() {
            let values = with_fields.iter().map(|fields| number(fields.get(*name)));
            let mean = if *name == "AET" {
                let times: Vec<f64> = values.flatten().filter(|time| *time > 0.0).collect();
                if times.is_empty() { -1.0 } else { mean(&times) }
            } else {
                mean(&values.map(Option::unwrap_or_default).collect::<Vec<_>>())
            };
            extra_metrics.insert((*name).to_owned(), json!(mean));
        }
        for name in subtask.further_figures() {
            let values: Vec<f64> = with_fields.iter().filter_map(|fields| number(fields.get(*name))).collect();
            if values.is_empty() {
                continue;
            }
            extra_metrics.insert((*name).to_owned(), json!(mean(&values)));
            if values.len() < with_fields.len() {
                counted.insert(*name, values.len());
            }
        }
    }
    let (performance, scored) = (mean(&scores), scores.len());
    Aggregate { performance, extra_metrics, scored, failed: records.len() - scored, counted }
}

fn number(value: Option<&Json>) -> Option<f64> {
    match value? {
        Json::Bool(yes) => Some(f64::from(u8::from(*yes))),
        other => other.as_f64(),
    }
}

/// The mean; 0 of nothing.
pub(super) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}
