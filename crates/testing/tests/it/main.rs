//! Checks on the project itself.

#![allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need")]

mod tidy;
