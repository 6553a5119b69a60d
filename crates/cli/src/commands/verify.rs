//! `probare verify`: a finished run, computed again.

use std::path::PathBuf;

use probare_analysis::{Verdict, VerifyRequest, verify};
use probare_benchmarks::registries;
use probare_engine::Exit;
use probare_models::CacheFile;
use probare_report::number::count_with_noun;

use super::model_call_flags::warn_ignored_entries;
use super::run_driver::interrupt_flag;
use super::{print, remark};
use crate::failure::CommandResult;

/// Recompute a finished run and compare everything that its file says.
///
/// Reads a .jsonl, .json, .csv, .parquet or .html that `-o` wrote; its manifest (beside the first and third as
/// NAME.run.json) says what was computed and from which inputs. Rows, scores, spans, summary, gates and digests are
/// recomputed; whatever is missing, added, changed or moved is reported on standard error. Exit code 1 if anything differs.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Results: .jsonl .json .csv (also .gz and .zst) .parquet .html
    #[arg(value_name = "RESULTS")]
    results: PathBuf,

    /// Inputs to use instead of those in the manifest, in its order or matched by file name
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// The response cache from which scores that a model gave are recomputed; by default your own entries of .probare/cache.db
    #[arg(id = "cache", long = "cache", value_name = "FILE", env = "PROBARE_CACHE")]
    record: Option<PathBuf>,

    /// Start the code of your own metrics that the manifest names, if its files are those of the run, to recompute their scores
    #[arg(long, env = "PROBARE_ALLOW_CODE")]
    allow_code: bool,

    /// Exit with code 0 even if something could not be checked: scores that a model gave, a page of another release
    #[arg(long, env = "PROBARE_ALLOW_UNCHECKED")]
    allow_unchecked: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let asked = VerifyRequest {
        inputs: &arguments.inputs,
        record: CacheFile::from_flag(arguments.record.as_deref()),
        interrupted: interrupt_flag(),
        allow_code: arguments.allow_code,
        ..VerifyRequest::new(&arguments.results, registries())
    };
    let verdict = verify(&asked)?;
    for disagreement in &verdict.disagreements {
        remark(&disagreement.to_string());
    }
    let unlisted = verdict.different - verdict.disagreements.len() as u64;
    if unlisted > 0 {
        remark(&format!("and {unlisted} more"));
    }
    for metric in &verdict.unchecked {
        let reason = if verdict.retired.contains(metric) {
            "not recomputed: retired"
        } else if verdict.own_code.contains(metric) {
            if arguments.allow_code {
                "not verified: its code is not here"
            } else {
                "not verified: it is computed by code of its author; --allow-code starts it"
            }
        } else {
            "not checked, because what a model replied or a program did is not recorded here"
        };
        remark(&format!("{metric}: {reason}"));
    }
    for (metric, scores) in &verdict.unrecorded {
        remark(&format!(
            "{metric}: {} not checked, because replies are not recorded here",
            count_with_noun(*scores, "score", "scores")
        ));
    }
    for part in &verdict.parts {
        remark(part);
    }
    for note in &verdict.notes {
        remark(&format!("note: {note}"));
    }
    let cache = &verdict.cache;
    if cache.used > 0 {
        let entries = count_with_noun(cache.used, "reply or outcome comes", "replies and outcomes come");
        let whose = if cache.file.is_named { "which you named" } else { "entries with your owner tag alone" };
        let path = cache.file.path.display();
        remark(&format!("note: {entries} from the response cache `{path}` ({whose})"));
    }
    warn_ignored_entries(&cache.file, cache.ignored);
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
        .map(|(number, one, many)| format!(", {} not checked", count_with_noun(number, one, many)))
        .collect();
    let outcome = match verdict.different {
        0 => format!("all agree{}", unchecked.concat()),
        1 => "1 place differs".to_owned(),
        different => format!("{different} places differ"),
    };
    format!(
        "{}, {} computed again, {} checked, {} checked: {outcome}\n",
        count_with_noun(verdict.cases, "case", "cases"),
        count_with_noun(verdict.scores, "score", "scores"),
        count_with_noun(verdict.spans, "span", "spans"),
        count_with_noun(verdict.inputs, "input", "inputs"),
    )
}
