//! Rows per CPU-second of every metric, on one thread, and of the whole program.

use std::path::Path;
use std::process::{Command, Stdio};

use probare_core::{Case, MetricDef, Profile, Sample};
use probare_metrics::registry;
use serde_json::{Value as Json, json};

use crate::processor_time;

/// Each measurement goes on for at least this much processor time.
const LEAST_SECONDS: f64 = 0.5;

/// Options for metrics that do nothing without any.
fn options(id: &str) -> Json {
    match id {
        "regex_match" => json!({"pattern": r"\b[A-Z][a-z]+ing\b"}),
        "json_schema" => json!({"schema": {"type": "object"}}),
        _ => Json::Null,
    }
}

/// One line of the table.
#[derive(Debug, Clone)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// Rows per CPU-second.
    pub rate: f64,
    /// Rows that were scored in one pass.
    pub scored: usize,
}

/// Measures one metric in one profile; nothing where it cannot be built without options of the user's, or where it
/// applies to none of the cases.
pub fn metric(definition: &MetricDef, profile: Profile, cases: &[Case]) -> Option<Row> {
    let metric = definition.build(options(definition.id), profile).ok()?;
    let pass = || {
        cases
            .iter()
            .map(Sample::of)
            .filter(|sample| definition.lacks(*sample).is_none())
            .filter(|sample| metric.score(*sample).is_ok_and(|outcome| outcome.score().is_some()))
            .count()
    };
    // The first pass fills caches and loads tables.
    let scored = pass();
    if scored == 0 {
        // Saying that a question does not apply is no measure of computing its answer.
        return None;
    }
    let start = processor_time::seconds()?;
    let mut passes = 0;
    loop {
        pass();
        passes += 1;
        let used = processor_time::seconds()? - start;
        if used >= LEAST_SECONDS {
            let name = if profile == Profile::Careful {
                format!("{} (careful)", definition.id)
            } else {
                definition.id.to_owned()
            };
            return Some(Row { name, rate: (cases.len() * passes) as f64 / used, scored });
        }
    }
}

/// Measures all metrics whose name contains `filter`, in all profiles.
pub fn metrics<'a>(filter: &'a str, cases: &'a [Case]) -> impl Iterator<Item = Row> + 'a {
    registry()
        .iter()
        .filter(move |definition| definition.id.contains(filter))
        .flat_map(|definition| definition.profiles.iter().map(move |profile| (definition, *profile)))
        .filter_map(|(definition, profile)| metric(definition, profile, cases))
}

/// Processor seconds of a program from start to end; nothing where it fails or the system does not tell.
pub fn program(command: &mut Command) -> Option<f64> {
    let before = processor_time::children_seconds()?;
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    status.success().then_some(())?;
    Some(processor_time::children_seconds()? - before)
}

/// The program `probare score` over a file of cases, with two text metrics.
pub fn end_to_end(probare: &Path, file: &Path, rows: usize, jobs: usize) -> Option<Row> {
    let mut command = Command::new(probare);
    command.arg("score").arg(file).args(["-m", "token_f1", "-m", "exact_match", "-j", &jobs.to_string()]);
    let seconds = program(&mut command)?;
    Some(Row {
        name: format!("probare score -j {jobs} (token_f1, exact_match)"),
        rate: rows as f64 / seconds,
        scored: rows,
    })
}
