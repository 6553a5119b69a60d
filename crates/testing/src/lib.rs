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
//! Tests that need files which are not part of the repository ask [`external_data`] for them, which says so when they are
//! left out; whatever else keeps a test from running says so through [`skipped`]. [`as_ordinary_user`] runs a test of root
//! once more without its rights. [`TestServer`] answers questions to a model and makes trouble on purpose.

#![allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need")]

mod batch_server;
mod compare;
mod external_data;
mod golden;
mod http_request;
mod ordinary_user;
mod pages;
mod reply_server;
mod server;
mod skipped;
mod tally;

pub use batch_server::BatchServer;
pub use compare::{all_close, close, list, number, same, text};
pub use external_data::external_data;
pub use golden::{Golden, golden, golden_json};
pub use http_request::{HttpRequest, write_json_response};
pub use ordinary_user::as_ordinary_user;
pub use pages::page_examples;
pub use reply_server::ReplyServer;
pub use server::{FixedReply, QuestionStats, ServerBehaviour, TestServer, Trouble};
pub use skipped::{SKIPPED_FILE_VARIABLE, report_skipped};
pub use tally::GoldenTally;
