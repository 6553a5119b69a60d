//! Tests of indexes as a whole: made, brought up to date, interrupted, searched.

#![allow(clippy::disallowed_methods, reason = "tests make the files that they need")]

mod building;
#[cfg(unix)]
mod postgres;
mod quality;
mod remote;
mod searching;
mod support;
