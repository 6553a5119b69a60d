//! The English parser: words per CPU-second on interviews in plain English, and how long its model takes to load.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;

use probare_benchmarks::socioscope::input::Corpus;
use probare_english::Parser;

use crate::processor_time;

/// Prints the lines for loading, tagging and parsing.
pub fn print() -> Result<(), Box<dyn Error>> {
    let text = interview_text()?;
    let parser = Parser::english();
    let words: usize = parser.tag(&text).sentences.iter().map(|sentence| sentence.tokens.len()).sum();
    println!("\n{:48} {:>16}", "parser", "words/CPU-second");
    println!("{:48} {:>13.1} ms", "loading the model", load_milliseconds()?);
    let no_time = "this system does not tell the processor time";
    let tagged = processor_time::rate(words, || {
        black_box(parser.tag(&text));
    })
    .ok_or(no_time)?;
    println!("{:48} {tagged:>16.0}", "tagging");
    let parsed = processor_time::rate(words, || {
        black_box(parser.parse(&text));
    })
    .ok_or(no_time)?;
    println!("{:48} {parsed:>16.0}", format!("tagging and parsing ({words} words of interviews)"));
    Ok(())
}

/// Milliseconds from the bytes of the model to a parser.
fn load_milliseconds() -> Result<f64, Box<dyn Error>> {
    let model = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../nlp/model/english.bin"))?;
    Parser::from_bytes(&model)?;
    let rate = processor_time::rate(1, || {
        black_box(Parser::from_bytes(&model).is_ok());
    });
    Ok(1_000.0 / rate.ok_or("this system does not tell the processor time")?)
}

/// All interviews of the examples, one after the other.
pub fn interview_text() -> Result<String, Box<dyn Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/socioscope/corpus.json");
    let corpus = Corpus::read(&fs::read(&file)?, &file.display().to_string())?;
    let texts: Vec<&str> = corpus.transcripts().iter().map(|transcript| transcript.text.as_str()).collect();
    Ok(texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interviews_are_plain_english() {
        let text = interview_text().unwrap();
        assert!(text.split_whitespace().count() > 3_000 && text.contains(" the "));
    }
}
