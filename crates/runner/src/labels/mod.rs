//! What people say about outputs: [`LabelFile`] keeps it, one line a decision, and is only ever added to; [`Labelled`] is what it
//! comes to, output by output and person by person; [`Levels`] are the words that stand for numbers.

mod file;
mod levels;
mod sheet;

pub(crate) use file::answer_digest;
pub use file::{Decision, LabelError, LabelFile};
pub use levels::{LABEL, LevelOfRubric, Levels};
pub use sheet::{Labelled, LabelledOutput};

/// What is said where nothing is decided yet: it is kept, and counts for nothing.
pub const DEFER: &str = "defer";
