//! Rows per CPU-second of every metric, on one thread.

use probare_benchmarks::registry;
use probare_core::{Case, MetricDef, MetricKind, Profile, Sample, Scorer};
use serde_json::{Value as Json, json};

use crate::corpus::{self, structured};
use crate::processor_time;

/// Options for metrics that do nothing without any.
pub fn options(id: &str) -> Json {
    match id {
        "regex_match" => json!({"pattern": r"\b[A-Z][a-z]+ing\b"}),
        "json_schema" => json!({"schema": structured::schema()}),
        "openai_grader" => {
            json!({"grader": {"type": "string_check", "name": "mention", "input": "{{ sample.output_text }}", "operation": "ilike", "reference": "the"}})
        }
        "promptfoo_test" => json!({"assert": [{"type": "icontains", "value": "the"}]}),
        "word_count" => json!({"max": 50}),
        _ => Json::Null,
    }
}

/// One line of the table.
#[derive(Debug, Clone)]
pub struct ThroughputRow {
    /// What was measured.
    pub name: String,
    /// Rows per CPU-second.
    pub rate: f64,
    /// Rows that were scored in one pass.
    pub scored: usize,
}

/// Measures one metric in one profile; nothing where it cannot be built without options of the user's, or where it
/// applies to none of the cases.
pub fn metric(definition: &MetricDef, profile: Profile, cases: &[Case]) -> Option<ThroughputRow> {
    let metric = definition.build(options(definition.id), profile).ok()?;
    // The first pass fills caches and loads tables.
    let in_one_pass = count_scored(definition, &metric, cases);
    if in_one_pass == 0 {
        // Saying that a question does not apply is no measure of computing its answer.
        return None;
    }
    let rate = processor_time::rate(cases.len(), || {
        count_scored(definition, &metric, cases);
    })?;
    let name =
        if profile == Profile::Improved { format!("{} (improved)", definition.id) } else { definition.id.to_owned() };
    Some(ThroughputRow { name, rate, scored: in_one_pass })
}

/// Rows per CPU-second in a single window of at least so many seconds, for a comparison in which the other side had one.
pub fn measure_window(definition: &MetricDef, profile: Profile, cases: &[Case], least: f64) -> Option<f64> {
    let metric = definition.build(options(definition.id), profile).ok()?;
    // The first pass fills caches and loads tables.
    count_scored(definition, &metric, cases);
    processor_time::rate_in_window(cases.len(), least, || {
        count_scored(definition, &metric, cases);
    })
}

/// Computes a metric for all cases; gives how many were scored.
fn count_scored(definition: &MetricDef, metric: &Scorer, cases: &[Case]) -> usize {
    cases
        .iter()
        .map(Sample::from_case)
        .filter(|sample| definition.missing_input(*sample).is_none())
        .filter(|sample| metric.score(*sample).is_ok_and(|outcome| outcome.score().is_some()))
        .count()
}

/// Measures all metrics whose name contains `filter`, in all profiles; a metric without a figure is an error, since its
/// speed could then fall unnoticed.
pub fn metrics<'a>(filter: &'a str, general: &'a [Case]) -> impl Iterator<Item = Result<ThroughputRow, String>> + 'a {
    registry()
        .iter()
        .filter(move |definition| definition.kind == MetricKind::Pure && definition.id.contains(filter))
        .flat_map(|definition| definition.profiles.iter().map(move |profile| (definition, *profile)))
        .map(move |(definition, profile)| {
            let id = definition.id;
            let cases = corpus::for_metric(definition, general).map_err(|error| format!("{id}: {error}"))?;
            metric(definition, profile, &cases).ok_or_else(|| format!("{id} scored none of its cases"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_scores_some_of_its_cases() {
        let general = corpus::cases(40, corpus::Sizes::default(), 3);
        // What a metric that asks takes is up to whom it asks.
        for definition in registry().iter().filter(|definition| definition.kind == MetricKind::Pure) {
            let cases = corpus::for_metric(definition, &general).unwrap();
            for profile in definition.profiles {
                let metric = definition.build(options(definition.id), *profile).unwrap();
                assert!(count_scored(definition, &metric, &cases) > 0, "{} scores none", definition.id);
            }
        }
    }
}
