//! The two files of a run: questions with answers, and transcripts.

mod corpus;
mod error;
mod fixture;

pub use corpus::{Corpus, Transcript};
pub use error::DataError;
pub use fixture::{Answer, Fixture, Pair, Passage, response};

use error::At;
