//! [`ReportPublisher`]: gathers the results of a run and puts out what the published program puts out.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use probare_core::{BenchmarkStatus, Console, Event, Panel, Publisher, Sink, Stop};
use probare_report::number::count_with_noun;
use probare_report::{OutputWriter, escape};
use serde_json::{Value as Json, json};

use crate::printing::{print, remark};
use crate::synthesis::LoadError;

use super::console::{self, Look};
use super::{CaseVerdict, VerdictReport};

/// Where the texts go: with `MCP_OUTPUT=json` standard output holds one line of JSON and nothing else.
#[derive(Debug, Clone, Copy)]
pub(in crate::synthesis) struct Streams {
    pub(in crate::synthesis) wants_json: bool,
    pub(in crate::synthesis) console: Console,
    pub(in crate::synthesis) look: Look,
    /// How errors look: standard error may be no terminal where standard output is one.
    pub(in crate::synthesis) error_look: Look,
}

impl Streams {
    /// Prints what is for readers.
    pub(super) fn say(self, text: &str) -> io::Result<()> {
        match self.console {
            Console { quiet: true, .. } | Console { json: true, .. } => Ok(()),
            _ if self.wants_json => io::stderr().lock().write_all(text.as_bytes()),
            _ => print(text),
        }
    }

    /// Prints the line of JSON, where one is asked for.
    pub(super) fn artifact(self, artifact: &Json) -> io::Result<()> {
        if self.wants_json { print(&format!("{artifact}\n")) } else { Ok(()) }
    }

    /// Prints why there is no result.
    pub(super) fn fatal(self, message: &str) -> io::Result<()> {
        remark(&escape::terminal(message));
        self.artifact(&json!({"error": true, "message": message}))
    }
}

/// What is published, and how.
pub(in crate::synthesis) struct ReportPublisher {
    /// The file of cases, as named.
    pub(in crate::synthesis) cases: String,
    /// The schema, as named.
    pub(in crate::synthesis) schema: String,
    /// Where the report goes.
    pub(in crate::synthesis) out: PathBuf,
    /// Unexpected failures that are allowed.
    pub(in crate::synthesis) fail_on: i64,
    /// Whether every case is explained.
    pub(in crate::synthesis) is_explained: bool,
    /// Where texts go.
    pub(in crate::synthesis) streams: Streams,
    /// What has come so far.
    pub(in crate::synthesis) state: ReportState,
}

/// What has come so far.
#[derive(Debug, Default)]
pub(in crate::synthesis) struct ReportState {
    report: VerdictReport,
    bad_lines: Vec<String>,
    unchecked: usize,
    ending: BenchmarkStatus,
    is_written: bool,
}

impl ReportPublisher {
    /// Puts everything out, and says how the run ended.
    fn publish(&self) -> io::Result<BenchmarkStatus> {
        let ReportState { report, bad_lines, unchecked, .. } = &self.state;
        let streams = self.streams;
        streams.say(&format!(
            "Synthesis - Deterministic Empathy Evaluations\nLoading cases from: {}\nUsing schema: {}\n",
            self.cases, self.schema
        ))?;
        let failed = |()| BenchmarkStatus::Failed;
        if !bad_lines.is_empty() {
            let (sign, bullet) = streams.error_look.error_signs();
            remark("");
            remark(&format!("{sign} Schema validation errors:"));
            for line in bad_lines {
                remark(&escape::terminal(&format!("  {bullet} {line}")));
            }
            let error = LoadError { lines: bad_lines.clone() };
            return streams.fatal(&format!("Failed to load cases: {error}")).map(failed);
        }
        if *unchecked > 0 {
            let cases = count_with_noun(*unchecked as u64, "case", "cases");
            return streams.fatal(&format!("error: {cases} could not be checked, so there is no report")).map(failed);
        }
        if report.cases() == 0 {
            return streams.fatal(&format!("Failed to load cases: No valid cases found in {}", self.cases)).map(failed);
        }
        streams.say(&format!("Loaded {} cases\nRunning evaluations...\n", report.cases()))?;
        OutputWriter::write_file(&self.out, &report.json())?;
        if streams.console.json {
            let summary: Json = serde_json::from_slice(&report.json()).unwrap_or_default();
            print(&format!("{:#}\n", summary["summary"]))?;
        }
        let out = self.out.display().to_string();
        streams.say(&format!(
            "Report written to: {out}\n{}{}\n",
            console::block(report, streams.look, self.is_explained),
            console::last_line(report, self.fail_on)
        ))?;
        streams.artifact(&report.artifact(&out, &console::pass_rate(report)))?;
        let is_missed = console::exceeds(report, self.fail_on);
        Ok(if is_missed { BenchmarkStatus::GateFailed } else { BenchmarkStatus::Passed })
    }
}

impl Sink for ReportPublisher {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Scored(scored) => {
                match scored.detail.as_ref().and_then(|detail| detail.get::<Arc<CaseVerdict>>()) {
                    Some(result) => self.state.report.add(Arc::clone(result)),
                    None => self.state.unchecked += 1,
                }
                Ok(())
            }
            Event::Problem(problem) if problem.lost => {
                self.state.bad_lines.push(problem.reason.clone());
                Ok(())
            }
            Event::Finished(finish) if finish.stop == Stop::Complete => {
                self.state.ending = self.publish()?;
                self.state.is_written = self.state.ending != BenchmarkStatus::Failed;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Publisher for ReportPublisher {
    fn panels(&self) -> Vec<Panel> {
        let ReportState { report, bad_lines, unchecked, .. } = &self.state;
        if !bad_lines.is_empty() || *unchecked > 0 || report.cases() == 0 {
            return Vec::new();
        }
        let text = console::block(report, Look { is_colourful: false }, false);
        let says = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with("==="));
        let mut says: Vec<String> = says.map(str::to_owned).collect();
        says.push(console::last_line(report, self.fail_on));
        vec![Panel { title: "Synthesis 1.3".to_owned(), says, ..Panel::default() }]
    }

    fn status(&self) -> BenchmarkStatus {
        self.state.ending
    }

    fn written_files(&self) -> Vec<PathBuf> {
        // The published text names the report already, where it is shown.
        let is_named = !(self.streams.console.quiet || self.streams.console.json);
        if self.state.is_written && !is_named { vec![self.out.clone()] } else { Vec::new() }
    }
}
