//! Corpora on disk, searched by words and by meaning, and questions answered from what is found.
//!
//! [`corpus`] reads transcripts, texts, tables and PDF files; [`passages`](passages::passages) cuts their texts at sentences,
//! with exact places; [`Index`] keeps passages, words, vectors and metadata in a folder that is either whole or not there.
//! A [`SearchRequest`] ranks passages by BM25, by vectors or by both, among the documents that a [`Filter`] lets through, and every
//! [`Hit`] says how its score came about. [`answer`] asks a model with the passages that were found.
//!
//! ```
//! use probare_retrieval::{IndexBuilder, Index, SearchRequest, IndexSettings, corpus};
//!
//! # let folder = tempfile::tempdir()?;
//! # let (texts, place) = (folder.path().join("texts"), folder.path().join("index"));
//! # std::fs::create_dir(&texts)?;
//! # std::fs::write(texts.join("ferry.txt"), "The ferry leaves at six. It carries forty cars.")?;
//! let files = corpus::list_files(&texts, Some(&place))?;
//! let built = IndexBuilder::new(&place, IndexSettings::default()).build(&files, &mut |_| ())?;
//! assert_eq!((built.documents, built.passages), (1, 1));
//!
//! let index = Index::open(&place)?;
//! let found = index.search(&SearchRequest::new("When does the ferry leave?"), None)?;
//! assert_eq!(found.hits[0].document, "ferry.txt");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files that they need"))]

pub mod answer;
pub mod corpus;
mod document_filter;
mod embedder;
mod error;
mod index;
pub mod passages;
mod search;
pub mod stores;
mod tokenizer;

pub use corpus::{CorpusError, CorpusFile, Document};
pub use document_filter::{Condition, Filter, FilterError};
pub use embedder::Embedder;
pub use error::RetrievalError;
pub use index::{
    BuildReport, BuildStage, Header, Index, IndexBuilder, IndexSettings, IndexedFile, IndexedPassage, SkippedFile,
    VectorsInfo,
};
pub use search::{Hit, Mode, SearchRequest, SearchResults, TermShare, VectorShare, WordShare};
pub use tokenizer::terms;
