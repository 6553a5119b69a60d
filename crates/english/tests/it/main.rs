//! The parser and the claims, with the model that comes with the crate.

#![allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need")]

mod accuracy;
mod any_text;
mod golden_claims;
mod sentences;
