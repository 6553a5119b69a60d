//! The columns that a metric has in a table: CSV, Parquet and tables in memory agree on them.

use std::collections::BTreeSet;

use probare_core::{MetricInfo, SampleDimensions};

/// Names of the columns of one metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricColumns {
    /// The value; empty where there is none.
    pub value: String,
    /// `write_scores`, `not_applicable` or `io_error`.
    pub status: String,
    /// Label, reason or error.
    pub note: String,
    /// Evidence as JSON.
    pub evidence: String,
    /// A word for the value.
    pub label: String,
    /// Pieces of the value as JSON.
    pub parts: String,
    /// What kind of failure.
    pub kind: String,
    /// Who decided.
    pub by: String,
}

/// What tells a row apart: columns that every table of results has, and those of dimensions that a run may have or not.
const KEYS: [&str; 5] = ["id", "model", "answered_by", "prompt", "repeat"];

/// Names of those columns of a table with these dimensions.
pub(crate) fn keys(dimensions: SampleDimensions) -> impl Iterator<Item = &'static str> {
    KEYS.into_iter().filter(move |key| match *key {
        "answered_by" => dimensions.has_fallbacks,
        "prompt" => dimensions.has_prompts,
        _ => true,
    })
}

/// One set of names per metric, all different from each other and from those of the case.
pub fn columns(metrics: &[MetricInfo]) -> Vec<MetricColumns> {
    let mut taken = BTreeSet::from(KEYS.map(str::to_owned));
    metrics
        .iter()
        .map(|metric| {
            // A metric that is called `id`, or as another one, gets a number: readers of tables need distinct names.
            let mut number = 1u32;
            loop {
                let stem = if number == 1 { metric.name.clone() } else { format!("{}_{number}", metric.name) };
                let of = |what: &str| format!("{stem}.{what}");
                let [status, note, evidence, label, parts, kind, by] =
                    ["status", "note", "evidence", "label", "parts", "kind", "decided_by"].map(of);
                let names = [stem, status, note, evidence, label, parts, kind, by];
                if names.iter().all(|name| !taken.contains(name)) {
                    taken.extend(names.iter().cloned());
                    let [value, status, note, evidence, label, parts, kind, by] = names;
                    return MetricColumns { value, status, note, evidence, label, parts, kind, by };
                }
                number += 1;
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_never_taken_twice() {
        let mut metrics = crate::testing::metrics();
        metrics[0].name = "id".into();
        metrics[1].name = "x".into();
        metrics[2].name = "x".into();
        let names: Vec<String> = columns(&metrics).into_iter().map(|columns| columns.value).collect();
        assert_eq!(names, ["id_2", "x", "x_2"]);
    }
}
