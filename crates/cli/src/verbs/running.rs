//! A run from its settings to its end: driven, summed up in words, with the exit code that comes of it.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use probare_cancellation::interruption;
use probare_core::{Console, Ending, Job, Stop};
use probare_report::number::counted;
use probare_report::{escape, terminal, told};
use probare_runner::{Conclusion, Evaluation, Exit, ProgramError, ProgramsRun, Settings, Store, Tally, Wanted};
use probare_sandbox::SandboxError;

use super::asking;
use super::flags::look;
use super::stored::{announce, broken};
use super::{print, remark};
use crate::failure::{Done, Failure};
use crate::progress::{Interruption, Progress, Watching};

/// A run that is about to start.
#[derive(Debug, Clone, Default)]
pub struct Running {
    settings: Settings,
    /// Whether result lines go to standard output.
    is_data: bool,
    /// Whether the benchmark prints a summary of its own.
    has_own_summary: bool,
}

impl Running {
    /// A run with these settings.
    pub fn new(settings: Settings) -> Self {
        let is_data = settings.output.iter().any(|output| output == Path::new("-"));
        Self { settings, is_data, has_own_summary: false }
    }

    /// Result lines go to standard output also where nobody asked for that by name.
    #[must_use]
    pub fn printing_lines(self, is_data: bool) -> Self {
        Self { is_data: self.is_data || is_data, ..self }
    }

    /// The benchmark prints a summary of its own.
    #[must_use]
    pub fn with_own_summary(self, has_own_summary: bool) -> Self {
        Self { has_own_summary, ..self }
    }

    /// What the run is.
    pub fn into_settings(self) -> Settings {
        self.settings
    }

    /// Whether no report is wanted.
    pub fn is_without_output(&self) -> bool {
        self.settings.output.is_empty()
    }

    /// Where a benchmark prints. Where result lines go to standard output nothing else does.
    pub fn console(&self) -> Console {
        let Settings { quiet, json, color, allow_empty, .. } = self.settings;
        Console { quiet: quiet || self.is_data, json, colour: look(color, &io::stdout()).colour, allow_empty }
    }

    fn wanted(&self) -> Wanted<'_> {
        let interrupted = interrupt_flag();
        Wanted { to_stdout: self.is_data, interrupted, ..Wanted::from(self.settings.clone()) }
    }

    /// Runs the job and says what came of it.
    pub fn run(self, job: Job) -> Done {
        let progress = Progress::new(self.settings.quiet, self.settings.limit, job.cases.progress());
        let wanted = Wanted { watcher: Some(Box::new(progress)), ..self.wanted() };
        let conclusion = probare_runner::run(job, wanted)?;
        self.conclude(&conclusion)
    }

    /// Drives a run with a store and says what came of it.
    pub fn evaluate(mut self, evaluation: Evaluation, store: &Store, number: i64) -> Done {
        let Settings { quiet, by, .. } = &mut self.settings;
        let quiet = *quiet;
        if !quiet {
            announce(number, store);
        }
        if evaluation.plan().models.len() > 1 {
            // Means over several models say little: each has its own, whatever else is asked for.
            *by = Some(match by.take() {
                Some(by) if by != "model" && !by.starts_with("model,") => format!("model,{by}"),
                _ => "model".to_owned(),
            });
        }
        let tally = Arc::new(Tally::default());
        let shared = evaluation.asked().map(|asked| asked.shared().clone());
        let watching = Watching::start(quiet, evaluation.plan().samples(), Arc::clone(&tally), shared);
        let wanted = Wanted { watcher: Some(Box::new(Interruption)), ..self.wanted() };
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
        let Settings { quiet, json, color, allow_empty, .. } = self.settings;
        if !quiet && !self.has_own_summary {
            let text = if json {
                let json = serde_json::json!({ "summary": summary, "gates": verdicts });
                format!("{json:#}\n")
            } else {
                let look = if self.is_data { look(color, &io::stderr()) } else { look(color, &io::stdout()) };
                terminal::render(summary, verdicts, look)
            };
            if self.is_data { remark(text.trim_end()) } else { print(&text).map(|_| ())? }
        } else {
            for verdict in told(verdicts).0.filter(|verdict| !quiet || !verdict.passed) {
                remark(&escape::terminal(&verdict.to_string()));
            }
        }
        if quiet {
            self.say_failures(conclusion);
        } else {
            for path in &conclusion.written {
                remark(&format!("wrote {}", escape::terminal(&path.display().to_string())));
            }
        }
        if let Some(programs) = conclusion.programs.as_ref().filter(|_| !quiet) {
            say_programs(programs);
        }
        if let Some(hearing) = &conclusion.hearing {
            asking::say(hearing, quiet);
        }
        for path in &conclusion.partial {
            remark(&escape::terminal(&format!("what was computed is in {}", path.display())));
        }
        if driven.stop != Stop::Complete && driven.cases == 0 && !self.settings.files().is_empty() {
            remark("nothing was computed, so no file was written");
        }
        if driven.stop == Stop::Complete && driven.cases == 0 && driven.lost == 0 && !allow_empty {
            remark("error: nothing was evaluated: there is not a single case\n\nhint: --allow-empty lets that pass");
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

/// Set by Ctrl-C, by SIGTERM and by SIGHUP: whatever computes or waits for a file ends, and what was computed is kept.
pub fn interrupt_flag() -> Arc<AtomicBool> {
    let flag = interruption();
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
