//! `probare view`: runs, cases and their evidence in a browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use probare_analysis::ViewerError;
use probare_engine::Exit;
use probare_files::HostProgram;
use probare_models::random_token;
use probare_report::OutputWriter;
use probare_server::{AuthToken, Server, ServerLimits, ServerSettings, VIEWER_PATH};

use super::server_process::{keep_panics_short, stop_on_signals, with_labels_file};
use super::store_flags::ViewerFlags;
use super::{print, remark};
use crate::failure::{CommandResult, Failure};

/// Start the results viewer: runs, cases and their evidence in a browser.
///
/// Serves pages to this machine only and prints their address; Ctrl-C ends it. The address contains a token after the #: anybody
/// with the token can read the pages and add labels. The viewer changes no score and writes only labels.
///
/// Without arguments it shows the runs of the store and the results files of the working folder. A folder may hold a store
/// of its own (.probare/store.db) and files of results; files of Inspect, promptfoo, lm-eval and others are imported.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    #[command(flatten)]
    runs: ViewerFlags,

    /// File to append human labels to, created with the first one; labels.jsonl beside the store by default
    #[arg(long, value_name = "FILE.jsonl", env = "PROBARE_LABELS")]
    labels: Option<PathBuf>,

    /// Port to listen on; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// Open the viewer in your browser
    #[arg(long)]
    open: bool,
}

const AFTER_HELP: &str = "Examples:
  probare view --open
  probare view 3 results.jsonl
  probare view runs/ --port 8090
  probare view 3 --labels labels.jsonl --open";

/// Time for one answer: a large file is read when it is looked at first.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let viewer = with_labels_file(arguments.runs.open()?, arguments.labels.as_deref())?;
    let secret = token()?;
    let known = AuthToken::new(&secret).map_err(|error| Failure::new(error.to_string()))?;
    let limits = ServerLimits { time: ANSWER_TIMEOUT, ..ServerLimits::default() };
    let settings = ServerSettings {
        token: Some(known),
        limits,
        viewer: Some(Arc::new(viewer)),
        is_viewer_only: true,
        ..ServerSettings::default()
    };
    let server = Server::bind(&format!("127.0.0.1:{}", arguments.port), settings)?;
    stop_on_signals(server.stop());
    keep_panics_short();
    let address = format!("http://{}{VIEWER_PATH}#token={secret}", server.address());
    print(&format!("{address}\n"))?;
    remark("Ctrl-C ends it");
    let _opened = if arguments.open { open(&address) } else { None };
    server.run()?;
    remark("stopped");
    Ok(Exit::Fine)
}

/// A token that nobody can guess.
fn token() -> Result<String, Failure> {
    random_token::<24>().ok_or_else(|| Failure::new("the system has no source of random numbers for a token"))
}

/// Opens an address in a browser. The words of a command can be read by everybody on a machine, and the address holds the
/// token: so the browser is given a file that leads there, in a folder that nobody else can read, which goes with us.
fn open(address: &str) -> Option<tempfile::TempDir> {
    let failed = |error: &dyn std::fmt::Display| {
        remark(&format!("no browser could be opened ({error}); open the address yourself"));
    };
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => {
            failed(&error);
            return None;
        }
    };
    let path = folder.path().join("open.html");
    let page =
        format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={address}\"><title>Probare</title>\n");
    let started = OutputWriter::write_file(&path, page.as_bytes()).and_then(|_| browser(&path).spawn().map(|_| ()));
    if let Err(error) = started {
        failed(&error);
    }
    Some(folder)
}

/// The program that opens a file: the one that `BROWSER` names, or that of the system.
fn browser(path: &Path) -> Command {
    let named = std::env::var_os("BROWSER").filter(|name| !name.is_empty()).map(PathBuf::from);
    let usual = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    // A bare name is looked up as every program is; a path is the user's own.
    let name = named.unwrap_or_else(|| usual.into());
    let is_bare = name.components().count() == 1;
    let program =
        name.to_str().filter(|_| is_bare).and_then(HostProgram::find).unwrap_or_else(|| HostProgram::from_path(&name));
    let mut command = program.command();
    command.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

impl From<ViewerError> for Failure {
    fn from(error: ViewerError) -> Self {
        match error {
            ViewerError::Store(error) => error.into(),
            ViewerError::Results(error) => error.into(),
            ViewerError::Manifest(error) => error.into(),
            ViewerError::Label(error) => error.into(),
            ViewerError::Exchange(error) => super::export::exchange_failure(error),
            ViewerError::Nothing { .. } => Self::from_error(&error)
                .hint("`probare run probare.yaml` makes a run, `probare score cases.jsonl -m token_f1 -o results.jsonl` a file"),
            ViewerError::Unknown { .. } => {
                Self::from_error(&error).hint("`probare runs list` shows the runs of the store").into_usage()
            }
            ViewerError::NoMetric { .. } => Self::from_error(&error).into_usage(),
            _ => Self::from_error(&error),
        }
    }
}
