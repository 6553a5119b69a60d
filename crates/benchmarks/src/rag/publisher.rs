//! [`RagPublisher`]: the published JSON, row by row as results come, and the last words.

use std::io::{self, Write as _};
use std::path::PathBuf;

use probare_core::{BenchmarkStatus, CaseResult, Console, Event, Problem, Publisher, Sink, Stop};
use probare_metrics::rag::verdict::VerdictStatus;
use probare_report::{Compression, OutputWriter};
use serde_json::json;

use super::policy::{CaseReport, ReportForm};
use crate::printing::remark;

/// What is published, and how.
pub(super) struct RagPublisher {
    /// Where it goes; standard output without it.
    pub out: Option<(PathBuf, Compression)>,
    /// One report or a line for each case.
    pub form: ReportForm,
    /// Verdicts from this one on miss the gate.
    pub gate: Option<VerdictStatus>,
    /// What the terminal can show.
    pub console: Console,
    /// What has come so far.
    pub state: RagReportState,
}

/// What has come so far.
#[derive(Debug, Default)]
pub(super) struct RagReportState {
    output: Option<OutputWriter>,
    /// PASS, WARN, FAIL.
    counts: [usize; 3],
    worst: Option<VerdictStatus>,
    reasons: Vec<String>,
    failed: usize,
    is_whole: bool,
}

impl RagPublisher {
    fn start(&mut self) -> io::Result<()> {
        self.state.output = Some(match &self.out {
            Some((path, compression)) => OutputWriter::to_file(path, *compression)?,
            None => OutputWriter::to_stdout(),
        });
        Ok(())
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.state.output.as_mut().map_or(Ok(()), |output| output.write_all(text.as_bytes()))
    }

    fn write_result(&mut self, result: &CaseResult) -> io::Result<()> {
        match result.detail.as_ref().and_then(|detail| detail.get::<CaseReport>()) {
            Some(CaseReport::Judged { text, status, reasons }) => {
                self.state.counts[*status as usize] += 1;
                self.state.worst = self.state.worst.max(Some(*status));
                if self.form == ReportForm::Single {
                    self.state.reasons.clone_from(reasons);
                }
                self.write(text)
            }
            Some(CaseReport::Failed { text }) => {
                self.state.failed += 1;
                self.write(text)
            }
            // The benchmark itself stopped at this case; its results say why.
            None => {
                self.state.failed += 1;
                let error = result.results.iter().find_map(|named| named.as_ref().err()).map(ToString::to_string);
                self.write(&format!("{}\n", json!({"id": result.case.id, "error": error})))
            }
        }
    }

    fn lost(&mut self, problem: &Problem) -> io::Result<()> {
        self.state.failed += 1;
        self.write(&format!("{}\n", json!({"line": problem.line, "error": problem.reason})))
    }

    fn finish(&mut self, stop: Stop) -> io::Result<()> {
        if let Some(mut output) = self.state.output.take() {
            output.finish(stop)?;
        }
        self.state.is_whole = stop == Stop::Complete;
        let RagReportState { counts: [passed, warned, rejected], failed, .. } = self.state;
        if self.console.quiet || stop != Stop::Complete {
            return Ok(());
        }
        match (self.form, &self.out) {
            (ReportForm::Single, Some(_)) => {
                if let Some(status) = self.state.worst {
                    remark(status.name());
                }
                self.state.reasons.iter().for_each(|reason| remark(&format!("  {reason}")));
            }
            (ReportForm::Single, None) => {}
            (ReportForm::Line, _) => {
                remark(&format!("{passed} PASS, {warned} WARN, {rejected} FAIL, {failed} not evaluated"));
                if failed > 0 {
                    remark("what could not be evaluated has a line with its `error` in the report");
                }
            }
        }
        Ok(())
    }
}

impl Sink for RagPublisher {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { .. } => self.start(),
            Event::Scored(result) => self.write_result(result),
            Event::Problem(problem) if problem.lost => self.lost(problem),
            Event::Finished(finish) => self.finish(finish.stop),
            _ => Ok(()),
        }
    }
}

impl Publisher for RagPublisher {
    fn status(&self) -> BenchmarkStatus {
        if self.state.failed > 0 {
            return BenchmarkStatus::Failed;
        }
        match (self.gate, self.state.worst) {
            (Some(limit), Some(worst)) if worst >= limit => BenchmarkStatus::GateFailed,
            _ => BenchmarkStatus::Passed,
        }
    }

    fn written_files(&self) -> Vec<PathBuf> {
        let whole = self.out.iter().filter(|_| self.state.is_whole);
        whole.map(|(path, _)| path.clone()).collect()
    }
}
