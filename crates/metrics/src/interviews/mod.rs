//! Quotations: whether what an answer quotes stands in its sources.

use probare_core::MetricDef;

pub mod quotations;
pub mod verbatim;

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] = &[&verbatim::DEF];
