//! [`SynthesisPublisher`]: gathers the results of a run and puts out what the published program puts out.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probare_core::{BenchmarkStatus, Console, Event, Panel, Publisher, Sink, Stop};
use probare_report::number::count_with_noun;
use probare_report::{OutputWriter, escape};

use super::{CaseChecks, LoadError, SynthesisReport, console, panel};
use crate::printing::{print, remark};

/// What is published, and how.
pub(super) struct SynthesisPublisher {
    /// The file of cases, as named.
    pub cases: String,
    /// The schema, as named.
    pub schema: String,
    /// Where the report goes.
    pub out: PathBuf,
    /// Unexpected failures that are allowed.
    pub fail_on: i64,
    /// Whether a tool asks for the artifact.
    pub wants_artifact: bool,
    /// What the terminal can show.
    pub console: Console,
    /// What has come so far.
    pub state: SynthesisReportState,
}

/// The file beside the published report with what was matched: `report.matches.json`.
pub(super) fn matches_beside(out: &Path) -> PathBuf {
    out.with_extension("matches.json")
}

/// What has come so far.
#[derive(Debug, Default)]
pub(super) struct SynthesisReportState {
    report: SynthesisReport,
    bad_lines: Vec<String>,
    /// Cases that could not be checked.
    unchecked: usize,
    ending: BenchmarkStatus,
    is_written: bool,
}

impl SynthesisPublisher {
    fn publish(&mut self) -> io::Result<()> {
        let SynthesisReportState { report, bad_lines, unchecked, .. } = &self.state;
        self.say(&format!(
            "Synthesis: empathy, trust and care in replies\n\nLoading cases from: {}\nUsing schema: {}\n",
            escape::terminal(&self.cases),
            escape::terminal(&self.schema)
        ))?;
        if !bad_lines.is_empty() {
            let error = LoadError { lines: bad_lines.clone() };
            for message in error.messages() {
                // The heading begins with a blank line; an id with line breaks stays on its own line.
                let text = message.strip_prefix('\n').inspect(|_| remark("")).unwrap_or(&message);
                remark(text);
            }
            remark(&format!("Failed to load cases: {error}"));
            self.state.ending = BenchmarkStatus::Failed;
            return Ok(());
        }
        if *unchecked > 0 {
            let cases = count_with_noun(*unchecked as u64, "case", "cases");
            remark(&format!("error: {cases} could not be checked, so there is no report"));
            self.state.ending = BenchmarkStatus::Failed;
            return Ok(());
        }
        for warning in report.warnings() {
            remark(&format!("warning: {warning}"));
        }
        if report.summary.cases == 0 && !self.console.allow_empty {
            remark(&format!("error: `{}` holds no case, and what was not looked at has not passed", self.cases));
            self.state.ending = BenchmarkStatus::Failed;
            return Ok(());
        }
        OutputWriter::write_file(&self.out, &report.json())?;
        OutputWriter::write_file(&matches_beside(&self.out), &report.matches_json())?;
        if self.console.json {
            print(&format!("{:#}\n", serde_json::to_value(&report.summary).unwrap_or_default()))?;
        } else {
            self.say(&self.conclusion(report))?;
        }
        if console::exceeds(&report.summary, self.fail_on) {
            self.state.ending = BenchmarkStatus::GateFailed;
        }
        self.state.is_written = true;
        Ok(())
    }

    fn conclusion(&self, report: &SynthesisReport) -> String {
        let (cases, out) = (report.summary.cases, self.out.display().to_string());
        let shown = escape::terminal(&out);
        let block = console::block(report);
        let matched = console::matched(report);
        let mut text =
            format!("Loaded {cases} cases\n\nRunning evaluations...\nReport written to: {shown}\n{block}{matched}");
        if self.wants_artifact {
            text.push_str(&console::artifact(&report.summary, &out));
            text.push('\n');
        }
        text.push_str(&console::last_line(&report.summary, self.fail_on));
        text.push('\n');
        text
    }

    /// Prints what is for readers.
    fn say(&self, text: &str) -> io::Result<()> {
        match self.console {
            Console { quiet: true, .. } | Console { json: true, .. } => Ok(()),
            Console { colour: true, .. } => print(text),
            _ => print(&console::without_colour(text)),
        }
    }
}

impl Sink for SynthesisPublisher {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Scored(scored) => {
                match scored.detail.as_ref().and_then(|detail| detail.get::<Arc<CaseChecks>>()) {
                    Some(result) => self.state.report.add(Arc::clone(result)),
                    None => self.state.unchecked += 1,
                }
                Ok(())
            }
            Event::Problem(problem) if problem.lost => {
                self.state.bad_lines.push(problem.reason.clone());
                Ok(())
            }
            Event::Finished(finish) if finish.stop == Stop::Complete => self.publish(),
            _ => Ok(()),
        }
    }
}

impl Publisher for SynthesisPublisher {
    /// There is no verdict on a file that could not be read or checked as a whole.
    fn panels(&self) -> Vec<Panel> {
        let SynthesisReportState { report, bad_lines, unchecked, .. } = &self.state;
        let is_whole = bad_lines.is_empty() && *unchecked == 0;
        is_whole.then(|| panel::verdict(report, self.fail_on)).into_iter().collect()
    }

    fn status(&self) -> BenchmarkStatus {
        self.state.ending
    }

    fn written_files(&self) -> Vec<PathBuf> {
        // The published text names the report already, where it is shown.
        let is_named = !(self.console.quiet || self.console.json);
        let own = matches_beside(&self.out);
        match (self.state.is_written, is_named) {
            (false, _) => Vec::new(),
            (true, true) => vec![own],
            (true, false) => vec![self.out.clone(), own],
        }
    }
}
