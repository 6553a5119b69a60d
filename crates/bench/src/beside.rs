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
/// Cases of the two files that are compared.
const COMPARED_ROWS: usize = 100_000;
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

/// What is done with the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    /// `score`, result lines into a pipe.
    Score,
    /// `score -o results.jsonl`.
    Write,
    /// `compare` of two files of results, with different responses to the same questions.
    Compare,
}

/// What both programs do: a name, the task, its metrics, its profile if there are several, its rows.
type Work = (&'static str, Task, &'static [&'static str], Option<&'static str>, Rows);

/// A program at a work; its files have its number in their names.
#[derive(Clone, Copy)]
struct Entrant<'a> {
    program: &'a Path,
    number: usize,
    folder: &'a Path,
    work: &'a Work,
}

const CARE: &[&str] = &["agency_language", "unverifiable_reassurance", "topic_pivot"];

const WORKS: [Work; 10] = [
    ("exact_match", Task::Score, &["exact_match"], None, Rows::Made(PLAIN, ROWS)),
    ("exact_match, -o", Task::Write, &["exact_match"], None, Rows::Made(PLAIN, ROWS)),
    ("compare, token_f1 + rouge_l", Task::Compare, &["token_f1", "rouge_l"], None, Rows::Made(PLAIN, COMPARED_ROWS)),
    ("token_f1 + rouge_l", Task::Score, &["token_f1", "rouge_l"], None, Rows::Made(PLAIN, ROWS)),
    ("relevance + completeness", Task::Score, &["relevance", "completeness"], None, Rows::Made(PASSAGES, ROWS)),
    ("answer_match", Task::Score, &["answer_match"], None, Rows::Made(PLAIN, ROWS)),
    ("care, published", Task::Score, CARE, Some("published"), Rows::Care(ROWS)),
    ("care, improved", Task::Score, CARE, Some("improved"), Rows::Care(ROWS)),
    ("hallucination, published", Task::Score, &["hallucination"], Some("published"), Rows::Made(PASSAGES, LONG_ROWS)),
    ("hallucination, improved", Task::Score, &["hallucination"], Some("improved"), Rows::Made(PASSAGES, LONG_ROWS)),
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
    print!("{:28} {:>7} {:>10} {:>10} {:>7}", "work", "rows", "beside", "today", "ratio");
    println!("{}", if counts { "   instructions of a row: beside, today, ratio" } else { "" });
    for work in WORKS.iter().filter(|(name, ..)| name.contains(filter)) {
        let (name, .., rows) = work;
        let entrants =
            [(other, 0), (ours.as_path(), 1)].map(|(program, number)| Entrant { program, number, folder, work });
        let cases = rows.cases(rows.count())?;
        entrants.iter().try_for_each(|entrant| entrant.prepare(&cases))?;
        let mut best = [f64::INFINITY; 2];
        for _ in 0..RUNS {
            for (entrant, best) in entrants.iter().zip(&mut best) {
                let used = entrant.command(&[]).and_then(|mut command| measure_command(&mut command));
                *best = best.min(used.map_or(f64::INFINITY, |used| used.seconds));
            }
        }
        if !best.iter().all(|seconds| seconds.is_finite()) {
            println!("{name:28} left out: a program failed");
            continue;
        }
        let [theirs, mine] = best.map(|seconds| rows.count() as f64 / seconds);
        print!("{name:28} {:>7} {theirs:>10.0} {mine:>10.0} {:>7.2}", rows.count(), mine / theirs);
        if counts {
            let count = |rows_counted: usize| -> Result<[Option<f64>; 2], Box<dyn Error>> {
                let cases = rows.cases(rows_counted)?;
                entrants.iter().try_for_each(|entrant| entrant.prepare(&cases))?;
                Ok(entrants.map(|entrant| entrant.instructions()))
            };
            let (all, start) = (count(COUNTED_ROWS)?, count(1)?);
            let each = [0, 1].map(|at| Some((all[at]? - start[at]?) / (COUNTED_ROWS - 1) as f64));
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

impl Entrant<'_> {
    /// The file of cases of the work; for `compare` a second one, in which each question has the response to the next.
    fn cases_file(&self, is_second: bool) -> PathBuf {
        self.folder.join(if is_second { "beside_second.jsonl" } else { "beside.jsonl" })
    }

    fn results_file(&self, is_second: bool) -> PathBuf {
        self.folder.join(format!("beside_results_{}{}.jsonl", self.number, if is_second { "_second" } else { "" }))
    }

    /// Writes the files that the task needs.
    fn prepare(&self, cases: &[Case]) -> Result<(), Box<dyn Error>> {
        corpus::save(&self.cases_file(false), corpus::lines(cases)?)?;
        if self.work.1 != Task::Compare {
            return Ok(());
        }
        let moved = cases.iter().zip(cases.iter().cycle().skip(1));
        let moved = moved.map(|(case, next)| Case { response: next.response.clone(), ..case.clone() });
        corpus::save(&self.cases_file(true), corpus::lines(&moved.collect::<Vec<_>>())?)?;
        for is_second in [false, true] {
            let mut command = Command::new(self.program);
            self.score(&mut command, is_second).arg("-o").arg(self.results_file(is_second));
            measure_command(&mut command).ok_or("the files to compare cannot be made")?;
        }
        Ok(())
    }

    fn score<'c>(&self, command: &'c mut Command, is_second: bool) -> &'c mut Command {
        command.arg("score").arg(self.cases_file(is_second)).args(["-j", "1", "--quiet"]);
        command.args(self.work.2.iter().flat_map(|metric| ["-m", metric]))
    }

    /// A run of the program, behind `wrapper`. Releases up to 0.3 call the profiles by other names.
    fn command(&self, wrapper: &[&str]) -> Option<Command> {
        let mut command = match wrapper {
            [] => Command::new(self.program),
            [first, rest @ ..] => {
                let mut command = Command::new(first);
                command.args(rest).arg(self.program);
                command
            }
        };
        let (_, task, _, profile, _) = *self.work;
        match task {
            Task::Score => self.score(&mut command, false),
            Task::Write => self.score(&mut command, false).arg("-o").arg(self.results_file(false)),
            Task::Compare => command.arg("compare").args([false, true].map(|second| self.results_file(second))),
        };
        let known = |name: &str| {
            let output = Command::new(self.program).args(["score", "--help"]).stdin(Stdio::null()).output().ok()?;
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
    fn instructions(&self) -> Option<f64> {
        let out = self.folder.join("beside.cachegrind");
        let option = format!("--cachegrind-out-file={}", out.display());
        let wrapper = ["valgrind", "--tool=cachegrind", "--cache-sim=no", &option];
        measure_command(&mut self.command(&wrapper)?)?;
        let text = std::fs::read_to_string(&out).ok()?;
        text.lines().find_map(|line| line.strip_prefix("summary: "))?.split_whitespace().next()?.parse().ok()
    }
}
