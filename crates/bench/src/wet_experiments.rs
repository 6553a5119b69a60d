//! Wet experiments of SGI-Bench: rows and outputs of any size, and our scoring beside our own Python.

use std::error::Error;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use probare_benchmarks::registries;
use probare_benchmarks::sgi::Sgi;
use probare_core::{Benchmark as _, Console, Event, Sink};
use probare_engine::{RunOptions, RunRequest, run};
use probare_stats::Random;
use serde_json::json;

use crate::comparison;
use crate::corpus::save;
use crate::processor_time;

/// Protocols that both score.
const ROWS: usize = 10_000;
const FULL_ROWS: usize = 100_000;

/// The opponent: the formulas of the benchmark, written down in Python.
const NAME: &str = "wet experiments, our Python";

const ACTIONS: [&str; 12] = [
    "Lyse cells",
    "Centrifuge sample",
    "Measure protein concentration",
    "Run SDS-PAGE",
    "Transfer to membrane",
    "Wash membrane",
    "Incubate",
    "Extract RNA",
    "Reverse transcribe",
    "Run qPCR",
    "Dilute sample",
    "Count colonies",
];

/// Prints both rates and their ratio. Ours is the whole suite, from two files to scores with evidence; theirs reads the same
/// files and computes the scores.
pub fn side_by_side(folder: &Path, full: bool) -> Result<(), Box<dyn Error>> {
    let rows = if full { FULL_ROWS } else { ROWS };
    let paths = Paths { data: folder.join("wet_rows.jsonl"), outputs: folder.join("wet_outputs.jsonl") };
    let (data, outputs) = files(rows, 5);
    save(&paths.data, data)?;
    save(&paths.outputs, outputs)?;
    let arguments = [paths.data.display().to_string(), paths.outputs.display().to_string()];
    let arguments = arguments.each_ref().map(String::as_str);
    let total = paths.total()?;
    comparison::compare_in_turn(NAME, "wet_reference.py", &arguments, (rows, "protocols"), total, |seconds| {
        paths.rate(rows, seconds)
    })
}

struct Paths {
    data: PathBuf,
    outputs: PathBuf,
}

/// Sums the scores.
#[derive(Default)]
struct ScoreSum(f64);

impl Sink for &mut ScoreSum {
    fn event(&mut self, event: &Event<'_>) -> std::io::Result<()> {
        if let Event::Scored(result) = event {
            self.0 +=
                result.results.iter().flatten().filter_map(|outcome| Some(outcome.score()?.value.get())).sum::<f64>();
        }
        Ok(())
    }
}

impl Paths {
    fn score(&self, sum: &mut ScoreSum) -> Result<u64, Box<dyn Error>> {
        let options = json!({"subtask": "wet", "data": self.data, "predictions": self.outputs});
        let job = Sgi.open(options, Console { quiet: true, ..Console::default() })?;
        let settings = RunOptions { jobs: Some(NonZeroUsize::MIN), ..RunOptions::default() };
        Ok(run(job, registries(), RunRequest { settings, watcher: Some(Box::new(sum)), ..RunRequest::default() })?
            .driven
            .cases)
    }

    fn total(&self) -> Result<f64, Box<dyn Error>> {
        let mut sum = ScoreSum::default();
        self.score(&mut sum)?;
        Ok(sum.0)
    }

    /// Rows per CPU-second in one window of at least so many seconds.
    fn rate(&self, rows: usize, least: f64) -> Result<f64, Box<dyn Error>> {
        let mut ended = Ok(0);
        let rate = processor_time::rate_in_window(rows, least, || ended = self.score(&mut ScoreSum::default()));
        if ended? != rows as u64 {
            return Err("not all rows were scored".into());
        }
        Ok(rate.ok_or("this system does not tell the processor time")?)
    }
}

/// Rows and outputs: protocols of four to eight steps, a third of them changed.
pub fn files(count: usize, seed: u64) -> (String, String) {
    let mut random = Random::new(seed);
    let (mut data, mut outputs) = (String::new(), String::new());
    for number in 0..count {
        let steps: Vec<&str> = (0..4 + random.below(5)).map(|_| ACTIONS[random.below(ACTIONS.len())]).collect();
        let mut own = steps.clone();
        match random.below(9) {
            0 => own.swap(0, 1),
            1 => drop(own.pop()),
            2 => own[1] = "Wait",
            _ => {}
        }
        let row = json!({"idx": number.to_string(), "question": "Write the protocol.", "answer": protocol(&steps)});
        let _ = writeln!(data, "{row}");
        let output = json!({"idx": number.to_string(), "response": format!("<answer>\n{}\n</answer>", protocol(&own))});
        let _ = writeln!(outputs, "{output}");
    }
    (data, outputs)
}

fn protocol(steps: &[&str]) -> String {
    let mut text = String::new();
    for (at, action) in steps.iter().enumerate() {
        let sample = if at == 0 { "\"frozen pellet\"".to_owned() } else { format!("product_{}", at - 1) };
        let _ = write!(
            text,
            "product_{at} = <{action}>(\n    sample={sample},\n    time=\"{} min\",\n    buffer=\"PBS\"\n)\n\n",
            at + 1
        );
    }
    text
}
