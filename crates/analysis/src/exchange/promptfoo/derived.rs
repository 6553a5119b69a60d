//! Derived metrics of a configuration of promptfoo: formulas over the sums of a column, computed from a finished run.

use std::collections::BTreeMap;

use probare_metrics::graders::evaluate_formula;
use probare_store::{CaseReading, Store, StoreError};
use serde_json::Value as Json;

/// The number of tests of a column, by the name that formulas know.
const COUNT: &str = "__count";

/// The formulas of a configuration, with what the sums of a column need.
#[derive(Debug, Clone, Default)]
pub struct DerivedMetrics {
    /// By name, in order.
    pub(super) formulas: Vec<(String, String)>,
    /// By data set: its name, and for every case the weight of each named metric.
    pub(super) datasets: Vec<(String, Vec<BTreeMap<String, f64>>)>,
}

/// A formula of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct DerivedValue {
    /// The name of the metric.
    pub name: String,
    /// The column: the data set, and the model where one was asked.
    pub column: String,
    /// The value; why there is none.
    pub value: Result<f64, String>,
}

impl DerivedMetrics {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.formulas.is_empty()
    }

    /// The values of a run that is finished.
    pub fn values(&self, store: &Store, run: i64) -> Result<Vec<DerivedValue>, StoreError> {
        if self.formulas.is_empty() {
            return Ok(Vec::new());
        }
        let metrics = store.run(run)?.plan.metrics;
        let mut columns: BTreeMap<(usize, String), BTreeMap<&str, f64>> = BTreeMap::new();
        store.for_each_compared_sample(run, &metrics, CaseReading::Nothing, |sample| {
            let (dataset, case) = (sample.place.0, sample.place.1);
            let (Ok(dataset), Ok(case)) = (usize::try_from(dataset), usize::try_from(case)) else { return Ok(()) };
            let Some(weights) = self.datasets.get(dataset).and_then(|(_, cases)| cases.get(case)) else {
                return Ok(());
            };
            let sums = columns.entry((dataset, sample.model.unwrap_or_default().to_owned())).or_default();
            *sums.entry(COUNT).or_default() += 1.0;
            for (name, weight) in weights {
                let value = metrics.iter().position(|metric| metric.name == *name).and_then(|at| sample.values[at]);
                if let Some(value) = value {
                    *sums.entry(name).or_default() += value * weight;
                }
            }
            Ok(())
        })?;
        join_unnamed(&mut columns);
        let mut found = Vec::new();
        for ((dataset, model), mut names) in columns {
            let name = &self.datasets[dataset].0;
            let column = if model.is_empty() { name.clone() } else { format!("{name}, {model}") };
            for (name, formula) in &self.formulas {
                let value = derived_value(name, formula, &names);
                if let Ok(value) = &value {
                    names.insert(name, *value);
                }
                found.push(DerivedValue { name: name.clone(), column: column.clone(), value });
            }
        }
        Ok(found)
    }
}

/// Puts runs without an answer, which name no model, into the column that their data set is.
fn join_unnamed(columns: &mut BTreeMap<(usize, String), BTreeMap<&str, f64>>) {
    let datasets: Vec<usize> = columns.keys().map(|(dataset, _)| *dataset).collect();
    for pair in datasets.windows(2).filter(|pair| pair[0] == pair[1]) {
        let Some(unnamed) = columns.remove(&(pair[0], String::new())) else { continue };
        if let Some((_, sums)) = columns.iter_mut().find(|((dataset, _), _)| *dataset == pair[0]) {
            for (name, sum) in unnamed {
                *sums.entry(name).or_default() += sum;
            }
        }
    }
}

fn derived_value(name: &str, formula: &str, names: &BTreeMap<&str, f64>) -> Result<f64, String> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
    if names.contains_key(name) || formula.split(|letter| !is_part(letter)).any(|word| word == name) {
        // In promptfoo such a formula goes on from its value after the test before.
        return Err("it names itself or a metric of that name, and is not computed here".to_owned());
    }
    evaluate_formula(formula, names)
}

/// The weight of every named metric in the score of a test: sums of promptfoo are sums of score times weight.
pub(super) fn named_weights(entries: &[Json]) -> BTreeMap<String, f64> {
    let mut weights = BTreeMap::new();
    add_weights(entries, 1.0, None, &mut weights);
    weights
}

fn add_weights(entries: &[Json], factor: f64, set: Option<&str>, weights: &mut BTreeMap<String, f64>) {
    for entry in entries {
        let weight = entry.get("weight").and_then(Json::as_f64).unwrap_or(1.0) * factor;
        let name = entry.get("metric").and_then(Json::as_str).filter(|name| !name.is_empty());
        if let Some(name) = name.filter(|name| Some(*name) != set) {
            *weights.entry(name.to_owned()).or_default() += weight;
        }
        if let Some(inner) = entry.get("assert").and_then(Json::as_array) {
            add_weights(inner, weight, name, weights);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn weights_of_sets_count_for_what_is_in_them() {
        let entries = json!([
            {"type": "contains", "metric": "a", "weight": 2},
            {"type": "assert-set", "metric": "b", "weight": 3, "assert": [
                {"type": "contains", "metric": "a", "weight": 0.5}, {"type": "contains", "metric": "b"}
            ]},
            {"type": "contains"}
        ]);
        let weights = named_weights(entries.as_array().unwrap());
        assert_eq!(weights, BTreeMap::from([("a".to_owned(), 3.5), ("b".to_owned(), 3.0)]));
    }

    #[test]
    fn runs_without_an_answer_count_in_the_column_of_their_data_set() {
        let sums = |count: f64| BTreeMap::from([(COUNT, count)]);
        let key = |dataset: usize, model: &str| (dataset, model.to_owned());
        let mut columns = BTreeMap::from([
            (key(0, ""), sums(1.0)),
            (key(0, "echo"), sums(2.0)),
            (key(1, ""), sums(3.0)),
            (key(2, "large"), sums(4.0)),
            (key(2, "small"), sums(5.0)),
        ]);
        join_unnamed(&mut columns);
        let expected = [
            (key(0, "echo"), sums(3.0)),
            (key(1, ""), sums(3.0)),
            (key(2, "large"), sums(4.0)),
            (key(2, "small"), sums(5.0)),
        ];
        assert_eq!(columns, BTreeMap::from(expected));
    }

    #[test]
    fn formulas_know_sums_counts_and_what_was_derived_before() {
        let names = BTreeMap::from([("hits", 3.0), (COUNT, 4.0), ("share", 0.75)]);
        assert_eq!(derived_value("rate", "hits / __count", &names), Ok(0.75));
        assert_eq!(derived_value("double", "2 * share", &names), Ok(1.5));
        for (name, formula, reason) in [
            ("x", "x + 1", "names itself"),
            ("hits", "1", "a metric of that name"),
            ("y", "hits > 2 ? 1 : 0", "not expected"),
        ] {
            let error = derived_value(name, formula, &names).unwrap_err();
            assert!(error.contains(reason), "{formula}: {error}");
        }
    }
}
