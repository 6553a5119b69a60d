//! `probare doctor`: what is installed, what is missing, how to get it.

use std::env;
use std::thread::available_parallelism;

use probare_benchmarks::registry;
use probare_core::MetricKind;
use probare_engine::{Config, ConfigError, DEFAULT_NAME};
use probare_files::find_program;
use probare_models::embedding::{LOCAL_MODELS, models_folder};
use probare_models::prices::price_list;
use probare_models::{CacheFile, Provider};
use probare_sandbox::{IsolationLevel, REMEDY, Sandbox, SandboxChoice, SandboxError, SandboxLimits};

use super::print;
use crate::failure::CommandResult;

/// Check what is installed, what is missing and how to get it. Changes nothing and sends nothing.
#[derive(Debug, clap::Args)]
pub struct Arguments {}

/// Runs the command.
pub fn run(_arguments: &Arguments) -> CommandResult {
    let mut text = format!("probare {}\n\n", env!("CARGO_PKG_VERSION"));
    let mut line =
        |state: &str, what: &str, detail: &str| text.push_str(&format!("  {state:8}  {what:22}  {detail}\n"));
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
    for model in LOCAL_MODELS {
        match models_folder().map(|models| model.folder(&models)) {
            Ok(folder) if model.is_in(&folder) => line("ok", model.name, &folder.display().to_string()),
            _ => line("absent", model.name, &format!("optional, for embedding_similarity; {}", model.remedy())),
        }
    }
    match Config::load(None) {
        Ok(config) if config.path.is_some() => line("ok", DEFAULT_NAME, "found here; `probare score` uses it"),
        Ok(_) => line("absent", DEFAULT_NAME, "optional; `probare init` writes one"),
        Err(ConfigError::Untrusted { .. }) => {
            line(
                "not used",
                DEFAULT_NAME,
                "found here, asks for more than data; `probare trust` lets `probare score` use it",
            );
        }
        Err(error) => line("broken", DEFAULT_NAME, &error.to_string()),
    }
    for (state, what, detail) in [keys(), prices(), record()].into_iter().chain(sandbox()) {
        line(state, what, &detail);
    }
    for (program, purpose, remedy) in PROGRAMS {
        match find_program(program) {
            Some(path) => line("ok", program, &format!("{} ({purpose})", path.display())),
            None => line("absent", program, &format!("optional, {purpose}; {remedy}")),
        }
    }
    print(&text)
}

/// State, name and detail of something that is there or not.
type Row = (&'static str, &'static str, String);

/// Keys of providers by the names of their variables; never what is in them.
fn keys() -> Row {
    let known: Vec<&str> = Provider::ALL.iter().filter_map(|provider| provider.key_variable()).collect();
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let set: Vec<&str> = known.iter().copied().filter(is_set).collect();
    if set.is_empty() {
        let detail = format!("optional, for judges and models under test; one of {}", known.join(", "));
        return ("absent", "keys of models", detail);
    }
    ("ok", "keys of models", format!("set: {}", set.join(", ")))
}

/// The list of prices and its date.
fn prices() -> Row {
    let list = price_list();
    let detail = format!(
        "list of {} ({}, {} models); `probare models prices` shows it",
        list.date,
        list.source,
        list.rows.len()
    );
    ("ok", "prices of models", detail)
}

/// Where replies and outcomes of programs are recorded.
fn record() -> Row {
    let path = CacheFile::from_environment().path;
    if path.exists() {
        return ("ok", "response cache", path.display().to_string());
    }
    ("absent", "response cache", format!("{}, made when a model is asked or a program is run", path.display()))
}

/// How far programs that metrics run are shut in: every guarantee is tried to be broken.
fn sandbox() -> Vec<Row> {
    match Sandbox::open(SandboxChoice::Auto, SandboxLimits::default(), std::sync::Arc::default()) {
        Ok(sandbox) => {
            let level = match sandbox.level() {
                IsolationLevel::Full => "full: the kernel limits memory and processes of the whole tree",
                IsolationLevel::Ns => "ns: memory of the whole tree is watched; as root, control groups would limit it",
                IsolationLevel::None => "none",
            };
            let mut rows = vec![("ok", "sandbox", format!("{}, level {level}", sandbox.description()))];
            rows.extend(sandbox.probes().iter().map(|probe| ("ok", "", probe.guarantee.to_owned())));
            let open = sandbox.level().unprotected().iter();
            rows.extend(open.map(|what| ("not held", "", format!("at level {}: {what}", sandbox.level()))));
            match sandbox.interpreter("") {
                Ok(found) => {
                    let detail = format!("{}, Python {}, starts inside", found.python.display(), found.version);
                    rows.push(("ok", "", detail));
                }
                Err(error) => rows.push(("broken", "", error.to_string())),
            }
            rows
        }
        Err(SandboxError::NoBubblewrap) => {
            let detail = format!("optional, for code_tests and dry_experiment; {REMEDY}");
            vec![("absent", "sandbox", detail)]
        }
        Err(SandboxError::Broken { broken }) => {
            let refused = "programs that nobody trusts are refused; --sandbox none runs them all the same";
            let mut rows = vec![("broken", "sandbox", refused.to_owned())];
            rows.extend(broken.into_iter().map(|detail| ("broken", "", detail)));
            rows
        }
        Err(error) => {
            let remedy = error.remedy().map(|remedy| format!("; {remedy}")).unwrap_or_default();
            vec![("broken", "sandbox", format!("{error}{remedy}"))]
        }
    }
}

/// Programs that some uses need; no metric does.
const PROGRAMS: [(&str, &str, &str); 2] = [
    (
        "python3",
        "programs of code_tests and dry_experiment; side-by-side benchmarks against the Python originals",
        "install Python 3 from your system's packages",
    ),
    (
        "chromium",
        "looking at HTML reports in tests",
        "any browser opens the reports; on Debian: apt-get install chromium",
    ),
];
