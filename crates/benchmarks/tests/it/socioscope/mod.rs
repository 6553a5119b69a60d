//! The socioscope suite: its example from file to results, readers that never panic, and an answer that breaks its grader.

mod example;
mod files;
mod fuzz;
mod panics;

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex};

use probare_benchmarks::socioscope::input::{Corpus, Fixture};
use probare_benchmarks::socioscope::{AnswerResult, Socioscope, SocioscopeEvaluation};
use probare_core::{Benchmark, BenchmarkError, Console, Event, Job, Sink};
use probare_engine::{Conclusion, RunOptions, RunRequest, run};
use serde_json::{Value, json};

/// A run of the suite on two files, and what came of it.
struct SuiteRun {
    folder: tempfile::TempDir,
    fixture: Fixture,
    corpus: Corpus,
    evaluation: SocioscopeEvaluation,
    conclusion: Conclusion,
}

impl SuiteRun {
    /// A file that the suite wrote.
    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join("out").join(name)).unwrap()
    }
}

/// Keeps what the rules tell about each answer.
struct ResultCollector(Arc<Mutex<Vec<AnswerResult>>>);

impl Sink for ResultCollector {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Scored(result) = event {
            let detail = result.detail.as_ref().and_then(|detail| detail.get::<AnswerResult>());
            self.0.lock().unwrap().push(detail.cloned().unwrap_or_default());
        }
        Ok(())
    }
}

/// Opens the suite on two files in `folder`.
fn open(folder: &Path, (fixture, corpus): (&[u8], &[u8]), options: &Value) -> Result<Job, BenchmarkError> {
    std::fs::write(folder.join("questions.json"), fixture).unwrap();
    std::fs::write(folder.join("corpus.json"), corpus).unwrap();
    let mut all = json!({
        "fixture": folder.join("questions.json"),
        "corpus": folder.join("corpus.json"),
        "out": folder.join("out"),
        "timestamp": "T",
    });
    all.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    Socioscope.open(all, Console { quiet: true, ..Console::default() })
}

/// Opens the suite, lets `change` do something to the job, and drives it.
fn run_with(
    (fixture, corpus): (&[u8], &[u8]),
    options: &Value,
    jobs: usize,
    change: impl FnOnce(&mut Job),
) -> Result<SuiteRun, BenchmarkError> {
    let folder = tempfile::tempdir().unwrap();
    let mut job = open(folder.path(), (fixture, corpus), options)?;
    change(&mut job);
    let collected = Arc::default();
    let settings = RunOptions { jobs: NonZeroUsize::new(jobs), ..RunOptions::default() };
    let request = RunRequest {
        settings,
        watcher: Some(Box::new(ResultCollector(Arc::clone(&collected)))),
        ..RunRequest::default()
    };
    let conclusion = run(job, probare_benchmarks::registries(), request).unwrap();
    let fixture = Fixture::read(fixture, "questions.json").unwrap();
    let corpus = Corpus::read(corpus, "corpus.json").unwrap();
    let results = std::mem::take(&mut *collected.lock().unwrap());
    let evaluation = SocioscopeEvaluation::new(&fixture, results);
    Ok(SuiteRun { folder, fixture, corpus, evaluation, conclusion })
}

fn run_suite(files: (&[u8], &[u8]), options: &Value, jobs: usize) -> Result<SuiteRun, BenchmarkError> {
    run_with(files, options, jobs, |_| ())
}
