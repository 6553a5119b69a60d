//! [`run`]: a job from its start to its exit code. Every verb that scores goes this way.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use probare_core::{
    CaseResult, Detail, Ending, Event, FORMAT, Finish, Input, Job, Maker, Manifest, MeansOver, MetricInfo, Nobody,
    Outside, Publisher, SandboxUsed, Sink, Stop, Trust,
};
use probare_metrics::registry;
use probare_report::{
    Format, Gate, GateError, Gates, Github, Jsonl, LinesDigest, OpenError, Options, Output, Overlap, Relation, Summary,
    VERSION, Verdict, manifest, refuse_overlap,
};

use crate::bands::put_bands;
use crate::drive::{DriveError, DriveOptions, Driven, Sampler, Surroundings, drive};
use crate::programs::Running;
use crate::{
    AskError, Asked, Asking, Exit, Hearing, Plan, PlanError, ProgramCounts, ProgramError, Sandboxing, Settings,
};

/// How a job is to be run, and who is there while it runs.
pub struct Wanted<'a> {
    /// What the run is. Datasets, metrics and models of it are in the job already.
    pub settings: Settings,
    /// Limits beside those of the settings.
    pub gates: Gates,
    /// Whether result lines go to standard output.
    pub to_stdout: bool,
    /// Whether somebody else wants the result lines.
    pub lines: bool,
    /// Who answers metrics that ask or want vectors, to be opened for this run.
    pub asking: Option<Asking>,
    /// How programs are run, where a metric wants any.
    pub sandboxing: Option<Sandboxing>,
    /// Who answers where `asking` is nothing: somebody who was opened before.
    pub outside: &'a dyn Outside,
    /// Who answers in place of the files, and who keeps samples as they are finished.
    pub sampler: Option<&'a dyn Sampler>,
    /// Watches the run: a progress bar.
    pub watcher: Option<Box<dyn Sink + 'a>>,
    /// Set from outside to end early.
    pub interrupted: Arc<AtomicBool>,
}

impl Default for Wanted<'_> {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            gates: Gates::default(),
            to_stdout: false,
            lines: false,
            asking: None,
            sandboxing: None,
            outside: &Nobody,
            sampler: None,
            watcher: None,
            interrupted: Arc::default(),
        }
    }
}

impl From<Settings> for Wanted<'_> {
    /// A run whose user may name models and programs.
    fn from(settings: Settings) -> Self {
        let (asking, sandboxing) = (Some(settings.asking()), Some(settings.sandboxing()));
        Self { settings, asking, sandboxing, ..Self::default() }
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
    Ask(#[from] AskError),
    /// Programs cannot be run.
    #[error(transparent)]
    Programs(#[from] ProgramError),
    /// An output would destroy something.
    #[error(transparent)]
    Overlap(#[from] Overlap),
    /// A report cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The run broke off.
    #[error(transparent)]
    Drive(#[from] DriveError),
}

/// What became of the programs of a run.
#[derive(Debug, Clone, Default)]
pub struct ProgramsRun {
    /// The sandbox, where one was used.
    pub sandbox: Option<SandboxUsed>,
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
    pub verdicts: Vec<Verdict>,
    /// What was read and how it ended.
    pub driven: Driven,
    /// Files that were written, those of the benchmark first.
    pub written: Vec<PathBuf>,
    /// Files that hold what was computed before the run ended early.
    pub partial: Vec<PathBuf>,
    /// How questions to models ended, where any was asked.
    pub hearing: Option<Hearing>,
    /// What became of programs, where any were wanted.
    pub programs: Option<ProgramsRun>,
    /// How the benchmark says it ended.
    pub ending: Ending,
    /// How the program should end.
    pub exit: Exit,
}

/// Runs a job. Nothing is opened for writing before it is sure that no output is an input.
pub fn run(mut job: Job, wanted: Wanted<'_>) -> Result<Conclusion, RunError> {
    let is_published = job.suite.is_some();
    let open = |asking: &Asking| {
        let asking = Asking { is_published: asking.is_published || is_published, ..asking.clone() };
        asking.open(&mut job.requests, registry())
    };
    let asked = wanted.asking.as_ref().map(open).transpose()?;
    let (files, profile) = (&wanted.settings.bands, wanted.settings.profile);
    put_bands(files, &mut job.requests, profile, registry()).map_err(PlanError::from)?;
    job.reads.extend(files.iter().cloned());
    let plan = Plan::new(&job.requests, profile, registry())?;
    run_planned(job, &plan, asked.as_ref(), wanted)
}

/// Reports results that are known: the sampler that is `wanted` recalls them all. Nothing is scored, and nobody is asked.
pub fn retell(job: Job, metrics: Vec<MetricInfo>, wanted: Wanted<'_>) -> Result<Conclusion, RunError> {
    run_planned(job, &Plan::known(metrics), None, wanted)
}

/// Runs a job whose metrics are planned and whose models are opened.
pub(crate) fn run_planned(
    mut job: Job,
    plan: &Plan,
    asked: Option<&Asked>,
    wanted: Wanted<'_>,
) -> Result<Conclusion, RunError> {
    let Wanted { settings, gates, to_stdout, lines, asking: _, sandboxing, outside, sampler, watcher, interrupted } =
        wanted;
    let (gates, by) = (settings.limits().join(gates), settings.groups());
    let mut outputs = settings.files();
    outputs.splice(0..0, std::mem::take(&mut job.outputs));
    if let Some(asked) = asked {
        job.reads.extend(asked.inputs.iter().map(|input| PathBuf::from(&input.path)));
        // A run that is computed again has them among its inputs already.
        let known = |input: &Input| job.inputs.iter().any(|known| known.sha256 == input.sha256);
        let new: Vec<Input> = asked.inputs.iter().filter(|input| !known(input)).cloned().collect();
        job.inputs.extend(new);
    }
    let outside = asked.map_or(outside, |asked| asked as &dyn Outside);
    let environments = plan.environments();
    let running = match &sandboxing {
        Some(sandboxing) if !environments.is_empty() => {
            let cassettes: Vec<PathBuf> =
                asked.iter().flat_map(|asked| &asked.inputs).map(|input| PathBuf::from(&input.path)).collect();
            let interrupted = Arc::clone(&interrupted);
            Some(Running::open(sandboxing, &cassettes, &environments, interrupted, outside)?)
        }
        _ => None,
    };
    let everybody = running.as_ref().map_or(outside, |running| running as &dyn Outside);
    // What a finished run needs and is not here is left unchecked, case by case.
    if everybody.trust() != Trust::RecordedOnly {
        plan.check_models(everybody)?;
    }
    gates.check(plan.infos(), by.is_some())?;
    let mut formats = Vec::with_capacity(outputs.len());
    for path in &outputs {
        formats.push(Format::of_path(path)?);
    }
    refuse_overlap(&job.reads, &writes(&job, &outputs, &formats))?;

    job.title = settings.title.clone().or(job.title);
    let options =
        Options { title: job.title.clone(), gates, case_limits: case_limits(&job), by, cluster: settings.cluster() };
    let mut sinks: Vec<Box<dyn Sink>> = Vec::new();
    for (path, (format, compression)) in outputs.iter().zip(formats) {
        let output = Output::to_file(path, compression).map_err(OpenError::from)?;
        sinks.push(format.sink(output, options.clone()));
    }
    if to_stdout {
        sinks.push(Box::new(Jsonl::new(Output::to_stdout())));
    }
    if settings.annotates() {
        // The runner of GitHub reads both streams.
        let output = if to_stdout { Output::to_writer(Box::new(io::stderr())) } else { Output::to_stdout() };
        sinks.push(Box::new(Github::new(output, options.clone())));
    }
    let mut tee = Tee {
        summary: Summary::new(&options),
        lines: LinesDigest::default(),
        publisher: job.publisher.take(),
        sinks,
        watcher,
        asked,
    };
    let drive_options = DriveOptions {
        jobs: settings.jobs.unwrap_or_else(|| DriveOptions::default().jobs),
        limit: settings.limit,
        strict: settings.strict,
        lines: lines || to_stdout || !outputs.is_empty(),
        interrupted,
    };
    let around = Surroundings { rules: job.rules.as_ref(), outside: everybody, sampler };
    let kept_before: Vec<PathBuf> =
        outputs.iter().map(|path| Output::partial(path)).filter(|path| path.exists()).collect();
    let driven = match drive(job.cases, &job.source, plan, around, &drive_options, Box::new(&mut tee)) {
        Ok(driven) => driven,
        Err(error) => {
            tee.keep_what_is_there();
            return Err(error.into());
        }
    };
    let is_asking = asked.is_some_and(Asked::is_asking);
    let hearing = asked.map(Asked::hearing).filter(|hearing| is_asking || !hearing.unrecorded.is_empty());
    let programs = running.as_ref().map(|running| ProgramsRun {
        sandbox: running.used(),
        counts: running.counts(),
        unrecorded: running.unrecorded(),
    });

    tee.summary.conclude(driven.stop);
    let verdicts = tee.summary.verdicts.clone();
    job.reading.limit = settings.limit;
    let mut panels = tee.publisher.as_ref().map(|publisher| publisher.panels()).unwrap_or_default();
    let of_benchmark = panels.clone();
    if let Some(sampler) = sampler {
        // Of a run that did not end nothing is said as if it had.
        let kept = if driven.stop == Stop::Complete { &of_benchmark[..] } else { &[] };
        panels.extend(sampler.conclude(kept).map_err(DriveError::Output)?);
    }
    let manifest = Manifest {
        probare: Maker { version: VERSION.to_owned(), format: FORMAT },
        suite: job.suite.take(),
        title: job.title.take(),
        inputs: driven.inputs.iter().cloned().chain(job.inputs).collect(),
        reading: job.reading,
        metrics: plan.infos().to_vec(),
        models: asked.map(Asked::models).unwrap_or_default(),
        prompts: asked.map(|asked| asked.prompts.clone()).unwrap_or_default(),
        embeddings: plan.embeddings(everybody),
        sandbox: programs.as_ref().and_then(|programs| programs.sandbox.clone()),
        generation: job.generation.take(),
        score_truncated: asked.is_some_and(|asked| asked.score_truncated),
        means_over: MeansOver::Cases,
        settings: BTreeMap::new(),
        stop: driven.stop,
        summary: serde_json::to_value(&tee.summary).unwrap_or_default(),
        gates: serde_json::to_value(&verdicts).unwrap_or_default(),
        panels: of_benchmark,
        lines: tee.lines.hex(),
        results: None,
        seal: None,
    };
    let summary = Some(Detail::new(tee.summary.clone()));
    let finish = Finish { stop: driven.stop, manifest, summary, panels };
    if driven.stop != Stop::Complete && driven.cases == 0 {
        // Nothing was computed, so there is nothing to keep.
        tee.sinks.clear();
    }
    tee.event(&Event::Finished(&finish)).map_err(DriveError::Output)?;

    let (mut written, mut ending) = (Vec::new(), Ending::Fine);
    if let Some(publisher) = &tee.publisher {
        written.extend(publisher.written());
        ending = publisher.ending();
    }
    if driven.stop == Stop::Complete {
        written.extend(outputs.iter().filter(|path| *path != Path::new("-")).cloned());
    }
    let partial = outputs.iter().map(|path| Output::partial(path));
    let partial = partial.filter(|path| driven.stop != Stop::Complete && path.exists() && !kept_before.contains(path));
    let partial = partial.collect();
    let is_budget_reached = hearing.as_ref().is_some_and(|hearing| hearing.is_budget_reached);
    let exit = match Exit::of(&driven, &tee.summary, &verdicts, ending, settings.allow_empty) {
        // What failed for want of money is no error of the cases.
        Exit::Error | Exit::Gate | Exit::Fine if is_budget_reached => Exit::Budget,
        exit => exit,
    };
    Ok(Conclusion { summary: tee.summary, verdicts, driven, written, partial, hearing, programs, ending, exit })
}

/// All files that the run creates.
fn writes(job: &Job, outputs: &[PathBuf], formats: &[(Format, probare_report::Compression)]) -> Vec<PathBuf> {
    let mut paths = job.writes.clone();
    for (path, (format, _)) in outputs.iter().zip(formats) {
        paths.push(path.clone());
        if format.has_manifest_beside() {
            paths.push(manifest::beside(path));
        }
    }
    paths
}

/// The limits that every single case of a job has to keep.
pub(crate) fn case_limits(job: &Job) -> Gates {
    Gates::new(job.case_limits.iter().map(case_gate).collect())
}

fn case_gate(limit: &probare_core::CaseLimit) -> Gate {
    Gate::Any { metric: limit.metric.clone(), relation: Relation::Under, limit: limit.least }
}

/// Hands every event to all sinks: the benchmark's own files first.
struct Tee<'a> {
    summary: Summary,
    lines: LinesDigest,
    publisher: Option<Box<dyn Publisher>>,
    sinks: Vec<Box<dyn Sink>>,
    watcher: Option<Box<dyn Sink + 'a>>,
    asked: Option<&'a Asked>,
}

impl Tee<'_> {
    /// Lets every report that still can keep what it has.
    fn keep_what_is_there(&mut self) {
        let finish = Finish::by(Stop::Interrupted);
        if self.summary.cases == 0 {
            return;
        }
        for sink in &mut self.sinks {
            // What went wrong is told already.
            let _ = catch_unwind(AssertUnwindSafe(|| sink.event(&Event::Finished(&finish))));
        }
    }
}

impl Sink for Tee<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
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
        if let Event::Scored(CaseResult { written: Some(line), .. }) = event {
            self.lines.add(line);
        }
        if let Some(watcher) = &mut self.watcher {
            watcher.event(event)?;
        }
        if let Some(publisher) = &mut self.publisher {
            publisher.event(event)?;
        }
        self.sinks.iter_mut().try_for_each(|sink| sink.event(event))
    }
}
