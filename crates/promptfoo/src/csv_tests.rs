//! Tests in a CSV file: variables, and columns such as `__expected`.

use serde_json::{Map, Value, json};

use crate::assertion::{TypeSupport, type_support};
use crate::js;
use crate::text::split_list;

/// Threshold of types that take one, where the cell gives none.
const DEFAULT_THRESHOLD: f64 = 0.75;

/// Threshold of `similar`, where the cell gives none.
const SIMILAR_THRESHOLD: f64 = 0.8;

/// What the tests of a file are, and what its reader should know.
#[derive(Debug, Default)]
pub struct CsvTests {
    /// The tests, in the form of a configuration.
    pub tests: Vec<Value>,
    /// Columns that mean nothing.
    pub warnings: Vec<String>,
}

/// Reads a file of tests; the reason where promptfoo would stop.
pub fn read(text: &str, delimiter: char) -> Result<CsvTests, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let records = records(text, delimiter, false).or_else(|_| records(text, delimiter, true))?;
    let Some((header, rows)) = records.split_first() else {
        return Ok(CsvTests { tests: vec![json!({})], warnings: Vec::new() });
    };
    let header: Vec<&str> = header.iter().map(|name| js::trim(name)).collect();
    let mut tests = CsvTests::default();
    if let [name] = header.as_slice()
        && name.contains([';', '\t'])
    {
        let hint = "`env: {PROMPTFOO_CSV_DELIMITER: ';'}` in the configuration names another delimiter";
        tests.warnings.push(format!("its only column is {}: {hint}", js::quote(name)));
    }
    for (index, row) in rows.iter().enumerate() {
        if row.len() != header.len() {
            let (line, found, expected) = (index + 2, row.len(), header.len());
            return Err(format!("record {line} has {found} fields where the header has {expected}"));
        }
        let cells: Vec<(&str, &str)> = header.iter().copied().zip(row.iter().map(String::as_str)).collect();
        let test =
            row_test(&cells, index, &mut tests.warnings).map_err(|reason| format!("row {}: {reason}", index + 1))?;
        tests.tests.push(test);
    }
    Ok(tests)
}

fn row_test(cells: &[(&str, &str)], index: usize, warnings: &mut Vec<String>) -> Result<Value, String> {
    let (mut vars, mut metadata, mut options) = (Map::new(), Map::new(), Map::new());
    let mut assertions: Vec<Value> = Vec::new();
    let mut thresholds: Vec<(usize, f64)> = Vec::new();
    let mut test = Map::new();
    test.insert("description".to_owned(), Value::from(format!("Row #{}", index + 1)));
    let mut metric = None;
    let mut warn = |text: String| {
        if !warnings.contains(&text) {
            warnings.push(text);
        }
    };
    for (name, cell) in cells {
        if name.starts_with("__expected") {
            let cell = js::trim(cell);
            if !cell.is_empty() {
                assertions.push(parse_assertion(cell)?);
            }
        } else if let Some(key) = name.strip_prefix("__metadata:") {
            if js::trim(cell).is_empty() {
                continue;
            }
            match key.strip_suffix("[]") {
                Some(key) => metadata.insert(key.to_owned(), split_escaped(cell)),
                None => metadata.insert(key.to_owned(), Value::from(*cell)),
            };
        } else if *name == "__metadata" && index == 0 {
            warn("the column `__metadata` without a key is ignored".to_owned());
        } else if let Some(rest) = name.strip_prefix("__config:") {
            let Some((target, key)) = rest.split_once(':').filter(|(_, key)| !key.contains(':')) else {
                warn(format!("the column `{name}` has no target and key, and is ignored"));
                continue;
            };
            thresholds.push(config(target, key, cell)?);
        } else {
            match *name {
                "__metric" => metric = Some(*cell).filter(|metric| !metric.is_empty()),
                "__threshold" => {
                    let number = js::parse_number(cell);
                    if !js::trim(cell).is_empty() && !number.is_nan() {
                        test.insert("threshold".to_owned(), json!(number));
                    }
                }
                "__prefix" | "__suffix" => {
                    options.insert(name[2..].to_owned(), Value::from(*cell));
                }
                "__description" if !cell.is_empty() => {
                    test.insert("description".to_owned(), Value::from(*cell));
                }
                "__description" => {}
                "__providerOutput" => {
                    test.insert("providerOutput".to_owned(), Value::from(*cell));
                }
                name => {
                    vars.insert(name.to_owned(), Value::from(*cell));
                }
            }
        }
    }
    for (place, threshold) in thresholds {
        if let Some(assertion) = assertions.get_mut(place) {
            assertion["threshold"] = json!(threshold);
        }
        metadata.insert("threshold".to_owned(), json!(threshold));
    }
    for assertion in &mut assertions {
        if let Some(metric) = metric {
            assertion["metric"] = Value::from(metric);
        }
    }
    for (key, map) in [("vars", vars), ("metadata", metadata), ("options", options)] {
        if !map.is_empty() {
            test.insert(key.to_owned(), Value::Object(map));
        }
    }
    if !assertions.is_empty() {
        test.insert("assert".to_owned(), Value::Array(assertions));
    }
    Ok(Value::Object(test))
}

/// `__config:__expected2:threshold`: the place of the assertion, and its threshold.
fn config(target: &str, key: &str, cell: &str) -> Result<(usize, f64), String> {
    let number = target.strip_prefix("__expected").and_then(|number| match number {
        "" => Some(1),
        number => number.parse::<usize>().ok(),
    });
    let place = number.filter(|number| *number > 0).ok_or_else(|| format!("`{target}` is no column of assertions"))?;
    if key != "threshold" {
        return Err(format!("`{key}` cannot be set by a column"));
    }
    let threshold = js::parse_number(cell);
    if js::trim(cell).is_empty() || threshold.is_nan() {
        return Err(format!("the threshold of `{target}` is not a number"));
    }
    Ok((place - 1, threshold))
}

/// A list with commas between, of which `\,` is none.
fn split_escaped(cell: &str) -> Value {
    let mut items = vec![String::new()];
    let mut letters = cell.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\\' && letters.peek() == Some(&',') {
            letters.next();
            items.last_mut().expect("there is one at least").push(',');
        } else if letter == ',' {
            items.push(String::new());
        } else {
            items.last_mut().expect("there is one at least").push(letter);
        }
    }
    Value::Array(items.iter().map(|item| Value::from(js::trim(item))).collect())
}

/// Types whose cell gives a threshold.
const WITH_THRESHOLD: [&str; 13] = [
    "answer-relevance",
    "classifier",
    "context-faithfulness",
    "context-recall",
    "context-relevance",
    "cost",
    "latency",
    "levenshtein",
    "perplexity",
    "perplexity-score",
    "rouge-n",
    "similar",
    "starts-with",
];

/// The assertion of a cell of `__expected`; the reason where promptfoo would stop.
pub fn parse_assertion(cell: &str) -> Result<Value, String> {
    let cell = js::trim(cell);
    for prefix in ["javascript:", "fn:", "eval:"] {
        if let Some(code) = cell.strip_prefix(prefix) {
            return Ok(json!({"type": "javascript", "value": js::trim(code)}));
        }
    }
    if let Some(rubric) = cell.strip_prefix("grade:").or_else(|| cell.strip_prefix("llm-rubric:")) {
        return Ok(json!({"type": "llm-rubric", "value": rubric}));
    }
    if let Some(code) = cell.strip_prefix("python:") {
        return Ok(json!({"type": "python", "value": js::trim(code)}));
    }
    if let Some(file) = cell.strip_prefix("file://") {
        let path = file.rsplit_once(':').map_or(file, |(path, _)| path);
        let is_a = |extension: &str| path.ends_with(extension) || file.ends_with(extension);
        if [".js", ".cjs", ".mjs", ".ts"].into_iter().any(is_a) {
            return Ok(json!({"type": "javascript", "value": cell}));
        }
        if is_a(".py") {
            return Ok(json!({"type": "python", "value": file}));
        }
    }
    typed_assertion(cell).unwrap_or_else(|| Ok(json!({"type": "equals", "value": cell})))
}

/// A cell of the form `[not-]type[(number)][:value]`; nothing where it has another.
fn typed_assertion(cell: &str) -> Option<Result<Value, String>> {
    let (negation, rest) = cell.strip_prefix("not-").map_or(("", cell), |rest| ("not-", rest));
    // A type with a colon in it goes before the shorter one, but for those of `similar`.
    let lengths: Vec<usize> = rest.match_indices([':', '(']).map(|(at, _)| at).chain([rest.len()]).collect();
    let is_type = |name: &str| {
        !name.starts_with("similar:")
            && !matches!(name, "select-best" | "human")
            && matches!(
                type_support(name),
                TypeSupport::Computed | TypeSupport::Judged | TypeSupport::Embedded | TypeSupport::NotRun(_)
            )
    };
    let (kind, rest) = lengths.into_iter().map(|at| rest.split_at(at)).rfind(|(kind, _)| is_type(kind))?;
    let (number, rest) = match rest.strip_prefix('(') {
        Some(inside) => {
            let (number, rest) = inside.split_once(')')?;
            let (whole, part) = number.split_once('.').map_or((number, None), |(whole, part)| (whole, Some(part)));
            let are_digits = |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
            if !are_digits(whole) || !part.is_none_or(are_digits) {
                return None;
            }
            (number.parse::<f64>().ok(), rest)
        }
        None => (None, rest),
    };
    let value = match rest.strip_prefix(':') {
        Some(value) => Some(value),
        None if rest.is_empty() => None,
        None => return None,
    };
    let mut assertion = json!({"type": format!("{negation}{kind}")});
    if let Some(value) = value {
        assertion["value"] = match kind {
            "contains-any" | "contains-all" | "icontains-any" | "icontains-all" if !js::trim(value).is_empty() => {
                match split_list(js::trim(value)) {
                    Ok(items) => Value::from(items),
                    Err(reason) => return Some(Err(format!("the value of `{kind}` {reason}"))),
                }
            }
            "is-json" | "contains-json" => Value::from(value),
            _ => Value::from(js::trim(value)),
        };
    }
    if WITH_THRESHOLD.contains(&kind) {
        let default = if kind == "similar" { SIMILAR_THRESHOLD } else { DEFAULT_THRESHOLD };
        assertion["threshold"] = json!(number.unwrap_or(default));
    }
    Some(Ok(assertion))
}

/// The records of a file. Read leniently, quotes that are out of place are letters.
fn records(text: &str, delimiter: char, is_lenient: bool) -> Result<Vec<Vec<String>>, String> {
    let letters: Vec<char> = text.chars().collect();
    let (mut records, mut record, mut at) = (Vec::new(), Vec::new(), 0);
    if letters.is_empty() {
        return Ok(records);
    }
    loop {
        let (field, end) = field(&letters, at, delimiter, is_lenient)?;
        record.push(field);
        at = end;
        match letters.get(at) {
            Some(letter) if *letter == delimiter => at += 1,
            Some('\r') => at += if letters.get(at + 1) == Some(&'\n') { 2 } else { 1 },
            Some(_) => at += 1,
            None => {
                records.push(record);
                return Ok(records);
            }
        }
        if letters.get(at - 1) != Some(&delimiter) {
            records.push(std::mem::take(&mut record));
            if at == letters.len() {
                return Ok(records);
            }
        }
    }
}

/// One field from a place on, and where it ends.
fn field(letters: &[char], start: usize, delimiter: char, is_lenient: bool) -> Result<(String, usize), String> {
    let ends = |at: usize| letters.get(at).is_none_or(|letter| *letter == delimiter || matches!(letter, '\n' | '\r'));
    if letters.get(start) == Some(&'"') {
        let (mut field, mut at) = (String::new(), start + 1);
        loop {
            match (letters.get(at), letters.get(at + 1)) {
                (None, _) if is_lenient => break,
                (None, _) => return Err("a quotation mark is not closed".to_owned()),
                (Some('"'), Some('"')) => {
                    field.push('"');
                    at += 2;
                }
                (Some('"'), _) if ends(at + 1) => return Ok((field, at + 1)),
                (Some('"'), _) if is_lenient => break,
                (Some('"'), _) => return Err("there is text behind a closing quotation mark".to_owned()),
                (Some(letter), _) => {
                    field.push(*letter);
                    at += 1;
                }
            }
        }
    }
    let end = (start..letters.len()).find(|at| ends(*at)).unwrap_or(letters.len());
    let field: String = letters[start..end].iter().collect();
    if !is_lenient && field.contains('"') {
        return Err("a quotation mark stands within a field".to_owned());
    }
    Ok((field, end))
}
