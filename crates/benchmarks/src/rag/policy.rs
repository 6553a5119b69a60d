//! [`ExchangeEvaluator`]: what the published report shows of a case.

use probare_core::{BenchmarkData, BuildError, CasePolicy, MetricResult, Sample, ScoreError};
use probare_metrics::rag::verdict::{Verdict, VerdictStatus};
use serde_json::{Map, Value as Json, json};

use super::report;

/// How exchanges are judged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExchangeEvaluator {
    verdict: Verdict,
    form: ReportForm,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ReportForm {
    /// An object on many lines.
    #[default]
    Single,
    /// A line with its id.
    Line,
}

/// The report of a case, written where the case was scored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CaseReport {
    /// It could be judged.
    Judged {
        /// The report.
        text: String,
        /// The word.
        status: VerdictStatus,
        /// Why.
        reasons: Vec<String>,
    },
    /// It could not; the line says why.
    Failed {
        /// The line.
        text: String,
    },
}

impl ExchangeEvaluator {
    /// Judges as these options say, if the numbers in them make sense.
    pub fn new(verdict: Verdict) -> Result<Self, BuildError> {
        Ok(Self { verdict: verdict.validate()?, form: ReportForm::Single })
    }

    pub(super) const fn with_form(mut self, form: ReportForm) -> Self {
        self.form = form;
        self
    }

    /// The report of a sample.
    pub fn report(&self, sample: Sample<'_>) -> Result<Json, ScoreError> {
        Ok(report::json(&self.verdict.judge_sample(sample)?, sample.context()?, self.verdict.profile))
    }

    /// The report of a sample whose evaluation is timed: `elapsed_ms` is asked once all is found out, and the time counts in
    /// the verdict, as the published service has it.
    pub fn timed_report(&self, sample: Sample<'_>, elapsed_ms: impl FnOnce() -> f64) -> Result<Json, ScoreError> {
        let judged = self.verdict.judge_sample(sample)?.with_latency(elapsed_ms(), &self.verdict.thresholds);
        Ok(report::json(&judged, sample.context()?, self.verdict.profile))
    }

    fn case_report(&self, sample: Sample<'_>) -> Result<CaseReport, ScoreError> {
        let judged = self.verdict.judge_sample(sample)?;
        let report = report::json(&judged, sample.context()?, self.verdict.profile);
        let text = match self.form {
            ReportForm::Single => format!("{report:#}\n"),
            ReportForm::Line => {
                let mut line = Map::new();
                line.insert("id".to_owned(), json!(sample.case.id));
                if let Json::Object(report) = report {
                    line.extend(report);
                }
                format!("{}\n", Json::Object(line))
            }
        };
        Ok(CaseReport::Judged { text, status: judged.judgement.status, reasons: judged.judgement.reasons })
    }
}

impl CasePolicy for ExchangeEvaluator {
    fn benchmark_data(&self, sample: Sample<'_>, results: &[MetricResult]) -> Option<BenchmarkData> {
        // A metric that broke down says so; whatever else is missing is said by whoever misses it first.
        let broken = results.iter().find_map(|result| result.as_ref().err());
        let written = match broken {
            Some(error) => Err(error.clone()),
            None => self.case_report(sample),
        };
        Some(BenchmarkData::new(written.unwrap_or_else(|error| {
            let line = json!({"id": sample.case.id, "error": error.to_string()});
            CaseReport::Failed { text: format!("{line}\n") }
        })))
    }
}
