//! Whether quotations stand where they are said to.
//!
//! A [`QuotationSource`] holds what is cited and searches it: the normal form and the index are made once, at the first quotation
//! that needs them, and shared by all others. [`check`] says how a citation fares, from `exact_occurrences` down to `not_found`;
//! [`Quotations`] are the citations of a case, checked once for all who ask, against its passages and the
//! [`Transcripts`] of the run.

mod alignment;
mod check;
mod citations;
mod counts;
mod difference;
mod omissions;
mod source;
mod transcripts;

pub use check::{NearestPassage, OtherTranscript, QuotationFinding, QuotationStatus, check_citation, source_position};
pub use citations::Quotations;
pub use counts::QuotationCounts;
pub use difference::{QuotationDifference, TextChange};
pub use source::QuotationSource;
pub use transcripts::{TRANSCRIPT_KEY, Transcripts};
