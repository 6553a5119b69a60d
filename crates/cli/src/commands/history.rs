//! `probare history`: what runs have become, one after the other.

use std::io;
use std::path::{Path, PathBuf};

use probare_analysis::HistoryQuery;
use probare_engine::Exit;
use probare_report::history::History;
use probare_report::{OutputWriter, refuse_overlap};

use super::flags::{ForDisplay, OptionFlags, stream_look};
use super::store_flags::ViewerFlags;
use super::{print, remark};
use crate::failure::{CommandResult, Failure};

/// Show trends across runs: by data set, model and metric, with flaky cases.
///
/// Runs are ordered by number, result files as given, or by name in a folder. Files with the same cases (by id, question and
/// reference) form one series, whatever their names. Each run is compared with the one before it, case by case, as `probare
/// compare` does; p values are adjusted over all steps (Holm), and the first significant step is named. If cases have several
/// outputs, pass^k is the probability that all of k pass.
///
/// Without arguments it shows the runs of the store and the results files of the working folder.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    #[command(flatten)]
    runs: ViewerFlags,

    /// Show only this metric (repeatable); all by default
    #[arg(short, long = "metric", value_name = "NAME")]
    metrics: Vec<String>,

    /// Show only this many of the newest runs
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    last: u16,

    /// File to write: .json .md or .csv (repeatable)
    #[arg(short, long = "output", value_name = "OUT")]
    output: Vec<PathBuf>,

    /// Print the history as JSON instead of tables
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    display: OptionFlags<ForDisplay>,
}

const AFTER_HELP: &str = "Examples:
  probare history
  probare history --metric token_f1 --last 5
  probare history nightly/ -o history.md";

/// Writes a history.
type HistoryWriter = fn(&History) -> Result<String, Failure>;

/// What a file name asks for.
fn writer_for(path: &Path) -> Result<HistoryWriter, Failure> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        Some("json") => Ok(json),
        Some("md" | "markdown") => Ok(|history| Ok(history.to_markdown())),
        Some("csv") => Ok(|history| Ok(history.to_csv())),
        _ => Err(Failure::usage(format!("a history cannot be written to `{}`", path.display()))
            .hint("known are .json, .md and .csv")),
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let forms = arguments.output.iter().map(|path| writer_for(path)).collect::<Result<Vec<_>, _>>()?;
    refuse_overlap(&arguments.runs.reads(), &arguments.output)
        .map_err(|error| Failure::usage(error.to_string()).hint("name another file to write"))?;
    let asked = HistoryQuery { metrics: arguments.metrics.clone(), last: Some(usize::from(arguments.last)) };
    let history = arguments.runs.open()?.history(&asked)?;
    for (path, form) in arguments.output.iter().zip(forms) {
        OutputWriter::write_file(path, form(&history)?.as_bytes())
            .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", path.display())))?;
    }
    print(&if arguments.json {
        json(&history)?
    } else {
        history.to_terminal(stream_look(arguments.display.options().color, &io::stdout()))
    })?;
    for path in &arguments.output {
        remark(&format!("wrote {}", path.display()));
    }
    Ok(Exit::Fine)
}

fn json(history: &History) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(history).map_err(|error| Failure::new(error.to_string()))?;
    Ok(text + "\n")
}
