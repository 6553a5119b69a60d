//! How close a reply stays to the user's words: shared words and pairs of words, and the opening that is read for an
//! acknowledgement.

mod opening;
mod similarity;

pub use opening::Opening;
pub(super) use similarity::sample_similarity;
pub use similarity::{round_similarity, similarity};
