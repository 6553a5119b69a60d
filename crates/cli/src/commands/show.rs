//! `probare show`: one case of a finished run, with its evidence.

use std::io;
use std::path::PathBuf;

use probare_analysis::{CaseLookup, show_case};
use probare_benchmarks::registries;
use probare_report::{TerminalStyle, case_view};

use super::{print, remark};
use crate::failure::{CommandResult, Failure};

/// Show one case of a finished run: its texts with marks, what each metric said, and why.
///
/// The inputs are read from where the manifest of the results says, or from where you name them; without them the evidence
/// is shown without the texts.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Results: .jsonl, .json, .csv, .parquet or .html
    #[arg(value_name = "RESULTS")]
    results: PathBuf,

    /// Inputs of the run, if they were moved
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// Id of the case
    #[arg(long, value_name = "ID")]
    id: String,

    /// Show only this metric (repeatable)
    #[arg(short, long = "metric", value_name = "NAME")]
    metrics: Vec<String>,
}

impl Arguments {
    fn wants(&self, metric: &str) -> bool {
        self.metrics.is_empty() || self.metrics.iter().any(|known| known == metric)
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let name = arguments.results.display().to_string();
    if name.parse::<u64>().is_ok() && !arguments.results.exists() {
        let hint = format!(
            "`probare view {name}` shows a run of the store; `probare runs export {name} -o results.jsonl` makes a file"
        );
        return Err(Failure::usage(format!("`{name}` is not a file of results")).hint(hint));
    }
    let found = show_case(&arguments.results, &arguments.inputs, &arguments.id, registries())?;
    if found.results.is_empty() && found.recorded.is_empty() {
        let id = &arguments.id;
        if let Some(error) = found.without_texts {
            return Err(error.into());
        }
        return Err(Failure::new(format!("no case of `{}` has the id `{id}`", arguments.results.display())));
    }
    if let Some(unknown) = arguments.metrics.iter().find(|name| found.metrics.iter().all(|known| known.name != **name))
    {
        let known: Vec<&str> = found.metrics.iter().map(|metric| metric.name.as_str()).collect();
        return Err(
            Failure::usage(format!("the run has no metric `{unknown}`")).hint(format!("it has {}", known.join(", ")))
        );
    }
    let look = TerminalStyle::for_stream(&io::stdout());
    let text = if found.results.is_empty() {
        recorded_text(arguments, found, look)
    } else {
        computed_text(arguments, found, look)
    };
    print(&text)
}

/// The case with its texts, as it is computed now.
fn computed_text(arguments: &Arguments, found: CaseLookup, look: TerminalStyle) -> String {
    let kept: Vec<_> = found.metrics.iter().map(|metric| arguments.wants(&metric.name)).collect();
    let keep = |at: usize| kept.get(at).copied().unwrap_or(true);
    let metrics: Vec<_> =
        found.metrics.iter().enumerate().filter(|(at, _)| keep(*at)).map(|(_, m)| m.clone()).collect();
    let mut text = String::new();
    for (number, mut result) in found.results.into_iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        let differs = found
            .recorded
            .get(number)
            .is_some_and(|row| row.named.iter().map(|(_, named)| named).ne(result.results.iter()));
        let mut at = 0;
        result.results.retain(|_| {
            at += 1;
            keep(at - 1)
        });
        text.push_str(&case_view::case(&result, &metrics, look));
        if differs {
            remark("the file differs from what is computed now: `probare verify` shows where");
        }
    }
    text
}

/// What the file says of a case whose texts are not at hand.
fn recorded_text(arguments: &Arguments, found: CaseLookup, look: TerminalStyle) -> String {
    let mut text = String::new();
    for (number, mut row) in found.recorded.into_iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        row.named.retain(|(metric, _)| arguments.wants(&metric.name));
        let (model, prompt) = (row.model.as_deref(), row.prompt.as_deref());
        text.push_str(&case_view::results(&arguments.id, model, prompt, row.repeat, &row.named, look));
    }
    if let Some(error) = &found.without_texts {
        remark(&format!("the texts are not at hand: {error}"));
    }
    text
}
