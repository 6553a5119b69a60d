//! Integration tests of the text tools.

mod numbers;
mod tokens;
mod wordnet;
