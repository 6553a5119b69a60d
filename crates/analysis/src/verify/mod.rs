//! [`verify`]: computes a finished run again and holds everything that its file says against the outcome.
//!
//! The manifest of the file says what was computed. The same road is taken once more: the job is made again (`again`), run
//! by [`run`] with a watcher in place of reports (`checker`), and each result is held against its row
//! (`matching`, `lines`). What stands around the rows comes last: the manifest, the digests, the page.
//!
//! Rows of file and run go in step; only what is out of step is kept in memory.

mod checker;
mod differences;
mod earlier_formats;
mod error;
mod inputs;
mod manifest_check;
mod matching;
mod own_code;
mod page;
mod rebuild;
mod row_differences;
mod score_dependencies;
mod strict_json;
mod verdict;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use probare_core::{FORMAT, Job, Manifest, MeansOver, MetricRequest, OLDEST_FORMAT, Registry, Stop};
use probare_engine::{
    Conclusion, EXPECTATIONS, ModelBackend, ProgramOptions, Registries, RunError, RunOptions, RunRequest, case_limits,
    run,
};
use probare_formats::results::{ManifestText, ResultsFile};
use probare_models::CacheFile;
use probare_report::{Gate, Gates, RendererOptions, VERSION};
use serde_json::Value as Json;

use self::checker::Checker;
use self::inputs::InputLocation;

pub use self::error::VerifyError;
pub(crate) use self::rebuild::{CaseScan, has_a_case_a_row};
pub use self::verdict::{CacheUse, Disagreement, Verdict};

/// The id of metrics that another tool computed.
pub(crate) const IMPORTED: &str = "imported";

/// What is to be verified, and with what.
pub struct VerifyRequest<'a> {
    /// The file of results.
    pub results: &'a Path,
    /// Files to read in place of those that the manifest names.
    pub inputs: &'a [PathBuf],
    /// The response cache, from which judged scores and outcomes of programs are computed again.
    pub record: CacheFile,
    /// Set from outside to end early.
    pub interrupted: Arc<AtomicBool>,
    /// Whether code that the manifest names, of metrics of a user's own, may be started.
    pub allow_code: bool,
    /// What can be computed again.
    pub registries: Registries,
}

impl<'a> VerifyRequest<'a> {
    /// A file of results with the inputs that its manifest names.
    pub fn new(results: &'a Path, registries: Registries) -> Self {
        Self {
            results,
            inputs: &[],
            record: CacheFile::from_environment(),
            interrupted: Arc::default(),
            allow_code: false,
            registries,
        }
    }
}

/// Computes the run again and compares. What differs is in the verdict; an error means that it could not be done.
pub fn verify(asked: &VerifyRequest<'_>) -> Result<Verdict, VerifyError> {
    let recorded = ResultsFile::new(asked.results)?;
    let said = recorded.manifest_text()?;
    let mut verdict = Verdict::default();
    let manifest = read_manifest(&recorded, &said, &mut verdict)?;
    if !is_known(&manifest, asked, &mut verdict) {
        return Ok(verdict);
    }
    let resolved = inputs::resolve(&manifest, asked.inputs, folder_of(asked.results))?;
    let names = inputs::InputNames::new(&manifest, &resolved);
    let readable = rebuild::ReadableFiles { folder: folder_of(asked.results), given: asked.inputs };
    let job = rebuild::job(&manifest, &resolved, readable, asked.registries.benchmark, CaseScan::WithDigests)?;
    let options = renderer_options(&manifest, &job, &mut verdict);
    let allowed_code = own_code::allowed_metrics(&manifest, asked.allow_code, &mut verdict);
    let asking = score_dependencies::asking(
        &manifest,
        &resolved,
        asked.inputs,
        &asked.record,
        asked.registries.metrics,
        &mut verdict,
    );
    let (gates, by) = (options.gates.clone(), options.by.as_ref().map(ToString::to_string));
    let cluster = options.cluster.as_ref().map(ToString::to_string);
    let mut checker = Checker::new(&recorded, &manifest, options, names, verdict)?;
    let wanted = RunRequest {
        settings: RunOptions {
            limit: manifest.reading.limit,
            by,
            cluster,
            stop_when_decided: manifest.early_stop.as_ref().map(|_| true),
            seed: manifest.early_stop.as_ref().map(|early| early.seed),
            ..RunOptions::default()
        },
        baseline: rebuild::baseline(&manifest, &resolved, asked.registries)?,
        gates,
        lines: true,
        interrupted: Arc::clone(&asked.interrupted),
        model_access: Some(asking),
        recorded: manifest.metrics.clone(),
        allowed_code,
        // Nothing is run: what became of a program is read, with the time that it took then.
        sandboxing: Some(ProgramOptions {
            record: Some(asked.record.clone()),
            recorded_only: true,
            ..ProgramOptions::default()
        }),
        watcher: Some(Box::new(&mut checker)),
        ..RunRequest::default()
    };
    let conclusion = run(job, asked.registries, wanted)?;
    note_missing_records(&manifest, &conclusion, &asked.record, &mut checker.verdict);
    if conclusion.driven.stop == Stop::Interrupted {
        return Ok(Verdict { interrupted: true, ..checker.into_verdict() });
    }
    checker.conclude(&said, resolved.iter().filter(|input| matches!(input, InputLocation::File(_))).count())
}

/// What its reports were made with.
fn renderer_options(manifest: &Manifest, job: &Job, verdict: &mut Verdict) -> RendererOptions {
    let summary = &manifest.summary;
    RendererOptions {
        title: manifest.title.clone(),
        gates: gates(manifest, verdict),
        case_limits: case_limits(job),
        by: summary.pointer("/groups/by").and_then(Json::as_str).and_then(|by| by.parse().ok()),
        cluster: summary.pointer("/cluster/column").and_then(Json::as_str).and_then(|name| name.parse().ok()),
        is_over_outputs: job.means_over == MeansOver::Outputs,
    }
}

/// Leaves metrics unchecked that miss a model or a record, and says whose records were used.
fn note_missing_records(manifest: &Manifest, conclusion: &Conclusion, record: &CacheFile, verdict: &mut Verdict) {
    let Conclusion { hearing, programs, .. } = conclusion;
    for metric in hearing.iter().flat_map(|hearing| &hearing.unrecorded) {
        // A judge that made something else of a missing reply than an error of its case cannot be told apart from one
        // whose score was changed.
        if verdict.of_metric.contains_key(metric) && !verdict.unrecorded.contains_key(metric) {
            verdict.leave_unchecked(metric);
        }
    }
    score_dependencies::note_missing_models(manifest, verdict);
    let used = hearing.as_ref().map_or(0, |hearing| hearing.recalled)
        + programs.as_ref().map_or(0, |programs| programs.counts.recorded);
    let ignored = hearing.as_ref().map_or(0, |hearing| hearing.ignored)
        + programs.as_ref().map_or(0, |programs| programs.counts.ignored);
    verdict.cache = CacheUse { file: record.clone(), used, ignored };
    for metric in programs.iter().flat_map(|programs| &programs.unrecorded) {
        verdict.leave_unchecked(metric);
    }
}

/// The manifest of a file of results. Nothing else of it is read.
pub(crate) fn manifest_of_file(results: &Path) -> Result<Manifest, VerifyError> {
    let recorded = ResultsFile::new(results)?;
    let said = recorded.manifest_text()?;
    read_manifest(&recorded, &said, &mut Verdict::default())
}

/// A file of results, its manifest, and its job made again where the inputs can be found.
pub(crate) fn reopen_results(
    results: &Path,
    inputs: &[PathBuf],
    registries: Registries,
    scan: CaseScan<'_>,
) -> Result<(ResultsFile, Manifest, Result<Job, VerifyError>), VerifyError> {
    let recorded = ResultsFile::new(results)?;
    let said = recorded.manifest_text()?;
    let manifest = read_manifest(&recorded, &said, &mut Verdict::default())?;
    let readable = rebuild::ReadableFiles { folder: folder_of(results), given: inputs };
    let job = inputs::resolve(&manifest, inputs, folder_of(results))
        .and_then(|resolved| rebuild::job(&manifest, &resolved, readable, registries.benchmark, scan))
        .and_then(|job| rebuild::in_order_of_results(&manifest, job));
    Ok((recorded, manifest, job))
}

/// Who answers for a finished run: what is recorded, and this machine. Names and prompts of judges are in the requests.
pub(crate) fn replies(
    results: &Path,
    inputs: &[PathBuf],
    manifest: &Manifest,
    requests: &mut [MetricRequest],
    metrics: &Registry,
) -> Result<ModelBackend, VerifyError> {
    let resolved = inputs::resolve(manifest, inputs, folder_of(results))?;
    let record = CacheFile::from_environment();
    let asking = score_dependencies::asking(manifest, &resolved, inputs, &record, metrics, &mut Verdict::default());
    Ok(asking.open(requests, metrics).map_err(RunError::from)?)
}

/// The manifest as the program knows it. What stands there twice, and another format number, is named.
fn read_manifest(recorded: &ResultsFile, said: &ManifestText, verdict: &mut Verdict) -> Result<Manifest, VerifyError> {
    let bad = |reason: String| VerifyError::Manifest { path: recorded.path().to_owned(), reason };
    let strict_json::StrictJson { value, twice } =
        strict_json::parse_strict(&said.manifest).map_err(|error| bad(error.to_string()))?;
    for path in twice {
        verdict.about_file(format!("`{path}` stands in the manifest twice"));
    }
    if said.results.is_some_and(|count| count > 1) {
        verdict.about_file("`results` stands in the file twice".to_owned());
    }
    let format = value.pointer("/probare/format").and_then(Json::as_u64);
    match format {
        Some(format) if format > u64::from(FORMAT) => {
            let writer = value.pointer("/probare/version").and_then(Json::as_str).unwrap_or("a later release");
            return Err(bad(format!(
                "it is of format {format}, which probare {writer} writes; this program, {VERSION}, reads formats \
                 {OLDEST_FORMAT} to {FORMAT}: a newer one is needed"
            )));
        }
        Some(format) if format >= u64::from(OLDEST_FORMAT) => {}
        other => {
            let shown = other.map_or_else(|| "nothing".to_owned(), |format| format.to_string());
            verdict.about_file(format!(
                "the format number is {shown} in the file; this program reads {OLDEST_FORMAT} to {FORMAT}"
            ));
        }
    }
    serde_json::from_value(value).map_err(|error| bad(error.to_string()))
}

/// Whether this program can compute the run again. What it does not know, or knows in another version, is named.
fn is_known(manifest: &Manifest, asked: &VerifyRequest<'_>, verdict: &mut Verdict) -> bool {
    let mut known = true;
    if let Some(call) = &manifest.benchmark
        && (asked.registries.benchmark)(&call.id).is_none()
    {
        verdict.about_file(format!("the benchmark `{}` is unknown to this program; nothing was computed", call.id));
        known = false;
    }
    for metric in manifest.metrics.iter().filter(|metric| metric.code.is_none()) {
        match asked.registries.metrics.get(&metric.id) {
            Ok(_) => {}
            // It is no metric of the registry: it looks at the results of the others.
            Err(_) if metric.id == EXPECTATIONS => {}
            Err(_) if metric.id == IMPORTED => {
                let name = &metric.name;
                verdict.about_file(format!("`{name}` was computed by another tool and cannot be computed again here"));
                known = false;
            }
            Err(unknown) if unknown.retired.is_some() => {
                verdict.unchecked.push(metric.name.clone());
                verdict.retired.push(metric.name.clone());
            }
            // A benchmark may bring metrics of its own; where it does not, the run says so.
            Err(_) if manifest.benchmark.is_some() => {}
            Err(_) => {
                verdict
                    .about_file(format!("the metric `{}` is unknown to this program; nothing was computed", metric.id));
                known = false;
            }
        }
    }
    if manifest.probare.version != VERSION {
        verdict.notes.push(format!("written by probare {}, verified by {VERSION}", manifest.probare.version));
    }
    known
}

/// The gates of the run, from what became of them.
fn gates(manifest: &Manifest, verdict: &mut Verdict) -> Gates {
    let (mut gates, mut origins) = (Vec::new(), Vec::new());
    let (mut confident, mut each_group) = (false, false);
    // Of a run that stopped early the verdicts leave out what was still open.
    let listed = manifest.early_stop.as_ref().map_or(&manifest.gates, |early| &early.gates);
    for entry in listed.as_array().into_iter().flatten() {
        confident |= ["significant", "confident"].iter().any(|name| entry.get(*name) == Some(&Json::Bool(true)));
        if entry.get("group").is_some() {
            each_group = true;
            continue;
        }
        match entry.get("gate").map(|gate| serde_json::from_value::<Gate>(gate.clone())) {
            Some(Ok(gate)) => {
                gates.push(gate);
                origins.push(entry.get("origin").and_then(|origin| serde_json::from_value(origin.clone()).ok()));
            }
            _ => verdict.about_file(format!("this is no gate: {}", differences::short(&entry.to_string()))),
        }
    }
    Gates::new(gates).set_by(origins).confident(confident).in_each_group(each_group)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}
