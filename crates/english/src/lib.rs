//! English sentences, words, tags, lemmas and dependency trees, and the claims that a text makes.
//!
//! The tagger and the parser are linear models with integer weights, learnt from the English Web Treebank of Universal
//! Dependencies, so the same text has the same tree on every machine. The model is part of the program and is loaded on
//! first use; `model/MODEL_CARD.md` says how good it is and how it was made.
//!
//! ```
//! use probare_english::Parser;
//! use probare_english::claims::{ClaimOptions, claims};
//!
//! let document = Parser::english().parse("YouTube was acquired by Google in 2006.");
//! let claims = claims(&document, &ClaimOptions::published());
//! assert_eq!(claims[0].subject.text, "Google");
//! assert_eq!(claims[0].object.text, "YouTube");
//! ```
//!
//! The way of a text: `tokenize` cuts it into words, `sentences` groups them, `tagger` and `lemma` look at each word,
//! `search` finds the tree as the best derivation of the `transition` system under the `weights` of the features in
//! `templates`. The feature `train` adds the module that learns and measures the model.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

pub mod claims;
pub mod labels;
pub mod lexicon;
pub mod text_analysis;

mod bytes;
mod closed_lists;
mod conllu;
mod document;
mod drawing;
mod error;
mod hash;
mod index;
mod lemma;
mod model;
mod parser;
mod search;
mod sentence_analysis;
mod sentences;
mod tagger;
mod templates;
mod tokenize;
pub mod train;
mod transition;
mod weights;
mod word;

pub use document::{ParsedSentence, ParsedText, ParsedToken};
pub use drawing::Strokes;
pub use error::ModelFileError;
pub use labels::Upos;
pub use parser::Parser;

/// A byte range of the text as given, on character boundaries.
pub type Span = std::ops::Range<usize>;
