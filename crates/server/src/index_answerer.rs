//! [`Corpus`]: an index, and the models that answer questions about it.

use std::sync::Arc;

use probare_core::ErrorKind;
use probare_engine::ModelBackend;
use probare_retrieval::answer::{self, PromptReply, PromptRequest};
use probare_retrieval::{Embedder, Index, RetrievalError};

use crate::{PromptAnswerer, PromptError};

/// An index, and the models that answer questions about it.
pub struct IndexAnswerer {
    index: Index,
    embedder: Option<Embedder>,
    asked: Arc<ModelBackend>,
    models: Vec<String>,
}

impl IndexAnswerer {
    /// An index that is open, who embeds questions where it has vectors, and models that are open under these names.
    pub const fn new(index: Index, embedder: Option<Embedder>, asked: Arc<ModelBackend>, models: Vec<String>) -> Self {
        Self { index, embedder, asked, models }
    }
}

impl PromptAnswerer for IndexAnswerer {
    fn models(&self) -> &[String] {
        &self.models
    }

    fn answer(&self, request: &PromptRequest) -> Result<PromptReply, PromptError> {
        let Some(client) = self.asked.client(&request.model) else { return Err(PromptError::Corpus) };
        let answered = answer::answer_prompt(&self.index, self.embedder.as_ref(), client, request);
        answered.map(|(reply, _)| reply).map_err(|error| match error {
            answer::AnswerError::Request(reason) => PromptError::Question { reason },
            answer::AnswerError::Search(RetrievalError::Filter(error)) => {
                PromptError::Question { reason: error.to_string() }
            }
            // What happened in detail may name files of this machine, or repeat what was asked.
            answer::AnswerError::Model { kind: ErrorKind::TimedOut | ErrorKind::Cancelled, .. } => {
                PromptError::TimedOut
            }
            answer::AnswerError::Model { kind, .. } => PromptError::Model { reason: model_error_text(kind).to_owned() },
            _ => PromptError::Corpus,
        })
    }
}

fn model_error_text(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Refused => "the model declined to answer",
        ErrorKind::Unparseable => "the model's reply has no answer with citations",
        ErrorKind::Missing => "no reply of the model is recorded for this question",
        _ => "the model could not be asked",
    }
}
