//! [`ImportFormat`]: the formats of other tools, what is lost of each, and why a file cannot be imported.

use std::fmt;
use std::str::FromStr;

use crate::CaseFileError;

/// A format of another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFormat {
    /// Results of promptfoo, as JSON, JSON lines or a table.
    Promptfoo,
    /// Logs of Inspect, `.eval` or `.json`.
    Inspect,
    /// `samples_*.jsonl` of lm-eval.
    LmEval,
    /// Records of a run, or samples, of OpenAI evals.
    OpenaiEvals,
    /// Evals, runs, output items and data sources of the hosted Evals of OpenAI.
    OpenaiPlatform,
    /// Test runs and data sets of DeepEval.
    Deepeval,
    /// Data sets and results of Ragas.
    Ragas,
    /// Examples, runs and experiments of LangSmith.
    Langsmith,
    /// Items, traces and generations of Langfuse.
    Langfuse,
    /// Instance records of Every Eval Ever.
    Eee,
    /// Conversations: lists of `messages`.
    Chat,
    /// Traces of OpenTelemetry, as OTLP/JSON.
    Otlp,
}

impl ImportFormat {
    /// All formats.
    pub const ALL: [Self; 12] = [
        Self::Promptfoo,
        Self::Inspect,
        Self::LmEval,
        Self::OpenaiEvals,
        Self::OpenaiPlatform,
        Self::Deepeval,
        Self::Ragas,
        Self::Langsmith,
        Self::Langfuse,
        Self::Eee,
        Self::Chat,
        Self::Otlp,
    ];

    /// The name on the command line and in imported cases.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Promptfoo => "promptfoo",
            Self::Inspect => "inspect",
            Self::LmEval => "lm-eval",
            Self::OpenaiEvals => "openai-evals",
            Self::OpenaiPlatform => "openai-platform",
            Self::Deepeval => "deepeval",
            Self::Ragas => "ragas",
            Self::Langsmith => "langsmith",
            Self::Langfuse => "langfuse",
            Self::Eee => "every-eval-ever",
            Self::Chat => "chat",
            Self::Otlp => "otlp",
        }
    }

    /// What of such a file has no place in cases of ours, one by one.
    pub const fn losses(self) -> &'static [&'static str] {
        match self {
            Self::Promptfoo => &[
                "configuration, prompts as templates, traces, transforms, details of red-teaming, weights of assertions",
                "of a table: assertions, digits of scores beyond the second, the message of an error",
            ],
            Self::Inspect => &[
                "events, store, plan, reductions and aggregates, tool definitions, thoughts of a model",
                "attachments other than whole texts; pictures and sounds",
            ],
            Self::LmEval => &[
                "results of the whole set, other replies than the first, settings of the model and the task (another file)",
            ],
            Self::OpenaiEvals => &["the final report, times"],
            Self::OpenaiPlatform => &[
                "times, ids of graders, `per_model_usage`, counts of results (computed again), the address of the report",
                "steps of reasoning of model graders (`results[].sample`), pictures and sounds",
                "of a run: tools and response formats, filters of stored completions and responses",
            ],
            Self::Deepeval => {
                &["traces, spans, prompts, thresholds, aggregates, pictures; the SQLite store is not read"]
            }
            Self::Ragas => &["which metric had which settings; rubrics are kept in the metadata"],
            Self::Langsmith => &[
                "runs inside of other runs, events, times, attachments, who gave feedback; statistics keep the mean alone",
            ],
            Self::Langfuse => &[
                "observations inside of others, times, prompts, costs of steps; words of categorical scores have no value",
            ],
            Self::Eee | Self::Chat => &[],
            Self::Otlp => &["what the notes count; --verbose lists it"],
        }
    }

    /// What such a file looks like.
    const fn description(self) -> &'static str {
        match self {
            Self::Promptfoo => {
                "an object with `results.version` and `results.results`, lines with `testCase`, or a table with columns \
                 `[provider] prompt`"
            }
            Self::Inspect => "a zip archive with `header.json`, or an object with `eval` and `samples`",
            Self::LmEval => "lines with `doc_id` and `resps`",
            Self::OpenaiEvals => "lines with `spec`, with `sample_id` and `type`, or with `input` and `ideal`",
            Self::OpenaiPlatform => {
                "objects `eval`, `eval.run` or `eval.run.output_item`, lines with `item`, or with `data_source_idx` and `grades`"
            }
            Self::Deepeval => {
                "an object with `testCases` and `testPassed`, or goldens with `input` and `expected_output`"
            }
            Self::Ragas => "objects with `user_input` and `reference`, `response` or `retrieved_contexts`",
            Self::Langsmith => "objects with `inputs` and `outputs`",
            Self::Langfuse => {
                "items with `expectedOutput` and `datasetId`, traces or observations with `input` and `output`"
            }
            Self::Eee => "lines with `schema_version`, `sample_id` and `interaction_type`",
            Self::Chat => "objects with `messages`",
            Self::Otlp => "objects with `resourceSpans` or `resourceLogs`",
        }
    }
}

impl fmt::Display for ImportFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for ImportFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| format!("unknown format `{name}`; known are {}", known()))
    }
}

/// A file of another tool cannot be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// It cannot be read at all.
    #[error(transparent)]
    Open(#[from] CaseFileError),
    /// It is of none of the formats.
    #[error("the format of `{file}` is not known: {seen}")]
    Unknown { file: String, seen: String },
    /// It is not what its format says.
    #[error("`{file}` is not a valid {format} file: {place}{reason}")]
    Broken {
        file: String,
        /// The format it was taken for.
        format: &'static str,
        /// Where, with what stands between it and the reason.
        place: String,
        reason: String,
    },
    /// It is what its format says, and there is nothing in it that could be scored.
    #[error("`{file}` was read, but it holds no samples: {reason}")]
    NoSamples {
        file: String,
        /// What is in it instead.
        reason: String,
    },
}

impl ImportError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { .. } => {
                let mut hint = "known are".to_owned();
                for format in ImportFormat::ALL {
                    hint.push_str(&format!("\n  {format}: {}", format.description()));
                }
                hint.push_str("\na file of rows needs no import: `probare score` reads it");
                Some(hint)
            }
            _ => None,
        }
    }
}
