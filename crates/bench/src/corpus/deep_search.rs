//! Answers of deep-search systems as cases: the questions and predictions of [`synthlink`], put together.

use probare_core::{Case, Output, Passage};
use serde_json::{Value as Json, json};

use crate::synthlink;

/// So many cases; an error only if the generator wrote something that is not JSON.
pub fn cases(count: usize, seed: u64) -> serde_json::Result<Vec<Case>> {
    let questions: Vec<Json> =
        synthlink::catalogue(count, seed).lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let predictions: Vec<Json> = serde_json::from_str(&synthlink::predictions(count, seed + 1))?;
    Ok(questions.iter().zip(&predictions).map(|(question, prediction)| case(question, prediction)).collect())
}

fn case(question: &Json, prediction: &Json) -> Case {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let texts = |value: &Json| value.as_array().into_iter().flatten().map(text).collect::<Vec<String>>();
    let metadata = json!({
        "topics": question["topics"],
        "steps": question["steps"],
        "iterations": prediction["iterations"],
        "sources_verified": prediction["sources_verified"],
    });
    Case {
        id: text(&question["id"]),
        query: Some(text(&question["question"])),
        response: Some(Output::new(text(&prediction["predicted_answer"]))),
        context: Some(texts(&prediction["sources_verified"]).iter().map(|text| Passage::from(text.as_str())).collect()),
        reference: Some(vec![text(&question["reference"])]),
        retrieved: Some(texts(&prediction["retrieved_docs"])),
        metadata: metadata.as_object().cloned().unwrap_or_default(),
        ..Case::default()
    }
}
