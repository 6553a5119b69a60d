//! [`Checker`]: watches a run that is computed again and holds it against the file.
//!
//! Beside that it writes the file once more, into a digest (or, of a page, into memory): whatever the comparison of rows
//! and numbers would not see, the bytes show.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use probare_core::{BenchmarkData, Event, FORMAT, FileDigest, Manifest, RunEnd, Sha256, Sink};
use probare_formats::results::{FileRows, ResultsFile, ResultsFileError};
use probare_report::{OutputWriter, RendererOptions, ReportFormat, Summary, VERSION, costs};

use super::Verdict;
use super::inputs::InputNames;
use super::matching::RowMatcher;
use super::row_differences::check_spans;

/// Takes the events of the run.
pub(super) struct Checker<'a> {
    pub(super) file: &'a ResultsFile,
    pub(super) recorded: &'a Manifest,
    pub(super) verdict: Verdict,
    /// What the manifest would be now, as the first run would have called things.
    pub(super) now: Option<Manifest>,
    /// What the run says the cases come from.
    pub(super) source: String,
    names: InputNames,
    rows: Option<FileRows>,
    matching: Option<RowMatcher>,
    metrics: Vec<String>,
    copy: Box<dyn Sink>,
    copied: RewrittenFile,
}

/// The file as it would be written now.
#[derive(Clone)]
enum RewrittenFile {
    Digest(Arc<Mutex<Sha256>>),
    /// A page is of bounded size.
    Page(Arc<Mutex<Vec<u8>>>),
}

impl Write for RewrittenFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Digest(digest) => digest.lock().unwrap_or_else(PoisonError::into_inner).write(bytes),
            Self::Page(page) => page.lock().unwrap_or_else(PoisonError::into_inner).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> Checker<'a> {
    pub(super) fn new(
        file: &'a ResultsFile,
        recorded: &'a Manifest,
        options: RendererOptions,
        names: InputNames,
        verdict: Verdict,
    ) -> Result<Self, ResultsFileError> {
        let copied = match file.format() {
            ReportFormat::Html => RewrittenFile::Page(Arc::default()),
            _ => RewrittenFile::Digest(Arc::default()),
        };
        let copy = file.format().sink(OutputWriter::to_writer(Box::new(copied.clone())), options);
        Ok(Self {
            file,
            recorded,
            verdict,
            now: None,
            source: String::new(),
            names,
            rows: rows(file, recorded)?,
            matching: None,
            metrics: Vec::new(),
            copy,
            copied,
        })
    }

    pub(super) fn into_verdict(self) -> Verdict {
        self.verdict
    }

    /// The digest of the file as it would be written now.
    pub(super) fn digest(&self) -> Option<FileDigest> {
        match &self.copied {
            RewrittenFile::Digest(digest) => Some(digest.lock().unwrap_or_else(PoisonError::into_inner).file_digest()),
            RewrittenFile::Page(_) => None,
        }
    }

    /// The page as it would be written now.
    pub(super) fn page(&self) -> Option<Vec<u8>> {
        match &self.copied {
            RewrittenFile::Digest(_) => None,
            RewrittenFile::Page(page) => {
                Some(std::mem::take(&mut *page.lock().unwrap_or_else(PoisonError::into_inner)))
            }
        }
    }

    /// The manifest with the names of the first run in place of those of now.
    fn as_recorded(&self, manifest: &Manifest) -> Manifest {
        let mut now = manifest.clone();
        // Rows that were compared one by one are the same whoever writes them; notes say who did.
        now.probare.version.clone_from(&self.recorded.probare.version);
        for input in &mut now.inputs {
            input.path = match self.names.recorded_path(&input.path) {
                Some(path) => path.to_owned(),
                None => self.names.in_text(&input.path),
            };
        }
        // They were opened as the manifest names them; files of recorded replies may be elsewhere now.
        now.models.clone_from(&self.recorded.models);
        // What calls cost is a fact of then; nobody is paid now.
        now.costs.clone_from(&self.recorded.costs);
        if let (Some(call), Some(recorded)) = (&mut now.benchmark, &self.recorded.benchmark) {
            for pointer in self.recorded.inputs.iter().filter_map(|input| input.option.as_deref()) {
                if let (Some(option), Some(path)) =
                    (call.options.pointer_mut(pointer), recorded.options.pointer(pointer))
                {
                    *option = path.clone();
                }
            }
        }
        if let Some(problems) = now.summary.get_mut("problems").and_then(serde_json::Value::as_array_mut) {
            for problem in problems {
                if let Ok(read) = serde_json::from_value(problem.clone())
                    && let Ok(named) = serde_json::to_value(self.names.in_problem(&read))
                {
                    *problem = named;
                }
            }
        }
        now
    }
}

/// Whether this very program wrote a file, so that it would write the same bytes.
pub(super) fn is_ours(manifest: &Manifest) -> bool {
    manifest.probare.version == VERSION && manifest.probare.format == FORMAT
}

/// The rows of a file. A page is written again and compared as a whole; where another version wrote it, the results of the
/// cases that it holds are compared one by one.
fn rows(file: &ResultsFile, recorded: &Manifest) -> Result<Option<FileRows>, ResultsFileError> {
    match file.format() {
        ReportFormat::Html if !is_ours(recorded) => file.results().map(Some),
        _ => file.rows(),
    }
}

impl Sink for Checker<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { source, metrics, .. } => {
                (*source).clone_into(&mut self.source);
                self.metrics = metrics.iter().map(|metric| metric.name.clone()).collect();
                if let Some(rows) = self.rows.take() {
                    self.matching = Some(RowMatcher::new(
                        (self.file.format(), self.recorded.probare.format),
                        metrics,
                        rows,
                        &mut self.verdict,
                    ));
                }
                self.copy.event(event)
            }
            Event::Scored(result) => {
                self.verdict.cases += 1;
                self.verdict.scores += result.results.len() as u64;
                for (metric, told) in self.metrics.iter().zip(&result.results) {
                    if let Ok(outcome) = told {
                        check_spans(outcome.evidence(), &result.case, metric, &mut self.verdict);
                    }
                }
                if let Some(matching) = &mut self.matching {
                    matching.match_result(result, &mut self.verdict)?;
                }
                self.copy.event(event)
            }
            Event::Problem(problem) => self.copy.event(&Event::Problem(&self.names.in_problem(problem))),
            Event::Finished(finish) => {
                if let Some(matching) = &mut self.matching {
                    matching.finish(&mut self.verdict)?;
                }
                let manifest = self.as_recorded(&finish.manifest);
                let is_ours = is_ours(self.recorded);
                let summary = Summary::of(finish).map(|summary| {
                    let mut summary = summary.clone();
                    summary.problems = summary.problems.iter().map(|problem| self.names.in_problem(problem)).collect();
                    BenchmarkData::new(summary)
                });
                let panels = finish.panels.iter().cloned().chain(manifest.costs.as_ref().map(costs::panel)).collect();
                let finish = RunEnd { stop: finish.stop, manifest, summary, panels };
                if is_ours {
                    self.copy.event(&Event::Finished(&finish))?;
                }
                self.now = Some(finish.manifest);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
