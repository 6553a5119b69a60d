//! Judged metrics of retrieval compute what Ragas and DeepEval compute of the same verdicts.

use std::collections::BTreeMap;

use probare_core::{BackendAnswer, Case, JudgeAction, ModelReply, Outcome, Profile, Sample, Scorer};
use probare_metrics::judges;
use probare_testing::golden;
use serde_json::{Value, json};

use crate::registry;

/// Ragas adds 1e-10 to the number of useful passages.
const TOLERANCE: f64 = 1e-9;

/// So many statements, each of which is one for the rule that cuts texts.
fn statements(count: usize) -> String {
    (1..=count).map(|at| format!("Statement {at} stands here.")).collect::<Vec<_>>().join(" ")
}

/// A case whose lists have as many items as there are verdicts.
fn case(metric: &str, lists: &[Vec<bool>]) -> Case {
    let first = lists[0].len();
    let passage = "The source has these words.";
    let fields = match metric {
        "judge_claims" => json!({"response": statements(first), "context": [passage]}),
        "judge_context_recall" => json!({"reference": [statements(first)], "context": [passage]}),
        "judge_context_precision" => json!({"reference": ["An answer."], "context": vec![passage; first]}),
        "judge_context_relevance" => json!({"context": [statements(first)]}),
        "judge_answer_relevancy" => json!({"response": statements(first)}),
        "judge_noise_sensitivity" => json!({
            "response": statements(first),
            "reference": [statements(lists[1].len())],
            "context": vec![passage; (lists.len() - 1) / 2],
        }),
        other => panic!("{other} has no vectors"),
    };
    let mut whole = json!({"id": "1", "query": "What?"});
    whole.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    if let Some(text) = whole.get("response").cloned() {
        whole["response"] = json!({"text": text});
    }
    for passage in whole.get_mut("context").and_then(Value::as_array_mut).into_iter().flatten() {
        *passage = json!({"text": passage});
    }
    serde_json::from_value(whole).unwrap()
}

fn reply(verdicts: &[bool]) -> BackendAnswer {
    let quote = |met: bool| if met { "The source has these words" } else { "" };
    let steps: Vec<Value> = verdicts
        .iter()
        .enumerate()
        .map(|(at, met)| json!({"step": at + 1, "quote": quote(*met), "met": met}))
        .collect();
    BackendAnswer::Reply(ModelReply::text(json!({"steps": steps}).to_string()))
}

#[test]
fn golden_judged_metrics_of_retrieval_have_the_arithmetic_of_ragas_and_deepeval() {
    // Metric and package: sets of verdicts, and the largest difference.
    let mut table: BTreeMap<(String, &str), (usize, f64)> = BTreeMap::new();
    golden("judged_rag", "arithmetic.jsonl", |vector| {
        let metric = vector["metric"].as_str().unwrap();
        let lists: Vec<Vec<bool>> = serde_json::from_value(vector["verdicts"].clone()).unwrap();
        let scorer = registry().get(metric).unwrap().build(vector["options"].clone(), Profile::Published);
        let Ok(Scorer::Judge(judge)) = scorer else { return Err(format!("{metric} is no judge")) };
        let case = case(metric, &lists);
        let sample = Sample::from_case(&case);
        let JudgeAction::Ask(requests) = judge.next_action(sample, &[]).map_err(|error| error.to_string())? else {
            return Err("nothing is asked".to_owned());
        };
        if requests.len() != lists.len() {
            return Err(format!("{} questions, {} lists", requests.len(), lists.len()));
        }
        let replies: Vec<BackendAnswer> = lists.iter().map(|list| reply(list)).collect();
        let JudgeAction::Done(Outcome::Scored(score)) =
            judge.next_action(sample, &replies).map_err(|error| error.to_string())?
        else {
            return Err("there is no score".to_owned());
        };
        for package in ["ragas", "deepeval"] {
            let Some(expected) = vector[package].as_f64() else { continue };
            let difference = (expected - score.value.get()).abs();
            let (count, largest) = table.entry((metric.to_owned(), package)).or_default();
            *count += 1;
            *largest = largest.max(difference);
            if difference > TOLERANCE {
                return Err(format!("{package} gives {expected}, here it is {}", score.value.get()));
            }
        }
        Ok(())
    });
    for ((metric, package), (count, largest)) in &table {
        println!("{metric:24} {package:9} {count:3} sets of verdicts, largest difference {largest:.1e}");
    }
}

#[test]
fn no_judge_lacks_the_digest_of_its_prompt() {
    for metric in registry().iter() {
        let schema = (metric.schema)().to_value();
        if schema["properties"].get("judges").is_none() || schema["properties"].get("prompt").is_none() {
            continue;
        }
        assert!(
            judges::prompt(metric, &Value::Null).is_some_and(|prompt| !prompt.is_empty()),
            "{}: name its prompt with `prompts` in `metric!`, or manifests have no digest of it and estimates no tokens",
            metric.id
        );
    }
    let rubric = registry().get("judge_rubric").unwrap();
    let prompt = |options: Value| judges::prompt(rubric, &options).unwrap().into_owned();
    assert_ne!(prompt(json!({"rubric": "tone"})), prompt(json!({})), "a rubric is part of the prompt");
}
