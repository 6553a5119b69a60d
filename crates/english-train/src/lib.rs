//! Learning the model from a treebank, and measuring it. Everything is seeded: the same data and options give the same
//! file, byte for byte.

#![allow(clippy::disallowed_methods, reason = "a tool for developers, not a part of the program")]

mod evaluate;
mod lemma;
mod oracle;
mod parser;
mod perceptron;
mod pipeline;
mod sum;
mod tagger;
mod treebank;

use std::fs;
use std::path::{Path, PathBuf};

pub use evaluate::{EvaluationReport, ParserEvaluation, RelationScore, evaluate};
use probare_english::{ModelFileError, Parser, model};

/// Why training or measuring stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A file could not be read or written.
    #[error("cannot access `{}`", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// A part of the treebank is not there, or a file of it is not as CoNLL-U wants it.
    #[error("{0}")]
    Treebank(String),
    /// A model that was just written cannot be read, or the treebank has no root relation.
    #[error("the model is not usable")]
    Model(#[from] ModelFileError),
}

/// How to train. The defaults are those of the model that `probare-english` has.
#[derive(Debug, Clone)]
pub struct TrainOptions {
    /// Passes of each tagger over the data.
    pub tagger_epochs: usize,
    /// Passes of each parser over the data.
    pub parser_epochs: usize,
    /// So many taggers are learnt with different seeds and added up: a vote of linear models, at no cost in use.
    pub taggers: usize,
    /// The same for parsers.
    pub parsers: usize,
    /// Number of hypotheses the parser keeps at most.
    pub beam: usize,
    /// The parser gives up a hypothesis that is further behind the best, counted in updates of a weight.
    pub lag: u16,
    /// Parts into which the data is cut to tag it for the parser.
    pub folds: usize,
    /// Features of the tagger that occur less often are not used.
    pub tagger_least: usize,
    /// Features of the parser that take part in fewer corrections of a first model are not used.
    pub parser_least: usize,
    /// Start of all random sequences.
    pub seed: u64,
}

impl Default for TrainOptions {
    fn default() -> Self {
        Self {
            tagger_epochs: 8,
            parser_epochs: 12,
            taggers: 4,
            parsers: 1,
            beam: 6,
            lag: 80,
            folds: 5,
            tagger_least: 2,
            parser_least: 4,
            seed: 20,
        }
    }
}

/// Learns a model from the training part in `data_dir` and writes it to `out_dir/english.bin`. Progress goes to
/// standard error, with the scores on the development part. The file is written anew after each of the models that are
/// added up, so that an interrupted run leaves a model behind.
pub fn run(data_dir: &Path, out_dir: &Path, options: &TrainOptions) -> Result<PathBuf, TrainError> {
    let train = treebank::load_part(data_dir, "train")?;
    let dev = treebank::load_part(data_dir, "dev")?;
    let path = out_dir.join("english.bin");
    let failed = |source| TrainError::Io { path: path.clone(), source };
    // Said now rather than after the minutes that learning takes.
    fs::create_dir_all(out_dir).map_err(failed)?;
    pipeline::learn(&train, options, |content| {
        let bytes = model::compress(content).map_err(failed)?;
        write_model(&path, &bytes).map_err(failed)?;
        let scores = evaluate::with_given_words(&Parser::from_bytes(&bytes)?, &dev);
        eprintln!("  {} bytes, development part: {scores}", bytes.len());
        Ok(())
    })?;
    Ok(path)
}

fn write_model(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    fs::write(path, bytes)
}
