//! What the crate promises, against a server that makes trouble on purpose.

#![allow(clippy::disallowed_methods, reason = "tests and measurements start programs of their own")]

mod canary;
mod embedding;
mod fallback;
mod fault_table;
mod faults;
mod kill;
mod kinds;
mod money;
mod providers;
mod proxy;
mod record;
mod safety;
mod storm;
mod support;
