//! Code: what a response's program does when it is run.

use probare_core::MetricDef;

pub mod code_tests;

pub mod running;

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] = &[&code_tests::DEF];
