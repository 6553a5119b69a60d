//! Tokens, sentences and keywords against golden vectors of the libraries that define them.

use probare_testing::{GoldenTally, golden, golden_json, list, same, text};
use probare_text::python::lower;
use probare_text::sentences::punkt;
use probare_text::tokens::{Tokens, nltk, synthlink};
use serde_json::Value;

fn texts(tokens: &Tokens) -> Vec<&str> {
    tokens.texts().collect()
}

fn strings<'a>(case: &'a Value, field: &str) -> Result<Vec<&'a str>, String> {
    Ok(list(case, field)?.iter().filter_map(Value::as_str).collect())
}

#[test]
fn golden_word_tokenize() {
    golden("rag_metrics", "word_tokenize.jsonl", |case| {
        let text = text(case, "text")?;
        same("tokens", &strings(case, "tokens")?, &texts(&nltk::words(text)))?;
        same("tokens of lower-cased text", &strings(case, "tokens_lower")?, &texts(&nltk::lower_words(text)))
    });
}

#[test]
fn golden_sentence_split() {
    golden("rag_metrics", "sentence_split_lower.jsonl", |case| {
        let text = text(case, "text")?;
        let sentences: Vec<&str> = punkt::sentences(text).into_iter().map(|span| &text[span]).collect();
        same("sentences", &strings(case, "sentences")?, &sentences)?;
        same("tokens", &strings(case, "tokens")?, &texts(&nltk::lower_words(text)))
    });
}

#[test]
fn golden_keywords() {
    golden("rag_metrics", "completeness.jsonl", |case| {
        for (field, expected) in [("query", "query_keywords"), ("response", "response_keywords")] {
            // The vectors do not list the keywords of a response to an empty query.
            if text(case, "query")?.is_empty() {
                continue;
            }
            let source = text(case, field)?;
            let keywords = nltk::keywords(source);
            for keyword in keywords.iter() {
                same("text of the span", keyword.text, lower(&source[keyword.span]).as_str())?;
            }
            let mut keywords = texts(&keywords);
            keywords.sort_unstable();
            same(expected, &strings(case, expected)?, &keywords)?;
        }
        Ok(())
    });
}

#[test]
fn golden_synthlink_tokens() {
    golden_json("synthlink", "units.json", |document, tally| {
        for (number, case) in document["tokens"].as_array().into_iter().flatten().enumerate() {
            tally.check(&format!("tokens {number}"), synthlink_tokens(case));
        }
        for case in document["steps"].as_array().into_iter().flatten() {
            synthlink_keywords(case, tally);
        }
    });
}

fn synthlink_tokens(case: &Value) -> Result<(), String> {
    same("tokens", &strings(case, "tokens")?, &texts(&synthlink::tokens(text(case, "text")?)))
}

/// Keywords of a step: without the verb that opens it and stop words, stemmed, distinct.
fn synthlink_keywords(case: &Value, tally: &mut GoldenTally) {
    const VERBS: [&str; 9] =
        ["confirm", "research", "link", "synthesize", "understand", "identify", "analyze", "define", "trace"];
    let steps = case["steps"].as_array().into_iter().flatten();
    let keywords = case["keywords"].as_array().into_iter().flatten();
    for (number, (step, expected)) in steps.zip(keywords).enumerate() {
        let tokens = synthlink::tokens(step.as_str().unwrap_or_default());
        let mut found = Vec::new();
        for (index, token) in tokens.texts().enumerate() {
            let is_instruction = index == 0 && VERBS.contains(&token);
            let stem = synthlink::stem(token);
            if !(is_instruction || synthlink::is_stop_word(token) || found.contains(&stem)) {
                found.push(stem);
            }
        }
        let expected: Vec<&str> = expected.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        tally.check(&format!("{} step {}", case["id"], number + 1), same("keywords", &expected, &found));
    }
}
