//! Files that other tools read: an Inspect log, promptfoo results, an Every Eval Ever record, scores for traces. Each is a
//! [`Sink`].
//!
//! What a format has no place for is left out, and what it asks for and is not known is said to be unknown: nothing is made
//! up. A metric that failed has no score in any of them. `docs/exchange.md` has the table of what is lost.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use probare_core::{CaseResult, ModelRecord, Sink};

use probare_report::OutputWriter;

use super::{every_eval_ever, inspect, otlp, promptfoo};

/// A tool that can read a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportTarget {
    /// Inspect: a log as JSON.
    Inspect,
    /// promptfoo: results as JSON.
    Promptfoo,
    /// Every Eval Ever: one record of means.
    EveryEvalEver,
    /// Every Eval Ever: a record a sample, with its conversation and the value of one metric.
    EveryEvalEverInstances,
    /// OpenTelemetry: scores as log records of OTLP/JSON.
    Otel,
    /// OpenInference: scores as annotations, one a line.
    OpenInference,
}

impl ExportTarget {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Inspect,
        Self::Promptfoo,
        Self::EveryEvalEver,
        Self::EveryEvalEverInstances,
        Self::Otel,
        Self::OpenInference,
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inspect => "inspect",
            Self::Promptfoo => "promptfoo",
            Self::EveryEvalEver => "every-eval-ever",
            Self::EveryEvalEverInstances => "every-eval-ever-instances",
            Self::Otel => "otel",
            Self::OpenInference => "openinference",
        }
    }

    /// Whether one file can hold the outputs of several models.
    pub const fn holds_several_models(self) -> bool {
        !matches!(self, Self::Inspect | Self::EveryEvalEver)
    }

    /// The extension of its files.
    pub const fn extension(self) -> &'static str {
        if self.is_of_traces() || self.is_of_one_metric() { ".jsonl" } else { ".json" }
    }

    /// Whether it has a place for one metric alone.
    pub const fn is_of_one_metric(self) -> bool {
        matches!(self, Self::EveryEvalEverInstances)
    }

    /// Whether it holds nothing but scores of cases that come from a trace.
    pub const fn is_of_traces(self) -> bool {
        matches!(self, Self::Otel | Self::OpenInference)
    }

    /// Takes the events of a run and writes the file at its end. Results of other models than the one that `about` names
    /// are passed over.
    pub fn sink(self, output: OutputWriter, about: ExportMetadata) -> Box<dyn Sink> {
        match self {
            Self::Inspect => Box::new(inspect::write::Inspect::new(output, about)),
            Self::Promptfoo => Box::new(promptfoo::write::Promptfoo::new(output, about)),
            Self::EveryEvalEver => Box::new(every_eval_ever::write::EveryEvalEver::new(output, about)),
            Self::EveryEvalEverInstances => Box::new(every_eval_ever::write_instances::Instances::new(output, about)),
            Self::Otel => Box::new(otlp::write::Otel::new(output, about, otlp::write::ScoreConvention::OpenTelemetry)),
            Self::OpenInference => {
                Box::new(otlp::write::Otel::new(output, about, otlp::write::ScoreConvention::OpenInference))
            }
        }
    }
}

impl fmt::Display for ExportTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for ExportTarget {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|target| target.name() == name)
            .ok_or_else(|| format!("unknown tool `{name}`; known are {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// What the other tool wants to know of a run beside its results.
#[derive(Debug, Clone, Default)]
pub struct ExportMetadata {
    /// What the run is called: its configuration, its benchmark, or the file of results.
    pub name: String,
    /// What tells this run from others: a digest.
    pub id: String,
    /// The only model whose results are wanted; all where there is none.
    pub model: Option<String>,
    /// The only prompt whose results are wanted; all where there is none.
    pub prompt: Option<String>,
    /// Settings of the models that answered, where they are known.
    pub models: Vec<ModelRecord>,
    /// Data sets in order.
    pub datasets: Vec<DatasetUsed>,
    /// Outputs of each model for each case.
    pub repeats: u32,
    /// When the run was made, in seconds since 1970.
    pub made: u64,
    /// Who evaluated, where that was said.
    pub organisation: Option<String>,
    /// Names of the metrics that look at what was done, not at what was said.
    pub agent_metrics: BTreeSet<String>,
    /// Whether what does not apply is written as well.
    pub all: bool,
    /// The metric that was asked for, where the file has a place for one alone.
    pub metric: Option<String>,
}

/// A data set of a run.
#[derive(Debug, Clone, Default)]
pub struct DatasetUsed {
    pub name: String,
    /// SHA-256 of its file.
    pub sha256: String,
}

impl ExportMetadata {
    /// Whether results of this model are wanted.
    pub fn wants(&self, result: &CaseResult) -> bool {
        let is_wanted = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
        is_wanted(&self.model, &result.model) && is_wanted(&self.prompt, &result.prompt)
    }

    /// The name of the model, or of what stands for one.
    pub(super) fn model_name(&self) -> String {
        self.model.clone().unwrap_or_else(|| "recorded".to_owned())
    }

    /// The settings of a model.
    pub(super) fn settings(&self, name: &str) -> Option<&ModelRecord> {
        self.models.iter().find(|model| model.name == name)
    }

    /// The model as the makers of models are named: `openai/gpt-5`. Recorded replies stand for a model under its name in
    /// the run: their file is no model.
    pub(super) fn model_path(&self, name: &str) -> String {
        match self.settings(name) {
            Some(model) if model.provider == "replay" => format!("replay/{name}"),
            Some(model) => format!("{}/{}", model.provider, model.model),
            None => name.to_owned(),
        }
    }
}
