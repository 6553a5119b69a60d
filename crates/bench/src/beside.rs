//! Another build of the program beside this one: the same files through both, in turn, with the processor time of each.
//!
//! `cargo x bench --beside PROGRAM` is how a change of a few percent is seen: name the program of the last release, or of the
//! commit before a change.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use probare_core::Case;

use crate::comparison::RUNS;
use crate::corpus::{self, Sizes};
use crate::program::{self, measure_command};

/// Rows where a row is cheap, and where texts are analysed sentence by sentence.
const ROWS: usize = 20_000;
const LONG_ROWS: usize = 2_000;
/// Rows that are enough to count instructions.
const COUNTED_ROWS: usize = 400;

/// A row of about a kilobyte without passages, and one with.
const PLAIN: Sizes = Sizes { query: 12, response: 120, reference: 12, context: 0 };
const PASSAGES: Sizes = Sizes { query: 8, response: 50, reference: 6, context: 80 };

/// Where the rows of a line come from.
#[derive(Debug, Clone, Copy)]
enum Rows {
    Made(Sizes, usize),
    Care(usize),
}

impl Rows {
    const fn count(self) -> usize {
        match self {
            Self::Made(_, count) | Self::Care(count) => count,
        }
    }

    fn cases(self, count: usize) -> Result<Vec<Case>, Box<dyn Error>> {
        Ok(match self {
            Self::Made(sizes, _) => corpus::cases(count, sizes, 11),
            Self::Care(_) => corpus::care::cases(count)?,
        })
    }
}

/// What both programs do: a name, its metrics, its profile if there are several, its rows.
type Work = (&'static str, &'static [&'static str], Option<&'static str>, Rows);

const CARE: &[&str] = &["agency_language", "unverifiable_reassurance", "topic_pivot"];

const WORKS: [Work; 8] = [
    ("exact_match", &["exact_match"], None, Rows::Made(PLAIN, ROWS)),
    ("token_f1 + rouge_l", &["token_f1", "rouge_l"], None, Rows::Made(PLAIN, ROWS)),
    ("relevance + completeness", &["relevance", "completeness"], None, Rows::Made(PASSAGES, ROWS)),
    ("answer_match", &["answer_match"], None, Rows::Made(PLAIN, ROWS)),
    ("care, published", CARE, Some("published"), Rows::Care(ROWS)),
    ("care, improved", CARE, Some("improved"), Rows::Care(ROWS)),
    ("hallucination, published", &["hallucination"], Some("published"), Rows::Made(PASSAGES, LONG_ROWS)),
    ("hallucination, improved", &["hallucination"], Some("improved"), Rows::Made(PASSAGES, LONG_ROWS)),
];

/// Prints a line for each work whose name contains `filter`: rows per CPU-second of both programs, with `counts` also
/// the instructions of a row.
pub fn print(folder: &Path, filter: &str, other: &Path, counts: bool) -> Result<(), Box<dyn Error>> {
    let ours = program::path()?;
    println!(
        "\nrows per CPU-second, best of {RUNS} runs in turn, -j 1; beside: {} ({})",
        other.display(),
        version(other)
    );
    print!("{:26} {:>7} {:>10} {:>10} {:>7}", "work", "rows", "beside", "today", "ratio");
    println!("{}", if counts { "   instructions of a row: beside, today, ratio" } else { "" });
    for (name, metrics, profile, rows) in WORKS.iter().filter(|(name, ..)| name.contains(filter)) {
        let file = folder.join("beside.jsonl");
        corpus::save(&file, corpus::lines(&rows.cases(rows.count())?)?)?;
        let mut best = [f64::INFINITY; 2];
        for _ in 0..RUNS {
            for (program, best) in [other, &ours].into_iter().zip(&mut best) {
                let used = command(&PathBuf::from(program), &[], &file, metrics, *profile)
                    .and_then(|mut command| measure_command(&mut command));
                *best = best.min(used.map_or(f64::INFINITY, |used| used.seconds));
            }
        }
        if !best.iter().all(|seconds| seconds.is_finite()) {
            println!("{name:26} left out: a program failed");
            continue;
        }
        let [theirs, mine] = best.map(|seconds| rows.count() as f64 / seconds);
        print!("{name:26} {:>7} {theirs:>10.0} {mine:>10.0} {:>7.2}", rows.count(), mine / theirs);
        if counts {
            corpus::save(&file, corpus::lines(&rows.cases(COUNTED_ROWS)?)?)?;
            let none = folder.join("beside_one.jsonl");
            corpus::save(&none, corpus::lines(&rows.cases(1)?)?)?;
            let each = [other, &ours].map(|program| {
                let all = instructions(folder, program, &file, metrics, *profile)?;
                let start = instructions(folder, program, &none, metrics, *profile)?;
                Some((all - start) / (COUNTED_ROWS - 1) as f64)
            });
            match each {
                [Some(theirs), Some(mine)] => print!("   {theirs:>10.0} {mine:>10.0} {:>6.2}", mine / theirs),
                _ => print!("   left out: valgrind does not run"),
            }
        }
        println!();
    }
    Ok(())
}

fn version(program: &Path) -> String {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    output.map_or("unknown".to_owned(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A run of `program score`, behind `wrapper`. Releases up to 0.3 call the profiles by other names.
fn command(program: &Path, wrapper: &[&str], file: &Path, metrics: &[&str], profile: Option<&str>) -> Option<Command> {
    let mut command = match wrapper {
        [] => Command::new(program),
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(program);
            command
        }
    };
    command.arg("score").arg(file).args(["-j", "1", "--quiet"]);
    for metric in metrics {
        command.args(["-m", metric]);
    }
    let known = |name: &str| {
        let output = Command::new(program).args(["score", "--help"]).stdin(Stdio::null()).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).contains(name))
    };
    match profile {
        Some(name) if known(name)? => command.args(["--profile", name]),
        Some("published") => command.args(["--profile", "reference"]),
        Some(_) => command.args(["--profile", "careful"]),
        None => &mut command,
    };
    Some(command)
}

/// Instructions of a whole run, counted by valgrind.
fn instructions(folder: &Path, program: &Path, file: &Path, metrics: &[&str], profile: Option<&str>) -> Option<f64> {
    let out = folder.join("beside.cachegrind");
    let option = format!("--cachegrind-out-file={}", out.display());
    let wrapper = ["valgrind", "--tool=cachegrind", "--cache-sim=no", &option];
    measure_command(&mut command(program, &wrapper, file, metrics, profile)?)?;
    let text = std::fs::read_to_string(&out).ok()?;
    text.lines().find_map(|line| line.strip_prefix("summary: "))?.split_whitespace().next()?.parse().ok()
}
