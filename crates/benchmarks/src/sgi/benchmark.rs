//! [`Sgi`]: outputs that were made elsewhere, as a value that the runner drives.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use probare_core::{Benchmark, BenchmarkCall, BenchmarkError, Console, Job, MemorySource, MetricRequest, Profile};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::publisher::{Collector, CollectorPlan, Destination};
use super::{SgiPolicy, SgiPrompts, Subtask, fixtures, predictions, rows};
use crate::command::{CommandOptions, parse_word};
use crate::sgi::metrics::Upstream;

/// Scientific tasks: research questions, ideas, experiments.
pub struct Sgi;

/// What can be said on the command line.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::doc_markdown, reason = "these lines are the help text, which is printed as it is")]
pub(crate) struct Options {
    /// Which subtask: deep_research, idea_generation, dry_experiment, wet_experiment, experimental_reasoning or deep_research_gold (deep, idea, dry, wet,
    /// reasoning, gold)
    #[arg(value_name = "SUBTASK")]
    subtask: Option<String>,
    /// Rows of the subtask: JSON lines, a JSON array or CSV
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Outputs: JSON lines or CSV with idx and response, or a result file of the collector
    #[arg(long, value_name = "FILE")]
    predictions: Option<PathBuf>,
    /// Which profile.
    #[arg(skip)]
    profile: Profile,
    /// Only rows of this discipline
    #[arg(long)]
    discipline: Option<String>,
    /// Folder for the result file in the collector's form; none is written without it
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Python for dry experiments: conda:NAME, venv:FOLDER or python:PATH. Without it the conda environment that SGI_CONDA_ENV names, else
    /// python3 of the machine
    #[arg(long)]
    environment: Option<String>,
    /// Seconds that a program of a dry experiment may take
    #[arg(long, value_name = "SECONDS", env = "SGI_EXECUTION_TIMEOUT", value_parser = parse_seconds)]
    timeout: Option<u32>,
    /// Embedding model for ideas; all-MiniLM-L6-v2 by default
    #[arg(long, value_name = "MODEL", env = "SGI_EMBEDDING_MODEL")]
    embedding_model: Option<String>,
    /// Folder with the fixtures of dry experiments
    #[arg(long, value_name = "DIR", env = "SGI_DRY_EXPERIMENT_DATA_DIR")]
    fixtures: Option<PathBuf>,
    /// Which implementation is followed: llmrouterbench, or official-2026 (soft wet score, a judge of whole answers)
    #[arg(long, value_parser = parse_word::<Upstream>, default_value = "llmrouterbench")]
    upstream: Upstream,
    /// Folder with prompts in place of ours; docs/suites/sgi.md names the files
    #[arg(long, value_name = "DIR")]
    prompts: Option<PathBuf>,
    /// Send no images to the judge of reasoning; the result says so
    #[arg(long)]
    text_only: bool,
    /// Models that judge reasoning, beside the choice
    #[arg(skip)]
    judges: Vec<String>,
}

fn parse_seconds(text: &str) -> Result<u32, String> {
    let wrong = |_| "a whole number of seconds is expected; without the flag SGI_EXECUTION_TIMEOUT says it".to_owned();
    text.trim().parse().map_err(wrong)
}

/// The metric of a subtask with options.
pub fn request(subtask: Subtask, profile: Profile, options: Map<String, Json>) -> MetricRequest {
    MetricRequest {
        name: subtask.metric().to_owned(),
        id: subtask.metric().to_owned(),
        options: if options.is_empty() { Json::Null } else { Json::Object(options) },
        profile: Some(profile),
        code: None,
    }
}

impl CommandOptions for Sgi {
    type Options = Options;

    const PROFILES: &'static str =
        "Which definition: published (the published scores, the default) or improved (their quirks fixed)";

    const SHARED: &'static [&'static str] = &["profile", "judges"];

    const TAKES: &'static [&'static str] = &[
        "offline",
        "refresh",
        "budget_usd",
        "budget_tokens",
        "score_truncated",
        "cache",
        "sandbox",
        "run_again",
        "json",
    ];
}

impl Benchmark for Sgi {
    fn id(&self) -> &'static str {
        "sgi"
    }

    fn command(&self) -> &'static [&'static str] {
        &["sgi", "score"]
    }

    fn about(&self) -> &'static str {
        "Score outputs for a subtask of SGI-Bench that were made elsewhere\n\n\
         Deep research asks one judge, or a judge and an answer parser (--judge twice); ideas ask three judges and need the \
         embedding model; dry experiments run programs in the sandbox; wet experiments ask nobody; reasoning asks a judge only with \
         --judge."
    }

    fn example(&self, options: &Map<String, Json>) -> Map<String, Json> {
        if ["subtask", "data", "predictions"].iter().any(|name| options.contains_key(*name)) {
            return Map::new();
        }
        Map::from_iter([
            ("subtask".to_owned(), json!("wet_experiment")),
            ("data".to_owned(), json!("bundled:sgi/data/wet_experiment.jsonl")),
            ("predictions".to_owned(), json!("bundled:sgi/outputs.jsonl")),
        ])
    }

    fn open(&self, given: Json, console: Console) -> Result<Job, BenchmarkError> {
        let options = Options::deserialize(&given).map_err(|error| BenchmarkError::usage(error.to_string()))?;
        let known = || Subtask::ALL.map(Subtask::name).join(", ");
        let subtask = options.subtask.as_deref().and_then(Subtask::from_word).ok_or_else(|| {
            let message = match &options.subtask {
                None => "no subtask is named".to_owned(),
                Some(word) => format!("unknown subtask `{word}`"),
            };
            BenchmarkError::usage(message).hint(format!("the subtasks are {}", known()))
        })?;
        let missing = |flag: &str| BenchmarkError::usage(format!("no file is named with {flag}"));
        let data = options.data.clone().ok_or_else(|| missing("--data"))?;
        let outputs = options.predictions.clone().ok_or_else(|| missing("--predictions"))?;
        if let Some(folder) = options.fixtures.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(BenchmarkError::usage(format!("there is no folder `{}` with fixtures", folder.display()))
                .hint("--fixtures or SGI_DRY_EXPERIMENT_DATA_DIR names it"));
        }
        if options.timeout == Some(0) {
            return Err(BenchmarkError::usage("a program may take at least one second"));
        }
        let prompts = options.prompts.as_deref().map(SgiPrompts::read).transpose()?.unwrap_or_default();
        let rows::SubtaskRows { mut cases, input, fingerprint } =
            rows::read(subtask, &data, options.discipline.as_deref(), None, &prompts)?;
        let predictions = predictions::read(&outputs)?;
        let shown = outputs.display().to_string();
        predictions.put_into(&mut cases, &shown)?;
        let pointed = |mut input: probare_core::InputFile, option: &str| {
            input.option = Some(option.to_owned());
            input
        };
        let warnings = if subtask == Subtask::DryExperiment {
            fixtures::missing_fixtures_warning(&cases, options.fixtures.as_deref()).into_iter().collect()
        } else {
            Vec::new()
        };
        let inputs = vec![pointed(input, "/data"), pointed(predictions.input, "/predictions")];
        let requests = requests(subtask, &options, &prompts);
        let is_judged = subtask.judged_beside().is_none() || !options.judges.is_empty();
        let judged: &[Subtask] = if is_judged { &[subtask] } else { &[] };
        let mut job = Job::new(shown, Box::new(MemorySource::new(cases, inputs)), requests);
        job.title = Some(format!("SGI-Bench: {}", subtask.title()));
        job.rules = Arc::new(SgiPolicy::with_pictures_below(data.parent().unwrap_or(Path::new(""))));
        job.reads = vec![data, outputs.clone()];
        job.reads.extend(prompts.paths());
        job.inputs.extend(prompts.input().cloned());
        job.benchmark = Some(BenchmarkCall { id: self.id().to_owned(), options: given });
        let model = predictions.model.or_else(|| outputs.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        job.publisher = Some(Box::new(Collector::new(CollectorPlan {
            destination: options.output_dir.map(|folder| Destination {
                folder,
                split: "test".to_owned(),
                stamp: "scored".to_owned(),
                demo: false,
            }),
            fingerprints: BTreeMap::from([(subtask, fingerprint)]),
            prompts: prompts.describe(judged, options.upstream, false),
            upstream: options.upstream,
            model,
            warnings,
            console,
            ..CollectorPlan::default()
        })));
        Ok(job)
    }
}

/// The name of an embedding model as it is known here: the guide writes some with the publisher before it.
pub fn embedding_model(named: &str) -> &str {
    named.strip_prefix("sentence-transformers/").unwrap_or(named)
}

/// The metric of the subtask, and the one beside it where somebody is named who judges.
fn requests(subtask: Subtask, options: &Options, prompts: &SgiPrompts) -> Vec<MetricRequest> {
    let mut requests = vec![request(subtask, options.profile, metric_options(subtask, options, prompts))];
    if let Some(beside) = subtask.judged_beside().filter(|_| !options.judges.is_empty()) {
        let mut map = prompts.metric_options(subtask);
        map.insert("judges".to_owned(), json!(options.judges));
        if options.text_only {
            map.insert("text_only".to_owned(), true.into());
        }
        requests.push(MetricRequest {
            options: Json::Object(map),
            profile: Some(options.profile),
            ..MetricRequest::plain(beside)
        });
    }
    requests
}

/// The option that says which implementation is followed; nothing where it is the usual one.
pub fn upstream_option(subtask: Subtask, upstream: Upstream) -> Option<(String, Json)> {
    let knows = matches!(subtask, Subtask::DeepResearch | Subtask::DeepResearchGold | Subtask::WetExperiment);
    (knows && upstream.is_official()).then(|| ("upstream".to_owned(), upstream.name().into()))
}

fn metric_options(subtask: Subtask, options: &Options, prompts: &SgiPrompts) -> Map<String, Json> {
    // What judges are told goes to whoever judges.
    let mut map = if subtask.judged_beside().is_some() { Map::new() } else { prompts.metric_options(subtask) };
    map.extend(upstream_option(subtask, options.upstream));
    let mut set = |name: &str, value: Option<Json>| map.extend(value.map(|value| (name.to_owned(), value)));
    match subtask {
        Subtask::DryExperiment => {
            set("environment", options.environment.clone().map(Json::from));
            set("timeout", options.timeout.map(|seconds| json!(seconds)));
            set("fixtures", options.fixtures.as_ref().map(|folder| json!(folder)));
        }
        Subtask::IdeaGeneration => {
            set("model", options.embedding_model.as_deref().map(|named| json!(embedding_model(named))));
        }
        Subtask::DeepResearch | Subtask::DeepResearchGold | Subtask::WetExperiment | Subtask::ExperimentalReasoning => {
        }
    }
    map
}
