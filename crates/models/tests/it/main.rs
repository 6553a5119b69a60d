//! What the crate promises, against a server that makes trouble on purpose.

mod canary;
mod embedding;
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
