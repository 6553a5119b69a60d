//! [`ModelAccess`]: which models a run may ask, on which terms and on whose word. [`ModelBackend`]: the same, opened: the one
//! [`Outside`] of the run, which answers judges and gives vectors, and knows what a manifest says about both.
//!
//! This is the only place where models are opened: every command, the server and Python come here. Whatever they name is run
//! or contacted at the level [`Trust::Trusted`] alone.
//!
//! Every metric that asks has the names of its judges among its options, written there before the run where the user left them
//! out, and its prompt as text. So a manifest says who judged with which words, and a finished run can be judged again from
//! recorded replies.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use probare_core::{
    Backend, BackendAnswer, BuildError, ErrorKind, InputFile, JudgeAction, MetricRequest, ModelRecord, PendingRequests,
    PromptRecord, Registry, ReplyContent, RunCosts, Sha256, Submission, Trust, closest,
};
use probare_files::read_plain;
use probare_formats::{CaseFileError, read_whole};
use probare_metrics::judges::Rubric;
use probare_metrics::{cascade, judges};
use probare_models::{
    BatchReport, CacheFile, CacheKey, CallCounts, ModelOptions, ModelSettings, Models, OpenError, Provider,
};
use serde_json::{Map, Value as Json};

use probare_store::{Store, StoreError};

/// Bytes of the largest prompt that is read from a file.
const LARGEST_PROMPT: u64 = 1024 * 1024;

/// Bytes of the largest file of recorded replies that stands for a model.
const LARGEST_CASSETTE: u64 = 4 << 30;

/// Which models a run may ask, and on which terms.
#[derive(Clone)]
pub struct ModelAccess {
    /// On which terms they are asked, and whose word names them.
    pub options: ModelOptions,
    /// Models by name.
    pub models: Vec<ModelSettings>,
    /// Names of the models that judge where a metric names none: of `models`, or `provider:model`.
    pub judges: Vec<String>,
    /// Names of the models under test.
    pub under_test: Vec<String>,
    /// Whether all their outputs are there, so that none of them is asked and no key of theirs is needed.
    pub has_outputs: bool,
    /// Whether questions that are asked together are answered together or not at all: where one reply is not recorded,
    /// none of them is given, so that no judge makes a verdict of the rest.
    pub whole: bool,
    /// Whether a published benchmark is run: it takes what a model said for its answer, however that ended.
    pub is_published: bool,
}

/// The models cannot be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelAccessError {
    /// A metric asks a model, and none is named.
    #[error("`{metric}` asks a model, and none is named")]
    NoJudge { metric: String },
    /// A judge is not among the models and says not who it is.
    #[error("`{metric}` needs the judge `{judge}`: {reason}")]
    UnknownJudge { metric: String, judge: String, reason: String, similar: Option<String> },
    /// A model that answers in place of another is not among the models and says not who it is.
    #[error("`fallback` of model `{model}` names `{fallback}`: {reason}")]
    UnknownFallback {
        model: String,
        /// The one that answers in its place.
        fallback: String,
        reason: String,
        similar: Option<String>,
    },
    /// The option `judges` is not a list of names.
    #[error("`judges` of `{metric}` is not a list of names of models")]
    Judges { metric: String },
    /// A prompt or a rubric cannot be read.
    #[error("the {kind} of `{metric}` cannot be read")]
    Unreadable {
        kind: &'static str,
        metric: String,
        #[source]
        source: CaseFileError,
    },
    /// A file is no rubric.
    #[error("`{file}`, the rubric of `{metric}`: {reason}")]
    RubricForm { metric: String, file: String, reason: String },
    /// A file of recorded replies cannot be read.
    #[error("the recorded replies `{path}` cannot be read")]
    Cassette {
        path: String,
        #[source]
        source: std::io::Error,
    },
    /// Offline, but there is no record.
    #[error("offline, but the response cache `{}` does not exist", record.display())]
    NoRecord { record: PathBuf },
    /// Batches are wanted, and no model takes them.
    #[error("no model of this run has a batch interface")]
    NoBatch,
    /// The models cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// Models that are ready to be asked.
pub struct ModelBackend {
    models: Models,
    /// The models, for the manifest.
    pub used: Vec<ModelRecord>,
    /// The prompts, for the manifest.
    pub prompts: Vec<PromptRecord>,
    /// Files of recorded replies that stand for a model.
    pub inputs: Vec<InputFile>,
    /// Whether somebody wants cut replies to be scored as if they were whole.
    pub score_truncated: bool,
    notes: Arc<AnswerNotes>,
}

/// How the questions of a run ended.
#[derive(Debug, Clone, Default)]
pub struct ModelUsage {
    /// Questions by their end.
    pub counts: CallCounts,
    /// What the calls cost: of the whole run, where it has a store, else of this process.
    pub costs: RunCosts,
    /// Whether the budget kept a question from being asked.
    pub is_budget_reached: bool,
    /// Models whose provider asks for a longer pause than a question may take, and the pause.
    pub postponed: BTreeMap<String, Duration>,
    /// How the batches of the run stand, where questions are gathered for them.
    pub batches: Option<BatchReport>,
    /// Replies with a stop reason that nobody documents, by model and word.
    pub unknown_stops: BTreeMap<(String, String), u64>,
    /// Requests at once that the settings allow, and the most that a run makes, where that is less.
    pub unused_concurrency: Option<(usize, usize)>,
    /// Replies that were wanted and are not recorded: model and key, the first thousand.
    pub missing: Vec<(String, CacheKey)>,
    /// Recorded replies that were looked up in the response cache and used.
    pub recalled: u64,
    /// Recorded replies that were ignored, since they carry no owner tag of this user.
    pub ignored: u64,
    /// Metrics that miss a recorded reply.
    pub unrecorded: BTreeSet<String>,
    /// Replies without a code by their metric: recorded before judges were told one, or to a published prompt that tells
    /// none. A judge that repeats a verdict from the text it was shown is believed there.
    pub without_nonce: BTreeMap<String, u64>,
}

/// Whether the option `rubric` names a file.
pub(crate) fn is_rubric_file(rubric: &str) -> bool {
    let is_yaml = Path::new(rubric)
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("yaml") || extension.eq_ignore_ascii_case("yml"));
    is_yaml && !rubric.contains('\n')
}

/// Puts the text of the rubric file that a metric names into its options, so that a finished run has it. For requests of the
/// user alone.
pub fn read_rubric_file(request: &mut MetricRequest) -> Result<(), ModelAccessError> {
    let metric = request.name.clone();
    let Some(Json::String(rubric)) = request.options.get_mut("rubric") else { return Ok(()) };
    if !is_rubric_file(rubric) {
        return Ok(());
    }
    let (bytes, _) = read_whole(rubric, LARGEST_PROMPT).map_err(|source| ModelAccessError::Unreadable {
        kind: "rubric",
        metric: metric.clone(),
        source,
    })?;
    // A text on several lines is a rubric; a name is one of the library.
    let text = String::from_utf8_lossy(&bytes).trim_end().to_owned() + "\n";
    Rubric::from_yaml(&text).map_err(|error| ModelAccessError::RubricForm {
        metric,
        file: rubric.clone(),
        reason: error.to_string(),
    })?;
    *rubric = text;
    Ok(())
}

impl ModelAccess {
    /// Nobody but this machine answers: for clients of a server, and for whoever names nothing.
    pub fn local() -> Self {
        Self::new(ModelOptions::new(Trust::LocalOnly))
    }

    /// Models that a file names: this user's record answers for them, and this machine.
    pub fn recorded(models: Vec<ModelSettings>, record: &CacheFile) -> Self {
        let record = Some(record.clone());
        let options = ModelOptions { offline: true, record, ..ModelOptions::new(Trust::RecordedOnly) };
        Self { models, whole: true, ..Self::new(options) }
    }

    /// No models yet, on these terms.
    pub const fn new(options: ModelOptions) -> Self {
        Self {
            options,
            models: Vec::new(),
            judges: Vec::new(),
            under_test: Vec::new(),
            has_outputs: false,
            whole: false,
            is_published: false,
        }
    }

    /// Writes judges and prompts into the options of every metric that asks, and opens the models that they name. Nothing
    /// is sent, and nothing is opened where no metric asks.
    pub fn open(&self, requests: &mut [MetricRequest], registry: &Registry) -> Result<ModelBackend, ModelAccessError> {
        let mut panels: Vec<(String, Vec<String>)> = Vec::new();
        let mut prompts = Vec::new();
        for request in requests.iter_mut().filter(|request| asks_judges(request, registry)) {
            let judges = self.settle(request)?;
            panels.push((request.name.clone(), judges));
            let definition = registry.get(&request.id).ok();
            if let Some(prompt) = definition.and_then(|metric| judges::prompt(metric, &request.options)) {
                prompts
                    .push(PromptRecord { metric: request.name.clone(), sha256: Sha256::hex_digest(prompt.as_bytes()) });
            }
        }
        let mut settings = self.find_models(&panels)?;
        let inputs = self.open_cassettes(&mut settings)?;
        let mut options = self.options.clone();
        let judges: BTreeSet<&String> = panels.iter().flat_map(|(_, judges)| judges).collect();
        let unasked = self.under_test.iter().filter(|name| self.has_outputs && !judges.contains(name));
        options.unasked = unasked.cloned().collect();
        options.record = options.record.filter(|_| options.trust.may_use_cache() && !options.only_looks);
        options.score_truncated |= self.is_published;
        let names: Vec<String> = settings.keys().cloned().collect();
        let mut models = Models::open(settings.into_values().collect(), self.models.clone(), options)?;
        for (metric, judges) in &panels {
            let names: Vec<&str> = judges.iter().map(String::as_str).collect();
            models = models.assign_judges(metric, &names)?;
        }
        let batch = self.options.batch && !self.options.offline;
        let mut clients = names.iter().filter_map(|name| models.client(name));
        if batch && !clients.any(probare_models::Client::takes_batches) {
            return Err(ModelAccessError::NoBatch);
        }
        let used =
            names.iter().filter_map(|name| models.client(name)).map(probare_models::Client::model_used).collect();
        Ok(ModelBackend {
            models,
            used,
            prompts,
            inputs,
            score_truncated: self.options.score_truncated,
            // A judge makes no verdict of some of its replies while others are on their way.
            notes: Arc::new(AnswerNotes { whole: self.whole || batch, ..AnswerNotes::default() }),
        })
    }

    /// Settings of all models by name: those under test, the judges, and those that answer in place of others.
    fn find_models(
        &self,
        panels: &[(String, Vec<String>)],
    ) -> Result<BTreeMap<String, ModelSettings>, ModelAccessError> {
        let mut settings: BTreeMap<String, ModelSettings> = BTreeMap::new();
        for name in &self.under_test {
            settings.insert(name.clone(), self.model("run", name)?);
        }
        for (metric, judges) in panels {
            for judge in judges {
                if !settings.contains_key(judge) {
                    settings.insert(judge.clone(), self.model(metric, judge)?);
                }
            }
        }
        let is_idle = |name: &String| {
            self.has_outputs
                && self.under_test.contains(name)
                && panels.iter().all(|(_, judges)| !judges.contains(name))
        };
        let wanted: Vec<(String, String)> = (settings.iter().filter(|(name, _)| !is_idle(name)))
            .flat_map(|(name, model)| model.fallback.iter().map(|other| (name.clone(), other.clone())))
            .collect();
        for (model, fallback) in wanted {
            if let Entry::Vacant(place) = settings.entry(fallback) {
                let found = self.find_model(place.key()).map_err(|(reason, similar)| {
                    ModelAccessError::UnknownFallback { model, fallback: place.key().clone(), reason, similar }
                })?;
                place.insert(found);
            }
        }
        Ok(settings)
    }

    /// Opens the files of recorded replies that stand for models. The others need the response cache where nobody is asked.
    fn open_cassettes(
        &self,
        settings: &mut BTreeMap<String, ModelSettings>,
    ) -> Result<Vec<InputFile>, ModelAccessError> {
        let mut inputs = Vec::new();
        let mut needs_record = false;
        for model in settings.values_mut() {
            match cassette(model).filter(|path| self.may_open(path)) {
                Some(path) => {
                    let input = open_cassette(model, &path)?;
                    if !inputs.contains(&input) {
                        inputs.push(input);
                    }
                }
                None => needs_record = true,
            }
        }
        let options = &self.options;
        match options.record.as_ref().filter(|record| !record.path.exists()) {
            Some(record) if needs_record && !options.only_looks && options.offline && options.trust.may_ask() => {
                Err(ModelAccessError::NoRecord { record: record.path.clone() })
            }
            _ => Ok(inputs),
        }
    }

    /// Whether a file of recorded replies is opened because it is named.
    fn may_open(&self, path: &str) -> bool {
        self.options.trust.may_ask() || self.options.cassettes.iter().any(|known| known.as_os_str() == path)
    }

    /// The judges of a metric. They, and the text of the prompt, are written into its options.
    fn settle(&self, request: &mut MetricRequest) -> Result<Vec<String>, ModelAccessError> {
        // Only whoever may ask names files.
        if self.options.trust.may_ask() {
            read_rubric_file(request)?;
        }
        let metric = || request.name.clone();
        let given = request.options.get("judges").cloned().unwrap_or(Json::Array(Vec::new()));
        let mut judges: Vec<String> =
            serde_json::from_value(given).map_err(|_| ModelAccessError::Judges { metric: metric() })?;
        if judges.is_empty() {
            judges.clone_from(&self.judges);
        }
        // Where nobody is asked nobody has to be named: the reply is missing. Vectors may be all that a metric wants.
        let wants_vectors = request.options.get("embedding").is_some_and(Json::is_string);
        if judges.is_empty() && !wants_vectors && self.options.trust.may_ask() {
            return Err(ModelAccessError::NoJudge { metric: metric() });
        }
        let file = request.options.get("prompt").and_then(Json::as_str).and_then(|prompt| prompt.strip_prefix('@'));
        // A finished run has the text of its prompts; a file that it names is nobody's wish.
        let file = file.filter(|_| self.options.trust.may_ask());
        let prompt = file
            .map(|file| {
                read_whole(file, LARGEST_PROMPT)
                    .map(|(bytes, _)| String::from_utf8_lossy(&bytes).into_owned())
                    .map_err(|source| ModelAccessError::Unreadable { kind: "prompt", metric: metric(), source })
            })
            .transpose()?;
        if request.options.is_null() {
            request.options = Json::Object(Map::new());
        }
        if let Json::Object(options) = &mut request.options {
            options.insert("judges".to_owned(), judges.clone().into());
            if let Some(prompt) = prompt {
                options.insert("prompt".to_owned(), prompt.into());
            }
        }
        Ok(judges)
    }

    /// The settings of a judge: those of the configuration, or the name alone.
    fn model(&self, metric: &str, judge: &str) -> Result<ModelSettings, ModelAccessError> {
        self.find_model(judge).map_err(|(reason, similar)| {
            let judge = ModelSettings::from_name(judge).display_name();
            ModelAccessError::UnknownJudge { metric: metric.to_owned(), judge, reason, similar }
        })
    }

    /// The settings of a model by its name; else what is wrong with the name, and one that is similar.
    fn find_model(&self, name: &str) -> Result<ModelSettings, (String, Option<String>)> {
        if let Some(known) = self.models.iter().find(|model| model.name == name) {
            return Ok(known.clone());
        }
        let named = ModelSettings::from_name(name);
        match named.model_name() {
            Ok(_) => Ok(named),
            Err(error) => {
                let similar = closest(name, self.models.iter().map(|model| model.name.as_str()));
                Err((error.to_string(), similar.map(str::to_owned)))
            }
        }
    }
}

/// Whether a metric asks judges by name.
pub fn asks_judges(request: &MetricRequest, registry: &Registry) -> bool {
    cascade::judge_for(&request.id, &request.options).is_some()
        || registry.get(&request.id).is_ok_and(|definition| {
            let schema = (definition.schema)();
            schema.get("properties").and_then(|properties| properties.get("judges")).is_some()
        })
}

/// The judges that a metric names.
pub(crate) fn named_judges(request: &MetricRequest) -> Vec<String> {
    let named = request.options.get("judges").and_then(Json::as_array);
    named.into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
}

/// A file of recorded replies as an input of the run; it stands for the model from here on.
fn open_cassette(model: &mut ModelSettings, path: &str) -> Result<InputFile, ModelAccessError> {
    let bytes = read_plain(Path::new(path), LARGEST_CASSETTE)
        .map_err(|source| ModelAccessError::Cassette { path: path.to_owned(), source })?;
    model.provider = Some(Provider::Replay);
    model.api_model_name = Some(path.to_owned());
    Ok(InputFile {
        path: path.to_owned(),
        sha256: Sha256::hex_digest(&bytes),
        bytes: bytes.len() as u64,
        ..InputFile::default()
    })
}

/// The file that stands for a model.
fn cassette(model: &ModelSettings) -> Option<String> {
    let name = model.model_name().ok()?;
    (name.provider == Provider::Replay).then_some(name.model)
}

impl ModelBackend {
    pub fn client(&self, name: &str) -> Option<&probare_models::Client> {
        self.models.client(name)
    }

    /// Whether anybody can be asked, or was asked for vectors.
    pub fn is_asking(&self) -> bool {
        !self.used.is_empty() || !self.models.embedding_servers().is_empty()
    }

    /// All models of the run, for the manifest: those that were opened for metrics, and servers that gave vectors.
    pub fn models(&self) -> Vec<ModelRecord> {
        let mut all = self.used.clone();
        let servers = self.models.embedding_servers();
        all.extend(servers.into_iter().filter(|server| self.used.iter().all(|model| model.name != server.name)));
        all
    }

    /// What the models share: budget, counts, cancellation.
    pub fn shared(&self) -> &probare_models::ModelContext {
        self.models.shared()
    }

    /// Nothing further is sent; gives which replies are on their way, which are waited for and recorded.
    pub fn close(&self) -> Vec<PendingRequests> {
        let shared = self.models.shared();
        shared.cancel();
        shared.awaited_requests()
    }

    /// Keeps what calls take in the store of a run, so that its budget is one of all processes that work on it.
    pub(crate) fn keep_costs_in(&self, store: &Store, run: i64) -> Result<(), StoreError> {
        let shared = self.models.shared();
        let (ledger, before) = store.open_ledger(run, |key, bound| shared.recorded_call(key, bound))?;
        shared.budget().attach_ledger(ledger, before);
        Ok(())
    }

    /// How the questions ended.
    pub fn usage(&self) -> ModelUsage {
        let shared = self.models.shared();
        ModelUsage {
            counts: shared.counts(),
            costs: shared.budget().costs(),
            is_budget_reached: shared.budget().is_reached(),
            postponed: shared.postponed_models(),
            batches: shared.batch_report(),
            unknown_stops: shared.unknown_stops(),
            unused_concurrency: self.models.unused_concurrency(),
            missing: shared.missing_replies(),
            recalled: shared.used_entries(),
            ignored: shared.ignored_entries(),
            unrecorded: self.notes.unrecorded.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            without_nonce: self.notes.without_nonce.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }
}

impl ModelUsage {
    /// Whether the run goes on later: after a pause that a provider wants, or when a batch is done.
    pub fn goes_on_later(&self) -> bool {
        !self.postponed.is_empty() || self.batches.as_ref().is_some_and(BatchReport::is_pending)
    }
}

/// What is noted of the answers of a run.
#[derive(Default)]
struct AnswerNotes {
    whole: bool,
    unrecorded: Mutex<BTreeSet<String>>,
    without_nonce: Mutex<BTreeMap<String, u64>>,
}

impl AnswerNotes {
    /// Notes the answers to one turn, and gives what the metric gets.
    fn note(&self, metric: &str, answers: Vec<BackendAnswer>) -> Vec<BackendAnswer> {
        let is_uncoded = |answer: &&BackendAnswer| match answer {
            BackendAnswer::Reply(reply) => reply.code.is_none() && matches!(reply.content, ReplyContent::Text(_)),
            _ => false,
        };
        let uncoded = answers.iter().filter(is_uncoded).count() as u64;
        if uncoded > 0 {
            let mut all = self.without_nonce.lock().unwrap_or_else(PoisonError::into_inner);
            *all.entry(metric.to_owned()).or_default() += uncoded;
        }
        let is_missing = |answer: &BackendAnswer| match answer {
            BackendAnswer::Reply(reply) => {
                matches!(reply.content, ReplyContent::Failed { kind: ErrorKind::Missing, .. })
            }
            BackendAnswer::Failed { kind, .. } => *kind == ErrorKind::Missing,
            _ => false,
        };
        if let Some(missing) = answers.iter().find(|answer| is_missing(answer)) {
            self.unrecorded.lock().unwrap_or_else(PoisonError::into_inner).insert(metric.to_owned());
            if self.whole {
                return vec![missing.clone(); answers.len()];
            }
        }
        answers
    }
}

impl Backend for ModelBackend {
    fn answer(&self, metric: &str, turn: &JudgeAction) -> Vec<BackendAnswer> {
        self.notes.note(metric, self.models.answer(metric, turn))
    }

    fn submit(&self, metric: &str, turn: JudgeAction) -> Submission {
        match self.models.submit(metric, turn) {
            Submission::Answered(answers) => Submission::Answered(self.notes.note(metric, answers)),
            Submission::Pending(ask) => {
                let (notes, metric) = (Arc::clone(&self.notes), metric.to_owned());
                Submission::Pending(Box::new(move |sender| {
                    ask(Box::new(move |answers| sender(notes.note(&metric, answers))));
                }))
            }
        }
    }

    fn can_embed(&self, model: &str) -> Result<(), BuildError> {
        self.models.can_embed(model)
    }

    fn model_digest(&self, model: &str) -> Option<String> {
        self.models.model_digest(model)
    }

    fn can_run(&self, environment: &str) -> Result<(), BuildError> {
        self.models.can_run(environment)
    }

    fn max_concurrent_cases(&self) -> usize {
        self.models.max_concurrent_cases()
    }

    fn threads(&self) -> usize {
        self.models.threads()
    }

    fn trust(&self) -> Trust {
        self.models.trust()
    }
}
