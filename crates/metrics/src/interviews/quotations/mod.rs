//! Whether quotations stand where they are said to.
//!
//! A [`Source`] holds what is cited and searches it: the normal form and the index are made once, at the first quotation
//! that needs them, and shared by all others. [`check`] says how a citation fares, from `exact` down to `not_found`;
//! [`Quotations`] are the citations of a case, checked once for all who ask, against its passages and the
//! [`Transcripts`] of the run.

mod alignment;
mod check;
mod difference;
mod elided;
mod existence;
mod quoted;
mod source;
mod transcripts;

pub use check::{Elsewhere, Finding, Near, Status, check, place};
pub use difference::{Change, Difference};
pub use existence::Existence;
pub use quoted::Quotations;
pub use source::Source;
pub use transcripts::{TRANSCRIPT, Transcripts};
