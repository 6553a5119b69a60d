//! The job of a finished run, made again from its manifest.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use probare_core::{
    Benchmark, BenchmarkCall, BenchmarkError, CaseSource, Console, Event, InputFile, Job, Manifest, MemorySource,
    MetricRequest, Panel, Publisher, ReadSettings, Sink,
};
use probare_engine::{Baseline, DriveError, Registries, RunError, SeededSource, read_options};
use probare_files::{is_below, open_plain};
use probare_formats::{CaseFileError, CaseFormat, CaseReader, ReadOptions};
use serde_json::{Map, Value as Json};

use super::earlier_formats::UnattributedSource;
use super::error::VerifyError;
use super::inputs::{InputLocation, InputNames, with_digest};
use crate::compare::{ResultsSource, read_baseline};

/// Which files a benchmark may read that a manifest describes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadableFiles<'a> {
    /// The folder of the results.
    pub folder: &'a Path,
    /// What the user named.
    pub given: &'a [PathBuf],
}

/// What is read of the files of cases.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CaseScan<'a> {
    /// All cases, and the digests of the inputs, which take as long again.
    WithDigests,
    /// All cases.
    Cases,
    /// The cases of these results, by their numbers, where [`has_a_case_a_row`] says so; else all.
    Rows(&'a BTreeSet<u64>),
}

/// Whether the rows of the results are those of the file of cases, one by one.
pub(crate) fn has_a_case_a_row(manifest: &Manifest) -> bool {
    let is_plain = manifest.benchmark.is_none() && manifest.generation.is_none() && manifest.early_stop.is_none();
    is_plain && manifest.summary.get("lost_rows").and_then(Json::as_u64) == Some(0)
}

/// The job, with inputs from where they are now.
pub(super) fn job(
    manifest: &Manifest,
    resolved: &[InputLocation],
    readable: ReadableFiles<'_>,
    find_benchmark: fn(&str) -> Option<&'static dyn Benchmark>,
    scan: CaseScan<'_>,
) -> Result<Job, VerifyError> {
    if let Some(generation) = &manifest.generation {
        let what = match (generation.models.is_empty(), &generation.retrieval) {
            (false, _) => "outputs that models gave in the run",
            (true, Some(_)) => "passages that were retrieved in the run",
            (true, None) if manifest.early_stop.is_some() => "the cases of a run that may stop early",
            (true, None) => "several data sets",
        };
        let message = format!("this file holds {what}, which are in the store of its run and not in its inputs");
        let hint = "`probare runs export RUN` writes it again from the store, to be compared byte for byte; \
                    `probare runs export RUN --outputs FILE` writes the outputs, which `probare score` scores again";
        return Err(BenchmarkError::data(message).hint(hint).into());
    }
    let mut job = match &manifest.benchmark {
        Some(call) => benchmark(manifest, call, resolved, readable, find_benchmark)?,
        None => plain(manifest, resolved, scan)?,
    };
    job.title.clone_from(&manifest.title);
    job.source = InputNames::new(manifest, resolved).in_text(&job.source);
    // Nothing is written, so nothing can be overwritten.
    job.writes.clear();
    Ok(job)
}

/// The job with its cases in the order of the results: those of a run that might stop early are in the seeded order.
pub(super) fn in_order_of_results(manifest: &Manifest, mut job: Job) -> Result<Job, VerifyError> {
    if let Some(early) = &manifest.early_stop {
        let cases = std::mem::replace(&mut job.cases, Box::new(MemorySource::default()));
        let mut source = SeededSource::read(cases, manifest.reading.limit, early.seed)
            .map_err(|error| RunError::from(DriveError::Input(error)))?;
        source.truncate_cases(usize::try_from(early.seen).unwrap_or(usize::MAX));
        job.cases = Box::new(source);
    }
    Ok(job)
}

/// The results that a run was compared with, where they are now.
pub(super) fn baseline(
    manifest: &Manifest,
    resolved: &[InputLocation],
    registries: Registries,
) -> Result<Option<Baseline>, VerifyError> {
    let Some(early) = &manifest.early_stop else { return Ok(None) };
    let source = baseline_source(manifest, resolved, registries);
    let read = source.map(|source| read_baseline(&source, early.seed)).transpose();
    Ok(read.map_err(RunError::from)?)
}

fn baseline_source(manifest: &Manifest, resolved: &[InputLocation], registries: Registries) -> Option<ResultsSource> {
    let named = manifest.early_stop.as_ref()?.baseline.as_ref()?;
    let inputs = manifest.inputs.iter().zip(resolved);
    let mut found = inputs.filter_map(|(input, place)| match place {
        InputLocation::File(place) => Some((named.strip_prefix(&input.path)?, place)),
        InputLocation::FromBenchmark => None,
    });
    let (model, place) = found.rfind(|(rest, _)| rest.is_empty() || rest.starts_with('@'))?;
    let model = model.strip_prefix('@').map(str::to_owned);
    Some(ResultsSource { name: named.clone(), model, ..ResultsSource::from_file(place, registries) })
}

/// Cases of a file through metrics.
fn plain(manifest: &Manifest, resolved: &[InputLocation], scan: CaseScan<'_>) -> Result<Job, VerifyError> {
    let mut inputs = manifest.inputs.iter().zip(resolved);
    let Some((cases, InputLocation::File(place))) = inputs.next() else {
        return Err(BenchmarkError::data("the manifest names no file of cases").into());
    };
    let requests = manifest.metrics.iter().map(MetricRequest::again).collect();
    let rows = rows(manifest, cases, place)?;
    let rows = match scan {
        CaseScan::WithDigests => rows,
        CaseScan::Rows(wanted) if has_a_case_a_row(manifest) => rows.without_digest().only_rows(wanted.clone()),
        CaseScan::Cases | CaseScan::Rows(_) => rows.without_digest(),
    };
    let mut further = Vec::new();
    // What came from standard input is read from a file now, whose digest is taken apart.
    let from_stdin = (cases.path == "-").then_some((cases, place));
    let beside = inputs.filter_map(|(input, place)| match place {
        InputLocation::File(place) => Some((input, place)),
        InputLocation::FromBenchmark => None,
    });
    let is_digested = matches!(scan, CaseScan::WithDigests);
    for (input, place) in from_stdin.into_iter().chain(beside).filter(|_| is_digested) {
        further
            .push(with_digest(input, place).map_err(|source| CaseFileError::Io { file: input.path.clone(), source })?);
    }
    let is_old = manifest.probare.format < 3;
    let rows: Box<dyn CaseSource> = if is_old { Box::new(UnattributedSource(Box::new(rows))) } else { Box::new(rows) };
    let mut job = Job::new(place.display().to_string(), rows, requests);
    job.inputs = further;
    job.reading = ReadSettings { limit: None, ..manifest.reading.clone() };
    Ok(job)
}

/// The rows of the cases; what came from standard input is read as it was then.
fn rows(manifest: &Manifest, cases: &InputFile, place: &Path) -> Result<CaseReader, VerifyError> {
    let options = read_options(&manifest.reading)?;
    let name = place.display().to_string();
    if cases.path == "-" {
        let failed = |source| CaseFileError::Io { file: name.clone(), source };
        let file = open_plain(place).map_err(failed)?;
        let format = options.format.unwrap_or(CaseFormat::JsonLines);
        return Ok(CaseReader::from_reader(file, "standard input", format, &options)?);
    }
    match CaseReader::open(&name, &options) {
        // A copy under another name is still what it was.
        Err(CaseFileError::UnknownFormat { .. }) => {
            let extension = Path::new(&cases.path).extension().and_then(|part| part.to_str()).unwrap_or_default();
            let format = extension.parse().map_err(|_| CaseFileError::UnknownFormat { file: name.clone() })?;
            Ok(CaseReader::open(&name, &ReadOptions { format: Some(format), ..options })?)
        }
        opened => Ok(opened?),
    }
}

/// A benchmark, opened with the options of the manifest and the paths of now.
fn benchmark(
    manifest: &Manifest,
    call: &BenchmarkCall,
    resolved: &[InputLocation],
    readable: ReadableFiles<'_>,
    find_benchmark: fn(&str) -> Option<&'static dyn Benchmark>,
) -> Result<Job, VerifyError> {
    let benchmark = find_benchmark(&call.id)
        .ok_or_else(|| BenchmarkError::data(format!("the benchmark `{}` is unknown to this program", call.id)))?;
    let mut options = call.options.clone();
    for (input, place) in manifest.inputs.iter().zip(resolved) {
        if let (Some(pointer), InputLocation::File(place)) = (&input.option, place)
            && let Some(option) = options.pointer_mut(pointer)
        {
            *option = Json::String(place.display().to_string());
        }
    }
    let folders = unchecked_folders(manifest, resolved, readable);
    let mut job = match benchmark.open(options, Console { quiet: true, ..Console::default() }) {
        Ok(job) => job,
        Err(error) => {
            // What is wrong with a file may quote it; it is told only where every file may be shown.
            let is_shown = folders.is_empty() && names_nothing_else(&call.options, manifest, readable);
            return Err(if is_shown { error.into() } else { VerifyError::Unreadable { benchmark: call.id.clone() } });
        }
    };
    check_reads(&job, &folders, manifest, resolved, readable)?;
    for request in &mut job.requests {
        let Some(recorded) = manifest.metrics.iter().find(|metric| metric.name == request.name) else { continue };
        request.profile = request.profile.or(recorded.profile);
        // Who judged was said beside the options of the benchmark; the record answers for them.
        if let Some(judges) = recorded.options.get("judges") {
            if request.options.is_null() {
                request.options = Json::Object(Map::new());
            }
            if let Json::Object(options) = &mut request.options {
                options.entry("judges").or_insert_with(|| judges.clone());
            }
        }
    }
    // Its files are not written again; what it says about the run stands in the manifest.
    let publisher = job.publisher.take();
    job.publisher = publisher.map(|inner| Box::new(SilentPublisher(inner)) as Box<dyn Publisher>);
    Ok(job)
}

/// Folders that the manifest names outside of the folder of the results and that the user did not name: the digest of their files
/// is known once the benchmark has read them.
fn unchecked_folders<'a>(
    manifest: &'a Manifest,
    resolved: &'a [InputLocation],
    readable: ReadableFiles<'_>,
) -> Vec<(&'a InputFile, &'a Path)> {
    let places = manifest.inputs.iter().zip(resolved).filter_map(|(input, place)| match place {
        InputLocation::File(place) => Some((input, place.as_path())),
        InputLocation::FromBenchmark => None,
    });
    places.filter(|(_, place)| place.is_dir() && !readable.may_show(place)).collect()
}

/// Whether every path that the options name is an input of the manifest, which was looked at, or may be shown.
fn names_nothing_else(options: &Json, manifest: &Manifest, readable: ReadableFiles<'_>) -> bool {
    let Some(options) = options.as_object() else { return false };
    let texts = options.iter().flat_map(|(name, value)| {
        let list = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
        let pointer = move |at: usize| [format!("/{name}"), format!("/{name}/{at}")];
        list.iter().enumerate().filter_map(move |(at, value)| Some((pointer(at), value.as_str()?)))
    });
    let is_input = |pointers: &[String; 2]| {
        manifest.inputs.iter().any(|input| input.option.as_ref().is_some_and(|option| pointers.contains(option)))
    };
    texts
        .into_iter()
        .all(|(pointers, text)| is_input(&pointers) || !Path::new(text).exists() || readable.may_show(Path::new(text)))
}

/// Nothing that the benchmark read is shown unless the manifest has its digest, it lies below the results, or the user named it.
fn check_reads(
    job: &Job,
    folders: &[(&InputFile, &Path)],
    manifest: &Manifest,
    resolved: &[InputLocation],
    readable: ReadableFiles<'_>,
) -> Result<(), VerifyError> {
    for (input, _) in folders {
        let is_same = |now: &&InputFile| now.option == input.option && now.sha256 == input.sha256;
        if !job.inputs.iter().any(|now| is_same(&now)) {
            return Err(VerifyError::InputRefused { path: input.path.clone() });
        }
    }
    for read in &job.reads {
        let is_input = resolved.iter().any(|place| matches!(place, InputLocation::File(place) if place == read));
        let is_inside = folders.iter().any(|(_, folder)| read.starts_with(folder));
        let has_digest = || {
            let digest = probare_files::file_digest(read);
            digest.is_ok_and(|found| manifest.inputs.iter().any(|input| input.sha256 == found.sha256))
        };
        let is_bundled = || probare_formats::is_bundled(&read.display().to_string());
        if read.exists() && !is_input && !is_inside && !readable.may_show(read) && !is_bundled() && !has_digest() {
            return Err(VerifyError::InputRefused { path: read.display().to_string() });
        }
    }
    Ok(())
}

impl ReadableFiles<'_> {
    /// Whether a file lies below the results, or the user named it or a folder that it lies in.
    fn may_show(&self, path: &Path) -> bool {
        is_below(self.folder, path) || self.given.iter().any(|given| given == path || is_below(given, path))
    }
}

/// A publisher that never hears of the end and so never writes.
struct SilentPublisher(Box<dyn Publisher>);

impl Sink for SilentPublisher {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Finished(_) => Ok(()),
            other => self.0.event(other),
        }
    }
}

impl Publisher for SilentPublisher {
    fn panels(&self) -> Vec<Panel> {
        self.0.panels()
    }
}
