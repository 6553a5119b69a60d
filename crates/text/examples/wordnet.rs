//! Builds the WordNet table from a folder, and measures how fast it is used.
//!
//! ```text
//! cargo run --release --example wordnet -- build /usr/share/wordnet crates/text/data/wordnet.bin
//! cargo run --release --example wordnet -- speed
//! ```

#![allow(clippy::disallowed_methods, reason = "a tool for developers, not a part of the program")]

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use probare_text::wordnet::{PartOfSpeech, WordNet, build};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["build", folder, table] => {
            let bytes = build::build(Path::new(folder))?;
            #[expect(clippy::disallowed_methods, reason = "a tool of the house, run by hand")]
            std::fs::write(table, &bytes)?;
            println!("{} bytes", bytes.len());
            Ok(())
        }
        ["speed"] => {
            speed();
            Ok(())
        }
        _ => Err("usage: wordnet build FOLDER TABLE | wordnet speed".into()),
    }
}

/// Runs each kind of look-up over all nouns of WordNet in a scattered order and prints how many it does in a
/// second of one core.
fn speed() {
    let start = Instant::now();
    let wordnet = WordNet::embedded();
    println!("open                {:>12.1} µs", start.elapsed().as_secs_f64() * 1e6);
    let count = u64::from(wordnet.synset_count());
    let synsets: Vec<_> = wordnet.all_synsets().collect();
    // A multiplier without common factors visits every synset once, far from the one before.
    let scattered = (0..count).map(|step| synsets[usize::try_from(step * 1_000_003 % count).unwrap_or(0)]);
    let words: Vec<String> = scattered
        .filter_map(|synset| wordnet.words(synset).into_iter().next())
        .map(|word| word.to_lowercase())
        .collect();
    let clock = Instant::now();
    let measure = |name: &str, act: &dyn Fn(&str) -> usize| {
        let start = seconds_on_core(clock);
        let found: usize = words.iter().map(|word| black_box(act(word))).sum();
        let rate = words.len() as f64 / (seconds_on_core(clock) - start);
        println!("{name:<20}{rate:>12.0} a second, {found} results");
    };
    measure("senses (noun)", &|word| wordnet.senses(word, PartOfSpeech::Noun).count());
    measure("synsets (noun)", &|word| wordnet.synsets(word, PartOfSpeech::Noun).len());
    measure("base_forms (noun)", &|word| wordnet.base_forms(word, PartOfSpeech::Noun).len());
    measure("parts_of_speech", &|word| wordnet.parts_of_speech(word).iter().count());
    measure("synonyms", &|word| wordnet.synonyms(word).len());
    measure("antonyms", &|word| wordnet.antonyms(word).len());
}

/// How long this process has been on a core, so that a busy machine does not spoil the figures; where the system does
/// not tell, how long `clock` has been running.
fn seconds_on_core(clock: Instant) -> f64 {
    let nanoseconds = std::fs::read_to_string("/proc/self/schedstat")
        .ok()
        .and_then(|times| times.split(' ').next().and_then(|time| time.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| clock.elapsed().as_secs_f64(), |time| time / 1e9)
}
