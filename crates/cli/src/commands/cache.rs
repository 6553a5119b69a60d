//! `probare cache`: list, accept, export, import and prune the response cache, and rotate the owner key.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::Subcommand;
use probare_core::Stop;
use probare_engine::Exit;
use probare_models::{
    CacheError, CacheFile, CachedModel, ExportCounts, ImportCounts, OwnershipCounts, PruneFilter, accept_entries,
    count_ownership, export_cache, import_cassette, list_cached_models, prune_cache, rotate_key,
};
use probare_report::number::count_with_noun;
use probare_report::{Compression, OutputWriter, escape};

use super::{print, remark};
use crate::failure::{CommandResult, Failure};

/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;

/// List, accept, export, import or prune cached replies and outcomes of programs
///
/// Every entry carries an owner tag: a MAC made with the key in your configuration folder, or with PROBARE_KEY. A cache that
/// you name (--cache, PROBARE_CACHE, run.cache) is used as it is. Of the one in .probare/ only entries with your tag count.
#[derive(Debug, clap::Args)]
#[expect(clippy::doc_markdown, reason = "this is help text, in which back quotes would be printed")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// The response cache; .probare/cache.db by default
    #[arg(long, value_name = "FILE", env = "PROBARE_CACHE", global = true)]
    cache: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the entries by model, and how many carry your owner tag
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Accept every entry as your own: entries of a colleague, of another machine or of an older release
    Accept {
        /// Do not ask for confirmation
        #[arg(long, short = 'y')]
        yes: bool,
    },
    /// Export all replies as JSON lines: a cassette, from which `replay:FILE` answers
    Export {
        /// File to write; - is standard output
        #[arg(value_name = "OUT")]
        out: PathBuf,
    },
    /// Import the replies of a cassette, all or none, with your owner tag; existing entries stay
    Import {
        /// File that `export` wrote
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Delete replies permanently and free the space
    Prune {
        /// Only replies older than this many days
        #[arg(long, value_name = "DAYS")]
        older_than: Option<u64>,
        /// Only replies of this model, under the name that the provider uses
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
    },
    /// Make a new owner key and tag your entries of this cache with it
    RotateKey {
        /// Forget replaced keys: entries and runs with only their tags no longer count
        #[arg(long)]
        forget: bool,
    },
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let cache = CacheFile::from_flag(arguments.cache.as_deref());
    let path = cache.path.as_path();
    match &arguments.command {
        Command::List { json } => {
            let kept = list_cached_models(existing_cache(path)?)?;
            let owned = count_ownership(path)?;
            if *json {
                return print(&format!("{:#}\n", serde_json::json!(kept)));
            }
            print(&table(&kept, &owned))
        }
        Command::Accept { yes } => accept_all(existing_cache(path)?, *yes),
        Command::Export { out } => write(existing_cache(path).map(|_| &cache)?, out),
        Command::Import { file } => {
            let shown = file.display().to_string();
            let opened = probare_files::open_plain(file).map_err(|error| Failure::file("read", &shown, &error))?;
            let ImportCounts { added, known } = import_cassette(path, &mut BufReader::new(opened))?;
            remark(&format!("{} added, {known} known before", count_with_noun(added, "reply", "replies")));
            Ok(Exit::Fine)
        }
        Command::Prune { older_than, model } => {
            if older_than.is_none() && model.is_none() {
                return Err(
                    Failure::usage("no replies to delete are named").hint("--older-than DAYS, --model MODEL, or both")
                );
            }
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let age = |days: &u64| now.saturating_sub(Duration::from_secs(days.saturating_mul(DAY))).as_secs();
            let old = PruneFilter { before: older_than.as_ref().map(age), model: model.clone() };
            let removed = prune_cache(existing_cache(path)?, &old)?;
            remark(&format!("{} removed", count_with_noun(removed, "reply", "replies")));
            Ok(Exit::Fine)
        }
        Command::RotateKey { forget } => {
            let (tagged, old) = rotate_key(path, *forget)?;
            let others = if *forget {
                "replaced keys are forgotten: runs that only they tagged need --config to be resumed".to_owned()
            } else {
                format!(
                    "{} still recognised (--forget ends that)",
                    count_with_noun(old as u64, "replaced key is", "replaced keys are")
                )
            };
            remark(&format!(
                "a new owner key is in use; {} tagged with it; {others}",
                count_with_noun(tagged, "entry", "entries")
            ));
            Ok(Exit::Fine)
        }
    }
}

/// A cache that exists: looking at one must not make one.
fn existing_cache(cache: &Path) -> Result<&Path, Failure> {
    if cache.exists() {
        return Ok(cache);
    }
    Err(Failure::new(format!("there is no response cache `{}`", cache.display()))
        .hint("it is created when a judge is first asked; name another with --cache FILE"))
}

fn accept_all(path: &Path, yes: bool) -> CommandResult {
    let [replies, programs] = count_ownership(path)?;
    let shown = escape::terminal(&path.display().to_string()).into_owned();
    if replies.others + programs.others == 0 {
        remark(&format!("every entry of {shown} carries your owner tag"));
        return Ok(Exit::Fine);
    }
    let what = format!(
        "{} of models and {} of programs in {shown}",
        count_with_noun(replies.others, "reply", "replies"),
        count_with_noun(programs.others, "outcome", "outcomes")
    );
    remark(&format!("accepting {what}: from now on they answer in place of models and programs"));
    if !yes && !super::trust::confirm()? {
        return Err(Failure::new("nothing was accepted"));
    }
    let accepted = accept_entries(path)?;
    remark(&format!("{} accepted", count_with_noun(accepted, "entry", "entries")));
    Ok(Exit::Fine)
}

fn write(cache: &CacheFile, out: &Path) -> CommandResult {
    let mut output = if out == Path::new("-") {
        OutputWriter::to_stdout()
    } else {
        OutputWriter::to_file(out, Compression::None).map_err(|error| Failure::from_error(&error))?
    };
    let ExportCounts { written, ignored } = export_cache(cache, &mut output)?;
    output.finish(Stop::Complete).map_err(|error| Failure::file("write", &out.display().to_string(), &error))?;
    if out != Path::new("-") {
        remark(&format!("wrote {} ({})", out.display(), count_with_noun(written, "reply", "replies")));
    }
    super::model_call_flags::warn_ignored_entries(cache, ignored);
    Ok(Exit::Fine)
}

fn table(kept: &[CachedModel], owned: &[OwnershipCounts; 2]) -> String {
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
    let [replies, programs] = owned;
    for (what, OwnershipCounts { own, others }) in [("replies", replies), ("outcomes of programs", programs)] {
        if own + others > 0 {
            text.push_str(&format!("{what}: {own} with your owner tag, {others} without\n"));
        }
    }
    text
}

impl From<CacheError> for Failure {
    fn from(error: CacheError) -> Self {
        let failure = Self::from_error(&error);
        match error {
            CacheError::Cassette { .. } => failure.hint("nothing was added; `probare cache export` writes such a file"),
            _ => failure,
        }
    }
}
