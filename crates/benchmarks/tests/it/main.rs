//! The suites against their golden vectors, on their examples, and on whatever else a file may hold.

#![allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need")]

// Metrics of benchmarks obey the laws of all metrics.
#[path = "../../../metrics/tests/it/case.rs"]
mod case;
#[path = "../../../metrics/tests/it/changes.rs"]
mod changes;
mod dry_metrics;
mod english;
mod examples_synthesis;
mod golden_synthesis;
#[path = "../../../metrics/tests/it/growth.rs"]
mod growth;
mod interviews_metrics;
mod labelled_synthesis;
#[path = "../../../metrics/tests/it/laws.rs"]
mod laws;
#[path = "../../../metrics/tests/it/pages.rs"]
mod pages;
mod rag;
#[path = "../../../metrics/tests/it/runs.rs"]
mod runs;
#[path = "../../../metrics/tests/it/scripted.rs"]
mod scripted;
mod sgi;
mod sgi_2026_metrics;
mod sgi_metrics;
mod short;
mod socioscope;
mod synthlink;
#[path = "../../../metrics/tests/it/tables.rs"]
mod tables;
#[path = "../../../metrics/tests/it/vectors.rs"]
mod vectors;

use std::sync::LazyLock;

use probare_core::Registry;

pub use probare_benchmarks::FAMILIES;

/// The metrics of benchmarks alone.
pub fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::new(FAMILIES, &[]));
    &REGISTRY
}

/// Those of them with a page, which all have.
pub fn documented() -> impl Iterator<Item = &'static probare_core::MetricDef> {
    registry().iter()
}
