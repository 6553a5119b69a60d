//! A configuration of promptfoo: its prompts, providers and tests, and every cell of the table that it describes.
//!
//! The file is foreign: it names no program that is run, no address that is contacted, and reads no variable of the
//! process. Files are handed in by [`ConfigurationFiles`]. What cannot be run is named in [`Configuration::not_run`].

mod assertions;
mod cells;
mod prompts;
mod references;
mod test_files;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{expansion, js, yaml};

pub use self::cells::{Cell, CellAnswer, Column};
pub use self::prompts::Prompt;

/// Files beside a configuration, by paths relative to it.
pub trait ConfigurationFiles {
    /// The text of a file; the reason where it cannot be read.
    fn read(&self, path: &str) -> Result<String, String>;

    /// Whether there is such a file.
    fn exists(&self, path: &str) -> bool;

    /// The files that a pattern with `*`, `?`, `[ab]` and `{a,b}` names, in order; the reason where it leads elsewhere.
    fn glob(&self, pattern: &str) -> Result<Vec<String>, String>;
}

/// Somebody who answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// The id, such as `openai:gpt-4.1-mini` or `echo`.
    pub id: String,
    /// The name that is shown.
    pub label: String,
    pub config: Map<String, Value>,
    /// Which prompts it is asked; all where absent.
    pub prompts: Option<Vec<String>>,
    /// Its `transform`: code that makes another output of each answer.
    pub transform: Option<Value>,
}

/// A configuration that was read.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    /// What it says about itself.
    pub description: Option<String>,
    pub prompts: Vec<Prompt>,
    pub providers: Vec<Provider>,
    /// The tests with their defaults, in order, before variables are expanded.
    pub tests: Vec<Value>,
    /// Formulas over the sums of a column, by name.
    pub derived: Vec<(String, String)>,
    /// How often each test is run.
    pub repeat: u32,
    /// `env` of the configuration.
    pub env: Map<String, Value>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// What cannot be run, each with the reason.
    pub not_run: Vec<String>,
}

/// Keys that ask for code, or for what is not there.
const REFUSED: [&str; 4] = ["nunjucksFilters", "extensions", "redteam", "tracing"];

/// Keys of a configuration that mean nothing for its results.
const IGNORED: [&str; 10] = [
    "sharing",
    "outputPath",
    "tags",
    "metadata",
    "writeLatestResults",
    "$schema",
    "assertionTemplates",
    "telemetry",
    "defaultTest",
    "scenarios",
];

/// Keys of a test.
const TEST_KEYS: [&str; 13] = [
    "assert",
    "assertScoringFunction",
    "description",
    "metadata",
    "options",
    "path",
    "prompts",
    "provider",
    "providerOutput",
    "providers",
    "tags",
    "threshold",
    "vars",
];

/// Whether a document looks like a configuration of promptfoo, and not like one of ours.
pub fn is_configuration(document: &Value) -> bool {
    let has = |key: &str| document.get(key).is_some();
    let is_theirs = has("providers") || has("targets") || has("prompts") && (has("tests") || has("scenarios"));
    is_theirs && !["datasets", "models", "metrics"].into_iter().any(has)
}

impl Configuration {
    /// Reads a configuration; the reason where promptfoo would stop, or where it cannot be read here.
    pub fn read(text: &str, files: &dyn ConfigurationFiles) -> Result<Self, String> {
        let document = yaml::parse(text)?;
        let root = document.as_object().ok_or("the configuration is no mapping of names to values")?;
        let mut configuration = Self { repeat: 1, ..Self::default() };
        configuration.env = root.get("env").and_then(Value::as_object).cloned().unwrap_or_default();
        let document = references::resolve(&references::fill_env(&document, &configuration.env))?;
        let root = document.as_object().ok_or("the configuration is no mapping of names to values")?;
        configuration.note_keys(root);
        configuration.description = root.get("description").map(js::text);
        configuration.prompts = prompts::read(root.get("prompts"), files, &mut configuration.notes)?;
        configuration.read_providers(root, files)?;
        configuration.read_derived(root.get("derivedMetrics"));
        let repeat = |key: &str| root.get(key).and_then(|options| options.get("repeat")).and_then(Value::as_u64);
        let repeat = repeat("commandLineOptions").or_else(|| repeat("evaluateOptions"));
        configuration.repeat = repeat.and_then(|repeat| u32::try_from(repeat).ok()).unwrap_or(1).max(1);
        configuration.read_tests(root, files)?;
        Ok(configuration)
    }

    fn note_keys(&mut self, root: &Map<String, Value>) {
        for key in root.keys() {
            if REFUSED.contains(&key.as_str()) {
                self.not_run.push(format!("`{key}` asks for code or for what is not there, and is left out"));
            }
            let is_known = IGNORED.contains(&key.as_str())
                || REFUSED.contains(&key.as_str())
                || matches!(
                    key.as_str(),
                    "description"
                        | "env"
                        | "prompts"
                        | "providers"
                        | "targets"
                        | "tests"
                        | "derivedMetrics"
                        | "evaluateOptions"
                        | "commandLineOptions"
                );
            if !is_known {
                self.notes.push(format!("the key `{key}` is not known and does nothing"));
            }
        }
    }

    fn read_providers(&mut self, root: &Map<String, Value>, files: &dyn ConfigurationFiles) -> Result<(), String> {
        let entries = match (root.get("providers"), root.get("targets")) {
            (Some(_), Some(_)) => return Err("both `providers` and `targets` are given".to_owned()),
            (Some(entries), None) | (None, Some(entries)) => entries,
            (None, None) => return Err("no `providers` are given".to_owned()),
        };
        let entries = match entries {
            Value::Array(entries) => entries.clone(),
            other => vec![other.clone()],
        };
        let mut queue = Vec::new();
        for entry in entries {
            let file = entry.as_str().and_then(|text| text.strip_prefix("file://"));
            match file.filter(|file| is_data(file)) {
                Some(file) => match yaml::parse(&files.read(file)?).map_err(|reason| format!("`{file}`: {reason}"))? {
                    Value::Array(inner) => queue.extend(inner),
                    other => queue.push(other),
                },
                None => queue.push(entry),
            }
        }
        for entry in &queue {
            self.providers.push(provider(entry)?);
        }
        if self.providers.is_empty() {
            return Err("no `providers` are given".to_owned());
        }
        Ok(())
    }

    fn read_derived(&mut self, derived: Option<&Value>) {
        for entry in derived.and_then(Value::as_array).into_iter().flatten() {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
            match (text("name"), text("value")) {
                (Some(name), Some(value)) if !value.starts_with("file://") => self.derived.push((name, value)),
                (name, _) => {
                    let name = name.unwrap_or_default();
                    self.not_run.push(format!("the derived metric `{name}` is code"));
                }
            }
        }
    }

    fn read_tests(&mut self, root: &Map<String, Value>, files: &dyn ConfigurationFiles) -> Result<(), String> {
        let empty = Value::Object(Map::new());
        let defaults = match root.get("defaultTest") {
            Some(Value::String(file)) => {
                let file = file.strip_prefix("file://").unwrap_or(file);
                yaml::parse(&files.read(file)?).map_err(|reason| format!("`{file}`: {reason}"))?
            }
            Some(defaults @ Value::Object(_)) => defaults.clone(),
            _ => empty.clone(),
        };
        let delimiter = self.env.get("PROMPTFOO_CSV_DELIMITER").and_then(Value::as_str);
        let delimiter = delimiter.and_then(|text| text.chars().next()).unwrap_or(',');
        let mut loader =
            test_files::TestLoader { files, delimiter, notes: &mut self.notes, not_run: &mut self.not_run };
        let defaults = loader.with_variables(&defaults)?;
        let mut tests = loader.tests(root.get("tests"))?;
        let mut scenarios = Vec::new();
        for scenario in loader.scenarios(root.get("scenarios"))? {
            scenarios.extend(expansion::scenario_tests(&defaults, &scenario));
        }
        if tests.is_empty() && scenarios.is_empty() {
            tests.push(empty);
        }
        self.tests = tests.iter().map(|test| expansion::with_defaults(&defaults, test)).collect();
        self.tests.extend(scenarios);
        let mut unknown = BTreeSet::new();
        for (index, test) in self.tests.iter().enumerate() {
            assertions::check(test).map_err(|reason| format!("test {}: {reason}", index + 1))?;
            let keys = test.as_object().into_iter().flat_map(Map::keys);
            let keys = keys.filter(|key| !TEST_KEYS.contains(&key.as_str()));
            unknown.extend(keys.map(|key| format!("the key `{key}` of a test is not known and does nothing")));
            assertions::note_unknown_keys(test, &mut unknown);
        }
        self.notes.extend(unknown);
        Ok(())
    }
}

/// Whether a file holds data rather than code.
pub(crate) fn is_data(path: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|extension| path.ends_with(extension))
}

fn provider(entry: &Value) -> Result<Provider, String> {
    let (id, options) = match entry {
        Value::String(id) => (id.clone(), Map::new()),
        Value::Object(options) => {
            if let Some(id) = options.get("id").and_then(Value::as_str) {
                (id.to_owned(), options.clone())
            } else {
                let (id, options) = options.iter().next().ok_or("a provider has no `id`")?;
                (id.clone(), options.as_object().cloned().unwrap_or_default())
            }
        }
        _ => return Err("a provider is a text or a mapping with `id`".to_owned()),
    };
    let label = options.get("label").and_then(Value::as_str).unwrap_or(&id).to_owned();
    let config = options.get("config").and_then(Value::as_object).cloned().unwrap_or_default();
    let list = |value: &Value| match value {
        Value::Array(items) => items.iter().map(js::text).collect(),
        other => vec![js::text(other)],
    };
    let prompts = options.get("prompts").filter(|prompts| !prompts.is_null()).map(list);
    let transform = options.get("transform").filter(|value| js::is_truthy(value)).cloned();
    Ok(Provider { id, label, config, prompts, transform })
}

/// Whether a path is a pattern that may name several files.
pub(crate) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// The files that a path names: itself, or those that fit the pattern.
pub(crate) fn named_files(path: &str, files: &dyn ConfigurationFiles) -> Result<Vec<String>, String> {
    if !is_pattern(path) || files.exists(path) { Ok(vec![path.to_owned()]) } else { files.glob(path) }
}

/// Whether a filter names something: its label or id, the start of it before a final `*`, or what stands before a colon.
pub(crate) fn filter_names(filter: &[String], names: [&str; 2]) -> bool {
    filter.iter().any(|entry| {
        names.iter().any(|name| {
            entry == name
                || entry.strip_suffix('*').is_some_and(|start| name.starts_with(start))
                || name.strip_prefix(entry.as_str()).is_some_and(|rest| rest.starts_with(':'))
        })
    })
}
