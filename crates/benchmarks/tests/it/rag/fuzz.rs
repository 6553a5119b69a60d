//! Readers on arbitrary files and evaluation of arbitrary texts: errors that name their file are allowed, panics are not.

use bolero::check;
use probare_benchmarks::rag::{Exchange, read};
use probare_core::Profile;
use serde_json::{Value as Json, json};

use super::evaluated;

#[test]
fn files_of_any_bytes_are_read_or_refused() {
    check!().with_type::<(Vec<u8>, Vec<u8>)>().with_iterations(2_000).for_each(|(conversation, context)| {
        let (conversation, context) = (String::from_utf8_lossy(conversation), String::from_utf8_lossy(context));
        let conversations = [conversation.as_ref(), r#"{"query": "q", "response": "r"}"#];
        for (conversation, context) in conversations.into_iter().zip(["[]", context.as_ref()]) {
            if let Err(error) = read::exchange(("c.json", conversation), ("x.json", context)) {
                assert!(error.to_string().contains(".json`"), "{error}");
            }
        }
    });
}

#[test]
fn any_json_of_the_known_fields_is_read_or_refused() {
    let fields = ["query", "user_message", "response", "assistant_message", "conversation_turns", "role", "message"];
    let lists = ["context", "chunks", "data", "vector_data", "text", "page_content", "content"];
    check!().with_type::<(Vec<(u8, u8, u8)>, String)>().with_iterations(2_000).for_each(|(choices, text)| {
        let object = |names: [&str; 7]| {
            let members = choices.iter().map(|(name, kind, inner)| {
                let inside = names[usize::from(*inner) % names.len()];
                (names[usize::from(*name) % names.len()].to_owned(), value(*kind, inside, text))
            });
            Json::Object(members.collect())
        };
        let (conversation, context) = (object(fields).to_string(), object(lists).to_string());
        match read::exchange(("c.json", &conversation), ("x.json", &context)) {
            Ok(exchange) => drop(evaluated(&exchange, Profile::Published)),
            Err(error) => assert!(error.to_string().contains(".json`"), "{error}"),
        }
    });
}

/// A JSON value of one of the kinds that files hold, with the right ones among them.
fn value(kind: u8, inside: &str, text: &str) -> Json {
    match kind % 8 {
        0 => json!(text),
        1 => json!([text, "The club has 12 boats."]),
        2 => json!([{inside: text}, {"role": "user", "message": text}, {"role": "bot", "message": "12 boats"}]),
        3 => json!({inside: [text]}),
        4 => json!(null),
        5 => json!(kind),
        6 => json!([kind, [text]]),
        _ => json!({inside: {inside: text}}),
    }
}

#[test]
fn any_texts_are_evaluated_in_both_readings() {
    let parts =
        ["12 boats", "$28", "Berlin sold Rome 3 km", "on 5 May 2019", " did not ", "\u{202e}", "שלום", "😀", "\u{0}"];
    check!().with_type::<(String, Vec<u8>, Vec<u8>)>().with_iterations(400).for_each(|(text, bytes, known)| {
        let joined = |choices: &[u8]| -> String {
            choices.iter().map(|choice| parts[usize::from(*choice) % parts.len()]).chain([text.as_str()]).collect()
        };
        let exchange =
            Exchange { query: text.clone(), response: joined(bytes), context: vec![joined(known), text.clone()] };
        for profile in [Profile::Published, Profile::Improved] {
            evaluated(&exchange, profile);
        }
    });
}
