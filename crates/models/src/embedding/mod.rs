//! Texts to vectors: all-MiniLM-L6-v2 computed here ([`MiniLm`]), or a server that embeds. [`Embeddings`] answers what metrics ask.

mod embeddings;
mod fetch;
mod vector_cache;

pub use embeddings::Embeddings;
pub use fetch::{HUB, fetch};
pub use probare_minilm::{
    DIMENSIONS, LOCAL_MODELS, LocalModel, MAX_TOKENS, MiniLm, ModelError, ModelFile, Tokenizer, models_folder,
};
