//! `probare._probare`: the engine as Python calls it.
//!
//! Everything goes the one road of [`probare_engine`]: rows and Arrow batches are sources ([`sources`]), results are taken by
//! a sink ([`row_results`]). The package around this module, in `python/probare`, gives it the habits of Python; nothing is
//! computed there.

#![allow(clippy::needless_pass_by_value, reason = "what comes from Python is made for the call")]
#![allow(clippy::redundant_closure, reason = "a method of `Python` is not general enough in its lifetime")]
#![allow(clippy::redundant_closure_for_method_calls, reason = "as above")]
#![allow(clippy::result_large_err, reason = "a fault becomes an exception at once; nothing is passed on in a loop")]

mod annotations;
mod arrow;
mod catalogue;
mod column_checks;
mod comparison;
mod evidence_column;
mod failure;
mod interrupt;
mod metrics;
mod objects;
mod own_metrics;
mod packed_evidence;
mod python_json;
mod rereport;
mod results;
mod row_results;
mod scorer;
mod scoring;
mod sources;
mod summaries;
mod verification;

use pyo3::prelude::*;

/// The engine of the package `probare`.
#[pymodule]
mod _probare {
    #[pymodule_export]
    use crate::catalogue::{asking, catalogue, check_output, explain, holds_texts, is_higher_better, request, version};
    #[pymodule_export]
    use crate::comparison::{Comparison, compare_files, compare_results};
    #[pymodule_export]
    use crate::interrupt::Interrupt;
    #[pymodule_export]
    use crate::python_json::row_text;
    #[pymodule_export]
    use crate::rereport::report_cases;
    #[pymodule_export]
    use crate::results::Results;
    #[pymodule_export]
    use crate::scorer::Scorer;
    #[pymodule_export]
    use crate::scoring::score;
    #[pymodule_export]
    use crate::summaries::Summary;
    #[pymodule_export]
    use crate::verification::verify;

    #[pymodule_export]
    use crate::command_line;
}

/// Does what the command line asks for and gives the code that the program should end with.
#[pyfunction]
fn command_line(py: Python<'_>, arguments: Vec<String>) -> u8 {
    py.detach(|| probare_cli::run(arguments))
}
