//! Experiments by program: the functions of an answer are put into an unfinished program, and the program is run with five
//! sets of data.

pub mod assembly;
pub mod comparison;
pub mod measures;
pub mod trial;

/// How many tests an experiment has.
pub const TESTS: usize = 5;
