//! Integration tests of the text tools.

#![allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need")]

mod anchors;
mod fuzz_loose_json;
mod libraries;
mod numbers;
mod term_weights;
mod tokens;
mod wordnet;
