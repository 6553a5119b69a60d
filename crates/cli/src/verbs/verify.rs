//! `probare verify`: the scores of a results file, computed again.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use probare_core::{MetricRequest, Profile};
use probare_metrics::registry;
use probare_report::escape;
use probare_runner::{Plan, recorded_metrics, verify};
use serde_json::Value as Json;

use super::score::profile;
use super::{Reading, print, remark};
use crate::failure::{Done, Failure};
use probare_runner::Config;
use probare_runner::Exit;

/// Compute the scores of a results file again and check every span.
///
/// Reads the .jsonl or .json that `probare score -o` wrote, and the cases it was made from. Exit code 1 if anything
/// differs.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Results: .jsonl or .json
    #[arg(value_name = "RESULTS")]
    results: String,

    /// The cases they were made from
    #[arg(value_name = "CASES")]
    cases: String,

    /// Profile they were made with, for .jsonl results
    #[arg(long, value_name = "PROFILE", value_parser = profile, env = "PROBARE_PROFILE")]
    profile: Option<Profile>,

    /// Settings in which metrics have names of their own
    #[arg(short, long, value_name = "FILE", env = "PROBARE_CONFIG")]
    config: Option<PathBuf>,

    #[command(flatten)]
    reading: Reading,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let config = Config::load(arguments.config.as_deref())?;
    let name = &arguments.results;
    let file = File::open(name).map_err(|error| Failure::file("read", name, &error))?;
    let mut reader = BufReader::new(file);
    let extension = Path::new(name).extension().map(|part| part.to_string_lossy().to_ascii_lowercase());
    let (requests, profile, lines): Recorded = if extension.as_deref() == Some("json") {
        from_json(name, reader)?
    } else if matches!(extension.as_deref(), Some("jsonl" | "ndjson")) {
        let mut first = String::new();
        reader.read_line(&mut first).map_err(|error| Failure::file("read", name, &error))?;
        if first.trim().is_empty() {
            return Err(Failure::new(format!("`{name}` holds no results")));
        }
        let requests = recorded_metrics(&first)?;
        (requests, Profile::default(), Box::new(Cursor::new(first).chain(reader)))
    } else {
        return Err(Failure::usage(format!("`{name}` is neither .jsonl nor .json"))
            .hint("write results that can be verified with -o results.jsonl"));
    };
    let configured = config.requests();
    let requests: Vec<_> = requests
        .into_iter()
        .map(|request| configured.iter().find(|known| known.name == request.name).cloned().unwrap_or(request))
        .collect();
    let profile = arguments.profile.or(config.profile).unwrap_or(profile);
    let plan = Plan::new(&requests, profile, registry())?;
    let mappings = config
        .datasets
        .iter()
        .find(|dataset| dataset.path == arguments.cases)
        .map(probare_runner::Dataset::fields)
        .transpose()?
        .unwrap_or_default();
    let options = arguments.reading.options(&mappings)?;
    let verdict = verify(lines, arguments.reading.open(&arguments.cases, &options)?, &plan)?;
    for item in &verdict.disagreements {
        let metric = item.metric.as_ref().map(|metric| format!(", {metric}")).unwrap_or_default();
        remark(&escape::terminal(&format!("{}{metric}: {}", item.id, item.reason)));
    }
    print(&format!(
        "{} cases, {} scores computed again, {} spans checked: {}\n",
        verdict.cases,
        verdict.scores,
        verdict.spans,
        if verdict.agrees() { "all agree".to_owned() } else { format!("{} differ", verdict.different) }
    ))?;
    Ok(if verdict.agrees() { Exit::Fine } else { Exit::Error })
}

type Recorded = (Vec<MetricRequest>, Profile, Box<dyn BufRead>);

/// A .json report says itself with which options and profiles it was made.
fn from_json(name: &str, mut reader: impl Read) -> Result<Recorded, Failure> {
    let mut text = String::new();
    reader.read_to_string(&mut text).map_err(|error| Failure::file("read", name, &error))?;
    let bad = |reason: String| Failure::new(format!("`{name}` is no results file: {reason}"));
    let report: Json = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    let list =
        |key: &str| report.get(key).and_then(Json::as_array).ok_or_else(|| bad(format!("it has no list `{key}`")));
    let mut requests = Vec::new();
    for metric in list("metrics")? {
        let text = |key: &str| metric.get(key).and_then(Json::as_str);
        let (Some(id), Some(shown)) = (text("id"), text("name")) else {
            return Err(bad("a metric has no `id` or `name`".to_owned()));
        };
        requests.push(MetricRequest {
            name: shown.to_owned(),
            id: id.to_owned(),
            options: metric.get("options").cloned().unwrap_or(Json::Null),
            profile: text("profile").and_then(|name| profile(name).ok()),
        });
    }
    let lines: Vec<String> = list("results")?.iter().map(Json::to_string).collect();
    Ok((requests, Profile::default(), Box::new(Cursor::new(lines.join("\n")))))
}
