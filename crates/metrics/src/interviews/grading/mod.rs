//! How an answer is graded: by the type of its question, in the published reading or in the careful one.

mod evidence;
mod grade;
mod kind;
mod naming;
mod question;
mod sample;

pub use grade::{Decision, Flag, Grade};
pub use kind::{QuestionType, Settings};
pub use question::Question;
pub use sample::{Graded, lend_wordnet};

pub(crate) use evidence::evidence;
pub(super) use naming::Naming;
pub(super) use sample::Prepared;
