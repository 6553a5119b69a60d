//! SynthLink: golden vectors, the files that are written, and readers that take anything.

mod files;
mod fuzz;
mod golden;
mod report;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use probare_benchmarks::synthlink::{Catalogue, QuestionScores, SynthLink, SystemScores, catalogue};
use probare_core::{Benchmark, BenchmarkError, Console, Event, Profile, Sink};
use probare_engine::{Conclusion, RunError, RunOptions, RunRequest, run};
use serde_json::{Value, json};

/// The folder of our own catalogue.
fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/synthlink")
}

/// Our own catalogue of twelve questions.
fn example_catalogue() -> Catalogue {
    catalogue::load(&examples()).expect("the examples are in the repository")
}

/// A run of the suite and what came of it.
struct SuiteRun {
    folder: tempfile::TempDir,
    /// Rows of the published and of the improved definition, of all systems.
    readings: [SystemScores; 2],
    conclusion: Conclusion,
}

impl SuiteRun {
    /// A file that the suite wrote.
    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join("out").join(name)).unwrap()
    }
}

/// Why there is no run.
#[derive(Debug)]
enum RunFailure {
    Open(BenchmarkError),
    Run(RunError),
}

/// Keeps the rows of both aggregates.
struct AggregateCollector {
    kept: Arc<Mutex<[SystemScores; 2]>>,
    questions: usize,
    places: [Option<usize>; 2],
    cases: usize,
}

impl Sink for AggregateCollector {
    fn event(&mut self, event: &Event<'_>) -> std::io::Result<()> {
        let mut collected = self.kept.lock().unwrap();
        match event {
            Event::Started { metrics, .. } => {
                self.places = [Profile::Published, Profile::Improved].map(|profile| {
                    metrics.iter().position(|info| info.id == "deep_search_aggregate" && info.profile == Some(profile))
                });
            }
            Event::Scored(result) => {
                for (scores, place) in collected.iter_mut().zip(self.places) {
                    let named = place.and_then(|place| result.results[place].as_ref().ok()?.score());
                    let answered = result.case.response.is_some();
                    scores.total = self.questions;
                    scores
                        .rows
                        .extend(named.map(|score| QuestionScores::new(self.cases % self.questions, answered, score)));
                }
                self.cases += 1;
            }
            Event::Problem(problem) => collected[0].warnings.push(problem.reason.clone()),
            _ => {}
        }
        Ok(())
    }
}

/// Runs the benchmark on files of predictions.
fn run_suite(
    catalog: &Path,
    predictions: &[PathBuf],
    options: &Value,
    outputs: &[&str],
) -> Result<SuiteRun, RunFailure> {
    let folder = tempfile::tempdir().unwrap();
    let mut all = json!({"predictions": predictions, "catalog": catalog, "output_dir": folder.path().join("out")});
    all.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    let job = SynthLink.open(all, Console { quiet: true, ..Console::default() }).map_err(RunFailure::Open)?;
    let collected: Arc<Mutex<[SystemScores; 2]>> = Arc::default();
    let questions = catalogue::load(catalog).unwrap().questions().len();
    let keep = AggregateCollector { kept: Arc::clone(&collected), questions, places: [None; 2], cases: 0 };
    let settings = RunOptions {
        jobs: NonZeroUsize::new(2),
        output: outputs.iter().map(|name| folder.path().join("out").join(name)).collect(),
        ..RunOptions::default()
    };
    let request = RunRequest { settings, watcher: Some(Box::new(keep)), ..RunRequest::default() };
    let conclusion = run(job, probare_benchmarks::registries(), request).map_err(RunFailure::Run)?;
    let readings = std::mem::take(&mut *collected.lock().unwrap());
    Ok(SuiteRun { folder, readings, conclusion })
}

/// Runs the benchmark on the text of a file of predictions.
fn run_on_document(catalog: &Path, document: &[u8], options: &Value) -> Result<SuiteRun, RunFailure> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("predictions.json");
    std::fs::write(&path, document).unwrap();
    run_suite(catalog, &[path], options, &[])
}
