//! What commands share that work with the store of runs: which store, how a run is named, and what to do where it refuses.

use std::path::PathBuf;

use probare_analysis::RunViewer;
use probare_benchmarks::registries;
use probare_engine::{DriveError, EvaluationError, Exit, RunError};
use probare_report::ReportError;
use probare_store::{STORE, Store, StoreError};

use super::remark;
use crate::failure::Failure;

/// Which store.
#[derive(Debug, Clone, clap::Args)]
pub struct StoreFlag {
    /// The store of runs
    #[arg(long, value_name = "FILE", default_value = STORE, env = "PROBARE_STORE", global = true)]
    pub store: PathBuf,
}

impl StoreFlag {
    /// A store that exists, to be changed.
    pub fn open_existing(&self) -> Result<Store, Failure> {
        self.check()?;
        Ok(Store::open(&self.store)?)
    }

    /// A store that exists, to look at it: that makes none, and leaves one of an older form as it is.
    pub fn open_for_reading(&self) -> Result<Store, Failure> {
        self.check()?;
        Ok(Store::open_existing(&self.store)?)
    }

    fn check(&self) -> Result<(), Failure> {
        if self.store.exists() {
            return Ok(());
        }
        Err(Failure::new(format!("there is no store `{}`", self.store.display()))
            .hint("`probare run probare.yaml` makes one; name another with --store FILE"))
    }
}

/// Runs, files and folders that are laid out to be read.
#[derive(Debug, Clone, clap::Args)]
pub struct ViewerFlags {
    /// Runs by number, results files, files of other tools, stores, or folders that contain any of them
    #[arg(value_name = "RUN|FILE|FOLDER")]
    pub given: Vec<String>,

    #[command(flatten)]
    pub store: StoreFlag,
}

impl ViewerFlags {
    /// Lays them out.
    pub fn open(&self) -> Result<RunViewer, Failure> {
        Ok(RunViewer::open(&self.store.store, &self.given, registries())?)
    }

    /// Files that are read.
    pub fn reads(&self) -> Vec<PathBuf> {
        let given = self.given.iter().map(PathBuf::from).filter(|path| path.is_file());
        given.chain([self.store.store.clone()]).collect()
    }
}

/// The failure of a run before it began.
pub fn evaluation_failure(error: EvaluationError) -> Failure {
    let plain = Failure::from_error(&error);
    match error {
        EvaluationError::NoDataset { .. } => plain.hint("add `datasets: [{path: cases.jsonl}]`").into_usage(),
        EvaluationError::SameDataset { .. } => plain.hint("give one of them a `name`").into_usage(),
        EvaluationError::UnknownModel { similar: Some(similar), .. } => {
            plain.hint(format!("a model with a similar name exists: `{similar}`")).into_usage()
        }
        EvaluationError::UnknownPrompt { similar: Some(similar), .. } => {
            plain.hint(format!("a prompt with a similar name exists: `{similar}`")).into_usage()
        }
        EvaluationError::UnknownPrompt { known, .. } if known.is_empty() => {
            plain.hint("write the prompts as `generate: {prompts: [{name: short, prompt: …}, …]}`").into_usage()
        }
        EvaluationError::UnknownPrompt { known, .. } => plain.hint(format!("it has {}", known.join(", "))).into_usage(),
        EvaluationError::UnknownVariable { similar: Some(similar), .. } => {
            plain.hint(format!("did you mean `{{{{{similar}}}}}`?")).into_usage()
        }
        EvaluationError::NotComputed { similar: Some(similar), .. } => {
            plain.hint(format!("a metric with a similar name exists: `{similar}`")).into_usage()
        }
        EvaluationError::NoTools { .. } => plain
            .hint("ask a model of a provider that knows tools, set `generate.prompt` if passages are retrieved, or leave `tools` out")
            .into_usage(),
        EvaluationError::Early(error) => Failure::from_diagnosis(&error),
        EvaluationError::OtherGates => {
            plain.hint("gates, baseline, seed and --stop-when-decided are fixed when a run starts").into_usage()
        }
        EvaluationError::NotComputed { .. } => plain.hint("add it to `metrics`").into_usage(),
        EvaluationError::Prompt(_)
        | EvaluationError::UnknownVariable { .. }
        | EvaluationError::UnknownModel { .. }
        | EvaluationError::Expectation { .. }
        | EvaluationError::NoColumn { .. } => plain.into_usage(),
        EvaluationError::Open(error) => error.into(),
        EvaluationError::Map(error) => error.into(),
        EvaluationError::Ask(error) => error.into(),
        EvaluationError::Retrieval(error) => error.into(),
        EvaluationError::Plan(error) => error.into(),
        EvaluationError::Store(error) => error.into(),
        EvaluationError::Run(error) => error.into(),
        _ => plain,
    }
}

/// The failure of a run that had begun: what is finished is in the store.
pub fn started_run_failure(error: EvaluationError, number: i64) -> Failure {
    let is_disk = matches!(
        &error,
        EvaluationError::Store(_)
            | EvaluationError::Run(RunError::Drive(DriveError::Output(_)) | RunError::Open(ReportError::Io(_)))
    );
    let mut failure = evaluation_failure(error);
    if is_disk {
        failure.exit = Exit::Incomplete;
        failure = failure.hint(format!(
            "what was finished is kept; when there is room and leave to write, go on with: probare resume {number}"
        ));
    }
    failure
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let mut failure = Self::from_error(&error);
        match &error {
            StoreError::NoRun { .. } => failure.hint("`probare runs list` shows all runs").into_usage(),
            StoreError::NotInRun { run, .. } => {
                failure.hint(format!("`probare runs export {run} -o results.jsonl` shows its cases")).into_usage()
            }
            StoreError::Collecting { .. } => failure.hint("end it first, or name another store: --store FILE"),
            StoreError::Format { .. } => failure.hint("a newer version of probare made it"),
            StoreError::Database { .. } => {
                failure.exit = Exit::Incomplete;
                failure
                    .hint("is the disk full, or the file not yours to write? Another place can be named: --store FILE")
            }
            _ => failure,
        }
    }
}

/// A run by its number.
pub fn number(text: &str) -> Result<i64, String> {
    match text.parse::<i64>() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("the number of a run is expected; `probare runs list` shows them".to_owned()),
    }
}

/// Says which run it is.
pub fn announce(number: i64, store: &Store) {
    remark(&format!("run {number} in {}", store.path().display()));
}
