//! `cargo x train`: the English tagger, lemmatiser and parser, learnt from a treebank or measured on it.

use std::path::PathBuf;

use anyhow::{Context, Result};
use probare_nlp::Parser;
use probare_nlp::train::{Options, evaluate, run as learn};

use crate::process::root;

/// Train the English tagger and parser from a treebank, or measure them on it.
///
/// The treebank is a folder with the train, dev and test parts of UD English EWT in CoNLL-U, plain or gzipped. Training
/// is seeded: the same data gives the same file, byte for byte. Run it in release: `cargo run --release -p xtask -- train`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder of the treebank
    treebank: PathBuf,

    /// Measure the model of this crate and train nothing
    #[arg(long)]
    evaluate: bool,

    /// Folder for the model; that of the crate by default
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    if arguments.evaluate {
        print!("{}", evaluate(&arguments.treebank, Parser::english())?);
        return Ok(());
    }
    let out = arguments.out.clone().unwrap_or_else(|| root().join("crates/nlp/model"));
    let path = learn(&arguments.treebank, &out, &Options::default())?;
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    print!("{}", evaluate(&arguments.treebank, &Parser::from_bytes(&bytes)?)?);
    Ok(())
}
