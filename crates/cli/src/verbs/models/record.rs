//! `probare models record`: list, export, import and prune recorded replies.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::Subcommand;
use probare_core::Stop;
use probare_models::{Imported, Kept, Old, RecordError, export, import, list, prune, record_path};
use probare_report::number::counted;
use probare_report::{Compression, Output, escape};
use probare_runner::Exit;

use super::super::{print, remark};
use crate::failure::{Done, Failure};

/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;

/// List, export, import or prune recorded replies.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,

    /// The record; .probare/replies.db by default
    #[arg(long, value_name = "FILE", env = "PROBARE_RECORD", global = true)]
    record: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// What the record holds, by model
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Write all replies as JSON lines: a cassette, which `replay:FILE` answers from
    Export {
        /// File to write; - is standard output
        #[arg(value_name = "OUT")]
        out: PathBuf,
    },
    /// Add the replies of a cassette, all or none; a reply that is recorded already stays
    Import {
        /// File that `export` wrote
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Remove replies for good and give the space back
    Prune {
        /// Those that are older than this many days
        #[arg(long, value_name = "DAYS")]
        older_than: Option<u64>,
        /// Those of this model, as the provider calls it
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
    },
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let record = arguments.record.clone().unwrap_or_else(record_path);
    match &arguments.verb {
        Verb::List { json } => {
            let kept = list(there(&record)?)?;
            if *json {
                return print(&format!("{:#}\n", serde_json::json!(kept)));
            }
            print(&table(&kept))
        }
        Verb::Export { out } => write(there(&record)?, out),
        Verb::Import { file } => {
            let shown = file.display().to_string();
            let opened = std::fs::File::open(file).map_err(|error| Failure::file("read", &shown, &error))?;
            let Imported { added, known } = import(&record, &mut BufReader::new(opened))?;
            remark(&format!("{} added, {known} known before", counted(added, "reply", "replies")));
            Ok(Exit::Fine)
        }
        Verb::Prune { older_than, model } => {
            if older_than.is_none() && model.is_none() {
                return Err(
                    Failure::usage("it is not said which replies go").hint("--older-than DAYS, --model MODEL, or both")
                );
            }
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let age = |days: &u64| now.saturating_sub(Duration::from_secs(days.saturating_mul(DAY))).as_secs();
            let old = Old { before: older_than.as_ref().map(age), model: model.clone() };
            let removed = prune(there(&record)?, &old)?;
            remark(&format!("{} removed", counted(removed, "reply", "replies")));
            Ok(Exit::Fine)
        }
    }
}

/// A record that exists: looking at one must not make one.
fn there(record: &Path) -> Result<&Path, Failure> {
    if record.exists() {
        return Ok(record);
    }
    Err(Failure::new(format!("there is no record of replies `{}`", record.display()))
        .hint("it comes into being when a judge is asked; name another with --record FILE"))
}

fn write(record: &Path, out: &Path) -> Done {
    let mut output = if out == Path::new("-") {
        Output::to_stdout()
    } else {
        Output::to_file(out, Compression::None).map_err(|error| Failure::from_error(&error))?
    };
    let written = export(record, &mut output)?;
    output.finish(Stop::Complete).map_err(|error| Failure::file("write", &out.display().to_string(), &error))?;
    if out != Path::new("-") {
        remark(&format!(
            "wrote {} ({})",
            escape::terminal(&out.display().to_string()),
            counted(written, "reply", "replies")
        ));
    }
    Ok(Exit::Fine)
}

fn table(kept: &[Kept]) -> String {
    let names: Vec<String> = kept
        .iter()
        .map(|model| escape::terminal(&format!("{}:{}", model.provider, model.model)).into_owned())
        .collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(5);
    let mut text = format!("{:width$}  {:>8}  {:>12}  {:>12}\n", "model", "replies", "tokens sent", "received");
    for (name, model) in names.iter().zip(kept) {
        text.push_str(&format!(
            "{name:width$}  {:>8}  {:>12}  {:>12}\n",
            model.replies, model.input_tokens, model.output_tokens
        ));
    }
    text
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        let failure = Self::from_error(&error);
        match error {
            RecordError::Cassette { .. } => {
                failure.hint("nothing was added; `probare models record export` writes such a file")
            }
            _ => failure,
        }
    }
}
