//! Verdict and score of every assertion, of tests with several, and of `max-score`.

use std::cell::RefCell;
use std::path::Path;
use std::process::Command;

use probare_promptfoo::template::{Globals, prepare_variables, render, render_value};
use probare_promptfoo::{Answer, Assertion, Fault, Grade, GradeError, SQL_SCRIPT, SqlParser, grade, max_score};
use probare_testing::{Golden, close, report_skipped, same};
use serde_json::{Map, Value};

use crate::schemas::Schemas;

/// Assertions whose value promptfoo does not render.
const RAW: [&str; 3] = ["trace-span-count", "trace-span-duration", "trace-error-spans"];

/// The assertion of a vector with its texts rendered; the reason where a template is wrong.
fn assertion(vector: &Value) -> Result<Assertion, Fault> {
    let mut json = vector.get("options").and_then(Value::as_object).cloned().unwrap_or_default();
    json.insert("type".to_owned(), vector["type"].clone());
    let kind = vector["type"].as_str().unwrap_or_default();
    let vars = prepare_variables(vector["vars"].as_object().unwrap_or(&Map::new()));
    if let Some(value) = vector.get("value") {
        let is_raw = RAW.contains(&kind.trim_start_matches("not-"));
        let rendered = render_value(value, &vars, &Globals::default());
        let value = if is_raw { Ok(value.clone()) } else { rendered.map_err(|error| Fault::Error(error.reason)) };
        json.insert("value".to_owned(), value?);
    }
    Assertion::from_json(&Value::Object(json)).map_err(Fault::Error)
}

fn answer(vector: &Value) -> Answer<'_> {
    let provider = |key: &str| vector.get("provider").and_then(|provider| provider.get(key));
    Answer {
        response: vector.get("response").and_then(Value::as_object),
        functions: provider("openai_functions"),
        tools: provider("tools"),
        embeddings: provider("embeddings").and_then(Value::as_object),
        trace: vector.get("trace").filter(|trace| !trace.is_null()),
        ..Answer::new(&vector["output"], &Schemas)
    }
}

fn check(vector: &Value) -> Result<(), String> {
    check_answer(vector, &answer(vector))
}

fn check_answer(vector: &Value, answer: &Answer<'_>) -> Result<(), String> {
    let judged = assertion(vector).and_then(|assertion| assertion.judge(answer));
    let is_error = vector["reason_kind"] == "error";
    match judged {
        Err(Fault::Error(_)) if is_error => Ok(()),
        Err(fault) => Err(format!("expected {} {}, got {fault:?}", vector["pass"], vector["score"])),
        Ok(verdict) if is_error => Err(format!("expected an error, got {verdict:?}")),
        Ok(verdict) => {
            same("pass", &vector["pass"], &Value::from(verdict.pass))?;
            close("score", vector["score"].as_f64().unwrap_or(f64::NAN), verdict.score, 1e-12)
        }
    }
}

fn golden(file: &str, known: &[(&str, &str)]) {
    let mut golden = Golden::new("promptfoo", &format!("{file}.jsonl"));
    for (id, reason) in known {
        golden = golden.with_known_disagreement(id, reason);
    }
    golden.check_lines(check);
}

/// Why a vector with such a number disagrees.
const BEYOND_NUMBERS: &str = "1e400 is beyond the numbers that are read: not run, where the original reads infinity";

/// Without the parser of the original a verdict is that of the original, and everything else is not run. `not_run` says how
/// much.
fn golden_sql(file: &str, not_run: usize) {
    let mut count = 0;
    Golden::new("promptfoo", file).check_lines(|vector| {
        let judged = assertion(vector).and_then(|assertion| assertion.judge(&answer(vector)));
        if matches!(judged, Err(Fault::NotRun(_))) {
            count += 1;
            return Ok(());
        }
        check(vector)
    });
    if std::env::var_os("PROBARE_GOLDEN_DIR").is_none() {
        assert_eq!(count, not_run, "vectors of {file} that are not run");
    }
}

#[test]
fn golden_is_sql() {
    golden_sql("is-sql.jsonl", 139);
}

#[test]
fn golden_contains_sql() {
    golden_sql("contains-sql.jsonl", 41);
}

/// Where `cargo x test --all` installs promptfoo.
const PROMPTFOO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/promptfoo");

/// What the parser of the original says to texts, each with the value of its assertion.
#[expect(clippy::disallowed_methods, reason = "the test asks node")]
fn parse_sql(asked: &[(String, Value)]) -> Vec<Value> {
    let script = "const [code, asked] = process.argv.slice(1);
        const mainModule = { require: require('node:module').createRequire(`${process.cwd()}/x.js`) };
        const run = new Function('output', 'context', 'process', code);
        console.log(JSON.stringify(JSON.parse(asked).map(([output, config]) => run(output, { config }, { mainModule }))));";
    let asked = serde_json::to_string(asked).unwrap();
    let said = Command::new("node").args(["-e", script, SQL_SCRIPT, &asked]).current_dir(PROMPTFOO).output().unwrap();
    serde_json::from_slice(&said.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&said.stderr)))
}

#[test]
fn golden_sql_is_all_decided_by_the_parser_of_the_original() {
    if !Path::new(PROMPTFOO).join("node_modules/node-sql-parser").is_dir() {
        report_skipped("node-sql-parser is not installed (cargo x test --stage promptfoo)");
        return;
    }
    let judge_all = |parser: SqlParser<'_>, check: fn(&Value, &Answer<'_>) -> Result<(), String>| {
        for file in ["is-sql.jsonl", "contains-sql.jsonl"] {
            Golden::new("promptfoo", file)
                .check_lines(|vector| check(vector, &Answer { sql: Some(parser), ..answer(vector) }));
        }
    };
    let asked = RefCell::new(Vec::new());
    let record = |text: &str, options: &Value| {
        asked.borrow_mut().push((text.to_owned(), options.clone()));
        Err(Fault::NotRun(String::new()))
    };
    judge_all(&record, |vector, answer| {
        let _ = assertion(vector).and_then(|assertion| assertion.judge(answer));
        Ok(())
    });
    let asked = asked.into_inner();
    let said = parse_sql(&asked);
    let recall = |text: &str, options: &Value| {
        let place = asked.iter().position(|(known, with)| known == text && with == options).unwrap();
        Ok(said[place].as_str().map(str::to_owned))
    };
    judge_all(&recall, check_answer);
}

macro_rules! golden_types {
    ($($test:ident $file:literal $known:expr;)*) => { $(
        #[test]
        fn $test() {
            golden($file, $known);
        }
    )* };
}

golden_types! {
    golden_bleu "bleu" &[];
    golden_contains "contains" &[];
    golden_contains_all "contains-all" &[];
    golden_contains_any "contains-any" &[];
    golden_contains_html "contains-html" &[];
    golden_contains_json "contains-json" &[];
        golden_contains_xml "contains-xml" &[];
    golden_cost "cost" &[];
    golden_equals "equals" &[("equals/47", BEYOND_NUMBERS)];
    golden_finish_reason "finish-reason" &[];
    golden_gleu "gleu" &[];
    golden_guardrails "guardrails" &[];
    golden_icontains "icontains" &[];
    golden_icontains_all "icontains-all" &[];
    golden_icontains_any "icontains-any" &[];
    golden_is_html "is-html" &[];
    golden_is_json "is-json" &[
        ("is-json/38", "nested more deeply than is read: not run"),
        ("is-json/39", BEYOND_NUMBERS),
        ("is-json/77", "the original divides in floating point: 0.3 is no multiple of 0.1 there"),
    ];
    golden_is_refusal "is-refusal" &[];
    golden_is_valid_function_call "is-valid-function-call" &[];
    golden_is_valid_openai_function_call "is-valid-openai-function-call" &[];
    golden_is_valid_openai_tools_call "is-valid-openai-tools-call" &[];
    golden_is_xml "is-xml" &[];
    golden_latency "latency" &[];
    golden_levenshtein "levenshtein" &[];
    golden_meteor "meteor" &[];
    golden_perplexity "perplexity" &[];
    golden_perplexity_score "perplexity-score" &[];
    golden_regex "regex" &[];
    golden_rouge_n "rouge-n" &[];
    golden_similar "similar" &[];
    golden_similar_cosine "similar_cosine" &[];
    golden_similar_dot "similar_dot" &[];
    golden_similar_euclidean "similar_euclidean" &[];
    golden_skill_used "skill-used" &[];
    golden_starts_with "starts-with" &[];
    golden_tool_call_f1 "tool-call-f1" &[];
    golden_trace_error_spans "trace-error-spans" &[];
    golden_trace_span_count "trace-span-count" &[];
    golden_trace_span_duration "trace-span-duration" &[];
    golden_trajectory_step_count "trajectory_step-count" &[];
    golden_trajectory_tool_args_match "trajectory_tool-args-match" &[];
    golden_trajectory_tool_sequence "trajectory_tool-sequence" &[];
    golden_trajectory_tool_used "trajectory_tool-used" &[];
    golden_word_count "word-count" &[];
}

/// The assertions of a test with their texts rendered.
fn rendered(list: &[Value], vars: &Map<String, Value>) -> Result<Vec<Value>, GradeError> {
    let entry = |entry: &Value| {
        let mut entry = entry.clone();
        if let Some(value) = entry.get("value") {
            let value = render_value(value, vars, &Globals::default());
            entry["value"] = value.map_err(|error| GradeError::Error(error.reason))?;
        }
        if let Some(metric) = entry.get("metric").and_then(Value::as_str)
            && let Ok(metric) = render(metric, vars, &Globals::default())
        {
            entry["metric"] = Value::from(metric);
        }
        if let Some(inner) = entry.get("assert").and_then(Value::as_array) {
            entry["assert"] = Value::Array(rendered(inner, vars)?);
        }
        Ok(entry)
    };
    list.iter().map(entry).collect()
}

fn check_grade(vector: &Value) -> Result<(), String> {
    let test = &vector["test"];
    let vars = prepare_variables(test["vars"].as_object().unwrap_or(&Map::new()));
    let list = test["assert"].as_array().cloned().unwrap_or_default();
    let answer = Answer::new(&vector["output"], &Schemas);
    let graded = rendered(&list, &vars).and_then(|list| grade(&list, test["threshold"].as_f64(), &answer));
    let grade = match (graded, vector.get("error")) {
        (Err(GradeError::Error(_)), Some(_)) => return Ok(()),
        (Ok(grade), None) => grade,
        (graded, error) => return Err(format!("expected the error {error:?}, got {graded:?}")),
    };
    same("pass", &vector["pass"], &Value::from(grade.pass))?;
    close("score", vector["score"].as_f64().unwrap_or(f64::NAN), grade.score, 1e-12)?;
    let expected = vector["namedScores"].as_object().ok_or("no named scores")?;
    same("names", &expected.len(), &grade.named.len())?;
    for named in &grade.named {
        let expected = expected.get(&named.name).and_then(Value::as_f64).ok_or_else(|| named.name.clone())?;
        close(&named.name, expected, named.score, 1e-12)?;
    }
    let parts = vector["components"].as_array().ok_or("no parts")?;
    same("parts", &parts.len(), &grade.parts.len())?;
    for (expected, part) in parts.iter().zip(&grade.parts) {
        same("type", &expected["type"], &Value::from(part.kind.as_str()))?;
        same("pass of a part", &expected["pass"], &Value::from(part.pass))?;
        close("score of a part", expected["score"].as_f64().unwrap_or(f64::NAN), part.score, 1e-12)?;
    }
    Ok(())
}

#[test]
fn golden_aggregate() {
    Golden::new("promptfoo", "aggregate.jsonl").check_lines(check_grade);
}

#[test]
fn golden_max_score() {
    Golden::new("promptfoo", "max_score.jsonl").check_lines(|vector| {
        let outputs = vector["outputs"].as_array().ok_or("no outputs")?;
        let list = vector["assert"].as_array().ok_or("no assertions")?;
        let graded = |output| grade(list, vector["threshold"].as_f64(), &Answer::new(output, &Schemas));
        let mut grades: Vec<Grade> =
            outputs.iter().map(graded).collect::<Result<_, _>>().map_err(|error| format!("{error:?}"))?;
        let value = list.iter().find(|entry| entry["type"] == "max-score").and_then(|entry| entry.get("value"));
        match (max_score(value, &mut grades), vector["results"].as_array()) {
            (Err(_), None) => Ok(()),
            (Ok(()), Some(results)) => grades.iter().zip(results).try_for_each(|(grade, expected)| {
                same("pass", &expected["pass"], &Value::from(grade.pass))?;
                close("score", expected["score"].as_f64().unwrap_or(f64::NAN), grade.score, 1e-12)
            }),
            (found, expected) => Err(format!("expected {expected:?}, got {found:?}")),
        }
    });
}
