//! all-MiniLM-L6-v2 on 2,000 made-up sentences, and beside it what Python has.

use std::error::Error;
use std::path::Path;

use probare_models::embedding::{LOCAL_MODELS, MiniLm, models_folder};
use probare_stats::Random;

use crate::comparison::{self, Measurement, RUNS};
use crate::{corpus, processor_time};

/// Sentences of the comparison.
const SENTENCES: usize = 2_000;

/// Sentences of 6 to 35 words.
fn sentences(count: usize) -> Vec<String> {
    let mut random = Random::new(11);
    (0..count)
        .map(|_| {
            let words = 6 + random.below(30);
            corpus::text(&mut random, words)
        })
        .collect()
}

/// Prints sentences per CPU-second on one thread, and per second of the clock on one and two.
pub fn print() -> Result<(), Box<dyn Error>> {
    let model = match MiniLm::open() {
        Ok(model) => model,
        Err(error) => {
            println!("\nminilm: left out: {error}; `probare models pull` fetches it");
            return Ok(());
        }
    };
    let sentences = sentences(SENTENCES);
    let texts: Vec<&str> = sentences.iter().map(String::as_str).collect();
    let some = &texts[..200];
    model.embed(some, 1);
    if let Some(rate) = processor_time::rate(some.len(), || {
        model.embed(some, 1);
    }) {
        println!("\n{:48} {rate:>16.0} sentences/CPU-second", "minilm");
    }
    for threads in [1, 2] {
        let start = std::time::Instant::now();
        model.embed(&texts, threads);
        let rate = texts.len() as f64 / start.elapsed().as_secs_f64();
        println!("{:48} {rate:>16.0} sentences/second", format!("minilm, {threads} threads, by the clock"));
    }
    Ok(())
}

/// ONNX Runtime, torch and sentence-transformers on the same sentences, one thread each, in turn with ours.
pub fn side_by_side(folder: &Path) -> Result<(), Box<dyn Error>> {
    let (Ok(model), Ok(models)) = (MiniLm::open(), models_folder()) else {
        println!("{:24} left out: all-MiniLM-L6-v2 is not there", "minilm");
        return Ok(());
    };
    let sentences = sentences(SENTENCES);
    let texts: Vec<&str> = sentences.iter().map(String::as_str).collect();
    let file = folder.join("sentences.txt");
    corpus::save(&file, texts.join("\n") + "\n")?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/minilm.py");
    // Python wants more files than we keep: the whole model, where a variable names it.
    let whole = std::env::var("PROBARE_BENCH_MINILM").unwrap_or_else(|_| {
        LOCAL_MODELS.first().map(|known| known.folder(&models).display().to_string()).unwrap_or_default()
    });
    let total: f64 = model.embed(&texts, 1).iter().flatten().map(|number| f64::from(*number)).sum();
    for engine in ["onnx", "torch", "sentence-transformers"] {
        let (mut theirs, mut ours, mut last): (f64, f64, Option<Measurement>) = (0.0, 0.0, None);
        for _ in 0..RUNS {
            match comparison::run_measurement("python3", &script, &[engine, &whole, &file.display().to_string(), "1"]) {
                Ok(measured) => {
                    let window = processor_time::rate_in_window(texts.len(), measured.seconds, || {
                        model.embed(&texts, 1);
                    });
                    (theirs, ours) = (theirs.max(measured.rate()), ours.max(window.unwrap_or_default()));
                    last = Some(measured);
                }
                Err(reason) => {
                    println!("{:24} left out: {reason}", format!("minilm ({engine})"));
                    break;
                }
            }
        }
        if let Some(measured) = last {
            let same = if (total - measured.total).abs() < 1e-2 { "yes" } else { "no" };
            comparison::print_line(
                &format!("minilm ({engine})"),
                theirs,
                ours,
                &format!("{same} ({})", measured.version),
            );
        }
    }
    Ok(())
}
