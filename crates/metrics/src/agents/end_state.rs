//! Whether the state that an agent leaves behind (files, rows of a database, JSON) is the one that its case expects.
//!
//! What a case expects is a list of [`StateCondition`]s in `expected_state`; what a run found for each of them stands in `state`,
//! in the same order. The run looks, and this metric decides: so it is computed again from the case alone.

use probare_core::{Evidence, Metric, Outcome, STATE, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::bounded_evidence::BoundedEvidence;

/// The key in the metadata of a case for the state that it expects.
pub const EXPECTED_STATE: &str = "expected_state";

/// Options of `end_state`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EndState {
    /// Give the share of the conditions that hold; 1 or 0 for all of them if absent.
    pub share: bool,
}

metric!(EndState as Pure {
    summary: "Whether the state after an agent's run is the expected one: files, rows, JSON",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    per_turn: false,
    since: "0.4",
    version: 1,
    page: "end_state.md",
});

/// One thing that is expected of the state.
#[derive(Debug, Clone, PartialEq)]
pub enum StateCondition {
    /// Rows of a table.
    Table(TableCondition),
    /// A file.
    File(FileCondition),
    /// Whether everything else is as it was in the seed.
    Unchanged,
}

/// What is expected of the rows of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableCondition {
    /// The table.
    pub table: String,
    /// The file of the database, where the state is a folder.
    #[serde(default, rename = "in", skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Which rows: those whose columns have these values.
    #[serde(default, rename = "where", skip_serializing_if = "Map::is_empty")]
    pub filter: Map<String, Json>,
    /// The rows that are expected, in any order, with the columns that matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<Map<String, Json>>>,
    /// How many rows are expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

/// What is expected of a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileCondition {
    /// Its name in the folder of the state.
    pub file: String,
    /// Whether it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
    /// Its whole text, but for white space at both ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A text that it contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contains: Option<String>,
    /// Its content as JSON, or the value at `at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<Json>,
    /// JSON Pointer to the value that `json` is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// What was found for a condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StateFinding {
    /// The rows, with the columns that matter; of many the first ones.
    Rows {
        /// How many there are.
        count: u64,
        /// The rows.
        rows: Vec<Map<String, Json>>,
    },
    /// The text of a file.
    Text(String),
    /// The JSON of a file, or a value in it.
    Json(Json),
    /// It is not there, or cannot be read as what is expected.
    Absent(String),
    /// What is different from the seed, beside what other conditions are about.
    Changes(Vec<String>),
}

/// What a case expects of its state; nothing where it expects nothing. An error says what is wrong with it.
pub fn state_conditions(metadata: &Map<String, Json>) -> Result<Option<Vec<StateCondition>>, String> {
    let Some(given) = metadata.get(EXPECTED_STATE).filter(|given| !given.is_null()) else { return Ok(None) };
    let list = match given {
        Json::Array(list) => list.clone(),
        one => vec![one.clone()],
    };
    let mut conditions = Vec::with_capacity(list.len());
    for (number, entry) in list.into_iter().enumerate() {
        let wrong = |reason: &str| format!("`{EXPECTED_STATE}`, condition {}: {reason}", number + 1);
        let keys = |has: &str| entry.get(has).is_some();
        let read = |reason: serde_json::Error| wrong(&reason.to_string());
        conditions.push(if keys("table") {
            let table: TableCondition = serde_json::from_value(entry).map_err(read)?;
            if table.rows.is_none() && table.count.is_none() {
                return Err(wrong("a table needs `rows` or `count`"));
            }
            StateCondition::Table(table)
        } else if keys("file") {
            let file: FileCondition = serde_json::from_value(entry).map_err(read)?;
            if file == (FileCondition { file: file.file.clone(), at: file.at.clone(), ..FileCondition::default() }) {
                return Err(wrong("a file needs `exists`, `text`, `contains` or `json`"));
            }
            if file.json.is_some() && (file.text.is_some() || file.contains.is_some()) {
                return Err(wrong("a file is read as text or as JSON; make two conditions of it"));
            }
            if file.at.is_some() && file.json.is_none() {
                return Err(wrong("`at` goes with `json`"));
            }
            StateCondition::File(file)
        } else if entry.get("unchanged") == Some(&Json::Bool(true)) {
            StateCondition::Unchanged
        } else {
            return Err(wrong("it is about a `table`, a `file`, or says `unchanged: true`"));
        });
    }
    Ok(Some(conditions))
}

impl StateCondition {
    /// Why what was found is not what is expected; nothing where it is.
    pub fn mismatch(&self, found: &StateFinding) -> Option<String> {
        match (self, found) {
            (_, StateFinding::Absent(reason)) => match self {
                Self::File(FileCondition { exists: Some(false), .. }) => None,
                _ => Some(reason.clone()),
            },
            (Self::Table(table), StateFinding::Rows { count, rows }) => table.mismatch(*count, rows),
            (Self::File(file), StateFinding::Text(text)) => file.text_mismatch(text),
            (Self::File(file), StateFinding::Json(value)) => {
                let expected = file.json.as_ref()?;
                (!is_same(expected, value)).then(|| format!("it is {value}, not {expected}"))
            }
            (Self::Unchanged, StateFinding::Changes(changes)) => {
                (!changes.is_empty()).then(|| format!("changed: {}", changes.join("; ")))
            }
            _ => Some("what was found is of another kind".to_owned()),
        }
    }

    /// What it is about, in words.
    pub fn subject(&self) -> String {
        match self {
            Self::Table(TableCondition { table, filter, .. }) if filter.is_empty() => format!("table `{table}`"),
            Self::Table(TableCondition { table, filter, .. }) => {
                format!("table `{table}` where {}", Json::Object(filter.clone()))
            }
            Self::File(FileCondition { file, at: Some(at), .. }) => format!("`{file}` at `{at}`"),
            Self::File(FileCondition { file, .. }) => format!("`{file}`"),
            Self::Unchanged => "everything else".to_owned(),
        }
    }
}

impl TableCondition {
    fn mismatch(&self, count: u64, rows: &[Map<String, Json>]) -> Option<String> {
        let found = if count == 1 { "1 row".to_owned() } else { format!("{count} rows") };
        if let Some(expected) = self.count.filter(|expected| *expected != count) {
            return Some(format!("{found}, not {expected}"));
        }
        let expected = self.rows.as_ref()?;
        let mut left: Vec<&Map<String, Json>> = rows.iter().collect();
        let mut missing = Vec::new();
        for row in expected {
            let is_row = |found: &&Map<String, Json>| {
                row.iter().all(|(column, value)| found.get(column).is_some_and(|found| is_same(value, found)))
            };
            match left.iter().position(is_row) {
                Some(at) => {
                    left.remove(at);
                }
                None => missing.push(Json::Object(row.clone()).to_string()),
            }
        }
        let shown = |rows: &[&Map<String, Json>]| {
            let texts: Vec<String> = rows.iter().take(3).map(|row| Json::Object((*row).clone()).to_string()).collect();
            texts.join(", ")
        };
        match (missing.is_empty(), left.is_empty()) {
            (true, true) if count == expected.len() as u64 => None,
            (true, _) => Some(format!("{found}, not {}; not expected: {}", expected.len(), shown(&left))),
            (false, true) => Some(format!("missing: {}", missing.join(", "))),
            (false, false) => Some(format!("missing: {}; in place of it: {}", missing.join(", "), shown(&left))),
        }
    }
}

impl FileCondition {
    fn text_mismatch(&self, found: &str) -> Option<String> {
        if self.exists == Some(false) {
            return Some("it is there".to_owned());
        }
        if let Some(text) = self.text.as_ref().filter(|text| text.trim() != found.trim()) {
            return Some(format!("it says {found:?}, not {text:?}"));
        }
        let contains = self.contains.as_ref().filter(|text| !found.contains(text.as_str()))?;
        Some(format!("it does not contain {contains:?}"))
    }
}

/// Equality of values, where 1 and 1.0 are the same number.
fn is_same(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| is_same(value, other)))
        }
        _ => one == other,
    }
}

impl Metric for EndState {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let failed = |reason: String| ScoreError::other(probare_core::ErrorKind::Failed, reason);
        let metadata = &sample.case.metadata;
        let Some(conditions) = state_conditions(metadata).map_err(failed)? else {
            return Ok(Outcome::not_applicable("the case has no `expected_state`"));
        };
        let Some(state) = metadata.get(STATE) else {
            return Ok(Outcome::not_applicable("the case has no `state`: no agent of a run left one behind"));
        };
        let found: Vec<StateFinding> = serde_json::from_value(state.clone())
            .map_err(|error| failed(format!("`{STATE}` is not what a run finds: {error}")))?;
        if found.len() != conditions.len() {
            let reason = format!("`{STATE}` has {} findings for {} conditions", found.len(), conditions.len());
            return Err(failed(reason));
        }
        let mut evidence = BoundedEvidence::default();
        let mut met = 0;
        for (condition, found) in conditions.iter().zip(&found) {
            let subject = condition.subject();
            if let Some(reason) = condition.mismatch(found) {
                evidence.push(|| Evidence::note(format!("{subject} is not as expected: {reason}")));
            } else {
                met += 1;
                evidence.push(|| Evidence::note(format!("{subject} is as expected")));
            }
        }
        let value = match (self.share, conditions.len()) {
            (_, 0) => return Ok(Outcome::not_applicable("`expected_state` is an empty list")),
            (true, all) => met as f64 / all as f64,
            (false, all) => f64::from(u8::from(met == all)),
        };
        let score = Score::from_number(value)?
            .with_part("conditions", conditions.len() as f64)?
            .with_part("held", met as f64)?;
        Ok(score.because(evidence.finish()).into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn mismatch(condition: Json, found: Json) -> Option<String> {
        let metadata = Map::from_iter([(EXPECTED_STATE.to_owned(), condition)]);
        let conditions = state_conditions(&metadata).unwrap().unwrap();
        conditions[0].mismatch(&serde_json::from_value(found).unwrap())
    }

    #[test]
    fn rows_are_compared_in_any_order_by_the_columns_that_matter() {
        let expected = json!({"table": "orders", "rows": [{"id": 1, "paid": 2}, {"id": 2}]});
        let rows = json!({"rows": {"count": 2, "rows": [{"id": 2, "paid": 9}, {"id": 1, "paid": 2.0}]}});
        assert_eq!(mismatch(expected.clone(), rows), None);
        let other = json!({"rows": {"count": 2, "rows": [{"id": 2, "paid": 9}, {"id": 1, "paid": 3}]}});
        assert_eq!(
            mismatch(expected, other).unwrap(),
            r#"missing: {"id":1,"paid":2}; in place of it: {"id":1,"paid":3}"#
        );
        let count = json!({"table": "orders", "count": 0});
        assert_eq!(mismatch(count, json!({"rows": {"count": 1, "rows": []}})).unwrap(), "1 row, not 0");
        let none = json!({"table": "orders", "rows": []});
        assert!(mismatch(none, json!({"rows": {"count": 1, "rows": [{}]}})).is_some());
    }

    #[test]
    fn files_are_compared_by_what_is_said_about_them() {
        let absent = json!({"absent": "it is not there"});
        assert_eq!(mismatch(json!({"file": "a", "exists": false}), absent.clone()), None);
        assert_eq!(mismatch(json!({"file": "a", "text": "x"}), absent).unwrap(), "it is not there");
        assert_eq!(mismatch(json!({"file": "a", "text": "x"}), json!({"text": "x\n"})), None);
        assert!(mismatch(json!({"file": "a", "exists": false}), json!({"text": "x"})).is_some());
        assert!(mismatch(json!({"file": "a", "contains": "y"}), json!({"text": "x"})).is_some());
        assert_eq!(mismatch(json!({"file": "a", "json": [1]}), json!({"json": [1.0]})), None);
        assert!(mismatch(json!({"unchanged": true}), json!({"changes": ["orders: +1"]})).is_some());
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_its_place() {
        for (given, part) in [
            (json!([{"unchanged": true}, {"tabel": "x"}]), "condition 2: it is about a `table`"),
            (json!({"table": "x"}), "condition 1: a table needs `rows` or `count`"),
            (json!({"file": "x"}), "a file needs"),
            (json!({"file": "x", "txet": "y"}), "txet"),
        ] {
            let error = state_conditions(&Map::from_iter([(EXPECTED_STATE.to_owned(), given)])).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
