//! `probare score`: the cases of a file through some metrics.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use probare_core::{Event, Profile, Sink, Stop};
use probare_metrics::registry;
use probare_report::{Gate, Gates, Jsonl, Look, Options, Output, Summary, terminal};
use probare_runner::{DriveOptions, Driven, MetricRequest, Plan, drive};

use super::{Reading, print, remark};
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::progress::Progress;

/// Score the cases of a file.
///
/// Writes one JSON line a case, in input order: to standard output, or to the files named with -o, whose extension says
/// what is written (.jsonl .json .csv .parquet .md .html .xml; .gz and .zst behind .jsonl, .json and .csv). The summary
/// goes to standard output with -o and to standard error without.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// File of cases (.jsonl .json .csv .tsv .parquet, also .gz and .zst); - is standard input
    #[arg(value_name = "FILE")]
    file: Option<String>,

    /// Metric to compute: ID, ID:OPTION=VALUE,… or NAME=ID:OPTION=VALUE (repeatable)
    #[arg(short, long = "metric", value_name = "METRIC", env = "PROBARE_METRIC")]
    metrics: Vec<String>,

    /// Which reading of the metrics: reference (the published numbers) or careful (ours, where we do better)
    #[arg(long, value_name = "PROFILE", value_parser = profile, env = "PROBARE_PROFILE")]
    profile: Option<Profile>,

    /// File to write; its extension says what (repeatable); - is standard output
    #[arg(short, long = "output", value_name = "OUT", env = "PROBARE_OUTPUT")]
    output: Vec<PathBuf>,

    /// Fail with exit code 2 if the mean of a metric is below a limit (repeatable)
    #[arg(long, value_name = "METRIC=NUMBER", env = "PROBARE_FAIL_UNDER")]
    fail_under: Vec<String>,

    /// Fail with exit code 2 if the mean of a metric is on the wrong side, for example "hallucination>0.2" (repeatable)
    #[arg(long, value_name = "METRIC>NUMBER", env = "PROBARE_FAIL_IF")]
    fail_if: Vec<String>,

    #[command(flatten)]
    reading: Reading,

    /// Scoring threads; all cores by default. The output does not depend on it
    #[arg(short, long, value_name = "N", env = "PROBARE_JOBS")]
    jobs: Option<NonZeroUsize>,

    /// Score at most this many cases
    #[arg(long, value_name = "N", env = "PROBARE_LIMIT")]
    limit: Option<u64>,

    /// End at the first row that cannot be read
    #[arg(long, env = "PROBARE_STRICT")]
    strict: bool,

    /// Settings; ./probare.yaml is read if it is there
    #[arg(short, long, value_name = "FILE", env = "PROBARE_CONFIG")]
    config: Option<PathBuf>,

    /// Title of the report pages
    #[arg(long, value_name = "TEXT", env = "PROBARE_TITLE")]
    title: Option<String>,

    /// No summary and no progress
    #[arg(short, long, env = "PROBARE_QUIET")]
    quiet: bool,

    /// The summary as JSON instead of a table
    #[arg(long, env = "PROBARE_JSON")]
    json: bool,
}

/// Reads `reference` or `careful`.
pub fn profile(name: &str) -> Result<Profile, String> {
    [Profile::Reference, Profile::Careful]
        .into_iter()
        .find(|profile| profile.name() == name)
        .ok_or_else(|| "known profiles are reference and careful".to_owned())
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let config = Config::load(arguments.config.as_deref())?;
    let plan = plan(arguments, &config)?;
    let gates = gates(arguments, &config)?;
    gates.check_names(plan.infos())?;
    let (path, mappings) = source(arguments, &config)?;
    let rows = arguments.reading.open(&path, &mappings)?;

    let outputs = outputs(arguments, &config);
    let mut to_stdout = outputs.is_empty();
    let options = Options { title: arguments.title.clone(), gates: gates.clone(), ..Options::default() };
    let mut sinks: Vec<Box<dyn Sink>> = Vec::new();
    for output in &outputs {
        if output == Path::new("-") {
            to_stdout = true;
        } else {
            sinks.push(probare_report::open(output, &options)?);
        }
    }
    if to_stdout {
        sinks.push(Box::new(Jsonl::new(Output::to_writer(Box::new(io::stdout())))));
    }
    let mut tee = Tee { summary: Summary::default(), sinks, progress: Progress::new(arguments.quiet, arguments.limit) };

    let options = DriveOptions {
        jobs: arguments
            .jobs
            .or(config.run.concurrency)
            .unwrap_or_else(|| available_parallelism().unwrap_or(NonZeroUsize::MIN)),
        limit: arguments.limit.or(config.run.limit),
        strict: arguments.strict || config.run.strict,
        interrupted: interrupt_flag(),
    };
    let driven = match drive(rows, &path, &plan, &options, &mut tee) {
        // Whoever reads our lines has seen enough.
        Err(probare_runner::DriveError::Output(error)) if to_stdout && error.kind() == io::ErrorKind::BrokenPipe => {
            return Ok(Exit::Fine);
        }
        other => other?,
    };
    conclude(arguments, &tee.summary, &gates, driven, &outputs, to_stdout)
}

fn plan(arguments: &Arguments, config: &Config) -> Result<Plan, Failure> {
    let requests: Vec<MetricRequest> = if arguments.metrics.is_empty() {
        config.requests()
    } else {
        arguments.metrics.iter().map(|text| text.parse()).collect::<Result<_, _>>()?
    };
    let profile = arguments.profile.or(config.profile).unwrap_or_default();
    Ok(Plan::new(&requests, profile, registry())?)
}

fn gates(arguments: &Arguments, config: &Config) -> Result<Gates, Failure> {
    let mut gates = Vec::new();
    for gate in &config.gates {
        let under = gate.fail_under.map(|limit| Gate::fail_under(&format!("{}={limit}", gate.metric)));
        let over = gate.fail_over.map(|limit| Gate::fail_if(&format!("{}>{limit}", gate.metric)));
        for gate in [under, over].into_iter().flatten() {
            gates.push(gate?);
        }
    }
    for text in &arguments.fail_under {
        gates.push(Gate::fail_under(text)?);
    }
    for text in &arguments.fail_if {
        gates.push(Gate::fail_if(text)?);
    }
    Ok(Gates::new(gates))
}

/// The file to score and the mapping that belongs to it.
fn source(arguments: &Arguments, config: &Config) -> Result<(String, Vec<String>), Failure> {
    if let Some(file) = &arguments.file {
        let configured = config.datasets.iter().find(|dataset| dataset.path == *file);
        return Ok((file.clone(), configured.map(crate::config::Dataset::mappings).unwrap_or_default()));
    }
    match config.datasets.as_slice() {
        [dataset] => {
            let folder = arguments.config.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
            Ok((folder.join(&dataset.path).display().to_string(), dataset.mappings()))
        }
        [] => Err(Failure::usage("no file of cases is named")
            .hint("name one: probare score cases.jsonl --metric token_f1; `probare init` writes an example project")),
        several => Err(Failure::usage(format!("the configuration lists {} datasets", several.len()))
            .hint("name the one to score: probare score FILE")),
    }
}

fn outputs(arguments: &Arguments, config: &Config) -> Vec<PathBuf> {
    if arguments.output.is_empty() {
        config.run.output.iter().map(PathBuf::from).collect()
    } else {
        arguments.output.clone()
    }
}

/// Set by Ctrl-C: the run ends at the next case and what was computed is kept.
pub fn interrupt_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let inner = Arc::clone(&flag);
    // Without a handler Ctrl-C ends the program at once, which is the second best thing.
    let _ = ctrlc::set_handler(move || {
        if inner.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
    flag
}

/// Prints the summary and decides how the program ends.
fn conclude(
    arguments: &Arguments,
    summary: &Summary,
    gates: &Gates,
    driven: Driven,
    outputs: &[PathBuf],
    to_stdout: bool,
) -> Done {
    let verdicts = gates.verdicts(summary);
    if !arguments.quiet {
        let text = if arguments.json {
            let json = serde_json::json!({ "summary": summary, "gates": verdicts });
            format!("{json:#}\n")
        } else {
            let look = if to_stdout { Look::of(&io::stderr()) } else { Look::of(&io::stdout()) };
            terminal::render(summary, &verdicts, look)
        };
        if to_stdout {
            remark(text.trim_end());
        } else {
            print(&text)?;
            for output in outputs {
                match driven.stop {
                    Stop::Complete => remark(&format!("wrote {}", output.display())),
                    Stop::Strict | Stop::Interrupted => {
                        remark(&format!("what was computed is in {}.partial", output.display()));
                    }
                }
            }
        }
    }
    Ok(match driven.stop {
        Stop::Interrupted => Exit::Interrupted,
        Stop::Strict => Exit::Error,
        Stop::Complete if driven.lost > 0 || summary.failed() > 0 => Exit::Error,
        Stop::Complete if verdicts.iter().any(|verdict| !verdict.passed) => Exit::Gate,
        Stop::Complete => Exit::Fine,
    })
}

/// Hands every event to all sinks.
struct Tee {
    summary: Summary,
    sinks: Vec<Box<dyn Sink>>,
    progress: Progress,
}

impl Sink for Tee {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.summary.event(event)?;
        self.progress.event(event)?;
        self.sinks.iter_mut().try_for_each(|sink| sink.event(event))
    }
}
