//! An exchange on its way through the checkers: all three at once with typed verdicts, or each as a metric.

mod checker;
mod examine;
mod searched;

pub(super) use checker::{Checker, Listed, evidence};
pub use checker::{Manner, Options, Strictness};
pub use examine::Verdicts;
pub(super) use searched::{Message, Reply};
