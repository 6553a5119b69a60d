//! `probare doctor`: what is installed, what is missing, how to get it.

use std::env;
use std::path::PathBuf;
use std::thread::available_parallelism;

use probare_core::MetricKind;
use probare_metrics::registry;
use probare_models::embedding::{KNOWN, models_folder};

use super::print;
use crate::failure::Done;
use probare_runner::DEFAULT_NAME;

/// Say what is installed, what is missing and how to get it. Nothing is changed and nothing is sent.
#[derive(Debug, clap::Args)]
pub struct Arguments {}

/// Runs the verb.
pub fn run(_arguments: &Arguments) -> Done {
    let mut text = format!("probare {}\n\n", env!("CARGO_PKG_VERSION"));
    let mut line =
        |state: &str, what: &str, detail: &str| text.push_str(&format!("  {state:7}  {what:22}  {detail}\n"));
    let metrics = registry().iter().count();
    let judges = registry().iter().filter(|metric| metric.kind == MetricKind::Judge).count();
    line(
        "ok",
        "metrics",
        &format!(
            "{metrics} built in; {judges} of them ask a model or an embedding model, the others need neither network nor download"
        ),
    );
    let cores = available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    line("ok", "cores", &format!("{cores}, all used by default (-j N for fewer)"));
    for model in KNOWN {
        match models_folder().map(|models| model.folder(&models)) {
            Ok(folder) if model.is_in(&folder) => line("ok", model.name, &folder.display().to_string()),
            _ => line("absent", model.name, &format!("optional, for embedding_similarity; {}", model.remedy())),
        }
    }
    if PathBuf::from(DEFAULT_NAME).is_file() {
        line("ok", DEFAULT_NAME, "found here; `probare score` uses it");
    } else {
        line("absent", DEFAULT_NAME, "optional; `probare init` writes one");
    }
    for (program, purpose, remedy) in PROGRAMS {
        match find(program) {
            Some(path) => line("ok", program, &format!("{} ({purpose})", path.display())),
            None => line("absent", program, &format!("optional, {purpose}; {remedy}")),
        }
    }
    print(&text)
}

/// Programs that some uses need; no metric does.
const PROGRAMS: [(&str, &str, &str); 2] = [
    ("python3", "side-by-side benchmarks against the Python originals", "install Python 3 from your system's packages"),
    (
        "chromium",
        "looking at HTML reports in tests",
        "any browser opens the reports; on Debian: apt-get install chromium",
    ),
];

fn find(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}
