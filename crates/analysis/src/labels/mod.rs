//! What people say about outputs: [`LabelFile`] keeps it, one line a decision, and is only ever added to; [`LabelTable`] is what it
//! comes to, output by output and person by person; [`Levels`] are the words that stand for numbers.

mod draw_order;
mod file;
mod label_table;
mod levels;

pub use draw_order::{LabelDraw, NextCase, TooFewLabels};
pub(crate) use file::answer_digest;
pub use file::{LabelError, LabelFile, LatestLabel};
pub use label_table::{LabelTable, LabelledOutput};
pub use levels::{LABEL, LevelOfRubric, Levels};

/// What is said where nothing is decided yet: it is kept, and counts for nothing.
pub const DEFER: &str = "defer";
