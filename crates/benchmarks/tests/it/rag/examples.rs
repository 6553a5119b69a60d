//! The examples of the benchmark, as a user runs them.

use std::fs;
use std::path::Path;

use probare_benchmarks::rag::{Exchange, read};
use probare_core::Profile;
use serde_json::{Value as Json, json};

use super::evaluated;

fn content(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/rag").join(name)).unwrap()
}

fn exchange(conversation: &str, context: &str) -> Exchange {
    read::exchange((conversation, &content(conversation)), (context, &content(context))).unwrap()
}

#[test]
fn one_wrong_price_is_found_and_the_times_are_borne_out() {
    let report = evaluated(&exchange("conversation.json", "context.json"), Profile::Published);
    let anchors = report["anchors"].as_array().unwrap();
    let unsupported: Vec<&str> = anchors
        .iter()
        .filter(|anchor| anchor["supported"] == false)
        .filter_map(|anchor| anchor["text"].as_str())
        .collect();
    assert_eq!(unsupported, ["ticket costs $28", "$28"]);
    let time = anchors.iter().find(|anchor| anchor["text"] == "17:45").unwrap();
    assert_eq!(time["evidence"]["text"], "17:45");
    assert_eq!(report["verdict"]["status"], "WARN");
}

#[test]
fn a_chat_log_and_a_vector_store_are_read_as_they_come() {
    let exchange = exchange("chat.json", "vectors.json");
    assert!(exchange.query.starts_with("How many kinds of beans"));
    // A pronoun as object is asked for as it stands, which the page of the benchmark names among what it cannot see.
    let reasons = json!(["Potential hallucination: Ruth Amsel founded It"]);
    assert_eq!(evaluated(&exchange, Profile::Published)["verdict"], json!({"status": "WARN", "reasons": reasons}));
    assert_eq!(evaluated(&exchange, Profile::Improved)["verdict"], json!({"status": "PASS", "reasons": []}));
}

#[test]
fn each_case_gets_the_verdict_that_its_name_promises() {
    let status = |id: &str, profile: Profile| {
        let cases = content("cases.jsonl");
        let case = cases.lines().map(|line| serde_json::from_str::<Json>(line).unwrap()).find(|case| case["id"] == id);
        let case = case.unwrap();
        let text = |name: &str| case[name].as_str().unwrap().to_owned();
        let passages = case["context"].as_array().unwrap();
        let context = passages.iter().map(|passage| passage.as_str().unwrap().to_owned()).collect();
        let exchange = Exchange { query: text("query"), response: text("response"), context };
        evaluated(&exchange, profile)["verdict"]["status"].as_str().unwrap().to_owned()
    };
    for (id, profile, expected) in [
        ("pass", Profile::Published, "PASS"),
        ("wrong-price", Profile::Published, "WARN"),
        ("who-bought-whom", Profile::Improved, "WARN"),
        ("other-topic", Profile::Published, "FAIL"),
        ("other-unit", Profile::Improved, "PASS"),
        ("no-context", Profile::Published, "FAIL"),
    ] {
        assert_eq!(status(id, profile), expected, "{id}");
    }
}
