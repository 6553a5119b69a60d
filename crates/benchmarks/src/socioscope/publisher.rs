//! The files and texts that the benchmark publishes.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use probare_core::{CaseResult, Console, Event, Panel, Publisher, Sink, Stop};
use probare_metrics::interviews::quotations::Transcripts;
use probare_report::OutputWriter;
use serde_json::Value as Json;

use super::input::{Corpus, Fixture};
use super::output::{answers_csv, chart, results, stamped, summary_csv, terminal};
use super::page::{PageData, page};
use super::{AnswerResult, Redaction, SocioscopeEvaluation, SocioscopeSummary, panels};
use crate::printing::{print, remark};
use crate::socioscope::interviews::GradingOptions;

/// Format of the results file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultFormat {
    /// Everything that was found
    #[default]
    Json,
    /// One row per answer
    Csv,
}

impl ResultFormat {
    pub(super) const fn extension(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
        }
    }
}

/// What is to be published, and where.
pub(super) struct PublishOptions {
    pub(super) folder: PathBuf,
    pub(super) format: ResultFormat,
    pub(super) stamp: String,
    pub(super) plots: bool,
    pub(super) redact: bool,
    pub(super) improved: bool,
    /// As the results file tells them.
    pub(super) settings: GradingOptions,
}

impl PublishOptions {
    /// Names of all files but the results file, which never replaces another one.
    pub(super) fn names(&self) -> Vec<&'static str> {
        let mut names = vec!["summary.csv", "report.html"];
        if self.plots {
            names.extend(["transcript_scores.svg", "verbatim_scores.svg"]);
            names.extend(self.improved.then_some("improved_transcript_scores.svg"));
        }
        names
    }
}

/// Collects the results of all answers and publishes them when the run ends.
pub(super) struct SocioscopePublisher {
    pub(super) fixture: Arc<Fixture>,
    pub(super) corpus: Arc<Corpus>,
    pub(super) transcripts: Arc<Transcripts>,
    pub(super) publish: PublishOptions,
    pub(super) console: Console,
    /// Remarks about the input.
    pub(super) warnings: Vec<String>,
    results: Vec<AnswerResult>,
    written: Vec<PathBuf>,
}

impl SocioscopePublisher {
    pub(super) fn new(
        (fixture, corpus, transcripts): (Arc<Fixture>, Arc<Corpus>, Arc<Transcripts>),
        publish: PublishOptions,
        console: Console,
        warnings: Vec<String>,
    ) -> Self {
        Self { fixture, corpus, transcripts, publish, console, warnings, results: Vec::new(), written: Vec::new() }
    }

    /// Keeps the results of an answer. One that could not be graded keeps its place, without a grade.
    fn add_result(&mut self, result: &CaseResult) {
        for error in result.results.iter().filter_map(|named| named.as_ref().err()).take(1) {
            let model = result.model.as_ref().map(|model| format!(" by {model}")).unwrap_or_default();
            remark(&format!("error: the answer to `{}`{model} could not be scored: {error}", result.case.id));
        }
        let analysis = result.detail.as_ref().and_then(|detail| detail.get::<AnswerResult>()).cloned();
        self.results.push(analysis.unwrap_or_default());
    }

    fn summaries(&self, evaluation: &SocioscopeEvaluation) -> (SocioscopeSummary, Option<SocioscopeSummary>) {
        let improved = self.publish.improved.then(|| SocioscopeSummary::improved(&self.fixture, evaluation));
        (SocioscopeSummary::new(&self.fixture, evaluation), improved)
    }

    fn publish(&mut self) -> io::Result<()> {
        let evaluation = SocioscopeEvaluation::new(&self.fixture, std::mem::take(&mut self.results));
        let (summary, improved) = self.summaries(&evaluation);
        for (path, content) in self.files(&evaluation, &summary, improved.as_ref()) {
            OutputWriter::write_file(&path, content.as_bytes())?;
            self.written.push(path);
        }
        if self.console.quiet {
            return Ok(());
        }
        if self.console.json {
            let mut means = summary.to_json();
            if let (Some(improved), Json::Object(means)) = (&improved, &mut means) {
                means.insert("improved".into(), improved.to_json());
            }
            return print(&format!("{means}\n"));
        }
        print(&terminal(&summary, improved.as_ref()))
    }

    fn files(
        &self,
        evaluation: &SocioscopeEvaluation,
        summary: &SocioscopeSummary,
        improved: Option<&SocioscopeSummary>,
    ) -> Vec<(PathBuf, String)> {
        let (PublishOptions { folder, format, stamp, settings, .. }, fixture) = (&self.publish, &*self.fixture);
        let redaction = self.publish.redact.then(|| Redaction::new(&self.corpus));
        let content = match format {
            ResultFormat::Json => {
                let json = results(fixture, evaluation, *settings, (summary, improved), redaction.as_ref());
                serde_json::to_string_pretty(&json).unwrap_or_else(|_| json.to_string()) + "\n"
            }
            ResultFormat::Csv => answers_csv(fixture, evaluation),
        };
        let redaction = redaction.as_ref();
        let mut files = vec![(stamped(folder, stamp, format.extension()), content)];
        for name in self.publish.names() {
            let content = match name {
                "summary.csv" => summary_csv(summary, improved),
                "report.html" => {
                    page(PageData { fixture, corpus: &self.corpus, evaluation, summary, improved, redaction })
                }
                "transcript_scores.svg" => chart(&summary.transcripts, "Mean score per transcript", "mean score"),
                "verbatim_scores.svg" => {
                    let title = "Exact quotations per transcript";
                    chart(&summary.verbatim_transcripts, title, "share of quotations")
                }
                _ => {
                    let groups = improved.map_or(&summary.transcripts, |improved| &improved.transcripts);
                    chart(groups, "Mean score per transcript, improved definition", "mean score")
                }
            };
            files.push((folder.join(name), content));
        }
        files
    }
}

impl Sink for SocioscopePublisher {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { .. } => self.warnings.iter().for_each(|warning| remark(&format!("warning: {warning}"))),
            Event::Scored(result) => self.add_result(result),
            Event::Finished(finish) if finish.stop == Stop::Complete => self.publish()?,
            _ => {}
        }
        Ok(())
    }
}

impl Publisher for SocioscopePublisher {
    fn panels(&self) -> Vec<Panel> {
        let evaluation = SocioscopeEvaluation::new(&self.fixture, self.results.clone());
        let (summary, improved) = self.summaries(&evaluation);
        let groups = panels::groups(&summary, improved.as_ref());
        // What is to be hidden stands in quotations; the means have none.
        let quotations = || panels::quotations(&self.fixture, &evaluation, &self.transcripts);
        [groups].into_iter().chain((!self.publish.redact).then(quotations).flatten()).collect()
    }

    fn written_files(&self) -> Vec<PathBuf> {
        self.written.clone()
    }
}
