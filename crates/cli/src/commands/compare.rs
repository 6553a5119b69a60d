//! `probare compare`: finished runs against a baseline.

use std::io;
use std::path::{Path, PathBuf};

use probare_analysis::{CompareError, ComparisonReport, ResultsSource, compare, compare_prefixes, read_baseline};
use probare_benchmarks::registries;
use probare_engine::{Baseline, Exit, RunOptions};
use probare_report::comparison::{ComparisonRequest, NonInferiorityGate, PrefixComparison};
use probare_report::github::{Annotation, lines};
use probare_report::{Cluster, GroupBy, OutputWriter, refuse_overlap};

use super::flags::{ForComparison, OptionFlags, stream_look};
use super::store_flags::StoreFlag;
use super::{print, remark};
use crate::failure::{CommandResult, Failure};

/// Changed cases of each metric whose results and texts are looked up.
const SHOWN: usize = 50;

/// Compare finished runs with a baseline, case by case: what is better, how sure that is, and which cases changed.
///
/// Cases are paired by id, occurrence and content (question and reference, where the inputs can still be found); repeats
/// are averaged within a case first. Yes and no is tested after `McNemar`, anything else by sign-flip permutation, clustered
/// cases by a cluster-robust t; p values are adjusted after Holm over all metrics, and the adjusted ones decide. What
/// cannot be aligned is refused. Exit code 2 if a gate fails.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The baseline: results in .jsonl .json .csv .parquet or .html, or the number of a run in the store; append
    /// @MODEL for the outputs of one model, @prompt:NAME for those to one prompt
    #[arg(value_name = "BASELINE")]
    baseline: String,

    /// Results or runs to compare with it
    #[arg(value_name = "RESULTS", required = true)]
    others: Vec<String>,

    #[command(flatten)]
    store: StoreFlag,

    /// Only this metric (repeatable); all that the runs share by default
    #[arg(short, long = "metric", value_name = "NAME")]
    metrics: Vec<String>,

    /// Report differences per group of cases: tags, a tag (lang for lang:en), metadata.KEY, model or prompt
    #[arg(long, value_name = "TAG|tags|metadata.KEY|model|prompt")]
    by: Option<GroupBy>,

    /// Compute intervals and tests for cases that are not independent because they share a source: the column that names it
    #[arg(long, value_name = "COLUMN", env = "PROBARE_CLUSTER")]
    cluster: Option<Cluster>,

    /// Fail with exit code 2 unless the 95 % interval shows that the other run is not worse than the baseline in this metric (repeatable)
    #[arg(long, value_name = "METRIC")]
    not_worse: Vec<String>,

    /// Accepted loss, in units of the metric
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0, value_parser = margin, requires = "not_worse")]
    margin: f64,

    /// Fail only if the other run is significantly worse by more than the margin; an interval that contains the margin passes
    #[arg(id = "significant", long = "significant", requires = "not_worse")]
    confident: bool,

    /// File to write: .json .md .html or .csv (repeatable)
    #[arg(short, long = "output", value_name = "OUT")]
    output: Vec<PathBuf>,

    /// Title of the page
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    #[command(flatten)]
    display: OptionFlags<ForComparison>,

    /// Seed of the resampling
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Print the comparison as JSON instead of tables
    #[arg(long)]
    json: bool,

    /// Print only failed gates
    #[arg(short, long)]
    quiet: bool,
}

fn margin(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(margin) if margin.is_finite() && margin >= 0.0 => Ok(margin),
        _ => Err("a number of at least 0 is expected".to_owned()),
    }
}

/// What a file name asks for.
#[derive(Debug, Clone, Copy)]
enum ComparisonFormat {
    Json,
    Markdown,
    Html,
    Csv,
}

impl ComparisonFormat {
    fn from_path(path: &Path) -> Result<Self, Failure> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("json") => Ok(Self::Json),
            Some("md" | "markdown") => Ok(Self::Markdown),
            Some("html" | "htm") => Ok(Self::Html),
            Some("csv") => Ok(Self::Csv),
            _ => Err(Failure::usage(format!("a comparison cannot be written to `{}`", path.display()))
                .hint("known are .json, .md, .html and .csv")),
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let forms: Vec<ComparisonFormat> =
        arguments.output.iter().map(|path| ComparisonFormat::from_path(path)).collect::<Result<_, _>>()?;
    let names = std::iter::once(&arguments.baseline).chain(&arguments.others);
    let sides: Vec<ResultsSource> = names.map(|name| open_results(name, &arguments.store)).collect::<Result<_, _>>()?;
    let files: Vec<PathBuf> = sides.iter().map(|side| side.path.clone()).collect();
    refuse_overlap(&files, &arguments.output)
        .map_err(|error| Failure::usage(error.to_string()).hint("name another file to write"))?;
    let limit = |metric: &String| NonInferiorityGate {
        metric: metric.clone(),
        margin: arguments.margin,
        confident: arguments.confident,
    };
    let asked = ComparisonRequest {
        metrics: arguments.metrics.clone(),
        by: arguments.by.clone(),
        cluster: arguments.cluster.clone(),
        not_worse: arguments.not_worse.iter().map(limit).collect(),
        seed: arguments.seed,
    };
    if let Some(comparison) = compare_prefixes(&sides, &asked)? {
        return print_prefixes(arguments, &comparison);
    }
    let ComparisonReport { comparison, evidences } = compare(&sides, &asked, SHOWN)?;
    for (path, form) in arguments.output.iter().zip(forms) {
        let text = match form {
            ComparisonFormat::Json => json(&comparison)?,
            ComparisonFormat::Markdown => comparison.to_markdown(&evidences),
            ComparisonFormat::Html => comparison.to_html(&evidences, arguments.title.as_deref()),
            ComparisonFormat::Csv => comparison.to_csv(),
        };
        OutputWriter::write_file(path, text.as_bytes())
            .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", path.display())))?;
    }
    if arguments.display.options().annotates() {
        let gates = comparison.others.iter().flat_map(|other| other.gates.iter().map(move |gate| (other, gate)));
        let annotations: Vec<Annotation> = gates
            .filter(|(_, gate)| !gate.passed || gate.is_unclear())
            .map(|(other, gate)| {
                let title = if gate.passed { "cannot tell whether it is worse" } else { "worse than the baseline" };
                Annotation { is_error: !gate.passed, ..Annotation::error(title, format!("{}: {gate}", other.name)) }
            })
            .collect();
        print(&lines(&annotations))?;
    }
    if arguments.quiet {
        for gate in comparison.others.iter().flat_map(|other| &other.gates).filter(|gate| !gate.passed) {
            remark(&gate.to_string());
        }
    } else {
        let look = stream_look(arguments.display.options().color, &io::stdout());
        print(&if arguments.json { json(&comparison)? } else { comparison.to_terminal(&evidences, look) })?;
        for path in &arguments.output {
            remark(&format!("wrote {}", path.display()));
        }
    }
    Ok(if comparison.passes() { Exit::Fine } else { Exit::Gate })
}

/// Runs of which one stopped early: what holds of them anyway.
fn print_prefixes(arguments: &Arguments, comparison: &PrefixComparison) -> CommandResult {
    let refused = [(arguments.by.is_some(), "--by"), (arguments.cluster.is_some(), "--cluster")];
    if let Some((_, flag)) = refused.iter().find(|(is_given, _)| *is_given) {
        return Err(Failure::usage(format!("one of the runs stopped early, so {flag} has no intervals that hold"))
            .hint(format!("leave out {flag}, or compare complete runs")));
    }
    for path in &arguments.output {
        let text = match ComparisonFormat::from_path(path)? {
            ComparisonFormat::Json => json(comparison)?,
            ComparisonFormat::Markdown => comparison.to_markdown(),
            ComparisonFormat::Html | ComparisonFormat::Csv => {
                let message = format!("one of the runs stopped early, so `{}` cannot be written", path.display());
                return Err(Failure::usage(message).hint("write .json or .md, or compare complete runs"));
            }
        };
        OutputWriter::write_file(path, text.as_bytes())
            .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", path.display())))?;
    }
    let failed = comparison.others.iter().flat_map(|other| other.gates.iter().map(move |gate| (other, gate)));
    let failed: Vec<String> =
        failed.filter(|(_, gate)| !gate.passed).map(|(other, gate)| format!("{}: {gate}", other.name)).collect();
    if arguments.display.options().annotates() {
        let annotations: Vec<Annotation> =
            failed.iter().map(|gate| Annotation::error("worse than the baseline", gate.clone())).collect();
        print(&lines(&annotations))?;
    }
    if arguments.quiet {
        for gate in &failed {
            remark(gate);
        }
    } else {
        let look = stream_look(arguments.display.options().color, &io::stdout());
        print(&if arguments.json { json(comparison)? } else { comparison.to_terminal(look) })?;
        for path in &arguments.output {
            remark(&format!("wrote {}", path.display()));
        }
    }
    Ok(if comparison.passes() { Exit::Fine } else { Exit::Gate })
}

/// The results that gates of a run compare with: a file, or a run of its store.
pub fn baseline(settings: &RunOptions, store: &StoreFlag) -> Result<Option<Baseline>, Failure> {
    let Some(name) = settings.baseline.as_deref() else { return Ok(None) };
    read_named(settings, &open_results(name, store)?).map(Some)
}

/// The same for a run without a store: a file.
pub fn baseline_file(settings: &RunOptions) -> Result<Option<Baseline>, Failure> {
    let source = |name: &str| ResultsSource::from_name(name, registries());
    settings.baseline.as_deref().map(|name| read_named(settings, &source(name))).transpose()
}

fn read_named(settings: &RunOptions, source: &ResultsSource) -> Result<Baseline, Failure> {
    read_baseline(source, settings.seed.unwrap_or_default()).map_err(|error| Failure::from_diagnosis(&error))
}

/// What an argument names: a file, or else a run of the store, whole or a part of it.
pub fn open_results(name: &str, store: &StoreFlag) -> Result<ResultsSource, Failure> {
    let source = ResultsSource::from_name(name, registries());
    let place = source.path.display().to_string();
    let Some(run) = place.parse::<i64>().ok().filter(|run| *run > 0 && !source.path.exists()) else {
        return Ok(source);
    };
    let store = store.open_for_reading()?;
    store.run(run)?;
    let whole = ResultsSource::from_store(store.path(), run, registries());
    let name = source.part_name().map_or_else(|| whole.name.clone(), |part| format!("{part} in run {run}"));
    Ok(ResultsSource { name, model: source.model, prompt: source.prompt, ..whole })
}

fn json(comparison: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(comparison).map_err(|error| Failure::new(error.to_string()))?;
    Ok(text + "\n")
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::Results(inner) => inner.into(),
            CompareError::Store(inner) => inner.into(),
            other => Self::from_diagnosis(&other),
        }
    }
}
