//! [`Corpus`]: an index, and the models that answer questions about it.

use std::sync::Arc;

use probare_core::ErrorKind;
use probare_retrieval::answer::{self, PromptReply, PromptRequest};
use probare_retrieval::{Embedder, Index, RetrievalError};
use probare_runner::Asked;

use crate::{AnswerError, Answerer};

/// An index, and the models that answer questions about it.
pub struct Corpus {
    index: Index,
    embedder: Option<Embedder>,
    asked: Arc<Asked>,
    models: Vec<String>,
}

impl Corpus {
    /// An index that is open, who embeds questions where it has vectors, and models that are open under these names.
    pub const fn new(index: Index, embedder: Option<Embedder>, asked: Arc<Asked>, models: Vec<String>) -> Self {
        Self { index, embedder, asked, models }
    }
}

impl Answerer for Corpus {
    fn models(&self) -> &[String] {
        &self.models
    }

    fn answer(&self, request: &PromptRequest) -> Result<PromptReply, AnswerError> {
        let Some(client) = self.asked.client(&request.model) else { return Err(AnswerError::Corpus) };
        let answered = answer::prompt(&self.index, self.embedder.as_ref(), client, request);
        answered.map(|(reply, _)| reply).map_err(|error| match error {
            answer::AnswerError::Request(reason) => AnswerError::Question { reason },
            answer::AnswerError::Search(RetrievalError::Filter(error)) => {
                AnswerError::Question { reason: error.to_string() }
            }
            // What happened in detail may name files of this machine, or repeat what was asked.
            answer::AnswerError::Model { kind: ErrorKind::TimedOut | ErrorKind::Cancelled, .. } => AnswerError::Late,
            answer::AnswerError::Model { kind, .. } => AnswerError::Model { reason: reason(kind).to_owned() },
            _ => AnswerError::Corpus,
        })
    }
}

fn reason(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Refused => "the model declined to answer",
        ErrorKind::Unparseable => "the model's reply has no answer with citations",
        ErrorKind::Missing => "no reply of the model is recorded for this question",
        _ => "the model could not be asked",
    }
}
