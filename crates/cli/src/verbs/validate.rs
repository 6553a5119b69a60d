//! `probare validate`: is this file good, and what is in it?

use std::path::Path;

use clap::ValueEnum;
use probare_cases::FieldMap;
use probare_core::{Field, Problem};
use probare_metrics::registry;
use probare_report::escape;
use probare_runner::Plan;
use probare_suites::synthlink::catalogue::{is_catalogue, validate};

use super::{Reading, print, remark};
use crate::failure::{Done, Failure};
use probare_runner::Config;
use probare_runner::Exit;

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

    /// What the file is, where that does not follow from it
    #[arg(long = "as", value_name = "KIND", value_enum, env = "PROBARE_AS")]
    kind: Option<Kind>,

    #[command(flatten)]
    reading: Reading,
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
    fn of(file: &str) -> Self {
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

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    match arguments.kind.unwrap_or_else(|| Kind::of(&arguments.file)) {
        Kind::Cases => cases(arguments),
        Kind::Configuration => configuration(&arguments.file),
        Kind::Catalogue => catalogue(&arguments.file),
    }
}

fn catalogue(file: &str) -> Done {
    let validation = validate(Path::new(file)).map_err(|error| Failure::from_error(&error))?;
    for problem in validation.problems.iter().take(SHOWN) {
        show(problem);
    }
    show_rest(validation.problems.len());
    let lost = validation.problems.iter().filter(|problem| problem.lost).count();
    let questions = validation.catalogue.questions().len();
    let mut text = format!("{}: catalogue, {questions} questions, {lost} errors\n", escape::terminal(file));
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
    remark(&escape::terminal(&format!("{}{place}: {}{hint}", problem.file, problem.reason)));
}

/// Says how many problems were not shown.
fn show_rest(problems: usize) {
    if problems > SHOWN {
        remark(&format!("and {} more", problems - SHOWN));
    }
}

fn configuration(file: &str) -> Done {
    let config = Config::load(Some(Path::new(file)))?;
    if !config.metrics.is_empty() {
        Plan::new(&config.requests(), config.profile.unwrap_or_default(), registry())?;
    }
    print(&format!(
        "{file}: good, {} datasets, {} metrics, {} gates\n",
        config.datasets.len(),
        config.metrics.len(),
        config.gates.len()
    ))
}

fn cases(arguments: &Arguments) -> Done {
    let rows = arguments.reading.open(&arguments.file, &arguments.reading.options(&FieldMap::default())?)?;
    let (mut good, mut lost) = (0_u64, 0);
    let mut having = [0_u64; Field::ALL.len()];
    for batch in rows {
        for case in batch?.cases() {
            match case {
                Ok(case) => {
                    good += 1;
                    for (count, field) in having.iter_mut().zip(Field::ALL) {
                        *count += u64::from(case.has(field));
                    }
                }
                Err(problem) => {
                    lost += 1;
                    if lost <= SHOWN {
                        show(&problem);
                    }
                }
            }
        }
    }
    show_rest(lost);
    let mut text = format!("{}: {good} cases, {lost} bad rows\n", escape::terminal(&arguments.file));
    for (count, field) in having.into_iter().zip(Field::ALL) {
        if count > 0 {
            text.push_str(&format!("  {:10} in {count}\n", field.name()));
        }
    }
    print(&text)?;
    Ok(if lost > 0 { Exit::Error } else { Exit::Fine })
}
