//! `probare resume`: goes on with a run that was ended, killed, or ran out of disk or money.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use probare_report::escape;
use probare_report::number::counted;
use probare_runner::{Config, Evaluation, EvaluationOptions, Exit, Retry, State, Store, StoredRun};

use super::benchmarks::{self, Guided, Opened, Wanted};
use super::remark;
use super::run::{StoreFlag, failure, number};
use super::running::Running;
use crate::failure::{Done, Failure};

/// Go on with a run.
///
/// What is finished is taken from the store, the rest is done. Where cases, prompts, metrics or settings of models have
/// changed since, it says what and stops: numbers of two different runs would stand in one report. --accept-changes goes
/// on all the same; finished samples stay as they are.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Number of the run; the newest that is not complete by default
    #[arg(value_name = "RUN", value_parser = number)]
    run: Option<i64>,

    /// Go on although something has changed
    #[arg(long, env = "PROBARE_ACCEPT_CHANGES")]
    accept_changes: bool,

    /// Do samples with such errors again
    #[arg(long, value_name = "WHICH", value_enum, env = "PROBARE_RETRY")]
    retry: Option<Which>,

    /// The configuration; the one that the run was started with by default, where you started it on this machine
    #[arg(short, long, value_name = "FILE", env = "PROBARE_CONFIG")]
    config: Option<PathBuf>,

    #[command(flatten)]
    pub store: StoreFlag,

    #[command(flatten)]
    running: Running,
}

/// Which samples are done again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// Without a result: failed, timed out, missing or cancelled
    Failed,
    /// With a judge's reply that could not be read; the judge is asked anew
    Unparseable,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let mut store = arguments.store.there()?;
    let is_done = arguments.retry.is_none();
    let found = match arguments.run {
        Some(run) => Some(run),
        None => store.latest(true)?.or(if is_done { None } else { store.latest(false)? }),
    };
    let Some(run) = found else {
        return Err(
            Failure::new("no run is open").hint("`probare runs list` shows all runs; name one: probare resume RUN")
        );
    };
    let stored = store.run(run)?;
    if stored.plan.limit.is_some() && arguments.running.limit.is_some_and(|limit| Some(limit) != stored.plan.limit) {
        return Err(Failure::usage("the limit of a run cannot be changed").hint("start another: probare run --limit N"));
    }
    if arguments.config.is_none() && !stored.plan.is_marked() {
        // A store may come from anybody, and a configuration names programs and addresses.
        let message = format!("run {run} does not carry your mark: what it names is not used");
        return Err(Failure::new(message).hint(format!(
            "it was begun by another user, on another machine or with an older release; name your configuration: probare \
             resume {run} --config FILE"
        )));
    }
    let path = arguments.config.clone().unwrap_or_else(|| PathBuf::from(&stored.plan.config));
    if let Some(guided) = benchmarks::of_run(stored.plan.suite.as_deref()) {
        return resume_guided(guided, arguments, &mut store, run, &stored, &path);
    }
    let config = match &stored.plan.test {
        Some(test) if arguments.config.is_none() => test.config()?,
        _ => Config::load(Some(&path))?,
    };
    let mut settled = arguments.running.with_config(&config);
    // Also where to write is not for a stranger's store to say.
    if arguments.running.output.is_empty() && stored.plan.is_marked() {
        settled.outputs = stored.plan.outputs.iter().map(PathBuf::from).collect();
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let retry = arguments.retry.map(|which| match which {
        Which::Failed => Retry::Failed,
        Which::Unparseable => Retry::Unparseable,
    });
    let mut asking = arguments.running.asking.settled(&config, folder);
    asking.round = stored.rounds + u32::from(retry == Some(Retry::Unparseable));
    let options = EvaluationOptions {
        config: path,
        asking,
        profile: config.profile.unwrap_or_default(),
        limit: stored.plan.limit,
        outputs: settled.outputs.clone(),
        test: stored.plan.test.clone(),
    };
    let evaluation = Evaluation::open(&config, options).map_err(failure)?;
    let differences = stored.plan.differences(evaluation.plan());
    if !differences.is_empty() {
        if !arguments.accept_changes {
            return Err(Failure::new(format!("run {run} cannot go on as it began: {}", differences.join("; "))).hint(
                "put it back as it was, start anew with `probare run`, or go on all the same with --accept-changes",
            ));
        }
        for difference in &differences {
            remark(&escape::terminal(&format!("accepted: {difference}")));
        }
        store.replan(run, evaluation.plan())?;
    }
    if let Some(retry) = retry {
        let again = store.retry(run, retry.kinds())?;
        remark(&format!("{} again", counted(again, "sample", "samples")));
    } else if stored.state == State::Complete && differences.is_empty() && settled.outputs.is_empty() {
        remark(&format!("run {run} is complete"));
        return Ok(Exit::Fine);
    }
    settled.evaluate(evaluation, &store, run)
}

/// Goes on with a run of a benchmark. Its demo has the same rows again, and results that are there do not stop it.
fn resume_guided(
    guided: &dyn Guided,
    arguments: &Arguments,
    store: &mut Store,
    run: i64,
    stored: &StoredRun,
    path: &Path,
) -> Done {
    if arguments.retry == Some(Which::Unparseable) && !guided.asks_unparseable_again() {
        return Err(Failure::usage(format!("--retry unparseable is not for runs of `{}`", guided.suite()))
            .hint("the careful profile asks again by itself; --retry failed does what failed again"));
    }
    let wanted = Wanted { overwrite: true, limit: stored.plan.limit, profile: None };
    let Some(Opened { evaluation, mut settled }) = guided.open(path, wanted, &arguments.running)? else {
        return Ok(Exit::Fine);
    };
    // Also where to write is not for a stranger's store to say.
    if arguments.running.output.is_empty() && stored.plan.is_marked() {
        settled.outputs = stored.plan.outputs.iter().map(PathBuf::from).collect();
    }
    let differences = stored.plan.differences(evaluation.plan());
    if !differences.is_empty() {
        if !arguments.accept_changes {
            return Err(Failure::new(format!("run {run} cannot go on as it began: {}", differences.join("; ")))
                .hint("put it back as it was, start anew, or go on all the same with --accept-changes"));
        }
        store.replan(run, evaluation.plan())?;
    }
    if arguments.retry == Some(Which::Failed) {
        let again = store.retry(run, Retry::Failed.kinds())?;
        remark(&format!("{} again", counted(again, "sample", "samples")));
    } else if stored.state == State::Complete && differences.is_empty() && settled.outputs.is_empty() {
        remark(&format!("run {run} is complete"));
        return Ok(Exit::Fine);
    }
    settled.evaluate(evaluation, store, run)
}
