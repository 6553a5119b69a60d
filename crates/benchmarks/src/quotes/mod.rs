//! Quotes: quotations from a table against the plain text files of a folder.
//!
//! Every quotation is looked for in the file it is said to come from and in all the others. The kinds of finding are those
//! of the metric `verbatim`: exact, normalised, elided, another source, nearly (with the difference, a dropped negation and
//! a changed number named), not there.

mod publisher;
mod rows;
mod texts;

use std::sync::Arc;

use clap::Args;
use probare_core::{
    Benchmark, BenchmarkCall, BenchmarkData, BenchmarkError, CasePolicy, Console, Job, MetricRequest, MetricResult,
    Profile, Sample,
};
use probare_formats::{CaseReader, ReadOptions, columns};
use probare_metrics::interviews::quotations::{Quotations, Transcripts};
use publisher::{CheckedQuotation, QuotesPublisher};
use rows::QuoteRows as Source;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::command::CommandOptions;

/// Names under which a column with quotations is known, and one with their sources.
const QUOTE: [&str; 4] = ["quote", "quotation", "citation", "text"];
const SOURCE: [&str; 5] = ["source", "file", "document", "transcript", "interview"];

/// What can be said on the command line.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Options {
    /// Table of quotations (.csv .tsv .jsonl .json .parquet)
    #[arg(value_name = "QUOTES")]
    #[serde(default)]
    quotes: Option<String>,
    /// Folder with plain text files (.txt .md), or one file
    #[arg(value_name = "FOLDER")]
    #[serde(default)]
    folder: Option<String>,
    /// Column with the quotations; `quote`, `quotation`, `citation` or `text` where it is not given
    #[serde(default)]
    #[arg(long, value_name = "COLUMN")]
    quote: Option<String>,
    /// Column with the file that a quotation is said to come from; without one every file is searched
    #[serde(default)]
    #[arg(long, value_name = "COLUMN")]
    source: Option<String>,
    /// Which profile.
    #[serde(default = "improved")]
    #[arg(skip)]
    profile: Profile,
}

const fn improved() -> Profile {
    Profile::Improved
}

/// Quotations against text files.
#[derive(Debug)]
pub struct Quotes;

impl CommandOptions for Quotes {
    type Options = Options;

    const PROFILES: &'static str = "What counts as a right quotation: improved (typography and marked omissions aside, the default) or published (letter by letter)";

    const TAKES: &'static [&'static str] = &["json"];
}

impl Benchmark for Quotes {
    fn id(&self) -> &'static str {
        "quotes"
    }

    fn command(&self) -> &'static [&'static str] {
        &["quotes"]
    }

    fn about(&self) -> &'static str {
        "Check quotations against the plain text files of a folder\n\n\
         Every quotation is looked for in the file it is said to come from, and in all others. Prints one line a \
         quotation: exact, normalised (typography aside), elided (marked omissions), wrong source, near with its \
         difference, not found. --fail-if-any \"verbatim<1\" makes a wrong one an exit code 2."
    }

    fn example(&self, options: &Map<String, Json>) -> Map<String, Json> {
        if ["quotes", "folder"].iter().any(|name| options.contains_key(*name)) {
            return Map::new();
        }
        Map::from_iter([
            ("quotes".to_owned(), json!("bundled:quotes/quotes.csv")),
            ("folder".to_owned(), json!("bundled:quotes/texts")),
        ])
    }

    fn open(&self, given: Json, console: Console) -> Result<Job, BenchmarkError> {
        let options = Options::deserialize(&given).map_err(|error| BenchmarkError::usage(error.to_string()))?;
        let missing =
            |what: &str| BenchmarkError::usage(format!("{what} is missing")).hint("probare quotes QUOTES FOLDER");
        let quotes = options.quotes.ok_or_else(|| missing("QUOTES, the table of quotations,"))?;
        let folder = options.folder.ok_or_else(|| missing("FOLDER, the texts that are quoted,"))?;
        let read = ReadOptions::default();
        let failed = |error: probare_formats::CaseFileError| BenchmarkError::from_error(&error);
        let found = columns(&quotes, &read).map_err(failed)?;
        let quote = column("quote", options.quote.as_deref(), &QUOTE, &found)?;
        let Some(quote) = quote else {
            return Err(BenchmarkError::usage(format!("`{quotes}` has no column with quotations"))
                .hint(format!("name it with --quote COLUMN; its columns are {}", found.join(", "))));
        };
        let source = column("source", options.source.as_deref(), &SOURCE, &found)?;
        let texts = texts::read(&folder)?;
        let transcripts = Arc::new(Transcripts::new(texts.files.iter().cloned()));
        let rows = CaseReader::open(&quotes, &read).map_err(failed)?.named_by("/quotes");
        let cases = Source { rows, quote, source, transcripts: Arc::clone(&transcripts) };
        let request = MetricRequest { profile: Some(options.profile), ..MetricRequest::plain("verbatim") };
        let mut job = Job::new(&quotes, Box::new(cases), vec![request]);
        job.title = Some("Quotations".to_owned());
        job.reads = texts.paths;
        job.reads.push(quotes.into());
        job.inputs.push(texts.input);
        job.rules = Arc::new(QuotePolicy { transcripts: Arc::clone(&transcripts) });
        job.publisher = Some(Box::new(QuotesPublisher::new(console)));
        job.benchmark = Some(BenchmarkCall { id: self.id().to_owned(), options: given });
        Ok(job)
    }
}

/// The column that is asked for, or the first that has a known name.
fn column(
    what: &str,
    requested: Option<&str>,
    known: &[&str],
    found: &[String],
) -> Result<Option<String>, BenchmarkError> {
    if let Some(requested) = requested {
        return if found.iter().any(|column| column == requested) {
            Ok(Some(requested.to_owned()))
        } else {
            Err(BenchmarkError::usage(format!("there is no column `{requested}` for the {what}"))
                .hint(format!("the columns are {}", found.join(", "))))
        };
    }
    let same = |name: &&str| found.iter().find(|column| column.eq_ignore_ascii_case(name)).cloned();
    Ok(known.iter().find_map(same))
}

/// Lends the texts to the run and keeps what was found.
struct QuotePolicy {
    transcripts: Arc<Transcripts>,
}

impl CasePolicy for QuotePolicy {
    fn provide_shared(&self, sample: Sample<'_>) {
        Transcripts::share_with_run(&self.transcripts, sample);
    }

    fn benchmark_data(&self, sample: Sample<'_>, _: &[MetricResult]) -> Option<BenchmarkData> {
        let quotations = Quotations::for_sample(sample);
        CheckedQuotation::new(sample.case, &quotations, &self.transcripts).map(BenchmarkData::new)
    }
}
