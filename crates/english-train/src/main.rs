//! Learns the model from a treebank folder and measures it on the test part.
//!
//! ```text
//! cargo run --release -p probare-english-train -- TREEBANK OUT [--parsers 1 …]
//! cargo run --release -p probare-english-train -- --evaluate TREEBANK
//! ```

#![allow(clippy::disallowed_methods, reason = "a tool for developers, not a part of the program")]

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use probare_english::Parser;
use probare_english_train::{TrainOptions, evaluate, run};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--evaluate", treebank] => measure(Path::new(treebank), Parser::english()),
        ["--evaluate", treebank, model] => {
            let bytes = std::fs::read(model)?;
            let start = Instant::now();
            let parser = Parser::from_bytes(&bytes)?;
            eprintln!("loaded in {:?}", start.elapsed());
            measure(Path::new(treebank), &parser)
        }
        [treebank, out, ref rest @ ..] => {
            let path = run(Path::new(treebank), Path::new(out), &options(rest)?)?;
            let parser = Parser::from_bytes(&std::fs::read(path)?)?;
            measure(Path::new(treebank), &parser)
        }
        _ => Err("expected a treebank folder and a folder for the model".into()),
    }
}

fn options(arguments: &[&str]) -> Result<TrainOptions, Box<dyn Error>> {
    let mut options = TrainOptions::default();
    for pair in arguments.chunks(2) {
        let &[name, value] = pair else { return Err(format!("`{}` has no value", pair[0]).into()) };
        let number: usize = value.parse()?;
        match name {
            "--tagger-epochs" => options.tagger_epochs = number,
            "--parser-epochs" => options.parser_epochs = number,
            "--taggers" => options.taggers = number,
            "--parsers" => options.parsers = number,
            "--beam" => options.beam = number,
            "--lag" => options.lag = value.parse()?,
            "--folds" => options.folds = number,
            "--tagger-least" => options.tagger_least = number,
            "--parser-least" => options.parser_least = number,
            "--seed" => options.seed = number as u64,
            _ => return Err(format!("unknown option `{name}`").into()),
        }
    }
    Ok(options)
}

fn measure(treebank: &Path, parser: &Parser) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let report = evaluate(treebank, parser)?;
    let words = report.given_words.words + report.raw_text.words;
    println!("{report}{:.0} words per second", words as f64 / start.elapsed().as_secs_f64());
    Ok(())
}
