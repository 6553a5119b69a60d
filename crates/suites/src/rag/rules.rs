//! [`Judging`]: what the published report shows of a case.

use probare_core::{BuildError, Detail, Named, Rules, Sample, ScoreError};
use probare_metrics::rag::verdict::{Status, Verdict};
use serde_json::{Map, Value as Json, json};

use super::report;

/// How exchanges are judged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judging {
    verdict: Verdict,
    form: Form,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// An object on many lines.
    #[default]
    Single,
    /// A line with its id.
    Line,
}

/// The report of a case, written where the case was scored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Written {
    /// It could be judged.
    Judged {
        /// The report.
        text: String,
        /// The word.
        status: Status,
        /// Why.
        reasons: Vec<String>,
    },
    /// It could not; the line says why.
    Failed {
        /// The line.
        text: String,
    },
}

impl Judging {
    /// Judges as these options say, if the numbers in them make sense.
    pub fn new(verdict: Verdict) -> Result<Self, BuildError> {
        Ok(Self { verdict: verdict.checked()?, form: Form::Single })
    }

    pub(super) const fn written_as(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    /// The report of a sample.
    pub fn report(&self, sample: Sample<'_>) -> Result<Json, ScoreError> {
        Ok(report::json(&self.verdict.judged(sample)?, sample.context()?, self.verdict.profile))
    }

    /// The report of a sample whose evaluation is timed: `elapsed_ms` is asked once all is found out, and the time counts in
    /// the verdict, as the published service has it.
    pub fn timed_report(&self, sample: Sample<'_>, elapsed_ms: impl FnOnce() -> f64) -> Result<Json, ScoreError> {
        let judged = self.verdict.judged(sample)?.timed(elapsed_ms(), &self.verdict.thresholds);
        Ok(report::json(&judged, sample.context()?, self.verdict.profile))
    }

    fn written(&self, sample: Sample<'_>) -> Result<Written, ScoreError> {
        let judged = self.verdict.judged(sample)?;
        let report = report::json(&judged, sample.context()?, self.verdict.profile);
        let text = match self.form {
            Form::Single => format!("{report:#}\n"),
            Form::Line => {
                let mut line = Map::new();
                line.insert("id".to_owned(), json!(sample.case.id));
                if let Json::Object(report) = report {
                    line.extend(report);
                }
                format!("{}\n", Json::Object(line))
            }
        };
        Ok(Written::Judged { text, status: judged.judgement.status, reasons: judged.judgement.reasons })
    }
}

impl Rules for Judging {
    fn detail(&self, sample: Sample<'_>, results: &[Named]) -> Option<Detail> {
        // A metric that broke down says so; whatever else is missing is said by whoever misses it first.
        let broken = results.iter().find_map(|result| result.as_ref().err());
        let written = match broken {
            Some(error) => Err(error.clone()),
            None => self.written(sample),
        };
        Some(Detail::new(written.unwrap_or_else(|error| {
            let line = json!({"id": sample.case.id, "error": error.to_string()});
            Written::Failed { text: format!("{line}\n") }
        })))
    }
}
