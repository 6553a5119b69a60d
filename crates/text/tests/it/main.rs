//! Integration tests of the text tools.

mod anchors;
mod libraries;
mod numbers;
mod term_weights;
mod tokens;
mod wordnet;
