//! The two files of a run: questions with answers, and transcripts.

mod fixture;

pub use fixture::{Answer, Fixture, Pair, Passage, response};
pub use probare_cases::{Corpus, DataError, Transcript};
