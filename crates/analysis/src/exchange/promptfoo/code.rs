//! The code of a configuration of promptfoo: which pieces there are, and the programs that run them where the user allows it.
//!
//! The pieces are written to a file that the configuration of ours names; its cases refer to them by number, so that a file of
//! cases never brings code. Programs and pieces are files of the configuration, with their digests in every result.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use probare_core::{CaseMessage, Role, Speaker};
use probare_promptfoo::configuration::{Cell, Provider};
use probare_promptfoo::{SQL_SCRIPT, Script, ScriptRole};
use serde_json::{Map, Value as Json, json};

use super::chat::chat_messages;

/// Keys of an assertion under which its code stands.
pub(super) const SCRIPT_KEYS: [&str; 3] = ["script", "transform_script", "parser_script"];

/// The programs that run code, by name.
pub(super) const WORKERS: [(&str, &str); 2] = [
    ("promptfoo_code.mjs", include_str!("workers/promptfoo_code.mjs")),
    ("promptfoo_code.py", include_str!("workers/promptfoo_code.py")),
];

/// The file with the pieces of code, beside the cases.
pub(super) const CODE_FILE: &str = "code.json";

/// The file with the variables of every prompt, for providers that are code.
pub(super) const VARIABLES_FILE: &str = "variables.json";

/// Why the file of a piece of code cannot be run.
pub(super) fn missing_file(folder: &Path, script: &Json) -> Option<String> {
    let file = script.get("file").and_then(Json::as_str)?;
    (!folder.join(file).is_file()).then(|| format!("its code `{file}` is not there"))
}

/// The pieces of code of a configuration, each once.
#[derive(Debug, Default)]
pub(super) struct ScriptTable {
    scripts: Vec<Json>,
    numbers: BTreeMap<String, usize>,
}

impl ScriptTable {
    /// The number of a piece.
    pub(super) fn number(&mut self, script: Json) -> usize {
        let next = self.scripts.len();
        let number = *self.numbers.entry(script.to_string()).or_insert(next);
        if number == next {
            self.scripts.push(script);
        }
        number
    }

    pub(super) fn is_empty(&self) -> bool {
        self.scripts.is_empty()
    }

    /// What the programs read; files are looked for from `folder`, which is told from the file itself.
    pub(super) fn to_json(&self, folder: &str) -> Json {
        json!({"folder": folder, "scripts": self.scripts})
    }

    fn of_language(&self, language: &str) -> usize {
        let is_own = |source: &Json| source != SQL_SCRIPT;
        let is_piece = |script: &&Json| script["language"] == language && script.get("source").is_some_and(is_own);
        self.scripts.iter().filter(is_piece).count()
    }

    /// The files of code, in order.
    pub(super) fn files(&self) -> BTreeSet<&str> {
        self.scripts.iter().filter_map(|script| script.get("file").and_then(Json::as_str)).collect()
    }

    /// The program that runs the pieces, with its first arguments: names of files in the folder of the cases.
    pub(super) fn program(&self) -> (&'static str, &'static str) {
        let is_python = |script: &Json| script["language"] == "python";
        if self.scripts.iter().all(is_python) { ("python3", WORKERS[1].0) } else { ("node", WORKERS[0].0) }
    }

    /// What is run, in words.
    pub(super) fn description(&self) -> String {
        let piece = |language: &str, shown: &str| match self.of_language(language) {
            0 => None,
            1 => Some(format!("1 piece of {shown}")),
            count => Some(format!("{count} pieces of {shown}")),
        };
        let pieces = [piece("javascript", "JavaScript"), piece("python", "Python")].into_iter().flatten();
        let parser = self.scripts.iter().any(|script| script["source"] == SQL_SCRIPT).then_some("node-sql-parser");
        let named = self.files().into_iter().chain(parser).map(|name| format!("`{name}`"));
        pieces.chain(named).collect::<Vec<_>>().join(", ")
    }
}

/// The code of a provider: a command, or a file.
pub(super) fn provider_script(id: &str) -> Option<Script> {
    if let Some(command) = id.strip_prefix("exec:") {
        return Some(Script::inline(ScriptRole::Provider, "exec", command.trim()));
    }
    let path = id.strip_prefix("file://").or_else(|| id.strip_prefix("python:"))?;
    Script::from_file(ScriptRole::Provider, path)
}

/// Endings of names under which a setting is a secret.
const SECRETS: [&str; 7] = ["accesskey", "apikey", "authorization", "password", "privatekey", "secret", "token"];

/// Settings without those that are secrets, whose names are collected: what is written here is kept with the run.
fn without_secrets(value: &Json, dropped: &mut BTreeSet<String>) -> Json {
    let is_secret = |name: &str| {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        SECRETS.iter().any(|ending| plain.ends_with(ending))
    };
    match value {
        Json::Object(map) => {
            let mut kept = Map::new();
            for (name, value) in map {
                if is_secret(name) {
                    dropped.insert(format!("`{name}`"));
                } else {
                    kept.insert(name.clone(), without_secrets(value, dropped));
                }
            }
            Json::Object(kept)
        }
        Json::Array(items) => items.iter().map(|item| without_secrets(item, dropped)).collect(),
        other => other.clone(),
    }
}

/// A provider that is code, as a model that a program answers for.
pub(super) fn provider_entry(
    provider: &Provider,
    script: &Script,
    folder: &Path,
    cases: &Path,
    notes: &mut Vec<String>,
) -> Json {
    let mut spec = script.to_json();
    spec["id"] = json!(provider.id);
    let mut dropped = BTreeSet::new();
    spec["config"] = without_secrets(&Json::Object(provider.config.clone()), &mut dropped);
    if !dropped.is_empty() {
        notes.push(format!(
            "settings of the provider `{}` that are not taken over, since they look like secrets: {}; its code finds your environment",
            provider.label,
            dropped.into_iter().collect::<Vec<_>>().join(", ")
        ));
    }
    let is_python = script.language == "python";
    let (program, worker) = if is_python { ("python3", WORKERS[1].0) } else { ("node", WORKERS[0].0) };
    let text = |path: PathBuf| path.display().to_string();
    let mut command = vec![
        program.to_owned(),
        text(cases.join(worker)),
        "--provider".to_owned(),
        spec.to_string(),
        text(folder.to_owned()),
        text(cases.join(VARIABLES_FILE)),
    ];
    // The files of the code decide about the answer: with another content it is another program.
    let words = script.source.iter().flat_map(|command| command.split_whitespace());
    let named = script.file.as_deref().into_iter().chain(words).map(|file| folder.join(file));
    command.extend(named.filter(|file| file.is_file()).map(text));
    json!({"name": provider.label, "provider": "command", "command": command})
}

/// The variables by prompt, as a program is shown it; null where several tests with other variables have it.
pub(super) fn variables<'a>(cells: impl Iterator<Item = &'a Cell>) -> Json {
    let mut known = Map::new();
    for cell in cells {
        let vars = Json::Object(cell.vars.clone());
        let found = known.entry(shown_prompt(&cell.prompt)).or_insert_with(|| vars.clone());
        if *found != vars {
            *found = Json::Null;
        }
    }
    Json::Object(known)
}

/// A conversation is shown as JSON, unless it is one text of the user.
fn shown_prompt(prompt: &str) -> String {
    let Some(messages) = chat_messages(prompt) else { return prompt.to_owned() };
    let text = |message: &CaseMessage| message.text.clone().unwrap_or_default();
    match messages.as_slice() {
        [one] if one.role == Speaker::Known(Role::User) => text(one),
        all => {
            let shown = all.iter().map(|message| json!({"role": message.role, "content": text(message)}));
            Json::Array(shown.collect()).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_of_code_stands_there_once() {
        let mut table = ScriptTable::default();
        let inline = |source: &str| Script::inline(ScriptRole::Assertion, "python", source).to_json();
        assert_eq!([table.number(inline("a")), table.number(inline("b")), table.number(inline("a"))], [0, 1, 0]);
        assert_eq!(table.program(), ("python3", "promptfoo_code.py"));
        table.number(Script::transform(&json!("file://t.js")).unwrap().to_json());
        assert_eq!(table.program().0, "node");
        table.number(Script::inline(ScriptRole::Assertion, "javascript", SQL_SCRIPT).to_json());
        assert_eq!(table.description(), "2 pieces of Python, `t.js`, `node-sql-parser`");
        assert_eq!(table.to_json("..")["scripts"].as_array().unwrap().len(), 4);
    }

    #[test]
    fn secrets_of_a_provider_are_not_written_down() {
        let mut dropped = BTreeSet::new();
        let config = json!({"apiKey": "sk-1", "max_tokens": 5, "auth": [{"access_token": "x", "user": "u"}]});
        assert_eq!(without_secrets(&config, &mut dropped), json!({"max_tokens": 5, "auth": [{"user": "u"}]}));
        assert_eq!(dropped.into_iter().collect::<Vec<_>>(), ["`access_token`", "`apiKey`"]);
    }

    #[test]
    fn providers_that_are_code_are_told_by_their_id() {
        assert_eq!(provider_script("exec: ./run.sh --x").unwrap().source.as_deref(), Some("./run.sh --x"));
        assert_eq!(provider_script("python:a/p.py:ask").unwrap().function.as_deref(), Some("ask"));
        assert_eq!(provider_script("file://p.mjs").unwrap().language, "javascript");
        for other in ["file://p.rb", "echo", "golang:main.go", "https://example.org/p.js"] {
            assert_eq!(provider_script(other), None, "{other}");
        }
    }
}
