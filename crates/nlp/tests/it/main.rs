//! The parser and the claims, with the model that comes with the crate.

mod accuracy;
mod any_text;
mod golden_claims;
mod sentences;
