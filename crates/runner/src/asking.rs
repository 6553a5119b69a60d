//! [`Asking`]: which models a run may ask, on which terms and on whose word. [`Asked`]: the same, opened: the one
//! [`Outside`] of the run, which answers judges and gives vectors, and knows what a manifest says about both.
//!
//! This is the only place where models are opened: every verb, the server and Python come here. Whatever they name is run
//! or contacted at the level [`Trust::Trusted`] alone.
//!
//! Every metric that asks has the names of its judges among its options, written there before the run where the user left them
//! out, and its prompt as text. So a manifest says who judged with which words, and a finished run can be judged again from
//! recorded replies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use probare_cases::{OpenError as ReadError, read_whole};
use probare_core::{
    Answer, Awaited, BuildError, Content, ErrorKind, Input, MetricRequest, ModelUsed, Outside, PromptUsed, Question,
    Registry, Sha256, Trust, Turn, closest,
};
use probare_metrics::cascade;
use probare_models::{Counts, Key, ModelSettings, Models, OpenError, Options, Provider, Spending};
use serde_json::{Map, Value as Json};

/// Bytes of the largest prompt that is read from a file.
const LARGEST_PROMPT: u64 = 1024 * 1024;

/// Which models a run may ask, and on which terms.
#[expect(clippy::struct_excessive_bools, reason = "each is a term of its own")]
#[derive(Debug, Clone, Default)]
pub struct Asking {
    /// Whose word names the models; without a word the least.
    pub trust: Trust,
    /// Files of recorded replies that may be opened although a file named them, since the user gave them or their digest
    /// is that of the manifest.
    pub cassettes: Vec<PathBuf>,
    /// Models by name.
    pub models: Vec<ModelSettings>,
    /// Names of the models that judge where a metric names none: of `models`, or `provider:model`.
    pub judges: Vec<String>,
    /// Names of the models under test.
    pub under_test: Vec<String>,
    /// How often judges have been asked again for what could not be read: their questions count from there.
    pub round: u32,
    /// Answer from recorded replies only.
    pub offline: bool,
    /// Ask nobody: it is looked what would be asked, for which no key and no record is needed.
    pub only_looks: bool,
    /// Whether questions that are asked together are answered together or not at all: where one reply is not recorded,
    /// none of them is given, so that no judge makes a verdict of the rest.
    pub whole: bool,
    /// Most money, in US dollars.
    pub budget_usd: Option<f64>,
    /// Most tokens, sent and received.
    pub budget_tokens: Option<u64>,
    /// Take replies that were cut at their longest length for answers.
    pub score_truncated: bool,
    /// Whether a published benchmark is run: it takes what a model said for its answer, however that ended.
    pub is_published: bool,
    /// File of the record of replies.
    pub record: PathBuf,
    /// Seed of the waits between attempts.
    pub seed: u64,
    /// Folder from which files that prompts and models name are looked for when they are not here.
    pub folder: PathBuf,
}

/// The models cannot be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// A metric asks a model, and none is named.
    #[error("`{metric}` asks a model, and none is named")]
    NoJudge {
        /// The metric.
        metric: String,
    },
    /// A judge is not among the models and says not who it is.
    #[error("`{metric}` wants the judge `{judge}`: {reason}")]
    UnknownJudge {
        /// The metric.
        metric: String,
        /// The judge.
        judge: String,
        /// What is wrong with it.
        reason: String,
        /// A model with a similar name.
        similar: Option<String>,
    },
    /// The option `judges` is no list of names.
    #[error("`judges` of `{metric}` is no list of names of models")]
    Judges {
        /// The metric.
        metric: String,
    },
    /// A prompt cannot be read.
    #[error("the prompt of `{metric}` cannot be read")]
    Prompt {
        /// The metric.
        metric: String,
        /// What is wrong.
        #[source]
        source: ReadError,
    },
    /// A file of recorded replies cannot be read.
    #[error("the recorded replies `{path}` cannot be read")]
    Cassette {
        /// The file.
        path: String,
        /// What is wrong.
        #[source]
        source: std::io::Error,
    },
    /// Offline, but there is no record.
    #[error("only recorded replies may answer, but there is no record `{}`", record.display())]
    NoRecord {
        /// Where it was looked for.
        record: PathBuf,
    },
    /// The models cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// Models that are ready to be asked.
pub struct Asked {
    models: Models,
    /// The models, for the manifest.
    pub used: Vec<ModelUsed>,
    /// The prompts, for the manifest.
    pub prompts: Vec<PromptUsed>,
    /// Files of recorded replies that stand for a model.
    pub inputs: Vec<Input>,
    /// Whether somebody wants cut replies to be scored as if they were whole.
    pub score_truncated: bool,
    round: u32,
    whole: bool,
    unrecorded: Mutex<BTreeSet<String>>,
    uncoded: Mutex<BTreeMap<String, u64>>,
}

/// How the questions of a run ended.
#[derive(Debug, Clone, Default)]
pub struct Hearing {
    /// Questions by their end.
    pub counts: Counts,
    /// What was spent.
    pub spent: Spending,
    /// Whether the budget kept a question from being asked.
    pub is_budget_reached: bool,
    /// Replies that were wanted and are not recorded: model and key, the first thousand.
    pub missing: Vec<(String, Key)>,
    /// Metrics that miss a recorded reply.
    pub unrecorded: BTreeSet<String>,
    /// Replies without a code by their metric: recorded before judges were told one, or to a published prompt that tells
    /// none. A judge that repeats a verdict from the text it was shown is believed there.
    pub uncoded: BTreeMap<String, u64>,
}

impl Asking {
    /// Nobody but this machine answers: for clients of a server, and for whoever names nothing.
    pub fn local() -> Self {
        Self { trust: Trust::LocalOnly, ..Self::default() }
    }

    /// Models that a file names: this user's record answers for them, and this machine.
    pub fn recorded(models: Vec<ModelSettings>, record: &Path) -> Self {
        let record = record.to_owned();
        Self { trust: Trust::RecordedOnly, models, offline: true, whole: true, record, ..Self::default() }
    }

    /// Writes judges and prompts into the options of every metric that asks, and opens the models that they name. Nothing
    /// is sent, and nothing is opened where no metric asks.
    pub fn open(&self, requests: &mut [MetricRequest], registry: &Registry) -> Result<Asked, AskError> {
        let mut panels: Vec<(String, Vec<String>)> = Vec::new();
        let mut prompts = Vec::new();
        for request in requests.iter_mut().filter(|request| asks(request, registry)) {
            let judges = self.settle(request)?;
            panels.push((request.name.clone(), judges));
            if let Some(prompt) = probare_metrics::judges::prompt(&request.id, &request.options) {
                prompts.push(PromptUsed { metric: request.name.clone(), sha256: Sha256::of(prompt.as_bytes()) });
            }
        }
        let mut settings: BTreeMap<String, ModelSettings> = BTreeMap::new();
        for name in &self.under_test {
            settings.insert(name.clone(), self.model("run", name)?);
        }
        for (metric, judges) in &panels {
            for judge in judges {
                if !settings.contains_key(judge) {
                    settings.insert(judge.clone(), self.model(metric, judge)?);
                }
            }
        }
        let mut inputs = Vec::new();
        let mut needs_record = false;
        for model in settings.values_mut() {
            match cassette(model).filter(|path| self.may_open(path)) {
                Some(path) => {
                    let input = self.cassette(model, &path)?;
                    if !inputs.contains(&input) {
                        inputs.push(input);
                    }
                }
                None => needs_record = true,
            }
        }
        let needs_record = needs_record && !self.only_looks;
        if needs_record && self.offline && self.trust.may_ask() && !self.record.exists() {
            return Err(AskError::NoRecord { record: self.record.clone() });
        }
        let options = Options {
            record: (self.trust.may_recall() && !self.only_looks).then(|| self.record.clone()),
            cassettes: self.cassettes.clone(),
            offline: self.offline,
            only_looks: self.only_looks,
            budget_usd: self.budget_usd,
            budget_tokens: self.budget_tokens,
            score_truncated: self.score_truncated || self.is_published,
            seed: self.seed,
            ..Options::new(self.trust)
        };
        let names: Vec<String> = settings.keys().cloned().collect();
        let mut models = Models::open(settings.into_values().collect(), self.models.clone(), options)?;
        for (metric, judges) in &panels {
            let names: Vec<&str> = judges.iter().map(String::as_str).collect();
            models = models.seat(metric, &names)?;
        }
        let used = names.iter().filter_map(|name| models.client(name)).map(probare_models::Client::used).collect();
        Ok(Asked {
            models,
            used,
            prompts,
            inputs,
            score_truncated: self.score_truncated,
            round: self.round,
            whole: self.whole,
            unrecorded: Mutex::default(),
            uncoded: Mutex::default(),
        })
    }

    /// Whether a file of recorded replies is opened because it is named.
    fn may_open(&self, path: &str) -> bool {
        self.trust.may_ask() || self.cassettes.iter().any(|known| known.as_os_str() == path)
    }

    /// The judges of a metric. They, and the text of the prompt, are written into its options.
    fn settle(&self, request: &mut MetricRequest) -> Result<Vec<String>, AskError> {
        let metric = || request.name.clone();
        let given = request.options.get("judges").cloned().unwrap_or(Json::Array(Vec::new()));
        let mut judges: Vec<String> =
            serde_json::from_value(given).map_err(|_| AskError::Judges { metric: metric() })?;
        if judges.is_empty() {
            judges.clone_from(&self.judges);
        }
        // Where nobody is asked nobody has to be named: the reply is missing.
        if judges.is_empty() && self.trust.may_ask() {
            return Err(AskError::NoJudge { metric: metric() });
        }
        let file = request.options.get("prompt").and_then(Json::as_str).and_then(|prompt| prompt.strip_prefix('@'));
        // A finished run has the text of its prompts; a file that it names is nobody's wish.
        let file = file.filter(|_| self.trust.may_ask());
        let prompt = file
            .map(|file| {
                let path = self.found(file).display().to_string();
                read_whole(&path, LARGEST_PROMPT)
                    .map(|(bytes, _)| String::from_utf8_lossy(&bytes).into_owned())
                    .map_err(|source| AskError::Prompt { metric: metric(), source })
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
    fn model(&self, metric: &str, judge: &str) -> Result<ModelSettings, AskError> {
        if let Some(known) = self.models.iter().find(|model| model.name == judge) {
            return Ok(known.clone());
        }
        let named = ModelSettings::named(judge);
        named.model_name().map_err(|error| AskError::UnknownJudge {
            metric: metric.to_owned(),
            judge: named.shown(),
            reason: error.to_string(),
            similar: closest(judge, self.models.iter().map(|model| model.name.as_str())).map(str::to_owned),
        })?;
        Ok(named)
    }

    /// A file as it is named, or from the folder of the configuration.
    fn found(&self, file: &str) -> PathBuf {
        let beside = self.folder.join(file);
        if !Path::new(file).exists() && beside.exists() { beside } else { PathBuf::from(file) }
    }

    /// A file of recorded replies as an input of the run; the model is pointed to where it was found.
    fn cassette(&self, model: &mut ModelSettings, path: &str) -> Result<Input, AskError> {
        let found = self.found(path);
        let shown = found.display().to_string();
        let bytes = std::fs::read(&found).map_err(|source| AskError::Cassette { path: shown.clone(), source })?;
        model.provider = Some(Provider::Replay);
        model.api_model_name = Some(shown.clone());
        Ok(Input { path: shown, sha256: Sha256::of(&bytes), bytes: bytes.len() as u64, ..Input::default() })
    }
}

/// More than a judge asks the same question by itself.
const ATTEMPTS_OF_A_ROUND: u32 = 100;

/// Whether a metric asks judges by name.
pub fn asks(request: &MetricRequest, registry: &Registry) -> bool {
    cascade::second(&request.id, &request.options).is_some()
        || registry.get(&request.id).is_ok_and(|definition| {
            let schema = (definition.schema)();
            schema.get("properties").and_then(|properties| properties.get("judges")).is_some()
        })
}

/// The file that stands for a model.
fn cassette(model: &ModelSettings) -> Option<String> {
    let name = model.model_name().ok()?;
    (name.provider == Provider::Replay).then_some(name.model)
}

impl Asked {
    /// A model by its name.
    pub fn client(&self, name: &str) -> Option<&probare_models::Client> {
        self.models.client(name)
    }

    /// Whether anybody can be asked, or was asked for vectors.
    pub fn is_asking(&self) -> bool {
        !self.used.is_empty() || !self.models.embedding_servers().is_empty()
    }

    /// All models of the run, for the manifest: those that were opened for metrics, and servers that gave vectors.
    pub fn models(&self) -> Vec<ModelUsed> {
        let mut all = self.used.clone();
        let servers = self.models.embedding_servers();
        all.extend(servers.into_iter().filter(|server| self.used.iter().all(|model| model.name != server.name)));
        all
    }

    /// What the models share: budget, counts, cancellation.
    pub fn shared(&self) -> &probare_models::Shared {
        self.models.shared()
    }

    /// Nothing further is sent; gives which replies are on their way, which are waited for and recorded.
    pub fn close(&self) -> Vec<Awaited> {
        let shared = self.models.shared();
        shared.cancel();
        shared.awaited()
    }

    /// How the questions ended.
    pub fn hearing(&self) -> Hearing {
        let shared = self.models.shared();
        Hearing {
            counts: shared.counts(),
            spent: shared.budget().spent(),
            is_budget_reached: shared.budget().is_reached(),
            missing: shared.missing(),
            unrecorded: self.unrecorded.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            uncoded: self.uncoded.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }
}

impl Outside for Asked {
    fn answer(&self, metric: &str, turn: &Turn) -> Vec<Answer> {
        let answers = match turn {
            Turn::Ask(questions) if self.round > 0 => {
                let later = |question: &Question| {
                    let attempt = question.attempt.saturating_add(self.round.saturating_mul(ATTEMPTS_OF_A_ROUND));
                    Question { attempt, ..question.clone() }
                };
                self.models.answer(metric, &Turn::Ask(questions.iter().map(later).collect()))
            }
            _ => self.models.answer(metric, turn),
        };
        let is_uncoded = |answer: &&Answer| match answer {
            Answer::Reply(reply) => reply.code.is_none() && matches!(reply.content, Content::Text(_)),
            _ => false,
        };
        let uncoded = answers.iter().filter(is_uncoded).count() as u64;
        if uncoded > 0 {
            let mut all = self.uncoded.lock().unwrap_or_else(PoisonError::into_inner);
            *all.entry(metric.to_owned()).or_default() += uncoded;
        }
        let is_missing = |answer: &Answer| match answer {
            Answer::Reply(reply) => matches!(reply.content, Content::Failed { kind: ErrorKind::Missing, .. }),
            Answer::Failed { kind, .. } => *kind == ErrorKind::Missing,
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

    fn can_embed(&self, model: &str) -> Result<(), BuildError> {
        self.models.can_embed(model)
    }

    fn digest(&self, model: &str) -> Option<String> {
        self.models.digest(model)
    }

    fn can_run(&self, environment: &str) -> Result<(), BuildError> {
        self.models.can_run(environment)
    }

    fn width(&self) -> usize {
        self.models.width()
    }

    fn trust(&self) -> Trust {
        self.models.trust()
    }
}
