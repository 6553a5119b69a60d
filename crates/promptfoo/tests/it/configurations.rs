//! Whole configurations: outputs, passes, scores, named scores.

use std::path::{Path, PathBuf};
use std::{env, fs};

use probare_promptfoo::configuration::{Cell, CellAnswer, Configuration, ConfigurationFiles};
use probare_promptfoo::{Answer, Grade, GradeError, grade, js, max_score};
use probare_testing::{close, same};
use serde_json::{Value, json};

use crate::schemas::Schemas;

struct Folder(PathBuf);

impl ConfigurationFiles for Folder {
    fn read(&self, path: &str) -> Result<String, String> {
        fs::read_to_string(self.0.join(path)).map_err(|error| format!("`{path}`: {error}"))
    }

    fn exists(&self, path: &str) -> bool {
        self.0.join(path).is_file()
    }

    fn glob(&self, pattern: &str) -> Result<Vec<String>, String> {
        let (folder, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        let (start, end) = name.split_once('*').unwrap_or((name, ""));
        let entries = fs::read_dir(self.0.join(folder)).map_err(|error| error.to_string())?;
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        let mut found: Vec<String> = names
            .filter(|name| name.starts_with(start) && name.ends_with(end))
            .map(|name| if folder.is_empty() { name } else { format!("{folder}/{name}") })
            .collect();
        found.sort();
        Ok(found)
    }
}

/// What became of a cell.
enum Outcome {
    Graded(Grade),
    Error,
    NotRun,
}

fn outcome(cell: &Cell, others: &[&Cell]) -> Outcome {
    let graded = |cell: &Cell| match &cell.answer {
        CellAnswer::Known(output) => {
            let response = json!({"cost": 0});
            let answer = Answer { response: response.as_object(), ..Answer::new(output, &Schemas) };
            grade(&cell.assertions, cell.threshold, &answer).map_err(Some)
        }
        CellAnswer::Error(reason) => Err(Some(GradeError::Error(reason.clone()))),
        _ => Err(None),
    };
    let across = cell.assertions.iter().find(|entry| entry["type"] == "max-score");
    let result = match across {
        None => graded(cell),
        Some(across) => {
            let mut grades: Vec<Grade> = others.iter().filter_map(|cell| graded(cell).ok()).collect();
            max_score(across.get("value"), &mut grades).unwrap();
            let at = others.iter().position(|other| other.column == cell.column).unwrap();
            Ok(grades.swap_remove(at))
        }
    };
    match result {
        Ok(grade) if !grade.not_run.is_empty() => Outcome::NotRun,
        Ok(grade) => Outcome::Graded(grade),
        Err(Some(_)) => Outcome::Error,
        Err(None) => Outcome::NotRun,
    }
}

/// Whether a cell has the result; false where it is not run here.
fn agrees(cell: &Cell, others: &[&Cell], result: &Value) -> Result<bool, String> {
    let grade = match (outcome(cell, others), result.get("error").filter(|error| !error.is_null())) {
        (Outcome::Error, Some(_)) => return Ok(true),
        (Outcome::NotRun, _) => return Ok(false),
        (Outcome::Graded(grade), None) => grade,
        _ => return Err("one is an error".to_owned()),
    };
    if let CellAnswer::Known(output) = &cell.answer
        && !js::deep_equal(output, &result["output"])
    {
        return Err(format!("the output is {output}"));
    }
    same("pass", &result["pass"], &Value::from(grade.pass))?;
    close("score", result["score"].as_f64().unwrap_or(f64::NAN), grade.score, 1e-12)?;
    for named in &grade.named {
        let expected = result["namedScores"][&named.name].as_f64().unwrap_or(f64::NAN);
        close(&named.name, expected, named.score, 1e-12)?;
    }
    Ok(true)
}

/// Compares one configuration; how many cells were compared and how many were not run here.
fn compare(folder: &Path) -> Result<(usize, usize), String> {
    let files = Folder(folder.to_owned());
    let expected: Value = serde_json::from_str(&files.read("expected.json")?).map_err(|error| error.to_string())?;
    let configuration = Configuration::read(&files.read("promptfooconfig.yaml")?, &files)?;
    let columns = configuration.columns();
    let label = |column: usize| {
        let column = columns[column];
        (configuration.providers[column.provider].label.as_str(), configuration.prompts[column.prompt].label.as_str())
    };
    let cells = configuration.cells(&files)?;
    let results = expected["results"].as_array().ok_or("no results")?;
    same("cells", &results.len(), &cells.len())?;
    let mut not_run = 0;
    // Tests of a pattern of files come in no order that the original defines, so numbers of tests are not compared.
    let mut left: Vec<&Cell> = cells.iter().collect();
    for result in results {
        let names = (result["provider"].as_str().unwrap_or_default(), result["prompt"].as_str().unwrap_or_default());
        let verdicts: Vec<Result<bool, String>> = left
            .iter()
            .map(|cell| {
                if label(cell.column) != names {
                    return Err(String::new());
                }
                let others: Vec<&Cell> = cells.iter().filter(|other| other.test == cell.test).collect();
                agrees(cell, &others, result)
            })
            .collect();
        let at = verdicts.iter().position(|verdict| *verdict == Ok(true));
        let at = at.or_else(|| verdicts.iter().position(|verdict| *verdict == Ok(false)));
        let Some(at) = at else {
            let reasons: Vec<String> =
                verdicts.into_iter().filter_map(Result::err).filter(|why| !why.is_empty()).collect();
            return Err(format!("no cell of {names:?} agrees with {result}: {reasons:?}"));
        };
        not_run += usize::from(verdicts[at] == Ok(false));
        left.remove(at);
    }
    Ok((results.len(), not_run))
}

#[test]
fn golden_configurations() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let other = env::var_os("PROBARE_GOLDEN_DIR").map(PathBuf::from);
    let folder = other.clone().unwrap_or(own).join("promptfoo/configs");
    if other.is_some() && !folder.is_dir() {
        eprintln!("golden promptfoo/configs: skipped, `{}` is not there", folder.display());
        return;
    }
    // Of `columns`, one test has an assertion in JavaScript.
    let known_not_run = [("columns", 1)];
    let mut names: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for path in names {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (cells, not_run) = compare(&path).unwrap_or_else(|reason| panic!("{name}: {reason}"));
        eprintln!("{name}: {cells} cells, {not_run} not run here");
        let allowed = known_not_run.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count);
        assert_eq!(not_run, allowed, "{name}");
    }
}
