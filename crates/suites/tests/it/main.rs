//! The suites against their golden vectors.

mod golden_synthesis;
mod labelled_synthesis;
mod socioscope;
mod synthlink;
