//! `probare run`: the models and data sets of a configuration through its metrics, kept sample by sample.

use std::path::{Path, PathBuf};

use probare_core::Profile;
use probare_report::escape;
use probare_report::number::counted;
use probare_runner::{
    Asking, Config, DEFAULT_NAME, DriveError, Estimate, Evaluation, EvaluationError, EvaluationOptions, Exit, RunError,
    STORE, Store, StoreError,
};

use super::benchmarks::{self, Guided, Opened, Wanted};
use super::running::Running;
use super::{print, remark};
use crate::failure::{Done, Failure};

/// Run an evaluation: models times data sets times metrics.
///
/// The configuration names data sets, models and metrics; without models the responses of the data are scored. Every
/// finished sample is in the store (.probare/store.db) at once: after Ctrl-C, a kill or a full disk `probare resume` goes on
/// where it was. The first Ctrl-C finishes what is under way and ends with exit code 3, the second ends at once.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The configuration; probare.yaml by default
    #[arg(value_name = "CONFIG", default_value = DEFAULT_NAME)]
    config: PathBuf,

    /// Say what the run would take, and ask nobody
    #[arg(long, env = "PROBARE_DRY_RUN")]
    dry_run: bool,

    /// Which reading of the metrics: reference (the published numbers) or careful (ours, where we do better)
    #[arg(long, value_name = "PROFILE", value_parser = super::score::profile, env = "PROBARE_PROFILE")]
    profile: Option<Profile>,

    /// End at the first row that cannot be read
    #[arg(long, env = "PROBARE_STRICT")]
    strict: bool,

    #[command(flatten)]
    pub store: StoreFlag,

    #[command(flatten)]
    running: Running,
}

/// Which store.
#[derive(Debug, Clone, clap::Args)]
pub struct StoreFlag {
    /// The store of runs
    #[arg(long, value_name = "FILE", default_value = STORE, env = "PROBARE_STORE", global = true)]
    pub store: PathBuf,
}

impl StoreFlag {
    /// A store that exists: looking at one must not make one.
    pub fn there(&self) -> Result<Store, Failure> {
        if !self.store.exists() {
            return Err(Failure::new(format!("there is no store `{}`", self.store.display()))
                .hint("`probare run probare.yaml` makes one; name another with --store FILE"));
        }
        Ok(Store::open(&self.store)?)
    }
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    if let Some(guided) = benchmarks::of_configuration(&arguments.config) {
        let wanted = Wanted { overwrite: false, profile: arguments.profile, limit: arguments.running.limit };
        if arguments.dry_run {
            let opened = guided.open(&arguments.config, wanted, &arguments.running)?;
            return opened.map_or(Ok(Exit::Fine), |opened| print(&shown(opened.evaluation.estimate())));
        }
        return begin(guided, &arguments.config, wanted, &arguments.running, &arguments.store);
    }
    let config = Config::load(Some(&arguments.config))?;
    let mut settled = arguments.running.with_config(&config);
    settled.strict = arguments.strict || config.run.strict;
    let folder = arguments.config.parent().unwrap_or(Path::new(""));
    let asking = arguments.running.asking.settled(&config, folder);
    let options = EvaluationOptions {
        config: arguments.config.clone(),
        asking: Asking { only_looks: arguments.dry_run, ..asking },
        profile: arguments.profile.or(config.profile).unwrap_or_default(),
        limit: arguments.running.limit.or(config.run.limit),
        outputs: settled.outputs.clone(),
        test: None,
    };
    let evaluation = Evaluation::open(&config, options).map_err(failure)?;
    if arguments.dry_run {
        return print(&shown(evaluation.estimate()));
    }
    let store = Store::open(&arguments.store.store)?;
    let number = store.begin(evaluation.plan())?;
    settled.evaluate(evaluation, &store, number)
}

/// Starts a run from a configuration in the form of a benchmark's guide.
pub fn begin(guided: &dyn Guided, path: &Path, wanted: Wanted, running: &Running, store: &StoreFlag) -> Done {
    let Some(Opened { evaluation, settled }) = guided.open(path, wanted, running)? else { return Ok(Exit::Fine) };
    let store = Store::open(&store.store)?;
    let number = store.begin(evaluation.plan())?;
    settled.evaluate(evaluation, &store, number)
}

/// What a run would take, in words.
fn shown(estimate: &Estimate) -> String {
    let mut text = String::new();
    for (name, cases) in &estimate.cases {
        text.push_str(&format!("{}: {}\n", escape::terminal(name), counted(*cases, "case", "cases")));
    }
    text.push_str(&format!(
        "{} through {}\n",
        counted(estimate.samples, "sample", "samples"),
        counted(estimate.metrics as u64, "metric", "metrics")
    ));
    for asked in &estimate.asked {
        let what =
            if asked.judges.is_empty() { "answers".to_owned() } else { format!("judges {}", asked.judges.join(", ")) };
        text.push_str(&format!(
            "  {} {}: {}, about {} tokens in and {} out, {}\n",
            escape::terminal(&asked.model),
            escape::terminal(&what),
            counted(asked.calls, "call", "calls"),
            asked.usage.input_tokens,
            asked.usage.output_tokens,
            dollars(asked.cost_usd)
        ));
    }
    if estimate.asked.is_empty() {
        text.push_str("no model is asked\n");
        return text;
    }
    let usage = estimate.usage();
    text.push_str(&format!(
        "in all {}, about {} tokens, {}, {} of waiting; what is recorded already is neither asked nor paid again\n",
        counted(estimate.calls(), "call", "calls"),
        usage.input_tokens + usage.output_tokens,
        dollars(estimate.cost_usd()),
        waiting(estimate.seconds()),
    ));
    text
}

fn dollars(cost: Option<f64>) -> String {
    match cost {
        Some(cost) => format!("{cost:.4} US dollars"),
        None => "price unknown".to_owned(),
    }
}

fn waiting(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rough number of whole seconds")]
    let seconds = seconds.ceil() as u64;
    match seconds {
        0..=119 => format!("about {}", counted(seconds, "second", "seconds")),
        120..=7199 => format!("about {} minutes", seconds / 60),
        _ => format!("about {} hours", seconds / 3600),
    }
}

/// The failure of a run before it began.
pub fn failure(error: EvaluationError) -> Failure {
    let plain = Failure::from_error(&error);
    match error {
        EvaluationError::NoDataset { .. } => plain.hint("add `datasets: [{path: cases.jsonl}]`").into_usage(),
        EvaluationError::SameDataset { .. } => plain.hint("give one of them a `name`").into_usage(),
        EvaluationError::UnknownModel { similar: Some(similar), .. } => {
            plain.hint(format!("a model with a similar name exists: `{similar}`")).into_usage()
        }
        EvaluationError::NotComputed { similar: Some(similar), .. } => {
            plain.hint(format!("a metric with a similar name exists: `{similar}`")).into_usage()
        }
        EvaluationError::NotComputed { .. } => plain.hint("add it to `metrics`").into_usage(),
        EvaluationError::Prompt(_)
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
pub fn broken(error: EvaluationError, number: i64) -> Failure {
    let is_disk = matches!(
        &error,
        EvaluationError::Store(_) | EvaluationError::Run(RunError::Drive(DriveError::Output(_)) | RunError::Open(_))
    );
    let mut failure = failure(error);
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
    remark(&format!("run {number} in {}", escape::terminal(&store.path().display().to_string())));
}
