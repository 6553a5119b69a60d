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
//! `templates`. The crate `english-train` learns and measures the model; for it alone are those of these modules public that
//! hold the parts of the model.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

pub mod claims;
pub mod labels;
pub mod lexicon;
pub mod text_analysis;

#[doc(hidden)]
pub mod bytes;
mod closed_lists;
mod conllu;
mod document;
mod drawing;
mod error;
mod hash;
#[doc(hidden)]
pub mod index;
#[doc(hidden)]
pub mod lemma;
#[doc(hidden)]
pub mod model;
mod parser;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod sentence_analysis;
mod sentences;
#[doc(hidden)]
pub mod tagger;
#[doc(hidden)]
pub mod templates;
mod tokenize;
#[doc(hidden)]
pub mod transition;
#[doc(hidden)]
pub mod weights;
#[doc(hidden)]
pub mod word;

pub use document::{ParsedSentence, ParsedText, ParsedToken};
pub use drawing::Strokes;
pub use error::ModelFileError;
pub use labels::Upos;
pub use parser::Parser;

/// A byte range of the text as given, on character boundaries.
pub type Span = std::ops::Range<usize>;
