//! `probare runs`: list, show, export, label and remove runs.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::Subcommand;
use indicatif::HumanDuration;
use probare_core::Stop;
use probare_engine::{Exit, export, export_outputs, sentence_in_panels};
use probare_report::number::count_with_noun;
use probare_report::{Compression, OutputWriter, escape};
use probare_store::{HumanLabel, RunState, Store, StoredRun};
use serde_json::{Value as Json, json};

use super::store_flags::{StoreFlag, evaluation_failure, number};
use super::{print, remark};
use crate::failure::{CommandResult, Failure};

/// List, show, export, label or remove runs.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: RunsCommand,

    #[command(flatten)]
    store: StoreFlag,
}

#[derive(Debug, Subcommand)]
enum RunsCommand {
    /// List all runs of the store, the oldest first
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what a run was planned to do and how far it is
    Show {
        /// Number of the run
        #[arg(value_name = "RUN", value_parser = number)]
        run: i64,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Export the finished samples of a run, without times and attempts, so that the bytes do not depend on interruptions
    Export {
        /// Number of the run
        #[arg(value_name = "RUN", value_parser = number)]
        run: i64,
        /// File of results to write; its extension says what: .jsonl .json .csv .parquet .md .html .xml (repeatable)
        #[arg(short, long = "output", value_name = "OUT")]
        output: Vec<PathBuf>,
        /// File to write outputs with their cases to, as JSON lines that `probare score` reads
        #[arg(long, value_name = "OUT.jsonl")]
        outputs: Option<PathBuf>,
        /// File to write human labels to, as JSON lines
        #[arg(long, value_name = "LABELS.jsonl")]
        labels: Option<PathBuf>,
    },
    /// Add human labels from JSON lines; they are stored beside the scores and change none
    Label {
        /// Number of the run
        #[arg(value_name = "RUN", value_parser = number)]
        run: i64,
        /// File of labels, one per line: {"id": "case", "metric": "…", "label": "…", "by": "who", "at": seconds since 1970}
        #[arg(value_name = "LABELS.jsonl")]
        file: PathBuf,
    },
    /// Delete runs with their samples, texts and labels permanently
    #[command(visible_alias = "delete")]
    Rm {
        /// Numbers of the runs
        #[arg(value_name = "RUN", value_parser = number, required = true)]
        runs: Vec<i64>,
        /// Delete only the samples and labels of this case (repeatable)
        #[arg(long = "case", value_name = "ID")]
        cases: Vec<String>,
    },
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let is_changed = matches!(arguments.command, RunsCommand::Label { .. } | RunsCommand::Rm { .. });
    let mut store = if is_changed { arguments.store.open_existing()? } else { arguments.store.open_for_reading()? };
    match &arguments.command {
        RunsCommand::List { json } => {
            let runs = store.runs()?;
            if *json {
                return print(&format!("{:#}\n", Json::Array(runs.iter().map(run_json).collect())));
            }
            if runs.is_empty() {
                return print("no runs\n");
            }
            print(&runs.iter().map(line).collect::<String>())
        }
        RunsCommand::Show { run, json } => {
            let stored = store.run(*run)?;
            if *json {
                let mut described = run_json(&stored);
                described["plan"] = json!(stored.plan);
                return print(&format!("{described:#}\n"));
            }
            print(&run_text(&stored, sentence_in_panels(&store.panels(*run)?)))
        }
        RunsCommand::Export { run, output, outputs, labels } => {
            export_run(&store, *run, output, outputs.as_deref(), labels.as_deref())
        }
        RunsCommand::Label { run, file } => {
            let labels = read_labels(file)?;
            store.add_labels(*run, &labels)?;
            remark(&format!("added {} to run {run}", count_with_noun(labels.len() as u64, "label", "labels")));
            Ok(Exit::Fine)
        }
        RunsCommand::Rm { runs, cases } => {
            for run in runs {
                if cases.is_empty() {
                    let samples = store.remove(*run)?;
                    remark(&format!("removed run {run} with {}", count_with_noun(samples, "sample", "samples")));
                }
                for case in cases {
                    let samples = count_with_noun(store.forget(*run, case)?, "sample", "samples");
                    remark(&format!("removed {samples} of case `{case}` from run {run}"));
                }
            }
            Ok(Exit::Fine)
        }
    }
}

/// Writes what is wanted of a run into files.
fn export_run(
    store: &Store,
    run: i64,
    output: &[PathBuf],
    outputs: Option<&Path>,
    labels: Option<&Path>,
) -> CommandResult {
    if output.is_empty() && outputs.is_none() && labels.is_none() {
        return Err(Failure::usage("no file is named")
            .hint("name one: -o results.jsonl, --outputs cases.jsonl, or --labels labels.jsonl"));
    }
    let stored = store.run(run)?;
    if lacks_samples(&stored) {
        remark(&format!("run {run} is open: {} of {} samples", stored.finished, stored.plan.samples()));
    }
    if !output.is_empty() {
        export(store.path(), &stored, output.to_vec(), None).map_err(evaluation_failure)?;
    }
    if let Some(path) = outputs {
        let (_, notes) = export_outputs(store.path(), &stored, path).map_err(evaluation_failure)?;
        for note in notes {
            remark(&note);
        }
    }
    if let Some(path) = labels {
        write_labels(&store.labels(run)?, path)?;
    }
    for path in output.iter().map(PathBuf::as_path).chain(outputs).chain(labels) {
        remark(&format!("wrote {}", path.display()));
    }
    Ok(Exit::Fine)
}

/// Bytes of the largest file of labels that is read at once.
const LARGEST_LABELS: u64 = 1 << 30;

/// Labels, one a line; what is wrong is told with its line.
fn read_labels(file: &Path) -> Result<Vec<HumanLabel>, Failure> {
    let shown = file.display().to_string();
    let text =
        probare_files::read_plain_text(file, LARGEST_LABELS).map_err(|error| Failure::file("read", &shown, &error))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            serde_json::from_str(line).map_err(|error| {
                let reason = escape::terminal(&format!("`{shown}`, line {}: {error}", number + 1)).into_owned();
                Failure::usage(reason)
                    .hint(r#"a label is {"id": "case", "metric": "…", "label": "…", "by": "who", "at": 1767225600}"#)
            })
        })
        .collect()
}

fn write_labels(labels: &[HumanLabel], path: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::file("write", &path.display().to_string(), &error);
    let mut output = OutputWriter::to_file(path, Compression::None).map_err(|error| Failure::from_error(&error))?;
    for label in labels {
        serde_json::to_writer(&mut output, label).map_err(|error| failed(error.into()))?;
        output.write_all(b"\n").map_err(failed)?;
    }
    output.finish(Stop::Complete).map_err(failed)?;
    Ok(())
}

fn run_json(run: &StoredRun) -> Json {
    json!({
        "run": run.run,
        "state": run.state.name(),
        "finished": run.finished,
        "samples": run.plan.samples(),
        "started": run.made,
        "config": run.plan.config,
        "datasets": run.plan.datasets.iter().map(|dataset| &dataset.name).collect::<Vec<_>>(),
        "models": run.plan.models.iter().map(|model| &model.name).collect::<Vec<_>>(),
        "errors": run.errors.iter().map(|(kind, count)| (kind.clone(), json!(count))).collect::<serde_json::Map<_, _>>(),
        "input_tokens": run.usage.input_tokens,
        "output_tokens": run.usage.output_tokens,
        "cost_usd": run.costs.total_usd,
        "cost": run.costs,
    })
}

/// One run on one line.
fn line(run: &StoredRun) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let age = HumanDuration(now.saturating_sub(Duration::from_secs(run.made)));
    let names = |names: Vec<&str>| if names.is_empty() { "recorded responses".to_owned() } else { names.join(", ") };
    let text = format!(
        "{:>4}  {:8}  {:>7} of {:<7}  {age} ago  {}: {}",
        run.run,
        run.state.name(),
        run.finished,
        run.plan.samples(),
        run.plan.datasets.iter().map(|dataset| dataset.name.as_str()).collect::<Vec<_>>().join(", "),
        names(run.plan.models.iter().map(|model| model.name.as_str()).collect()),
    );
    format!("{}\n", escape::terminal(&text))
}

/// Whether samples of a run are still to come: one that stopped early is complete without them.
pub fn lacks_samples(run: &StoredRun) -> bool {
    run.state == RunState::Open && run.finished < run.plan.samples()
}

/// A run in full, with the sentence that says how it ended where it stopped early.
fn run_text(run: &StoredRun, ending: Option<&str>) -> String {
    let plan = &run.plan;
    let mut lines = vec![format!(
        "run {} of {}: {}, {} of {} samples finished",
        run.run,
        plan.config,
        run.state.name(),
        run.finished,
        plan.samples()
    )];
    lines.extend(ending.map(str::to_owned));
    for dataset in &plan.datasets {
        let digest: String = dataset.input.sha256.chars().take(12).collect();
        let cases = count_with_noun(dataset.cases, "case", "cases");
        lines.push(match &plan.collected {
            Some(day) => format!("data set {}: {cases}, collected on {day} (UTC)", dataset.name),
            None => format!("data set {}: {cases}, {} (SHA-256 {digest}…)", dataset.name, dataset.input.path),
        });
    }
    for model in &plan.models {
        let repeats = count_with_noun(u64::from(plan.repeats), "output", "outputs");
        let mut line = format!("model {}: {}:{}, {repeats} a case", model.name, model.provider, model.model);
        if !model.fallback.is_empty() {
            line.push_str(&format!("; fallback {}", model.fallback.join(", ")));
        }
        lines.push(line);
    }
    let digest = |sha256: &str| format!("SHA-256 {}…", sha256.chars().take(12).collect::<String>());
    if let Some(prompt) = &plan.prompt {
        lines.push(format!("prompt: {}", digest(prompt)));
    }
    for prompt in &plan.generation_prompts {
        lines.push(format!("prompt {}: {}", prompt.name, digest(&prompt.sha256)));
    }
    for metric in &plan.metrics {
        let options = if metric.options.is_null() { String::new() } else { format!(" {}", metric.options) };
        lines.push(format!(
            "metric {}: {} version {}{}{options}",
            metric.name,
            metric.id,
            metric.version,
            metric.profile.map(|profile| format!(", {profile}")).unwrap_or_default()
        ));
    }
    for judge in &plan.judges {
        lines.push(format!("judge {}: {}:{}", judge.name, judge.provider, judge.model));
    }
    if run.usage.input_tokens + run.usage.output_tokens > 0 {
        let (sent, received) = (run.usage.input_tokens, run.usage.output_tokens);
        lines.push(format!("outputs took {sent} tokens in and {received} out"));
    }
    if run.costs.calls() > 0 {
        lines.push(format!("cost of the run: {}", run.costs));
        for line in &run.costs.lines {
            let dollars = line.cost_usd.map_or_else(|| "no price".to_owned(), |cost| format!("{cost:.6} US dollars"));
            let calls = count_with_noun(line.calls, "call", "calls");
            lines.push(format!(
                "  {} {}, {}: {calls}, {dollars}",
                line.model,
                line.purpose.name(),
                line.outcome.name()
            ));
        }
    }
    for (kind, count) in &run.errors {
        lines.push(format!("{kind}: {}", count_with_noun(*count, "result", "results")));
    }
    let lines: Vec<_> = lines.iter().map(|line| escape::terminal(line)).collect();
    lines.join("\n") + "\n"
}
