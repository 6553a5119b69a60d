//! Whether quotations stand where they are said to.
//!
//! A [`Text`] owns what is cited, a [`Source`] searches it: the normal form and the index are made once, at the first
//! quotation that needs them, and shared by all others. [`check`] says how a citation fares, from `exact` down to
//! `not_found`.

mod check;
mod difference;
mod elided;
mod existence;
mod source;

pub use check::{Finding, Near, Status, check, place};
pub use difference::{Change, Difference, difference};
pub use existence::Existence;
pub use source::{Source, Text};
