//! [`PromptAnswerer`]: who answers questions about a corpus.

use probare_retrieval::answer::{PromptReply, PromptRequest};

/// Answers questions about a corpus. Called on a thread that may wait.
pub trait PromptAnswerer: Send + Sync {
    /// Models that may be asked, as requests name them; the first answers where none is named.
    fn models(&self) -> &[String];

    /// An answer with what it rests on. The model is one of [`models`](Self::models).
    fn answer(&self, request: &PromptRequest) -> Result<PromptReply, PromptError>;
}

/// Why there is no answer. Texts are shown to the client: they hold neither paths nor keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// The question cannot be answered as it is put: an unknown column, a filter of the wrong kind.
    #[error("{reason}")]
    Question { reason: String },
    /// The model gave no answer that can be used.
    #[error("{reason}")]
    Model { reason: String },
    /// The model did not answer in time.
    #[error("the model did not answer in time")]
    TimedOut,
    /// The corpus could not be searched. What happened is for the operator.
    #[error("the corpus could not be searched")]
    Corpus,
}
