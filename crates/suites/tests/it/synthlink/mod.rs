//! SynthLink: golden vectors, the files that are written, and readers that take anything.

mod files;
mod fuzz;
mod golden;
mod report;

use std::path::{Path, PathBuf};

use probare_suites::synthlink::{Catalogue, catalogue};

/// The folder of our own catalogue.
fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/synthlink")
}

/// Our own catalogue of twelve questions.
fn example_catalogue() -> Catalogue {
    catalogue::load(&examples()).expect("the examples are in the repository")
}
