//! The socioscope suite: its example from file to results, and readers that never panic.

mod example;
mod fuzz;
