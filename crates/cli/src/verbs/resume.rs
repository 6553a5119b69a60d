//! `probare resume`: goes on with a run that was ended, killed, or ran out of disk or money.

use std::path::PathBuf;

use clap::ValueEnum;
use probare_report::escape;
use probare_report::number::counted;
use probare_runner::{Config, Evaluation, EvaluationOptions, Exit, Layer, Retry, Settings, State, Store, StoredRun};

use super::benchmarks::{self, Guided, Opened};
use super::flags::{Layered, RunFlags, of_config};
use super::remark;
use super::running::Running;
use super::stored::{StoreFlag, failure, number};
use crate::failure::{Done, Failure};

/// Go on with a run.
///
/// What is finished is taken from the store, the rest is done. Where cases, prompts, metrics or settings of models have
/// changed since, it says what and stops: numbers of two different runs would stand in one report. --accept-changes goes
/// on all the same; finished samples stay as they are. Profile, limit, gates and all else that the run began with still
/// hold. A run that somebody else began wants --config: nothing that a foreign store names is run or contacted.
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
    running: Layered<RunFlags>,
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
    let run = chosen(arguments, &store)?;
    let stored = store.run(run)?;
    let retry = arguments.retry.map(|which| match which {
        Which::Failed => Retry::Failed,
        Which::Unparseable => Retry::Unparseable,
    });
    let Some((evaluation, running)) = opened(arguments, &stored, retry)? else { return Ok(Exit::Fine) };
    let differences = stored.plan.differences(evaluation.plan());
    if !differences.is_empty() {
        if !arguments.accept_changes {
            return Err(Failure::new(format!("run {run} cannot go on as it began: {}", differences.join("; ")))
                .hint("put it back as it was, start anew, or go on all the same with --accept-changes"));
        }
        for difference in &differences {
            remark(&escape::terminal(&format!("accepted: {difference}")));
        }
        store.replan(run, evaluation.plan())?;
    }
    if let Some(retry) = retry {
        let again = store.retry(run, retry.kinds())?;
        remark(&format!("{} again", counted(again, "sample", "samples")));
    } else if stored.state == State::Complete && differences.is_empty() && running.is_without_output() {
        remark(&format!("run {run} is complete"));
        return Ok(Exit::Fine);
    }
    running.evaluate(evaluation, &store, run)
}

/// What the run would go on with.
pub fn shown(arguments: &Arguments) -> Result<Settings, Failure> {
    let store = arguments.store.there()?;
    let stored = store.run(chosen(arguments, &store)?)?;
    settings(arguments, &stored)
}

/// The run that is named, or the newest that can go on.
fn chosen(arguments: &Arguments, store: &Store) -> Result<i64, Failure> {
    let found = match arguments.run {
        Some(run) => Some(run),
        None => store.latest(true)?.or(if arguments.retry.is_none() { None } else { store.latest(false)? }),
    };
    found.ok_or_else(|| {
        Failure::new("no run is open").hint("`probare runs list` shows all runs; name one: probare resume RUN")
    })
}

/// What the run is: what it began with, and what is said now. A configuration that is still there is read again, so that a
/// change of it is noticed.
fn settings(arguments: &Arguments, stored: &StoredRun) -> Result<Settings, Failure> {
    let plan = &stored.plan;
    let began = plan.began_with()?;
    let said = arguments.running.layer();
    let limit = Settings::merge([said.clone()])?.limit;
    if plan.limit.is_some() && limit.is_some() && limit != plan.limit {
        return Err(Failure::usage("the limit of a run cannot be changed").hint("start another: probare run --limit N"));
    }
    let is_own = plan.is_marked();
    let named = match &arguments.config {
        Some(path) => Some(path.clone()),
        None if !is_own => return Err(foreign(stored)),
        None => Some(PathBuf::from(&plan.config)).filter(|path| path.is_file()),
    };
    let config = match (&plan.test, named) {
        (Some(test), _) if arguments.config.is_none() => Some(test.config()?),
        (_, Some(path)) => Some(Config::load(Some(&path))?),
        (_, None) => None,
    };
    let file = config.as_ref().map(of_config);
    // Of a run that an older version began nothing but the plan is known.
    let old = Layer::default().and("limit", plan.limit);
    let began = match (began, &file) {
        (Some(began), Some(_)) => began.without_files(),
        (Some(began), None) => began,
        (None, _) => old,
    };
    Ok(Settings::merge([said, began].into_iter().chain(file))?)
}

/// The failure where somebody else may have written down what a run names.
fn foreign(stored: &StoredRun) -> Failure {
    let run = stored.run;
    // A store may come from anybody, and a configuration names programs and addresses.
    Failure::new(format!("run {run} does not carry your mark: what it names is not used")).hint(format!(
        "it was begun by another user, on another machine or with an older release; name your configuration: probare resume \
         {run} --config FILE"
    ))
}

/// The run with everything that it needs; nothing where there is nothing to do.
fn opened(
    arguments: &Arguments,
    stored: &StoredRun,
    retry: Option<Retry>,
) -> Result<Option<(Evaluation, Running)>, Failure> {
    if let Some(guided) = benchmarks::of_run(stored.plan.suite.as_deref()) {
        return resume_guided(guided, arguments, stored);
    }
    let settings = settings(arguments, stored)?;
    let options = EvaluationOptions {
        only_looks: false,
        round: stored.rounds + u32::from(retry == Some(Retry::Unparseable)),
        test: stored.plan.test.clone(),
    };
    let evaluation = Evaluation::open(&settings, options).map_err(failure)?;
    Ok(Some((evaluation, Running::new(settings))))
}

/// A run of a benchmark. Its demo has the same rows again, and results that are there do not stop it.
fn resume_guided(
    guided: &dyn Guided,
    arguments: &Arguments,
    stored: &StoredRun,
) -> Result<Option<(Evaluation, Running)>, Failure> {
    if arguments.retry == Some(Which::Unparseable) && !guided.asks_unparseable_again() {
        return Err(Failure::usage(format!("--retry unparseable is not for runs of `{}`", guided.suite()))
            .hint("the careful profile asks again by itself; --retry failed does what failed again"));
    }
    let plan = &stored.plan;
    let path = match &arguments.config {
        Some(path) => path.clone(),
        None if !plan.is_marked() => return Err(foreign(stored)),
        None => PathBuf::from(&plan.config),
    };
    let began = plan.began_with()?.unwrap_or_default().without_files().and("limit", plan.limit);
    let opened = guided.open(&path, true, vec![arguments.running.layer(), began])?;
    Ok(opened.map(|Opened { evaluation, running }| (evaluation, running)))
}
