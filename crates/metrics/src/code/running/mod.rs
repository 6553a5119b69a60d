//! A response as a program: the code in it, and the tests around it.

pub mod harness;
pub mod solution;
