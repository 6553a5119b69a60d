//! [`run`]: a job from its start to its exit code. Every command that scores goes this way.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use probare_core::{
    Backend, BenchmarkData, BenchmarkStatus, CaseResult, EarlyStopRecord, Event, FORMAT, InputFile, Job, Manifest,
    MeansOver, MetricInfo, MetricRequest, NoBackend, ProgramVersion, Publisher, ReadSettings, RunEnd, SandboxRecord,
    Sink, Stop, Trust,
};
use probare_report::{
    Gate, GateError, GateVerdict, Gates, Github, Jsonl, LinesDigest, OutputOverlap, OutputWriter, Relation,
    RendererOptions, ReportError, ReportFormat, Summary, VERSION, manifest, refuse_overlap,
};

use crate::decide_early::{
    self, Baseline, EarlyDecision, EarlyDecisionError, EarlyOutcome, EarlyProgress, EarlyWatch, ResultContext,
    STOPPED_EARLY,
};
use crate::decision_thresholds::apply_decision_thresholds;
use crate::drive::{DriveError, DriveOptions, DriveOutcome, RunContext, SampleProvider, drive};
use crate::own_metrics::{start_own_metrics, with_program_metrics};
use crate::programs::ProgramBackend;
use crate::{
    Exit, ModelAccess, ModelAccessError, ModelBackend, ModelUsage, Plan, PlanError, ProgramCounts, ProgramError,
    ProgramOptions, Registries, RunOptions,
};

/// How a job is to be run, and who is there while it runs.
pub struct RunRequest<'a> {
    /// What the run is. Datasets, metrics and models of it are in the job already.
    pub settings: RunOptions,
    /// Limits beside those of the settings.
    pub gates: Gates,
    /// Whether result lines go to standard output.
    pub to_stdout: bool,
    /// Whether somebody else wants the result lines.
    pub lines: bool,
    /// Whether whoever watches wants evidence; reports have it always.
    pub evidence: bool,
    /// Who answers metrics that ask or want vectors, to be opened for this run.
    pub model_access: Option<ModelAccess>,
    /// The metrics of the finished run that this one computes again, if it does.
    pub recorded: Vec<MetricInfo>,
    /// Names of metrics of a finished run whose code, which is the user's own, may be started to compute them again.
    pub allowed_code: Vec<String>,
    /// How programs are run, where a metric wants any.
    pub sandboxing: Option<ProgramOptions>,
    /// Who answers where `asking` is nothing: somebody who was opened before.
    pub backend: &'a dyn Backend,
    /// Who answers in place of the files, and who keeps samples as they are finished.
    pub sampler: Option<&'a dyn SampleProvider>,
    /// Watches the run: a progress bar.
    pub watcher: Option<Box<dyn Sink + 'a>>,
    /// Set from outside to end early.
    pub interrupted: Arc<AtomicBool>,
    /// Gates that end the run once they are decided; its cases come in the seeded order.
    pub early: Option<EarlyDecision>,
    /// What is left to decide, told while the run goes on.
    pub early_progress: Arc<EarlyProgress>,
    /// What gates against a baseline compare with.
    pub baseline: Option<Baseline>,
    /// Where the finished run that is reported may have stopped before its last case.
    pub early_stop: Option<EarlyStopRecord>,
}

impl Default for RunRequest<'_> {
    fn default() -> Self {
        Self {
            settings: RunOptions::default(),
            gates: Gates::default(),
            to_stdout: false,
            lines: false,
            evidence: true,
            model_access: None,
            recorded: Vec::new(),
            allowed_code: Vec::new(),
            sandboxing: None,
            backend: &NoBackend,
            sampler: None,
            watcher: None,
            interrupted: Arc::default(),
            early: None,
            early_progress: Arc::default(),
            baseline: None,
            early_stop: None,
        }
    }
}

impl From<RunOptions> for RunRequest<'_> {
    /// A run whose user may name models and programs.
    fn from(settings: RunOptions) -> Self {
        let (asking, sandboxing) = (Some(settings.model_access()), Some(settings.sandboxing()));
        Self { settings, model_access: asking, sandboxing, ..Self::default() }
    }
}

/// Why a job could not be run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The metrics cannot be used.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A gate cannot be used.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// The models cannot be asked.
    #[error(transparent)]
    Ask(#[from] ModelAccessError),
    /// Programs cannot be run.
    #[error(transparent)]
    Programs(#[from] ProgramError),
    /// An output would destroy something.
    #[error(transparent)]
    Overlap(#[from] OutputOverlap),
    /// A report cannot be opened.
    #[error(transparent)]
    Open(#[from] ReportError),
    /// Its gates cannot be decided before its last case.
    #[error(transparent)]
    Early(#[from] EarlyDecisionError),
    /// The run broke off.
    #[error(transparent)]
    Drive(#[from] DriveError),
}

/// What became of the programs of a run.
#[derive(Debug, Clone, Default)]
pub struct ProgramUsage {
    /// The sandbox, where one was used.
    pub sandbox: Option<SandboxRecord>,
    /// Programs by their end.
    pub counts: ProgramCounts,
    /// Metrics that miss an outcome in the record.
    pub unrecorded: std::collections::BTreeSet<String>,
}

/// What a run came to.
#[derive(Debug)]
pub struct Conclusion {
    /// Counts, means and distributions.
    pub summary: Summary,
    /// What became of the gates.
    pub verdicts: Vec<GateVerdict>,
    /// What was decided before the last case, where the run may stop early.
    pub early: Option<EarlyOutcome>,
    /// What was read and how it ended.
    pub driven: DriveOutcome,
    /// Files that were written, those of the benchmark first.
    pub written: Vec<PathBuf>,
    /// Files that hold what was computed before the run ended early.
    pub partial: Vec<PathBuf>,
    /// How questions to models ended, where any was asked.
    pub hearing: Option<ModelUsage>,
    /// What became of programs, where any were wanted.
    pub programs: Option<ProgramUsage>,
    /// How the benchmark says it ended.
    pub ending: BenchmarkStatus,
    /// How the program should end.
    pub exit: Exit,
}

/// Runs a job. Nothing is opened for writing before it is sure that no output is an input.
pub fn run(mut job: Job, registries: Registries, mut wanted: RunRequest<'_>) -> Result<Conclusion, RunError> {
    let is_published = job.benchmark.is_some();
    let open = |asking: &ModelAccess| {
        let mut asking = ModelAccess { is_published: asking.is_published || is_published, ..asking.clone() };
        // Who has no store cannot come back for the replies.
        asking.options.batch = false;
        asking.open(&mut job.requests, registries.metrics)
    };
    let asked = wanted.model_access.as_ref().map(open).transpose()?;
    let trust = wanted.model_access.as_ref().map_or_else(|| wanted.backend.trust(), |access| access.options.trust);
    let is_allowed = |request: &MetricRequest| wanted.allowed_code.contains(&request.name);
    let registry = with_program_metrics(registries.metrics, &job.own_metrics).map_err(PlanError::from)?;
    let registry = start_own_metrics(&registry, &job.requests, trust, is_allowed).map_err(PlanError::from)?;
    let (files, profile) = (&wanted.settings.decision_thresholds, wanted.settings.profile());
    apply_decision_thresholds(files, &mut job.requests, profile, &registry).map_err(PlanError::from)?;
    job.reads.extend(files.iter().cloned());
    let plan = Plan::with_recorded(&job.requests, profile, &registry, &wanted.recorded)?;
    let gates = wanted.settings.limits().join(wanted.gates.clone());
    decide_early::check_options(&wanted.settings, &gates, is_published)?;
    if wanted.settings.stop_when_decided == Some(true) {
        gates.check(plan.infos(), false)?;
        let baseline = wanted.baseline.as_ref();
        wanted.early = Some(decide_early::prepare(&mut job, plan.infos(), &wanted.settings, &gates, baseline)?);
    }
    run_planned(job, &plan, asked.as_ref(), wanted)
}

/// Reports results that are known: the sampler that is `wanted` recalls them all. Nothing is scored, and nobody is asked.
pub fn rereport(job: Job, metrics: Vec<MetricInfo>, wanted: RunRequest<'_>) -> Result<Conclusion, RunError> {
    run_planned(job, &Plan::without_scoring(metrics), None, wanted)
}

/// Runs a job whose metrics are planned and whose models are opened.
pub fn run_planned(
    mut job: Job,
    plan: &Plan,
    asked: Option<&ModelBackend>,
    mut wanted: RunRequest<'_>,
) -> Result<Conclusion, RunError> {
    let mut outputs = std::mem::take(&mut job.outputs);
    outputs.extend(wanted.settings.files());
    if let Some(asked) = asked {
        add_recorded_replies(&mut job, &asked.inputs);
    }
    let outside = asked.map_or(wanted.backend, |asked| asked as &dyn Backend);
    let running = open_programs(plan, &wanted, asked, outside)?;
    let everybody = running.as_ref().map_or(outside, |running| running as &dyn Backend);
    // What a finished run needs and is not here is left unchecked, case by case.
    if everybody.trust() != Trust::RecordedOnly {
        plan.check_models(everybody)?;
    }
    job.title = wanted.settings.title.clone().or(job.title);
    let options = renderer_options(&job, &wanted);
    options.gates.check(plan.infos(), options.by.is_some())?;
    let sinks = open_reports(&job, &outputs, &wanted, &options)?;
    let wants_lines = wanted.lines || !outputs.is_empty();
    let tee = Tee {
        summary: Summary::new(&options),
        // Only a manifest, or whoever holds one against this run, has the digest of the lines.
        lines: wants_lines.then(LinesDigest::default),
        publisher: job.publisher.take(),
        sinks,
        whole: Vec::new(),
        watcher: wanted.watcher.take(),
        asked,
        early: wanted.early.take().map(|early| EarlyWatch::new(early, Arc::clone(&wanted.early_progress))),
        tells_cost: wanted.sampler.is_none(),
    };
    let drive_options = DriveOptions {
        jobs: wanted.settings.jobs.unwrap_or_else(|| DriveOptions::default().jobs),
        limit: wanted.settings.limit,
        strict: wanted.settings.strict.unwrap_or_default(),
        lines: wants_lines || wanted.to_stdout,
        lost_rows_fail: job.reading.lost_rows_fail,
        evidence: wanted.evidence || wants_lines || wanted.to_stdout,
        interrupted: Arc::clone(&wanted.interrupted),
        decided: tee.early.as_ref().map(EarlyWatch::signal).unwrap_or_default(),
    };
    let planned = planned_manifest(&mut job, plan, asked, wanted.settings.limit);
    let around = RunContext { rules: job.rules.as_ref(), backend: everybody, sampler: wanted.sampler };
    let kept_before = partial_files(&outputs).collect();
    let mut active = ActiveRun { plan, asked, backend: everybody, options, outputs, kept_before, planned, tee };
    let driven = drive(job.cases, &job.source, plan, around, &drive_options, Box::new(&mut active.tee))
        .inspect_err(|_| active.tee.save_partial())?;
    let programs = running.as_ref().map(|running| ProgramUsage {
        sandbox: running.used(),
        counts: running.counts(),
        unrecorded: running.unrecorded(),
    });
    active.conclude(driven, programs, wanted)
}

/// A run that is under way.
struct ActiveRun<'a> {
    plan: &'a Plan,
    asked: Option<&'a ModelBackend>,
    /// Models and the sandbox.
    backend: &'a dyn Backend,
    options: RendererOptions,
    outputs: Vec<PathBuf>,
    /// What runs left that ended early, before this one.
    kept_before: Vec<PathBuf>,
    /// What of the manifest is known before the run.
    planned: Manifest,
    tee: Tee<'a>,
}

impl ActiveRun<'_> {
    /// Sums up, writes the end of all reports, and says how the run ended.
    fn conclude(
        self,
        driven: DriveOutcome,
        programs: Option<ProgramUsage>,
        wanted: RunRequest<'_>,
    ) -> Result<Conclusion, RunError> {
        let Self { plan, asked, backend, options, outputs, kept_before, planned, mut tee } = self;
        if let Some(asked) = asked.filter(|_| driven.stop == Stop::Complete) {
            asked.shared().end_batches();
        }
        let is_asking = asked.is_some_and(ModelBackend::is_asking);
        let mut hearing = asked.map(ModelBackend::usage).filter(|hearing| is_asking || !hearing.unrecorded.is_empty());
        let early = tee.conclude(driven.stop, wanted.early_stop.as_ref());
        let baseline = wanted.baseline.map(|baseline| baseline.name).or_else(|| wanted.settings.baseline.clone());
        let early_stop = early.as_ref().map(|early| early.record(&options.gates, baseline)).or(wanted.early_stop);
        let mut of_benchmark = tee.publisher.as_ref().map(|publisher| publisher.panels()).unwrap_or_default();
        let early = early.map(|early| {
            let outcome = early.outcome(unspent_usd(&early, wanted.sampler, hearing.as_ref()));
            // What is computed again costs nothing, and has to say the same.
            of_benchmark.push(if wanted.sampler.is_some() { outcome.panel() } else { early.outcome(None).panel() });
            outcome
        });
        let mut costs = hearing.as_ref().map(|hearing| hearing.costs.clone());
        if let Some(sampler) = wanted.sampler {
            // Of a run that did not end nothing is said as if it had.
            let kept = if driven.stop == Stop::Complete { &of_benchmark[..] } else { &[] };
            let known = sampler.conclude(kept).inspect_err(|_| tee.save_partial()).map_err(DriveError::Output)?;
            costs = known.or(costs);
        }
        let costs = costs.filter(|costs| costs.calls() > 0);
        if let (Some(hearing), Some(costs)) = (&mut hearing, &costs) {
            hearing.costs.clone_from(costs);
        }
        let panels = of_benchmark.iter().cloned().chain(costs.as_ref().map(probare_report::costs::panel)).collect();
        let manifest = Manifest {
            inputs: driven.inputs.iter().cloned().chain(planned.inputs).collect(),
            models: asked.map(ModelBackend::models).unwrap_or_default(),
            embeddings: plan.embeddings(backend),
            sandbox: programs.as_ref().and_then(|programs| programs.sandbox.clone()),
            costs,
            stop: driven.stop,
            summary: serde_json::to_value(&tee.summary).unwrap_or_default(),
            gates: serde_json::to_value(&tee.summary.verdicts).unwrap_or_default(),
            early_stop,
            panels: of_benchmark,
            lines: tee.lines.as_ref().map(LinesDigest::hex).unwrap_or_default(),
            ..planned
        };
        let summary = Some(BenchmarkData::new(tee.summary.clone()));
        let finish = RunEnd { stop: driven.stop, manifest, summary, panels };
        if driven.stop != Stop::Complete && driven.cases == 0 {
            // Nothing was computed, so there is nothing to keep.
            tee.sinks.clear();
        }
        tee.event(&Event::Finished(&finish)).map_err(|error| DriveError::Output(tee.with_whole_reports(error)))?;

        let publisher = tee.publisher.as_ref();
        let mut written = publisher.map(|publisher| publisher.written_files()).unwrap_or_default();
        let ending = publisher.map(|publisher| publisher.status()).unwrap_or_default();
        let mut partial = Vec::new();
        if driven.stop == Stop::Complete {
            written.extend(outputs.iter().filter(|path| *path != Path::new("-")).cloned());
        } else {
            partial.extend(partial_files(&outputs).filter(|path| !kept_before.contains(path)));
        }
        let (verdicts, summary) = (tee.summary.verdicts.clone(), tee.summary);
        let exit = Exit::Fine;
        let mut conclusion =
            Conclusion { summary, verdicts, early, driven, written, partial, hearing, programs, ending, exit };
        conclusion.exit = conclusion.exit_under(&wanted.settings);
        Ok(conclusion)
    }
}

impl Conclusion {
    /// Whether the budget kept a question from being asked.
    pub(crate) fn is_budget_reached(&self) -> bool {
        self.hearing.as_ref().is_some_and(|hearing| hearing.is_budget_reached)
    }

    /// Whether a provider wants questions, or answers them, later.
    pub(crate) fn is_postponed(&self) -> bool {
        self.hearing.as_ref().is_some_and(ModelUsage::goes_on_later)
    }

    /// How the program should end.
    fn exit_under(&self, settings: &RunOptions) -> Exit {
        let allow_empty = settings.allow_empty.unwrap_or_default();
        let allow_not_run = settings.allow_not_run.unwrap_or_default();
        match Exit::from_run(&self.driven, &self.summary, &self.verdicts, self.ending, allow_empty, allow_not_run) {
            // What a provider wants later, or answers later, is no error of the cases.
            Exit::Error | Exit::Gate | Exit::Fine if self.is_postponed() => Exit::Incomplete,
            // Nor is what failed for want of money.
            Exit::Error | Exit::Gate | Exit::Fine if self.is_budget_reached() => Exit::Budget,
            exit => exit,
        }
    }
}

/// Adds files of recorded replies to what a job reads. A run that is computed again has them among its inputs already.
fn add_recorded_replies(job: &mut Job, replies: &[InputFile]) {
    job.reads.extend(replies.iter().map(|input| PathBuf::from(&input.path)));
    let known = |input: &InputFile| job.inputs.iter().any(|known| known.sha256 == input.sha256);
    let new: Vec<InputFile> = replies.iter().filter(|input| !known(input)).cloned().collect();
    job.inputs.extend(new);
}

/// Makes ready for the programs of a run, where metrics want any.
fn open_programs<'a>(
    plan: &Plan,
    wanted: &RunRequest<'_>,
    asked: Option<&ModelBackend>,
    outside: &'a dyn Backend,
) -> Result<Option<ProgramBackend<'a>>, ProgramError> {
    let environments = plan.environments();
    let Some(sandboxing) = wanted.sandboxing.as_ref().filter(|_| !environments.is_empty()) else { return Ok(None) };
    let cassettes: Vec<PathBuf> =
        asked.iter().flat_map(|asked| &asked.inputs).map(|input| PathBuf::from(&input.path)).collect();
    let interrupted = Arc::clone(&wanted.interrupted);
    ProgramBackend::open(sandboxing, &cassettes, &environments, interrupted, outside).map(Some)
}

fn renderer_options(job: &Job, wanted: &RunRequest<'_>) -> RendererOptions {
    let settings = &wanted.settings;
    RendererOptions {
        title: job.title.clone(),
        gates: settings.limits().join(wanted.gates.clone()),
        case_limits: case_limits(job),
        by: settings.groups(),
        cluster: settings.cluster(),
        is_over_outputs: job.means_over == MeansOver::Outputs,
    }
}

/// Opens all reports, once it is sure that none of them overwrites anything.
fn open_reports(
    job: &Job,
    outputs: &[PathBuf],
    wanted: &RunRequest<'_>,
    options: &RendererOptions,
) -> Result<Vec<ReportSink>, RunError> {
    let mut formats = Vec::with_capacity(outputs.len());
    for path in outputs {
        formats.push(ReportFormat::from_path(path)?);
    }
    refuse_overlap(&job.reads, &writes(job, outputs, &formats))?;
    let mut sinks: Vec<ReportSink> = Vec::new();
    for (path, (format, compression)) in outputs.iter().zip(formats) {
        let output = OutputWriter::to_file(path, compression).map_err(ReportError::from)?;
        sinks.push((Some(path.clone()), format.sink(output, options.clone())));
    }
    if wanted.to_stdout {
        sinks.push((None, Box::new(Jsonl::new(OutputWriter::to_stdout()))));
    }
    if wanted.settings.annotates() {
        // The runner of GitHub reads both streams.
        let output =
            if wanted.to_stdout { OutputWriter::to_writer(Box::new(io::stderr())) } else { OutputWriter::to_stdout() };
        sinks.push((None, Box::new(Github::new(output, options.clone()))));
    }
    Ok(sinks)
}

/// What of a manifest is known before the run.
fn planned_manifest(job: &mut Job, plan: &Plan, asked: Option<&ModelBackend>, limit: Option<u64>) -> Manifest {
    Manifest {
        probare: ProgramVersion { version: VERSION.to_owned(), format: FORMAT },
        benchmark: job.benchmark.take(),
        title: job.title.take(),
        inputs: std::mem::take(&mut job.inputs),
        reading: ReadSettings { limit, ..std::mem::take(&mut job.reading) },
        metrics: plan.infos().to_vec(),
        prompts: asked.map(|asked| asked.prompts.clone()).unwrap_or_default(),
        generation: job.generation.take(),
        score_truncated: asked.is_some_and(|asked| asked.score_truncated),
        means_over: job.means_over,
        ..Manifest::default()
    }
}

/// Files that are there of runs that ended early.
fn partial_files(outputs: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    outputs.iter().map(|path| OutputWriter::partial(path)).filter(|path| path.exists())
}

/// US dollars that a run did not spend which stopped early.
fn unspent_usd(
    early: &EarlyDecision,
    sampler: Option<&dyn SampleProvider>,
    hearing: Option<&ModelUsage>,
) -> Option<f64> {
    // What was asked before the verdict and answered after it was paid for, too.
    let (now, before) = sampler.map_or((early.seen_samples(), 0), SampleProvider::finished);
    let hearing = hearing.filter(|hearing| now > 0 && hearing.costs.calls() > 0)?;
    let left = early.samples().saturating_sub(now + before) as f64;
    // What came from the response cache cost nothing, and nobody says that the rest would have come from there.
    let calls = hearing.costs.calls();
    let paid = now as f64 * calls as f64 / (calls + hearing.counts.replayed) as f64;
    Some(hearing.costs.total_usd / paid * left)
}

/// All files that the run creates.
fn writes(job: &Job, outputs: &[PathBuf], formats: &[(ReportFormat, probare_report::Compression)]) -> Vec<PathBuf> {
    let mut paths = job.writes.clone();
    for (path, (format, _)) in outputs.iter().zip(formats) {
        paths.push(path.clone());
        if format.has_manifest_beside() {
            paths.push(manifest::manifest_path(path));
        }
    }
    paths
}

/// The limits that every single case of a job has to keep.
pub fn case_limits(job: &Job) -> Gates {
    Gates::new(job.case_limits.iter().map(case_gate).collect())
}

fn case_gate(limit: &probare_core::CaseLimit) -> Gate {
    Gate::Any { metric: limit.metric.clone(), relation: Relation::Under, limit: limit.least }
}

/// A report, and the file that it goes to.
type ReportSink = (Option<PathBuf>, Box<dyn Sink>);

/// Hands every event to all sinks: the benchmark's own files first.
struct Tee<'a> {
    summary: Summary,
    lines: Option<LinesDigest>,
    publisher: Option<Box<dyn Publisher>>,
    sinks: Vec<ReportSink>,
    /// Files that are written to their end.
    whole: Vec<PathBuf>,
    watcher: Option<Box<dyn Sink + 'a>>,
    asked: Option<&'a ModelBackend>,
    early: Option<EarlyWatch>,
    /// Whether the progress says what the rest would cost; with a store, whoever counts the samples there says it.
    tells_cost: bool,
}

impl Tee<'_> {
    /// Whether what fails now fails because nobody may be asked any more.
    fn is_short(&self) -> bool {
        self.asked.is_some_and(|asked| {
            let shared = asked.shared();
            shared.budget().is_reached() || !shared.postponed_models().is_empty()
        })
    }

    /// Sums up, and gives what was decided before the last case. A finished run that is reported may have stopped early `before`.
    fn conclude(&mut self, stop: Stop, before: Option<&EarlyStopRecord>) -> Option<EarlyDecision> {
        let early = self.early.take().map(EarlyWatch::into_decision);
        let is_stopped_early = match &early {
            Some(early) => early.is_stopped_early(),
            None => before.is_some_and(|early| early.seen < early.cases),
        };
        if is_stopped_early {
            self.summary.withhold_intervals(STOPPED_EARLY);
        }
        self.summary.conclude(stop);
        if let Some(early) = &early {
            early.decide_gates(&mut self.summary.verdicts);
        }
        early
    }

    /// Lets every report that still can keep what it has.
    fn save_partial(&mut self) {
        let finish = RunEnd::with_stop(Stop::Interrupted);
        if self.summary.cases == 0 {
            return;
        }
        for (_, sink) in &mut self.sinks {
            // What went wrong is told already.
            let _ = catch_unwind(AssertUnwindSafe(|| sink.event(&Event::Finished(&finish))));
        }
    }

    /// The error of one report, with the others that are whole all the same.
    fn with_whole_reports(&self, error: io::Error) -> io::Error {
        if self.whole.is_empty() {
            return error;
        }
        let names: Vec<String> = self.whole.iter().map(|path| format!("`{}`", path.display())).collect();
        io::Error::new(error.kind(), format!("{error}; the others are whole: {}", names.join(", ")))
    }
}

impl Sink for Tee<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if matches!(event, Event::Interrupted { .. }) && self.early.as_ref().is_some_and(EarlyWatch::is_decided) {
            // Nothing further is needed: what is awaited is finished, and nothing more is sent.
            if let Some(asked) = self.asked.take() {
                asked.close();
            }
            return Ok(());
        }
        if let (Event::Scored(result), true) = (event, self.early.is_some()) {
            let spent = |asked: &ModelBackend| asked.shared().budget().spent().money.in_dollars();
            let spent_usd = self.asked.filter(|_| self.tells_cost).map(spent);
            let context = ResultContext { is_short: self.is_short(), spent_usd };
            if let Some(early) = &mut self.early {
                early.take_result(result, context)?;
            }
        }
        if let Event::Interrupted { under_way, .. } = event
            && let Some(asked) = self.asked.take()
        {
            // Nothing further is sent from here on, so what is awaited now is all that is waited for.
            let awaited = asked.close();
            return self.event(&Event::Interrupted { under_way: *under_way, awaited: &awaited });
        }
        if !matches!(event, Event::Finished(_)) {
            self.summary.event(event)?;
        }
        if let (Event::Scored(CaseResult { written: Some(line), .. }), Some(lines)) = (event, &mut self.lines) {
            lines.add(line);
        }
        if let Some(watcher) = &mut self.watcher {
            watcher.event(event)?;
        }
        // Everybody hears of it: a report that cannot be written takes no other with it.
        let mut told = match &mut self.publisher {
            Some(publisher) => publisher.event(event),
            None => Ok(()),
        };
        let is_end = matches!(event, Event::Finished(finish) if finish.stop == Stop::Complete);
        for (path, sink) in &mut self.sinks {
            let written = sink.event(event);
            if is_end && written.is_ok() {
                self.whole.extend(path.clone());
            }
            told = told.and(written);
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    /// A report on a full disk, or on another one.
    struct Report {
        is_full: bool,
        is_finished: Arc<AtomicBool>,
    }

    impl Sink for Report {
        fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
            if self.is_full {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let is_end = matches!(event, Event::Finished(finish) if finish.stop == Stop::Complete);
            self.is_finished.fetch_or(is_end, Ordering::Relaxed);
            Ok(())
        }
    }

    #[test]
    fn a_report_that_cannot_be_written_takes_no_other_with_it() {
        let is_finished = Arc::<AtomicBool>::default();
        let report = |name: &str, is_full| {
            let sink = Report { is_full, is_finished: Arc::clone(&is_finished) };
            (Some(PathBuf::from(name)), Box::new(sink) as Box<dyn Sink>)
        };
        let mut tee = Tee {
            summary: Summary::new(&RendererOptions::default()),
            lines: None,
            publisher: None,
            sinks: vec![report("full/a.jsonl", true), report("b.jsonl", false)],
            whole: Vec::new(),
            watcher: None,
            asked: None,
            early: None,
            tells_cost: false,
        };
        let error = tee.event(&Event::Finished(&RunEnd::with_stop(Stop::Complete))).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(is_finished.load(Ordering::Relaxed), "the other one is whole");
        assert!(tee.with_whole_reports(error).to_string().ends_with("the others are whole: `b.jsonl`"));
    }
}
