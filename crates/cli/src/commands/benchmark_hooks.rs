//! What benchmarks bring beside their options: flags and preparation, and runs with models from configurations in
//! the form of their guide. Commands look here and know no benchmark by name.

use std::path::Path;

use clap::{Arg, ArgMatches};
use probare_core::Score;
use probare_engine::{Evaluation, RunOptions};
use probare_models::ModelSettings;
use serde_json::{Map, Value as Json};

use super::run_driver::RunDriver;
use super::{sgi, socioscope};
use crate::failure::Failure;

/// What a benchmark does between its flags and its job.
pub trait Preparation: Sync {
    /// The benchmark that brings it.
    fn benchmark(&self) -> &'static str;

    /// Flags beside those of the benchmark's options.
    fn flags(&self) -> Vec<Arg>;

    /// Options of a run that it needs beside those of the benchmark.
    fn takes(&self, name: &str) -> bool;

    /// Changes the options before the benchmark is opened, and says who judges where the command line does not.
    fn prepare(
        &self,
        matches: &ArgMatches,
        options: &mut Map<String, Json>,
        settings: &RunOptions,
    ) -> Result<Option<Judges>, Failure>;
}

/// Who judges.
#[derive(Debug, Clone, Default)]
pub struct Judges {
    /// Models that the environment or a configuration sets up.
    pub models: Vec<ModelSettings>,
    /// The names of those that judge, in the order of their seats.
    pub names: Vec<String>,
}

/// A run that is ready.
pub struct ReadyRun {
    /// The run.
    pub evaluation: Evaluation,
    /// How it is run.
    pub running: RunDriver,
}

/// A benchmark whose guide has a form of configuration of its own.
pub trait GuideBenchmark: Sync {
    /// The id of its benchmark, which is kept with its runs.
    fn benchmark(&self) -> &'static str;

    /// Whether a configuration has the form of its guide.
    fn is_guide(&self, text: &str) -> bool;

    /// Whether a reply behind a score could not be read, and the published rule counts it as 0.
    fn has_unreadable_reply(&self, score: &Score) -> bool;

    /// What a configuration holds, in a line; an error where it cannot be used.
    fn describe(&self, path: &Path) -> Result<String, Failure>;

    /// Opens a configuration with what is said beside it; nothing where all its results are there and are not to be made
    /// again.
    fn open(&self, path: &Path, existing: ExistingResults, said: RunOptions) -> Result<Option<ReadyRun>, Failure>;
}

/// What becomes of a subtask whose results are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingResults {
    /// It is skipped.
    Skip,
    /// It runs; what is known of it is used.
    Keep,
    /// It runs, and everybody is asked again.
    Overwrite,
}

static PREPARATIONS: [&dyn Preparation; 2] = [&sgi::SgiGrading, &socioscope::endpoint::AskBeforeGrading];

static GUIDE_BENCHMARKS: [&dyn GuideBenchmark; 1] = [&sgi::SgiGuide];

/// What the benchmark of this id does before it is opened.
pub fn preparation(benchmark: &str) -> Option<&'static dyn Preparation> {
    PREPARATIONS.iter().copied().find(|preparation| preparation.benchmark() == benchmark)
}

/// The benchmark that a run belongs to.
pub fn for_run(benchmark: Option<&str>) -> Option<&'static dyn GuideBenchmark> {
    GUIDE_BENCHMARKS.iter().copied().find(|guided| Some(guided.benchmark()) == benchmark)
}

/// Whether a reply behind a score of a benchmark could not be read.
pub fn has_unreadable_reply(score: &Score) -> bool {
    GUIDE_BENCHMARKS.iter().any(|guided| guided.has_unreadable_reply(score))
}

/// The benchmark in the form of whose guide a configuration is written.
pub fn for_configuration(path: &Path) -> Option<&'static dyn GuideBenchmark> {
    // What cannot be read is told by whoever reads it in earnest.
    let (bytes, _) = probare_formats::read_whole(&path.display().to_string(), LARGEST).ok()?;
    let text = std::str::from_utf8(&bytes).ok()?;
    GUIDE_BENCHMARKS.iter().copied().find(|guided| guided.is_guide(text))
}

/// Bytes of the largest configuration that is looked into.
const LARGEST: u64 = 16 * 1024 * 1024;
