//! The suites against their golden vectors.

mod examples_synthesis;
mod golden_synthesis;
mod labelled_synthesis;
mod socioscope;
mod synthlink;
