//! Socioscope: answers of models to questions about interview transcripts, and the quotations they give.
//!
//! [`input`] reads the questions with their answers and the corpus of transcripts; [`evaluate`] grades every answer and
//! checks every quotation; [`Summary`] has the means per transcript, question type and model; [`output`] writes results,
//! tables and charts; [`page`] shows each answer with what it names and each quotation inside its transcript. The
//! metrics are those of the family `interviews`.

mod evaluate;
pub mod input;
pub mod output;
pub mod page;
mod redact;
mod summary;

pub use evaluate::{AnswerResult, Evaluation, Options, PairResult, evaluate};
pub use redact::Redaction;
pub use summary::{Group, Summary, UNKNOWN_SOURCE};
