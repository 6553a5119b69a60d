//! Embeds the lines of a file with all-MiniLM-L6-v2, to look at vectors and to measure.
//!
//! `cargo run -p probare-models --release --example embed -- FILE` prints one vector a line;
//! `… FILE tokens` prints the tokens of each line instead; `… FILE THREADS` prints how many lines a second of processor time and of the clock were embedded, as JSON.

use std::time::Instant;

use probare_models::embedding::MiniLm;
use serde_json::json;

/// Processor seconds of all threads of this program.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(ticks as f64 / 100.0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: embed FILE [THREADS]")?;
    let text = std::fs::read_to_string(path)?;
    let lines: Vec<&str> = text.lines().collect();
    let begin = Instant::now();
    let model = MiniLm::open()?;
    let opened = begin.elapsed().as_secs_f64();
    let Some(threads) = arguments.next() else {
        for vector in model.embed(&lines, 1) {
            println!("{}", json!(vector));
        }
        return Ok(());
    };
    if threads == "tokens" {
        for line in lines {
            println!("{}", json!(model.tokenizer().tokens(line)));
        }
        return Ok(());
    }
    let threads = threads.parse()?;
    let warm = lines.get(..lines.len().min(50)).unwrap_or_default();
    let _ = model.embed(warm, threads);
    let (before, start) = (processor_seconds().unwrap_or_default(), Instant::now());
    let vectors = model.embed(&lines, threads);
    let wall = start.elapsed().as_secs_f64();
    let seconds = processor_seconds().unwrap_or_default() - before;
    let total: f64 = vectors.iter().flatten().map(|number| f64::from(*number)).sum();
    let rows = lines.len();
    println!(
        "{}",
        json!({"rows": rows, "seconds": seconds, "wall": wall, "total": total, "opened": opened,
            "rate": rows as f64 / seconds, "wall_rate": rows as f64 / wall, "version": "probare"})
    );
    Ok(())
}
