//! The sandbox as its users see it.

#![allow(clippy::disallowed_methods, reason = "tests make the files that they need")]

mod conda;
mod escapes;
mod neighbours;
mod programs;
