//! The table that a configuration describes: for each test, each column that takes part.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Configuration, ConfigurationFiles, assertions, filter_names, is_pattern, named_files};
use crate::expansion::expand_variables;
use crate::template::{Globals, TemplateError, prepare_variables, render_prompt};
use crate::{Script, csv_tests, js, yaml};

/// One provider with one prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Index of the provider.
    pub provider: usize,
    /// Index of the prompt.
    pub prompt: usize,
}

/// Who answers a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum CellAnswer {
    /// The answer is known: the prompt itself, or what the test gives.
    Known(Value),
    /// The provider is asked.
    Asked,
    /// Nobody can be asked; why.
    NotRun(String),
    /// The original throws; why.
    Error(String),
}

/// One run.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Number of the test, after repeats and variables were expanded.
    pub test: usize,
    /// Index of the column.
    pub column: usize,
    /// Which repetition.
    pub repeat: u32,
    /// Of the test.
    pub description: Option<String>,
    /// The variables, loaded and replaced.
    pub vars: Map<String, Value>,
    /// What is asked.
    pub prompt: String,
    /// Who answers.
    pub answer: CellAnswer,
    /// Code that makes another output of the answer before it is judged: the provider's, then the test's.
    pub transforms: Vec<Script>,
    /// The assertions, their texts rendered.
    pub assertions: Vec<Value>,
    /// Names that prompt and assertions were to print and that have no value.
    pub undefined: BTreeSet<String>,
    /// Of the test.
    pub threshold: Option<f64>,
    /// Of the test.
    pub metadata: Map<String, Value>,
    /// What the options of the test say about whoever judges: `provider`, `rubricPrompt`, `factuality`.
    pub judging: Map<String, Value>,
}

/// Options of a test about whoever judges.
const JUDGING: [&str; 3] = ["provider", "rubricPrompt", "factuality"];

/// Cells of the largest table.
const MOST_CELLS: usize = 1_000_000;

fn list(value: Option<&Value>) -> Option<Vec<String>> {
    match value? {
        Value::Array(items) => Some(items.iter().map(js::text).collect()),
        Value::Null => None,
        other => Some(vec![js::text(other)]),
    }
}

impl Configuration {
    /// The columns, in order.
    pub fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for (provider, entry) in self.providers.iter().enumerate() {
            for (prompt, candidate) in self.prompts.iter().enumerate() {
                let is_allowed =
                    entry.prompts.as_ref().is_none_or(|filter| filter_names(filter, [&candidate.label, &candidate.id]));
                if is_allowed {
                    columns.push(Column { provider, prompt });
                }
            }
        }
        columns
    }

    /// Every cell, test by test; the reason where promptfoo would stop.
    pub fn cells(&self, files: &dyn ConfigurationFiles) -> Result<Vec<Cell>, String> {
        let columns = self.columns();
        let (mut cells, mut number) = (Vec::new(), 0);
        for test in &self.tests {
            let options = test.get("options");
            let repeat = options.and_then(|options| options.get("repeat")).and_then(Value::as_u64);
            let repeat = repeat.and_then(|repeat| u32::try_from(repeat).ok()).unwrap_or(self.repeat);
            let test = with_globs(test, files)?;
            for repeat in 0..repeat {
                for vars in expand_variables(&test)? {
                    for (index, column) in
                        columns.iter().enumerate().filter(|(_, column)| self.takes_part(&test, **column))
                    {
                        if cells.len() >= MOST_CELLS {
                            return Err(format!("the configuration describes more than {MOST_CELLS} runs"));
                        }
                        let mut cell = self.cell(&test, *column, repeat, &vars, files)?;
                        (cell.test, cell.column) = (number, index);
                        cells.push(cell);
                    }
                    number += 1;
                }
            }
        }
        Ok(cells)
    }

    fn takes_part(&self, test: &Value, column: Column) -> bool {
        let (prompt, provider) = (&self.prompts[column.prompt], &self.providers[column.provider]);
        let allows =
            |key: &str, names: [&str; 2]| list(test.get(key)).is_none_or(|filter| filter_names(&filter, names));
        allows("prompts", [&prompt.label, &prompt.id]) && allows("providers", [&provider.label, &provider.id])
    }

    fn cell(
        &self,
        test: &Value,
        column: Column,
        repeat: u32,
        vars: &Map<String, Value>,
        files: &dyn ConfigurationFiles,
    ) -> Result<Cell, String> {
        let vars = prepare_variables(&loaded(vars, files)?);
        let globals = Globals { env: self.env.clone(), repeat, ..Globals::default() };
        let option = |key: &str| test.get("options").and_then(|options| options.get(key));
        let around = |key: &str| option(key).map_or_else(String::new, js::text);
        let template = format!("{}{}{}", around("prefix"), self.prompts[column.prompt].raw, around("suffix"));
        let (prompt, fault) = match render_prompt(&template, &vars, &globals) {
            Ok(prompt) => (prompt, None),
            Err(TemplateError { reason, is_limit }) => (String::new(), Some((reason, is_limit))),
        };
        let given = test.get("providerOutput").filter(|output| js::is_truthy(output));
        if given.is_some() {
            // Nobody sees the prompt.
            globals.undefined.borrow_mut().clear();
        }
        let (transforms, obstacle) = match self.transforms(test, column) {
            Ok(transforms) => (transforms, code_obstacle(test)),
            Err(reason) => (Vec::new(), Some(reason)),
        };
        let answer = match (obstacle, given, fault) {
            (Some(reason), ..) => CellAnswer::NotRun(reason),
            (None, Some(output), _) => CellAnswer::Known(output.clone()),
            (None, None, Some((reason, true))) => {
                CellAnswer::NotRun(format!("the prompt cannot be rendered: {reason}"))
            }
            (None, None, Some((reason, false))) => {
                CellAnswer::Error(format!("the prompt cannot be rendered: {reason}"))
            }
            (None, None, None) => self.answer(test, column, &prompt),
        };
        let entries = test.get("assert").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        Ok(Cell {
            test: 0,
            column: 0,
            repeat,
            description: test.get("description").and_then(Value::as_str).map(str::to_owned),
            transforms,
            assertions: assertions::prepare(entries, &vars, &globals, files),
            undefined: globals.undefined.take(),
            vars,
            prompt,
            answer,
            threshold: test.get("threshold").and_then(Value::as_f64),
            metadata: test.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default(),
            judging: (JUDGING.iter())
                .filter_map(|key| {
                    option(key).filter(|value| !value.is_null()).map(|value| ((*key).to_owned(), value.clone()))
                })
                .collect(),
        })
    }

    /// What is done to an answer before it is judged; the reason where that is not known here.
    fn transforms(&self, test: &Value, column: Column) -> Result<Vec<Script>, String> {
        let option =
            |key: &str| test.get("options").and_then(|options| options.get(key)).filter(|value| js::is_truthy(value));
        let own = option("transform").or_else(|| option("postprocess"));
        let provider = &self.providers[column.provider];
        let label = &provider.label;
        [
            (provider.transform.as_ref(), format!("`transform` of the provider `{label}`")),
            (own, "`transform` of the test".to_owned()),
        ]
        .into_iter()
        .filter_map(|(value, whose)| Some((value?, whose)))
        .map(|(value, whose)| {
            Script::transform(value).ok_or_else(|| format!("{whose} is code in a language that is not run here"))
        })
        .collect()
    }

    fn answer(&self, test: &Value, column: Column, prompt: &str) -> CellAnswer {
        let own = test.get("provider").filter(|own| !own.is_null());
        let id = own.map(|own| own.as_str().or_else(|| own.get("id").and_then(Value::as_str)).unwrap_or_default());
        match id.unwrap_or(&self.providers[column.provider].id) {
            "echo" => CellAnswer::Known(Value::from(prompt)),
            _ if own.is_some() => CellAnswer::NotRun("the test names a provider of its own".to_owned()),
            _ => CellAnswer::Asked,
        }
    }
}

/// What the options of a test ask for and is not done here.
fn code_obstacle(test: &Value) -> Option<String> {
    let has = |value: Option<&Value>| value.is_some_and(|value| !value.is_null());
    let option = |key: &&str| has(test.get("options").and_then(|options| options.get(*key)));
    if let Some(key) = ["transformVars", "storeOutputAs"].into_iter().find(|key| option(key)) {
        return Some(format!("the option `{key}` of the test is not done here"));
    }
    let is_scored = has(test.get("assertScoringFunction"));
    is_scored.then(|| "`assertScoringFunction` of the test is code, which is not run".to_owned())
}

/// A test whose variables name files by a pattern: a list of them.
fn with_globs(test: &Value, files: &dyn ConfigurationFiles) -> Result<Value, String> {
    let mut test = test.clone();
    if let Some(Value::Object(vars)) = test.get_mut("vars") {
        for (name, value) in vars {
            let pattern = value.as_str().and_then(|text| text.strip_prefix("file://"));
            let Some(pattern) = pattern.filter(|pattern| is_pattern(pattern)).map(str::to_owned) else {
                continue;
            };
            let found = named_files(&pattern, files)?;
            if found.is_empty() {
                return Err(format!("the variable `{name}` names files `{pattern}`, and there are none"));
            }
            *value = Value::Array(found.into_iter().map(|path| Value::from(format!("file://{path}"))).collect());
        }
    }
    Ok(test)
}

/// Variables with the files that they name.
fn loaded(vars: &Map<String, Value>, files: &dyn ConfigurationFiles) -> Result<Map<String, Value>, String> {
    let mut loaded = vars.clone();
    for (name, value) in &mut loaded {
        let Some(path) = value.as_str().and_then(|text| text.strip_prefix("file://")) else { continue };
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let wrong = |reason: String| format!("the variable `{name}`: `{path}`: {reason}");
        *value = match extension {
            "js" | "cjs" | "mjs" | "ts" | "py" | "rb" => {
                return Err(wrong("code of a configuration is not run".to_owned()));
            }
            "png" | "jpg" | "jpeg" | "gif" | "webp" | "pdf" | "mp3" | "wav" | "mp4" => {
                return Err(wrong("files that are not text cannot be put into a prompt here".to_owned()));
            }
            "yaml" | "yml" => Value::from(js::json(&yaml::parse(&files.read(path)?).map_err(wrong)?, 0)),
            "csv" => {
                let rows = csv_tests::read(&files.read(path)?, ',').map_err(wrong)?;
                Value::Array(rows.tests.iter().filter_map(|row| row.get("vars").cloned()).collect())
            }
            _ => Value::from(js::trim(&files.read(path)?)),
        };
    }
    Ok(loaded)
}
