//! The benchmark program behind `cargo x bench`.

use std::path::{Path, PathBuf};
use std::{env, fs};

use probare_bench::corpus::{self, Sizes};
use probare_bench::throughput::{self, Row};
use probare_bench::{against, synthesis, synthlink};
use probare_core::Profile;
use probare_metrics::registry;

/// Cases per pass: the number of the published comparison.
const CASES: usize = 2_000;
/// Rows for the whole program.
const ROWS: usize = 100_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let with_others = arguments.iter().any(|argument| argument == "--against");
    let filter = arguments.iter().find(|argument| !argument.starts_with("--")).cloned().unwrap_or_default();
    let folder = env::temp_dir().join("probare-bench");
    fs::create_dir_all(&folder)?;

    let cases = corpus::cases(CASES, Sizes::default(), 7);
    println!("{CASES} cases: query 20 words, response 129, reference 40, context 400; one thread\n");
    println!("{:48} {:>16} {:>8}", "metric", "rows/CPU-second", "scored");
    for row in throughput::metrics(&filter, &cases) {
        print_row(&row);
    }
    if filter.is_empty() {
        whole_program(&folder)?;
    }
    if with_others {
        println!("\n{:24} {:>14} {:>14} {:>9}  same values", "against", "theirs", "ours", "ratio");
        let file = folder.join("cases.jsonl");
        fs::write(&file, corpus::lines(&cases)?)?;
        for name in ["bleu", "chrf", "rouge_l", "relevance", "completeness"] {
            if name.contains(&filter) {
                compare(name, &file, &cases);
            }
        }
        if "synthlink".contains(&filter) {
            synthlink::side_by_side(&folder)?;
        }
        if "synthesis".contains(&filter) {
            synthesis::side_by_side(&folder)?;
        }
    }
    Ok(())
}

fn print_row(row: &Row) {
    println!("{:48} {:>16.0} {:>8}", row.name, row.rate, row.scored);
}

fn whole_program(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let program = env::current_exe()?.with_file_name("probare");
    if !program.is_file() {
        println!("{:48} left out: {} is not built", "probare score", program.display());
        return Ok(());
    }
    let file = folder.join("rows.jsonl");
    let sizes = Sizes { query: 10, response: 20, reference: 8, context: 0 };
    fs::write(&file, corpus::lines(&corpus::cases(ROWS, sizes, 11))?)?;
    for jobs in [1, 2] {
        if let Some(row) = throughput::end_to_end(&program, &file, ROWS, jobs) {
            print_row(&row);
        }
    }
    Ok(())
}

fn python() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("python")
}

fn compare(name: &str, file: &Path, cases: &[probare_core::Case]) {
    let Ok(definition) = registry().get(name) else { return };
    let theirs =
        match against::script("python3", &python().join("text_reference.py"), &[name, &file.display().to_string()]) {
            Ok(theirs) => theirs,
            Err(reason) => return println!("{name:24} left out: {reason}"),
        };
    let Some(ours) = throughput::metric(definition, Profile::Reference, cases) else { return };
    let Ok(metric) = definition.build(serde_json::Value::Null, Profile::Reference) else { return };
    let value = |case| metric.score(probare_core::Sample::of(case)).ok()?.score().map(|score| score.value.get());
    let total: f64 = cases.iter().filter_map(value).sum();
    let their_rate = theirs.rows as f64 / theirs.seconds;
    let same = if (total - theirs.total).abs() <= 1e-6 * theirs.total.abs().max(1.0) { "yes" } else { "no" };
    println!(
        "{name:24} {their_rate:>14.0} {:>14.0} {:>8.0}x  {same} ({})",
        ours.rate,
        ours.rate / their_rate,
        theirs.version
    );
}
