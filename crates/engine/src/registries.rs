//! [`Registries`]: the metrics and benchmarks that a program knows. Whoever starts hands it in, so the engine knows none by name.

use probare_core::{Benchmark, Registry};

/// What can be computed by name.
#[derive(Debug, Clone, Copy)]
pub struct Registries {
    /// All metrics, those of benchmarks included.
    pub metrics: &'static Registry,
    /// Looks up a benchmark by its id.
    pub benchmark: fn(&str) -> Option<&'static dyn Benchmark>,
}

impl Registries {
    /// The general metrics, and no benchmark.
    pub fn without_benchmarks() -> Self {
        Self { metrics: probare_metrics::registry(), benchmark: |_| None }
    }
}
