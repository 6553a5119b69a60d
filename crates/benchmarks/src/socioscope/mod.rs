//! Socioscope: answers of models to questions about interview transcripts, and the quotations they give.
//!
//! [`input`] reads the questions with their answers and the corpus of transcripts; every answer becomes a case, which the
//! metrics of the family `interviews` grade and whose quotations they check; an [`SocioscopeEvaluation`] is what they found;
//! [`SocioscopeSummary`] has the means per transcript, question type and model; [`output`] writes results, tables and charts;
//! [`page`] shows each answer with what it names and each quotation inside its transcript. [`Socioscope`] puts them
//! together.

mod benchmark;
mod cases;
mod evaluate;
pub mod input;
pub mod interviews;
pub mod output;
pub mod page;
mod panels;
mod policy;
mod publisher;
mod redact;
mod summary;

pub use benchmark::Socioscope;
pub use evaluate::{AnswerResult, PairResult, SocioscopeEvaluation};
pub use redact::Redaction;
pub use summary::{ScoreGroup, SocioscopeSummary, UNKNOWN_SOURCE};
