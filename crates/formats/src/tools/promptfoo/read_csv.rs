//! Tables of promptfoo: what `promptfoo eval -o results.csv` and its page's download write.
//!
//! A column for each variable, then for each provider and prompt a column `[provider] prompt` with the output, and behind
//! it `Status`, `Score`, `Named Scores`, columns `Metric: …`, `Grader Reason` and `Comment`. Older versions have the outputs
//! alone, each with `[PASS]`, `[FAIL]` or `[ERROR]` before it. Scores are rounded to two digits in such a file.

use csv::{ReaderBuilder, StringRecord};
use probare_core::{Case, Output};
use serde_json::{Map, Value as Json, json};

use super::read::{as_passages, question, reference_of};
use crate::tools::document::{BYTE_ORDER_MARK, SourceDocument};
use crate::tools::{ImportError, ImportFormat, ImportedCases, ORIGIN, put, scores};

const FORMAT: ImportFormat = ImportFormat::Promptfoo;

/// Words before an output in older files, and the status that they are.
const MARKS: [(&str, &str); 3] = [("[PASS]", "PASS"), ("[FAIL]", "FAIL"), ("[ERROR]", "ERROR")];

/// One provider with one prompt.
struct Column {
    at: usize,
    provider: Option<String>,
    label: String,
    status: Option<usize>,
    score: Option<usize>,
    named: Option<usize>,
    metrics: Vec<(usize, String)>,
    reason: Option<usize>,
    comment: Option<usize>,
}

/// Whether a text is such a table, by its first line.
pub(in crate::tools) fn is_promptfoo_csv(text: &str) -> bool {
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut records = reader.records();
    let (Some(Ok(header)), second) = (records.next(), records.next()) else { return false };
    let has = |name: &str| header.iter().any(|cell| cell == name);
    let is_marked = |cell: &str| MARKS.iter().any(|(mark, _)| cell.starts_with(mark));
    let outputs = header.iter().filter(|cell| provider(cell).is_some()).count();
    has("Status") && has("Score") && has("Named Scores")
        || outputs > 0 && second.is_some_and(|row| row.is_ok_and(|row| row.iter().any(is_marked)))
}

/// Provider and prompt of a column of outputs.
fn provider(header: &str) -> Option<(&str, &str)> {
    let (provider, label) = header.strip_prefix('[')?.split_once("] ")?;
    (!provider.is_empty()).then_some((provider, label))
}

pub(in crate::tools) fn read(document: &SourceDocument) -> Result<ImportedCases, ImportError> {
    // That it is UTF-8 is checked there; what that changes is for JSON alone.
    document.text(FORMAT)?;
    let bytes = document.bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(&document.bytes);
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
    let broken = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        document.broken(FORMAT, &format!("line {line}"), error.to_string())
    };
    let mut records = reader.records();
    let header = records.next().transpose().map_err(broken)?.unwrap_or_default();
    let (variables, columns) = layout(&header);
    if columns.is_empty() {
        return Err(document.broken(FORMAT, "line 1", "no column holds outputs: `[provider] prompt`"));
    }
    let has_prompts = columns.iter().any(|column| column.label != columns[0].label);
    let mut imported = ImportedCases::default();
    for (test, record) in records.enumerate() {
        let record = record.map_err(broken)?;
        if record.len() != header.len() {
            let line = record.position().map_or(0, csv::Position::line);
            let reason = format!("{} cells where the first line has {}", record.len(), header.len());
            return Err(document.broken(FORMAT, &format!("line {line}"), reason));
        }
        let mut vars = Map::new();
        let mut description = None;
        for (at, name) in &variables {
            let value = unescaped(&record[*at]);
            if *at == 0 && name == "Description" && columns[0].status.is_some() {
                description = Some(value).filter(|value| !value.is_empty());
            } else {
                vars.insert(name.clone(), json!(value));
            }
        }
        for (number, column) in columns.iter().enumerate() {
            let id = if has_prompts { format!("{test}/{number}") } else { test.to_string() };
            let (case, told) = column.case(id, &record, &vars, description);
            imported.push(case, told);
        }
    }
    imported.notes.push("a table has no assertions and rounds scores; the JSON of the same run has both".to_owned());
    Ok(imported)
}

/// Which columns are variables and which are outputs with what belongs to them.
fn layout(header: &StringRecord) -> (Vec<(usize, String)>, Vec<Column>) {
    let cells: Vec<&str> = header.iter().map(unescaped).collect();
    let is_output = |at: usize| provider(cells[at]).is_some() || cells.get(at + 1) == Some(&"Status");
    let mut variables = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        if is_output(at) {
            let (name, label) = provider(cell).map_or((None, *cell), |(name, label)| (Some(name.to_owned()), label));
            let label = label.to_owned();
            columns.push(Column {
                at,
                provider: name,
                label,
                status: None,
                score: None,
                named: None,
                metrics: Vec::new(),
                reason: None,
                comment: None,
            });
            continue;
        }
        let Some(column) = columns.last_mut() else {
            variables.push((at, (*cell).to_owned()));
            continue;
        };
        match *cell {
            "Status" => column.status = Some(at),
            "Score" => column.score = Some(at),
            "Named Scores" => column.named = Some(at),
            "Grader Reason" => column.reason = Some(at),
            "Comment" => column.comment = Some(at),
            other => {
                if let Some(name) = other.strip_prefix("Metric: ") {
                    column.metrics.push((at, name.to_owned()));
                }
            }
        }
    }
    (variables, columns)
}

impl Column {
    fn case(
        &self,
        id: String,
        record: &StringRecord,
        vars: &Map<String, Json>,
        description: Option<&str>,
    ) -> (Case, Map<String, Json>) {
        let cell = |at: Option<usize>| at.map(|at| unescaped(&record[at])).filter(|text| !text.is_empty());
        let written = unescaped(&record[self.at]);
        let (status, text) = match cell(self.status) {
            Some(status) => (Some(status), written),
            None => split_status(written),
        };
        let reason = cell(self.reason);
        let mut told = Map::new();
        let is_error = status == Some("ERROR");
        match status {
            Some("ERROR") => {
                let reason = reason.or(Some(text).filter(|text| !text.is_empty()));
                scores::add(&mut told, "pass", scores::failed(reason.unwrap_or("promptfoo says ERROR")));
            }
            Some(word @ ("PASS" | "FAIL")) => {
                scores::add(&mut told, "pass", scores::passed(word == "PASS", reason));
            }
            _ => {}
        }
        let number = |at: Option<usize>| cell(at).and_then(|text| text.parse::<f64>().ok());
        if !is_error {
            if let Some(score) = number(self.score) {
                scores::add(&mut told, "score", scores::value(score, None, None));
            }
            let mut named: Map<String, Json> =
                cell(self.named).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
            for (at, name) in &self.metrics {
                if let Some(value) = number(Some(*at)) {
                    named.insert(name.clone(), json!(value));
                }
            }
            for (name, value) in &named {
                if let Some(value) = value.as_f64() {
                    scores::add(&mut told, name, scores::value(value, None, None));
                }
            }
        }
        let mut origin = json!({"from": FORMAT.name(), "prompt_label": self.label});
        for (name, value) in [("description", description), ("comment", cell(self.comment))] {
            if let Some(text) = value {
                origin[name] = json!(text);
            }
        }
        if is_error {
            origin["error"] = json!(reason.unwrap_or(text));
        }
        let mut metadata = Map::new();
        put(&mut metadata, ORIGIN, origin);
        put(&mut metadata, "vars", Json::Object(vars.clone()));
        let is_answer = status.is_some() && !is_error;
        let case = Case {
            id,
            query: question(vars),
            response: is_answer.then(|| Output { text: text.to_owned(), model: self.provider.clone(), repeat: 0 }),
            context: as_passages(vars),
            reference: reference_of(vars),
            metadata,
            ..Case::default()
        };
        (case, told)
    }
}

/// Status and output of an older cell; a failed one has the reason before the output.
fn split_status(cell: &str) -> (Option<&'static str>, &str) {
    let Some((mark, status)) = MARKS.iter().find(|(mark, _)| cell.starts_with(mark)) else { return (None, cell) };
    let rest = cell[mark.len()..].trim_start_matches(' ');
    let text = if *status == "FAIL" { rest.split_once("\n---\n").map_or(rest, |(_, text)| text) } else { rest };
    (Some(status), text)
}

/// A cell without the mark that keeps spreadsheets from computing it.
fn unescaped(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if rest.starts_with(['=', '+', '-', '@', '\t', '\r']) => rest,
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::{ImportFormat, read_foreign};

    fn read(text: &str) -> crate::tools::ImportedCases {
        let (format, imported) = read_foreign(text.as_bytes().to_vec(), "f.csv", None, None).unwrap();
        assert_eq!(format, ImportFormat::Promptfoo);
        imported
    }

    #[test]
    fn an_error_is_no_answer_and_a_formula_is_what_it_was() {
        let text = "question,[echo] p,Status,Score,Named Scores,Metric: n,Grader Reason,Comment\n\
                    \"'=1+1?\",two,PASS,1.00,\"{\"\"n\"\":0.5}\",0.50,All good,\nb,,ERROR,0.00,,,no key,\n";
        let imported = read(text);
        let [first, second] = imported.cases.as_slice() else { panic!("{imported:?}") };
        assert_eq!(first.query.as_deref(), Some("=1+1?"));
        assert_eq!(first.metadata["scores"]["n"]["value"], 0.5);
        assert_eq!(first.metadata["scores"]["n#2"], serde_json::Value::Null);
        assert_eq!(first.response.as_ref().unwrap().model.as_deref(), Some("echo"));
        assert_eq!(second.response, None);
        assert_eq!(second.metadata["scores"]["pass"]["error"], "no key");
    }

    #[test]
    fn older_tables_have_their_status_in_the_cell() {
        let text = "question,reference,[a] p,[b] p\nq,r,[PASS] yes,\"[FAIL] it is wrong\n---\nno\"\n";
        let imported = read(text);
        let texts: Vec<_> = imported.cases.iter().map(|case| case.response.clone().unwrap().text).collect();
        assert_eq!(texts, ["yes", "no"]);
        assert_eq!(imported.cases[1].metadata["scores"]["pass"]["value"], 0.0);
        assert_eq!(imported.cases[0].reference.as_deref(), Some(&["r".to_owned()][..]));
    }

    #[test]
    fn a_row_of_another_length_is_told_with_its_line() {
        let text = "q,[a] p,Status,Score,Named Scores\nx,y,PASS,1.00,\nz,y\n";
        let error = read_foreign(text.as_bytes().to_vec(), "f.csv", None, None).unwrap_err().to_string();
        assert_eq!(error, "`f.csv` is not a valid promptfoo file: line 3: 2 cells where the first line has 5");
    }
}
