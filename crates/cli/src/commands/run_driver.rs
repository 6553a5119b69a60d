//! A run from its settings to its end: driven, summed up in words, with the exit code that comes of it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use probare_analysis::RunViewer;
use probare_benchmarks::registries;
use probare_cancellation::interruption_flag;
use probare_core::{BenchmarkStatus, Console, Job, Sink, Stop};
use probare_engine::{
    Conclusion, EarlyOutcome, EarlyProgress, Evaluation, Exit, ProgramUsage, RunOptions, RunProgress, RunRequest,
};
use probare_metrics::graders::not_run_reason;
use probare_report::number::count_with_noun;
use probare_report::{Groups, escape, listed_verdicts, terminal};
use probare_sandbox::SandboxError;
use probare_store::Store;

use super::flags::stream_look;
use super::model_call_flags;
use super::store_flags::{announce, started_run_failure};
use super::{compare, print, remark, remark_lines};
use crate::failure::{CommandResult, Failure};
use crate::progress::{InterruptionSink, ProgressSink, ProgressWatcher};

/// A run that is about to start.
#[derive(Debug, Clone, Default)]
pub struct RunDriver {
    settings: RunOptions,
    /// Whether result lines go to standard output.
    is_data: bool,
    /// Whether the benchmark prints a summary of its own.
    has_own_summary: bool,
    /// Files to write that were there before the run.
    existing: Vec<PathBuf>,
}

impl RunDriver {
    /// A run with these settings.
    pub fn new(settings: RunOptions) -> Self {
        for old in &settings.old_names {
            remark(&format!("{old}; the old name goes with the next release"));
        }
        for request in settings.requests() {
            if let Some(reason) = not_run_reason(&request.id, &request.options) {
                remark(&format!("warning: `{}` cannot be run and counts as not_run: {reason}", request.name));
            }
        }
        let is_data = settings.output.iter().any(|output| output == Path::new("-"));
        let existing = settings.output.iter().filter(|output| output.is_file()).cloned().collect();
        Self { settings, is_data, has_own_summary: false, existing }
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
    pub fn into_settings(self) -> RunOptions {
        self.settings
    }

    /// Whether questions of the run go into batches.
    pub fn asks_in_batches(&self) -> bool {
        self.settings.batch == Some(true)
    }

    /// Whether no report is wanted.
    pub fn is_without_output(&self) -> bool {
        self.settings.output.is_empty()
    }

    /// Where a benchmark prints. Where result lines go to standard output nothing else does.
    pub fn console(&self) -> Console {
        let RunOptions { json, color, allow_empty, .. } = self.settings;
        Console {
            quiet: self.is_quiet() || self.is_data,
            json: json.unwrap_or_default(),
            colour: stream_look(color, &io::stdout()).colour,
            allow_empty: allow_empty.unwrap_or_default(),
        }
    }

    pub fn is_quiet(&self) -> bool {
        self.settings.quiet.unwrap_or_default()
    }

    fn run_request(&self) -> RunRequest<'_> {
        let interrupted = interrupt_flag();
        RunRequest { to_stdout: self.is_data, interrupted, ..RunRequest::from(self.settings.clone()) }
    }

    /// Runs the job and says what came of it.
    pub fn run(self, job: Job) -> CommandResult {
        let early_progress = Arc::<EarlyProgress>::default();
        let baseline = compare::baseline_file(&self.settings)?;
        let is_early = self.settings.stop_when_decided == Some(true);
        // Where the order is drawn the file is read before the first case is scored.
        let source = job.cases.progress().filter(|_| !is_early);
        let progress = ProgressSink::new(self.is_quiet(), self.settings.limit, source, Arc::clone(&early_progress));
        let wanted = RunRequest { watcher: Some(Box::new(progress)), early_progress, baseline, ..self.run_request() };
        let conclusion = probare_engine::run(job, registries(), wanted)?;
        self.conclude(&conclusion)
    }

    /// Drives a run with a store and says what came of it.
    pub fn evaluate(self, evaluation: Evaluation, store: &Store, number: i64) -> CommandResult {
        self.evaluate_once(evaluation, store, number).map(|(exit, _)| exit)
    }

    /// The same, and whether questions of it wait in a batch.
    pub fn evaluate_once(
        mut self,
        evaluation: Evaluation,
        store: &Store,
        number: i64,
    ) -> Result<(Exit, bool), Failure> {
        let quiet = self.is_quiet();
        if !quiet {
            announce(number, store);
        }
        self.settings.group_by_source(evaluation.plan());
        let tally = Arc::new(RunProgress::default());
        let shared = Some(evaluation.model_backend().shared().clone());
        let early_progress = Arc::<EarlyProgress>::default();
        let watched = (Arc::clone(&tally), Arc::clone(&early_progress));
        let watching = ProgressWatcher::start(quiet, evaluation.plan().samples(), watched, shared);
        let watcher: Option<Box<dyn Sink>> = Some(Box::new(InterruptionSink));
        let wanted = RunRequest { watcher, early_progress, ..self.run_request() };
        let ended = evaluation.run(store, number, wanted, tally);
        watching.end();
        let conclusion = ended.map_err(|error| started_run_failure(error, number))?;
        let exit = self.conclude(&conclusion)?;
        if conclusion.driven.stop == Stop::Complete {
            // So that the viewer opens with them. It reads the results itself where that could not be done.
            RunViewer::open(store.path(), &[number.to_string()], registries())
                .and_then(|viewer| viewer.keep_means(&format!("r{number}")))
                .ok();
        }
        if conclusion.driven.stop == Stop::Interrupted || matches!(exit, Exit::Budget | Exit::Incomplete) {
            remark(&format!("what is finished is kept; go on with: probare resume {number}"));
        }
        let batches = conclusion.hearing.as_ref().and_then(|hearing| hearing.batches.as_ref());
        let is_waiting = batches.is_some_and(|batches| batches.problems.is_empty() && batches.is_pending());
        Ok((exit, is_waiting && conclusion.driven.stop == Stop::Complete))
    }

    /// Prints the summary. Errors and failed gates are printed even where nothing else is.
    fn conclude(&self, conclusion: &Conclusion) -> CommandResult {
        let Conclusion { summary, verdicts, .. } = conclusion;
        let quiet = self.is_quiet();
        if !quiet && !self.has_own_summary {
            self.print_summary(conclusion)?;
        } else {
            for verdict in listed_verdicts(verdicts).0.filter(|verdict| !quiet || !verdict.passed) {
                remark(&verdict.to_string());
            }
        }
        if quiet {
            self.say_failures(conclusion);
        } else {
            for path in &conclusion.written {
                let earlier = if self.existing.contains(path) { ", in place of an earlier file" } else { "" };
                remark(&format!("wrote {}{earlier}", path.display()));
            }
        }
        if let Some(programs) = conclusion.programs.as_ref().filter(|_| !quiet) {
            say_programs(programs);
        }
        if let Some(hearing) = &conclusion.hearing {
            model_call_flags::print_model_usage(hearing, quiet);
            // A reply that could not be read is recorded like any other: it would fail again for ever. What an agent has too
            // little of for its task stays too little.
            let is_replayed = hearing.counts.replayed > 0 && hearing.counts.replayed == hearing.counts.asked;
            if summary.failed() > summary.not_run() + summary.over_limit() && is_replayed {
                remark("hint: what failed was answered from recorded replies; --refresh asks again");
            }
        }
        let ignored = conclusion.hearing.as_ref().map_or(0, |hearing| hearing.ignored)
            + conclusion.programs.as_ref().map_or(0, |programs| programs.counts.ignored);
        model_call_flags::warn_ignored_entries(&self.settings.record(), ignored);
        for path in &conclusion.partial {
            remark(&format!("what was computed is in {}", path.display()));
        }
        self.say_shortcomings(conclusion);
        Ok(conclusion.exit)
    }

    fn print_summary(&self, conclusion: &Conclusion) -> Result<(), Failure> {
        let Conclusion { summary, verdicts, .. } = conclusion;
        let RunOptions { json, color, .. } = self.settings;
        let text = if json == Some(true) {
            let mut json = serde_json::json!({ "summary": summary, "gates": verdicts });
            if let Some(early) = &conclusion.early {
                json["decided_early"] = serde_json::json!(early);
            }
            format!("{json:#}\n")
        } else {
            let look = if self.is_data { stream_look(color, &io::stderr()) } else { stream_look(color, &io::stdout()) };
            terminal::render(summary, verdicts, look)
        };
        let early = conclusion.early.as_ref().filter(|_| json != Some(true)).map(EarlyOutcome::text);
        let text = text + &escape::terminal_lines(&early.unwrap_or_default());
        if self.is_data {
            remark_lines(text.trim_end());
            return Ok(());
        }
        print(&text).map(|_| ())
    }

    /// What a run lacks that else counts as done.
    fn say_shortcomings(&self, conclusion: &Conclusion) {
        let Conclusion { summary, driven, .. } = conclusion;
        if driven.stop != Stop::Complete && driven.cases == 0 && !self.settings.files().is_empty() {
            remark("nothing was computed, so no file was written");
        }
        // A benchmark that failed has said why.
        let is_silent = conclusion.ending != BenchmarkStatus::Failed;
        let is_empty = driven.stop == Stop::Complete && driven.cases == 0 && driven.lost == 0;
        if is_empty && self.settings.allow_empty != Some(true) && is_silent {
            remark_lines(
                "error: nothing was evaluated: there is not a single case\n\nhint: --allow-empty lets that pass",
            );
        }
        if summary.not_run() > 0 && self.settings.allow_not_run != Some(true) {
            let results = count_with_noun(summary.not_run(), "result was", "results were");
            remark_lines(&format!(
                "error: {results} not run, and nothing of that passed\n\nhint: --allow-not-run lets the run pass without them"
            ));
        }
        if let Some(why) = summary.no_intervals.as_ref().filter(|_| self.settings.significant == Some(true)) {
            remark(&format!(
                "warning: there are no intervals, so gates compare the values alone despite --significant: {why}"
            ));
        }
        if let Some(problem) = summary.groups.as_ref().and_then(Groups::problem).filter(|_| driven.cases > 0) {
            remark(&format!("error: {problem}"));
        }
    }

    /// What made the exit code, where the summary is not shown.
    fn say_failures(&self, conclusion: &Conclusion) {
        let Conclusion { summary, driven, ending, .. } = conclusion;
        for metric in summary.metrics.iter().filter(|metric| metric.failed > 0) {
            let cases = count_with_noun(metric.failed, "case", "cases");
            let why = metric.failed_reasons.kept.first().map(|first| format!(": {}", first.reason)).unwrap_or_default();
            remark(&format!("error: {} failed in {cases}{why}", metric.info.name));
        }
        if driven.lost > 0 {
            remark(&format!("error: {} could not be read", count_with_noun(driven.lost, "row", "rows")));
        }
        if *ending == BenchmarkStatus::GateFailed && !self.has_own_summary {
            remark("failed: the benchmark's own limit");
        }
    }
}

/// Says how programs were run.
fn say_programs(programs: &ProgramUsage) {
    let ProgramUsage { sandbox, counts, .. } = programs;
    let all = counts.run + counts.recorded + counts.failed;
    let mut text = format!("programs: {all}");
    let ways = [(counts.run, "run"), (counts.recorded, "from the cache"), (counts.failed, "could not be run")];
    for (count, way) in ways.iter().filter(|(count, _)| *count > 0) {
        text.push_str(&format!(", {count} {way}"));
    }
    if let Some(sandbox) = sandbox {
        text.push_str(&format!("; sandbox {} ({})", sandbox.level, sandbox.by));
        if !sandbox.not_held.is_empty() {
            text.push_str(&format!(", which does not hold: {}", sandbox.not_held.join("; ")));
        }
    }
    remark(&text);
}

/// Set by Ctrl-C, by SIGTERM and by SIGHUP: whatever computes or waits for a file ends, and what was computed is kept.
pub fn interrupt_flag() -> Arc<AtomicBool> {
    let flag = interruption_flag();
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
