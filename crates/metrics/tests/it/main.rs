//! Tests over all registered metrics: their tables, their pages, their laws, and the golden vectors.

#![allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need")]

mod agents;
mod agents_labelled;
mod answers;
mod calibrated;
mod card;
mod care;
mod case;
mod changes;
mod cheats;
mod faithfulness;
mod falsehoods;
mod golden;
mod growth;
mod injection;
mod judged_rag;
mod labels;
mod laws;
#[path = "../../template/new_metric.rs"]
mod new_metric;
mod pages;
mod quantities;
mod rag;
mod rag_hostile;
mod rag_labelled;
mod runs;
mod same_answer_labelled;
mod scripted;
mod synthesis_1_3;
mod tables;
mod vectors;

pub use probare_metrics::{FAMILIES, registry};

/// Metrics with a page: all, and the one that `cargo x new-metric` writes.
pub fn documented() -> impl Iterator<Item = &'static probare_core::MetricDef> {
    registry().iter().chain([&new_metric::DEF])
}
