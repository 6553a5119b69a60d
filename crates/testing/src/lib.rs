//! What the tests of several crates share.
//!
//! A *golden vector* is an input together with the result that a reference implementation gave for it. The files stand
//! in `tests/golden/<family>/`; the variable `PROBARE_GOLDEN_DIR` points the same tests at another folder with the same
//! file names. [`golden`] reads a file of one JSON object per line, [`golden_json`] a whole JSON document, and
//! [`Golden`] is the same with known disagreements and a least share of agreement.
//!
//! ```no_run
//! use probare_testing::{close, golden, number, text};
//!
//! // in a test whose name contains `golden`
//! golden("text", "word_count.jsonl", |case| {
//!     let words = text(case, "response")?.split_whitespace().count();
//!     close("value", number(case, "value")?, words as f64, 1e-9)
//! });
//! ```
//!
//! Tests that need files which are not part of the repository ask [`outside`] for them, which says so when they are
//! left out; whatever else keeps a test from running says so through [`left_out`]. [`as_ordinary_user`] runs a test of root
//! once more without its rights. [`Server`] answers questions to a model and makes trouble on purpose.

#![allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need")]

mod compare;
mod golden;
mod left_out;
mod ordinary;
mod outside;
mod pages;
mod server;
mod tally;

pub use compare::{all_close, close, list, number, same, text};
pub use golden::{Golden, golden, golden_json};
pub use left_out::{LEFT_OUT, left_out};
pub use ordinary::as_ordinary_user;
pub use outside::outside;
pub use pages::page_examples;
pub use server::{Behaviour, Seen, Server, Trouble};
pub use tally::Tally;
