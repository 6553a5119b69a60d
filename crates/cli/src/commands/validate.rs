//! `probare validate`: is this file good, and what is in it?

use std::io;
use std::path::Path;

use clap::ValueEnum;
use probare_benchmarks::registry;
use probare_benchmarks::synthlink::catalogue::{is_catalogue, validate};
use probare_core::{DefaultCasePolicy, Event, Field, NoBackend, Problem, Sink};
use probare_engine::Config;
use probare_engine::Exit;
use probare_engine::{
    DriveOptions, GateEntry, Plan, PlanError, RunContext, drive, read_rubric_file, with_own_metrics_unstarted,
};
use probare_formats::{ReadOptions, columns};
use probare_report::number::count_with_noun;
use probare_report::{Gates, escape};

use super::flags::{ForReading, OptionFlags};
use super::{benchmark_hooks, no_column, open_cases, print, remark};
use crate::failure::{CommandResult, Failure};

/// Problems that are printed; all are counted.
const SHOWN: usize = 20;

/// Check a file of cases, a configuration (.yaml) or a SynthLink catalogue, without scoring.
///
/// What a file is follows from its name and its first row: .yaml is a configuration; a folder, a Markdown file, and rows
/// with a reference, topics and steps but no answer are a catalogue; anything else holds cases. --as overrides that.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// File of cases, probare.yaml, or a catalogue (a folder, .md, or a file of rows)
    #[arg(value_name = "FILE")]
    file: String,

    /// Kind of the file, if it cannot be detected
    #[arg(long = "as", value_name = "KIND", value_enum, env = "PROBARE_AS")]
    kind: Option<Kind>,

    #[command(flatten)]
    reading: OptionFlags<ForReading>,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Rows to be scored
    Cases,
    /// What and how to score
    Configuration,
    /// Questions with what a good answer holds
    Catalogue,
}

impl Kind {
    fn from_path(file: &str) -> Self {
        let path = Path::new(file);
        let is_yaml = |extension: &std::ffi::OsStr| {
            extension.eq_ignore_ascii_case("yaml") || extension.eq_ignore_ascii_case("yml")
        };
        if path.extension().is_some_and(is_yaml) {
            Self::Configuration
        } else if is_catalogue(path) {
            Self::Catalogue
        } else {
            Self::Cases
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    match arguments.kind.unwrap_or_else(|| Kind::from_path(&arguments.file)) {
        Kind::Cases => cases(arguments),
        Kind::Configuration => configuration(&arguments.file),
        Kind::Catalogue => catalogue(&arguments.file),
    }
}

fn catalogue(file: &str) -> CommandResult {
    let validation = validate(Path::new(file)).map_err(|error| Failure::from_error(&error))?;
    for problem in validation.problems.iter().take(SHOWN) {
        show(problem);
    }
    show_rest(validation.problems.len());
    let lost = validation.problems.iter().filter(|problem| problem.lost).count();
    let questions = count_with_noun(validation.catalogue.questions().len() as u64, "question", "questions");
    let errors = count_with_noun(lost as u64, "error", "errors");
    let mut text = format!("{}: catalogue, {questions}, {errors}\n", escape::terminal(file));
    for (category, count) in validation.categories() {
        text.push_str(&format!("  {:10} {count}\n", escape::terminal(category)));
    }
    print(&text)?;
    Ok(if validation.is_good() { Exit::Fine } else { Exit::Error })
}

/// Prints `file:line:column: reason; hint`.
fn show(problem: &Problem) {
    let place = match (problem.line, problem.column) {
        (Some(line), Some(column)) => format!(":{line}:{column}"),
        (Some(line), None) => format!(":{line}"),
        _ => String::new(),
    };
    let hint = problem.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    remark(&format!("{}{place}: {}{hint}", problem.file, problem.reason));
}

/// Says how many problems were not shown.
fn show_rest(problems: usize) {
    if problems > SHOWN {
        remark(&format!("and {} more", problems - SHOWN));
    }
}

fn configuration(file: &str) -> CommandResult {
    if let Some(guided) = benchmark_hooks::for_configuration(Path::new(file)) {
        let told = guided.describe(Path::new(file))?;
        return print(&format!("{}: {}\n", escape::terminal(file), escape::terminal(&told)));
    }
    let config = Config::load(Some(Path::new(file)))?;
    if !config.metrics.is_empty() {
        let mut requests = config.requests();
        requests.iter_mut().try_for_each(read_rubric_file)?;
        let registry = with_own_metrics_unstarted(registry(), &requests).map_err(PlanError::from)?;
        let plan = Plan::new(&requests, config.profile.unwrap_or_default(), &registry)?;
        Gates::new(config.gates.iter().flat_map(GateEntry::gates).collect()).check(plan.infos(), true)?;
    }
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    for dataset in &config.datasets {
        let path = folder.join(&dataset.path).display().to_string();
        let options = ReadOptions { fields: dataset.fields()?, ..ReadOptions::default() };
        let found = columns(&path, &options)?;
        if let Some((field, column)) = options.fields.missing_columns(&found).first() {
            return Err(no_column(&path, field, column, &found));
        }
    }
    print(&format!(
        "{}: good, {}, {}, {}\n",
        escape::terminal(file),
        count_with_noun(config.datasets.len() as u64, "dataset", "datasets"),
        count_with_noun(config.metrics.len() as u64, "metric", "metrics"),
        count_with_noun(config.gates.len() as u64, "gate", "gates")
    ))?;
    if config.datasets.len() > 1 {
        remark("several datasets: `probare score FILE` names the one to score");
    }
    Ok(Exit::Fine)
}

/// Counts what a file of cases holds.
#[derive(Default)]
struct Counts {
    good: u64,
    lost: usize,
    having: [u64; Field::ALL.len()],
}

impl Sink for Counts {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Scored(result) => {
                self.good += 1;
                for (count, field) in self.having.iter_mut().zip(Field::ALL) {
                    *count += u64::from(result.case.has(field));
                }
            }
            Event::Problem(problem) => {
                self.lost += usize::from(problem.lost);
                if self.lost <= SHOWN {
                    show(problem);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn cases(arguments: &Arguments) -> CommandResult {
    let file = &arguments.file;
    let options = arguments.reading.reading()?;
    let found = if file == "-" { Vec::new() } else { columns(file, &options)? };
    let rows = open_cases(file, &options)?;
    let separator = rows.separator();
    let mut counts = Counts::default();
    let plan = Plan::empty();
    let around = RunContext { rules: &DefaultCasePolicy, backend: &NoBackend, sampler: None };
    drive(Box::new(rows), file, &plan, around, &DriveOptions::default(), Box::new(&mut counts))?;
    show_rest(counts.lost);
    let cases = count_with_noun(counts.good, "case", "cases");
    let bad = count_with_noun(counts.lost as u64, "bad row", "bad rows");
    let mut text = format!("{}: {cases}, {bad}\n", escape::terminal(file));
    for (count, field) in counts.having.into_iter().zip(Field::ALL).filter(|(count, _)| *count > 0) {
        text.push_str(&format!("  {:10} in {count}\n", field.name()));
    }
    if !found.is_empty() {
        let names: Vec<String> = found.iter().map(|name| format!("`{}`", escape::terminal(name))).collect();
        let between = match separator {
            Some(b',') | None => String::new(),
            Some(b'\t') => " (with tabs between them)".to_owned(),
            Some(sign) => format!(" (with `{}` between them)", char::from(sign)),
        };
        text.push_str(&format!("columns{between}: {}\n", names.join(", ")));
    }
    let proposals = options.fields.proposals(&found);
    if !proposals.is_empty() {
        let flags: Vec<String> =
            proposals.iter().map(|(field, column)| format!("--map {field}={}", quoted(column))).collect();
        text.push_str(&format!("maybe: {}\n", escape::terminal(&flags.join(" "))));
    }
    print(&text)?;
    let is_empty = counts.good > 0 && !counts.having.iter().any(|count| *count > 0);
    let maps_nothing =
        [Field::Query, Field::Response, Field::Reference, Field::Context, Field::Messages, Field::ToolCalls]
            .iter()
            .all(|field| counts.having[Field::ALL.iter().position(|known| known == field).unwrap_or_default()] == 0);
    if counts.good > 0 && (is_empty || maps_nothing) {
        remark("no column is a query, a response, a reference or a context: no metric can look at these cases");
        remark(
            "hint: name the columns: --map query=COLUMN --map response=COLUMN --map reference=COLUMN, in quotation marks where a name has spaces",
        );
        return Ok(Exit::Error);
    }
    Ok(if counts.lost > 0 { Exit::Error } else { Exit::Fine })
}

/// A column name as a shell takes it.
fn quoted(column: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if column.chars().all(is_plain) { column.to_owned() } else { format!("'{}'", column.replace('\'', "'\\''")) }
}
