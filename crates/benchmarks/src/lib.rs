//! The published benchmarks that Probare reproduces: how their files are read, what they run by default, and the files
//! and texts they put out. The metrics themselves stand in `probare-metrics`.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

mod command;
mod printing;
mod quoted_line;
pub mod quotes;
pub mod rag;
mod report_name;
pub mod sgi;
pub mod socioscope;
pub mod synthesis;
pub mod synthlink;

use probare_core::Suite;
use probare_engine::Catalogue;

pub use command::Benchmark;

/// All suites. Adding one costs a folder and a line here.
#[rustfmt::skip]
pub static BENCHMARKS: &[&dyn Benchmark] = &[
    &quotes::Quotes,
    &rag::Rag,
    &sgi::Sgi,
    &socioscope::Socioscope,
    &synthesis::Synthesis,
    &synthlink::SynthLink,
];

/// The benchmark of this id.
pub fn benchmark(id: &str) -> Option<&'static dyn Benchmark> {
    BENCHMARKS.iter().copied().find(|benchmark| benchmark.id() == id)
}

/// The same without its command.
pub fn suite(id: &str) -> Option<&'static dyn Suite> {
    benchmark(id).map(|benchmark| benchmark as &dyn Suite)
}

/// All metrics and benchmarks, for whoever starts a run.
pub fn catalogue() -> Catalogue {
    Catalogue { metrics: probare_metrics::registry(), benchmark: suite }
}
