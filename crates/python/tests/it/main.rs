//! What can be said about the wheel without an interpreter. The rest of its tests are pytest's, beside this folder.

#![allow(clippy::disallowed_methods, reason = "a generated file is written by its test")]

#[path = "../../src/annotations.rs"]
mod annotations;
mod stubs;
