//! From rows to results: a [`Plan`] says which metrics are computed with which options; [`drive`] reads cases, scores
//! them on all cores and hands [`Event`](probare_core::Event)s to a [`Sink`](probare_core::Sink) in input order;
//! [`verify`] does the same again and holds the outcome against a file of results.
//!
//! The bytes that come out do not depend on the number of threads, and memory does not depend on the number of cases.

mod drive;
mod plan;
mod verify;

pub use drive::{DriveError, DriveOptions, Driven, drive};
pub use plan::{MetricRequest, Plan, PlanError, PlannedMetric};
pub use verify::{Disagreement, Verdict, VerifyError, recorded_metrics, verify};
