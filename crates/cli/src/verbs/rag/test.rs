//! `probare rag test`: an index, and models that answer from it, measured on questions with known passages.

use std::path::PathBuf;

use probare_core::{MetricRequest, Profile};
use probare_retrieval::{Filter, RetrievalError};
use probare_runner::{Evaluation, EvaluationOptions, RagTest, Store};
use serde_json::Value as Json;

use super::Searching;
use crate::failure::{Done, Failure};
use crate::verbs::run::{StoreFlag, failure};
use crate::verbs::running::Running;

/// Test an index, and models that answer from it, on questions with known passages
///
/// Each line of QUESTIONS has a `question` and either `relevant`, ids of passages or of documents, or `evidence`, a list of
/// {source, quote}: every passage that holds one of the quotations should be found. A `reference` is compared with what models
/// answer. The run is one like any other: it is kept in the store, resumed and compared.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    searching: Searching,

    /// The questions: jsonl, json, csv, tsv or parquet
    #[arg(long, value_name = "FILE", env = "PROBARE_QUESTIONS")]
    questions: String,

    /// Model that answers from what is found: provider:model, or a name from the configuration (repeatable); retrieval alone is tested without one
    #[arg(long, value_name = "MODEL", env = "PROBARE_MODEL")]
    model: Vec<String>,

    /// Metric to compute: ID, ID:OPTION=VALUE or NAME=ID (repeatable); recall, gain and rank by default, and with a model citations, relevance, completeness, hallucination and token overlap
    #[arg(short, long = "metric", value_name = "METRIC", env = "PROBARE_METRIC")]
    metrics: Vec<String>,

    /// Which reading of the metrics: reference (the published numbers) or careful (ours, where we do better)
    #[arg(long, value_name = "PROFILE", value_parser = crate::verbs::score::profile, env = "PROBARE_PROFILE")]
    profile: Option<Profile>,

    /// The configuration with models of your own
    #[arg(long, value_name = "FILE", env = "PROBARE_CONFIG")]
    config: Option<PathBuf>,

    #[command(flatten)]
    store: StoreFlag,

    #[command(flatten)]
    running: Running,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let searching = &arguments.searching;
    if arguments.questions == "-" {
        return Err(
            Failure::usage("the questions cannot come from standard input").hint("name a file: --questions FILE")
        );
    }
    if searching.postgres.is_some() {
        return Err(Failure::usage("a test searches the vectors of the index itself").hint("leave --postgres out"));
    }
    let requests: Vec<MetricRequest> = arguments.metrics.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let filter = Filter::parse(&searching.filter).map_err(RetrievalError::from)?.to_json();
    let test = RagTest {
        index: searching.index.display().to_string(),
        questions: arguments.questions.clone(),
        k: searching.k,
        filter: if let Json::Object(filter) = filter { filter } else { serde_json::Map::new() },
        mode: searching.mode.into(),
        embedding: searching.embedding.clone(),
        models: arguments.model.clone(),
        config: arguments.config.as_ref().map(|path| path.display().to_string()),
        metrics: requests.into_iter().map(Into::into).collect(),
    };
    let config = test.config()?;
    let settled = arguments.running.with_config(&config);
    let folder = test.path().parent().map(PathBuf::from).unwrap_or_default();
    let options = EvaluationOptions {
        config: test.path(),
        asking: arguments.running.asking.settled(&config, &folder),
        profile: arguments.profile.or(config.profile).unwrap_or_default(),
        limit: arguments.running.limit.or(config.run.limit),
        outputs: settled.outputs.clone(),
        test: Some(test),
    };
    let evaluation = Evaluation::open(&config, options).map_err(failure)?;
    let store = Store::open(&arguments.store.store)?;
    let number = store.begin(evaluation.plan())?;
    settled.evaluate(evaluation, &store, number)
}
