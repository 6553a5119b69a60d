//! Speed of the SynthLink suite, from the bytes of a file of predictions to its rows, in rows per CPU-second.
//!
//! ```text
//! cargo run --release -p probare-bench --example synthlink -- 100000 FOLDER
//! python3 crates/bench/python/synthlink_reference.py FOLDER/catalogue.jsonl FOLDER/predictions.json --time
//! ```

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use probare_bench::{processor_time, synthlink as inputs};
use probare_suites::synthlink::{Missing, Scorer, Weights, catalogue, predictions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let count: usize = arguments.next().map_or(Ok(100_000), |count| count.parse())?;
    let folder = arguments.next().map_or_else(env::temp_dir, PathBuf::from);
    fs::create_dir_all(&folder)?;
    let (catalogue_file, predictions_file) = (folder.join("catalogue.jsonl"), folder.join("predictions.json"));
    fs::write(&catalogue_file, inputs::catalogue(count, 1))?;
    fs::write(&predictions_file, inputs::predictions(count, 2))?;

    let catalogue = catalogue::load(&catalogue_file)?;
    let mut scorer = Scorer::new(&catalogue, Weights::default());
    let start = processor_time::seconds().ok_or("this system does not tell the processor time")?;
    let bytes = predictions::read(&predictions_file)?;
    let found = predictions::parse(&bytes, "predictions.json")?;
    let read = processor_time::seconds().unwrap_or(start);
    let scores = scorer.score(&found, Missing::Skip);
    let end = processor_time::seconds().unwrap_or(read);
    let mean: f64 = scores.rows.iter().map(|row| row.aggregate).sum::<f64>() / scores.rows.len().max(1) as f64;
    println!(
        "{} rows, {:.3} s of CPU ({:.3} s reading), {:.0} rows per CPU-second, mean aggregate {mean:.6}",
        scores.rows.len(),
        end - start,
        read - start,
        scores.rows.len() as f64 / (end - start)
    );
    Ok(())
}
