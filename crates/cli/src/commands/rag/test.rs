//! `probare rag test`: an index, and models that answer from it, measured on questions with known passages.

use std::path::PathBuf;

use probare_core::MetricRequest;
use probare_engine::{Config, DEFAULT_NAME, Evaluation, EvaluationOptions, RagTest, Settings, SettingsLayer, Store};
use probare_retrieval::{Filter, RetrievalError};
use serde_json::Value as Json;

use super::SearchFlags;
use crate::commands::flags::{LayeredFlags, ProfileFlag, RunFlags};
use crate::commands::run_driver::RunDriver;
use crate::commands::store_flags::{StoreFlag, evaluation_failure};
use crate::failure::{CommandResult, Failure};

/// Test an index, and models that answer from it, on questions with known passages
///
/// Each line of QUESTIONS has a `question` and either `relevant`, ids of passages or of documents, or `evidence`, a list of
/// {source, quote}: every passage that holds one of the quotations should be found. A `reference` is compared with what models
/// answer. The run is one like any other: it is kept in the store, resumed and compared.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    searching: SearchFlags,

    /// The questions: jsonl, json, csv, tsv or parquet
    #[arg(long, value_name = "FILE", env = "PROBARE_QUESTIONS")]
    questions: String,

    /// Model that answers from what is found: provider:model, or a name from the configuration (repeatable); retrieval alone is tested without one
    #[arg(long, value_name = "MODEL", env = "PROBARE_MODEL")]
    model: Vec<String>,

    /// Metric to compute: ID, ID:OPTION=VALUE or NAME=ID (repeatable); recall, gain and rank by default, and with a model citations, relevance, completeness, hallucination and token overlap
    #[arg(short, long = "metric", value_name = "METRIC", env = "PROBARE_METRIC")]
    metrics: Vec<String>,

    #[command(flatten)]
    profile: LayeredFlags<ProfileFlag>,

    /// The configuration with models, gates and settings of your own; probare.yaml if it exists
    #[arg(long, value_name = "FILE", env = "PROBARE_CONFIG")]
    config: Option<PathBuf>,

    #[command(flatten)]
    store: StoreFlag,

    #[command(flatten)]
    running: LayeredFlags<RunFlags>,
}

/// The test, and what the run is.
pub fn settings(arguments: &Arguments) -> Result<(RagTest, Settings), Failure> {
    let Arguments { searching, questions, model, metrics, profile, config, store: _, running } = arguments;
    if questions == "-" {
        return Err(
            Failure::usage("the questions cannot come from standard input").hint("name a file: --questions FILE")
        );
    }
    if searching.postgres.is_some() {
        return Err(Failure::usage("a test searches the vectors of the index itself").hint("remove --postgres"));
    }
    let requests: Vec<MetricRequest> = metrics.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let filter = Filter::parse(&searching.filter).map_err(RetrievalError::from)?.to_json();
    let found = || Some(PathBuf::from(DEFAULT_NAME)).filter(|path| path.is_file());
    let path = config.clone().or_else(found);
    if config.is_none() {
        // One that nobody named is read if the user trusts it.
        Config::load(None)?;
    }
    let test = RagTest {
        index: searching.index.display().to_string(),
        questions: questions.clone(),
        k: searching.k,
        filter: if let Json::Object(filter) = filter { filter } else { serde_json::Map::new() },
        mode: searching.mode.into(),
        embedding: searching.embedding.clone(),
        models: model.clone(),
        config: path.as_ref().map(|path| path.display().to_string()),
        metrics: requests.into_iter().map(Into::into).collect(),
    };
    let mut made = test.config()?;
    if config.is_none() {
        // A configuration that nobody named may be about other metrics.
        let names: Vec<String> = made.requests().into_iter().map(|request| request.name).collect();
        made.gates.retain(|gate| names.contains(&gate.metric));
    }
    let file = SettingsLayer::from_config(&made, test.config.as_deref().unwrap_or(questions));
    let settings = Settings::merge([running.layer(), profile.layer(), file])?;
    Ok((test, settings))
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let (test, settings) = settings(arguments)?;
    let options = EvaluationOptions { test: Some(test), ..EvaluationOptions::default() };
    let evaluation = Evaluation::open(&settings, options).map_err(evaluation_failure)?;
    let store = Store::open(&arguments.store.store)?;
    let number = store.begin(evaluation.plan())?;
    RunDriver::new(settings).evaluate(evaluation, &store, number)
}
