//! `probare._probare`: the engine as Python calls it.
//!
//! Everything goes the one road of [`probare_runner`]: rows and Arrow batches are sources ([`sources`]), results are taken by
//! a sink ([`kept`]). The package around this module, in `python/probare`, gives it the habits of Python; nothing is
//! computed there.

#![allow(clippy::needless_pass_by_value, reason = "what comes from Python is made for the call")]
#![allow(clippy::redundant_closure, reason = "a method of `Python` is not general enough in its lifetime")]
#![allow(clippy::redundant_closure_for_method_calls, reason = "as above")]
#![allow(clippy::result_large_err, reason = "a fault becomes an exception at once; nothing is passed on in a loop")]

mod annotations;
mod arrow;
mod asked_columns;
mod comparing;
mod fault;
mod heard;
mod kept;
mod knowing;
mod metrics;
mod objects;
mod pieces;
mod results;
mod retelling;
mod scorer;
mod scoring;
mod sources;
mod summaries;
mod verifying;

use pyo3::prelude::*;

/// The engine of the package `probare`.
#[pymodule]
mod _probare {
    #[pymodule_export]
    use crate::comparing::{Comparison, compare_files, compare_results};
    #[pymodule_export]
    use crate::heard::Interrupt;
    #[pymodule_export]
    use crate::knowing::{asking, catalogue, check_output, explain, holds_texts, request, version};
    #[pymodule_export]
    use crate::results::Results;
    #[pymodule_export]
    use crate::retelling::retold;
    #[pymodule_export]
    use crate::scorer::Scorer;
    #[pymodule_export]
    use crate::scoring::score;
    #[pymodule_export]
    use crate::summaries::Summary;
    #[pymodule_export]
    use crate::verifying::verify;

    #[pymodule_export]
    use crate::command_line;
}

/// Does what the command line asks for and gives the code that the program should end with.
#[pyfunction]
fn command_line(py: Python<'_>, arguments: Vec<String>) -> u8 {
    py.detach(|| probare_cli::run(arguments))
}
