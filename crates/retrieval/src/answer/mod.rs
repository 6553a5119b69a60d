//! Questions answered from passages: what a model is asked, and how its answer is read.
//!
//! The model gets the passages with their numbers and replies in JSON: an answer, and citations, each with the number of a
//! passage and words from it. Whether the words stand there is for the reader of the answer to check; nothing is checked or
//! changed here.

mod prompt;
pub mod remote;
mod reply;

pub use prompt::question;
pub use reply::{CitedAnswer, UnreadableReply, parse_reply};

use probare_core::{ErrorKind, Passage as Given, ReplyContent};
use probare_models::Client;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::{Embedder, Filter, FilterError, Hit, Index, Mode, RetrievalError, SearchRequest, SearchResults};

/// Passages that are given to a model where no number is named.
pub const DEFAULT_K: usize = 10;

/// How often a model is asked again whose reply cannot be read.
const ATTEMPTS: u32 = 2;

/// A question of the published interface: `k`, `filter`, `question` and `model`. Who asks (`auth`) is no part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptRequest {
    /// Most passages.
    #[serde(default = "usual_k")]
    pub k: usize,
    /// Which documents are searched, by their metadata; empty or null for all.
    #[serde(default, deserialize_with = "filter_or_null")]
    #[schemars(with = "Option<Map<String, Json>>")]
    pub filter: Map<String, Json>,
    /// What is asked.
    pub question: String,
    /// Who answers: `provider:model`.
    pub model: String,
}

const fn usual_k() -> usize {
    DEFAULT_K
}

/// A filter, where null lets everything through.
pub fn filter_or_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Json>, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// A passage of the published interface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextItem {
    /// The passage itself.
    pub page_content: String,
    /// Where it comes from.
    #[serde(default)]
    pub metadata: Map<String, Json>,
}

/// The reply of the published interface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptReply {
    /// What was asked.
    pub question: String,
    /// The passages that the model was given, best first.
    pub context: Vec<ContextItem>,
    /// What it answered.
    pub answer: CitedAnswer,
}

/// A question could not be answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The request cannot be used.
    #[error("{0}")]
    Request(String),
    /// Nothing could be searched.
    #[error(transparent)]
    Search(#[from] RetrievalError),
    /// The model did not answer.
    #[error("{reason}")]
    Model {
        /// What kind of failure.
        kind: ErrorKind,
        reason: String,
    },
}

impl PromptRequest {
    /// The search that it asks for.
    pub fn search(&self) -> Result<SearchRequest, AnswerError> {
        if self.k == 0 {
            return Err(AnswerError::Request("`k` is 0; a whole number from 1 is expected".to_owned()));
        }
        if self.question.trim().is_empty() {
            return Err(AnswerError::Request("`question` is empty".to_owned()));
        }
        let filter = Filter::from_json(&Json::Object(self.filter.clone()));
        let filter = filter.map_err(|error: FilterError| AnswerError::Search(error.into()))?;
        Ok(SearchRequest { question: self.question.clone(), k: self.k, filter, mode: Mode::Hybrid })
    }
}

/// Searches the index and asks the model: the whole of the published interface. The client is that of `request.model`.
pub fn answer_prompt(
    index: &Index,
    embedder: Option<&Embedder>,
    client: &Client,
    request: &PromptRequest,
) -> Result<(PromptReply, SearchResults), AnswerError> {
    let search = request.search()?;
    let found = index.search(&search, embedder)?;
    check_found(index, &search, &found)?;
    let answer = ask(client, &request.question, &context_passages(&found.hits), 0)?;
    let item = |given: Given| ContextItem { page_content: given.text, metadata: given.metadata };
    let context = context_passages(&found.hits).into_iter().map(item).collect();
    Ok((PromptReply { question: request.question.clone(), context, answer }, found))
}

/// An error where nothing was found, with the reason: no model is asked about nothing.
pub fn check_found(index: &Index, search: &SearchRequest, found: &SearchResults) -> Result<(), AnswerError> {
    if found.hits.is_empty() {
        return Err(AnswerError::Request(index.empty_search_reasons(search)?.join("; ")));
    }
    Ok(())
}

/// What was found as passages of a case: the metadata of the document, with the id and the place of the passage.
pub fn context_passages(hits: &[Hit]) -> Vec<Given> {
    let given = |hit: &Hit| {
        let mut metadata = hit.metadata.clone();
        metadata.insert("passage".to_owned(), json!(hit.id));
        metadata.insert("start".to_owned(), json!(hit.span.start));
        metadata.insert("end".to_owned(), json!(hit.span.end));
        Given { text: hit.text.clone(), metadata }
    };
    hits.iter().map(given).collect()
}

/// Asks a model about passages; a reply that cannot be read is asked for once more.
pub fn ask(client: &Client, query: &str, context: &[Given], repeat: u32) -> Result<CitedAnswer, AnswerError> {
    let mut unread = String::new();
    for attempt in 0..ATTEMPTS {
        let mut query = question(query, context);
        query.attempt = attempt;
        let answered = client.ask_once(&query, repeat).map_err(|error| match error.reply().content {
            ReplyContent::Failed { kind, reason } => AnswerError::Model { kind, reason },
            _ => AnswerError::Model { kind: ErrorKind::Failed, reason: error.to_string() },
        });
        let answered = match answered {
            // A record that holds one attempt only is no reason to hide what was wrong with it.
            Err(AnswerError::Model { kind: ErrorKind::Missing, .. }) if attempt > 0 => break,
            other => other?,
        };
        match read_content(&answered.entry.reply.content) {
            Err(AnswerError::Model { kind: ErrorKind::Unparseable, reason }) => unread = reason,
            other => return other,
        }
    }
    Err(AnswerError::Model { kind: ErrorKind::Unparseable, reason: unread })
}

/// Reads what became of a question to a model.
pub fn read_content(content: &ReplyContent) -> Result<CitedAnswer, AnswerError> {
    match content.response_text() {
        Ok(text) => parse_reply(text)
            .map_err(|error| AnswerError::Model { kind: ErrorKind::Unparseable, reason: error.to_string() }),
        Err(error) => Err(AnswerError::Model { kind: error.kind(), reason: error.to_string() }),
    }
}
