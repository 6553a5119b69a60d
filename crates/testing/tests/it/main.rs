//! Checks on the project itself.

mod tidy;
