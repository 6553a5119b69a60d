//! Texts that no one writes, but that files hold: empty, huge, from right to left, of emoji, of a hundred alphabets.

use probare_benchmarks::rag::{Exchange, read};
use probare_core::Profile;
use serde_json::json;

use super::evaluated;

const BOTH: [Profile; 2] = [Profile::Published, Profile::Improved];
const MEGABYTE: usize = 1_000_000;

fn exchange(query: &str, response: impl Into<String>, context: &[&str]) -> Exchange {
    let context = context.iter().map(|passage| (*passage).to_owned()).collect();
    Exchange { query: query.to_owned(), response: response.into(), context }
}

#[test]
fn empty_texts_have_a_verdict() {
    for profile in BOTH {
        let nothing = evaluated(&exchange("", "", &[]), profile);
        assert_eq!(nothing["metrics"]["hallucination"], 0.0, "who says nothing invents nothing");
        let alone = evaluated(&exchange("", "There are boats.", &[]), profile);
        assert_eq!(alone["metrics"]["hallucination"], 1.0, "without passages nothing is borne out");
        let silent = evaluated(&exchange("How many boats are there?", "", &["There are 12 boats."]), profile);
        assert_eq!(silent["metrics"]["relevance"], 0.0);
        assert_eq!(silent["metrics"]["completeness"], 0.0);
        let blank = evaluated(&exchange(" ", "There are 12 boats.", &["", "\n"]), profile);
        assert_eq!(blank["verdict"]["status"], "FAIL");
    }
}

#[test]
fn a_megabyte_without_a_word_is_evaluated_at_once() {
    // A sign of its own is a word for the parser, so there are fewer of these.
    for (unit, count) in
        [("x", MEGABYTE), ("7", MEGABYTE), (" ", MEGABYTE), (".", MEGABYTE), ("ש", MEGABYTE / 2), ("😀", 5_000)]
    {
        let response = unit.repeat(count);
        for profile in BOTH {
            evaluated(&exchange("How many boats are there?", response.as_str(), &["There are 12 boats."]), profile);
        }
    }
}

#[test]
fn a_megabyte_of_sentences_is_evaluated() {
    let sentence = "The harbour has 12 boats, and Birgit sold 300 kg of mussels in May 2019. ";
    let response = sentence.repeat(MEGABYTE / sentence.len() + 1);
    let context = ["The harbour has 12 boats, and Birgit sold 310 kg of mussels in May 2019."];
    let report =
        evaluated(&exchange("How many boats has the harbour?", response.as_str(), &context), Profile::Published);
    let anchors = report["anchors"].as_array().unwrap();
    let unsupported =
        |text: &str| anchors.iter().filter(|anchor| anchor["text"] == text && anchor["supported"] == false).count();
    assert_eq!(unsupported("12"), 0);
    assert_eq!(unsupported("300 kg"), MEGABYTE / sentence.len() + 1);
}

#[test]
fn one_passage_among_ten_thousand_bears_a_claim_out() {
    let passages: Vec<String> = (0..10_000)
        .map(|number| format!("Club {number} has {} boats and sold them in {}.", number + 7, 1_000 + number))
        .collect();
    let exchange = Exchange {
        query: "How many boats has club 9000?".to_owned(),
        response: "Club 9000 has 9007 boats and 20001 members.".to_owned(),
        context: passages,
    };
    let report = evaluated(&exchange, Profile::Published);
    let anchor =
        |text: &str| report["anchors"].as_array().unwrap().iter().find(|anchor| anchor["text"] == text).unwrap();
    assert_eq!(anchor("9007")["evidence"]["chunk"], 8_007, "the first passage with this number");
    assert_eq!(anchor("20001")["supported"], false);
}

#[test]
fn other_scripts_keep_their_spans() {
    let context = ["במועדון יש 12 סירות. المجموع ١٢. 会员有300人。 😀 12 boats 🚤"];
    for response in [
        "יש 12 סירות ו-13 חברים",
        "المجموع ١٢ و 14",
        "会员有300人，费用为$28。",
        "😀 12 boats 🚤🚤 and 👩‍👩‍👧‍👦 15 members",
        "\u{202e}12 boats\u{202c}",
        "Cafe\u{301} 12\u{a0}boats, ½ of them ２０ feet",
    ] {
        for profile in BOTH {
            evaluated(&exchange("How many boats are there? כמה?", response, &context), profile);
        }
    }
}

#[test]
fn a_lone_surrogate_is_refused_with_its_place_and_a_pair_is_read() {
    for lone in [r"\ud800", r"\udc00", r"\ud83d x", r"\ud800\ud800"] {
        let content = format!(r#"{{"query": "q", "response": "{lone}"}}"#);
        let error = read::conversation("c.json", &content).unwrap_err().to_string();
        assert!(error.starts_with("`c.json` is not valid JSON") && error.contains("line 1 column"), "{error}");
    }
    let pair = read::conversation("c.json", r#"{"query": "q", "response": "\ud83d\ude00 12"}"#).unwrap();
    assert_eq!(pair.1, "😀 12");
}

#[test]
fn json_as_deep_as_a_well_is_refused() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let error = read::context("x.json", &deep).unwrap_err().to_string();
    assert!(error.contains("recursion limit"), "{error}");
    let context = json!({"context": ["a", {"text": "b"}, {"content": "c"}]}).to_string();
    assert_eq!(read::context("x.json", &context).unwrap(), ["a", "b", "c"]);
}
