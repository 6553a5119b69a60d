//! `probare socioscope`: what the command does beside running the benchmark.

pub mod endpoint;

use std::path::PathBuf;

use probare_benchmarks::socioscope::output::citation_json;
use probare_engine::{Config, RunOptions};
use probare_formats::{LARGEST_DOCUMENT, read_whole};
use probare_metrics::interviews::quotations::{
    QuotationCounts, QuotationFinding, QuotationSource, check_citation, source_position,
};
use serde_json::{Value as Json, json};

use self::endpoint::EndpointFlags;
use super::benchmark::BenchmarkArguments;
use super::flags::{ForQuestions, OptionFlags};
use super::print;
use super::text::{NormaliseArguments, SynonymArguments, normalise, synonyms};
use crate::failure::{CommandResult, Failure};

/// Commands beside the benchmark, which runs where none of them is named.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Grade the answers of FIXTURE against the transcripts of CORPUS
    Evaluate(BenchmarkArguments),
    /// Check citations against their context: JSON in, JSON out
    Verbatim(VerbatimArguments),
    /// Ask one question, from an index or at an address: JSON out
    Prompt(Box<PromptArguments>),
    /// Print the synonyms of a word
    Synonyms(SynonymArguments),
    /// Print the form in which answers are compared
    Normalise(NormaliseArguments),
}

#[derive(Debug, clap::Args)]
struct PromptArguments {
    /// What to ask
    #[arg(value_name = "QUESTION")]
    question: String,

    #[command(flatten)]
    endpoint: EndpointFlags,

    #[command(flatten)]
    options: OptionFlags<ForQuestions>,
}

#[derive(Debug, clap::Args)]
struct VerbatimArguments {
    /// File with `{"context": […], "citations": […]}`: one object, a list, or one per line; `-` for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    match &arguments.command {
        Some(Command::Evaluate(asked)) => asked.run("socioscope"),
        Some(Command::Prompt(arguments)) => run_prompt(arguments),
        Some(Command::Verbatim(verbatim)) => run_verbatim(verbatim),
        Some(Command::Synonyms(arguments)) => synonyms(arguments),
        Some(Command::Normalise(arguments)) => normalise(arguments),
        None => Err(Failure::usage("no command is named")),
    }
}

/// What a run would be made of; nothing for a command that scores nothing.
pub fn settings(arguments: &Arguments) -> Result<Option<RunOptions>, Failure> {
    match &arguments.command {
        Some(Command::Evaluate(asked)) => asked.settings("socioscope").map(Some),
        _ => Ok(None),
    }
}

/// The reply of the published interface, with how each citation fares.
fn run_prompt(arguments: &PromptArguments) -> CommandResult {
    let request = arguments.endpoint.request(&arguments.question, None)?;
    if arguments.endpoint.index.is_none() && arguments.endpoint.url.is_none() {
        return Err(Failure::usage("neither an index nor an address is named").hint("add --index INDEX or --url URL"));
    }
    let named = std::env::var_os("PROBARE_CONFIG").map(PathBuf::from);
    let settings = arguments.options.with(&Config::load(named.as_deref())?);
    let mut replies = arguments.endpoint.open(&settings)?.ask(&[&request])?;
    let reply = replies.pop().ok_or_else(|| Failure::new("no reply came"))?.map_err(super::rag::answer_failure)?;
    let shown = json!(reply);
    let row = json!({"context": shown["context"], "citations": shown["answer"]["citations"]});
    let checked = check_citations(&row).map_err(Failure::new)?;
    let mut shown = shown;
    shown["verbatim"] = checked;
    print(&format!("{shown:#}\n"))
}

fn run_verbatim(arguments: &VerbatimArguments) -> CommandResult {
    let path = arguments.file.display().to_string();
    let (bytes, _) = read_whole(&path, LARGEST_DOCUMENT)?;
    let name = if path == "-" { "standard input" } else { &path };
    let mut output = String::new();
    let mut number = 0;
    for value in serde_json::Deserializer::from_slice(&bytes).into_iter::<Json>() {
        let value = value.map_err(|error| Failure::new(format!("`{name}`: invalid JSON: {error}")))?;
        let rows = match value {
            Json::Array(rows) => rows,
            row => vec![row],
        };
        for row in &rows {
            number += 1;
            let checked = check_citations(row).map_err(|reason| {
                Failure::new(format!("`{name}`: object {number} {reason}")).hint(
                    "each object has `context`, a list of passages, and `citations`, a list of {source_index, quote}",
                )
            })?;
            output.push_str(&checked.to_string());
            output.push('\n');
        }
    }
    if output.is_empty() {
        return Err(Failure::new(format!("`{name}`: holds nothing to check")));
    }
    print(&output)
}

/// Checks the citations of one object.
fn check_citations(row: &Json) -> Result<Json, String> {
    let list = |name: &str| {
        let found = row.get(name).ok_or_else(|| format!("has no `{name}`"))?;
        found.as_array().ok_or_else(|| format!("has a `{name}` that is not a list"))
    };
    let (context, citations) = (list("context")?, list("citations")?);
    let content = |item: &'_ Json| {
        let text = item.get("page_content").or_else(|| item.get("text")).unwrap_or(item);
        text.as_str().unwrap_or_default().to_owned()
    };
    let contents: Vec<String> = context.iter().map(content).collect();
    let sources: Vec<QuotationSource<'_>> = contents.into_iter().map(QuotationSource::new).collect();
    let sources: Vec<&QuotationSource<'_>> = sources.iter().collect();
    let missing = Json::Null;
    let findings: Vec<QuotationFinding> = citations
        .iter()
        .map(|citation| {
            let place = source_position(citation.get("source_index").unwrap_or(&missing), sources.len());
            let quote = citation.get("quote").unwrap_or(&missing);
            check_citation(quote, place.map(|place| sources[place]), place, &sources)
        })
        .collect();
    let existence = QuotationCounts::from_findings(&findings);
    let mut checked = serde_json::Map::new();
    if let Some(id) = row.get("id") {
        checked.insert("id".into(), id.clone());
    }
    let checks: Vec<u8> = findings.iter().map(|finding| u8::from(finding.status.name() == "exact")).collect();
    checked.insert("checks".into(), json!(checks));
    checked.insert("details".into(), findings.iter().map(citation_json).collect::<Vec<_>>().into());
    checked.insert("existence_score".into(), json!(existence.score()));
    checked.insert("existence_score_normalised".into(), json!(existence.score_normalised()));
    Ok(checked.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_are_checked_object_by_object() {
        let row = json!({"id": 7, "context": [{"page_content": "We grow mussels"}, "and kelp", {"metadata": {}}],
            "citations": [{"source_index": 0, "quote": "grow"}, {"source_index": 1, "quote": "Kelp"}, {"source_index": 2, "quote": "x"}]});
        let checked = check_citations(&row).unwrap();
        assert_eq!(checked["checks"], json!([1, 0, 0]));
        assert_eq!(checked["details"][1]["status"], "normalised");
        assert_eq!(checked["details"][2]["status"], "missing_content");
        assert_eq!(checked["id"], 7);
        assert!(check_citations(&json!({"context": []})).is_err());
    }
}
