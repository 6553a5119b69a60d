//! [`Rag`]: the benchmark as a value that the runner drives.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use probare_core::{
    Benchmark, BenchmarkCall, BenchmarkError, CaseSource, Console, InputFile, Job, MemorySource, MetricRequest,
    Profile, ReadSettings,
};
use probare_formats::{CaseFormat, CaseReader, FieldMap, LARGEST_DOCUMENT, ReadOptions, read_whole};
use probare_metrics::rag::hallucination::Hallucination;
use probare_metrics::rag::verdict::{Thresholds, Verdict, VerdictStatus};
use probare_report::Compression;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::command::CommandOptions;
use crate::report_name::json_name;

use super::policy::ReportForm;
use super::publisher::{RagPublisher, RagReportState};
use super::{ExchangeEvaluator, read};

/// Responses against the query and the passages they were based on.
pub struct Rag;

/// What can be said on the command line.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Options {
    /// Conversation, a JSON file
    #[arg(long, value_name = "FILE")]
    conv: Option<PathBuf>,
    /// Passages, a JSON file
    #[arg(long, value_name = "FILE")]
    ctx: Option<PathBuf>,
    /// Cases with query, response and context in place of the two files; writes one JSON object per line
    #[arg(long, value_name = "FILE")]
    cases: Option<String>,
    /// File for the report, which is JSON; standard output without it, or with `-`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Which profile.
    #[arg(skip)]
    profile: Profile,
    /// Weights of numbers, dates and claims; 1,1,0.5 is what the published code used
    #[arg(long, value_name = "N,N,N")]
    anchor_weights: Option<String>,
    /// Test claims by the distance of subject and object in characters; 300 is what the published code did
    #[arg(long, value_name = "CHARACTERS")]
    claim_window: Option<usize>,
    /// Limit of the verdict, for example `relevance_fail=0.1` (repeatable); `probare explain verdict` lists them
    #[arg(long, value_name = "NAME=NUMBER")]
    threshold: Vec<String>,
    /// Start from the limits of the first published version
    #[arg(long)]
    first_version: bool,
    /// End with exit code 2 when a verdict is this bad: fail, or warn
    #[arg(long, value_enum, value_name = "STATUS")]
    gate: Option<VerdictGate>,
    /// Column for a field, for example `response=model_output` (repeatable)
    #[arg(long, value_name = "FIELD=COLUMN")]
    map: Vec<String>,
    /// Format of the cases where the name does not tell: jsonl, json, csv, tsv or parquet
    #[arg(long)]
    format: Option<String>,
    /// Report and skip rows larger than this many MiB
    #[serde(rename = "max_row_size", alias = "longest_row")]
    #[arg(id = "max_row_size", long = "max-row-size", value_name = "MIB", default_value_t = Options::default().longest_row)]
    longest_row: usize,
}

/// Verdicts that miss a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VerdictGate {
    /// FAIL only
    Fail,
    /// WARN and FAIL
    Warn,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            conv: None,
            ctx: None,
            cases: None,
            out: None,
            profile: Profile::Published,
            anchor_weights: None,
            claim_window: None,
            threshold: Vec::new(),
            first_version: false,
            gate: None,
            map: Vec::new(),
            format: None,
            longest_row: 64,
        }
    }
}

impl CommandOptions for Rag {
    type Options = Options;

    const PROFILES: &'static str =
        "Which definition of hallucination: published (the published rules, the default) or improved";

    const TAKES: &'static [&'static str] = &[];
}

impl Benchmark for Rag {
    fn id(&self) -> &'static str {
        "rag"
    }

    fn command(&self) -> &'static [&'static str] {
        &["rag", "eval"]
    }

    fn about(&self) -> &'static str {
        "Evaluate responses against the query and the passages they were based on\n\n\
         Relevance, completeness, hallucination, cost and a verdict for one conversation, or for every row of a file. A \
         conversation has `query` (or `user_message`) and `response` (or `assistant_message`), or it is a chat log with \
         `conversation_turns`. Passages are a list under `context`, `chunks` or `data.vector_data`. The time that counts \
         is `metadata.latency_ms` of a case."
    }

    fn example(&self, options: &Map<String, Json>) -> Map<String, Json> {
        if ["cases", "conv", "ctx"].iter().any(|name| options.contains_key(*name)) {
            return Map::new();
        }
        Map::from_iter([("cases".to_owned(), json!("bundled:rag/cases.jsonl"))])
    }

    fn open(&self, given: Json, console: Console) -> Result<Job, BenchmarkError> {
        let options = Options::deserialize(&given).map_err(|error| BenchmarkError::usage(error.to_string()))?;
        let out = options.out()?;
        let (requests, verdict) = options.requests()?;
        let judging = ExchangeEvaluator::new(verdict).map_err(|error| BenchmarkError::usage(error.to_string()))?;
        let OpenCases { name, source, reads, reading, form } = options.source()?;
        let mut job = Job::new(name, source, requests);
        job.benchmark = Some(BenchmarkCall { id: self.id().to_owned(), options: given });
        job.reads = reads;
        job.reading = reading;
        job.rules = Arc::new(judging.with_form(form));
        job.writes = out.iter().map(|(path, _)| path.clone()).collect();
        let gate = options.gate.map(|gate| match gate {
            VerdictGate::Fail => VerdictStatus::Fail,
            VerdictGate::Warn => VerdictStatus::Warn,
        });
        job.publisher = Some(Box::new(RagPublisher { out, form, gate, console, state: RagReportState::default() }));
        Ok(job)
    }
}

/// Cases that are ready to be read.
struct OpenCases {
    name: String,
    source: Box<dyn CaseSource>,
    reads: Vec<PathBuf>,
    reading: ReadSettings,
    form: ReportForm,
}

impl Options {
    /// Where the published report goes.
    fn out(&self) -> Result<Option<(PathBuf, Compression)>, BenchmarkError> {
        // A dash is standard output, as everywhere.
        let Some(path) = self.out.as_ref().filter(|path| *path != Path::new("-")) else { return Ok(None) };
        Ok(Some((path.clone(), json_name(path)?)))
    }

    fn source(&self) -> Result<OpenCases, BenchmarkError> {
        match (&self.cases, &self.conv, &self.ctx) {
            (Some(_), Some(_), _) | (Some(_), _, Some(_)) => {
                Err(BenchmarkError::usage("--cases takes the place of --conv and --ctx; they cannot be used together"))
            }
            (Some(cases), None, None) => self.rows(cases),
            (None, Some(conversation), Some(context)) => single(conversation, context),
            (None, Some(_), None) => Err(BenchmarkError::usage("--conv needs --ctx, the passages")),
            (None, None, Some(_)) => Err(BenchmarkError::usage("--ctx needs --conv, the conversation")),
            (None, None, None) => Err(BenchmarkError::usage("there is nothing to evaluate")
                .hint("name two files with --conv and --ctx, or a file of cases with --cases")),
        }
    }

    fn rows(&self, path: &str) -> Result<OpenCases, BenchmarkError> {
        let format: Option<CaseFormat> =
            self.format.as_deref().map(str::parse).transpose().map_err(BenchmarkError::usage)?;
        let fields = FieldMap::parse(&self.map).map_err(|error| BenchmarkError::usage(error.to_string()))?;
        let longest_row = self.longest_row.saturating_mul(1024 * 1024);
        let read_options = ReadOptions { fields, format, longest_row, ..ReadOptions::default() };
        let rows = CaseReader::open(path, &read_options)
            .map_err(|error| BenchmarkError::from_error(&error))?
            .named_by("/cases");
        Ok(OpenCases {
            name: path.to_owned(),
            source: Box::new(rows),
            reads: vec![PathBuf::from(path)],
            reading: read_options.recorded(),
            form: ReportForm::Line,
        })
    }

    /// The metrics as they are asked for, and the verdict among them.
    fn requests(&self) -> Result<(Vec<MetricRequest>, Verdict), BenchmarkError> {
        let mut hallucination =
            Hallucination { profile: self.profile, claim_window: self.claim_window, ..Hallucination::default() };
        let mut given = Map::new();
        if let Some(weights) = &self.anchor_weights {
            hallucination.anchor_weights = numbers(weights)?;
            given.insert("anchor_weights".to_owned(), json!(hallucination.anchor_weights));
        }
        if let Some(window) = self.claim_window {
            given.insert("claim_window".to_owned(), json!(window));
        }
        let thresholds = self.thresholds()?;
        let mut of_verdict = Map::new();
        if thresholds != Thresholds::default() {
            of_verdict.insert("thresholds".to_owned(), json!(thresholds));
        }
        if !given.is_empty() {
            of_verdict.insert("hallucination".to_owned(), Json::Object(given.clone()));
        }
        let request = |id: &str, options: Map<String, Json>| MetricRequest {
            options: if options.is_empty() { Json::Null } else { Json::Object(options) },
            profile: Some(self.profile),
            ..MetricRequest::plain(id)
        };
        let requests = vec![
            request("relevance", Map::new()),
            request("completeness", Map::new()),
            request("hallucination", given),
            request("verdict", of_verdict),
        ];
        Ok((requests, Verdict { profile: self.profile, thresholds, hallucination }))
    }

    fn thresholds(&self) -> Result<Thresholds, BenchmarkError> {
        let mut thresholds = if self.first_version { Thresholds::first_version() } else { Thresholds::default() };
        for given in &self.threshold {
            let number = given.split_once('=').and_then(|(name, number)| {
                Some((name.trim(), number.trim().parse::<f64>().ok().filter(|number| number.is_finite())?))
            });
            let (name, number) = number
                .ok_or_else(|| BenchmarkError::usage(format!("`{given}` is not a threshold; write NAME=NUMBER")))?;
            let place = thresholds.get_mut(name).ok_or_else(|| {
                BenchmarkError::usage(format!("there is no threshold `{name}`"))
                    .hint(format!("known are {}", Thresholds::NAMES.join(", ")))
            })?;
            *place = number;
        }
        Ok(thresholds)
    }
}

/// Three numbers with commas between them.
fn numbers(text: &str) -> Result<[f64; 3], BenchmarkError> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse::<f64>()).collect();
    numbers.ok().and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| {
        BenchmarkError::usage(format!("--anchor-weights is `{text}`; three numbers are expected, as in 1,1,0.5"))
    })
}

/// The case of a conversation and the passages for it.
fn single(conversation: &Path, context: &Path) -> Result<OpenCases, BenchmarkError> {
    let names = (conversation.display().to_string(), context.display().to_string());
    let (question, conversation_input) =
        document(&names.0, "conv", "--conv names a JSON file with the question and the answer")?;
    let (passages, context_input) =
        document(&names.1, "ctx", "--ctx names a JSON file with the passages that the answer rests on")?;
    let exchange = read::exchange((&names.0, &question), (&names.1, &passages))
        .map_err(|error| BenchmarkError::from_error(&error))?;
    let source = MemorySource::new(vec![exchange.into_case(&names.0)], vec![conversation_input, context_input]);
    Ok(OpenCases {
        name: names.0,
        source: Box::new(source),
        reads: vec![conversation.to_owned(), context.to_owned()],
        reading: ReadSettings::default(),
        form: ReportForm::Single,
    })
}

/// The text of a file that an option names.
fn document(name: &str, option: &str, hint: &str) -> Result<(String, InputFile), BenchmarkError> {
    let (bytes, input) =
        read_whole(name, LARGEST_DOCUMENT).map_err(|error| BenchmarkError::from_error(&error).hint(hint))?;
    let text = String::from_utf8(bytes).map_err(|_| BenchmarkError::data(format!("`{name}` is not valid UTF-8")))?;
    Ok((text, InputFile { option: Some(format!("/{option}")), ..input }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_three_numbers() {
        assert_eq!(numbers("1, 1,0.5"), Ok([1.0, 1.0, 0.5]));
        assert!(numbers("1,1").is_err() && numbers("1,1,x").is_err() && numbers("1,1,1,1").is_err());
    }

    #[test]
    fn thresholds_are_named_numbers() {
        let with = |text: &str| Options { threshold: vec![text.into()], ..Options::default() }.thresholds();
        assert_eq!(with("relevance_fail=0.1").unwrap().relevance_fail, 0.1);
        assert!(with("relevance_fail").is_err() && with("cost_warn_usd=nan").is_err() && with("x=1").is_err());
    }

    #[test]
    fn a_name_that_promises_another_format_is_refused() {
        let out = |name: &str| Options { out: Some(name.into()), ..Options::default() }.out();
        assert!(out("x.html").is_err() && out("x.csv").is_err());
        assert_eq!(out("-"), Ok(None), "standard output");
        assert!(out("x.json").is_ok() && out("x.jsonl").is_ok() && out("x.txt").is_ok() && out("x").is_ok());
    }
}
