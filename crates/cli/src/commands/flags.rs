//! [`OptionFlags`]: the options of a run that a command takes as flags.

use std::io::IsTerminal;
use std::marker::PhantomData;

use clap::{ArgMatches, Command, FromArgMatches};
use probare_engine::{Config, RunOptions, When};
use probare_formats::{FieldMap, ReadOptions};
use probare_report::TerminalStyle;

use crate::failure::Failure;

/// Which options of a run a command takes.
pub trait OptionSet {
    /// Whether the option of this name is one of them.
    fn takes(name: &str) -> bool;
}

/// Options of a run as flags of a command: what was said, and whether by a flag or by a variable of the environment.
#[derive(Debug, Clone)]
pub struct OptionFlags<S> {
    options: RunOptions,
    set: PhantomData<S>,
}

impl<S> OptionFlags<S> {
    /// What was said.
    pub fn options(&self) -> RunOptions {
        self.options.clone()
    }

    /// What was said, and what a configuration says where nothing was.
    pub fn with(&self, config: &Config) -> RunOptions {
        self.options().combine(config.file_options())
    }

    /// How cases are read, for a command that has no run.
    pub fn reading(&self) -> Result<ReadOptions, Failure> {
        Ok(self.options.reading(&FieldMap::default())?)
    }
}

impl<S> Default for OptionFlags<S> {
    fn default() -> Self {
        Self { options: RunOptions::default(), set: PhantomData }
    }
}

impl<S: OptionSet> FromArgMatches for OptionFlags<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { options: RunOptions::from_matches(matches, S::takes), set: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<S: OptionSet> clap::Args for OptionFlags<S> {
    fn augment_args(command: Command) -> Command {
        command.args(RunOptions::arguments().into_iter().filter(|argument| S::takes(argument.get_id().as_str())))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Names of the options on how a file of cases is read.
pub const CASE_READING: [&str; 5] = ["map", "format", "delimiter", "group", "max_row_size"];

/// Names of the options on where a run may stop, which are settled when it begins.
const EARLY_STOP: [&str; 4] = ["stop_when_decided", "seed", "baseline", "not_worse"];

/// The option of runs that ask with several prompts.
const PROMPTS: &str = "prompts";

/// The option of runs whose questions are sent together and answered later.
const BATCH: &str = "batch";

/// Names of the options on whom judges ask, and what that may cost.
pub const MODEL_CALLS: [&str; 7] =
    ["judges", "offline", "refresh", "budget_usd", "budget_tokens", "score_truncated", "cache"];

/// Everything but what needs a run with a store: one file through some metrics.
#[derive(Debug, Clone)]
pub struct ForScore;

impl OptionSet for ForScore {
    fn takes(name: &str) -> bool {
        name != BATCH && name != PROMPTS
    }
}

/// What a configuration does not say by itself: data sets and metrics are its own.
#[derive(Debug, Clone)]
pub struct ForRun;

impl OptionSet for ForRun {
    fn takes(name: &str) -> bool {
        name != "metrics" && !CASE_READING.contains(&name)
    }
}

/// A published benchmark, which reads its cases by itself.
#[derive(Debug, Clone)]
pub struct ForBenchmark;

impl OptionSet for ForBenchmark {
    fn takes(name: &str) -> bool {
        name != "strict" && name != BATCH && name != PROMPTS && !EARLY_STOP.contains(&name) && ForRun::takes(name)
    }
}

/// A run that goes on: what is computed was settled when it began.
#[derive(Debug, Clone)]
pub struct ForResume;

impl OptionSet for ForResume {
    fn takes(name: &str) -> bool {
        name == BATCH || name != "profile" && ForBenchmark::takes(name)
    }
}

/// The outputs of a run through other metrics.
#[derive(Debug, Clone)]
pub struct ForRescore;

impl OptionSet for ForRescore {
    fn takes(name: &str) -> bool {
        name == "metrics" || ForResume::takes(name)
    }
}

/// The test of an index.
#[derive(Debug, Clone)]
pub struct ForRagTest;

impl OptionSet for ForRagTest {
    fn takes(name: &str) -> bool {
        name == "metrics" || ForBenchmark::takes(name)
    }
}

/// Models that are asked outside of a run.
#[derive(Debug, Clone)]
pub struct ForModelCalls;

impl OptionSet for ForModelCalls {
    fn takes(name: &str) -> bool {
        MODEL_CALLS.contains(&name)
    }
}

/// A server: models that it asks, and the metrics of traces that it collects.
#[derive(Debug, Clone)]
pub struct ForServe;

impl OptionSet for ForServe {
    fn takes(name: &str) -> bool {
        COLLECTED_SCORES.contains(&name) || MODEL_CALLS.contains(&name)
    }
}

/// Names of the options on how collected traces are scored.
pub const COLLECTED_SCORES: [&str; 4] = ["metrics", "profile", "decision_thresholds", "sandbox"];

/// One model that answers questions, and no judge.
#[derive(Debug, Clone)]
pub struct ForQuestions;

impl OptionSet for ForQuestions {
    fn takes(name: &str) -> bool {
        ["offline", "budget_usd", "cache"].contains(&name)
    }
}

/// A file of cases that is only read.
#[derive(Debug, Clone)]
pub struct ForReading;

impl OptionSet for ForReading {
    fn takes(name: &str) -> bool {
        CASE_READING.contains(&name)
    }
}

/// What is printed to a terminal.
#[derive(Debug, Clone)]
pub struct ForDisplay;

impl OptionSet for ForDisplay {
    fn takes(name: &str) -> bool {
        name == "color"
    }
}

/// The same, with annotations.
#[derive(Debug, Clone)]
pub struct ForComparison;

impl OptionSet for ForComparison {
    fn takes(name: &str) -> bool {
        ["color", "github"].contains(&name)
    }
}

/// How a stream is written to.
pub fn stream_look(color: Option<When>, stream: &impl IsTerminal) -> TerminalStyle {
    let look = TerminalStyle::for_stream(stream);
    match color {
        None | Some(When::Auto) => look,
        Some(When::Always) => TerminalStyle { colour: true, ..look },
        Some(When::Never) => TerminalStyle { colour: false, ..look },
    }
}

/// Reads a share that is neither nothing nor everything.
pub fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("a number between 0 and 1 is expected".to_owned()),
    }
}
