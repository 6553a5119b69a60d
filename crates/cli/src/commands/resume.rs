//! `probare resume`: goes on with a run that was ended, killed, or ran out of disk or money.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use probare_benchmarks::registries;
use probare_core::ErrorKind;
use probare_engine::{Config, Evaluation, EvaluationOptions, Exit, RunOptions, SettingOrigin};
use probare_report::number::count_with_noun;
use probare_store::{RunState, Store, StoredRun};

use super::benchmark_hooks::{self, ExistingResults, GuideBenchmark, ReadyRun};
use super::flags::{ForResume, OptionFlags};
use super::model_call_flags::batch_watch;
use super::run_driver::RunDriver;
use super::store_flags::{StoreFlag, evaluation_failure, number};
use super::{compare, remark};
use crate::failure::{CommandResult, Failure};

/// Resume an interrupted run.
///
/// Takes finished samples from the store and computes the rest, with the profile, limit, gates and all other settings of the
/// run. If cases, prompts, metrics or settings of models have changed since, it names the changes and stops, because the report
/// would mix the numbers of two different runs; --accept-changes continues and keeps finished samples as they are. A run that
/// somebody else started needs --config: nothing that a foreign store names is run or contacted.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Number of the run; the newest that is not complete by default
    #[arg(value_name = "RUN", value_parser = number)]
    run: Option<i64>,

    /// Resume although something has changed
    #[arg(long, env = "PROBARE_ACCEPT_CHANGES")]
    accept_changes: bool,

    /// Retry samples with errors of these kinds; models and judges are asked again (repeatable, or separated by commas)
    #[arg(long, value_name = "KIND", value_enum, value_delimiter = ',', env = "PROBARE_RETRY")]
    retry: Vec<RetryKind>,

    /// The configuration; by default the one that the run was started with, if you started it on this machine
    #[arg(short, long, value_name = "FILE", env = "PROBARE_CONFIG")]
    config: Option<PathBuf>,

    /// Wait for the batches of the run (--batch), and go on until no question of it is in one
    #[arg(long, env = "PROBARE_WAIT")]
    wait: bool,

    #[command(flatten)]
    pub store: StoreFlag,

    #[command(flatten)]
    options: OptionFlags<ForResume>,
}

/// Which samples are done again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum RetryKind {
    /// Without a result: failed, out of time, missing or cancelled
    Failed,
    /// A model or judge declined
    Refused,
    /// The reply of a judge could not be read
    Unparseable,
    /// There is no response, or no recorded reply
    Missing,
    /// It took too long
    TimedOut,
    /// The run was ended
    Cancelled,
    /// A reply was truncated at its token limit
    Truncated,
    /// Every kind of error
    All,
}

impl RetryKind {
    /// The kinds of error that are meant.
    const fn kinds(self) -> &'static [ErrorKind] {
        match self {
            Self::Failed => &[ErrorKind::Failed, ErrorKind::TimedOut, ErrorKind::Missing, ErrorKind::Cancelled],
            Self::Refused => &[ErrorKind::Refused],
            Self::Unparseable => &[ErrorKind::Unparseable],
            Self::Missing => &[ErrorKind::Missing],
            Self::TimedOut => &[ErrorKind::TimedOut],
            Self::Cancelled => &[ErrorKind::Cancelled],
            Self::Truncated => &[ErrorKind::Truncated],
            Self::All => &ErrorKind::ALL,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let mut store = arguments.store.open_existing()?;
    let run = choose_run(arguments, &store)?;
    let stored = store.run(run)?;
    let Some((evaluation, running)) = open_run(arguments, &stored)? else { return Ok(Exit::Fine) };
    if arguments.wait && !running.asks_in_batches() {
        return Err(Failure::usage(format!("run {run} asks nobody in batches: there is nothing to wait for"))
            .hint("leave out --wait, or add --batch"));
    }
    let differences = stored.plan.differences(evaluation.plan());
    if !differences.is_empty() {
        if !arguments.accept_changes {
            return Err(Failure::new(format!("run {run} cannot be resumed as it began: {}", differences.join("; ")))
                .hint("put it back as it was, start again, or resume anyway with --accept-changes"));
        }
        for difference in &differences {
            remark(&format!("accepted: {difference}"));
        }
        store.replan(run, evaluation.plan())?;
    }
    if !arguments.retry.is_empty() {
        let kinds: Vec<ErrorKind> = arguments.retry.iter().flat_map(|which| which.kinds()).copied().collect();
        let again = store.retry(run, &kinds, &benchmark_hooks::has_unreadable_reply)?;
        remark(&format!("{} again", count_with_noun(again, "sample", "samples")));
        let others: Vec<String> = (stored.errors.iter())
            .filter(|(kind, _)| kinds.iter().all(|known| known.name() != kind.as_str()))
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        if again == 0 && !others.is_empty() {
            remark(&format!("errors of other kinds: {}; --retry all does them again, too", others.join(", ")));
        }
    } else if stored.state == RunState::Complete && differences.is_empty() && running.is_without_output() {
        remark(&format!("run {run} is complete"));
        return Ok(Exit::Fine);
    }
    if !arguments.wait {
        return running.evaluate(evaluation, &store, run);
    }
    let mut next = Some((evaluation, running));
    while let Some((evaluation, running)) = next {
        let evaluation = evaluation.waiting_for_batches(batch_watch(running.is_quiet()));
        let (exit, is_waiting) = running.evaluate_once(evaluation, &store, run)?;
        if !is_waiting {
            return Ok(exit);
        }
        next = open_run(arguments, &store.run(run)?)?;
    }
    Ok(Exit::Fine)
}

/// What the run would go on with.
pub fn preview_settings(arguments: &Arguments) -> Result<RunOptions, Failure> {
    let store = arguments.store.open_for_reading()?;
    let stored = store.run(choose_run(arguments, &store)?)?;
    settings(arguments, &stored)
}

/// The run that is named, or the newest that can go on.
fn choose_run(arguments: &Arguments, store: &Store) -> Result<i64, Failure> {
    let found = match arguments.run {
        Some(run) => Some(run),
        None => store.latest(true)?.or(if arguments.retry.is_empty() { None } else { store.latest(false)? }),
    };
    found.ok_or_else(|| {
        Failure::new("no run is open").hint("`probare runs list` shows all runs; name one: probare resume RUN")
    })
}

/// What the run is: what it began with, and what is said now. A configuration that is still there is read again, so that a
/// change of it is noticed.
fn settings(arguments: &Arguments, stored: &StoredRun) -> Result<RunOptions, Failure> {
    let settings = settings_for_run("resume", stored, arguments.config.as_deref(), arguments.options.options())?;
    if stored.plan.outputs_of.is_none() || settings.origin("metrics").is_file() {
        return Ok(settings);
    }
    // What the configuration limits are its own metrics, not those that `rescore` was given.
    let is_about_others = |name: &str| matches!(name, "stop_when_decided" | "baseline");
    let origins = settings.origins.clone();
    let mut settings =
        settings.retain(|name| !(is_about_others(name) && origins.get(name).is_some_and(SettingOrigin::is_file)));
    settings.gates.0.retain(|set| !set.from.is_file());
    Ok(settings)
}

/// The same with a configuration that is named and what is said beside it.
pub fn settings_for_run(
    command: &str,
    stored: &StoredRun,
    config: Option<&Path>,
    said: RunOptions,
) -> Result<RunOptions, Failure> {
    let plan = &stored.plan;
    if plan.collected.is_some() {
        let run = stored.run;
        return Err(Failure::usage(format!("run {run} holds collected traces, which `probare {command}` cannot compute again"))
            .hint(format!("`probare serve --collect` goes on with it; for other metrics: probare runs export {run} --outputs cases.jsonl, then probare score cases.jsonl")));
    }
    let began = RunOptions::from_plan(plan)?;
    if plan.limit.is_some() && said.limit.is_some() && said.limit != plan.limit {
        return Err(Failure::usage("the limit of a run cannot be changed").hint("start another: probare run --limit N"));
    }
    let is_own = plan.has_valid_owner_tag();
    let named = match config {
        Some(path) => Some(path.to_owned()),
        None if !is_own => return Err(foreign_run_failure(stored, command)),
        None => Some(PathBuf::from(&plan.config)).filter(|path| path.is_file()),
    };
    let config = match (&plan.test, named) {
        (Some(test), _) if config.is_none() => Some(Config::from_rag_test(test)?),
        (_, Some(path)) => Some(Config::load(Some(&path))?),
        (_, None) => None,
    };
    let began = match (began, &config) {
        (Some(began), Some(_)) => began.without_files(),
        (Some(began), None) => began,
        // Of a run that an older version began nothing but the plan is known.
        (None, _) => RunOptions { limit: plan.limit, ..RunOptions::default() }.set_by_caller(),
    };
    Ok(said.combine(began).combine(config.as_ref().map(Config::file_options).unwrap_or_default()))
}

/// The failure where somebody else may have written down what a run names.
fn foreign_run_failure(stored: &StoredRun, command: &str) -> Failure {
    let run = stored.run;
    // A store may come from anybody, and a configuration names programs and addresses.
    Failure::new(format!("run {run} does not carry your owner tag: what it names is not used")).hint(format!(
        "it was begun by another user, on another machine or with an older release; name your configuration: \
         probare {command} {run} --config FILE"
    ))
}

/// The run with everything that it needs; nothing where there is nothing to do.
fn open_run(arguments: &Arguments, stored: &StoredRun) -> Result<Option<(Evaluation, RunDriver)>, Failure> {
    // A retry that was ended before its end is still one.
    let refresh = stored.rounds > 0 || !arguments.retry.is_empty();
    if let Some(guided) = benchmark_hooks::for_run(stored.plan.benchmark.as_deref()) {
        return resume_benchmark(guided, arguments, stored, refresh);
    }
    let settings = settings(arguments, stored)?;
    let StoredRun { plan, .. } = stored;
    let baseline = compare::baseline(&settings, &arguments.store)?;
    let test = plan.test.clone();
    let (outputs_of, early_stop) = (plan.outputs_of, plan.early_stop.clone());
    let options = EvaluationOptions { dry_run: false, refresh, test, outputs_of, early_stop, baseline };
    let evaluation = Evaluation::open(&settings, options, registries()).map_err(evaluation_failure)?;
    Ok(Some((evaluation, RunDriver::new(settings))))
}

/// A run of a benchmark. Its demo has the same rows again, and results that are there do not stop it.
fn resume_benchmark(
    guided: &dyn GuideBenchmark,
    arguments: &Arguments,
    stored: &StoredRun,
    refresh: bool,
) -> Result<Option<(Evaluation, RunDriver)>, Failure> {
    let plan = &stored.plan;
    let path = match &arguments.config {
        Some(path) => path.clone(),
        None if !plan.has_valid_owner_tag() => return Err(foreign_run_failure(stored, "resume")),
        None => PathBuf::from(&plan.config),
    };
    let began = RunOptions::from_plan(plan)?.unwrap_or_default().without_files().retain(|name| name != "limit");
    let again = RunOptions { limit: plan.limit, refresh: refresh.then_some(true), ..RunOptions::default() };
    let said = arguments.options.options().combine(again.set_by_caller()).combine(began);
    // Results that are there do not stop it, and what is finished is not asked again.
    let opened = guided.open(&path, ExistingResults::Keep, said)?;
    Ok(opened.map(|ReadyRun { evaluation, running }| (evaluation, running)))
}
