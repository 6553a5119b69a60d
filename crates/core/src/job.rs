//! [`Benchmark`] and [`Job`]: a published benchmark as a value that the runner drives as it drives any other run.
//!
//! A benchmark names its options; opened with them it gives a job: where the cases come from, which metrics they go through,
//! what counts where nothing was answered, and who writes the files that the benchmark publishes. The runner alone loops.

use std::borrow::Cow;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::manifest::{GenerationRecord, InputFile, MeansOver, ReadSettings};
use crate::{
    BenchmarkCall, BenchmarkData, Case, Message, MetricInfo, MetricRequest, MetricResult, OwnMetric, Panel, Problem,
    Sample, SampleDimensions, Sink,
};

/// Why a source cannot go on.
pub type SourceError = Box<dyn Error + Send + Sync>;

/// Where cases come from: a file, the rows of a benchmark, a batch of columns, the body of a request.
pub trait CaseSource: Send {
    /// The next rows, not yet looked into; nothing at the end.
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>>;

    /// What was read, with its digest. Called once, when no more rows are wanted: what is left of a file is read to its
    /// end for the digest.
    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError>;

    /// Bytes read so far and in all, where that is known; it may be asked from another thread.
    fn progress(&self) -> Option<Arc<dyn ReadProgress>> {
        None
    }
}

/// How far a source has come.
pub trait ReadProgress: Send + Sync {
    /// Bytes that were read.
    fn bytes_read(&self) -> u64;
    /// Bytes in all, where known.
    fn bytes_total(&self) -> Option<u64>;
}

/// Some rows, not yet looked into, so that the work of reading them can be done on any thread.
pub trait CaseBatch: Send {
    /// Turns every row into a case or a problem, in order.
    fn cases(&self) -> Vec<Result<Case, Problem>>;
}

/// Cases that are already there.
#[derive(Debug, Default)]
pub struct MemorySource {
    cases: std::vec::IntoIter<Case>,
    inputs: Vec<InputFile>,
}

/// Cases that travel together.
const CASES_PER_BATCH: usize = 64;

impl MemorySource {
    /// These cases, read from these inputs.
    pub fn new(cases: Vec<Case>, inputs: Vec<InputFile>) -> Self {
        Self { cases: cases.into_iter(), inputs }
    }
}

struct MemoryBatch(Vec<Case>);

impl CaseBatch for MemoryBatch {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        self.0.iter().cloned().map(Ok).collect()
    }
}

impl CaseSource for MemorySource {
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>> {
        let cases: Vec<Case> = self.cases.by_ref().take(CASES_PER_BATCH).collect();
        (!cases.is_empty()).then(|| Ok(Box::new(MemoryBatch(cases)) as Box<dyn CaseBatch>))
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        Ok(std::mem::take(&mut self.inputs))
    }
}

/// What a benchmark decides about single cases, beyond its metrics.
pub trait CasePolicy: Send + Sync {
    /// Gives the run what the benchmark brings beside its cases, such as transcripts or a dictionary, through
    /// [`Sample::shared`], which keeps what it is given first. Called before the metrics look at a case.
    fn provide_shared(&self, sample: Sample<'_>) {
        let _ = sample;
    }

    /// Why this metric is not asked of this case; nothing where it is.
    fn skip_reason(&self, case: &Case, metric: &MetricInfo) -> Option<Cow<'static, str>> {
        let _ = (case, metric);
        None
    }

    /// What counts where the case has no response; by default that is an error of kind `missing`.
    fn missing_response_result(&self, case: &Case, metric: &MetricInfo) -> Option<MetricResult> {
        let _ = (case, metric);
        None
    }

    /// The model whose output the case holds.
    fn model(&self, case: &Case) -> Option<String> {
        case.response.as_ref().and_then(|output| output.model.clone())
    }

    /// What results name beside case, model and repeat.
    fn dimensions(&self) -> SampleDimensions {
        SampleDimensions::default()
    }

    /// The name of the prompt that the model was asked with, where results name it.
    fn prompt(&self, case: &Case) -> Option<String> {
        let _ = case;
        None
    }

    /// What the model was asked, where it is known.
    fn prompt_messages(&self, case: &Case) -> Vec<Message> {
        let _ = case;
        Vec::new()
    }

    /// Why a bad value of this case is no failure.
    fn expected_failure(&self, case: &Case) -> Option<Cow<'static, str>> {
        let _ = case;
        None
    }

    /// What the benchmark publishes of this case beyond scores. The analyses of the sample are those that the metrics used.
    fn benchmark_data(&self, sample: Sample<'_>, results: &[MetricResult]) -> Option<BenchmarkData> {
        let _ = (sample, results);
        None
    }
}

/// No rules but those that hold for every run.
#[derive(Debug, Clone, Copy, Default)]
pub struct DefaultCasePolicy;

impl CasePolicy for DefaultCasePolicy {}

/// How a benchmark says its run ended, by its own rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BenchmarkStatus {
    /// Nothing to object to.
    #[default]
    Passed,
    /// Its own gate was missed.
    GateFailed,
    /// The data could not be used.
    Failed,
}

/// Writes the files and prints the texts that a benchmark publishes. It takes the events of a run as every sink does and
/// acts when the run ends.
pub trait Publisher: Sink {
    /// How the run ended, by the rule of the benchmark. Asked after the end of the run.
    fn status(&self) -> BenchmarkStatus {
        BenchmarkStatus::Passed
    }

    /// What the benchmark says about the run as a whole. Asked once all cases have come, before the run ends.
    fn panels(&self) -> Vec<Panel> {
        Vec::new()
    }

    /// Files that were written, in order. Asked after the end of the run.
    fn written_files(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// A limit that every single case has to keep, whatever the mean of the run: test results call a miss a failure.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseLimit {
    /// Name of the metric.
    pub metric: String,
    /// Least good value.
    pub least: f64,
}

/// One run that is ready to be driven.
pub struct Job {
    /// What reports say the cases come from.
    pub source: String,
    /// Title of pages; made from the source where it is missing.
    pub title: Option<String>,
    /// The benchmark, if it is one.
    pub benchmark: Option<BenchmarkCall>,
    /// The metrics.
    pub requests: Vec<MetricRequest>,
    /// Metrics of the program's own, which requests name by their ids.
    pub own_metrics: Vec<Arc<OwnMetric>>,
    /// The cases, in order.
    pub cases: Box<dyn CaseSource>,
    /// Paths of all files that are read, also of those that the source reads: no output may be one of them.
    pub reads: Vec<PathBuf>,
    /// Inputs beside those of the source: a lexicon, a schema, a corpus, a catalogue, a configuration.
    pub inputs: Vec<InputFile>,
    /// How the source reads.
    pub reading: ReadSettings,
    /// How the outputs came about, where that is more than a file of cases.
    pub generation: Option<GenerationRecord>,
    /// What means are over: single outputs only where a benchmark publishes its means so.
    pub means_over: MeansOver,
    /// What the benchmark decides about single cases.
    pub rules: Arc<dyn CasePolicy>,
    /// Limits on single cases.
    pub case_limits: Vec<CaseLimit>,
    /// Who writes what the benchmark publishes.
    pub publisher: Option<Box<dyn Publisher>>,
    /// Paths of the files that the publisher writes, as far as they are known before the run.
    pub writes: Vec<PathBuf>,
    /// Reports that the options of the benchmark ask for, beside those that are asked of every run.
    pub outputs: Vec<PathBuf>,
}

impl Job {
    /// Cases through metrics, and nothing else.
    pub fn new(source: impl Into<String>, cases: Box<dyn CaseSource>, requests: Vec<MetricRequest>) -> Self {
        Self {
            source: source.into(),
            title: None,
            benchmark: None,
            requests,
            own_metrics: Vec::new(),
            cases,
            reads: Vec::new(),
            inputs: Vec::new(),
            reading: ReadSettings::default(),
            generation: None,
            means_over: MeansOver::Cases,
            rules: Arc::new(DefaultCasePolicy),
            case_limits: Vec::new(),
            publisher: None,
            writes: Vec::new(),
            outputs: Vec::new(),
        }
    }
}

/// What the place where a benchmark prints can show, and how much is wanted.
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Console {
    /// Nothing but warnings.
    pub quiet: bool,
    /// Numbers as JSON instead of tables.
    pub json: bool,
    /// Whether colours may be used.
    pub colour: bool,
    /// Whether a run without cases is fine, and told as the benchmark tells it.
    pub allow_empty: bool,
}

/// A published benchmark.
pub trait Benchmark: Send + Sync {
    /// Its id, which is the name of its folder and of its command.
    fn id(&self) -> &'static str;

    /// The words of its command on the command line.
    fn command(&self) -> &'static [&'static str];

    /// What it does: a line, and what else a user should know.
    fn about(&self) -> &'static str;

    /// Options that name the example data which the program carries, for a command whose options name no data; nothing where
    /// they do, or where the files are there that it takes by default.
    fn example(&self, options: &Map<String, Json>) -> Map<String, Json>;

    /// Reads its files and gets everything ready. Nothing is written and nothing is printed before the run starts.
    fn open(&self, options: Json, console: Console) -> Result<Job, BenchmarkError>;
}

/// A benchmark could not be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BenchmarkError {
    /// What happened.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
    /// Whether the options are wrong, rather than a file.
    pub is_usage: bool,
}

impl BenchmarkError {
    /// A file cannot be used.
    pub fn data(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, is_usage: false }
    }

    /// The options cannot be used.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { is_usage: true, ..Self::data(message) }
    }

    /// An error with all its causes, as data that cannot be used.
    pub fn from_error(error: &dyn Error) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            let text = inner.to_string();
            // Some errors repeat their cause in their own text.
            if !message.contains(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            cause = inner.source();
        }
        Self::data(message)
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
