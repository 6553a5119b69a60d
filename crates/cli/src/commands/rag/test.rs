//! `probare rag test`: an index, and models that answer from it, measured on questions with known passages.

use std::path::PathBuf;

use probare_benchmarks::registries;
use probare_engine::{Config, DEFAULT_NAME, Evaluation, EvaluationOptions, RunOptions};
use probare_retrieval::{Filter, RetrievalError};
use probare_store::{RagTest, Store};
use serde_json::Value as Json;

use super::SearchFlags;
use crate::commands::flags::{ForRagTest, OptionFlags};
use crate::commands::run_driver::RunDriver;
use crate::commands::store_flags::{StoreFlag, evaluation_failure};
use crate::failure::{CommandResult, Failure};

/// Test an index, and models that answer from it, on questions with known passages
///
/// Each line of QUESTIONS has a `question` and either `relevant`, ids of passages or of documents, or `evidence`, a list of
/// {source, quote}: every passage that holds one of the quotations should be found. A `reference` is compared with what models
/// answer. Without --metric recall, gain and rank are measured, and of a model's answers citations, relevance, completeness,
/// hallucination and token overlap. The run is one like any other: it is kept in the store, resumed and compared.
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

    /// The configuration with models, gates and settings of your own; probare.yaml where it is there
    #[arg(long, value_name = "FILE", env = "PROBARE_CONFIG")]
    config: Option<PathBuf>,

    #[command(flatten)]
    store: StoreFlag,

    #[command(flatten)]
    options: OptionFlags<ForRagTest>,
}

/// The test, and what the run is.
pub fn settings(arguments: &Arguments) -> Result<(RagTest, RunOptions), Failure> {
    let Arguments { searching, questions, model, config, store: _, options } = arguments;
    let said = options.options();
    if questions == "-" {
        return Err(
            Failure::usage("the questions cannot come from standard input").hint("name a file: --questions FILE")
        );
    }
    if searching.postgres.is_some() {
        return Err(Failure::usage("a test searches the vectors of the index itself").hint("remove --postgres"));
    }
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
        metrics: said.requests().into_iter().map(Into::into).collect(),
    };
    let mut made = Config::from_rag_test(&test)?;
    if config.is_none() {
        // A configuration that nobody named may be about other metrics.
        let names: Vec<String> = made.requests().into_iter().map(|request| request.name).collect();
        made.gates.retain(|gate| names.contains(&gate.metric));
    }
    let file = made.options(test.config.as_deref().unwrap_or(questions));
    // Its metrics are those of the test already.
    let settings = said.retain(|name| name != "metrics").combine(file);
    Ok((test, settings))
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let (test, settings) = settings(arguments)?;
    let options = EvaluationOptions { test: Some(test), ..EvaluationOptions::default() };
    let evaluation = Evaluation::open(&settings, options, registries()).map_err(evaluation_failure)?;
    let store = Store::open(&arguments.store.store)?;
    let number = store.begin(evaluation.plan())?;
    RunDriver::new(settings).evaluate(evaluation, &store, number)
}
