//! Golden vectors. Those of the published catalogue need its six files, which `PROBARE_SYNTHLINK_DIR` names; those of
//! our own catalogue need nothing.

use std::path::PathBuf;

use probare_benchmarks::synthlink::deep_search::measures::{ReasoningSteps, WordInterner, parse_topics};
use probare_benchmarks::synthlink::{Catalogue, SynthLinkSummary, SystemScores, catalogue, files};
use probare_metrics::claim_spans::claim_spans;
use probare_testing::{GoldenTally, close, external_data, golden_json, list, number, same, text};
use serde_json::{Value, json};

use super::{example_catalogue, examples, run_on_document, run_suite};

const COLUMNS: [&str; 6] = files::COLUMNS;

fn published() -> Option<(Catalogue, PathBuf)> {
    let folder = external_data("PROBARE_SYNTHLINK_DIR", "synthlink", "the published SynthLink catalogue")?;
    Some((catalogue::load(&folder).expect("the published catalogue is good"), folder))
}

/// Scores golden predictions.
fn scores(folder: &std::path::Path, document: &str, missing: &str) -> SystemScores {
    let ran = run_on_document(folder, document.as_bytes(), &json!({"missing": missing}))
        .expect("golden predictions are good");
    let [published, _] = ran.readings;
    published
}

fn check_numbers(expected: &Value, got: [f64; 6]) -> Result<(), String> {
    COLUMNS.iter().zip(got).try_for_each(|(name, got)| close(name, number(expected, name)?, got, 1e-9))
}

fn check_summary(expected: &Value, summary: &SynthLinkSummary, tally: &mut GoldenTally) {
    let categories = expected["per_category"].as_array().into_iter().flatten();
    for (expected, group) in categories.zip(&summary.categories) {
        let name = group.category.clone().unwrap_or_default();
        let named = text(expected, "category").and_then(|expected| same("category", expected, name.as_str()));
        tally.check(&name, named.and_then(|()| check_numbers(expected, group.means.expect("a category has rows"))));
    }
    let count = expected["per_category"].as_array().map(Vec::len);
    tally.check("number of categories", same("categories", &count, &Some(summary.categories.len())));
    let overall = number(expected, "overall");
    tally.check(
        "overall",
        overall.and_then(|value| close("overall", value, summary.overall.aggregate().unwrap_or(0.0), 1e-9)),
    );
}

#[test]
fn golden_published_predictions() {
    let Some((catalogue, folder)) = published() else { return };
    let mut document = None;
    golden_json("synthlink", "predictions.json", |value, tally| {
        document = Some(value.to_string());
        tally.check("predictions", if value.is_array() { Ok(()) } else { Err("no list".into()) });
    });
    let Some(document) = document else { return };
    golden_json("synthlink", "expected.json", |expected, tally| {
        for (key, missing) in [("missing_skip", "skip"), ("missing_zero", "zero")] {
            let (expected, scores) = (&expected[key], scores(&folder, &document, missing));
            let questions = expected["per_question"].as_array().expect("a list of questions");
            tally.check(key, same("rows", &questions.len(), &scores.rows.len()));
            for (expected, row) in questions.iter().zip(&scores.rows) {
                let question = &catalogue.questions()[row.question];
                let result = text(expected, "question_id")
                    .and_then(|id| same("question", id, question.id.as_str()))
                    .and_then(|()| text(expected, "category"))
                    .and_then(|category| same("category", category, question.category.as_str()))
                    .and_then(|()| check_numbers(expected, row.with_aggregate()));
                tally.check(&format!("{key} {}", question.id), result);
            }
            let summary = SynthLinkSummary::new(&catalogue, &scores, 1);
            check_summary(expected, &summary, tally);
            let line = files::overall_text(&summary);
            tally.check(
                "text",
                text(expected, "overall_txt").and_then(|expected| same("text", expected, line.as_str())),
            );
            tally.check(
                "answered",
                close("answered", number(expected, "answered").unwrap_or(-1.0), summary.overall.answered as f64, 0.0),
            );
            tally.check("total", close("total", number(expected, "total").unwrap_or(-1.0), scores.total as f64, 0.0));
            let mut warnings: Vec<&str> = scores.warnings.iter().map(String::as_str).collect();
            warnings.sort_unstable();
            let mut expected_names: Vec<&str> =
                list(expected, "warnings").unwrap_or_default().iter().filter_map(Value::as_str).collect();
            expected_names.sort_unstable();
            tally.check("warnings", same("warnings", &expected_names, &warnings));
        }
    });
}

#[test]
fn golden_published_ceiling() {
    let Some((catalogue, folder)) = published() else { return };
    golden_json("synthlink", "gold_ceiling.json", |expected, tally| {
        let perfect: Vec<Value> = catalogue
            .questions()
            .iter()
            .map(|question| {
                let summary = &question.summary;
                serde_json::json!({
                    "question_id": question.id,
                    "predicted_answer": summary,
                    "retrieved_docs": question.topics,
                    "iterations": [{"answers": [summary]}],
                    "sources_verified": [summary],
                })
            })
            .collect();
        let scores = scores(&folder, &Value::Array(perfect).to_string(), "skip");
        check_summary(expected, &SynthLinkSummary::new(&catalogue, &scores, 1), tally);
    });
}

#[test]
fn golden_published_catalogue() {
    let Some((catalogue, _)) = published() else { return };
    assert_eq!(catalogue.questions().len(), 60);
    assert!(catalogue.questions().iter().all(|question| question.steps.len() == 4));
    let topics = |count: usize| catalogue.questions().iter().filter(|question| question.topics.len() == count).count();
    assert_eq!((topics(2), topics(1)), (52, 8));
    golden_json("synthlink", "units.json", |document, tally| {
        for case in document["steps"].as_array().into_iter().flatten() {
            let result = text(case, "id").and_then(|id| {
                let question = catalogue.get(id).ok_or("no such question")?;
                let expected: Vec<&str> = list(case, "steps")?.iter().filter_map(Value::as_str).collect();
                same("steps", &expected, &question.steps)
            });
            tally.check(&format!("steps {}", case["id"]), result);
        }
        for case in document["topics"].as_array().into_iter().flatten() {
            let result = text(case, "id").and_then(|id| {
                let question = catalogue.get(id).ok_or("no such question")?;
                let expected: Vec<&str> = list(case, "topics")?.iter().filter_map(Value::as_str).collect();
                same("topics", &expected, &question.topics)
            });
            tally.check(&format!("topics {}", case["id"]), result);
        }
    });
}

#[test]
fn golden_units() {
    golden_json("synthlink", "units.json", |document, tally| {
        for case in document["steps"].as_array().into_iter().flatten() {
            let steps: Vec<&str> = case["steps"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let mut vocabulary = WordInterner::default();
            let found = ReasoningSteps::new(&steps, &mut vocabulary);
            for (at, expected) in case["keywords"].as_array().into_iter().flatten().enumerate() {
                let expected: Vec<&str> = expected.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                let got: Vec<&str> = found.keywords(at).iter().map(|id| vocabulary.text(*id)).collect();
                tally.check(&format!("keywords {} {at}", case["id"]), same("keywords", &expected, &got));
            }
        }
        for case in document["topics"].as_array().into_iter().flatten() {
            let topics: Vec<&str> = case["topics"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let cell = format!("Topics: {}", topics.join(", "));
            tally.check(&format!("topics {}", case["id"]), same("topics", &topics, &parse_topics(&cell)));
        }
        for (at, case) in document["claims"].as_array().into_iter().flatten().enumerate() {
            let result = text(case, "text").and_then(|answer| {
                let joined =
                    |span: std::ops::Range<usize>| answer[span].split_whitespace().collect::<Vec<_>>().join(" ");
                let got: Vec<String> = claim_spans(answer).map(joined).collect();
                let expected: Vec<&str> = list(case, "claims")?.iter().filter_map(Value::as_str).collect();
                same("claims", &expected, &got)
            });
            tally.check(&format!("claims {at}"), result);
        }
    });
}

#[test]
fn golden_examples() {
    let catalogue = example_catalogue();
    golden_json("synthlink", "examples.json", |document, tally| {
        for (system, rows) in document["systems"].as_object().into_iter().flatten() {
            let path = examples().join(format!("{system}.json"));
            let [scores, _] = run_suite(&examples(), &[path], &json!({}), &[]).expect("it is good").readings;
            tally.check(system, same("rows", &rows.as_object().map(serde_json::Map::len), &Some(scores.rows.len())));
            for row in &scores.rows {
                let id = &catalogue.questions()[row.question].id;
                tally.check(&format!("{system} {id}"), check_numbers(&rows[id.as_str()], row.with_aggregate()));
            }
        }
    });
}
