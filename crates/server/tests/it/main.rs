//! A server in this process, asked over real connections.

#![allow(clippy::disallowed_methods, reason = "tests make the cases that they need")]

mod callers;
mod client;
mod collect;
mod evaluate;
mod expensive;
mod limits;
mod openapi;
mod prompt;
mod refusals;
mod score;
mod traces;
