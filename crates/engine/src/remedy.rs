//! [`Diagnose`]: what happened and what to do about it, once for every error, in the words of whoever asked.
//!
//! The command line, the Python package and the server show what is said here; what they add is colour, an exception or a
//! status. An error that only one of them can meet is explained there.

use std::error::Error;
use std::path::Path;

use probare_core::{BenchmarkError, BuildError, CodeSource, RequestError};
use probare_formats::{CaseFileError, MapError};
use probare_models::OpenError;
use probare_report::{GateError, ReportError};

use crate::{
    ConfigError, DriveError, EarlyDecisionError, ModelAccessError, OwnMetricError, PlanError, ProgramError, RunError,
};

/// Where a remedy is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// By whoever types commands.
    CommandLine,
    /// By whoever calls the Python package.
    Python,
    /// By whoever sends requests to the server.
    Http,
}

impl Interface {
    /// A remedy in its words: commands and flags, or arguments of a function.
    pub const fn words<'a>(self, command_line: &'a str, python: &'a str) -> &'a str {
        match self {
            Self::CommandLine | Self::Http => command_line,
            Self::Python => python,
        }
    }
}

/// An error about which its reader can do something.
pub trait Diagnose: Error {
    /// What happened, with all causes; what to do, as `interface` says it; and whether whoever asked has to change the question.
    fn diagnose(&self, interface: Interface) -> BenchmarkError;
}

/// A mistake of whoever asked.
pub fn mistake(error: &dyn Error) -> BenchmarkError {
    BenchmarkError { is_usage: true, ..BenchmarkError::from_error(error) }
}

/// What to write where the name of a file with code stands in the place of a metric.
fn file_hint(id: &str) -> Option<String> {
    let words: Vec<&str> = id.split_whitespace().collect();
    let (file, before) = words.split_last()?;
    if CodeSource::python_parts(id).is_some() {
        return Some(format!("write `python: {id}` in place of `id` (docs/own-metric.md)"));
    }
    match Path::new(file).extension()?.to_str()? {
        _ if id.contains(',') => None,
        "py" if before.is_empty() => Some(format!("name a function of the file: {file}:NAME (docs/own-metric.md)")),
        "py" | "js" | "mjs" | "cjs" | "ts" | "rb" | "sh" | "php" | "jar" => {
            let program = if before.is_empty() { "PROGRAM".to_owned() } else { before.join(", ") };
            Some(format!(
                "a program is a metric in the configuration: `metrics: [{{name: NAME, command: [{program}, {file}]}}]` (docs/own-metric.md)"
            ))
        }
        _ => None,
    }
}

impl Diagnose for PlanError {
    fn diagnose(&self, interface: Interface) -> BenchmarkError {
        let all = match interface {
            Interface::CommandLine => "`probare list` shows all",
            Interface::Python => "`probare.metrics()` lists all",
            Interface::Http => "/v1/metrics lists all",
        };
        let hint = match self {
            Self::Unknown(unknown) => {
                // A client of a server names no code.
                let own = (interface != Interface::Http).then(|| file_hint(&unknown.id)).flatten();
                own.or_else(|| unknown.hint()).unwrap_or_else(|| format!("{all} metrics"))
            }
            Self::Build { source: BuildError::Missing { remedy, .. }, .. } => remedy.clone(),
            Self::Build { name, .. } => {
                let id = name.split(':').next().unwrap_or(name);
                match interface {
                    Interface::CommandLine => format!("`probare explain {id}` shows its options"),
                    Interface::Python => format!("`probare.explain(\"{id}\")` shows its options"),
                    Interface::Http => "/v1/metrics/{id} shows the options of a metric".to_owned(),
                }
            }
            Self::SameName(_) => match interface {
                Interface::CommandLine => "give one of them a name of its own: NAME=METRIC:OPTION=VALUE",
                Interface::Python => {
                    "give one of them a name of its own: {\"id\": METRIC, \"name\": NAME, OPTION: VALUE}"
                }
                Interface::Http => "a `name` of its own for one of them",
            }
            .to_owned(),
            Self::OwnMetric(OwnMetricError::Start { hint, .. }) => hint.clone(),
            Self::OwnMetric(OwnMetricError::Untrusted { .. }) => interface
                .words(
                    "name it with -m, or below `metrics` of your own configuration",
                    "name it in the call, or in a configuration that the call names",
                )
                .to_owned(),
            Self::OwnMetric(OwnMetricError::Taken { .. }) => "give yours another id".to_owned(),
            Self::DecisionThresholds(_) => {
                "calibrate again with `probare calibrate` for what is computed now".to_owned()
            }
            Self::Empty => match interface {
                Interface::CommandLine => format!("name one with --metric, for example --metric token_f1; {all}"),
                Interface::Python => format!("name one, for example metrics=[\"token_f1\"]; {all}"),
                Interface::Http => format!("at least one metric; {all}"),
            },
            Self::Request(_) => match interface {
                Interface::CommandLine => {
                    "write ID, ID:OPTION=VALUE or NAME=ID:OPTION=VALUE; FILE.py:NAME for a metric of your own"
                }
                Interface::Python | Interface::Http => {
                    "write \"ID\", \"ID:OPTION=VALUE\" or {\"id\": ID, OPTION: VALUE}"
                }
            }
            .to_owned(),
        };
        mistake(self).hint(hint)
    }
}

impl Diagnose for RequestError {
    fn diagnose(&self, interface: Interface) -> BenchmarkError {
        PlanError::Request(self.clone()).diagnose(interface)
    }
}

impl Diagnose for ConfigError {
    fn diagnose(&self, interface: Interface) -> BenchmarkError {
        let told = BenchmarkError::data(self.to_string());
        let named = |name: &str| match interface {
            Interface::Python => format!("config=\"{name}\""),
            Interface::CommandLine | Interface::Http => format!("--config {name}"),
        };
        match self {
            Self::Form { .. } => {
                mistake(self).hint("`probare schema config` shows the allowed keys; `probare init` writes an example")
            }
            Self::Model { .. } => mistake(self),
            Self::GateWithoutLimit { .. } => mistake(self).hint("add `fail_under: 0.7` or `fail_over: 0.2`"),
            Self::OfAnother { name, .. } => told.hint(format!(
                "it may name programs and addresses; if you trust it, name it: {}",
                named(&format!("./{name}"))
            )),
            Self::Untrusted { name, .. } => told.hint(format!(
                "read it; then `probare trust` accepts it as it is (--yes in CI), or name it: {}; {} leaves it out",
                named(name),
                named("/dev/null")
            )),
            Self::Read(error) => error.diagnose(interface),
            Self::Gate { .. } => told,
        }
    }
}

impl Diagnose for MapError {
    fn diagnose(&self, _: Interface) -> BenchmarkError {
        mistake(self)
    }
}

impl Diagnose for GateError {
    fn diagnose(&self, interface: Interface) -> BenchmarkError {
        match self {
            Self::NoGroups => mistake(self).hint(interface.words(
                "choose the groups: --by tags, or run: {by: tags} in the configuration",
                "choose the groups: by=\"tags\", or run: {by: tags} in the configuration",
            )),
            _ => mistake(self),
        }
    }
}

impl Diagnose for CaseFileError {
    fn diagnose(&self, interface: Interface) -> BenchmarkError {
        let told = BenchmarkError::from_error(self);
        match self {
            Self::UnknownFormat { .. } => {
                told.hint(interface.words(
                    "name it with --format, for example --format jsonl",
                    "name it, for example format=\"jsonl\"",
                ))
            }
            _ => told,
        }
    }
}

impl Diagnose for ReportError {
    fn diagnose(&self, _: Interface) -> BenchmarkError {
        if matches!(self, Self::Io(_)) { BenchmarkError::from_error(self) } else { mistake(self) }
    }
}

impl Diagnose for DriveError {
    fn diagnose(&self, _: Interface) -> BenchmarkError {
        match self {
            // A benchmark knows what to do about its files, also where it notices in the middle of the run.
            Self::Input(source) => match source.downcast_ref::<BenchmarkError>() {
                Some(known) => known.clone(),
                None => BenchmarkError::from_error(self),
            },
            _ => BenchmarkError::from_error(self),
        }
    }
}

impl Diagnose for ModelAccessError {
    fn diagnose(&self, interface: Interface) -> BenchmarkError {
        match self {
            Self::NoJudge { .. } => mistake(self).hint(interface.words(
                "name one: --judge openai:gpt-4.1-mini, or `judges: [NAME]` in probare.yaml; see docs/guides/judges.md",
                "name one: judges=[\"openai:gpt-4.1-mini\"], or a configuration with `judges:`",
            )),
            Self::UnknownJudge { similar: Some(similar), .. } | Self::UnknownFallback { similar: Some(similar), .. } => {
                mistake(self).hint(format!("a model with a similar name exists: `{similar}`"))
            }
            Self::UnknownJudge { .. } | Self::UnknownFallback { .. } => {
                mistake(self).hint("write provider:model, or a `name` from `models:` in probare.yaml")
            }
            Self::Judges { .. } => mistake(self).hint(interface.words(
                "name judges with --judge NAME, or in a configuration: `options: {judges: [NAME]}` of the metric",
                "name them as a list: judges=[NAME]",
            )),
            Self::Open(OpenError::NoPrice { .. }) => mistake(self).hint(interface.words(
                "`probare models prices` shows the prices that are known; `pricing` of a model in probare.yaml names others",
                "name the model in a configuration, with `pricing` and `max_tokens`: config=\"probare.yaml\"",
            )),
            Self::Open(OpenError::Unbounded { .. }) => mistake(self).hint(interface.words(
                "name the model in probare.yaml, with `pricing` and `max_tokens`",
                "name the model in a configuration, with `pricing` and `max_tokens`: config=\"probare.yaml\"",
            )),
            Self::NoBatch => mistake(self)
                .hint("openai, openai-responses and anthropic do; leave out --batch to ask one by one"),
            Self::NoRecord { .. } => BenchmarkError::from_error(self).hint(interface.words(
                "name it with --cache FILE, or import replies: probare cache import FILE.jsonl",
                "name it with cache=FILE, or import replies: probare cache import FILE.jsonl",
            )),
            _ => BenchmarkError::from_error(self),
        }
    }
}

impl Diagnose for EarlyDecisionError {
    fn diagnose(&self, interface: Interface) -> BenchmarkError {
        let told = mistake(self);
        match self {
            Self::NoGate => told.hint(interface.words(
                "set one, for example --fail-under answer_match=0.8",
                "set one in a configuration, for example gates: [{metric: answer_match, fail_under: 0.8}]",
            )),
            Self::NoBaseline { .. } => told.hint(interface.words(
                "name results to compare with: --baseline old.jsonl",
                "the command line compares with a baseline: probare score FILE --baseline old.jsonl --not-worse METRIC",
            )),
            Self::UnusedBaseline => told.hint(interface.words(
                "name the metric that must not get worse, and let the run stop early: --stop-when-decided --not-worse METRIC=0.02",
                "name the metric that must not get worse: gates: [{metric: METRIC, not_worse_by: 0.02}] and run: {stop_when_decided: true}",
            )),
            Self::WholeRun { .. } => told.hint(interface.words(
                "add --stop-when-decided, or compare the finished run: probare compare BASELINE RESULTS --not-worse METRIC",
                "compare the finished run: compare(BASELINE, RESULTS, not_worse=[METRIC])",
            )),
            Self::Baseline { .. } => told.hint(interface.words(
                "name a file of results with --baseline, or in `run` the number of a run; `probare compare` compares finished runs",
                "name a file of results that has the same metric with the same options",
            )),
            Self::SeveralPrompts { .. } => told.hint(interface.words("ask with one of them: --prompt NAME", "ask with one of them: prompts=[NAME]")),
            Self::SeveralModels { .. } => told.hint("name the model in `generate: {models: [NAME]}`, and run the others apart"),
            Self::Threshold { .. } => told.hint("take a limit between them"),
            Self::Batch => told.hint("leave out --batch, or --stop-when-decided"),
            _ => told.hint(interface.words(
                "leave out --stop-when-decided, or `stop_when_decided` of the configuration, to take all cases",
                "leave out stop_when_decided to take all cases",
            )),
        }
    }
}

impl Diagnose for RunError {
    fn diagnose(&self, interface: Interface) -> BenchmarkError {
        match self {
            Self::Plan(error) => error.diagnose(interface),
            Self::Gate(error) => error.diagnose(interface),
            Self::Open(error) => error.diagnose(interface),
            Self::Drive(error) => error.diagnose(interface),
            Self::Ask(error) => error.diagnose(interface),
            Self::Programs(ProgramError::Sandbox(error)) => {
                BenchmarkError { hint: error.remedy().map(Into::into), ..BenchmarkError::from_error(error) }
            }
            Self::Programs(error) => BenchmarkError::from_error(error),
            Self::Early(error) => error.diagnose(interface),
            Self::Overlap(error) => mistake(error).hint("name another file to write"),
        }
    }
}

#[cfg(test)]
mod tests {
    use probare_core::UnknownMetric;

    use super::*;

    fn remedies(error: &impl Diagnose) -> [String; 3] {
        let told =
            [Interface::CommandLine, Interface::Python, Interface::Http].map(|interface| error.diagnose(interface));
        assert!(told.iter().all(|one| one.message == told[0].message && one.is_usage == told[0].is_usage), "{told:?}");
        told.map(|one| one.hint.unwrap_or_default())
    }

    #[test]
    fn one_error_is_told_everywhere_and_each_reader_has_a_remedy_of_their_own() {
        let [command_line, python, http] = remedies(&PlanError::Empty);
        assert!(
            command_line.contains("--metric token_f1") && command_line.contains("`probare list`"),
            "{command_line}"
        );
        assert!(python.contains("metrics=[\"token_f1\"]") && python.contains("probare.metrics()"), "{python}");
        assert!(http.contains("/v1/metrics") && !http.contains("--metric"), "{http}");
        let [command_line, python, _] = remedies(&ConfigError::Untrusted { name: "p.yaml".into(), wants: Vec::new() });
        assert!(
            command_line.contains("--config p.yaml") && python.contains("config=\"p.yaml\""),
            "{command_line} {python}"
        );
        let missing = BuildError::Missing { what: "a model".into(), remedy: "pull it".into() };
        let built = PlanError::Build { name: "embedding_similarity".into(), source: missing };
        assert_eq!(remedies(&built), ["pull it", "pull it", "pull it"]);
        let file = UnknownMetric { id: "checks.py:f".into(), similar: None, retired: None };
        let own = "write `python: checks.py:f` in place of `id` (docs/own-metric.md)";
        assert_eq!(remedies(&PlanError::Unknown(file)), [own, own, "/v1/metrics lists all metrics"]);
    }
}
