//! `probare rescore`: the outputs of a run through other metrics.

use std::path::PathBuf;

use clap::Args;
use probare_benchmarks::registries;
use probare_core::EarlyStopRecord;
use probare_engine::{Evaluation, EvaluationOptions, RunOptions, early_stop_record};
use probare_report::Gates;
use probare_report::number::count_with_noun;
use probare_store::StoredRun;

use super::flags::{ForRescore, OptionFlags};
use super::run_driver::RunDriver;
use super::store_flags::{StoreFlag, evaluation_failure, number};
use super::{compare, remark, resume};
use crate::failure::{CommandResult, Failure};

/// Score the outputs of a run again, without new requests to the models under test.
///
/// A new run takes cases and outputs from the store and computes the metrics of --metric, or those of the configuration
/// as it is now. Judges are asked; models under test are not, and their keys are not needed. A sample that has no output
/// in the store is an error of kind missing. Of a run that stopped early, only the cases up to the verdict are scored. The
/// run that the outputs came from stays as it is.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Number of the run; the newest by default
    #[arg(value_name = "RUN", value_parser = number)]
    run: Option<i64>,

    /// The configuration; the one that the run was started with by default, where you started it on this machine
    #[arg(short, long, value_name = "FILE", env = "PROBARE_CONFIG")]
    config: Option<PathBuf>,

    #[command(flatten)]
    store: StoreFlag,

    #[command(flatten)]
    options: OptionFlags<ForRescore>,
}

/// What the new run would be.
pub fn preview_settings(arguments: &Arguments) -> Result<RunOptions, Failure> {
    let store = arguments.store.open_for_reading()?;
    let run = chosen(arguments, store.latest(false)?)?;
    settings(arguments, &store.run(run)?)
}

fn chosen(arguments: &Arguments, latest: Option<i64>) -> Result<i64, Failure> {
    let none = || Failure::new("the store has no run").hint("`probare run` makes one");
    arguments.run.or(latest).ok_or_else(none)
}

fn settings(arguments: &Arguments, stored: &StoredRun) -> Result<RunOptions, Failure> {
    let own = arguments.options.options();
    let mut settings = resume::settings_for_run("rescore", stored, arguments.config.as_deref(), own.clone())?;
    // The reports of the other run stay as they are, and its gates are about its metrics.
    settings.output = own.output;
    if !own.metrics.is_empty() {
        settings.gates = own.gates;
        // What was decided early was decided about the other run's metrics.
        settings.stop_when_decided = None;
        settings.baseline = None;
    }
    Ok(settings)
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let store = arguments.store.open_existing()?;
    let from = chosen(arguments, store.latest(false)?)?;
    let stored = store.run(from)?;
    if let Some(benchmark) = &stored.plan.benchmark {
        return Err(Failure::usage(format!(
            "run {from} is one of the benchmark `{benchmark}`, whose metrics are its own"
        ))
        .hint(format!("score its outputs: probare runs export {from} --outputs outputs.jsonl")));
    }
    let settings = settings(arguments, &stored)?;
    let outputs_of = Some(stored.plan.outputs_of.unwrap_or(from));
    let baseline = compare::baseline(&settings, &arguments.store)?;
    let test = stored.plan.test.clone();
    let has_models = !stored.plan.models.is_empty();
    // Responses of a file are all there. The gates that ended the other run are not those of this one.
    let early_stop = early_stop_record(&stored.plan, &store.panels(from)?)
        .filter(|early| has_models && settings.stop_when_decided != Some(true) && early.seen < early.cases)
        .map(|early| EarlyStopRecord { gates: Gates::default().to_json(), baseline: None, ..early });
    let options = EvaluationOptions { outputs_of, early_stop, test, baseline, ..EvaluationOptions::default() };
    let evaluation = Evaluation::open(&settings, options, registries()).map_err(evaluation_failure)?;
    let differences = stored.plan.output_differences(evaluation.plan());
    if !differences.is_empty() {
        let what = differences.join("; ");
        return Err(Failure::new(format!("the outputs of run {from} are not those that this run would have: {what}"))
            .hint("put it back as it was, or start anew: probare run"));
    }
    let number = store.begin(evaluation.plan())?;
    let copied = store.copy_outputs(from, number)?;
    if !evaluation.plan().models.is_empty() {
        let outputs = count_with_noun(copied, "output", "outputs");
        remark(&format!("{outputs} of run {from}; no model under test is asked"));
    }
    if let Some(EarlyStopRecord { seen, cases, .. }) = &evaluation.plan().early_stop {
        remark(&format!(
            "run {from} stopped early: only its first {seen} of {cases} cases are scored, and their means have no intervals"
        ));
    }
    RunDriver::new(settings).evaluate(evaluation, &store, number)
}
