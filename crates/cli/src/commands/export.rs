//! `probare export`: a run, or a file of results, as a file that another tool reads.

use std::path::{Path, PathBuf};

use probare_analysis::{ExchangeError, ExportRequest, export_results, export_run};
use probare_benchmarks::registries;
use probare_engine::Exit;
use probare_formats::ExportTarget;
use probare_report::number::count_with_noun;

use super::remark;
use super::runs::lacks_samples;
use super::store_flags::StoreFlag;
use crate::failure::{CommandResult, Failure};

/// Write a run of the store, or a file of results, for another tool: Inspect, promptfoo, Every Eval Ever, OpenTelemetry.
///
/// Questions and references are taken from the inputs of the run, where they are still what they were. A metric that
/// failed has no score in the file. See docs/exchange.md for what is lost.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// Number of a run in the store, or a file of results: .jsonl .json .csv .parquet or .html
    #[arg(value_name = "RUN|RESULTS")]
    what: String,

    /// Target tool: inspect, promptfoo, every-eval-ever, every-eval-ever-instances, otel or openinference
    /// (scores for traces)
    #[arg(long, value_name = "TOOL")]
    to: ExportTarget,

    /// File to write
    #[arg(short, long = "output", value_name = "OUT")]
    output: PathBuf,

    /// Export only the outputs of this model; required if the run has several models and the tool expects one file per model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// Export only the outputs to this prompt; required if the run has several prompts and the tool expects one file per prompt
    #[arg(long, value_name = "NAME")]
    prompt: Option<String>,

    /// For every-eval-ever: who evaluated; `unknown` by default
    #[arg(long, value_name = "NAME")]
    organization: Option<String>,

    /// For every-eval-ever-instances: the metric to export; required if the run has several
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,

    /// For otel and openinference: also export cases to which a metric does not apply
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    store: StoreFlag,
}

const AFTER_HELP: &str = "Examples:
  probare export 1 --to inspect -o log.json            # then: inspect view start --log-dir .
  probare export results.jsonl --to promptfoo -o promptfoo.json   # then: promptfoo import promptfoo.json
  probare export 1 --to every-eval-ever --model small -o record.json
  probare export results.jsonl --to otel -o scores.jsonl          # results of traces, for who keeps the traces";

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let wanted = ExportRequest {
        target: arguments.to,
        output: &arguments.output,
        model: arguments.model.as_deref(),
        prompt: arguments.prompt.as_deref(),
        organisation: arguments.organization.as_deref(),
        all: arguments.all,
        metric: arguments.metric.as_deref(),
        registries: registries(),
    };
    let file = Path::new(&arguments.what);
    let exported = match arguments.what.parse::<i64>() {
        Ok(number) if !file.exists() => {
            let store = arguments.store.open_for_reading()?;
            let stored = store.run(number)?;
            if lacks_samples(&stored) {
                remark(&format!("run {number} is open: {} of {} samples", stored.finished, stored.plan.samples()));
            }
            export_run(store.path(), &stored, &wanted)
        }
        _ => export_results(file, &wanted),
    }
    .map_err(exchange_failure)?;
    for note in &exported.notes {
        remark(&format!("note: {note}"));
    }
    let samples = count_with_noun(exported.samples, "sample", "samples");
    remark(&format!("wrote {}: {samples}", arguments.output.display()));
    Ok(Exit::Fine)
}

/// What the user reads.
pub fn exchange_failure(error: ExchangeError) -> Failure {
    let failure = Failure::from_error(&error);
    match error {
        ExchangeError::Foreign(error) => match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        },
        ExchangeError::SeveralModels { models, .. } => {
            failure.hint(format!("name one with --model: {}", models.join(", "))).into_usage()
        }
        ExchangeError::UnknownModel { models, .. } if models.is_empty() => {
            failure.hint("its results name no model; leave --model out").into_usage()
        }
        ExchangeError::UnknownModel { models, .. } => {
            failure.hint(format!("it has {}", models.join(", "))).into_usage()
        }
        ExchangeError::SeveralPrompts { prompts, .. } => {
            failure.hint(format!("name one with --prompt: {}", prompts.join(", "))).into_usage()
        }
        ExchangeError::UnknownPrompt { prompts, .. } if prompts.is_empty() => {
            failure.hint("its results name no prompt; leave --prompt out").into_usage()
        }
        ExchangeError::UnknownPrompt { prompts, .. } => {
            failure.hint(format!("it has {}", prompts.join(", "))).into_usage()
        }
        ExchangeError::Extension { .. } | ExchangeError::Overlap(_) => failure.into_usage(),
        ExchangeError::WhichMetric { metrics, .. } => {
            failure.hint(format!("name one with --metric: {}", metrics.join(", "))).into_usage()
        }
        ExchangeError::AllMetrics { .. } => failure.hint("remove --metric").into_usage(),
        ExchangeError::All { .. } => failure.hint("remove --all").into_usage(),
        ExchangeError::NoConfiguration { .. } => {
            failure.hint("write its cases: -o cases.jsonl; or name the file of the eval too").into_usage()
        }
        ExchangeError::NoTrace => failure.hint("`probare score traces.jsonl` keeps the spans of its cases"),
        ExchangeError::Report(error) => error.into(),
        _ => failure,
    }
}
