//! Text tools: characters as Python sees them, tokens, sentences, n-grams, term weights, edit distance.
//!
//! Everything here is synchronous, deterministic and free of I/O. Spans are byte ranges in the text as it was given, also
//! where the work is done on a lower-cased or otherwise changed copy.
//!
//! A published metric is defined down to its tokens, so each definition has its own file under [`tokens`], named after
//! the library that made it known. Two of them never share code by accident: where they agree today, they may differ
//! tomorrow.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

pub mod aligned_text;
mod anchor_scan;
pub mod anchors;
pub mod approximate;
mod bit_vectors;
pub mod bits;
pub mod dates;
pub mod distance;
pub mod loose_json;
pub mod ngrams;
pub mod normalise;
pub mod number_words;
pub mod porter;
pub mod python;
pub mod quantities;
pub mod runs;
pub mod sentences;
pub mod sets;
pub mod stopwords;
pub mod subsequence;
mod terms;
pub mod tfidf;
pub mod tokens;
pub mod wordnet;
pub mod words;
