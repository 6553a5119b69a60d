//! The two files of a run: questions with answers, and transcripts.

mod fixture;

pub use fixture::{Fixture, FixtureAnswer, FixturePassage, QuestionPair, response_text};
pub use probare_formats::{Corpus, DataError, Transcript};
