//! Golden vectors of the published metrics on calls: what the originals gave, read as rows of a file are.

use probare_core::{Case, Outcome, Profile, Sample, Score};
use probare_formats::{CaseFormat, CaseReader, ReadOptions};
use probare_metrics::agents::json_diff::json_difference;
use probare_metrics::agents::list_contains::list_likeness;
use probare_metrics::agents::numeric_diff::numeric_similarity;
use probare_metrics::registry;
use probare_testing::{Golden, close, same};
use serde_json::{Map, Value, json};

/// The case of a row.
pub fn row(columns: Map<String, Value>) -> Result<Case, String> {
    let text = Value::Object(columns).to_string();
    let mut rows =
        CaseReader::from_reader(std::io::Cursor::new(text), "vector", CaseFormat::JsonLines, &ReadOptions::default())
            .map_err(|error| error.to_string())?;
    let batch = rows.next().ok_or("no row")?.map_err(|error| error.to_string())?;
    let case = batch.cases().pop().ok_or("no case")?;
    case.map_err(|problem| problem.reason)
}

/// The score of a vector whose input has these names, as the columns of those names.
fn scored(metric: &str, vector: &Value, columns: &[(&str, &str)]) -> Result<Option<Score>, String> {
    let mut given = Map::new();
    for (name, column) in columns {
        given.insert((*column).to_owned(), vector["input"][*name].clone());
    }
    let definition = registry().get(metric).map_err(|error| error.to_string())?;
    let built = definition.build(vector["options"].clone(), Profile::Published).map_err(|error| error.to_string())?;
    let case = row(given)?;
    let sample = Sample::from_case(&case);
    if definition.missing_input(sample).is_some() {
        return Ok(None);
    }
    match built.score(sample) {
        Ok(Outcome::Scored(score)) => Ok(Some(score)),
        Ok(Outcome::Labelled(_) | Outcome::NotApplicable { .. }) | Err(_) => Ok(None),
    }
}

/// Holds a value against the expected one: where the original raised there is none.
fn held(vector: &Value, name: &str, value: Option<f64>) -> Result<(), String> {
    let expected = &vector["expected"];
    if expected.get("error").is_some() {
        return same("value", &None, &value);
    }
    let number = match &expected[name] {
        Value::Bool(yes) => f64::from(u8::from(*yes)),
        // The original gives no number at all, and we none that is none.
        Value::String(_) => return Ok(()),
        other => other.as_f64().ok_or("a vector expects a number")?,
    };
    let value = value.ok_or_else(|| format!("expected {number}, got no value"))?;
    match vector.get("tolerance").and_then(Value::as_f64) {
        Some(tolerance) => close(name, number, value, tolerance),
        None => same(name, &number, &value),
    }
}

/// Each line of a file, with the names of the vectors that are known to disagree.
fn golden(file: &str, known: &[(&str, &str)], check: impl Fn(&Value) -> Result<(), String>) {
    let mut golden = Golden::new("agents", file);
    for (id, reason) in known {
        golden = golden.with_known_disagreement(id, reason);
    }
    golden.check_lines(check);
}

#[test]
fn golden_trajectory_match() {
    golden("trajectory_match.jsonl", &[], |vector| {
        let columns = [("outputs", "messages"), ("reference_outputs", "expected_messages")];
        held(vector, "score", scored("trajectory_match", vector, &columns)?.map(|score| score.value.get()))
    });
}

#[test]
fn a_call_in_the_form_from_before_there_were_tools_is_not_seen_by_trajectory_match() {
    let function = json!({"name": "get_weather", "arguments": "{\"city\": \"Paris\"}"});
    let today = json!({"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": function}]});
    let before = json!({"role": "assistant", "content": null, "function_call": function});
    let columns = [("outputs", "messages"), ("reference_outputs", "expected_messages")];
    for (output, expected) in [(&today, 1.0), (&before, 0.0)] {
        let vector = json!({"options": {}, "input": {"outputs": [output], "reference_outputs": [today]}});
        let score = scored("trajectory_match", &vector, &columns).unwrap();
        assert_eq!(score.map(|score| score.value.get()), Some(expected), "{output}");
    }
}

#[test]
fn golden_tool_call_accuracy() {
    golden("tool_call_accuracy.jsonl", &[], |vector| {
        let columns = [("messages", "messages"), ("reference_tool_calls", "reference_tool_calls")];
        held(vector, "value", scored("tool_call_accuracy", vector, &columns)?.map(|score| score.value.get()))
    });
}

#[test]
fn golden_tool_call_f1() {
    golden("tool_call_f1.jsonl", &[], |vector| {
        let columns = [("messages", "messages"), ("reference_tool_calls", "reference_tool_calls")];
        held(vector, "value", scored("tool_call_f1", vector, &columns)?.map(|score| score.value.get()))
    });
}

#[test]
fn golden_tool_correctness() {
    golden("tool_correctness.jsonl", &[], |vector| {
        let columns = [("tools_called", "tools_called"), ("expected_tools", "expected_tools")];
        let score = scored("tool_correctness", vector, &columns)?;
        held(vector, "score", score.as_ref().map(|score| score.value.get()))?;
        held(vector, "success", score.and_then(|score| score.parts.get("success")))
    });
}

#[test]
fn golden_function_call() {
    let several = "a call of ours has one name; the original looks for the wanted one among several in one object";
    golden("function_call.jsonl", &[("edge: several names in one call object", several)], |vector| {
        let columns = [("functions", "tools"), ("calls", "tool_calls"), ("possible_answers", "expected_tool_calls")];
        let score = scored("function_call", vector, &columns)?;
        held(vector, "valid", score.as_ref().map(|score| score.value.get()))?;
        let Some(score) = score else { return Ok(()) };
        let expected = &vector["expected"];
        same("error_type", &expected.get("error_type").and_then(Value::as_str), &score.label.as_deref())?;
        let Some(tried) = expected.get("tried").and_then(Value::as_array) else { return Ok(()) };
        let tried: Vec<(usize, &str)> = tried
            .iter()
            .filter_map(|pair| Some((usize::try_from(pair[0].as_u64()?).ok()?, pair[1].as_str()?)))
            .collect();
        let reported: Vec<(usize, &str)> = score
            .evidence
            .iter()
            .filter_map(|piece| Some((piece.place.as_ref()?.index?, piece.note.as_deref()?)))
            .collect();
        same("tried", &tried, &reported)
    });
}

#[test]
fn golden_json_diff() {
    golden("json_diff.jsonl", &[], |vector| {
        let preserve = vector["options"]["preserve_strings"].as_bool().unwrap_or(false);
        let input = &vector["input"];
        let vector = within(vector, 1e-12);
        held(&vector, "score", json_difference(&input["output"], &input["expected"], preserve).ok())
    });
}

#[test]
fn golden_list_contains() {
    golden("list_contains.jsonl", &[], |vector| {
        let allow = vector["options"]["allow_extra_entities"].as_bool().unwrap_or(false);
        let input = &vector["input"];
        let (Some(output), Some(expected)) = (input["output"].as_array(), input["expected"].as_array()) else {
            return held(vector, "score", None);
        };
        held(&within(vector, 1e-12), "score", list_likeness(output, expected, allow).ok())
    });
}

#[test]
fn golden_numeric_diff() {
    golden("numeric_diff.jsonl", &[], |vector| {
        let input = &vector["input"];
        held(vector, "score", numeric_similarity(&input["output"], &input["expected"]).ok())
    });
}

/// The vector with the room that its sums are given.
fn within(vector: &Value, tolerance: f64) -> Value {
    let mut vector = vector.clone();
    if vector.get("tolerance").is_none() {
        vector["tolerance"] = tolerance.into();
    }
    vector
}

/// The cases of a file of rows.
pub fn rows(path: &std::path::Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| row(serde_json::from_str(line).unwrap()).unwrap()).collect()
}

/// What a metric says of a case with its defaults; nothing where it does not apply.
fn plain(metric: &str, case: &Case) -> Option<Score> {
    let definition = registry().get(metric).unwrap();
    let built = definition.build(Value::Null, Profile::Published).unwrap();
    let sample = Sample::from_case(case);
    if definition.missing_input(sample).is_some() {
        return None;
    }
    match built.score(sample).unwrap() {
        Outcome::Scored(score) => Some(score),
        Outcome::Labelled(_) | Outcome::NotApplicable { .. } => None,
    }
}

#[test]
fn every_transcript_of_the_example_fails_for_its_reason() {
    let cases = rows(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/agents/transcripts.jsonl"));
    assert_eq!(cases.len(), 38);
    for case in &cases {
        let value = |metric: &str| plain(metric, case).map(|score| score.value.get());
        let is_low = |metric: &str| value(metric).is_some_and(|value| value < 1.0);
        let has = |tag: &str| case.tags.iter().any(|known| known == tag);
        if has("good") {
            for metric in ["tool_schema", "tool_rules", "loops", "fact_kept"] {
                assert!(!is_low(metric), "{}: {metric} is {:?}", case.id, value(metric));
            }
        }
        for (tag, metric) in [
            ("arguments", "tool_calls"),
            ("calls", "tool_calls"),
            ("schema", "tool_schema"),
            ("rules", "tool_rules"),
            ("loop", "loops"),
            ("changed", "fact_kept"),
        ] {
            assert!(!has(tag) || is_low(metric), "{}: {metric} is {:?}", case.id, value(metric));
        }
        if has("errors") {
            let errors = plain("tool_errors", case).unwrap();
            assert!(errors.value.get() < 1.0 || errors.parts.get("unanswered") > Some(0.0), "{}", case.id);
        }
    }
}

/// Metrics that look at calls.
const ON_CALLS: [&str; 11] = [
    "correct_prefix",
    "function_call",
    "loops",
    "steps",
    "tool_call_accuracy",
    "tool_call_f1",
    "tool_calls",
    "tool_correctness",
    "tool_errors",
    "tool_rules",
    "tool_schema",
];

#[test]
fn what_cannot_be_read_is_an_error_of_every_metric_on_calls_whichever_package_wrote_the_rest() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let fixture: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let mut columns = fixture["row"].as_object().unwrap().clone();
        let lists = ["messages", "contents", "chat_history", "turns", "input"];
        let list = lists.into_iter().find(|name| columns.contains_key(*name)).unwrap();
        columns[list].as_array_mut().unwrap().push(json!({"type": "telepathy_call", "id": "t"}));
        columns.insert("expected_tool_calls".to_owned(), json!([{"name": "weather", "arguments": {"city": "Rome"}}]));
        columns.insert("tools".to_owned(), json!([{"name": "weather", "parameters": {"type": "object"}}]));
        let case = row(columns).unwrap_or_else(|reason| panic!("{}: {reason}", path.display()));
        for metric in ON_CALLS {
            let built = registry().get(metric).unwrap().build(json!({}), Profile::Published).unwrap();
            let told = format!("{:?}", built.score(Sample::from_case(&case)));
            let is_named = told.starts_with("Err(") && told.contains("of type `telepathy_call` cannot be read");
            assert!(is_named, "{}: {metric}: {told}", path.display());
        }
        seen += 1;
    }
    assert!(seen >= 25, "{seen}");
}

#[test]
fn labelled_loops_and_rules() {
    let what = "`loops` and `tool_rules` on labelled transcripts";
    let Some(folder) = probare_testing::external_data("PROBARE_AGENTS_DIR", "agents", what) else { return };
    let cases = rows(&folder.join("transcripts.jsonl"));
    for (metric, bad) in [("loops", "loop"), ("tool_rules", "broken")] {
        let (mut hits, mut false_alarms, mut missed) = (0, 0, 0);
        for case in &cases {
            let Some(verdict) = case.metadata["labels"].get(metric).and_then(|label| label["verdict"].as_str()) else {
                continue;
            };
            let given_label = plain(metric, case).and_then(|score| score.label).unwrap_or_default();
            match (verdict == bad, given_label == bad) {
                (true, true) => hits += 1,
                (false, true) => false_alarms += 1,
                (true, false) => missed += 1,
                (false, false) => continue,
            }
            if verdict != given_label {
                eprintln!("{metric}: {} is {verdict}, and we say {given_label:?}", case.id);
            }
        }
        eprintln!("{metric}: {hits} found, {false_alarms} false alarms, {missed} missed");
        assert!(hits * 10 >= (hits + false_alarms) * 9 && hits * 10 >= (hits + missed) * 7, "{metric}");
    }
}
