//! What the crate promises, against a server that makes trouble on purpose.

mod canary;
mod embedding;
mod faults;
mod kill;
mod providers;
mod record;
mod storm;
mod support;
