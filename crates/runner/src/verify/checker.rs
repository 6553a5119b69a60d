//! [`Checker`]: watches a run that is computed again and holds it against the file.
//!
//! Beside that it writes the file once more, into a digest (or, of a page, into memory): whatever the comparison of rows
//! and numbers would not see, the bytes show.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use probare_core::{Detail, Event, FORMAT, Finish, Manifest, Outcome, Sha256, Sink, Stored};
use probare_report::recorded::{Recorded, RecordedError, Rows};
use probare_report::{Format, Options, Output, Summary, VERSION};

use super::Verdict;
use super::inputs::Names;
use super::lines::check_spans;
use super::matching::Matching;

/// Takes the events of the run.
pub(super) struct Checker<'a> {
    pub(super) file: &'a Recorded,
    pub(super) recorded: &'a Manifest,
    pub(super) verdict: Verdict,
    /// What the manifest would be now, as the first run would have called things.
    pub(super) now: Option<Manifest>,
    /// What the run says the cases come from.
    pub(super) source: String,
    names: Names,
    rows: Option<Rows>,
    matching: Option<Matching>,
    metrics: Vec<String>,
    copy: Box<dyn Sink>,
    copied: Copied,
}

/// The file as it would be written now.
#[derive(Clone)]
enum Copied {
    Digest(Arc<Mutex<Sha256>>),
    /// A page is of bounded size.
    Page(Arc<Mutex<Vec<u8>>>),
}

impl Write for Copied {
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
        file: &'a Recorded,
        recorded: &'a Manifest,
        options: Options,
        names: Names,
        verdict: Verdict,
    ) -> Result<Self, RecordedError> {
        let copied = match file.format() {
            Format::Html => Copied::Page(Arc::default()),
            _ => Copied::Digest(Arc::default()),
        };
        let copy = file.format().sink(Output::to_writer(Box::new(copied.clone())), options);
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
    pub(super) fn digest(&self) -> Option<Stored> {
        match &self.copied {
            Copied::Digest(digest) => Some(digest.lock().unwrap_or_else(PoisonError::into_inner).stored()),
            Copied::Page(_) => None,
        }
    }

    /// The page as it would be written now.
    pub(super) fn page(&self) -> Option<Vec<u8>> {
        match &self.copied {
            Copied::Digest(_) => None,
            Copied::Page(page) => Some(std::mem::take(&mut *page.lock().unwrap_or_else(PoisonError::into_inner))),
        }
    }

    /// The manifest with the names of the first run in place of those of now.
    fn as_recorded(&self, manifest: &Manifest) -> Manifest {
        let mut now = manifest.clone();
        // Rows that were compared one by one are the same whoever writes them; notes say who did.
        now.probare.version.clone_from(&self.recorded.probare.version);
        for input in &mut now.inputs {
            input.path = match self.names.recorded(&input.path) {
                Some(path) => path.to_owned(),
                None => self.names.in_text(&input.path),
            };
        }
        // They were opened as the manifest names them; files of recorded replies may be elsewhere now.
        now.models.clone_from(&self.recorded.models);
        if let (Some(call), Some(recorded)) = (&mut now.suite, &self.recorded.suite) {
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
fn rows(file: &Recorded, recorded: &Manifest) -> Result<Option<Rows>, RecordedError> {
    match file.format() {
        Format::Html if !is_ours(recorded) => file.results().map(Some),
        _ => file.rows(),
    }
}

impl Sink for Checker<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { source, metrics } => {
                (*source).clone_into(&mut self.source);
                self.metrics = metrics.iter().map(|metric| metric.name.clone()).collect();
                if let Some(rows) = self.rows.take() {
                    self.matching = Some(Matching::new(
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
                    if let Ok(Outcome::Scored(score)) = told {
                        check_spans(&score.evidence, &result.case, metric, &mut self.verdict);
                    }
                }
                if let Some(matching) = &mut self.matching {
                    matching.take(result, &mut self.verdict)?;
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
                    Detail::new(summary)
                });
                let finish = Finish { stop: finish.stop, manifest, summary, panels: finish.panels.clone() };
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
