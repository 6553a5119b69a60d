//! What metrics say of labelled transcripts: how often a verdict is right, and how many are found.
//!
//! `tests/labelled/agents` was written from the definitions before the rules and is kept apart; a second set stands outside of the
//! repository and is left out where it is absent.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use probare_core::{Case, Outcome, Profile, Sample, Score};
use probare_metrics::registry;
use probare_testing::external_data;
use serde_json::{Map, Value, json};

use crate::agents::{row, rows};

/// A metric, the label that accuses, and what is wanted at least of this set: precision and recall.
struct Floor {
    metric: &'static str,
    accuses: &'static str,
    precision: f64,
    recall: f64,
}

const METRICS: [(&str, &str); 2] = [("loops", "loop"), ("fact_kept", "changed")];

fn read(path: &Path) -> Vec<(Case, Map<String, Value>)> {
    let content = fs::read_to_string(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
    let lines = content.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let mut columns: Map<String, Value> = serde_json::from_str(line).unwrap();
            let labels = columns.remove("labels").unwrap();
            for other in ["note", "domain", "kind", "rules"] {
                columns.remove(other);
            }
            (row(columns).unwrap(), labels.as_object().unwrap().clone())
        })
        .collect()
}

/// The conversations of one of our own files, with their labels.
pub(crate) fn own_cases(file: &str) -> Vec<(Case, Map<String, Value>)> {
    read(&own().with_file_name(file))
}

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/labelled/agents/transcripts.jsonl")
}

/// Whether all evidence of a score stands where it says, and how many places it names.
fn lawful(metric: &str, case: &Case, score: &Score) -> usize {
    let mut places = 0;
    for piece in &score.evidence {
        let own = piece.place.iter().map(|place| (place, true));
        for (place, is_own) in own.chain(piece.support.iter().map(|place| (place, false))) {
            let text = case.text_at(place).unwrap_or_else(|| panic!("{} {metric}: {}", case.id, json!(piece)));
            let words = text.get(place.start..place.end);
            assert!(
                words.is_some_and(|words| !is_own || piece.quotes(words)),
                "{} {metric}: {}",
                case.id,
                json!(piece)
            );
            places += 1;
        }
    }
    places
}

/// The label that a metric gives; nothing where it does not apply.
fn label(metric: &str, case: &Case) -> Option<String> {
    let built = registry().get(metric).unwrap().build(Value::Null, Profile::Improved).unwrap();
    match built.score(Sample::from_case(case)).unwrap() {
        Outcome::Scored(score) => score.label.map(std::borrow::Cow::into_owned),
        Outcome::Labelled(_) | Outcome::NotApplicable { .. } => None,
    }
}

/// The label of a person: a word, or an object with a verdict.
fn wanted(label: &Value) -> &str {
    label.as_str().or_else(|| label.get("verdict")?.as_str()).unwrap_or_default()
}

/// Precision and recall of the label that accuses; wrong ones are printed.
fn figures(name: &str, cases: &[(Case, Map<String, Value>)], metric: &str, accuses: &str) -> (f64, f64) {
    let (mut right, mut wrong, mut missed, mut agree) = (0, 0, 0, 0);
    for (case, labels) in cases {
        let expected = wanted(&labels[metric]);
        let found = label(metric, case);
        let found = found.as_deref().unwrap_or("none");
        let is_same = found == expected || found == "none" && matches!(expected, "not_applicable" | "no" | "none");
        agree += usize::from(is_same);
        match (found == accuses, expected == accuses) {
            (true, true) => right += 1,
            (true, false) => wrong += 1,
            (false, true) => missed += 1,
            (false, false) => {}
        }
        if !is_same {
            eprintln!("{name} {metric} {}: {found}, labelled {expected}", case.id);
        }
    }
    let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
    let (precision, recall) = (share(right, right + wrong), share(right, right + missed));
    eprintln!(
        "{name} {metric}: precision {right} of {} ({precision:.3}), recall {right} of {} ({recall:.3}), agreement {agree} of {}",
        right + wrong,
        right + missed,
        cases.len()
    );
    (precision, recall)
}

#[test]
fn labelled_transcripts_of_our_own_keep_their_floors() {
    let cases = read(&own());
    assert!(cases.len() >= 60, "{} transcripts", cases.len());
    let floors = [
        Floor { metric: "loops", accuses: "loop", precision: 0.9, recall: 0.7 },
        Floor { metric: "fact_kept", accuses: "changed", precision: 0.9, recall: 0.7 },
    ];
    let fallen: Vec<&str> = floors
        .iter()
        .filter(|floor| {
            let (precision, recall) = figures("own", &cases, floor.metric, floor.accuses);
            precision < floor.precision || recall < floor.recall
        })
        .map(|floor| floor.metric)
        .collect();
    assert!(fallen.is_empty(), "below their floors: {fallen:?}");
}

/// Values that users gave and calls or answers took up, in sets that were written after the rules: `values_development.jsonl` was used
/// to mend them, `values_heldout.jsonl` only to measure.
#[test]
fn labelled_values_are_kept_or_changed() {
    for (file, floor) in
        [("values_development.jsonl", 0.9), ("values_heldout.jsonl", 0.9), ("conversations.jsonl", 0.9)]
    {
        let cases = own_cases(file);
        let (precision, recall) = figures(file, &cases, "fact_kept", "changed");
        assert!(precision >= floor && recall >= 0.7, "{file}: precision {precision}, recall {recall}");
    }
    // What users of the twelve conversations are told about loops, too.
    assert_eq!(figures("conversations.jsonl", &own_cases("conversations.jsonl"), "loops", "loop"), (1.0, 1.0));
}

#[test]
fn labelled_transcripts_from_outside() {
    let Some(folder) = external_data("PROBARE_AGENTS_DIR", "agents", "labelled transcripts of agents") else { return };
    let cases = read(&folder.join("transcripts.jsonl"));
    for (metric, accuses) in METRICS {
        let (precision, _) = figures("outside", &cases, metric, accuses);
        assert!(precision >= 0.75, "{metric}: {precision}");
    }
}

#[test]
fn every_piece_of_evidence_points_to_its_words() {
    let mut pieces = 0;
    for (case, _) in read(&own()) {
        for metric in registry().iter().filter(|metric| metric.family == "agents") {
            let Ok(built) = metric.build(Value::Null, Profile::Improved) else { continue };
            let Ok(Outcome::Scored(score)) = built.score(Sample::from_case(&case)) else { continue };
            pieces += lawful(metric.id, &case, &score);
        }
    }
    // More than 300 before five metrics were retired.
    assert!(pieces > 250, "{pieces} places");
}

#[test]
fn every_metric_that_can_be_is_taken_per_turn() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/agents/transcripts.jsonl");
    let cases = rows(&example);
    let (mut taken, mut refused, mut places) = (Vec::new(), Vec::new(), 0);
    for metric in registry().iter() {
        // The options of a score per turn are nobody else's.
        let schema = (metric.schema)().to_value();
        for option in ["per", "over", "only", "passages"] {
            assert!(schema["properties"].get(option).is_none(), "{}: {option}", metric.id);
        }
        if metric.build(Value::Null, Profile::Improved).is_err() {
            continue;
        }
        let built = match metric.build(json!({"per": "turn", "only": "all"}), Profile::Improved) {
            Ok(built) => built,
            Err(error) => {
                assert!(error.to_string().contains("cannot be taken per turn"), "{}: {error}", metric.id);
                assert!(metric.options().to_value()["properties"].get("per").is_none(), "{}", metric.id);
                refused.push(metric.id);
                continue;
            }
        };
        assert!(metric.options().to_value()["properties"].get("per").is_some(), "{}", metric.id);
        taken.push(metric.id);
        for case in &cases {
            let Ok(Outcome::Scored(score)) = built.score(Sample::from_case(case)) else { continue };
            let turns: Vec<f64> =
                score.parts.iter().filter(|(name, _)| name.starts_with("turn.")).map(|(_, value)| value).collect();
            let mean = turns.iter().sum::<f64>() / turns.len() as f64;
            assert!((mean - score.value.get()).abs() < 1e-12, "{} {}", case.id, metric.id);
            places += lawful(metric.id, case, &score);
        }
    }
    for metric in ["fact_kept", "trajectory_match", "precision_at_k"] {
        assert!(refused.contains(&metric), "{metric} is taken per turn");
    }
    for metric in
        ["token_f1", "tool_calls", "loops", "agency_language", "hallucination", "judge_claims", "judge_rubric"]
    {
        assert!(taken.contains(&metric), "{metric} is not taken per turn");
    }
    assert!(places > 300, "{places} places");
}

#[test]
fn five_hundred_calls_against_five_hundred() {
    let calls = |shift: usize| -> Vec<Value> {
        (0..500)
            .map(|at| json!({"name": "f", "arguments": {"n": (at + shift) % 500, "text": format!("t{}", at % 7)}}))
            .collect()
    };
    let columns = json!({"tool_calls": calls(250), "expected_tool_calls": calls(0)});
    let case = row(columns.as_object().unwrap().clone()).unwrap();
    let built = registry().get("tool_calls").unwrap().build(json!({"partial": true}), Profile::Improved).unwrap();
    let start = Instant::now();
    let outcome = built.score(Sample::from_case(&case)).unwrap();
    let took = start.elapsed();
    eprintln!("500 calls against 500: {took:?}");
    assert_eq!(outcome.score().unwrap().parts.get("called"), Some(500.0));
    // The aim of 200 ms is for a release; a busy machine and this profile have more time.
    assert!(took.as_secs() < 20, "{took:?}");
}
