//! The published benchmarks that Probare reproduces, a folder each: how their files are read, what they run by default, the
//! metrics that only they use, and the files and texts they put out. General metrics are in `probare-metrics`.

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

/// What `cargo x new-benchmark` writes.
#[cfg(test)]
#[path = "../template/mod.rs"]
mod new_benchmark;

use std::sync::LazyLock;

use probare_core::{Benchmark, MetricDef, Registry};
use probare_engine::Registries;

pub use command::BenchmarkCommand;

/// All benchmarks. Adding one costs a folder and a line here.
#[rustfmt::skip]
pub static BENCHMARKS: &[&dyn BenchmarkCommand] = &[
    &quotes::Quotes,
    &rag::Rag,
    &sgi::Sgi,
    &socioscope::Socioscope,
    &synthesis::Synthesis,
    &synthlink::SynthLink,
];

/// The metrics that only a benchmark uses, by family.
pub static FAMILIES: &[&[&MetricDef]] =
    &[sgi::metrics::FAMILY, socioscope::interviews::FAMILY, synthlink::deep_search::FAMILY];

/// All metrics by id, those of the benchmarks included.
pub fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> =
        LazyLock::new(|| Registry::new(&[probare_metrics::FAMILIES, FAMILIES].concat(), probare_metrics::RETIRED));
    &REGISTRY
}

/// The benchmark of this id, with the flags of its command.
pub fn benchmark_command(id: &str) -> Option<&'static dyn BenchmarkCommand> {
    BENCHMARKS.iter().copied().find(|benchmark| benchmark.id() == id)
}

/// The benchmark of this id.
pub fn benchmark(id: &str) -> Option<&'static dyn Benchmark> {
    benchmark_command(id).map(|benchmark| benchmark as &dyn Benchmark)
}

/// All metrics and benchmarks, for whoever starts a run.
pub fn registries() -> Registries {
    Registries { metrics: registry(), benchmark }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use probare_core::{Benchmark as _, Console};
    use serde_json::json;

    use super::BenchmarkCommand;
    use super::new_benchmark::NewBenchmark;

    #[test]
    fn what_new_benchmark_writes_opens_its_cases() {
        let folder = tempfile::tempdir().unwrap();
        let cases = folder.path().join("cases.jsonl");
        fs::write(&cases, "{\"id\": \"a\", \"response\": \"yes\", \"reference\": \"yes\"}\n").unwrap();
        let mut job = NewBenchmark.open(json!({"cases": cases}), Console::default()).unwrap();
        assert_eq!(job.requests[0].id, "exact_match");
        assert!(job.cases.next_batch().unwrap().is_ok());
        let benchmark: &dyn BenchmarkCommand = &NewBenchmark;
        assert!(benchmark.takes("profile") && benchmark.flags().iter().any(|flag| flag.get_id() == "cases"));
    }
}
