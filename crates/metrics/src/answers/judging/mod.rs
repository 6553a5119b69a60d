//! How an answer to an open question is judged: reading, comparing, and what speaks against it.

pub(crate) mod amounts;
pub(crate) mod answer;
pub(crate) mod calendar;
mod denials;
pub(crate) mod forms;
pub(crate) mod lexicon;
pub(crate) mod likeness;
pub(crate) mod names;
pub(crate) mod numerals;
pub(crate) mod objections;
pub(crate) mod phrase;
mod proof;
pub(crate) mod question;
mod roles;
pub(crate) mod sound;
mod spans;
pub(crate) mod trial;
mod turned;
pub(crate) mod verdict;
pub(crate) mod words;
pub(crate) mod yes_no;
