//! `probare rag index`: makes an index of a corpus, or brings one up to date.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::sync::Arc;

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use probare_report::escape;
use probare_report::number::count_with_noun;
use probare_retrieval::passages::Split;
use probare_retrieval::stores::{Postgres, redacted_url};
use probare_retrieval::{
    BuildReport, BuildStage, Embedder, Index, IndexBuilder, IndexSettings, RetrievalError, corpus,
};
use serde_json::json;

use super::pdf::{REMEDY, SandboxedPdfReader};
use super::{embedding_backend, print, print_json, remark};
use crate::commands::run_driver::interrupt_flag;
use crate::failure::{CommandResult, Failure};

/// Index a corpus: transcripts, texts, tables, PDF files
///
/// CORPUS is a file or a folder. A second run reads, splits and embeds only files that changed. An existing
/// index answers until the new one is complete; an interrupted build leaves it as it was.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A file or a folder: txt, md, json, jsonl, csv, tsv, pdf
    #[arg(value_name = "CORPUS")]
    corpus: PathBuf,

    /// Folder of the index; created if needed
    #[arg(short, long = "output", value_name = "INDEX", env = "PROBARE_OUTPUT")]
    output: PathBuf,

    /// Maximum number of words in a passage
    #[arg(long, value_name = "N", default_value_t = Split::default().words, value_parser = words, env = "PROBARE_PASSAGE_WORDS")]
    passage_words: usize,

    /// Number of sentences that a passage repeats from the previous one
    #[arg(long, value_name = "N", default_value_t = Split::default().overlap, env = "PROBARE_OVERLAP")]
    overlap: usize,

    /// Embedding model: all-MiniLM-L6-v2 if it is installed, or provider:model
    #[arg(long, value_name = "MODEL", env = "PROBARE_EMBEDDING")]
    embedding: Option<String>,

    /// Compute no vectors: passages are found by their words alone
    #[arg(long, conflicts_with = "embedding", env = "PROBARE_NO_VECTORS")]
    no_vectors: bool,

    /// Also write the vectors to PostgreSQL with pgvector: `postgres://user@host/database`
    #[arg(long, value_name = "URL", hide_env_values = true, env = "PROBARE_POSTGRES")]
    postgres: Option<String>,

    /// Print neither progress nor a summary
    #[arg(short, long, env = "PROBARE_QUIET")]
    quiet: bool,

    /// Print the summary as JSON
    #[arg(long, env = "PROBARE_JSON")]
    json: bool,
}

fn words(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(number) if (5..=10_000).contains(&number) => Ok(number),
        _ => Err("a whole number from 5 to 10000 is expected".to_owned()),
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let whole = |path: &PathBuf| path.canonicalize().ok();
    if whole(&arguments.corpus).is_some_and(|corpus| whole(&arguments.output) == Some(corpus)) {
        return Err(Failure::usage("the index and the corpus are the same folder")
            .hint("name another folder after -o; it may lie inside of the corpus"));
    }
    let files = corpus::list_files(&arguments.corpus, Some(&arguments.output)).map_err(RetrievalError::from)?;
    let embedder = embedder(arguments)?;
    let split = Split { words: arguments.passage_words, overlap: arguments.overlap };
    let interrupted = interrupt_flag();
    let pdf = SandboxedPdfReader::new(Arc::clone(&interrupted));
    let mut builder =
        IndexBuilder::new(&arguments.output, IndexSettings { split }).with_cancellation(interrupted).with_pdf(&pdf);
    if let Some(embedder) = &embedder {
        builder = builder.with_vectors(embedder);
    }
    let bar = Bar::new(arguments.quiet);
    let built = builder.build(&files, &mut |stage| bar.show(stage));
    bar.bar.finish_and_clear();
    let built = built.map_err(|error| match error {
        RetrievalError::Cancelled => {
            let mut failure = Failure::from(error);
            failure.exit = probare_engine::Exit::Interrupted;
            failure
        }
        error => error.into(),
    })?;
    if let Some(url) = &arguments.postgres {
        let written = Postgres::open(url)?.fill(&Index::open(&arguments.output)?, &mut |_| ())?;
        if !arguments.quiet {
            remark(&format!("{} in {}", count_with_noun(written, "vector", "vectors"), redacted_url(url)));
        }
    }
    for left_out in &built.left_out {
        remark(&format!("skipped: {}: {}", left_out.name, left_out.reason));
    }
    if !built.left_out.is_empty() {
        remark(REMEDY);
    }
    if arguments.json {
        return print_json(&json!({
            "index": arguments.output, "files": built.files, "documents": built.documents, "passages": built.passages,
            "read": built.read, "removed": built.removed, "embedded": built.embedded, "model": built.model,
            "left_out": built.left_out, "unchanged": built.is_unchanged,
        }));
    }
    if arguments.quiet {
        return Ok(probare_engine::Exit::Fine);
    }
    print(&build_summary(&built, &arguments.output.display().to_string()))
}

/// Who embeds. A model that is missing is an error where it was asked for, or where the index would lose its vectors.
fn embedder(arguments: &Arguments) -> Result<Option<Embedder>, Failure> {
    if arguments.no_vectors {
        return Ok(None);
    }
    let before = Index::open(&arguments.output).ok().and_then(|index| index.header().vectors.clone());
    let known = before.as_ref().map(|vectors| vectors.model.as_str());
    let named = arguments.embedding.as_deref();
    let model = named.or(known).unwrap_or(Embedder::DEFAULT_MODEL);
    let outside = embedding_backend(named)?;
    // The index that is there may be anybody's: its model is asked only if it is named here.
    let opened = match known {
        Some(known) if named.is_none() => Embedder::for_index(known, None, &outside),
        _ => Embedder::open(model, &outside),
    };
    match opened {
        Ok(embedder) => Ok(Some(embedder)),
        Err(RetrievalError::Vectors { reason, remedy, .. }) if arguments.embedding.is_none() && before.is_none() => {
            remark(&format!("without vectors: no `{model}`: {reason}"));
            if let Some(remedy) = remedy {
                remark(&remedy);
            }
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn build_summary(built: &BuildReport, index: &str) -> String {
    let whole = format!(
        "{}, {}, {}",
        count_with_noun(built.files, "file", "files"),
        count_with_noun(built.documents, "document", "documents"),
        count_with_noun(built.passages, "passage", "passages"),
    );
    let vectors = match &built.model {
        Some(model) => format!("with vectors of {model}"),
        None => "without vectors".to_owned(),
    };
    let index = escape::terminal(index);
    if built.is_unchanged {
        return format!("{index} is up to date: {whole}, {vectors}\n");
    }
    let mut changes = vec![format!("{} read", count_with_noun(built.read, "file", "files"))];
    let taken = built.files.saturating_sub(built.read);
    if taken > 0 {
        changes.push(format!("{taken} unchanged"));
    }
    if built.removed > 0 {
        changes.push(format!("{} gone", built.removed));
    }
    format!("{index}: {whole}, {vectors} ({})\n", changes.join(", "))
}

struct Bar {
    bar: ProgressBar,
}

impl Bar {
    fn new(quiet: bool) -> Self {
        let is_shown = !quiet && io::stderr().is_terminal();
        let bar = if is_shown { ProgressBar::new(1) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {bar:24} {percent:>3} %  {msg}") {
            bar.set_style(style);
        }
        Self { bar }
    }

    fn show(&self, stage: BuildStage) {
        if self.bar.is_hidden() {
            return;
        }
        let (files, of, text) = match stage {
            BuildStage::Looking { files, of } => (files, of, "looking at files".to_owned()),
            BuildStage::Reading { files, of, passages } => (files, of, format!("{} passages", HumanCount(passages))),
            BuildStage::Writing { passages } => (1, 1, format!("putting {} passages together", HumanCount(passages))),
        };
        self.bar.set_length(of.max(1));
        self.bar.set_position(files);
        self.bar.set_message(text);
    }
}
