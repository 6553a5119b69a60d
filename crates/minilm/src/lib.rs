//! all-MiniLM-L6-v2, computed here: texts to vectors.
//!
//! [`MiniLm`] reads the published weights and computes on the processor: `WordPiece` with the cut at 256 tokens, six
//! layers, the mean over all tokens, unit length. Every number is the outcome of the same operations in the same order
//! whatever else is computed beside it, so a vector depends on its text alone: not on its batch, not on the number of
//! threads, not on how wide the registers of the machine are.

mod arithmetic;
mod files;
mod matrix;
mod minilm;
mod safetensors;
mod tokenizer;

pub use files::{LOCAL_MODELS, LocalModel, ModelError, ModelFile, models_folder};
pub use minilm::{DIMENSIONS, MiniLm};
pub use tokenizer::{MAX_TOKENS, Tokenizer};
