//! Which assertions of a cell can be run, and who decides what a model has to decide.

use std::path::Path;

use probare_promptfoo::configuration::Cell;
use probare_promptfoo::{TypeSupport, type_support};
use serde_json::{Map, Value as Json};

use super::code::{SCRIPT_KEYS, ScriptTable, missing_file};
use super::providers::{ADDRESS_KEYS, mapped_model};

/// What decides which assertions of a cell can be run.
pub(super) struct ImportContext<'a> {
    /// Whether a model answers: what it did beside its text is not kept for metrics.
    pub(super) is_asked: bool,
    /// Why nobody is asked what a model decides.
    pub(super) no_judge: Option<&'a str>,
    /// Whether a model of vectors is named, and may be used in this test.
    pub(super) has_embedding: bool,
    /// What the test says about whoever judges.
    pub(super) judging: &'a Map<String, Json>,
    /// The folder of the configuration, where its code may be run.
    pub(super) code_folder: Option<&'a Path>,
    /// Whether code of the test sees more of an answer than its text, so that outputs of others cannot be graded beside it.
    pub(super) code_keeps_apart: bool,
}

/// Assertions of a cell that cannot be decided: the type, and why.
pub(super) fn obstacles(entries: &[Json], context: &ImportContext<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in entries {
        let name = entry.get("type").and_then(Json::as_str).unwrap_or_default();
        if let Some(inner) = entry.get("assert").and_then(Json::as_array) {
            found.extend(obstacles(inner, context));
        }
        if let Some(reason) = obstacle(entry, name, context) {
            found.push((name.to_owned(), reason));
        }
    }
    found
}

fn obstacle(entry: &Json, name: &str, context: &ImportContext<'_>) -> Option<String> {
    if let Some(reason) = entry.get("not_run").and_then(Json::as_str) {
        return Some(reason.to_owned());
    }
    let kind = name.strip_prefix("not-").unwrap_or(name);
    let is_script = matches!(kind, "javascript" | "python");
    let scripts = || SCRIPT_KEYS.iter().filter_map(|key| Some((*key, entry.get(*key)?)));
    match context.code_folder {
        None => {
            if let Some((key, script)) = scripts().next() {
                if key == "parser_script" {
                    let reason = "is decided by the package `node-sql-parser` beside the configuration";
                    return Some(format!("{reason}: `--allow-code` runs it"));
                }
                let whose = match (key, script.get("file").and_then(Json::as_str)) {
                    ("script", _) if is_script => "is".to_owned(),
                    ("script", Some(file)) => format!("its value (`{file}`) is"),
                    _ => "its `transform` is".to_owned(),
                };
                return Some(format!("{whose} code of the configuration, which is not run: `--allow-code` runs it"));
            }
        }
        Some(folder) => {
            if let Some(reason) = scripts().find_map(|(_, script)| missing_file(folder, script)) {
                return Some(reason);
            }
            if matches!(type_support(kind), TypeSupport::Judged | TypeSupport::Embedded) && scripts().next().is_some() {
                return Some("takes code to ask a model, which is not done here".to_owned());
            }
            if is_script && entry.get("script").is_some() {
                return None;
            }
            if kind == "max-score" && context.code_keeps_apart {
                return Some("compares outputs that code of the test makes, or grades by their prompts".to_owned());
            }
        }
    }
    match (type_support(kind), kind) {
        (TypeSupport::Judged, "factuality" | "model-graded-factuality")
            if context.judging.contains_key("factuality") =>
        {
            Some("the scores of its own for the categories (`options.factuality`) are not known here".to_owned())
        }
        (TypeSupport::Judged, _) => context.no_judge.map(str::to_owned),
        (TypeSupport::Embedded, _) => {
            let reason = "needs vectors of an embedding model: `--embedding MODEL` names one";
            (!context.has_embedding).then(|| reason.to_owned())
        }
        (TypeSupport::NotRun(reason), _) => Some(reason.to_owned()),
        (_, "latency") => Some("times of answers differ from run to run, and are not kept for metrics".to_owned()),
        (_, "cost" | "finish-reason" | "perplexity" | "perplexity-score" | "guardrails" | "skill-used")
            if context.is_asked =>
        {
            Some("what a model says beside its text is not kept for metrics".to_owned())
        }
        (_, "max-score") if context.is_asked => {
            Some("answers of several models are not compared within a metric".to_owned())
        }
        _ => None,
    }
}

/// The assertions with what is known to be out of reach marked, and code by its number.
pub(super) fn ready_assertions(entries: &[Json], context: &ImportContext<'_>, table: &mut ScriptTable) -> Vec<Json> {
    entries
        .iter()
        .map(|entry| {
            let mut entry = entry.clone();
            let name = entry.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
            if let Some(inner) = entry.get("assert").and_then(Json::as_array) {
                entry["assert"] = Json::Array(ready_assertions(inner, context, table));
            }
            // Without its parser some SQL is decided all the same.
            let is_tried =
                |entry: &Json| SCRIPT_KEYS.iter().all(|key| entry.get(*key).is_some() == (*key == "parser_script"));
            if let Some(reason) = obstacle(&entry, &name, context).filter(|_| !is_tried(&entry)) {
                entry["not_run"] = Json::from(reason);
            }
            let is_run = context.code_folder.is_some() && entry.get("not_run").is_none();
            for key in SCRIPT_KEYS {
                let script = entry.as_object_mut().and_then(|entry| entry.shift_remove(key));
                if let Some(script) = script.filter(|_| is_run) {
                    entry[key] = Json::from(table.number(script));
                }
            }
            entry
        })
        .collect()
}

/// The types of the assertions that need this.
pub(super) fn types_that_need(entries: &[Json], support: TypeSupport) -> Vec<&str> {
    let mut found = Vec::new();
    for entry in entries {
        let name = entry.get("type").and_then(Json::as_str).unwrap_or_default();
        if type_support(name.strip_prefix("not-").unwrap_or(name)) == support {
            found.push(name);
        }
        if let Some(inner) = entry.get("assert").and_then(Json::as_array) {
            found.extend(types_that_need(inner, support));
        }
    }
    found
}

/// What the judged assertions of a list say under a key.
fn judged_values<'a>(entries: &'a [Json], key: &str, default: Option<&'a Json>) -> Vec<Option<&'a Json>> {
    let mut found = Vec::new();
    for entry in entries {
        if let Some(inner) = entry.get("assert").and_then(Json::as_array) {
            found.extend(judged_values(inner, key, default));
        } else if !types_that_need(std::slice::from_ref(entry), TypeSupport::Judged).is_empty() {
            found.push(entry.get(key).filter(|value| !value.is_null()).or(default));
        }
    }
    found
}

pub(super) fn has_rubric_prompt(cell: &Cell) -> bool {
    judged_values(&cell.assertions, "rubricPrompt", cell.judging.get("rubricPrompt")).iter().any(Option::is_some)
}

/// The model that the configuration names for what a model decides; else why there is none.
pub(super) fn named_judge(cells: &[Cell], notes: &mut Vec<String>) -> Result<Vec<String>, String> {
    let none = || Err("asks a model: `--judge MODEL` names one".to_owned());
    let mut named: Vec<(String, Map<String, Json>)> = Vec::new();
    for cell in cells {
        for value in judged_values(&cell.assertions, "provider", cell.judging.get("provider")).into_iter().flatten() {
            // By the kind of what is asked, or one for all.
            let value = value.get("text").unwrap_or(value);
            let id = value.as_str().or_else(|| value.get("id").and_then(Json::as_str));
            let Some(id) = id.map(str::to_owned) else { continue };
            if named.iter().all(|(known, _)| *known != id) {
                let config = value.get("config").and_then(Json::as_object).cloned().unwrap_or_default();
                named.push((id, config));
            }
        }
    }
    let Some((id, config)) = named.first() else { return none() };
    if named.len() > 1 {
        let others: Vec<&str> = named.iter().map(|(id, _)| id.as_str()).collect();
        return Err(format!(
            "asks a model, and the tests name several ({}): `--judge MODEL` names one for all",
            others.join(", ")
        ));
    }
    match mapped_model(id, id, &Map::new(), notes) {
        Ok(_) if ADDRESS_KEYS.iter().any(|key| config.contains_key(*key)) => {
            Err(format!("asks `{id}` at an address of the configuration, which is not contacted"))
        }
        Ok(model) => {
            if !config.is_empty() {
                let keys: Vec<String> = config.keys().map(|key| format!("`{key}`")).collect();
                notes.push(format!("settings of the judge `{id}` that are not taken over: {}", keys.join(", ")));
            }
            Ok(vec![model.entry.get("name").and_then(Json::as_str).unwrap_or_default().to_owned()])
        }
        Err(reason) => Err(format!("asks a model: {reason}; `--judge MODEL` names another")),
    }
}

/// Whether assertions have code.
pub(super) fn have_code(entries: &[Json]) -> bool {
    let inner = |entry: &Json| entry.get("assert").and_then(Json::as_array).is_some_and(|inner| have_code(inner));
    entries.iter().any(|entry| SCRIPT_KEYS.iter().any(|key| entry.get(*key).is_some()) || inner(entry))
}

/// How often, in words.
pub(super) fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}
