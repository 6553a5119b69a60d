//! The job of a finished run, made again from its manifest.

use std::fs::File;
use std::io;
use std::path::Path;

use probare_cases::{FieldMap, Format as CaseFormat, OpenError, ReadOptions, Rows};
use probare_core::{
    Console, Event, FORMAT, Input, Job, Manifest, MetricRequest, Panel, Publisher, Reading, Sink, Source, Suite,
    SuiteCall, SuiteError,
};
use serde_json::{Map, Value as Json};

use super::VerifyError;
use super::before::Unsigned;
use super::inputs::{Names, Resolved, digested};

/// The job, with inputs from where they are now.
pub(super) fn job(
    manifest: &Manifest,
    resolved: &[Resolved],
    suites: fn(&str) -> Option<&'static dyn Suite>,
) -> Result<Job, VerifyError> {
    if let Some(generation) = &manifest.generation {
        let what = match (generation.models.is_empty(), &generation.retrieval) {
            (false, _) => "outputs that models gave in the run",
            (true, Some(_)) => "passages that were retrieved in the run",
            (true, None) => "several data sets",
        };
        let message = format!("this file holds {what}, which are in the store of its run and not in its inputs");
        let hint = "`probare runs export RUN` writes it again from the store, to be compared byte for byte; \
                    `probare runs export RUN --outputs FILE` writes the outputs, which `probare score` scores again";
        return Err(SuiteError::data(message).hint(hint).into());
    }
    let mut job = match &manifest.suite {
        Some(call) => benchmark(manifest, call, resolved, suites)?,
        None => plain(manifest, resolved)?,
    };
    job.title.clone_from(&manifest.title);
    job.source = Names::new(manifest, resolved).in_text(&job.source);
    // Nothing is written, so nothing can be overwritten.
    job.writes.clear();
    Ok(job)
}

/// Cases of a file through metrics.
fn plain(manifest: &Manifest, resolved: &[Resolved]) -> Result<Job, VerifyError> {
    let mut inputs = manifest.inputs.iter().zip(resolved);
    let Some((cases, Resolved::File(place))) = inputs.next() else {
        return Err(SuiteError::data("the manifest names no file of cases").into());
    };
    let requests = manifest.metrics.iter().map(MetricRequest::again).collect();
    let (rows, mut further) = rows(manifest, cases, place)?;
    for (input, place) in inputs {
        if let Resolved::File(place) = place {
            further.push(digested(input, place).map_err(|source| OpenError::Io { file: input.path.clone(), source })?);
        }
    }
    let is_old = manifest.probare.format < FORMAT;
    let rows: Box<dyn Source> = if is_old { Box::new(Unsigned(Box::new(rows))) } else { Box::new(rows) };
    let mut job = Job::new(place.display().to_string(), rows, requests);
    job.inputs = further;
    job.reading = Reading { limit: None, ..manifest.reading.clone() };
    Ok(job)
}

/// The rows of the cases; what came from standard input is read as it was then, and its digest is taken apart.
fn rows(manifest: &Manifest, cases: &Input, place: &Path) -> Result<(Rows, Vec<Input>), VerifyError> {
    let options = read_options(&manifest.reading)?;
    let name = place.display().to_string();
    if cases.path == "-" {
        let failed = |source| OpenError::Io { file: name.clone(), source };
        let file = File::open(place).map_err(failed)?;
        let format = options.format.unwrap_or(CaseFormat::JsonLines);
        let rows = Rows::from_reader(file, "standard input", format, &options)?;
        return Ok((rows, vec![digested(cases, place).map_err(failed)?]));
    }
    match Rows::open(&name, &options) {
        // A copy under another name is still what it was.
        Err(OpenError::UnknownFormat { .. }) => {
            let extension = Path::new(&cases.path).extension().and_then(|part| part.to_str()).unwrap_or_default();
            let format = extension.parse().map_err(|_| OpenError::UnknownFormat { file: name.clone() })?;
            Ok((Rows::open(&name, &ReadOptions { format: Some(format), ..options })?, Vec::new()))
        }
        opened => Ok((opened?, Vec::new())),
    }
}

/// How to read as it was read then.
pub(crate) fn read_options(reading: &Reading) -> Result<ReadOptions, VerifyError> {
    let longest_row = reading.longest_row.and_then(|bytes| usize::try_from(bytes).ok());
    Ok(ReadOptions {
        fields: FieldMap::of(reading.mapping.iter().map(|(field, column)| (field, column.clone())))?,
        format: reading.format.as_deref().map(str::parse).transpose().map_err(SuiteError::data)?,
        separator: reading.separator.and_then(|sign| u8::try_from(sign).ok()),
        group: reading.group.as_deref().map(str::parse).transpose().map_err(SuiteError::data)?,
        longest_row: longest_row.unwrap_or(ReadOptions::default().longest_row),
    })
}

/// A benchmark, opened with the options of the manifest and the paths of now.
fn benchmark(
    manifest: &Manifest,
    call: &SuiteCall,
    resolved: &[Resolved],
    suites: fn(&str) -> Option<&'static dyn Suite>,
) -> Result<Job, VerifyError> {
    let suite = suites(&call.id)
        .ok_or_else(|| SuiteError::data(format!("the benchmark `{}` is unknown to this program", call.id)))?;
    let mut options = call.options.clone();
    for (input, place) in manifest.inputs.iter().zip(resolved) {
        if let (Some(pointer), Resolved::File(place)) = (&input.option, place)
            && let Some(option) = options.pointer_mut(pointer)
        {
            *option = Json::String(place.display().to_string());
        }
    }
    let mut job = suite.open(options, Console { quiet: true, ..Console::default() })?;
    for request in &mut job.requests {
        let Some(recorded) = manifest.metrics.iter().find(|metric| metric.name == request.name) else { continue };
        request.profile.get_or_insert(recorded.profile);
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
    job.publisher = publisher.map(|inner| Box::new(Muted(inner)) as Box<dyn Publisher>);
    Ok(job)
}

/// A publisher that never hears of the end and so never writes.
struct Muted(Box<dyn Publisher>);

impl Sink for Muted {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Finished(_) => Ok(()),
            other => self.0.event(other),
        }
    }
}

impl Publisher for Muted {
    fn panels(&self) -> Vec<Panel> {
        self.0.panels()
    }
}
