//! Questions asked in one go with their grading: from an index on this machine, or from a server with the published interface.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Arg, ArgMatches, Args as _, Command, FromArgMatches as _};
use probare_benchmarks::socioscope::input::{Fixture, QuestionPair};
use probare_core::{Backend, ChatRequest};
use probare_engine::{ModelBackend, RunOptions};
use probare_formats::{LARGEST_DOCUMENT, read_whole};
use probare_models::Client;
use probare_report::OutputWriter;
use probare_report::Utc;
use probare_report::number::count_with_noun;
use probare_retrieval::answer::{self, AnswerError, ContextItem, PromptReply, PromptRequest, remote};
use probare_retrieval::{Filter, RetrievalError, SearchRequest};
use serde_json::{Map, Value as Json, json};

use super::super::benchmark_hooks::{Judges, Preparation};
use super::super::flags::{ForQuestions, OptionSet as _};
use super::super::model_call_flags;
use super::super::rag::{self, OpenIndex};
use super::super::remark;
use crate::failure::Failure;

/// Failures that are named; all are counted.
const SHOWN: usize = 5;

/// Who answers the questions of a fixture before they are graded.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Asking the questions of FIXTURE")]
pub struct EndpointFlags {
    /// Ask the questions first: from this index, which `probare rag index` made
    #[arg(long, value_name = "INDEX", requires = "model", conflicts_with = "url", env = "PROBARE_INDEX")]
    pub index: Option<PathBuf>,

    /// Ask the questions first: at this address, with the token in `EVALUATION_API_AUTH`; replay:FILE for its recorded replies
    #[arg(long, value_name = "URL", requires = "model", env = "PROBARE_URL")]
    pub url: Option<String>,

    /// Embedding model, if the index was built with one of a server or program: provider:model
    #[arg(long, value_name = "MODEL", requires = "index", env = "PROBARE_EMBEDDING")]
    pub embedding: Option<String>,

    /// Model that answers: provider:model
    #[arg(long, value_name = "MODEL", env = "PROBARE_MODEL")]
    pub model: Option<String>,

    /// Number of passages to give to the model
    #[arg(short, long, value_name = "N", default_value_t = answer::DEFAULT_K, value_parser = rag::passages, env = "PROBARE_K")]
    pub k: usize,

    /// Search only documents with this metadata, and the transcript that a question is about (repeatable)
    #[arg(long, value_name = "FIELD=VALUE", env = "PROBARE_FILTER")]
    pub filter: Vec<String>,
}

/// One question to be asked: of which pair, about which transcript.
struct PendingQuestion {
    pair: usize,
    source: Option<String>,
    request: PromptRequest,
}

/// Whoever answers.
pub enum QuestionBackend {
    /// An index and a model.
    Local(Box<OpenIndex>, Arc<ModelBackend>, String),
    /// A server that retrieves by itself.
    Remote(Arc<ModelBackend>, String),
}

/// Questions asked before they are graded.
pub struct AskBeforeGrading;

impl Preparation for AskBeforeGrading {
    fn benchmark(&self) -> &'static str {
        "socioscope"
    }

    fn flags(&self) -> Vec<Arg> {
        EndpointFlags::augment_args(Command::new("endpoint")).get_arguments().cloned().collect()
    }

    fn takes(&self, name: &str) -> bool {
        ForQuestions::takes(name)
    }

    fn prepare(
        &self,
        matches: &ArgMatches,
        options: &mut Map<String, Json>,
        settings: &RunOptions,
    ) -> Result<Option<Judges>, Failure> {
        if let Some(endpoint) = EndpointFlags::from_matches(matches)? {
            endpoint.answer(options, settings)?;
        }
        Ok(None)
    }
}

impl EndpointFlags {
    /// What the command line says; nothing where the fixture is graded as it is.
    pub fn from_matches(matches: &ArgMatches) -> Result<Option<Self>, Failure> {
        if matches.try_contains_id("index").is_err() {
            return Ok(None);
        }
        let endpoint = Self::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
        if endpoint.index.is_none() && endpoint.url.is_none() {
            if endpoint.model.is_some() {
                return Err(Failure::usage("--model answers from an index or at an address, and neither is named")
                    .hint("add --index INDEX or --url URL"));
            }
            return Ok(None);
        }
        Ok(Some(endpoint))
    }

    /// Opens the model, and the index where there is one. Nothing is sent.
    pub fn open(&self, settings: &RunOptions) -> Result<QuestionBackend, Failure> {
        let model = self.model.clone().ok_or_else(|| Failure::usage("no model is named").hint("add --model MODEL"))?;
        let mut asking = settings.model_access();
        let name = match (&self.index, self.url.as_deref()) {
            (Some(_), _) | (None, None) => model,
            (None, Some(url)) if url.starts_with("replay:") => url.to_owned(),
            (None, Some(url)) => {
                let settings = remote::settings(url, &model);
                let name = settings.name.clone();
                asking.models.push(settings);
                name
            }
        };
        asking.under_test = vec![name.clone()];
        let asked = Arc::new(asking.open(&mut [], probare_benchmarks::registry())?);
        let outside: Arc<dyn Backend> = Arc::<ModelBackend>::clone(&asked);
        Ok(match &self.index {
            Some(index) => {
                let opened =
                    rag::open_index(index, probare_retrieval::Mode::Hybrid, self.embedding.as_deref(), &outside)?;
                QuestionBackend::Local(Box::new(opened), asked, name)
            }
            None => QuestionBackend::Remote(asked, name),
        })
    }

    /// The request of a question about a transcript.
    pub fn request(&self, question: &str, source: Option<&str>) -> Result<PromptRequest, Failure> {
        let filter = Filter::parse(&self.filter).map_err(RetrievalError::from)?;
        let Json::Object(mut filter) = filter.to_json() else {
            return Err(Failure::usage("the filter is not an object"));
        };
        if let Some(source) = source {
            filter.insert("FILE".to_owned(), json!(source));
        }
        let model = self.model.clone().unwrap_or_default();
        Ok(PromptRequest { k: self.k, filter, question: question.to_owned(), model })
    }

    /// Asks all questions of the fixture, writes them with their answers beside the results, and has these graded.
    pub fn answer(&self, options: &mut Map<String, Json>, settings: &RunOptions) -> Result<(), Failure> {
        let path = options.get("fixture").and_then(Json::as_str).map(str::to_owned);
        let path = path.ok_or_else(|| {
            Failure::usage("FIXTURE is missing: the questions that are asked")
                .hint("probare socioscope questions.json corpus.json --index INDEX --model MODEL --out results")
        })?;
        let (bytes, _) = read_whole(&path, LARGEST_DOCUMENT)?;
        let fixture = Fixture::read(&bytes, &path).map_err(|error| Failure::from_error(&error))?;
        let asked = self.questions(&fixture, &path)?;
        let answerer = self.open(settings)?;
        let is_quiet = settings.quiet == Some(true);
        if !is_quiet {
            remark(&format!("asking {}", count_with_noun(asked.len() as u64, "question", "questions")));
        }
        let requests: Vec<&PromptRequest> = asked.iter().map(|one| &one.request).collect();
        let replies = answerer.ask(&requests)?;
        answerer.print_usage(is_quiet);
        refuse_unanswered(&fixture, &asked, &replies)?;
        let whole = answered_fixture(&fixture, &asked, replies.into_iter().flatten());
        let stamp = options.get("timestamp").and_then(Json::as_str).map(str::to_owned);
        let stamp = stamp.unwrap_or_else(|| Utc::from_system_time(std::time::SystemTime::now()).stamp());
        let folder = options.get("out").and_then(Json::as_str).unwrap_or(".").to_owned();
        let target = Path::new(&folder).join(format!("answers_{stamp}.json"));
        let shown = target.display().to_string();
        if target.exists() {
            return Err(Failure::new(format!("`{shown}` already exists")).hint("name another --out or --timestamp"));
        }
        std::fs::create_dir_all(&folder).map_err(|error| Failure::file("make", &folder, &error))?;
        let text = format!("{whole:#}\n");
        OutputWriter::write_file(&target, text.as_bytes()).map_err(|error| Failure::file("write", &shown, &error))?;
        if !is_quiet {
            remark(&format!("wrote {shown}"));
        }
        options.insert("fixture".to_owned(), json!(shown));
        options.insert("timestamp".to_owned(), json!(stamp));
        Ok(())
    }

    /// The questions of a fixture, each about each of its transcripts.
    fn questions(&self, fixture: &Fixture, path: &str) -> Result<Vec<PendingQuestion>, Failure> {
        let mut asked = Vec::new();
        for (pair, given) in fixture.pairs.iter().enumerate() {
            if given.question.trim().is_empty() {
                let place = &given.path;
                let message = format!("`{path}` at `{place}.question.text`: is empty, so nothing can be asked");
                return Err(Failure::new(message));
            }
            for source in sources(given) {
                let request = self.request(&given.question, source.as_deref())?;
                asked.push(PendingQuestion { pair, source, request });
            }
        }
        Ok(asked)
    }
}

/// Names the questions that got no answer.
fn refuse_unanswered(
    fixture: &Fixture,
    asked: &[PendingQuestion],
    replies: &[Result<PromptReply, AnswerError>],
) -> Result<(), Failure> {
    let failed: Vec<String> = replies
        .iter()
        .zip(asked)
        .filter_map(|(reply, one)| Some(format!("{}: {}", fixture.pairs[one.pair].id, reply.as_ref().err()?)))
        .collect();
    if failed.is_empty() {
        return Ok(());
    }
    let shown: Vec<&str> = failed.iter().take(SHOWN).map(String::as_str).collect();
    let more = if failed.len() > SHOWN { format!("\nand {} more", failed.len() - SHOWN) } else { String::new() };
    Err(Failure::new(format!(
        "{} of {} got no answer, and what is not answered is not graded\n{}{more}",
        failed.len(),
        count_with_noun(asked.len() as u64, "question", "questions"),
        shown.join("\n")
    ))
    .hint("answers that came are recorded: the same command asks only for the others"))
}

/// The fixture with these answers in place of its own.
fn answered_fixture(fixture: &Fixture, asked: &[PendingQuestion], replies: impl Iterator<Item = PromptReply>) -> Json {
    let mut answers: Vec<Vec<Json>> = vec![Vec::new(); fixture.pairs.len()];
    for (one, reply) in asked.iter().zip(replies) {
        let mut answer = json!({
            "answer": reply.answer.answer, "model": one.request.model, "context": reply.context,
            "citations": reply.answer.citations,
        });
        if let Some(source) = &one.source {
            answer["source"] = json!(source);
        }
        answers[one.pair].push(answer);
    }
    let with_answers = |(pair, answers): (&QuestionPair, Vec<Json>)| {
        let mut given = pair.given.clone();
        // What stood on the pair belonged to an answer that is replaced.
        given.remove("context");
        given.remove("citations");
        given.insert("answers".to_owned(), answers.into());
        Json::Object(given)
    };
    let pairs: Vec<Json> = fixture.pairs.iter().zip(answers).map(with_answers).collect();
    let mut whole = fixture.given.clone();
    whole.insert("qa_pairs".to_owned(), pairs.into());
    Json::Object(whole)
}

/// The transcripts that a question is about, in their order; nothing where no answer names one.
fn sources(pair: &QuestionPair) -> Vec<Option<String>> {
    let mut sources: Vec<Option<String>> = Vec::new();
    for answer in &pair.answers {
        if !sources.contains(&answer.source) {
            sources.push(answer.source.clone());
        }
    }
    if sources.is_empty() { vec![None] } else { sources }
}

impl QuestionBackend {
    fn client(&self) -> Result<&Client, Failure> {
        let (Self::Local(_, asked, name) | Self::Remote(asked, name)) = self;
        asked.client(name).ok_or_else(|| Failure::new(format!("there is no model `{name}`")))
    }

    fn print_usage(&self, quiet: bool) {
        let (Self::Local(_, asked, _) | Self::Remote(asked, _)) = self;
        model_call_flags::print_model_usage(&asked.usage(), quiet);
    }

    /// One reply for each request, in their order; they are asked at once, as far as limits allow.
    pub fn ask(&self, requests: &[&PromptRequest]) -> Result<Vec<Result<PromptReply, AnswerError>>, Failure> {
        let client = self.client()?;
        match self {
            Self::Remote(..) => {
                let questions: Vec<ChatRequest> = requests.iter().map(|request| remote::question(request)).collect();
                let replies = client.ask(&questions);
                Ok(replies
                    .iter()
                    .zip(requests)
                    .map(|(reply, request)| remote::read_content(&reply.content, request))
                    .collect())
            }
            Self::Local(opened, ..) => {
                let mut contexts = Vec::new();
                for request in requests {
                    let search: SearchRequest = request.search().map_err(rag::answer_failure)?;
                    let found = opened.index.search(&search, opened.embedder.as_ref())?;
                    let checked = answer::check_found(&opened.index, &search, &found);
                    contexts.push(checked.map(|()| answer::context_passages(&found.hits)));
                }
                // A question without passages is asked of nobody.
                let each = requests.iter().zip(&contexts);
                let questions: Vec<ChatRequest> = each
                    .filter_map(|(request, context)| Some(answer::question(&request.question, context.as_ref().ok()?)))
                    .collect();
                let replies = client.ask(&questions);
                let mut replies = replies.iter();
                let answered = requests.iter().zip(contexts).map(|(request, context)| {
                    let context = context?;
                    let Some(reply) = replies.next() else {
                        return Err(AnswerError::Request("the model was not asked".to_owned()));
                    };
                    let answer = answer::read_content(&reply.content)?;
                    let item = |given: probare_core::Passage| ContextItem {
                        page_content: given.text,
                        metadata: given.metadata,
                    };
                    let context = context.into_iter().map(item).collect();
                    Ok(PromptReply { question: request.question.clone(), context, answer })
                });
                Ok(answered.collect())
            }
        }
    }
}
