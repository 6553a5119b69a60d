//! What all verbs that score have in common: reports, gates, threads, and the end of a run.

use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use probare_core::{Ending, Job, Profile, Stop};
use probare_models::record_path;
use probare_report::number::counted;
use probare_report::{By, Cluster, Gate, Gates, Look, escape, terminal, told};
use probare_runner::{
    Conclusion, Config, DriveOptions, Evaluation, Exit, MOST_JOBS, ProgramError, ProgramsRun, Sandboxing, Store, Tally,
    Wanted,
};
use probare_sandbox::{Choice, SandboxError};

use super::asking::{self, Asking};
use super::run::{announce, broken};
use super::{print, remark};
use crate::failure::{Done, Failure};
use crate::progress::{Progress, Watching};

/// How to run; shared by all verbs that score.
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Running {
    /// File to write; its extension says what (repeatable); - is standard output
    #[arg(short, long = "output", value_name = "OUT", env = "PROBARE_OUTPUT")]
    pub output: Vec<PathBuf>,

    /// Fail with exit code 2 if the mean of a metric is below a limit (repeatable)
    #[arg(long, value_name = "METRIC=NUMBER", value_parser = Gate::fail_under, env = "PROBARE_FAIL_UNDER")]
    pub fail_under: Vec<Gate>,

    /// Fail with exit code 2 if the mean of a metric is on the wrong side, for example "hallucination>0.2" (repeatable)
    #[arg(long, value_name = "METRIC>NUMBER", value_parser = Gate::fail_if, env = "PROBARE_FAIL_IF")]
    pub fail_if: Vec<Gate>,

    /// Fail with exit code 2 if any scored case has such a value, for example "`token_f1`<0.5" (repeatable)
    #[arg(long, value_name = "METRIC<NUMBER", value_parser = Gate::fail_if_any, env = "PROBARE_FAIL_IF_ANY")]
    pub fail_if_any: Vec<Gate>,

    /// Fail with exit code 2 unless this share of the scored cases is so, for example "relevance>=0.5:90%" (repeatable)
    #[arg(long, value_name = "METRIC>=NUMBER:SHARE", value_parser = Gate::fail_pass_rate, env = "PROBARE_FAIL_PASS_RATE")]
    pub fail_pass_rate: Vec<Gate>,

    /// Fail with exit code 2 by how many scored cases have a label, for example "verdict:FAIL>0" or "verdict:FAIL>10%" (repeatable)
    #[arg(long, value_name = "METRIC:LABEL>NUMBER", value_parser = Gate::fail_labels, env = "PROBARE_FAIL_LABELS")]
    pub fail_labels: Vec<Gate>,

    /// Fail with exit code 2 if a quantile of a metric is on the wrong side, for example "`token_f1`@10%<0.3" (repeatable)
    #[arg(long, value_name = "METRIC@SHARE<NUMBER", value_parser = Gate::fail_quantile, env = "PROBARE_FAIL_QUANTILE")]
    pub fail_quantile: Vec<Gate>,

    /// A gate fails only if the 95 % interval excludes its limit
    #[arg(long, env = "PROBARE_CONFIDENT")]
    pub confident: bool,

    /// Gates hold for each group of --by, too
    #[arg(long, env = "PROBARE_EACH_GROUP")]
    pub each_group: bool,

    #[command(flatten)]
    pub annotating: Annotating,

    /// Means apart for each group of cases: tags, a tag (lang for lang:en), metadata.KEY, or model
    #[arg(long, value_name = "TAG|tags|metadata.KEY|model", env = "PROBARE_BY")]
    pub by: Option<By>,

    /// Intervals for cases that hang together because they share a source: the column that names it
    #[arg(long, value_name = "COLUMN", env = "PROBARE_CLUSTER")]
    pub cluster: Option<Cluster>,

    /// Scoring threads; all cores by default. The output does not depend on it
    #[arg(short, long, value_name = "N", value_parser = jobs, env = "PROBARE_JOBS")]
    pub jobs: Option<NonZeroUsize>,

    #[command(flatten)]
    pub asking: Asking,

    /// What shuts in programs that metrics run: auto, bubblewrap or none (no sandbox at all: only for programs you trust)
    #[arg(long, value_name = "SANDBOX", value_parser = sandbox, env = "PROBARE_SANDBOX")]
    pub sandbox: Option<Choice>,

    /// Run programs although what became of them is recorded
    #[arg(long, env = "PROBARE_RUN_AGAIN")]
    pub run_again: bool,

    /// Score at most this many cases
    #[arg(long, value_name = "N", env = "PROBARE_LIMIT")]
    pub limit: Option<u64>,

    /// Title of the report pages
    #[arg(long, value_name = "TEXT", env = "PROBARE_TITLE")]
    pub title: Option<String>,

    /// No summary and no progress
    #[arg(short, long, env = "PROBARE_QUIET")]
    pub quiet: bool,

    /// The summary as JSON instead of a table
    #[arg(long, env = "PROBARE_JSON")]
    pub json: bool,

    /// Colours in what is printed; on a terminal by default, unless `NO_COLOR` is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t, overrides_with = "color", env = "PROBARE_COLOR")]
    pub color: Color,
}

/// Reads the name of a sandbox.
fn sandbox(text: &str) -> Result<Choice, String> {
    text.parse()
}

/// When colours are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Also in a pipe or a file
    Always,
    /// Nowhere
    Never,
}

/// Whether missed gates are told to GitHub.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct Annotating {
    /// Print annotations for GitHub Actions, one for each missed gate: always where it stands alone, with auto only there
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "always",
        default_value_t,
        env = "PROBARE_GITHUB"
    )]
    github: Annotations,
}

impl Annotating {
    /// Whether they are, here.
    pub fn is_wanted(self) -> bool {
        match self.github {
            Annotations::Never => false,
            Annotations::Auto => std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
            Annotations::Always => true,
        }
    }
}

/// When annotations for GitHub are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum Annotations {
    /// Not at all
    #[default]
    Never,
    /// In a workflow of GitHub: where `GITHUB_ACTIONS` is `true`
    Auto,
    /// Everywhere
    Always,
}

impl Color {
    /// How a stream is written to.
    pub fn look(self, stream: &impl IsTerminal) -> Look {
        let look = Look::of(stream);
        match self {
            Self::Auto => look,
            Self::Always => Look { colour: true, ..look },
            Self::Never => Look { colour: false, ..look },
        }
    }
}

/// Reads a number of threads that a machine can have.
pub fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse::<NonZeroUsize>() {
        Ok(jobs) if jobs.get() <= MOST_JOBS => Ok(jobs),
        _ => Err(format!("a whole number from 1 to {MOST_JOBS} is expected")),
    }
}

/// A run as the command line and the configuration want it.
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
#[derive(Debug, Clone, Default)]
pub struct Settled {
    /// Reports to write.
    pub outputs: Vec<PathBuf>,
    /// Whether result lines go to standard output.
    pub is_data: bool,
    /// Which reading of the metrics.
    pub profile: Profile,
    /// End at the first row that cannot be read.
    pub strict: bool,
    /// Whether the benchmark prints a summary of its own.
    pub has_own_summary: bool,
    /// Whom judges ask.
    pub asking: Option<probare_runner::Asking>,
    /// How programs are run.
    pub sandboxing: Sandboxing,
    gates: Gates,
    by: Option<By>,
    cluster: Option<Cluster>,
    annotates: bool,
    jobs: Option<NonZeroUsize>,
    limit: Option<u64>,
    title: Option<String>,
    quiet: bool,
    json: bool,
    color: Color,
}

impl Running {
    /// The command line alone.
    pub fn settled(&self) -> Settled {
        self.with_config(&Config::default())
    }

    /// The command line, and the configuration where it says nothing.
    pub fn with_config(&self, config: &Config) -> Settled {
        let configured = || config.run.output.iter().map(PathBuf::from).collect();
        let configured_gates = config.gates.iter().flat_map(probare_runner::GateEntry::gates);
        let lists = [
            &self.fail_under,
            &self.fail_if,
            &self.fail_if_any,
            &self.fail_pass_rate,
            &self.fail_labels,
            &self.fail_quantile,
        ];
        let gates = Gates::new(configured_gates.chain(lists.into_iter().flatten().cloned()).collect())
            .confident(self.confident || config.run.confident)
            .in_each_group(self.each_group || config.run.each_group);
        // Any text is something to group by.
        let configured_by = || config.run.by.as_ref().and_then(|by| by.parse().ok());
        Settled {
            outputs: if self.output.is_empty() { configured() } else { self.output.clone() },
            asking: Some(self.asking.settled(config, Path::new(""))),
            sandboxing: self.sandboxing(config),
            gates,
            annotates: self.annotating.is_wanted(),
            by: self.by.clone().or_else(configured_by),
            cluster: self.cluster.clone().or_else(|| config.run.cluster.as_ref().and_then(|name| name.parse().ok())),
            jobs: self.jobs.or(config.run.concurrency),
            limit: self.limit.or(config.run.limit),
            title: self.title.clone(),
            quiet: self.quiet,
            json: self.json,
            color: self.color,
            ..Settled::default()
        }
    }
}

impl Running {
    /// How programs are run: the command line, and the configuration where it says nothing.
    fn sandboxing(&self, config: &Config) -> Sandboxing {
        let run = &config.run;
        let configured = || run.sandbox.as_deref().and_then(|text| text.parse().ok());
        let record = self.asking.record.clone().or_else(|| run.record.as_ref().map(PathBuf::from));
        Sandboxing {
            choice: self.sandbox.or_else(configured).unwrap_or_default(),
            record: Some(record.unwrap_or_else(record_path)),
            again: self.run_again,
            offline: self.asking.offline || run.offline,
            recorded_only: false,
        }
    }
}

impl Settled {
    /// Runs the job and says what came of it.
    pub fn run(self, mut job: Job) -> Done {
        job.title = self.title.clone().or(job.title);
        let progress = Progress::new(self.quiet, self.limit, job.cases.progress());
        let files: Vec<PathBuf> = self.outputs.iter().filter(|output| *output != Path::new("-")).cloned().collect();
        let defaults = DriveOptions::default();
        let wanted = Wanted {
            profile: self.profile,
            outputs: files,
            to_stdout: self.is_data,
            gates: self.gates.clone(),
            by: self.by.clone(),
            cluster: self.cluster.clone(),
            annotates: self.annotates,
            drive: DriveOptions {
                jobs: self.jobs.unwrap_or(defaults.jobs),
                limit: self.limit,
                strict: self.strict,
                interrupted: interrupt_flag(),
                ..defaults
            },
            asking: self.asking.clone(),
            sandboxing: Some(self.sandboxing.clone()),
            watcher: Some(Box::new(progress)),
            ..Wanted::default()
        };
        let conclusion = probare_runner::run(job, wanted)?;
        self.conclude(&conclusion)
    }

    /// Drives a run with a store and says what came of it.
    pub fn evaluate(mut self, evaluation: Evaluation, store: &Store, number: i64) -> Done {
        if !self.quiet {
            announce(number, store);
        }
        self.outputs.retain(|output| output != Path::new("-"));
        if evaluation.plan().models.len() > 1 {
            // Means over several models say little.
            self.by.get_or_insert(By::Model);
        }
        let tally = Arc::new(Tally::default());
        let shared = evaluation.asked().map(|asked| asked.shared().clone());
        let watching = Watching::start(self.quiet, evaluation.plan().samples(), Arc::clone(&tally), shared);
        let defaults = DriveOptions::default();
        let wanted = Wanted {
            profile: self.profile,
            outputs: self.outputs.clone(),
            gates: self.gates.clone(),
            by: self.by.clone(),
            cluster: self.cluster.clone(),
            annotates: self.annotates,
            drive: DriveOptions {
                jobs: self.jobs.unwrap_or(defaults.jobs),
                strict: self.strict,
                interrupted: interrupt_flag(),
                ..defaults
            },
            sandboxing: Some(self.sandboxing.clone()),
            ..Wanted::default()
        };
        let ended = evaluation.run(store, number, wanted, tally);
        watching.end();
        let conclusion = ended.map_err(|error| broken(error, number))?;
        let exit = self.conclude(&conclusion)?;
        if conclusion.driven.stop == Stop::Interrupted || exit == Exit::Budget {
            remark(&format!("what is finished is kept; go on with: probare resume {number}"));
        }
        Ok(exit)
    }

    /// Prints the summary. Errors and missed gates are said even where nothing else is.
    fn conclude(&self, conclusion: &Conclusion) -> Done {
        let Conclusion { summary, verdicts, driven, .. } = conclusion;
        if !self.quiet && !self.has_own_summary {
            let text = if self.json {
                let json = serde_json::json!({ "summary": summary, "gates": verdicts });
                format!("{json:#}\n")
            } else {
                let color = self.color;
                let look = if self.is_data { color.look(&io::stderr()) } else { color.look(&io::stdout()) };
                terminal::render(summary, verdicts, look)
            };
            if self.is_data { remark(text.trim_end()) } else { print(&text).map(|_| ())? }
        } else {
            for verdict in told(verdicts).0.filter(|verdict| !self.quiet || !verdict.passed) {
                remark(&escape::terminal(&verdict.to_string()));
            }
        }
        if self.quiet {
            self.say_failures(conclusion);
        } else {
            for path in &conclusion.written {
                remark(&format!("wrote {}", escape::terminal(&path.display().to_string())));
            }
        }
        if let Some(programs) = conclusion.programs.as_ref().filter(|_| !self.quiet) {
            say_programs(programs);
        }
        if let Some(hearing) = &conclusion.hearing {
            asking::say(hearing, self.quiet);
        }
        if driven.stop != Stop::Complete {
            for output in self.outputs.iter().filter(|output| *output != Path::new("-")) {
                remark(&format!("what was computed is in {}.partial", output.display()));
            }
        }
        Ok(conclusion.exit)
    }

    /// What made the exit code, where the summary is not shown.
    fn say_failures(&self, conclusion: &Conclusion) {
        let Conclusion { summary, driven, ending, .. } = conclusion;
        for metric in summary.metrics.iter().filter(|metric| metric.failed > 0) {
            remark(&escape::terminal(&format!("error: {} failed in {} cases", metric.info.name, metric.failed)));
        }
        if driven.lost > 0 {
            remark(&format!("error: {} could not be read", counted(driven.lost, "row", "rows")));
        }
        if *ending == Ending::Missed && !self.has_own_summary {
            remark("missed: the benchmark's own limit");
        }
    }
}

/// Says how programs were run.
fn say_programs(programs: &ProgramsRun) {
    let ProgramsRun { sandbox, counts, .. } = programs;
    let all = counts.run + counts.recorded + counts.failed;
    let mut text = format!("programs: {all}");
    let ways = [(counts.run, "run"), (counts.recorded, "from the record"), (counts.failed, "could not be run")];
    for (count, way) in ways.iter().filter(|(count, _)| *count > 0) {
        text.push_str(&format!(", {count} {way}"));
    }
    if let Some(sandbox) = sandbox {
        text.push_str(&format!("; sandbox {} ({})", sandbox.level, sandbox.by));
        if !sandbox.not_held.is_empty() {
            text.push_str(&format!(", which does not hold: {}", sandbox.not_held.join("; ")));
        }
    }
    remark(&escape::terminal(&text));
}

/// Set by Ctrl-C, by SIGTERM and by SIGHUP: the run ends at the next case and what was computed is kept.
pub fn interrupt_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let inner = Arc::clone(&flag);
    // Without a handler Ctrl-C ends the program at once, which is the second best thing.
    let _ = ctrlc::set_handler(move || {
        if inner.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
    flag
}

impl From<SandboxError> for Failure {
    fn from(error: SandboxError) -> Self {
        let failure = Self::from_error(&error);
        match error.remedy() {
            Some(remedy) => failure.hint(remedy),
            None => failure,
        }
    }
}

impl From<probare_runner::RunError> for Failure {
    fn from(error: probare_runner::RunError) -> Self {
        use probare_runner::RunError;
        match error {
            RunError::Plan(error) => error.into(),
            RunError::Gate(error) => error.into(),
            RunError::Open(error) => error.into(),
            RunError::Drive(error) => error.into(),
            RunError::Ask(error) => error.into(),
            RunError::Programs(ProgramError::Sandbox(error)) => error.into(),
            RunError::Overlap(error) => Self::usage(error.to_string()).hint("name another file to write"),
            other => Self::from_error(&other),
        }
    }
}
