//! `probare rag ask`: a model answers from the passages of an index, and its citations are checked at once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use probare_core::{Backend, ErrorKind};
use probare_engine::{Config, Exit, ModelBackend};
use probare_report::escape;
use probare_report::number::count_with_noun;
use probare_retrieval::Hit;
use probare_retrieval::answer::{AnswerError, ask, check_found, context_passages};
use serde_json::json;

use super::citations::{CheckedCitation, check_citations, existence};
use super::search::passage_location;
use super::{OpenIndex, SearchFlags, print, print_json};
use crate::commands::flags::{ForModelCalls, OptionFlags, OptionSet};
use crate::commands::model_call_flags;
use crate::failure::{CommandResult, Failure};

/// Ask a model about a corpus; every citation of the answer is checked
///
/// The passages that `rag search` finds are given to the model, which answers with citations. Each citation is searched for verbatim in
/// the passage that it names, and shown with its position.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    searching: SearchFlags,

    /// What to ask
    #[arg(value_name = "QUESTION")]
    question: String,

    #[command(flatten)]
    model: ModelFlag,

    #[command(flatten)]
    asking: OptionFlags<ForModelCalls>,

    /// Print answer, citations and passages as JSON
    #[arg(long, env = "PROBARE_JSON")]
    json: bool,
}

/// Who answers.
#[derive(Debug, Clone, clap::Args)]
pub struct ModelFlag {
    /// Model that answers: provider:model, a name from the configuration, or replay:FILE for recorded replies
    #[arg(long, value_name = "MODEL", env = "PROBARE_MODEL")]
    pub model: String,

    /// The configuration with models of your own; probare.yaml if it exists
    #[arg(long, value_name = "FILE", env = "PROBARE_CONFIG")]
    pub config: Option<PathBuf>,
}

impl ModelFlag {
    /// Opens the model. Nothing is sent.
    pub fn open(&self, flags: &OptionFlags<ForModelCalls>) -> Result<ModelBackend, Failure> {
        open_models(std::slice::from_ref(&self.model), self.config.as_deref(), flags)
    }
}

/// Opens models by their names. Nothing is sent.
pub fn open_models(
    models: &[String],
    config: Option<&Path>,
    flags: &OptionFlags<impl OptionSet>,
) -> Result<ModelBackend, Failure> {
    let mut asking = flags.with(&Config::load(config)?).model_access();
    asking.under_test = models.to_vec();
    Ok(asking.open(&mut [], probare_benchmarks::registry())?)
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let search = arguments.searching.search(&arguments.question)?;
    let asked = Arc::new(arguments.model.open(&arguments.asking)?);
    let outside: Arc<dyn Backend> = Arc::<ModelBackend>::clone(&asked);
    let opened = arguments.searching.open(&outside)?;
    let client = asked
        .client(&arguments.model.model)
        .ok_or_else(|| Failure::new(format!("there is no model `{}`", arguments.model.model)))?;
    let found = opened.index.search(&search, opened.embedder.as_ref())?;
    check_found(&opened.index, &search, &found).map_err(|error| {
        answer_failure(error).hint("the model was not asked; `probare models pull all-MiniLM-L6-v2` and a new index find passages by meaning too")
    })?;
    OpenIndex::print_remarks(&found);
    let answer = ask(client, &search.question, &context_passages(&found.hits), 0);
    model_call_flags::print_model_usage(&asked.usage(), true);
    let answer = answer.map_err(answer_failure)?;
    let checked = check_citations(&answer, &found.hits);
    let existence = existence(&checked);
    if arguments.json {
        let passages: Vec<_> = found.hits.iter().map(Hit::to_json).collect();
        let citations: Vec<_> = checked.iter().map(|checked| checked.to_json(&found.hits)).collect();
        return print_json(&json!({
            "question": search.question, "model": arguments.model.model, "answer": answer.answer, "citations": citations,
            "existence_score": existence.score(), "existence_score_normalised": existence.score_normalised(),
            "context": passages,
        }));
    }
    let mut text = format!("{}\n\n", escape::terminal_lines(answer.answer.trim()));
    if checked.is_empty() {
        text.push_str("no citations\n");
    }
    for checked in &checked {
        text.push_str(&checked.line(&found.hits));
    }
    if !checked.is_empty() {
        text.push_str(&summary(&checked));
    }
    text.push_str(&format!("\nfrom {}:\n", count_with_noun(found.hits.len() as u64, "passage", "passages")));
    for (at, hit) in found.hits.iter().enumerate() {
        text.push_str(&format!("  [{at}] {}\n", escape::terminal(&passage_location(hit))));
    }
    print(&text)?;
    Ok(Exit::Fine)
}

fn summary(checked: &[CheckedCitation]) -> String {
    let existence = existence(checked);
    let count = |share: Option<f64>| share.map_or(0.0, |share| (share * checked.len() as f64).round());
    let (exact, normalised) = (count(existence.score()), count(existence.score_normalised()));
    let stands = |count: f64| if count == 1.0 { "stands" } else { "stand" };
    format!(
        "of {} {exact} {} word for word in the passage that is cited; {normalised} {} there when typography and marked omissions \
         are set aside\n",
        count_with_noun(checked.len() as u64, "citation", "citations"),
        stands(exact),
        stands(normalised),
    )
}

/// The failure where no answer came.
pub fn answer_failure(error: AnswerError) -> Failure {
    match error {
        AnswerError::Search(error) => error.into(),
        AnswerError::Model { kind: ErrorKind::Missing, .. } => Failure::from_error(&error).hint(
            "recorded replies answer the questions that they were recorded for: same question, k, filter and index",
        ),
        other => Failure::from_error(&other),
    }
}
