//! Deep search: does an answer that was put together from several documents hold what it should, and how was it found?
//!
//! Five measures and their weighted sum, after the SynthLink benchmark. A case carries the answer as `response`, the
//! expected summary as `reference`, the documents as `retrieved`, and in `metadata` what other benchmarks do not know:
//! `topics`, `steps`, `iterations` and `sources_verified`. Each metric can be told other names for these.

use probare_core::MetricDef;

pub mod answer_f1;
pub mod claim_verification;
pub mod deep_search_aggregate;
pub mod improved;
pub mod iteration_efficiency;
pub mod measures;
pub mod source_precision;
pub mod step_coverage;

pub(crate) mod inputs;

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] = &[
    &answer_f1::DEF,
    &claim_verification::DEF,
    &deep_search_aggregate::DEF,
    &iteration_efficiency::DEF,
    &source_precision::DEF,
    &step_coverage::DEF,
];
