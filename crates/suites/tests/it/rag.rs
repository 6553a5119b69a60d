//! The examples of the rag suite, as a user runs them.

use std::fs;
use std::path::{Path, PathBuf};

use probare_metrics::rag::hallucination::Hallucination;
use probare_metrics::rag::verdict::{Status, Thresholds};
use probare_suites::rag::{Evaluator, Exchange, read, report};
use serde_json::{Value as Json, json};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/rag").join(name)
}

fn content(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap()
}

fn exchange(conversation: &str, context: &str) -> Exchange {
    read::exchange((conversation, &content(conversation)), (context, &content(context))).unwrap()
}

fn evaluated(exchange: &Exchange) -> Json {
    report::json(exchange, &Evaluator::default().evaluate(exchange), Some(2.0))
}

#[test]
fn one_wrong_price_is_found_and_the_times_are_borne_out() {
    let exchange = exchange("conversation.json", "context.json");
    let report = evaluated(&exchange);
    let anchors = report["anchors"].as_array().unwrap();
    let unsupported: Vec<&str> = anchors
        .iter()
        .filter(|anchor| anchor["supported"] == false)
        .filter_map(|anchor| anchor["text"].as_str())
        .collect();
    assert!(unsupported.contains(&"$28") && unsupported.contains(&"ticket costs $28"), "{unsupported:?}");
    let time = anchors.iter().find(|anchor| anchor["text"] == "17:45").unwrap();
    assert_eq!(time["evidence"]["text"], "17:45");
    assert_ne!(report["verdict"]["status"], "PASS");
}

#[test]
fn a_chat_log_and_a_vector_store_are_read_as_they_come() {
    let exchange = exchange("chat.json", "vectors.json");
    assert!(exchange.query.starts_with("How many kinds of beans"));
    let report = evaluated(&exchange);
    assert_eq!(report["metrics"]["hallucination"], 0.0, "{report:#}");
    assert_eq!(report["verdict"], json!({"status": "PASS", "reasons": []}));
}

#[test]
fn every_span_of_every_case_shows_its_text() {
    let mut statuses = Vec::new();
    for line in content("cases.jsonl").lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let text = |name: &str| case[name].as_str().unwrap().to_owned();
        let context = case["context"].as_array().unwrap().iter().map(|chunk| chunk.as_str().unwrap().to_owned());
        let exchange = Exchange { query: text("query"), response: text("response"), context: context.collect() };
        for profile in [probare_core::Profile::Reference, probare_core::Profile::Careful] {
            let options = Hallucination { profile, ..Hallucination::default() };
            let evaluation = Evaluator::new(Thresholds::default(), options).unwrap().evaluate(&exchange);
            let report = report::json(&exchange, &evaluation, None);
            for anchor in report["anchors"].as_array().unwrap() {
                let number = |value: &Json| usize::try_from(value.as_u64().unwrap()).unwrap();
                if anchor["type"] == "numeric" || anchor["type"] == "date" {
                    let span = number(&anchor["start"])..number(&anchor["end"]);
                    assert_eq!(exchange.response.get(span), anchor["text"].as_str());
                }
                if let Some(evidence) = anchor.get("evidence") {
                    let chunk = &exchange.context[number(&evidence["chunk"])];
                    let span = number(&evidence["start"])..number(&evidence["end"]);
                    assert_eq!(chunk.get(span), evidence["text"].as_str());
                }
            }
            statuses.push((text("id"), profile.name(), evaluation.judgement(None).status));
        }
    }
    let status = |id: &str, profile: &str| {
        statuses.iter().find(|(known, name, _)| known == id && *name == profile).map(|(_, _, status)| *status)
    };
    assert_eq!(status("pass", "reference"), Some(Status::Pass));
    assert_eq!(status("wrong-price", "reference"), Some(Status::Warn));
    assert_eq!(status("who-bought-whom", "careful"), Some(Status::Warn));
    assert_eq!(status("other-topic", "reference"), Some(Status::Fail));
    assert_eq!(status("other-unit", "careful"), Some(Status::Pass));
    assert_eq!(status("no-context", "reference"), Some(Status::Fail));
}

#[test]
fn any_bytes_are_a_conversation_or_a_clear_error() {
    bolero::check!().with_type::<(Vec<u8>, Vec<u8>)>().for_each(|(conversation, context)| {
        let (conversation, context) = (String::from_utf8_lossy(conversation), String::from_utf8_lossy(context));
        if let Err(error) = read::exchange(("c.json", &conversation), ("x.json", &context)) {
            assert!(error.to_string().contains(".json"), "{error}");
        }
    });
}
