//! [`translate`]: a configuration of promptfoo as a configuration and cases of ours.
//!
//! The file is foreign. What it names is read below its own folder; no code of it is run, no address of it is contacted,
//! no variable of the process is put into its texts. Providers are resolved by name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use probare_core::{Case, CaseMessage, Output};
use probare_files::{is_below, read_plain_text};
use probare_promptfoo::configuration::{Cell, CellAnswer, Column, Configuration, ConfigurationFiles, is_configuration};
use probare_promptfoo::{TypeSupport, js, type_support, yaml};
use probare_report::{OutputWriter, refuse_overlap};
use serde_json::{Map, Value as Json, json};

use super::ExchangeError;

/// Bytes of the largest file that a configuration names.
const LARGEST: u64 = 64 << 20;

/// Files of the largest folder in which a pattern is looked for.
const MOST_FILES: usize = 100_000;

/// The metric that grades tests.
const METRIC: &str = "promptfoo_test";

/// What became of a configuration of promptfoo.
#[derive(Debug, Clone, Default)]
pub struct Translation {
    /// Cells of its table: tests times columns.
    pub cells: usize,
    /// Tests, after repeats and variables were expanded.
    pub tests: usize,
    /// Cells whose answer is known without asking anybody.
    pub known: usize,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// What is not run, each with the reason and how often.
    pub not_run: Vec<String>,
    /// Whether something is not run that no case of ours stands for.
    pub loses_more: bool,
    /// Files that were written.
    pub written: Vec<PathBuf>,
}

/// Whether a file is a configuration of promptfoo.
pub fn is_promptfoo_configuration(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let text = || read_plain_text(path, LARGEST).ok();
    let document = match extension {
        "yaml" | "yml" => text().and_then(|text| yaml::parse(&text).ok()),
        // Results of promptfoo are JSON, too, and may be long.
        "json" => text().and_then(|text| js::parse_json(&text).ok()),
        _ => None,
    };
    document.is_some_and(|document| is_configuration(&document))
}

/// Files below the folder of a configuration.
struct Folder<'a>(&'a Path);

impl Folder<'_> {
    fn path(&self, path: &str) -> Result<PathBuf, String> {
        let joined = self.0.join(path);
        if !joined.exists() {
            return Err(format!("`{path}` is not there"));
        }
        if !is_below(self.0, &joined) {
            return Err(format!("`{path}` lies outside of the configuration's folder, and is not read"));
        }
        Ok(joined)
    }

    fn list(&self, folder: &str, found: &mut Vec<String>) -> Result<(), String> {
        let entries = std::fs::read_dir(self.0.join(folder)).map_err(|error| format!("`{folder}`: {error}"))?;
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if found.len() > MOST_FILES {
                return Err("there are too many files to look for a pattern".to_owned());
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !name.starts_with('.') && name != "node_modules" => {
                    self.list(&path, found)?;
                }
                Ok(kind) if kind.is_file() => found.push(path),
                _ => {}
            }
        }
        Ok(())
    }
}

impl ConfigurationFiles for Folder<'_> {
    fn read(&self, path: &str) -> Result<String, String> {
        let text = read_plain_text(&self.path(path)?, LARGEST).map_err(|error| format!("`{path}`: {error}"))?;
        Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
    }

    fn exists(&self, path: &str) -> bool {
        self.0.join(path).is_file()
    }

    fn glob(&self, pattern: &str) -> Result<Vec<String>, String> {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let fixed = pattern.split('/').take_while(|part| !part.contains(['*', '?'])).collect::<Vec<_>>().join("/");
        let mut found = Vec::new();
        if self.0.join(&fixed).is_dir() && is_below(self.0, &self.0.join(&fixed)) {
            self.list(&fixed, &mut found)?;
        }
        found.retain(|path| glob_fits(pattern, path));
        found.sort();
        Ok(found)
    }
}

/// Whether a path fits a pattern: `*` and `?` stay within one folder, `**` does not.
fn glob_fits(pattern: &str, path: &str) -> bool {
    let (patterns, parts): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    folders_fit(&patterns, &parts)
}

fn folders_fit(patterns: &[&str], parts: &[&str]) -> bool {
    match (patterns.split_first(), parts.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => (0..=parts.len()).any(|skipped| folders_fit(rest, &parts[skipped..])),
        (Some((pattern, rest)), Some((part, others))) => name_fits(pattern, part) && folders_fit(rest, others),
        _ => false,
    }
}

fn name_fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut from, mut star) = (0, 0, None);
    while from < name.len() {
        if pattern.get(at) == Some(&'*') {
            star = Some((at, from));
            at += 1;
        } else if pattern.get(at).is_some_and(|letter| *letter == '?' || *letter == name[from]) {
            (at, from) = (at + 1, from + 1);
        } else if let Some((place, taken)) = star {
            star = Some((place, taken + 1));
            (at, from) = (place + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

/// Writes the configuration `config`, and its cases in a folder beside it.
pub fn translate(source: &Path, config: &Path) -> Result<Translation, ExchangeError> {
    let wrong = |reason: String| ExchangeError::Promptfoo { file: source.display().to_string(), reason };
    let text = read_plain_text(source, LARGEST).map_err(|error| wrong(error.to_string()))?;
    let folder = source.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let files = Folder(folder);
    let configuration = Configuration::read(&text, &files).map_err(wrong)?;
    let cells = configuration.cells(&files).map_err(wrong)?;
    let translator = Translator::new(&configuration, &cells);
    let stem = config.file_stem().map_or_else(|| "probare".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let cases_folder = format!("{stem}.cases");
    let mut translation = translator.summary();
    let mut writes = vec![config.to_owned()];
    let place = |name: &str| config.with_file_name(&cases_folder).join(format!("{name}.jsonl"));
    let datasets = translator.datasets();
    writes.extend(datasets.iter().map(|dataset| place(&dataset.name)));
    refuse_overlap(&[source.to_owned()], &writes)?;
    for dataset in &datasets {
        let mut lines = String::new();
        for case in &dataset.cases {
            lines.push_str(&serde_json::to_string(case).unwrap_or_default());
            lines.push('\n');
        }
        OutputWriter::write_file(&place(&dataset.name), lines.as_bytes()).map_err(probare_report::ReportError::from)?;
    }
    let content = translator.config_text(source, &cases_folder, &datasets);
    OutputWriter::write_file(config, content.as_bytes()).map_err(probare_report::ReportError::from)?;
    translation.written = writes;
    Ok(translation)
}

/// A file of cases.
struct CaseFile {
    name: String,
    cases: Vec<Case>,
}

/// A model of ours in place of a provider.
struct MappedModel {
    entry: Json,
}

struct Translator<'a> {
    configuration: &'a Configuration,
    cells: &'a [Cell],
    /// By provider: the model, or why there is none.
    models: Vec<Result<MappedModel, String>>,
    columns: Vec<Column>,
    /// Tests and prompts in which some models take part and others do not.
    partial: BTreeSet<(usize, usize)>,
    notes: Vec<String>,
}

impl<'a> Translator<'a> {
    fn new(configuration: &'a Configuration, cells: &'a [Cell]) -> Self {
        let mut notes = configuration.notes.clone();
        let models = configuration
            .providers
            .iter()
            .map(|provider| mapped_model(&provider.id, &provider.label, &provider.config, &mut notes))
            .collect();
        let mut translator =
            Self { configuration, cells, models, columns: configuration.columns(), partial: BTreeSet::new(), notes };
        translator.find_partial();
        translator
    }

    fn find_partial(&mut self) {
        let mut askers: BTreeMap<(usize, usize), BTreeSet<usize>> = BTreeMap::new();
        for cell in self.cells.iter().filter(|cell| self.is_asked(cell)) {
            askers.entry((cell.test, self.columns[cell.column].prompt)).or_default().insert(self.provider(cell));
        }
        let all: BTreeSet<usize> = askers.values().flatten().copied().collect();
        self.partial = askers.into_iter().filter(|(_, some)| *some != all).map(|(place, _)| place).collect();
    }

    /// Whether a cell is asked of a model of ours.
    fn is_asked(&self, cell: &Cell) -> bool {
        cell.answer == CellAnswer::Asked && self.models[self.provider(cell)].is_ok() && !self.is_partial(cell)
    }

    /// Whether a model that is asked elsewhere does not take part in the test with this prompt: a run of ours asks all its
    /// models all its cases.
    fn is_partial(&self, cell: &Cell) -> bool {
        self.partial.contains(&(cell.test, self.columns[cell.column].prompt))
    }

    fn provider(&self, cell: &Cell) -> usize {
        self.columns[cell.column].provider
    }

    /// Models that are asked.
    fn asked_models(&self) -> Vec<usize> {
        let asked: BTreeSet<usize> =
            self.cells.iter().filter(|cell| self.is_asked(cell)).map(|cell| self.provider(cell)).collect();
        asked.into_iter().collect()
    }

    /// Why a cell has no answer here, where it has none.
    fn obstacle(&self, cell: &Cell) -> Option<String> {
        match &cell.answer {
            CellAnswer::NotRun(reason) => Some(reason.clone()),
            CellAnswer::Asked if self.is_partial(cell) => Some(
                "only some of the models are asked this test with this prompt, and a run here asks all of them"
                    .to_owned(),
            ),
            CellAnswer::Asked => self.models[self.provider(cell)].as_ref().err().cloned(),
            CellAnswer::Known(_) | CellAnswer::Error(_) => None,
        }
    }

    fn summary(&self) -> Translation {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for cell in self.cells {
            if let Some(reason) = self.obstacle(cell) {
                *counts.entry(format!("an answer: {reason}")).or_default() += 1;
                continue;
            }
            for (name, reason) in obstacles(&cell.assertions, self.is_asked(cell)) {
                *counts.entry(format!("`{name}`: {reason}")).or_default() += 1;
            }
        }
        let mut not_run = self.configuration.not_run.clone();
        let derived = self.configuration.derived.iter().map(|(name, _)| {
            format!(
                "the derived metric `{name}`: sums over a column are not formed here; the scores of its metrics are"
            )
        });
        let mut notes = self.notes.clone();
        notes.extend(derived);
        let loses_more = !not_run.is_empty();
        not_run.extend(counts.into_iter().map(|(what, count)| format!("{what} ({count} times)")));
        let tests: BTreeSet<usize> = self.cells.iter().map(|cell| cell.test).collect();
        let unchecked = self.cells.iter().filter(|cell| cell.assertions.is_empty()).count();
        if unchecked > 0 {
            notes.push(format!(
                "{unchecked} runs have no assertions: they pass, as in promptfoo, and nothing is checked"
            ));
        }
        Translation {
            cells: self.cells.len(),
            tests: tests.len(),
            known: self.cells.iter().filter(|cell| matches!(cell.answer, CellAnswer::Known(_))).count(),
            notes,
            not_run,
            loses_more,
            written: Vec::new(),
        }
    }

    /// One file for each column whose answers are known, or cannot be had; one for each prompt that models are asked.
    fn datasets(&self) -> Vec<CaseFile> {
        let mut files: Vec<CaseFile> = Vec::new();
        let mut known: BTreeSet<(String, usize)> = BTreeSet::new();
        let mut add = |name: String, cell: &Cell| {
            // Several models are asked one case.
            if !known.insert((name.clone(), cell.test)) {
                return;
            }
            let case = self.case(cell);
            match files.iter_mut().find(|file| file.name == name) {
                Some(file) => file.cases.push(case),
                None => files.push(CaseFile { name, cases: vec![case] }),
            }
        };
        for cell in self.cells {
            let column = self.columns[cell.column];
            let prompt = column.prompt + 1;
            if self.is_asked(cell) {
                // Repeats of models are those of the run.
                if cell.repeat == 0 {
                    add(format!("prompt-{prompt}"), cell);
                }
                continue;
            }
            let label = plain_name(&self.configuration.providers[column.provider].label);
            add(format!("{label}-{}-prompt-{prompt}", column.provider + 1), cell);
        }
        files
    }

    fn case(&self, cell: &Cell) -> Case {
        let provider = &self.configuration.providers[self.provider(cell)];
        let mut parts = Map::new();
        parts.insert("assert".to_owned(), Json::Array(ready_assertions(&cell.assertions, self.is_asked(cell))));
        if let Some(threshold) = cell.threshold {
            parts.insert("threshold".to_owned(), json!(threshold));
        }
        for (key, from) in [("functions", "functions"), ("tools", "tools")] {
            if let Some(value) = provider.config.get(from) {
                parts.insert(key.to_owned(), value.clone());
            }
        }
        let mut case = Case { id: format!("test-{}", cell.test + 1), ..Case::default() };
        match &cell.answer {
            CellAnswer::Known(output) => {
                let text = output.as_str().map_or_else(|| js::json(output, 0), str::to_owned);
                case.response = Some(Output { text, model: Some(provider.label.clone()), repeat: cell.repeat });
                parts.insert("response".to_owned(), json!({"cost": 0}));
                if !output.is_string() {
                    parts.insert("output".to_owned(), output.clone());
                }
                self.add_outputs(cell, &mut parts);
            }
            CellAnswer::Error(reason) => {
                parts.insert("error".to_owned(), Json::from(reason.as_str()));
            }
            CellAnswer::Asked | CellAnswer::NotRun(_) => {
                if let Some(reason) = self.obstacle(cell) {
                    parts.insert("not_run".to_owned(), Json::from(reason));
                }
            }
        }
        match chat_messages(&cell.prompt).filter(|_| self.is_asked(cell)) {
            Some(messages) => {
                case.query = messages.last().and_then(|message| message.text.clone());
                case.messages = Some(messages);
            }
            None => case.query = Some(cell.prompt.clone()),
        }
        case.metadata.insert("promptfoo".to_owned(), Json::Object(parts));
        case.metadata.insert("vars".to_owned(), Json::Object(cell.vars.clone()));
        if let Some(description) = &cell.description {
            case.metadata.insert("description".to_owned(), Json::from(description.as_str()));
        }
        if !cell.metadata.is_empty() {
            case.metadata.insert("test".to_owned(), Json::Object(cell.metadata.clone()));
        }
        case
    }

    /// All outputs of a test, where one of its assertions compares them.
    fn add_outputs(&self, cell: &Cell, parts: &mut Map<String, Json>) {
        let is_across = |entry: &Json| entry.get("type").and_then(Json::as_str) == Some("max-score");
        if !cell.assertions.iter().any(is_across) {
            return;
        }
        let others: Vec<&Cell> = self.cells.iter().filter(|other| other.test == cell.test).collect();
        let output = |other: &&Cell| match &other.answer {
            CellAnswer::Known(output) => Some(output.clone()),
            _ => None,
        };
        if let Some(outputs) = others.iter().map(output).collect::<Option<Vec<Json>>>() {
            parts.insert("outputs".to_owned(), Json::Array(outputs));
            let place = others.iter().position(|other| other.column == cell.column);
            parts.insert("column".to_owned(), json!(place));
        }
    }

    fn config_text(&self, source: &Path, cases_folder: &str, files: &[CaseFile]) -> String {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for cell in self.cells {
            collect_metrics(&cell.assertions, &mut names);
        }
        let mut text = format!("# Made from {} of promptfoo.\n", plain_comment(&source.display().to_string()));
        if let Some(description) = &self.configuration.description {
            text.push_str(&format!("# {}\n", plain_comment(description)));
        }
        text.push_str("datasets:\n");
        for file in files {
            let path = format!("{cases_folder}/{}.jsonl", file.name);
            text.push_str(&format!("  - {{name: {}, path: {}}}\n", json!(file.name), json!(path)));
        }
        let asked = self.asked_models();
        if !asked.is_empty() {
            text.push_str("models:\n");
            for index in &asked {
                if let Ok(model) = &self.models[*index] {
                    text.push_str(&format!("  - {}\n", model.entry));
                }
            }
            if self.configuration.repeat > 1 {
                text.push_str(&format!("generate: {{repeats: {}}}\n", self.configuration.repeat));
            }
        }
        text.push_str(&format!("metrics:\n  - {METRIC}\n"));
        for name in names {
            text.push_str(&format!(
                "  - {{id: {METRIC}, name: {}, options: {{metric: {}}}}}\n",
                json!(name),
                json!(name)
            ));
        }
        text.push_str(&format!("gates:\n  - {{metric: {METRIC}, fail_labels: [{{label: fail, over: 0}}]}}\n"));
        text
    }
}

/// Assertions of a cell that cannot be decided: the type, and why. What a model under test did beside its text is not kept for
/// metrics.
fn obstacles(entries: &[Json], is_asked: bool) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in entries {
        let name = entry.get("type").and_then(Json::as_str).unwrap_or_default();
        if let Some(inner) = entry.get("assert").and_then(Json::as_array) {
            found.extend(obstacles(inner, is_asked));
        }
        if let Some(reason) = obstacle(entry, name, is_asked) {
            found.push((name.to_owned(), reason));
        }
    }
    found
}

fn obstacle(entry: &Json, name: &str, is_asked: bool) -> Option<String> {
    if let Some(reason) = entry.get("not_run").and_then(Json::as_str) {
        return Some(reason.to_owned());
    }
    let kind = name.strip_prefix("not-").unwrap_or(name);
    match (type_support(kind), kind) {
        (TypeSupport::NotRun(reason), _) => Some(reason.to_owned()),
        (_, "latency") => Some("times of answers differ from run to run, and are not kept for metrics".to_owned()),
        (_, "cost" | "finish-reason" | "perplexity" | "perplexity-score" | "guardrails" | "skill-used") if is_asked => {
            Some("what a model says beside its text is not kept for metrics".to_owned())
        }
        (_, "max-score") if is_asked => Some("answers of several models are not compared within a metric".to_owned()),
        (_, "is-sql" | "contains-sql") => Some("SQL is parsed by no parser that agrees with promptfoo's".to_owned()),
        _ => None,
    }
}

/// The assertions with what is known to be out of reach marked.
fn ready_assertions(entries: &[Json], is_asked: bool) -> Vec<Json> {
    entries
        .iter()
        .map(|entry| {
            let mut entry = entry.clone();
            let name = entry.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
            if let Some(inner) = entry.get("assert").and_then(Json::as_array) {
                entry["assert"] = Json::Array(ready_assertions(inner, is_asked));
            }
            let is_sql = name.ends_with("-sql");
            if let Some(reason) = obstacle(&entry, &name, is_asked).filter(|_| !is_sql) {
                entry["not_run"] = Json::from(reason);
            }
            entry
        })
        .collect()
}

fn collect_metrics<'a>(entries: &'a [Json], names: &mut BTreeSet<&'a str>) {
    for entry in entries {
        names.extend(entry.get("metric").and_then(Json::as_str).filter(|name| !name.is_empty()));
        if let Some(inner) = entry.get("assert").and_then(Json::as_array) {
            collect_metrics(inner, names);
        }
    }
}

/// The messages of a prompt that is a chat.
fn chat_messages(prompt: &str) -> Option<Vec<CaseMessage>> {
    let list = js::parse_json(prompt).ok().filter(Json::is_array)?;
    let is_message = |message: &Json| {
        message.get("role").is_some_and(Json::is_string) && message.get("content").is_some_and(Json::is_string)
    };
    if !list.as_array()?.iter().all(is_message) || list.as_array()?.is_empty() {
        return None;
    }
    let message =
        |message: &Json| serde_json::from_value(json!({"role": message["role"], "text": message["content"]})).ok();
    list.as_array()?.iter().map(message).collect()
}

/// Providers of promptfoo by their first word, with ours and the words that may follow.
const PROVIDERS: [(&str, &str, &[&str]); 8] = [
    ("openai", "openai", &["chat"]),
    ("anthropic", "anthropic", &["messages"]),
    ("google", "gemini", &[]),
    ("mistral", "mistral", &["chat"]),
    ("ollama", "ollama", &["chat"]),
    ("openrouter", "openrouter", &[]),
    ("groq", "groq", &[]),
    ("bedrock", "bedrock", &[]),
];

/// Settings of a provider that ours have, too.
const SETTINGS: [(&str, &str); 5] = [
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("max_tokens", "max_tokens"),
    ("maxOutputTokens", "max_tokens"),
    ("seed", "seed"),
];

fn mapped_model(
    id: &str,
    label: &str,
    config: &Map<String, Json>,
    notes: &mut Vec<String>,
) -> Result<MappedModel, String> {
    let is_code = ["exec:", "file://", "python:", "javascript:", "golang:", "ruby:", "package:"];
    if is_code.iter().any(|start| id.starts_with(start)) {
        return Err(format!("the provider `{id}` is code of the configuration, which is not run"));
    }
    if ["http:", "https:", "ws:", "wss:", "webhook:", "browser"].iter().any(|start| id.starts_with(start)) {
        return Err(format!("the provider `{id}` is an address of the configuration, which is not contacted"));
    }
    let unknown = || format!("the provider `{id}` has no counterpart here");
    let (first, rest) = id.split_once(':').ok_or_else(unknown)?;
    let (_, provider, words) = PROVIDERS.iter().find(|(name, ..)| *name == first).ok_or_else(unknown)?;
    let (provider, model) = match rest.split_once(':') {
        Some(("responses", model)) if first == "openai" => ("openai-responses", model),
        Some((word, model)) if words.contains(&word) => (*provider, model),
        Some(("completion" | "embedding" | "embeddings" | "image" | "moderation" | "realtime" | "assistant", _)) => {
            return Err(unknown());
        }
        _ => (*provider, rest),
    };
    if ["apiBaseUrl", "apiHost", "baseUrl", "basePath"].iter().any(|key| config.contains_key(*key)) {
        return Err(format!("the provider `{label}` names an address, which is not contacted"));
    }
    let api_name = format!("{provider}:{model}");
    let mut entry = Map::new();
    entry.insert("name".to_owned(), Json::from(if label == id { api_name.as_str() } else { label }));
    if label != id {
        entry.insert("api_model_name".to_owned(), Json::from(api_name));
    }
    for (theirs, ours) in SETTINGS {
        if let Some(value) = config.get(theirs) {
            entry.insert(ours.to_owned(), value.clone());
        }
    }
    let known = |key: &str| SETTINGS.iter().any(|(theirs, _)| *theirs == key);
    let left: Vec<String> = config.keys().filter(|key| !known(key)).map(|key| format!("`{key}`")).collect();
    if !left.is_empty() {
        notes.push(format!("settings of the provider `{label}` that are not taken over: {}", left.join(", ")));
    }
    Ok(MappedModel { entry: Json::Object(entry) })
}

/// A name of letters, digits and hyphens.
fn plain_name(label: &str) -> String {
    let letters: String = label
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' })
        .collect();
    let name = letters.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    let short: String = name.chars().take(40).collect();
    if short.is_empty() { "provider".to_owned() } else { short }
}

/// A text on one line.
fn plain_comment(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stay_within_a_folder_unless_they_say_otherwise() {
        assert!(glob_fits("tests/*.yaml", "tests/a.yaml"));
        assert!(!glob_fits("tests/*.yaml", "tests/deep/a.yaml"));
        assert!(glob_fits("tests/**/*.yaml", "tests/deep/a.yaml"));
        assert!(glob_fits("**/*.yaml", "a.yaml"));
        assert!(glob_fits("a?c*", "abcd"));
        assert!(!glob_fits("a?c", "ac"));
    }

    #[test]
    fn providers_are_resolved_by_name_and_never_by_address_or_code() {
        let map = |id: &str, config: Json| {
            let config = config.as_object().cloned().unwrap();
            mapped_model(id, id, &config, &mut Vec::new()).map(|model| model.entry)
        };
        assert_eq!(map("openai:chat:gpt-4.1-mini", json!({})).unwrap()["name"], "openai:gpt-4.1-mini");
        assert_eq!(map("openai:responses:o3", json!({})).unwrap()["name"], "openai-responses:o3");
        assert_eq!(map("google:gemini-2.5-pro", json!({"temperature": 0.5})).unwrap()["temperature"], 0.5);
        assert_eq!(map("ollama:chat:llama3:8b", json!({})).unwrap()["name"], "ollama:llama3:8b");
        for (id, config, word) in [
            ("exec:./run.sh", json!({}), "code"),
            ("file://provider.py", json!({}), "code"),
            ("https://example.org/chat", json!({}), "address"),
            ("openai:gpt-4.1", json!({"apiBaseUrl": "http://127.0.0.1:1"}), "address"),
            ("replicate:x/y", json!({}), "counterpart"),
            ("openai:embedding:x", json!({}), "counterpart"),
        ] {
            assert!(map(id, config).unwrap_err().contains(word), "{id}");
        }
    }

    #[test]
    fn a_prompt_in_json_is_a_conversation() {
        let messages =
            chat_messages(r#"[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]"#);
        assert_eq!(messages.unwrap().len(), 2);
        for plain in ["Hi", "[]", "[1]", r#"{"role": "user", "content": "x"}"#] {
            assert_eq!(chat_messages(plain), None, "{plain}");
        }
    }
}
