//! `probare validate`: is this file good, and what is in it?

use std::path::Path;

use probare_core::Field;
use probare_metrics::registry;
use probare_report::escape;
use probare_runner::Plan;

use super::{Reading, print, remark};
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Done;

/// Problems that are printed; all are counted.
const SHOWN: u64 = 20;

/// Check a file of cases, or a configuration (.yaml), without scoring.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// File of cases, or probare.yaml
    #[arg(value_name = "FILE")]
    file: String,

    #[command(flatten)]
    reading: Reading,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let is_config = Path::new(&arguments.file)
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("yaml") || extension.eq_ignore_ascii_case("yml"));
    if is_config { configuration(&arguments.file) } else { cases(arguments) }
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
    let rows = arguments.reading.open(&arguments.file, &[])?;
    let (mut good, mut lost) = (0_u64, 0_u64);
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
                        let place = match (problem.line, problem.column) {
                            (Some(line), Some(column)) => format!(":{line}:{column}"),
                            (Some(line), None) => format!(":{line}"),
                            _ => String::new(),
                        };
                        let hint = problem.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
                        remark(&escape::terminal(&format!("{}{place}: {}{hint}", problem.file, problem.reason)));
                    }
                }
            }
        }
    }
    if lost > SHOWN {
        remark(&format!("and {} more", lost - SHOWN));
    }
    let mut text = format!("{}: {good} cases, {lost} bad rows\n", escape::terminal(&arguments.file));
    for (count, field) in having.into_iter().zip(Field::ALL) {
        if count > 0 {
            text.push_str(&format!("  {:10} in {count}\n", field.name()));
        }
    }
    print(&text)?;
    Ok(if lost > 0 { Exit::Error } else { Exit::Fine })
}
