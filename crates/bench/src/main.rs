//! The benchmark program behind `cargo x bench`.
//!
//! `probare-bench [NAME] [--against] [--full]`: only what has NAME in its name, side by side with the originals
//! (or, where there is none to run, with our own plain Python version), with as many rows as the published figures.
//! `--beside PROGRAM [--counts]` measures another build of the program beside the one that lies with this one, and nothing else.
//! `growth`, or `growth:NAME` for some metrics, prints how the work grows with the length of the texts.

#![allow(clippy::disallowed_methods, reason = "a tool for developers, not a part of the program")]

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use probare_bench::comparison::{self, RUNS};
use probare_bench::corpus::{self, Sizes};
use probare_bench::{
    agents, beside, case_pipeline, growth, minilm, model_rates, parser, program, quotations, retrieval, sandbox,
    synthesis, synthlink, throughput, wet_experiments, wordnet,
};
use probare_benchmarks::registry;
use probare_core::{Case, Profile, Sample};

/// As in the program.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Cases per pass: the number of the published comparison.
const CASES: usize = 2_000;
/// Metrics that there is a Python original of.
const WITH_ORIGINALS: [&str; 5] = ["bleu", "chrf", "rouge_l", "relevance", "completeness"];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let value = |flag: &str| arguments.iter().skip_while(|argument| *argument != flag).nth(1);
    let other = value("--beside");
    let is_name = |argument: &&String| !argument.starts_with("--") && Some(*argument) != other;
    let filter = arguments.iter().find(is_name).cloned().unwrap_or_default();
    let folder = env::temp_dir().join("probare-bench");
    fs::create_dir_all(&folder)?;
    if let Some(program) = other {
        return beside::print(&folder, &filter, Path::new(program), has("--counts"));
    }

    let cases = corpus::cases(CASES, Sizes::default(), 7);
    if let Some(name) = filter.strip_prefix("growth") {
        growth::print(name.trim_start_matches(':'), |definition| {
            let case = corpus::for_metric(definition, &cases[..20]).ok()?.first()?.clone();
            Some((case, throughput::options(definition.id)))
        });
        return Ok(());
    }
    metrics(&filter, &cases)?;
    if "wordnet".contains(&filter) {
        wordnet::print()?;
    }
    if "agents".contains(&filter) {
        agents::print()?;
    }
    if "parser".contains(&filter) {
        parser::print()?;
    }
    if "minilm".contains(&filter) {
        minilm::print()?;
    }
    if "quotations".contains(&filter) {
        quotations::print()?;
    }
    // It writes gigabytes, so only who asks for it gets it.
    if filter == "retrieval" {
        retrieval::print(&folder, has("--full"))?;
    }
    if filter == "rates" {
        return model_rates::print(&folder);
    }
    if "road".contains(&filter) {
        case_pipeline::print()?;
    }
    if "sandbox".contains(&filter) {
        sandbox::print()?;
    }
    program::print(&folder, &filter, has("--full"))?;
    if has("--against") {
        side_by_side(&folder, &filter, has("--full"), &cases)?;
    }
    Ok(())
}

/// The table of metrics.
fn metrics(filter: &str, cases: &[Case]) -> Result<(), Box<dyn Error>> {
    let mut rows = throughput::metrics(filter, cases).peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    println!("{CASES} cases: query 20 words, response 129, reference 40, context 400; one thread");
    println!("(care, interviews, deep_search and json_* have cases of their own: see docs/benchmarks.md)\n");
    println!("{:48} {:>16} {:>8}", "metric", "rows/CPU-second", "scored");
    for row in rows {
        let row = row?;
        println!("{:48} {:>16.0} {:>8}", row.name, row.rate, row.scored);
    }
    Ok(())
}

/// The same work done by the originals, or by our plain Python version of what has none that runs.
fn side_by_side(folder: &Path, filter: &str, full: bool, cases: &[Case]) -> Result<(), Box<dyn Error>> {
    comparison::print_header();
    let file = folder.join("cases.jsonl");
    corpus::save(&file, corpus::lines(cases)?)?;
    for name in WITH_ORIGINALS.iter().filter(|name| name.contains(filter)) {
        compare(name, &file, cases);
    }
    if "quotations".contains(filter) {
        quotations::side_by_side(folder)?;
    }
    if filter == "retrieval" {
        retrieval::side_by_side(folder)?;
    }
    if "minilm".contains(filter) {
        minilm::side_by_side(folder)?;
    }
    if "synthlink".contains(filter) {
        synthlink::side_by_side(folder, full)?;
    }
    if "wet_experiment".contains(filter) {
        wet_experiments::side_by_side(folder, full)?;
    }
    if "synthesis".contains(filter) {
        synthesis::side_by_side(folder)?;
    }
    Ok(())
}

fn compare(name: &str, file: &Path, cases: &[Case]) {
    let Ok(definition) = registry().get(name) else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/text_reference.py");
    let file = file.display().to_string();
    let (mut theirs, mut ours, mut last) = (0.0_f64, 0.0_f64, None);
    for _ in 0..RUNS {
        let measured = match comparison::run_measurement("python3", &script, &[name, &file]) {
            Ok(measured) => measured,
            Err(reason) => return println!("{name:24} left out: {reason}"),
        };
        let Some(rate) = throughput::measure_window(definition, Profile::Published, cases, measured.seconds) else {
            return;
        };
        (theirs, ours) = (theirs.max(measured.rate()), ours.max(rate));
        last = Some(measured);
    }
    let Some(measured) = last else { return };
    let Ok(metric) = definition.build(serde_json::Value::Null, Profile::Published) else { return };
    let value = |case| metric.score(Sample::from_case(case)).ok()?.score().map(|score| score.value.get());
    let total: f64 = cases.iter().filter_map(value).sum();
    let same = if (total - measured.total).abs() <= 1e-6 * measured.total.abs().max(1.0) { "yes" } else { "no" };
    comparison::print_line(name, theirs, ours, &format!("{same} ({})", measured.version));
}
