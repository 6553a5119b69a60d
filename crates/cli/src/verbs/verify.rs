//! `probare verify`: a finished run, computed again.

use std::path::PathBuf;

use probare_report::escape;
use probare_report::number::counted;
use probare_runner::{Exit, Verdict, Verification, VerifyError, verify};

use super::running::interrupt_flag;
use super::{print, remark};
use crate::failure::{Done, Failure};

/// Compute a finished run again and compare everything that its file says.
///
/// Reads a .jsonl, .json, .csv, .parquet or .html that `-o` wrote; its manifest (beside the first and third as
/// NAME.run.json) says what was computed and from which inputs. Rows, scores, spans, summary, gates and digests are
/// computed again; what is missing, added, changed or moved is named on standard error. Exit code 1 if anything differs.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Results: .jsonl .json .csv (also .gz and .zst) .parquet .html
    #[arg(value_name = "RESULTS")]
    results: PathBuf,

    /// Inputs in place of those that the manifest names, in its order or by their file names
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// The record of replies, from which scores that a model gave are computed again; .probare/replies.db by default
    #[arg(long, value_name = "FILE", env = "PROBARE_RECORD")]
    record: Option<PathBuf>,

    /// End well even if something could not be checked: scores that a model gave, a page of another release
    #[arg(long, env = "PROBARE_ALLOW_UNCHECKED")]
    allow_unchecked: bool,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let asked = Verification {
        inputs: &arguments.inputs,
        record: arguments.record.clone().unwrap_or_else(probare_models::record_path),
        interrupted: interrupt_flag(),
        ..Verification::of(&arguments.results)
    };
    let verdict = verify(&asked)?;
    for disagreement in &verdict.disagreements {
        remark(&escape::terminal(&disagreement.to_string()));
    }
    let unlisted = verdict.different - verdict.disagreements.len() as u64;
    if unlisted > 0 {
        remark(&format!("and {unlisted} more"));
    }
    for metric in &verdict.unchecked {
        remark(&escape::terminal(&format!(
            "{metric}: not checked, because what a model replied or a program did is not recorded here"
        )));
    }
    for (metric, scores) in &verdict.unrecorded {
        remark(&escape::terminal(&format!(
            "{metric}: {} not checked, because replies are not recorded here",
            counted(*scores, "score", "scores")
        )));
    }
    for part in &verdict.parts {
        remark(&escape::terminal(part));
    }
    for note in &verdict.notes {
        remark(&format!("note: {}", escape::terminal(note)));
    }
    if verdict.interrupted {
        return Ok(Exit::Interrupted);
    }
    print(&sentence(&verdict))?;
    let is_whole = verdict.unchecked.is_empty() && verdict.unrecorded.is_empty() && verdict.parts.is_empty();
    let is_checked = is_whole || arguments.allow_unchecked;
    Ok(if verdict.agrees() && is_checked { Exit::Fine } else { Exit::Error })
}

fn sentence(verdict: &Verdict) -> String {
    let unchecked = [
        (verdict.unchecked.len() as u64, "metric", "metrics"),
        (verdict.unrecorded.values().sum(), "score", "scores"),
        (verdict.parts.len() as u64, "part of the file", "parts of the file"),
    ];
    let unchecked: Vec<String> = unchecked
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, many)| format!(", {} not checked", counted(number, one, many)))
        .collect();
    let outcome = match verdict.different {
        0 => format!("all agree{}", unchecked.concat()),
        1 => "1 place differs".to_owned(),
        different => format!("{different} places differ"),
    };
    format!(
        "{}, {} computed again, {} checked, {} checked: {outcome}\n",
        counted(verdict.cases, "case", "cases"),
        counted(verdict.scores, "score", "scores"),
        counted(verdict.spans, "span", "spans"),
        counted(verdict.inputs, "input", "inputs"),
    )
}

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Self {
        use probare_report::recorded::RecordedError;
        let failure = Self::from_error(&error);
        match error {
            VerifyError::Recorded(RecordedError::NoManifest { .. }) => failure.hint(
                "files of release 0.1, and lines from standard output, have no manifest: run it again with -o and verify \
                 what that writes",
            ),
            VerifyError::Recorded(RecordedError::Unverifiable { .. } | RecordedError::Name(_)) => {
                failure.hint("write results that can be verified: -o results.jsonl, .json, .csv, .parquet or .html").into_usage()
            }
            VerifyError::StandardInput => failure.hint("name a file with the same cases: probare verify RESULTS INPUT"),
            VerifyError::InputMissing { .. } => {
                failure.hint("say where it is now: probare verify RESULTS INPUT…")
            }
            VerifyError::TooManyInputs { .. } => failure.into_usage(),
            VerifyError::Run(inner) => Self::from(inner).into_error(),
            VerifyError::Suite(inner) => Self::from(inner).into_error(),
            _ => failure,
        }
    }
}
