//! How an answer to an open question is judged: reading, comparing, and what speaks against it.

pub(crate) mod amounts;
pub(crate) mod answer;
pub(crate) mod calendar;
mod doubts;
pub(crate) mod forms;
pub(crate) mod lexicon;
pub(crate) mod names;
pub(crate) mod numerals;
pub(crate) mod phrase;
pub(crate) mod question;
pub(crate) mod reference_matcher;
mod spans;
pub(crate) mod verdict;
pub(crate) mod word_relation;
pub(crate) mod words;
pub(crate) mod yes_no;
