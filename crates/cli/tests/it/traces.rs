//! Traces through the command line: a file of them is scored, verified, imported, and its scores go back to where it came from.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::program;

use crate::program::root;

#[track_caller]
fn fine(folder: &Path, line: &str) -> String {
    program::run_successfully(folder, &line.split_whitespace().collect::<Vec<_>>())
}

#[track_caller]
fn refused(folder: &Path, line: &str) -> String {
    let output = program::run(folder, &line.split_whitespace().collect::<Vec<_>>());
    assert_ne!(output.status.code(), Some(0), "{line}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with the example of traces.
fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root().join("examples/agents/traces.jsonl"), folder.path().join("traces.jsonl")).unwrap();
    folder
}

fn lines(path: &Path) -> Vec<Json> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_file_of_traces_is_scored_and_verified_as_any_other() {
    let folder = place();
    let place = folder.path();
    let said = fine(place, "score traces.jsonl -m tool_errors -m loops -o out.jsonl");
    assert!(said.contains("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"), "{said}");
    let found = lines(&place.join("out.jsonl"));
    let ids: Vec<&str> = found.iter().filter_map(|line| line["id"].as_str()).map(|id| &id[..2]).collect();
    assert_eq!(ids, ["a1", "a2", "a3", "a4"]);
    assert_eq!(found[0]["scores"]["tool_errors"]["value"], 1.0);
    assert!(found[1]["scores"]["tool_errors"]["value"].as_f64().unwrap() < 1.0);
    assert!(found[2]["scores"]["loops"]["value"].as_f64().unwrap() < 1.0, "{}", found[2]);
    assert!(found[3]["scores"]["loops"].get("value").is_none());
    fine(place, "verify out.jsonl");

    // The same under a name that tells nothing, and through a pipe.
    fs::copy(place.join("traces.jsonl"), place.join("traces.txt")).unwrap();
    fine(place, "score traces.txt --format otlp -m tool_errors -m loops -o again.jsonl");
    assert_eq!(fs::read(place.join("again.jsonl")).unwrap(), fs::read(place.join("out.jsonl")).unwrap());
    fine(place, "verify again.jsonl");

    // By conversation the second trace goes on with the first.
    fine(place, "score traces.jsonl --group conversation -m tool_errors -o grouped.jsonl");
    let grouped = lines(&place.join("grouped.jsonl"));
    assert_eq!((grouped.len(), &grouped[0]["id"]), (3, &json!("desk-1")));
    fine(place, "verify grouped.jsonl");
}

#[test]
fn what_does_not_fit_traces_is_refused() {
    let folder = place();
    let place = folder.path();
    assert!(refused(place, "score traces.jsonl --map response=x -m loops").contains("traces have no columns"));
    fs::write(place.join("cases.jsonl"), "{\"response\": \"a\"}\n").unwrap();
    assert!(refused(place, "score cases.jsonl --group trace -m loops").contains("a grouping is for traces"));
    assert!(refused(place, "import traces.jsonl --group day").contains("known are trace and conversation"));
    let bytes = [0x0a, 0x02, 0x12, 0x00];
    fs::write(place.join("traces.pb"), bytes).unwrap();
    let said = refused(place, "score traces.pb --format otlp -m loops");
    assert!(said.contains("OTLP/JSON"), "{said}");
}

#[test]
fn an_import_lists_what_was_lost_one_by_one() {
    let folder = place();
    let place = folder.path();
    let said = fine(place, "import traces.jsonl --verbose -o cases.jsonl");
    assert!(said.contains("lost: no_content, span `a400000000000001`"), "{said}");
    assert!(said.contains("otlp: 4 cases, 1 without a response"), "{said}");
    let brief = fine(place, "import traces.jsonl --group conversation -o grouped.jsonl");
    assert!(brief.contains("note: no_content: 1") && !brief.contains("lost:"), "{brief}");
    assert_eq!(lines(&place.join("grouped.jsonl"))[0]["messages"].as_array().unwrap().len(), 8);
    // Cases that were imported score as the traces themselves.
    fine(place, "score cases.jsonl -m tool_errors -m steps -o a.jsonl");
    fine(place, "score traces.jsonl -m tool_errors -m steps -o b.jsonl");
    assert_eq!(lines(&place.join("a.jsonl")), lines(&place.join("b.jsonl")));
}

#[test]
fn scores_go_out_as_evaluation_results_and_come_back() {
    let folder = place();
    let place = folder.path();
    // The trace without texts has no answer, which is an error of that one case.
    let scored = program::run(
        place,
        &"score traces.jsonl -m tool_errors -m loops -m said=contains:texts=[\"shelf\"] -o out.jsonl"
            .split_whitespace()
            .collect::<Vec<_>>(),
    );
    assert_eq!(scored.status.code(), Some(1));
    fine(place, "export out.jsonl --to otel -o scores.jsonl");
    fine(place, "export out.jsonl --to otel --all -o all.jsonl");
    let records = |name: &str| -> Vec<Json> {
        let all = lines(&place.join(name));
        all.iter()
            .flat_map(|line| line["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap().clone())
            .collect()
    };
    let written = records("scores.jsonl");
    assert!(written.iter().all(|record| record["eventName"] == "gen_ai.evaluation.result"));
    assert!(records("all.jsonl").len() > written.len());
    // What was done is the agent's, what was said the last answer's.
    let span = |name: &str| {
        let is_of = |record: &&Json| record["attributes"][0]["value"]["stringValue"] == name;
        written.iter().find(is_of).map(|record| record["spanId"].clone()).unwrap()
    };
    assert_eq!((span("tool_errors"), span("said")), (json!("a100000000000000"), json!("a100000000000003")));

    // Traces and scores in one file: the scores come back as they were.
    let both = [fs::read(place.join("traces.jsonl")).unwrap(), fs::read(place.join("scores.jsonl")).unwrap()].concat();
    fs::write(place.join("both.jsonl"), both).unwrap();
    fine(place, "import both.jsonl -o cases.jsonl");
    let results = lines(&place.join("out.jsonl"));
    let mut compared = 0;
    for (case, result) in lines(&place.join("cases.jsonl")).iter().zip(&results) {
        for name in ["tool_errors", "loops", "said"] {
            let value = &result["scores"][name]["value"];
            assert_eq!(&case["metadata"]["scores"][name]["value"], value, "{name} of {}", case["id"]);
            compared += usize::from(value.is_number());
        }
    }
    assert!(compared >= 7, "{compared}");

    fine(place, "export out.jsonl --to openinference -o annotations.jsonl");
    let first = &lines(&place.join("annotations.jsonl"))[0];
    assert_eq!((&first["annotation.name"], &first["annotation.score"]), (&json!("tool_errors"), &json!(1.0)));
}

#[test]
fn transcripts_go_out_as_instance_records_and_come_back() {
    let folder = place();
    let place = folder.path();
    fine(place, "score traces.jsonl -m tool_errors -m loops -o out.jsonl");
    let said = refused(place, "export out.jsonl --to every-eval-ever-instances -o records.jsonl");
    assert!(said.contains("--metric: tool_errors, loops"), "{said}");
    assert!(refused(place, "export out.jsonl --to otel --metric loops -o s.jsonl").contains("--metric"));
    let said = fine(place, "export out.jsonl --to every-eval-ever-instances --metric tool_errors -o records.jsonl");
    assert!(said.contains("without a value of the metric"), "{said}");
    fine(place, "import records.jsonl -o cases.jsonl");
    fine(place, "import traces.jsonl -o before.jsonl");
    let (after, before) = (lines(&place.join("cases.jsonl")), lines(&place.join("before.jsonl")));
    assert_eq!(after.len(), 3);
    for (after, before) in after.iter().zip(&before) {
        let calls = |case: &Json| -> Vec<Json> {
            case["messages"].as_array().unwrap().iter().map(|message| message["tool_calls"].clone()).collect()
        };
        assert_eq!((&after["id"], calls(after)), (&before["id"], calls(before)));
        assert_eq!(after["metadata"]["interaction_type"], "agentic");
    }
}

#[test]
fn scores_of_other_cases_have_no_span() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("cases.jsonl"), "{\"id\": \"1\", \"response\": \"a\", \"reference\": \"a\"}\n").unwrap();
    fine(place, "score cases.jsonl -m exact_match -o out.jsonl");
    assert!(refused(place, "export out.jsonl --to otel -o scores.jsonl").contains("no sample comes from a trace"));
    assert!(!place.join("scores.jsonl").exists());
    assert!(refused(place, "export out.jsonl --to otel -o scores.json").contains(".jsonl"));
    assert!(refused(place, "export out.jsonl --to promptfoo --all -o p.json").contains("--all"));
}

#[test]
fn standard_input_says_that_it_holds_traces_or_is_told_to() {
    let folder = place();
    let given = |more: &[&str]| {
        let traces = fs::File::open(folder.path().join("traces.jsonl")).unwrap();
        let words = [&["score", "-", "-m", "steps", "-o", "out.jsonl"], more].concat();
        let output = program::command(folder.path(), &words).stdin(traces).output().unwrap();
        (output.status.code(), program::both_streams(&output))
    };
    let (code, text) = given(&[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("a trace of OpenTelemetry") && text.contains("--format otlp"), "{text}");
    let (code, text) = given(&["--format", "otlp"]);
    assert_eq!(code, Some(0), "{text}");
}
