//! The prompts of a configuration: texts, and files of several kinds.

use serde_json::Value;

use super::{ConfigurationFiles, is_pattern};
use crate::{csv_tests, js, yaml};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The name that is shown.
    pub label: String,
    /// The name that filters may use beside it.
    pub id: String,
    /// The template.
    pub raw: String,
}

/// Letters of a prompt that its label shows.
const SHOWN: usize = 50;

/// Reads `prompts`.
pub(super) fn read(
    entries: Option<&Value>,
    files: &dyn ConfigurationFiles,
    notes: &mut Vec<String>,
) -> Result<Vec<Prompt>, String> {
    let mut prompts = Vec::new();
    match entries {
        None | Some(Value::Null) => {
            prompts.push(Prompt {
                label: "{{prompt}}".to_owned(),
                id: "{{prompt}}".to_owned(),
                raw: "{{prompt}}".to_owned(),
            });
        }
        Some(Value::Array(items)) => {
            for item in items {
                entry(item, files, notes, &mut prompts)?;
            }
        }
        Some(Value::Object(map)) => {
            for (file, label) in map {
                let label = label.as_str();
                from_text(file, label, files, notes, &mut prompts)?;
            }
        }
        Some(item) => entry(item, files, notes, &mut prompts)?,
    }
    if prompts.is_empty() {
        return Err("there are no prompts".to_owned());
    }
    Ok(prompts)
}

fn entry(
    item: &Value,
    files: &dyn ConfigurationFiles,
    notes: &mut Vec<String>,
    prompts: &mut Vec<Prompt>,
) -> Result<(), String> {
    match item {
        Value::String(text) => from_text(text, None, files, notes, prompts),
        Value::Object(map) => {
            let text = |key: &str| map.get(key).and_then(Value::as_str);
            let label = text("label");
            match (text("raw"), text("id")) {
                (Some(raw), id) => {
                    let label = label.or(id).unwrap_or(raw).to_owned();
                    let id = id.unwrap_or(&label).to_owned();
                    prompts.push(Prompt { label, id, raw: raw.to_owned() });
                    Ok(())
                }
                (None, Some(id)) => from_text(id, label, files, notes, prompts),
                (None, None) => Err("a prompt has neither `raw` nor `id`".to_owned()),
            }
        }
        _ => Err("a prompt is a text or a mapping with `raw` or `id`".to_owned()),
    }
}

/// Extensions of prompts in files.
const EXTENSIONS: [&str; 16] =
    ["cjs", "csv", "j2", "js", "json", "jsonl", "md", "mjs", "py", "rb", "sh", "ts", "txt", "yaml", "yml", "exe"];

/// Whether promptfoo takes a text for the name of a file.
fn is_file_name(text: &str) -> bool {
    if text.contains('\n') {
        return false;
    }
    let letters: Vec<char> = text.chars().rev().take(4).collect();
    let extension = text.rsplit_once('.').map_or("", |(_, extension)| extension);
    text.starts_with("file://")
        || EXTENSIONS.contains(&extension)
        || letters.get(2) == Some(&'.')
        || letters.get(3) == Some(&'.')
        || text.contains(['*', '/', '\\'])
}

fn from_text(
    text: &str,
    label: Option<&str>,
    files: &dyn ConfigurationFiles,
    notes: &mut Vec<String>,
    prompts: &mut Vec<Prompt>,
) -> Result<(), String> {
    let plain = |prompts: &mut Vec<Prompt>| {
        let label = label.unwrap_or(text).to_owned();
        prompts.push(Prompt { label, id: text.to_owned(), raw: text.to_owned() });
    };
    if text.starts_with("exec:") || text.starts_with("package:") {
        return Err(format!("the prompt {} is code, which is not run", js::quote(text)));
    }
    if !is_file_name(text) {
        plain(prompts);
        return Ok(());
    }
    let path = text.strip_prefix("file://").unwrap_or(text);
    let is_named = text.starts_with("file://");
    let found = if files.exists(path) {
        vec![path.to_owned()]
    } else if is_pattern(path) {
        // A text that only looks like a pattern is a text.
        files.glob(path).or_else(|error| if is_named { Err(error) } else { Ok(Vec::new()) })?
    } else {
        Vec::new()
    };
    if found.is_empty() {
        if is_named {
            let what = if is_pattern(path) { "no prompt file fits the pattern" } else { "there is no prompt file" };
            return Err(format!("{what} `{path}`"));
        }
        if !is_pattern(text) {
            notes.push(format!(
                "the prompt {} looks like the name of a file to promptfoo, which stops; here it is taken as text",
                js::quote(text)
            ));
        }
        plain(prompts);
        return Ok(());
    }
    for path in found {
        from_file(&path, label, files, prompts)?;
    }
    Ok(())
}

fn from_file(
    path: &str,
    label: Option<&str>,
    files: &dyn ConfigurationFiles,
    prompts: &mut Vec<Prompt>,
) -> Result<(), String> {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    if matches!(extension, "js" | "cjs" | "mjs" | "ts" | "py" | "rb" | "sh" | "exe") {
        return Err(format!("the prompt `{path}` is code, which is not run"));
    }
    let text = files.read(path)?;
    let wrong = |reason: String| format!("`{path}`: {reason}");
    let mut add = |raw: String, default: String| {
        let label = label.map_or(default, str::to_owned);
        prompts.push(Prompt { id: label.clone(), label, raw });
    };
    match extension {
        "md" | "j2" => {
            let start: String = text.chars().take(SHOWN).collect();
            add(text, format!("{path}: {start}..."));
        }
        "json" | "yaml" | "yml" => {
            let value = if extension == "json" {
                js::parse_json(&text).map_err(|_| wrong("it is not JSON".to_owned()))?
            } else {
                yaml::parse(&text).map_err(wrong)?
            };
            let raw = js::json(&value, 0);
            add(raw.clone(), format!("{path}: {raw}"));
        }
        "jsonl" => {
            let several = text.lines().filter(|line| !js::trim(line).is_empty());
            for line in several {
                let shown = format!("{path}: {line}");
                match label {
                    Some(label) => prompts.push(Prompt {
                        label: format!("{label}: {line}"),
                        id: label.to_owned(),
                        raw: line.to_owned(),
                    }),
                    None => prompts.push(Prompt { label: shown.clone(), id: shown, raw: line.to_owned() }),
                }
            }
        }
        "csv" if text.contains(',') => {
            let rows = csv_tests::read(&text, ',').map_err(wrong)?;
            for row in rows.tests {
                let field = |key: &str| row.pointer(&format!("/vars/{key}")).and_then(Value::as_str);
                let raw = field("prompt").ok_or_else(|| wrong("it has no column `prompt`".to_owned()))?;
                add(raw.to_owned(), field("label").unwrap_or(raw).to_owned());
            }
        }
        "csv" => {
            for line in text.lines().filter(|line| !js::trim(line).is_empty() && *line != "prompt") {
                add(line.to_owned(), line.to_owned());
            }
        }
        _ => {
            let lines: Vec<&str> = text.split('\n').collect();
            for part in lines.split(|line| js::trim(line) == "---") {
                let raw = js::trim(&part.join("\n")).to_owned();
                if !raw.is_empty() {
                    let shown = format!("{path}: {raw}");
                    let label = label.map_or_else(|| shown.clone(), |label| format!("{label}: {shown}"));
                    prompts.push(Prompt { id: label.clone(), label, raw });
                }
            }
        }
    }
    Ok(())
}
