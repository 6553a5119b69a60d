//! `cargo x digests`: SHA-256 of everything that the program gives on the bundled examples, so that a restructuring can be
//! held against the program before it: results of every metric's page examples, reports in every format, published files.
//!
//! It only uses the command line, so both programs can be of any layout. What differs on purpose (a version, a message) is
//! seen in the difference of the two lists.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::process::{program, root};

/// Print digests of everything that the program gives on the bundled examples.
///
/// Run it before and after a change and compare: `cargo x digests > before.txt`. `PROBARE_PROGRAM` names the program.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// Folder for the files, made anew; look there to see what differs
    #[arg(long, default_value = "target/digests")]
    folder: PathBuf,
}

/// A name, and the arguments of commands, one after `&&` the other, that are run in a folder of its own with `examples/` beside it.
type DigestJob = (&'static str, &'static str);

const FORMATS: &str = "-o r.jsonl -o r.json -o r.csv -o r.parquet -o r.md -o r.html -o r.xml";

/// Everything that works without a network, by the words of the shell. `FORMATS` stands for one file of each format.
const JOBS: &[DigestJob] = &[
    (
        "text",
        "score examples/quickstart.jsonl -m token_f1 -m rouge_l -m bleu -m chrf -m exact_match -m contains -m jaccard -m levenshtein -m tfidf_cosine -m json_valid -q FORMATS",
    ),
    ("answers", "score examples/quickstart.jsonl -m answer_match -q FORMATS"),
    (
        "rag-published",
        "score examples/rag/cases.jsonl -m relevance -m completeness -m hallucination -m verdict -q FORMATS",
    ),
    ("rag-improved", "score examples/rag/cases.jsonl -m hallucination -m verdict --profile improved -q FORMATS"),
    ("rag-eval", "rag eval --cases examples/rag/cases.jsonl --out rag.jsonl FORMATS"),
    (
        "agents",
        "score examples/agents/transcripts.jsonl -m tool_calls -m tool_schema -m loops -m tool_errors -m steps -q FORMATS",
    ),
    ("gates", "score examples/quickstart.jsonl -m token_f1 --fail-under token_f1=0.9 -q FORMATS"),
    ("synthesis", "synthesis --cases examples/synthesis/cases.jsonl --out report.json FORMATS"),
    (
        "synthesis-improved",
        "synthesis --cases examples/synthesis/cases.jsonl --out report.json --profile improved FORMATS",
    ),
    (
        "socioscope",
        "socioscope examples/socioscope/questions.json examples/socioscope/corpus.json --out out --timestamp 20260101_000000 FORMATS",
    ),
    (
        "socioscope-improved",
        "socioscope examples/socioscope/questions.json examples/socioscope/corpus.json --out out --timestamp 20260101_000000 --profile improved",
    ),
    (
        "synthlink",
        "synthlink --catalog examples/synthlink --predictions examples/synthlink/system_a.json --output-dir out FORMATS",
    ),
    (
        "synthlink-two",
        "synthlink --catalog examples/synthlink --predictions examples/synthlink/system_a.json --predictions examples/synthlink/system_b.json --output-dir out --profile improved",
    ),
    (
        "sgi-wet",
        "sgi score wet --data examples/sgi/data/wet_experiment.jsonl --predictions examples/sgi/outputs.jsonl FORMATS",
    ),
    ("quotes", "quotes examples/quotes/quotes.csv examples/quotes/texts FORMATS"),
    ("judged", "run examples/judged/probare.yaml -q FORMATS"),
    ("cascade", "run examples/cascade/probare.yaml -q FORMATS"),
    ("run", "run examples/run/probare.yaml -q FORMATS"),
    (
        "compare",
        "score examples/compare/old_prompt.jsonl -m token_f1 -q -o old.jsonl && score examples/compare/new_prompt.jsonl -m token_f1 -q -o new.jsonl && compare old.jsonl new.jsonl --json && verify old.jsonl",
    ),
    ("list", "list"),
];

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let program = fs::canonicalize(program()).context("build the program first: cargo build")?;
    let folder = &root().join(&arguments.folder);
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let mut digests = BTreeMap::new();
    for (name, words) in JOBS {
        let place = folder.join(name);
        copy(&root().join("examples"), &place.join("examples"))?;
        let before = files(&place)?;
        for (step, words) in words.replace("FORMATS", FORMATS).split("&&").enumerate() {
            let words: Vec<&str> = words.split_whitespace().collect();
            let (code, printed) = run_program(&program, &place, &words)?;
            digests.insert(format!("{name} step {step} ends with {code}"), hex(&printed));
        }
        for file in files(&place)? {
            // Stores and caches hold times.
            if !before.contains(&file) && file.extension().is_none_or(|extension| extension != "db") {
                digests.insert(format!("{name}/{}", file.display()), hex(&fs::read(place.join(&file))?));
            }
        }
    }
    let examples = page_examples(&program, &folder.join("pages"), &mut digests)?;
    ensure!(examples > 100, "only {examples} examples of pages were found");
    for (name, digest) in digests {
        println!("{digest}  {name}");
    }
    Ok(())
}

/// The examples on the pages of all metrics, each scored by itself in both profiles.
fn page_examples(program: &Path, folder: &Path, digests: &mut BTreeMap<String, String>) -> Result<usize> {
    fs::create_dir_all(folder)?;
    let mut count = 0;
    let mut pages = Vec::new();
    collect(&root().join("crates"), &mut |path| {
        if path.extension().is_some_and(|extension| extension == "md") && path.with_extension("rs").is_file() {
            pages.push(path.to_owned());
        }
    })?;
    pages.sort();
    for page in pages {
        let id = page.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut outputs = Vec::new();
        for example in blocks(&fs::read_to_string(&page)?) {
            let (Some(case), false) = (example.get("case"), example.get("replies").is_some()) else { continue };
            count += 1;
            fs::write(folder.join("case.jsonl"), format!("{case}\n"))?;
            let metric = json!({"id": id, "options": example.get("params").cloned().unwrap_or_else(|| json!({}))});
            let config = json!({"datasets": [{"path": "case.jsonl"}], "metrics": [metric]});
            fs::write(folder.join("probare.yaml"), config.to_string())?;
            let words = ["run", "probare.yaml", "-q", "--store", "store.db", "-o", "-"];
            outputs.extend(run_program(program, folder, &words)?.1);
            let _ = fs::remove_file(folder.join("store.db"));
        }
        digests.insert(format!("page of {id}"), hex(&outputs));
    }
    Ok(count)
}

/// The JSON of the blocks marked `case`.
fn blocks(page: &str) -> Vec<Value> {
    let cut = page.split("```case\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    cut.filter_map(|block| serde_json::from_str(&block.replace('\n', "")).ok()).collect()
}

/// The exit code and what is printed to standard output.
fn run_program(program: &Path, folder: &Path, words: &[&str]) -> Result<(String, Vec<u8>)> {
    let home = folder.join(".home");
    let output = Command::new(program)
        .args(words)
        .current_dir(folder)
        .env("HOME", &home)
        .env("XDG_CONFIG_HOME", &home)
        .env("XDG_CACHE_HOME", &home)
        .stdin(Stdio::null())
        .output()?;
    Ok((output.status.code().map_or("a signal".to_owned(), |code| code.to_string()), output.stdout))
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Files below a folder, by their path in it; hidden ones are left out.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(folder, &mut |path| {
        let inner = path.strip_prefix(folder).unwrap_or(path).to_owned();
        found.push(inner);
    })?;
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, found: &mut impl FnMut(&Path)) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match () {
            () if name.starts_with('.') || name == "target" => {}
            () if path.is_dir() => collect(&path, found)?,
            () => found(&path),
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}
