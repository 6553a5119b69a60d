//! Numbers written in words: to digits, to words, and a form in which both meet.
//!
//! [`canonical`] brings `twenty-one` and `21`, `2.5 million` and `2500000`, `fifth` and `5th` together, so that answers
//! can be compared. [`cardinal`] and [`ordinal`] spell numbers as the Python library num2words does in English;
//! [`to_number`] reads the first number of a text as word2number does for well-formed input, [`small_number`] a single
//! word.

mod canonical;
mod grammar;
mod spelling;

pub use canonical::{canonical, canonical_aligned, to_number};
pub use grammar::small_number;
pub use spelling::{cardinal, ordinal};

pub(crate) use grammar::{GrammarWord, NumberRank, NumberWord, read_run};
