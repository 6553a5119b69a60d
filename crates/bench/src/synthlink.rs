//! A catalogue and predictions of any size for the SynthLink suite.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use probare_stats::Random;
use probare_suites::synthlink::{Missing, Scorer, Weights, catalogue as questions, predictions as answers};
use serde_json::json;

use crate::{against, processor_time};

/// Predictions that both programs see.
const ROWS: usize = 20_000;

/// Prints the rates of this crate and of the plain Python version of the same five metrics, and their ratio.
pub fn side_by_side(folder: &Path) -> Result<(), Box<dyn Error>> {
    let (catalogue_file, predictions_file) = (folder.join("catalogue.jsonl"), folder.join("predictions.json"));
    fs::write(&catalogue_file, catalogue(ROWS, 1))?;
    fs::write(&predictions_file, predictions(ROWS, 2))?;
    let known = questions::load(&catalogue_file)?;
    let mut scorer = Scorer::new(&known, Weights::default());
    let start = processor_time::seconds().ok_or("this system does not tell the processor time")?;
    let bytes = answers::read(&predictions_file)?;
    let found = answers::parse(&bytes, "predictions.json")?;
    let scores = scorer.score(&found, Missing::Skip);
    let rate = scores.rows.len() as f64 / (processor_time::seconds().unwrap_or(start) - start);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/synthlink_reference.py");
    let files = (catalogue_file.display().to_string(), predictions_file.display().to_string());
    match against::script("python3", &script, &[&files.0, &files.1, "--json"]) {
        Ok(theirs) => {
            let their_rate = theirs.rows as f64 / theirs.seconds;
            let total: f64 = scores.rows.iter().map(|row| row.aggregate).sum();
            let same = if (total - theirs.total).abs() <= 1e-6 * total.abs().max(1.0) { "yes" } else { "no" };
            println!(
                "{:24} {their_rate:>14.0} {rate:>14.0} {:>8.0}x  {same} ({})",
                "synthlink",
                rate / their_rate,
                theirs.version
            );
        }
        Err(reason) => println!("{:24} left out: {reason}", "synthlink"),
    }
    Ok(())
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
}
