//! Sentences.

pub mod punkt;
