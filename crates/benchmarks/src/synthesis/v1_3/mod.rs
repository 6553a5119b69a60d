//! Synthesis 1.3: five checks, a posture that sums them up, expected failures per check, and a gate that a negative example which
//! passes does not get through.

mod case_checks;
pub(super) mod console;
mod planted;
mod publisher;
mod report;

pub use case_checks::{CaseVerdict, CheckVerdict, VerdictPolicy};
pub use report::VerdictReport;

pub(super) use planted::{PlantedPublisher, PlantedRow, rows};
pub(super) use publisher::{ReportPublisher, ReportState, Streams};
