//! `probare rag`: a corpus indexed, searched, asked and tested, beside the benchmark `probare rag eval`.

mod ask;
mod citations;
mod index;
mod pdf;
mod search;
mod test;

use std::path::PathBuf;
use std::sync::Arc;

use probare_core::Backend;
use probare_retrieval::stores::Postgres;
use probare_retrieval::{Embedder, Filter, Index, Mode, RetrievalError, SearchRequest, SearchResults};

pub use ask::{answer_failure, open_models};
use probare_engine::RunOptions;

use super::flags::{ForModelCalls, OptionFlags};
use super::{print, remark};
use crate::failure::{CommandResult, Failure};

/// Index a corpus, search it, ask about it, and evaluate what comes back
///
/// `index` reads transcripts, texts, tables and PDF files into a folder; `search` ranks its passages by words and by meaning;
/// `ask` lets a model answer from them and checks every citation; `test` measures both on questions with known passages; `eval` scores existing responses.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Index(index::Arguments),
    Search(search::Arguments),
    Ask(Box<ask::Arguments>),
    Test(Box<test::Arguments>),
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    match &arguments.command {
        Command::Index(arguments) => index::run(arguments),
        Command::Search(arguments) => search::run(arguments),
        Command::Ask(arguments) => ask::run(arguments),
        Command::Test(arguments) => test::run(arguments),
    }
}

/// What a run would be made of; nothing for a command that scores nothing.
pub fn settings(arguments: &Arguments) -> Result<Option<RunOptions>, Failure> {
    match &arguments.command {
        Command::Test(arguments) => test::settings(arguments).map(|(_, settings)| Some(settings)),
        Command::Index(_) | Command::Search(_) | Command::Ask(_) => Ok(None),
    }
}

/// What is searched, and how.
#[derive(Debug, Clone, clap::Args)]
pub struct SearchFlags {
    /// The index, a folder that `probare rag index` made
    #[arg(value_name = "INDEX")]
    pub index: PathBuf,

    /// Maximum number of passages
    #[arg(short, long, value_name = "N", default_value_t = 10, value_parser = passages, env = "PROBARE_K")]
    pub k: usize,

    /// Search only documents with this metadata: COUNTRY=France, COUNTRY=France,Poland, YEAR=2018..2020 or PROJECT=DK-* (repeatable)
    #[arg(long, value_name = "FIELD=VALUE", env = "PROBARE_FILTER")]
    pub filter: Vec<String>,

    /// PostgreSQL with pgvector to search, instead of the vectors in the index; filled by `rag index --postgres`
    #[arg(long, value_name = "URL", hide_env_values = true, env = "PROBARE_POSTGRES")]
    pub postgres: Option<String>,

    /// Embedding model, if the index was built with one of a server or program: provider:model, or a name from the configuration
    #[arg(long, value_name = "MODEL", env = "PROBARE_EMBEDDING")]
    pub embedding: Option<String>,

    /// How passages are ranked: by words (BM25), by vectors, or by both
    #[arg(long, value_name = "MODE", value_enum, default_value_t, env = "PROBARE_MODE")]
    pub mode: ModeFlag,
}

/// How passages are ranked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ModeFlag {
    /// By both: a weighted mean of their scores
    #[default]
    Hybrid,
    /// By both: the sum of their reciprocal ranks
    #[value(name = "hybrid_ranks")]
    HybridRanks,
    /// By words: BM25
    Words,
    /// By vectors
    Vectors,
}

impl From<ModeFlag> for Mode {
    fn from(flag: ModeFlag) -> Self {
        match flag {
            ModeFlag::Hybrid => Self::Hybrid,
            ModeFlag::HybridRanks => Self::HybridRanks,
            ModeFlag::Words => Self::Words,
            ModeFlag::Vectors => Self::Vectors,
        }
    }
}

/// Reads a number of passages.
pub fn passages(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(number) if (1..=10_000).contains(&number) => Ok(number),
        _ => Err("a whole number from 1 to 10000 is expected".to_owned()),
    }
}

/// An index that is open, with the model that embeds questions where it has vectors and the model is there.
pub struct OpenIndex {
    /// The index.
    pub index: Index,
    /// Who embeds questions.
    pub embedder: Option<Embedder>,
}

impl SearchFlags {
    /// Opens the index. A model that is missing is no error unless vectors are all that is asked for.
    pub fn open(&self, outside: &Arc<dyn Backend>) -> Result<OpenIndex, Failure> {
        let OpenIndex { mut index, embedder } =
            open_index(&self.index, self.mode.into(), self.embedding.as_deref(), outside)?;
        if let Some(url) = self.postgres.as_ref().filter(|_| self.mode != ModeFlag::Words) {
            let store = Postgres::open(url)?;
            store.check(&index)?;
            index = index.with_store(Arc::new(store));
        }
        Ok(OpenIndex { index, embedder })
    }

    /// The question as a search.
    pub fn search(&self, question: &str) -> Result<SearchRequest, Failure> {
        if question.trim().is_empty() {
            return Err(Failure::usage("the question is empty"));
        }
        let filter = Filter::parse(&self.filter).map_err(RetrievalError::from)?;
        Ok(SearchRequest { question: question.to_owned(), k: self.k, filter, mode: self.mode.into() })
    }
}

/// Who gives vectors where no other model is asked: the model that the user names, by the configuration where it is one of
/// its own; without a name this machine alone.
fn embedding_backend(named: Option<&str>) -> Result<Arc<dyn Backend>, Failure> {
    let asked = match named {
        Some(_) => open_models(&[], None, &OptionFlags::<ForModelCalls>::default())?,
        None => probare_engine::ModelAccess::local().open(&mut [], probare_benchmarks::registry())?,
    };
    Ok(Arc::new(asked))
}

/// Opens an index and the model of its vectors, as far as the mode needs it. `embedding` is the model that the user names:
/// the index does not decide who is asked.
pub fn open_index(
    folder: &std::path::Path,
    mode: Mode,
    embedding: Option<&str>,
    outside: &Arc<dyn Backend>,
) -> Result<OpenIndex, Failure> {
    let index = Index::open(folder)?;
    let model = index.header().vectors.as_ref().map(|vectors| vectors.model.clone());
    let embedder = match model.filter(|_| mode != Mode::Words) {
        None => None,
        Some(model) => match Embedder::for_index(&model, embedding, outside) {
            Ok(embedder) => Some(embedder),
            // Who names a model wants its vectors.
            Err(error) if mode == Mode::Vectors || embedding.is_some() => return Err(error.into()),
            Err(error) => {
                remark(&format!("searching by words alone: {error}"));
                if let RetrievalError::Vectors { remedy: Some(remedy), .. } = &error {
                    remark(&format!("hint: {remedy}"));
                }
                None
            }
        },
    };
    Ok(OpenIndex { index, embedder })
}

impl OpenIndex {
    /// Searches and says what the reader should know.
    pub fn search(&self, search: &SearchRequest) -> Result<SearchResults, Failure> {
        let found = self.index.search(search, self.embedder.as_ref())?;
        Self::print_remarks(&found);
        Ok(found)
    }

    /// Says what the reader of results should know.
    pub fn print_remarks(found: &SearchResults) {
        for text in &found.remarks {
            remark(text);
        }
    }
}

impl From<RetrievalError> for Failure {
    fn from(error: RetrievalError) -> Self {
        use probare_retrieval::{CorpusError, FilterError};
        let failure = Self::from_error(&error);
        match &error {
            RetrievalError::NoIndex(_) => failure.hint("make one: probare rag index CORPUS -o INDEX"),
            RetrievalError::NotEmpty { .. } => {
                failure.hint("name a new folder after -o, or an index to bring up to date")
            }
            RetrievalError::Busy(_) => failure.hint("meanwhile you can search the existing index"),
            RetrievalError::Format { .. } | RetrievalError::Damaged { .. } | RetrievalError::Words { .. } => {
                failure.hint("rebuild it: probare rag index CORPUS -o INDEX")
            }
            RetrievalError::Vectors { remedy: Some(remedy), .. } => failure.hint(remedy.clone()),
            RetrievalError::NoVectors(_) => {
                failure.hint("use --mode words, or index the corpus where the embedding model is there")
            }
            RetrievalError::Store { is_stale: true, .. } => {
                failure.hint("bring it up to date: probare rag index CORPUS -o INDEX --postgres URL")
            }
            RetrievalError::SameKey { .. } => {
                failure.hint("every document needs a FILE, document_id or _id of its own")
            }
            RetrievalError::Corpus(CorpusError::Empty { .. }) => {
                failure.hint(format!("files with these extensions are read: {}", probare_retrieval::corpus::EXTENSIONS))
            }
            RetrievalError::Corpus(CorpusError::Pdf { is_missing: true, .. }) => failure.hint(pdf::REMEDY),
            RetrievalError::Filter(FilterError::Unknown { similar: Some(similar), .. }) => {
                failure.hint(format!("a field with a similar name exists: `{similar}`")).into_usage()
            }
            RetrievalError::Filter(_) => failure.into_usage(),
            _ => failure,
        }
    }
}

/// Prints JSON.
fn print_json(json: &serde_json::Value) -> CommandResult {
    print(&format!("{json:#}\n"))
}
