//! [`Synthesis`]: the benchmark as a value that the runner drives.

use std::env;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use probare_core::{
    Benchmark, BenchmarkCall, BenchmarkError, BenchmarkStatus, CaseLimit, CaseSource, Console, InputFile, Job,
    MemorySource, MetricRequest, Profile, Publisher,
};
use probare_formats::{LARGEST_DOCUMENT, read_whole};
use probare_metrics::care::synthesis_1_3::Concreteness;
use probare_metrics::care::{Lexicon, Upstream};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::command::{CommandOptions, parse_integer, parse_word};
use crate::printing::remark;
use crate::report_name::json_name;

use super::lines::LineSource;
use super::publisher::{SynthesisPublisher, SynthesisReportState, matches_beside};
use super::v1_3::console::Look;
use super::v1_3::{self, PlantedPublisher, PlantedRow, ReportPublisher, ReportState, Streams, VerdictPolicy};
use super::{CarePolicy, CaseSchema, Check};

/// The schema that is looked for where none is named; the built-in one is used where it is absent.
const DEFAULT_SCHEMA: &str = "schemas/eval_case.schema.json";

/// The exchanges that are read and the report that is written where nothing else is named, as in the original.
const DEFAULT_CASES: &str = "data/evals.jsonl";
const DEFAULT_REPORT: &str = "out/report.json";
/// The pack of planted rows that the published program reads.
const DEFAULT_PLANTED: &str = "data/planted-theater.jsonl";

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
    /// Version of Synthesis to reproduce, 1.0 or 1.3; without it 1.0, or 1.3 where the cases name one of its newer checks
    #[arg(long, value_name = "VERSION", value_parser = parse_word::<Upstream>)]
    upstream: Option<Upstream>,
    /// Print claims and limits of every case (Synthesis 1.3)
    #[arg(long)]
    explain: bool,
    /// Invert the oracle: every row must be invalid or flagged (Synthesis 1.3; data/planted-theater.jsonl by default)
    #[arg(long)]
    planted: bool,
    /// Print without colours and symbols
    #[arg(long)]
    no_color: bool,
    /// Ratings of words for hollow warmth (Synthesis 1.3), JSON or CSV
    #[arg(long, value_name = "FILE")]
    concreteness: Option<PathBuf>,
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
            profile: Profile::Published,
            lexicon: None,
            upstream: None,
            explain: false,
            planted: false,
            no_color: false,
            concreteness: None,
            format: Vec::new(),
        }
    }
}

impl CommandOptions for Synthesis {
    type Options = Options;

    const PROFILES: &'static str = "Which definition: published (the published phrases, the default) or improved (ours, by the structure of sentences)";

    const TAKES: &'static [&'static str] = &["json", "color"];
}

impl Benchmark for Synthesis {
    fn id(&self) -> &'static str {
        "synthesis"
    }

    fn command(&self) -> &'static [&'static str] {
        &["synthesis"]
    }

    fn about(&self) -> &'static str {
        "Check empathy, trust and care in replies, with the evidence\n\n\
         Reads exchanges (one JSON object per line: id, user, assistant, checks, and optionally expected, tags, notes), \
         writes a JSON report and prints a summary. Ends with 2 when more cases fail unexpectedly than --fail-on allows. \
         Cases tagged `negative_example`, or with a tag that ends in -fail, are meant to fail."
    }

    fn example(&self, options: &Map<String, Json>) -> Map<String, Json> {
        if options.contains_key("cases") || options.contains_key("planted") || Options::default().cases.exists() {
            return Map::new();
        }
        Map::from_iter([("cases".to_owned(), json!("bundled:synthesis/cases.jsonl"))])
    }

    fn open(&self, given: Json, console: Console) -> Result<Job, BenchmarkError> {
        let options = Options::deserialize(&given).map_err(|error| BenchmarkError::usage(error.to_string()))?;
        let outputs = options.further_reports()?;
        let mut job_inputs = Vec::new();
        let name = options.cases_path(&given).display().to_string();
        let (content, input) = read_whole(&name, LARGEST_DOCUMENT).map_err(|error| {
            let BenchmarkError { message, .. } = BenchmarkError::from_error(&error);
            BenchmarkError::data(format!("Failed to load cases: {message}"))
                .hint("--cases names a file of exchanges, one JSON object per line")
        })?;
        let input = InputFile { option: Some("/cases".to_owned()), ..input };
        let upstream = options.upstream(&content)?;
        let console = Console { colour: console.colour && !options.no_color, ..console };
        let (schema_name, schema) = options.schema(upstream, &mut job_inputs)?;
        if upstream == Upstream::V1_3 {
            if options.upstream.is_none() && !console.quiet {
                remark(&format!("`{name}` is for Synthesis 1.3: its lists and rules are used (--upstream 1.3)"));
            }
            let opened = OpenedCases { name, content, input, schema_name, schema, inputs: job_inputs, outputs };
            return options.open_1_3(given, console, opened);
        }
        let (lexicon, lexicon_option) = options.lexicon(upstream, &mut job_inputs)?;

        let checks = Check::of_upstream(upstream);
        let requests = checks.iter().map(|check| MetricRequest {
            options: lexicon_option.clone(),
            profile: Some(options.profile),
            ..MetricRequest::plain(check.name())
        });
        let lines = LineSource::new(&name, content, Arc::new(schema), input);
        let mut job = Job::new(&name, Box::new(lines), requests.collect());
        job.title = Some("Synthesis: care in replies".to_owned());
        job.benchmark = Some(BenchmarkCall { id: self.id().to_owned(), options: given });
        job.reads = std::iter::once(name.clone())
            .chain(job_inputs.iter().map(|input| input.path.clone()))
            .map(PathBuf::from)
            .collect();
        job.inputs = job_inputs;
        job.rules = Arc::new(CarePolicy { profile: options.profile, lexicon });
        // In test results a violation is a failure, unless it is expected.
        job.case_limits = case_limits(checks);
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

    /// The cases: those that are named, or the file that the published program reads.
    fn cases_path(&self, given: &Json) -> PathBuf {
        let is_default = self.planted && given.get("cases").is_none();
        if is_default { PathBuf::from(DEFAULT_PLANTED) } else { self.cases.clone() }
    }

    /// The version that is reproduced: the one that is named, or the one that the cases and the other options need.
    fn upstream(&self, content: &[u8]) -> Result<Upstream, BenchmarkError> {
        let newer =
            [(self.explain, "--explain"), (self.planted, "--planted"), (self.concreteness.is_some(), "--concreteness")];
        let needed = newer.iter().find(|(is_given, _)| *is_given).map(|(_, flag)| *flag);
        let upstream = match (self.upstream, needed) {
            (Some(Upstream::V1_0), Some(flag)) => {
                return Err(BenchmarkError::usage(format!("{flag} exists in Synthesis 1.3 only"))
                    .hint("leave --upstream 1.0 out"));
            }
            (Some(upstream), _) => upstream,
            (None, Some(_)) => Upstream::V1_3,
            (None, None) if self.profile == Profile::Published && names_newer_check(content) => Upstream::V1_3,
            (None, None) => Upstream::V1_0,
        };
        if self.profile == Profile::Improved && (self.upstream.is_some() || needed.is_some()) {
            let text = "--upstream reproduces a version of Synthesis, which our own profile does not";
            return Err(BenchmarkError::usage(text).hint("leave --profile or --upstream out"));
        }
        if upstream == Upstream::V1_3 && self.fail_on < 0 {
            return Err(BenchmarkError::usage("--fail-on must be a non-negative integer"));
        }
        Ok(upstream)
    }

    /// The job by the rules of Synthesis 1.3.
    fn open_1_3(&self, given: Json, console: Console, opened: OpenedCases) -> Result<Job, BenchmarkError> {
        let OpenedCases { name, content, input, schema_name, schema, inputs: mut job_inputs, outputs } = opened;
        let (lexicon, lexicon_option) = self.lexicon(Upstream::V1_3, &mut job_inputs)?;
        let (ratings, ratings_option) = self.concreteness(&mut job_inputs)?;
        let options_of = |check: Check| {
            let mut options = Map::from_iter([("upstream".to_owned(), json!("1.3"))]);
            if let Json::Object(lexicon) = &lexicon_option {
                options.extend(lexicon.clone());
            }
            if check == Check::PerformativeEmpathy && !ratings_option.is_null() {
                options.insert("concreteness".to_owned(), ratings_option.clone());
            }
            Json::Object(options)
        };
        let checks = Check::of_upstream(Upstream::V1_3);
        let requests = checks.iter().map(|check| MetricRequest {
            options: options_of(*check),
            profile: Some(self.profile),
            ..MetricRequest::plain(check.name())
        });
        let look = |is_terminal| Look::from_environment(is_terminal, self.no_color);
        let streams = Streams {
            wants_json: env::var("MCP_OUTPUT").is_ok_and(|value| value.eq_ignore_ascii_case("json")),
            console,
            look: look(console.colour),
            error_look: look(io::stderr().is_terminal()),
        };
        let text = String::from_utf8_lossy(&content).into_owned();
        let (source, publisher): (Box<dyn CaseSource>, Box<dyn Publisher>) = if self.planted {
            let rows = v1_3::rows(&text, &schema);
            let cases = rows.iter().filter_map(|row| match row {
                PlantedRow::Theatre(_, case) => Some((**case).clone()),
                _ => None,
            });
            let source = MemorySource::new(cases.collect(), vec![input]);
            let (cases, schema, verdicts) = (name.clone(), schema_name, Vec::new());
            let ending = BenchmarkStatus::default();
            (Box::new(source), Box::new(PlantedPublisher { cases, schema, rows, streams, verdicts, ending }))
        } else {
            let source = LineSource::new(&name, content, Arc::new(schema), input);
            let publisher = ReportPublisher {
                cases: name.clone(),
                schema: schema_name,
                out: self.out.clone(),
                fail_on: self.fail_on,
                is_explained: self.explain,
                streams,
                state: ReportState::default(),
            };
            (Box::new(source), Box::new(publisher))
        };
        let mut job = Job::new(&name, source, requests.collect());
        job.title = Some("Synthesis 1.3: care in replies".to_owned());
        let mut call = given;
        if let Json::Object(call) = &mut call {
            call.insert("upstream".to_owned(), json!("1.3"));
        }
        job.benchmark = Some(BenchmarkCall { id: Synthesis.id().to_owned(), options: call });
        let read = job_inputs.iter().map(|input| PathBuf::from(&input.path));
        job.reads = std::iter::once(PathBuf::from(&name)).chain(read).collect();
        job.inputs = job_inputs;
        job.rules = Arc::new(VerdictPolicy { lexicon, ratings });
        job.case_limits = case_limits(&checks[..4]);
        job.writes = if self.planted { Vec::new() } else { vec![self.out.clone()] };
        job.outputs = outputs;
        job.publisher = Some(publisher);
        Ok(job)
    }

    /// The ratings of words, and the option of the metric that asks for them.
    fn concreteness(&self, inputs: &mut Vec<InputFile>) -> Result<(Concreteness, Json), BenchmarkError> {
        let Some(path) = &self.concreteness else { return Ok((Concreteness::bundled(), Json::Null)) };
        let (name, text) = read_text(path, "concreteness", inputs)?;
        let ratings = Concreteness::parse(&text).map_err(|error| {
            BenchmarkError::data(format!("`{name}`: {error}"))
                .hint("JSON: {\"ratings\": {\"word\": 4.5}}; CSV: the columns Word and Conc.M")
        })?;
        Ok((ratings, json!(text)))
    }

    /// The schema with its name: the file, or the built-in one where the default file is absent.
    fn schema(&self, upstream: Upstream, inputs: &mut Vec<InputFile>) -> Result<(String, CaseSchema), BenchmarkError> {
        if self.schema == Path::new(DEFAULT_SCHEMA) && !self.schema.exists() {
            return Ok(("built in".to_owned(), CaseSchema::bundled_for(upstream)));
        }
        let (name, text) = read_text(&self.schema, "schema", inputs)?;
        let schema = CaseSchema::read(&text).map_err(|error| BenchmarkError::data(format!("`{name}`: {error}")))?;
        Ok((name, schema))
    }

    /// The lexicon, and the options of the metrics that ask for it.
    fn lexicon(&self, upstream: Upstream, inputs: &mut Vec<InputFile>) -> Result<(Arc<Lexicon>, Json), BenchmarkError> {
        let Some(path) = &self.lexicon else { return Ok((Lexicon::bundled_for(upstream), Json::Null)) };
        let (name, text) = read_text(path, "lexicon", inputs)?;
        let lexicon = Lexicon::parse_for(&text, upstream).map_err(|error| {
            BenchmarkError::usage(format!("`{name}`: {error}"))
                .hint("`probare schema lexicon` prints the form of a lexicon")
        })?;
        Ok((Arc::new(lexicon), json!({ "lexicon": text })))
    }
}

/// What was read before it is known by which rules the cases are checked.
struct OpenedCases {
    name: String,
    content: Vec<u8>,
    input: InputFile,
    schema_name: String,
    schema: CaseSchema,
    inputs: Vec<InputFile>,
    outputs: Vec<PathBuf>,
}

/// In test results a violation is a failure, unless it is expected.
fn case_limits(checks: &[Check]) -> Vec<CaseLimit> {
    checks.iter().map(|check| CaseLimit { metric: check.name().to_owned(), least: 1.0 }).collect()
}

/// Whether a case asks for a check that only Synthesis 1.3 has.
fn names_newer_check(content: &[u8]) -> bool {
    let text = String::from_utf8_lossy(content);
    let newer = &Check::ALL[Check::of_upstream(Upstream::V1_0).len()..];
    let names: Vec<String> = newer.iter().map(|check| format!("\"{}\"", check.name())).collect();
    text.lines().filter(|line| names.iter().any(|name| line.contains(name))).any(|line| {
        let value: Json = serde_json::from_str(line).unwrap_or_default();
        let checks = value.get("checks").and_then(Json::as_array).into_iter().flatten();
        checks.filter_map(Json::as_str).any(|name| newer.iter().any(|check| check.name() == name))
    })
}

/// The text of a file that an option names, and its name.
fn read_text(path: &Path, option: &str, inputs: &mut Vec<InputFile>) -> Result<(String, String), BenchmarkError> {
    let name = path.display().to_string();
    let (bytes, input) = read_whole(&name, LARGEST_DOCUMENT).map_err(|error| BenchmarkError::from_error(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| BenchmarkError::data(format!("`{name}` is not valid UTF-8")))?;
    inputs.push(InputFile { option: Some(format!("/{option}")), ..input });
    Ok((name, text))
}
