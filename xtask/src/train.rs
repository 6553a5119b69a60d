//! `cargo x train`: the English tagger, lemmatiser and parser, learnt from a treebank or measured on it.

use std::path::PathBuf;

use anyhow::Result;

use crate::process::{self, cargo, root};

/// Train the English tagger and parser from a treebank, or measure them on it.
///
/// The treebank is a folder with the train, dev and test parts of UD English EWT in CoNLL-U, plain or gzipped. Training
/// is seeded: the same data gives the same file, byte for byte.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder of the treebank
    treebank: PathBuf,

    /// Measure the model that the program has and train nothing
    #[arg(long)]
    evaluate: bool,

    /// Folder for the model; crates/english/model by default
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut train = cargo(&["run", "--release", "--package", "probare-english-train", "--"]);
    let treebank = std::path::absolute(&arguments.treebank)?;
    if arguments.evaluate {
        return process::run(train.arg("--evaluate").arg(treebank));
    }
    let out = arguments.out.as_deref().map(std::path::absolute).transpose()?;
    process::run(train.arg(treebank).arg(out.unwrap_or_else(|| root().join("crates/english/model"))))
}
