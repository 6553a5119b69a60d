//! [`Synthesis`]: the benchmark as a value that the runner drives.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use probare_cases::{LARGEST_DOCUMENT, read_whole};
use probare_core::{BenchmarkCall, BenchmarkError, CaseLimit, Console, InputFile, Job, MetricRequest, Profile, Suite};
use probare_metrics::care::Lexicon;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::command::{CommandOptions, parse_integer};
use crate::report_name::json_name;

use super::lines::LineSource;
use super::publisher::{SynthesisPublisher, SynthesisReportState, matches_beside};
use super::{CarePolicy, CaseSchema, Check};

/// The schema that is looked for where none is named; the built-in one is used where it is absent.
const DEFAULT_SCHEMA: &str = "schemas/eval_case.schema.json";

/// The exchanges that are read and the report that is written where nothing else is named, as in the original.
const DEFAULT_CASES: &str = "data/evals.jsonl";
const DEFAULT_REPORT: &str = "out/report.json";

/// Further reports by name, with their extensions.
const FORMATS: [(&str, &str); 8] = [
    ("junit", "xml"),
    ("html", "html"),
    ("markdown", "md"),
    ("csv", "csv"),
    ("jsonl", "jsonl"),
    ("parquet", "parquet"),
    ("xml", "xml"),
    ("md", "md"),
];

/// Empathy, trust and care in replies.
pub struct Synthesis;

/// What can be said on the command line.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Options {
    /// Exchanges to check
    #[arg(long, value_name = "FILE", default_value = DEFAULT_CASES)]
    cases: PathBuf,
    /// JSON Schema of the exchanges; the built-in one where the default file is absent
    #[arg(long, value_name = "FILE", default_value = DEFAULT_SCHEMA)]
    schema: PathBuf,
    /// JSON report; folders are made if needed
    #[arg(long, value_name = "FILE", default_value = DEFAULT_REPORT)]
    out: PathBuf,
    /// Unexpected failures that are allowed
    #[arg(long, value_name = "N", value_parser = parse_integer, default_value_t = 0)]
    fail_on: i64,
    /// Which profile.
    #[arg(skip)]
    profile: Profile,
    /// Families of phrases to add to the built-in ones, or to use in their place (YAML or JSON)
    #[arg(long, value_name = "FILE")]
    lexicon: Option<PathBuf>,
    /// Further report beside --out: junit, html, markdown, csv, jsonl or parquet (repeatable)
    #[arg(long, env = "PROBARE_REPORT_FORMAT")]
    format: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cases: PathBuf::from(DEFAULT_CASES),
            schema: PathBuf::from(DEFAULT_SCHEMA),
            out: PathBuf::from(DEFAULT_REPORT),
            fail_on: 0,
            profile: Profile::Reference,
            lexicon: None,
            format: Vec::new(),
        }
    }
}

impl CommandOptions for Synthesis {
    type Options = Options;

    const PROFILES: &'static str = "Which reading: reference (the published phrases, the default) or careful (ours, by the structure of sentences)";

    const TAKES: &'static [&'static str] = &["json", "color"];
}

impl Suite for Synthesis {
    fn id(&self) -> &'static str {
        "synthesis"
    }

    fn verb(&self) -> &'static [&'static str] {
        &["synthesis"]
    }

    fn about(&self) -> &'static str {
        "Check empathy, trust and care in replies, with the evidence\n\n\
         Reads exchanges (one JSON object a line: id, user, assistant, checks, and optionally expected, tags, notes), \
         writes a JSON report and prints a summary. Ends with 2 when more cases fail unexpectedly than --fail-on allows. \
         Cases tagged `negative_example`, or with a tag that ends in -fail, are meant to fail."
    }

    fn example(&self, options: &Map<String, Json>) -> Map<String, Json> {
        if options.contains_key("cases") || Options::default().cases.exists() {
            return Map::new();
        }
        Map::from_iter([("cases".to_owned(), json!("bundled:synthesis/cases.jsonl"))])
    }

    fn open(&self, given: Json, console: Console) -> Result<Job, BenchmarkError> {
        let options = Options::deserialize(&given).map_err(|error| BenchmarkError::usage(error.to_string()))?;
        let outputs = options.further_reports()?;
        let mut job_inputs = Vec::new();
        let (schema_name, schema) = options.schema(&mut job_inputs)?;
        let (lexicon, lexicon_option) = options.lexicon(&mut job_inputs)?;
        let name = options.cases.display().to_string();
        let (content, input) = read_whole(&name, LARGEST_DOCUMENT).map_err(|error| {
            let BenchmarkError { message, .. } = BenchmarkError::from_error(&error);
            BenchmarkError::data(format!("Failed to load cases: {message}"))
                .hint("--cases names a file of exchanges, one JSON object a line")
        })?;
        let input = InputFile { option: Some("/cases".to_owned()), ..input };

        let requests = Check::ALL.map(|check| MetricRequest {
            options: lexicon_option.clone(),
            profile: Some(options.profile),
            ..MetricRequest::plain(check.name())
        });
        let lines = LineSource::new(&name, content, Arc::new(schema), input);
        let mut job = Job::new(&name, Box::new(lines), requests.to_vec());
        job.title = Some("Synthesis: care in replies".to_owned());
        job.suite = Some(BenchmarkCall { id: self.id().to_owned(), options: given });
        job.reads = std::iter::once(name.clone())
            .chain(job_inputs.iter().map(|input| input.path.clone()))
            .map(PathBuf::from)
            .collect();
        job.inputs = job_inputs;
        job.rules = Arc::new(CarePolicy { profile: options.profile, lexicon });
        // In test results a violation is a failure, unless it is expected.
        job.case_limits = Check::ALL.map(|check| CaseLimit { metric: check.name().to_owned(), least: 1.0 }).to_vec();
        job.writes = vec![options.out.clone(), matches_beside(&options.out)];
        job.outputs = outputs;
        job.publisher = Some(Box::new(SynthesisPublisher {
            cases: name,
            schema: schema_name,
            out: options.out,
            fail_on: options.fail_on,
            wants_artifact: env::var("MCP_OUTPUT").is_ok_and(|value| value == "json"),
            console,
            state: SynthesisReportState::default(),
        }));
        Ok(job)
    }
}

impl Options {
    fn further_reports(&self) -> Result<Vec<PathBuf>, BenchmarkError> {
        json_name(&self.out)?;
        let extension = |name: &String| {
            let known = FORMATS.iter().find(|(known, _)| known == name);
            known.map(|(_, extension)| self.out.with_extension(extension)).ok_or_else(|| {
                BenchmarkError::usage(format!("there is no report format `{name}`"))
                    .hint("known formats are junit, html, markdown, csv, jsonl and parquet")
            })
        };
        self.format.iter().map(extension).collect()
    }

    /// The schema with its name: the file, or the built-in one where the default file is absent.
    fn schema(&self, inputs: &mut Vec<InputFile>) -> Result<(String, CaseSchema), BenchmarkError> {
        if self.schema == Path::new(DEFAULT_SCHEMA) && !self.schema.exists() {
            return Ok(("built in".to_owned(), CaseSchema::bundled()));
        }
        let (name, text) = read_text(&self.schema, "schema", inputs)?;
        let schema = CaseSchema::read(&text).map_err(|error| BenchmarkError::data(format!("`{name}`: {error}")))?;
        Ok((name, schema))
    }

    /// The lexicon, and the options of the metrics that ask for it.
    fn lexicon(&self, inputs: &mut Vec<InputFile>) -> Result<(Arc<Lexicon>, Json), BenchmarkError> {
        let Some(path) = &self.lexicon else { return Ok((Lexicon::bundled(), Json::Null)) };
        let (name, text) = read_text(path, "lexicon", inputs)?;
        let lexicon = Lexicon::parse(&text).map_err(|error| {
            BenchmarkError::usage(format!("`{name}`: {error}"))
                .hint("`probare schema lexicon` prints the form of a lexicon")
        })?;
        Ok((Arc::new(lexicon), json!({ "lexicon": text })))
    }
}

/// The text of a file that an option names, and its name.
fn read_text(path: &Path, option: &str, inputs: &mut Vec<InputFile>) -> Result<(String, String), BenchmarkError> {
    let name = path.display().to_string();
    let (bytes, input) = read_whole(&name, LARGEST_DOCUMENT).map_err(|error| BenchmarkError::from_error(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| BenchmarkError::data(format!("`{name}` is not valid UTF-8")))?;
    inputs.push(InputFile { option: Some(format!("/{option}")), ..input });
    Ok((name, text))
}
