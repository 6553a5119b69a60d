//! `verify`: a finished run computed again.

use std::path::PathBuf;

use probare_analysis::{VerifyRequest, verify as verified};
use probare_benchmarks::registries;
use probare_models::CacheFile;
use pyo3::prelude::*;
use serde_json::json;

use crate::failure::PyFailure;
use crate::interrupt::{Interrupt, run_interruptibly};

/// Computes a finished run again and compares everything that its file says; what came of it as JSON.
#[pyfunction]
#[pyo3(signature = (results, inputs, record=None, interrupt=None))]
pub fn verify(
    py: Python<'_>,
    results: PathBuf,
    inputs: Vec<PathBuf>,
    record: Option<PathBuf>,
    interrupt: Option<&Bound<'_, Interrupt>>,
) -> PyResult<String> {
    let interrupted = Interrupt::flag(interrupt);
    let record = CacheFile::from_flag(record.as_deref());
    let verdict = run_interruptibly(py, &interrupted, None, || {
        let asked = VerifyRequest {
            inputs: &inputs,
            record,
            interrupted: interrupted.clone(),
            ..VerifyRequest::new(&results, registries())
        };
        Ok(verified(&asked)?)
    })?;
    let disagreements: Vec<String> = verdict.disagreements.iter().map(ToString::to_string).collect();
    let told = json!({
        "agrees": verdict.agrees(),
        "cases": verdict.cases,
        "scores": verdict.scores,
        "spans": verdict.spans,
        "inputs": verdict.inputs,
        "different": verdict.different,
        "disagreements": disagreements,
        "unchecked": verdict.unchecked,
        "notes": verdict.notes,
        "cache": {
            "file": verdict.cache.file.path,
            "named": verdict.cache.file.is_named,
            "used": verdict.cache.used,
            "ignored": verdict.cache.ignored,
        },
    });
    Ok(serde_json::to_string(&told).map_err(|error| PyFailure::data(error.to_string()))?)
}
