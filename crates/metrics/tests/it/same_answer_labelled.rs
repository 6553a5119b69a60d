//! How often the rule of `judge_same_answer` is certain, and how often it is then right.

use std::fs;

use probare_core::{Case, NoBackend, Output, Profile, Sample};
use probare_metrics::registry;
use serde_json::Value;

/// Answers, those of which the rule is certain, and those of these that are judged rightly.
fn measured(part: &str) -> (usize, usize, usize) {
    let path = format!("{}/../../tests/labelled/answer_match/{part}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    let metric = registry().get("judge_same_answer").unwrap().build(Value::Null, Profile::Published).unwrap();
    let (mut all, mut certain, mut right) = (0, 0, 0);
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let words = |name: &str| row[name].as_str().unwrap().to_owned();
        let case = Case {
            id: words("id"),
            query: Some(words("question")),
            response: Some(Output::new(words("answer"))),
            reference: Some(serde_json::from_value(row["golds"].clone()).unwrap()),
            ..Case::default()
        };
        all += 1;
        // Nobody is there to ask: only what the rule decides has a score.
        let Ok(outcome) = metric.score_with("", Sample::from_case(&case), &NoBackend) else { continue };
        certain += 1;
        let same = outcome.score().unwrap().value.get() == 1.0;
        if same == row["correct"].as_bool().unwrap() {
            right += 1;
        } else {
            println!("{part}: wrongly {same}: {row}");
        }
    }
    println!("{part}: certain of {certain} of {all}, {right} of them rightly");
    (all, certain, right)
}

#[test]
fn labelled_the_rule_is_certain_only_where_it_is_right() {
    for part in ["development", "heldout"] {
        let (all, certain, right) = measured(part);
        assert!(certain * 7 >= all, "{part}: the rule decides too little");
        assert!(right as f64 >= certain as f64 * 0.985, "{part}: {right} of {certain}");
    }
}
