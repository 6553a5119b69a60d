//! Golden vectors of the suite `synthesis`: verdicts, similarities, the loader, reports and their console blocks.

use std::sync::Arc;

use probare_benchmarks::synthesis::{
    CarePolicy, CaseChecks, CaseSchema, LoadError, SynthesisReport, console, lines, read_case,
};
use probare_core::{Case, Sample};
use probare_metrics::care::{Opening, similarity};
use probare_testing::{GoldenTally, close, external_data, golden, golden_json, list, number, same, text};
use serde_json::{Value, json};

/// Equal as JSON, with numbers compared as numbers: `1` and `1.0` are the same.
fn same_json(what: &str, expected: &Value, got: &Value) -> Result<(), String> {
    match (expected, got) {
        (Value::Number(left), Value::Number(right)) => same(what, &left.as_f64(), &right.as_f64()),
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let pairs = left.iter().zip(right).enumerate();
            pairs.into_iter().try_for_each(|(at, (left, right))| same_json(&format!("{what}/{at}"), left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let names = |object: &serde_json::Map<String, Value>| object.keys().cloned().collect::<Vec<_>>();
            same(&format!("{what}: fields"), &names(left), &names(right))?;
            left.iter().try_for_each(|(name, value)| same_json(&format!("{what}/{name}"), value, &right[name]))
        }
        _ => same(what, expected, got),
    }
}

/// The case of a vector, read as a line of a file is.
fn case_of(vector: &Value) -> Result<Case, String> {
    let exchange = read_case(&vector.to_string(), 1, &CaseSchema::bundled())
        .map(probare_benchmarks::synthesis::SynthesisCase::into_case);
    exchange.map_err(|bad| bad.to_string())
}

fn result(case: &Case) -> Result<CaseChecks, String> {
    CarePolicy::default().result(Sample::from_case(case)).map_err(|error| error.to_string())
}

fn report_of(cases: &[Case]) -> SynthesisReport {
    let mut report = SynthesisReport::default();
    for case in cases {
        report.add(Arc::new(result(case).expect("a case can be checked")));
    }
    report
}

/// The cases of a file, or what is wrong with it.
fn load(content: &str, schema: &CaseSchema) -> Result<Vec<Case>, LoadError> {
    let (mut cases, mut bad) = (Vec::new(), Vec::new());
    for (number, line) in lines(content) {
        match read_case(line, number, schema) {
            Ok(exchange) => cases.push(exchange.into_case()),
            Err(problem) => bad.push(problem.to_string()),
        }
    }
    if bad.is_empty() { Ok(cases) } else { Err(LoadError { lines: bad }) }
}

fn case(vector: &Value) -> Result<(), String> {
    let result = result(&case_of(&vector["case"])?)?;
    let got = serde_json::to_value(&result).map_err(|error| error.to_string())?;
    same_json("result", &vector["expected"], &got)
}

#[test]
fn golden_edges() {
    golden("synthesis", "edge.jsonl", case);
}

#[test]
fn golden_one_liners() {
    golden("synthesis", "oneliners.jsonl", case);
}

#[test]
fn golden_pivot_pairs() {
    golden("synthesis", "pivot_pairs.jsonl", case);
}

#[test]
fn golden_similarities() {
    golden("synthesis", "similarity.jsonl", |vector| {
        let (left, right) = (text(vector, "a")?, text(vector, "b")?);
        close("similarity", number(vector, "similarity")?, similarity(left, right), 0.0)?;
        same("opening", text(vector, "anchor_of_b")?, Opening::from_reply(right).text().as_ref())
    });
}

#[test]
fn golden_loader() {
    golden("synthesis", "loader.jsonl", |vector| {
        let loaded = load(text(vector, "content")?, &CaseSchema::bundled());
        if text(vector, "name")?.starts_with("null") {
            // The original stops with a type error here; a bare null is a bad line like any other.
            let messages = loaded.err().ok_or("a bare null is no case")?.messages();
            return same(
                "null",
                &true,
                &messages.last().is_some_and(|last| last.ends_with("(unknown): /: must be object")),
            );
        }
        match loaded {
            Ok(cases) => {
                same("loads", &vector["ok"], &json!(true))?;
                let ids: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
                same("ids", &vector["ids"], &json!(ids))
            }
            Err(error) => {
                same("loads", &vector["ok"], &json!(false))?;
                same("message", text(vector, "message")?, error.to_string().as_str())?;
                same("lines", &json!(list(vector, "stderr")?), &json!(error.messages()))
            }
        }
    });
}

fn report(name: &str) {
    golden_json("synthesis", &format!("report_{name}.json"), |document, tally| {
        let cases: Result<Vec<Case>, String> =
            list(document, "cases").and_then(|cases| cases.iter().map(case_of).collect());
        check_report(name, &cases.expect("the vector holds cases"), &document["report"], tally);
    });
}

fn check_report(name: &str, cases: &[Case], expected: &Value, tally: &mut GoldenTally) {
    let report = report_of(cases);
    let got = serde_json::from_slice(&report.json()).expect("a report is JSON");
    tally.check("report", same_json("report", expected, &got));
    tally.check("console", console_block(name, &console::block(&report)));
}

/// The 26 cases published with Synthesis, which are not part of the repository.
fn published_cases() -> Option<Vec<Case>> {
    let folder = external_data("PROBARE_SYNTHESIS_DATA", "synthesis", "the 26 cases published with Synthesis")?;
    let content = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the folder holds it");
    let schema = CaseSchema::read(&content("eval_case.schema.json")).expect("the published schema is supported");
    Some(load(&content("evals.jsonl"), &schema).expect("the published cases load"))
}

/// The block beside the report, from wherever golden files are read.
fn console_block(name: &str, got: &str) -> Result<(), String> {
    let folder = std::env::var_os("PROBARE_GOLDEN_DIR")
        .map_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden").into(), std::path::PathBuf::from);
    let path = folder.join("synthesis").join(format!("console_{name}.txt"));
    let expected = std::fs::read_to_string(&path).map_err(|error| format!("`{}`: {error}", path.display()))?;
    same("console", &expected.lines().collect::<Vec<_>>(), &got.lines().collect::<Vec<_>>())
}

#[test]
fn golden_report_and_console_of_the_published_cases() {
    let Some(cases) = published_cases() else { return };
    golden_json("synthesis", "report_bundled.json", |expected, tally| {
        check_report("bundled", &cases, expected, tally);
    });
}

#[test]
fn golden_report_and_console_of_no_cases() {
    report("empty");
}

#[test]
fn golden_report_and_console_of_mixed_cases() {
    report("mixed");
}

#[test]
fn the_published_cases_give_the_published_totals() {
    let Some(cases) = published_cases() else { return };
    let summary = report_of(&cases).summary;
    assert_eq!((summary.cases, summary.passed, summary.expected_failures), (26, 16, 10));
    let labels = summary.label_accuracy.expect("they have labels");
    assert_eq!((labels.matched, labels.total), (51, 51));
}
