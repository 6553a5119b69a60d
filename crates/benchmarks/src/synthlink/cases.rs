//! Questions and predictions as cases, so that every metric can look at them.

use probare_core::{Case, Output, Passage};
use serde_json::{Map, Value as Json, json};

use super::{CatalogueQuestion, Prediction};

/// Key in the metadata of the system's name, where there are several systems.
pub(super) const SYSTEM: &str = "system";

/// The case of a prediction: the answer as `response`, the summary as `reference`, the documents as `retrieved`, the
/// sources as `context`, and topics, steps and iterations in the metadata.
///
/// Sources stand in `context` rather than in the metadata, so that evidence can point into them.
pub fn case(question: &CatalogueQuestion, prediction: &Prediction<'_>, system: Option<&str>) -> Case {
    let iterations: Vec<Json> = prediction
        .iterations
        .iter()
        .map(|iteration| json!({"answers": iteration.answers.iter().map(AsRef::as_ref).collect::<Vec<&str>>()}))
        .collect();
    let mut case = unanswered(question, system);
    case.metadata.insert("iterations".to_owned(), Json::Array(iterations));
    let text = prediction.predicted_answer.clone().into_owned();
    Case {
        response: Some(Output { text, model: system.map(str::to_owned), repeat: 0 }),
        context: Some(prediction.sources_verified.iter().map(|text| Passage::from(text.as_ref())).collect()),
        retrieved: Some(prediction.retrieved_docs.iter().map(|name| name.as_ref().to_owned()).collect()),
        ..case
    }
}

/// The case of a question that has no prediction.
pub fn unanswered(question: &CatalogueQuestion, system: Option<&str>) -> Case {
    let mut metadata = Map::new();
    metadata.insert("category".to_owned(), json!(question.category));
    metadata.insert("topics".to_owned(), json!(question.topics));
    metadata.insert("steps".to_owned(), json!(question.steps));
    metadata.insert("iterations".to_owned(), Json::Array(Vec::new()));
    if let Some(system) = system {
        metadata.insert(SYSTEM.to_owned(), json!(system));
    }
    Case {
        id: question.id.clone(),
        query: Some(question.text.clone()),
        context: Some(Vec::new()),
        reference: Some(vec![question.summary.clone()]),
        retrieved: Some(Vec::new()),
        tags: vec![question.category.clone()],
        metadata,
        ..Case::default()
    }
}
