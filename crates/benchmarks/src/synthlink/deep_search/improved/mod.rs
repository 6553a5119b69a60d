//! The improved definition of the five measures: statements instead of words.
//!
//! The published measures look at words, so a list of keywords covers every step and a copied page verifies itself. Here
//! an answer is parsed first ([`ParsedAnswer`]). Only sentences that state something count, and not where an answer is largely
//! copied from a source word for word; steps need several of their words in one statement, by lemma and by WordNet; claims need
//! their names, numbers and dates in one source, with the same polarity; documents count once per article.
//!
//! The reading is for English. It looks at the first [`LONGEST`] bytes of an answer and of each source, so that time
//! stays bounded; what lies beyond states nothing.

mod answer;
mod claims;
mod copying;
mod documents;
mod meaning;
mod steps;

pub use answer::{AnswerSentence, ParsedAnswer, SentenceStatus};
pub use claims::{ClaimCheck, ClaimVerdict, verify_claims};
pub use documents::{ArticleFinding, find_articles};
pub use meaning::LONGEST;
pub use steps::{StepMatch, match_steps};

use super::measures::{TokenOverlap, WordInterner};

/// What the statements of an answer share with the summary. Tokens elsewhere in the answer count in its length only.
pub fn statement_overlap(summary: &str, answer: &ParsedAnswer<'_>) -> TokenOverlap {
    let mut vocabulary = WordInterner::default();
    let (summary, stated) = (vocabulary.read(summary), vocabulary.intern_tokens(&answer.stated_tokens()));
    TokenOverlap { answer: answer.tokens().len(), ..TokenOverlap::from_ids(&stated.ids, &summary.ids, &mut vocabulary) }
}
