//! The runner as its callers see it.

#![expect(clippy::disallowed_methods, reason = "tests make the files that they look at")]

mod drive;
mod store;
