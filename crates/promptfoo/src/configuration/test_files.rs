//! Tests of a configuration, inline and in files.

use serde_json::{Map, Value};

use super::{ConfigurationFiles, named_files};
use crate::{csv_tests, js, yaml};

pub(super) struct TestLoader<'a> {
    pub(super) files: &'a dyn ConfigurationFiles,
    /// What stands between the columns of tables.
    pub(super) delimiter: char,
    pub(super) notes: &'a mut Vec<String>,
    pub(super) not_run: &'a mut Vec<String>,
}

impl TestLoader<'_> {
    /// The tests of a list of tests and names of files, or of one name.
    pub(super) fn tests(&mut self, entries: Option<&Value>) -> Result<Vec<Value>, String> {
        let mut tests = Vec::new();
        match entries {
            None | Some(Value::Null) => {}
            Some(Value::Array(items)) => {
                for item in items {
                    tests.extend(self.entry(item)?);
                }
            }
            Some(item) => tests.extend(self.entry(item)?),
        }
        tests.iter().map(|test| self.with_variables(test)).collect()
    }

    fn entry(&mut self, item: &Value) -> Result<Vec<Value>, String> {
        match item {
            Value::String(name) => self.file(name),
            Value::Object(map) if map.get("path").is_some_and(Value::is_string) && !map.contains_key("assert") => {
                self.file(map["path"].as_str().unwrap_or_default())
            }
            Value::Object(_) => Ok(vec![item.clone()]),
            _ => Err("a test is a mapping, or the name of a file".to_owned()),
        }
    }

    fn file(&mut self, name: &str) -> Result<Vec<Value>, String> {
        let path = name.strip_prefix("file://").unwrap_or(name);
        if path.contains("://") {
            self.not_run.push(format!("the tests at `{path}` are elsewhere, and no address is contacted"));
            return Ok(Vec::new());
        }
        let found = named_files(path, self.files)?;
        if found.is_empty() {
            return Err(format!("no file of tests fits `{path}`"));
        }
        let mut tests = Vec::new();
        for path in found {
            tests.extend(self.read(&path)?);
        }
        Ok(tests)
    }

    fn read(&mut self, path: &str) -> Result<Vec<Value>, String> {
        let wrong = |reason: String| format!("`{path}`: {reason}");
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        if matches!(extension, "js" | "cjs" | "mjs" | "ts" | "py") || path.contains(".py:") {
            self.not_run.push(format!("the tests of `{path}` are made by code, which is not run"));
            return Ok(Vec::new());
        }
        if matches!(extension, "xlsx" | "xls") {
            return Err(wrong("tables of a spreadsheet are not read: save it as CSV".to_owned()));
        }
        let text = self.files.read(path)?;
        let list = |value: Value| match value {
            Value::Array(tests) => tests,
            other => vec![other],
        };
        match extension {
            "csv" => {
                let read = csv_tests::read(&text, self.delimiter).map_err(wrong)?;
                self.notes.extend(read.warnings.into_iter().map(|warning| format!("`{path}`: {warning}")));
                Ok(read.tests)
            }
            "jsonl" => {
                let mut tests = Vec::new();
                for (number, line) in text.lines().enumerate().filter(|(_, line)| !js::trim(line).is_empty()) {
                    let test = js::parse_json(line).map_err(|_| wrong(format!("line {} is not JSON", number + 1)))?;
                    tests.push(with_number(test, tests.len()));
                }
                Ok(tests)
            }
            "json" => {
                let value = js::parse_json(&text).map_err(|_| wrong("it is not JSON".to_owned()))?;
                Ok(list(value))
            }
            _ => Ok(list(yaml::parse(&text).map_err(wrong)?)),
        }
    }

    pub(super) fn scenarios(&mut self, entries: Option<&Value>) -> Result<Vec<Value>, String> {
        let mut scenarios = Vec::new();
        for entry in entries.and_then(Value::as_array).into_iter().flatten() {
            match entry {
                Value::String(file) => {
                    let file = file.strip_prefix("file://").unwrap_or(file);
                    match yaml::parse(&self.files.read(file)?).map_err(|reason| format!("`{file}`: {reason}"))? {
                        Value::Array(inner) => scenarios.extend(inner),
                        other => scenarios.push(other),
                    }
                }
                other => scenarios.push(other.clone()),
            }
        }
        for scenario in &mut scenarios {
            if !scenario.is_object() {
                return Err("a scenario is a mapping with `config` and `tests`".to_owned());
            }
            for key in ["config", "tests"] {
                let entries = self.tests(scenario.get(key))?;
                scenario[key] = Value::Array(entries);
            }
        }
        Ok(scenarios)
    }

    /// A test whose variables stand in files.
    pub(super) fn with_variables(&mut self, test: &Value) -> Result<Value, String> {
        let mut test = test.clone();
        let names: Vec<String> = match test.get("vars") {
            Some(Value::String(name)) => vec![name.clone()],
            Some(Value::Array(names)) => names.iter().map(js::text).collect(),
            _ => return Ok(test),
        };
        let mut vars = Map::new();
        for name in names {
            let found: Vec<String> =
                named_files(&name, self.files)?.into_iter().filter(|path| self.files.exists(path)).collect();
            if found.is_empty() {
                // promptfoo takes `file://` for a part of the name here.
                self.notes.push(format!(
                    "no file of variables is named {}: none are read, as in promptfoo",
                    js::quote(&name)
                ));
            }
            for path in found {
                let read = yaml::parse(&self.files.read(&path)?).map_err(|reason| format!("`{path}`: {reason}"))?;
                vars.extend(read.as_object().cloned().unwrap_or_default());
            }
        }
        test["vars"] = Value::Object(vars);
        Ok(test)
    }
}

/// A test of JSON lines has a number where it has no description.
fn with_number(mut test: Value, index: usize) -> Value {
    if let Value::Object(map) = &mut test
        && !map.contains_key("description")
    {
        map.insert("description".to_owned(), Value::from(format!("Row #{}", index + 1)));
    }
    test
}
