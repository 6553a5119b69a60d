//! `verify`: a finished run computed again.

use std::path::PathBuf;

use probare_models::record_path;
use probare_runner::{Verification, verify as verified};
use pyo3::prelude::*;
use serde_json::json;

use crate::fault::Fault;
use crate::heard::{Interrupt, attentive};

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
    let record = record.unwrap_or_else(record_path);
    let verdict = attentive(py, &interrupted, || {
        let asked =
            Verification { inputs: &inputs, record, interrupted: interrupted.clone(), ..Verification::of(&results) };
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
    });
    Ok(serde_json::to_string(&told).map_err(|error| Fault::data(error.to_string()))?)
}
