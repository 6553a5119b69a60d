//! The improved definition: a value counts when the answer asserts it.
//!
//! Words are matched in more forms than in the published definition (inflections, spellings of letters, hyphens) and then
//! asked whether they are meant: a word in another sense or part of speech does not count ([`senses`]), nor does one that
//! the sentence denies ([`negation`]) or says is no more ([`former`]). Near spellings count only where they are slips of the pen ([`slips`]), never where
//! they are words of their own. An answer that names everything selects nothing.

mod former;
mod negation;
mod opposites;
mod selection;
mod senses;
mod slips;
mod spellings;
mod table;
mod words;

pub use selection::names_everything;
pub use table::AssertionTable;
