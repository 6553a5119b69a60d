//! A catalogue and predictions of any size for the SynthLink suite.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use probare_benchmarks::registries;
use probare_benchmarks::synthlink::{SynthLink, files};
use probare_core::{Benchmark as _, Console};
use probare_engine::{RunOptions, RunRequest, run};
use probare_stats::Random;
use serde_json::json;

use crate::comparison;
use crate::corpus::save;
use crate::processor_time;

/// Predictions that both score: the number of the published figure, and a part of it that does not take minutes.
const FULL_ROWS: usize = 100_000;
const ROWS: usize = 10_000;

/// The opponent by its name: no program of the benchmark's authors is at hand that computes these measures.
const NAME: &str = "synthlink, our Python";

/// Prints the rates of this crate and of the plain Python version of the same five metrics, and their ratio.
///
/// Ours is the whole suite, from the two files to the published files with their intervals; theirs ends with the rows.
pub fn side_by_side(folder: &Path, full: bool) -> Result<(), Box<dyn Error>> {
    let rows = if full { FULL_ROWS } else { ROWS };
    let (catalogue_file, given) = (folder.join("catalogue.jsonl"), folder.join("predictions.json"));
    save(&catalogue_file, catalogue(rows, 1))?;
    save(&given, predictions(rows, 2))?;
    let paths = Paths { catalogue: &catalogue_file, predictions: &given, output: folder.join("synthlink") };
    paths.score()?;
    let scores = fs::read_to_string(paths.output.join(files::SCORES))?;
    let aggregates = scores.lines().skip(1).filter_map(|line| line.rsplit(',').next()?.parse::<f64>().ok());
    let total: f64 = aggregates.sum();
    let arguments = [catalogue_file.display().to_string(), given.display().to_string(), "--json".to_owned()];
    let arguments = arguments.each_ref().map(String::as_str);
    comparison::compare_in_turn(NAME, "synthlink_reference.py", &arguments, (rows, "predictions"), total, |seconds| {
        paths.rate(rows, seconds)
    })
}

/// The files of a run.
struct Paths<'a> {
    catalogue: &'a Path,
    predictions: &'a Path,
    output: PathBuf,
}

impl Paths<'_> {
    /// Runs the whole suite, with its intervals and its files; nothing is printed. Gives the number of cases.
    fn score(&self) -> Result<u64, Box<dyn Error>> {
        let options = json!({"catalog": self.catalogue, "predictions": [self.predictions], "output_dir": self.output});
        let job = SynthLink.open(options, Console { quiet: true, ..Console::default() })?;
        let settings = RunOptions { jobs: Some(NonZeroUsize::MIN), ..RunOptions::default() };
        Ok(run(job, registries(), RunRequest { settings, ..RunRequest::default() })?.driven.cases)
    }

    /// Rows per CPU-second in one window of at least so many seconds.
    fn rate(&self, rows: usize, least: f64) -> Result<f64, Box<dyn Error>> {
        let mut ended = Ok(0);
        let rate = processor_time::rate_in_window(rows, least, || ended = self.score());
        if ended? != rows as u64 {
            return Err("not all rows were scored".into());
        }
        Ok(rate.ok_or("this system does not tell the processor time")?)
    }
}

const WORDS: [&str; 48] = [
    "canal",
    "river",
    "harvest",
    "nitrogen",
    "lamps",
    "cities",
    "engineers",
    "the",
    "of",
    "and",
    "in",
    "to",
    "was",
    "policies",
    "treaty",
    "winter",
    "printing",
    "press",
    "literacy",
    "steam",
    "railways",
    "markets",
    "species",
    "fish",
    "salt",
    "lakes",
    "algae",
    "oxygen",
    "dams",
    "floods",
    "polders",
    "cotton",
    "irrigation",
    "dust",
    "health",
    "streaming",
    "platforms",
    "bank’s",
    "rules",
    "1869",
    "2015",
    "81",
    "vaccines",
    "resistance",
    "genes",
    "discovery",
    "labour",
    "rights",
];

/// `count` questions as JSON lines: `id`, `category`, `question`, `reference`, `topics`, `steps`.
pub fn catalogue(count: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut lines = String::new();
    for number in 0..count {
        let topics: Vec<String> = (0..2).map(|_| words(&mut random, 2)).collect();
        let steps: Vec<String> = (0..4).map(|_| format!("Confirm {}", words(&mut random, 4))).collect();
        let question = json!({
            "id": format!("GEN-{number}"),
            "category": "GEN",
            "question": format!("How did {} change {}?", words(&mut random, 4), words(&mut random, 3)),
            "reference": sentences(&mut random, 2),
            "topics": topics,
            "steps": steps,
        });
        let _ = writeln!(lines, "{question}");
    }
    lines
}

/// One prediction for each of `count` questions, as a JSON array: an answer of four sentences, five documents, two
/// iterations, three sources.
pub fn predictions(count: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = "[".to_owned();
    for number in 0..count {
        let answer = sentences(&mut random, 4);
        let documents: Vec<String> = (0..5)
            .map(|_| format!("https://encyclopedia.example/wiki/{}", words(&mut random, 3).replace(' ', "_")))
            .collect();
        let sources: Vec<String> = (0..3).map(|_| sentences(&mut random, 3)).collect();
        let prediction = json!({
            "question_id": format!("GEN-{number}"),
            "predicted_answer": answer,
            "retrieved_docs": documents,
            "iterations": [{"answers": [sentences(&mut random, 2)], "docs": []}, {"answers": [answer], "docs": []}],
            "sources_verified": sources,
        });
        let separator = if number == 0 { "\n" } else { ",\n" };
        let _ = write!(text, "{separator}{prediction}");
    }
    text.push_str("\n]\n");
    text
}

fn sentences(random: &mut Random, count: usize) -> String {
    let sentence = |random: &mut Random| {
        let mut sentence = words(random, 14);
        // Every word of the list begins with one byte.
        sentence[..1].make_ascii_uppercase();
        sentence + "."
    };
    (0..count).map(|_| sentence(random)).collect::<Vec<_>>().join(" ")
}

fn words(random: &mut Random, count: usize) -> String {
    (0..count).map(|_| WORDS[random.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        assert_eq!(predictions(3, 1), predictions(3, 1));
        assert_ne!(catalogue(3, 1), catalogue(3, 2));
        assert_eq!(catalogue(3, 1).lines().count(), 3);
    }

    #[test]
    fn fewer_predictions_are_the_first_of_more() {
        let (few, many) = (predictions(2, 1), predictions(3, 1));
        assert!(many.starts_with(few.trim_end_matches("\n]\n")));
    }
}
