//! The suites against their golden vectors, on their examples, and on whatever else a file may hold.

#![allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need")]

mod examples_synthesis;
mod golden_synthesis;
mod labelled_synthesis;
mod rag;
mod sgi;
mod socioscope;
mod synthlink;
