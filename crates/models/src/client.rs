//! [`Client`]: one model, asked many questions at once.
//!
//! A question goes through these doors, in this order: the record (is the reply there, is somebody asking?), a place among the
//! requests under way, the breaker and the pause that the provider asked for, the limits a minute, the budget; then it is
//! sent. A reply is committed to the record before it is handed on. Whatever a question holds is given back when it ends.
//!
//! When a run is ended, what waits at a door goes; what was sent is waited for, since it is paid for.

mod asking;
mod list;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use probare_core::{Content, ModelUsed, Parameters, Part, Question, Reply, Usage, tell_code};
use serde_json::Value as Json;
use tokio::task::JoinSet;

use crate::connection::{Connection, region};
use crate::dialects::{Feature, anthropic};
use crate::limits::{Breaker, Limits, Throttle, limits};
use crate::prices::{self, Price};
use crate::record::{Claimed, Lease};
use crate::shared::{OpenError, Shared, add};
use crate::{
    CallError, Entry, GeneratorType, Key, ModelName, ModelSettings, Provider, Request, SettingsError, random_bytes,
};

/// A reply with what is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// Request, reply and what the call took.
    pub entry: Entry,
    /// Whether the record answered.
    pub replayed: bool,
    /// Why the reply is not in the record yet, where it could not be written there. It is held and tried again.
    pub unrecorded: Option<String>,
}

/// One model. Clones are the same.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    shared: Shared,
    name: ModelName,
    settings: ModelSettings,
    base_url: String,
    also: BTreeMap<String, String>,
    price: Option<Price>,
    connection: Connection,
    throttle: Throttle,
    breaker: Breaker,
    limits: Limits,
    timeout: Duration,
    in_all: Duration,
    attempts: u32,
    base_wait: Duration,
}

/// Where a model is found: as the settings say, or where the provider always is, or where the environment says.
fn base_url(settings: &ModelSettings, name: &ModelName, shared: &Shared) -> Result<String, OpenError> {
    let program = settings.program_digest(name);
    let given = settings.base_url.as_deref().or(program.as_deref()).or(name.provider.base_url());
    let found = match (given, name.provider) {
        (Some(given), _) => given.to_owned(),
        (None, Provider::Azure) => {
            let named = shared.variable("AZURE_OPENAI_ENDPOINT").map(|url| url.trim().to_owned());
            named.ok_or_else(|| SettingsError::Value {
                model: settings.shown(),
                field: "base_url",
                reason: "is missing, and so is `AZURE_OPENAI_ENDPOINT`: the address of your resource".to_owned(),
            })?
        }
        (None, Provider::Bedrock) => {
            let region = region(shared).ok_or_else(|| SettingsError::Value {
                model: settings.shown(),
                field: "base_url",
                reason: "is missing, and so is `AWS_REGION`: the region whose models are asked".to_owned(),
            })?;
            format!("https://bedrock-runtime.{region}.amazonaws.com")
        }
        (None, _) => String::new(),
    };
    Ok(found.trim_end_matches('/').to_owned())
}

/// The longest reply of a model whose settings name none, where it is known.
fn longest_reply(name: &ModelName, price: Option<Price>) -> Option<u32> {
    let own = (name.provider == Provider::Anthropic).then_some(anthropic::MOST_TOKENS);
    own.or(price.and_then(|price| price.most_output))
}

impl Client {
    /// Prepares to ask a model: checks the settings, reads the key, opens what it needs. Nothing is sent.
    pub fn open(settings: ModelSettings, shared: &Shared) -> Result<Self, OpenError> {
        settings.check()?;
        let name = settings.model_name()?;
        let base_url = base_url(&settings, &name, shared)?;
        let free = name.provider.is_free().then(|| Price::given(prices::Pricing::default()));
        // A list price is for the provider's own address.
        let listed = prices::listed(&name).filter(|_| settings.base_url.is_none());
        let price = settings.pricing.map(Price::given).or(listed).or(free);
        if shared.budget().limits_money() && price.is_none() {
            return Err(OpenError::NoPrice { model: settings.shown() });
        }
        let connection = Connection::open(&settings, &name, &base_url, shared)?;
        let can_be_asked = !connection.is_cassette() && !shared.0.offline && !shared.0.only_looks;
        let is_embedding = settings.generator_type == Some(GeneratorType::Embedding);
        let is_bounded = is_embedding || settings.max_tokens.or(longest_reply(&name, price)).is_some();
        if shared.budget().is_limited() && can_be_asked && !is_bounded {
            return Err(OpenError::Unbounded { model: settings.shown() });
        }
        shared.start(!connection.is_cassette() && !shared.0.only_looks)?;
        let is_mute = shared.0.offline && shared.record().is_none() && !connection.is_cassette();
        if is_mute && !shared.0.only_looks && shared.trust().may_ask() {
            return Err(OpenError::OfflineWithoutRecord);
        }
        let (throttle, breaker) = shared.limits(&name, &base_url, &settings);
        Ok(Self(Arc::new(Inner {
            throttle,
            breaker,
            limits: limits(&name, &base_url, &settings),
            timeout: ModelSettings::seconds(settings.timeout, 120.0),
            in_all: ModelSettings::seconds(settings.timeout_total, 900.0),
            attempts: settings.max_attempts.unwrap_or(6),
            base_wait: ModelSettings::seconds(settings.retry_wait, 0.5),
            shared: shared.clone(),
            also: settings.also(&name),
            name,
            settings,
            base_url,
            price,
            connection,
        })))
    }

    /// The name in this project.
    pub fn name(&self) -> &str {
        &self.0.settings.name
    }

    /// Provider and model.
    pub fn model(&self) -> &ModelName {
        &self.0.name
    }

    /// What decides its replies, for a manifest. Nothing of it is secret.
    pub fn used(&self) -> ModelUsed {
        let Inner { settings, name, base_url, shared, also, .. } = &*self.0;
        let extra = (!settings.extra_body.is_empty()).then(|| Json::Object(settings.extra_body.clone()));
        let clean = |json: Json| serde_json::from_str(&shared.redactor().clean(json.to_string())).unwrap_or_default();
        ModelUsed {
            name: settings.shown(),
            provider: name.provider.name().to_owned(),
            model: name.model.clone(),
            base_url: base_url.clone(),
            parameters: Parameters {
                temperature: settings.temperature,
                top_p: settings.top_p,
                max_tokens: settings.max_tokens,
                seed: settings.seed,
                ..Parameters::default()
            },
            reasoning_effort: settings.reasoning_effort.clone(),
            extra_body: extra.map(clean).unwrap_or_default(),
            also: also.clone(),
        }
    }

    /// Whether images of cases are sent with questions.
    pub fn takes_images(&self) -> bool {
        self.0.settings.generator_type == Some(GeneratorType::Multimodal)
    }

    /// Whether it can be given tools to call. What is recorded is found whatever was wished for.
    pub fn takes_tools(&self) -> bool {
        matches!(self.0.connection, Connection::Nowhere) || self.0.name.provider.supports(Feature::Tools)
    }

    /// The provider that it is asked at.
    pub fn provider(&self) -> Provider {
        self.0.name.provider
    }

    /// Whether a file of recorded replies stands for the model.
    pub fn is_recorded(&self) -> bool {
        self.0.connection.is_cassette()
    }

    /// How many requests may be under way at the moment.
    pub fn concurrency(&self) -> f64 {
        self.0.throttle.limit()
    }

    /// One reply for each question, in their order. They are asked at once, as far as the limits allow; a call that came
    /// to nothing is a failed reply.
    pub fn ask(&self, questions: &[Question]) -> Vec<Reply> {
        let asked = questions.iter().map(|question| (self.clone(), question.clone(), 0)).collect();
        ask_all(&self.0.shared, asked)
    }

    /// Asks one question and waits for the reply; `repeat` is the repetition of the run, counted from 0.
    pub fn ask_once(&self, question: &Question, repeat: u32) -> Result<Answered, CallError> {
        self.0.shared.block(self.call(question, repeat)).unwrap_or_else(|| Err(dropped()))
    }

    /// What a call of this usage costs, in US dollars, where the price is known.
    pub fn cost(&self, usage: Usage) -> Option<f64> {
        self.0.price.map(|price| price.of(usage).in_dollars())
    }

    /// Asks one question; `repeat` is the repetition of the run, counted from 0.
    pub async fn call(&self, question: &Question, repeat: u32) -> Result<Answered, CallError> {
        let mut outcome = self.recorded(question, repeat).await;
        self.count(&outcome);
        // Whoever takes a cut reply for an answer gets the text; why the model stopped stays beside it.
        if let Ok(Answered { entry, .. }) = &mut outcome
            && self.0.shared.0.score_truncated
            && let Content::Truncated(text) = &mut entry.reply.content
        {
            entry.reply.content = Content::Text(std::mem::take(text));
        }
        outcome
    }

    /// Counts how a question ended.
    fn count(&self, outcome: &Result<Answered, CallError>) {
        let tally = &self.0.shared.0.tally;
        match outcome {
            Ok(Answered { replayed: true, entry, .. }) => {
                add(&tally.replayed, 1);
                add(&tally.cut, u64::from(matches!(entry.reply.content, Content::Truncated(_))));
            }
            Ok(Answered { entry, unrecorded, .. }) => {
                add(&tally.cut, u64::from(matches!(entry.reply.content, Content::Truncated(_))));
                add(
                    match entry.reply.content {
                        Content::Refused(_) => &tally.refused,
                        Content::Truncated(_) => &tally.truncated,
                        _ => &tally.replied,
                    },
                    1,
                );
                let usage = entry.reply.usage.unwrap_or_default();
                add(&tally.input_tokens, usage.input_tokens);
                add(&tally.output_tokens, usage.output_tokens);
                add(&tally.unmeasured, u64::from(entry.reply.usage.is_none()));
                add(&tally.unrecorded, u64::from(unrecorded.is_some()));
            }
            Err(_) => add(&tally.failed, 1),
        }
    }

    /// The question as it is asked here. A wish that cannot be expressed is an error before anything is sent.
    fn request(&self, question: &Question, repeat: u32) -> Result<Request, CallError> {
        let Inner { name, base_url, settings, also, .. } = &*self.0;
        let request = Request::new(name, base_url, settings, also, question, repeat);
        // A reply that is recorded is found whatever was wished for.
        let is_sent = !matches!(self.0.connection, Connection::Nowhere);
        let unknown = Feature::wanted(&request).find(|feature| is_sent && !name.provider.supports(*feature));
        match unknown {
            Some(feature) => Err(CallError::Unsupported { model: settings.shown(), provider: name.provider, feature }),
            None => Ok(request),
        }
    }

    /// The request as the record knows it: without keys that were written into a question. What is sent is not changed.
    fn kept_request(&self, request: &Request) -> Request {
        let redactor = self.0.shared.redactor();
        let mut kept = request.clone();
        for message in &mut kept.messages {
            message.text = redactor.clean_text(std::mem::take(&mut message.text));
            for part in &mut message.parts {
                if let Part::Text { text } | Part::ToolResult { text, .. } = part {
                    *text = redactor.clean_text(std::mem::take(text));
                }
            }
        }
        kept
    }

    /// The recorded reply, or one that is asked for and recorded.
    async fn recorded(&self, question: &Question, repeat: u32) -> Result<Answered, CallError> {
        let request = self.request(question, repeat)?;
        let kept = self.kept_request(&request);
        let key = Key::of(&kept);
        let lease = match self.claim(key).await? {
            Known::Answered(answered) => return Ok(*answered),
            Known::Open(lease) => lease,
        };
        // What is sent has the code of its question; what is recorded, and answered from a file, does not.
        let is_coded = question.coded && !self.0.connection.is_cassette();
        let code = if is_coded { Some(fresh_code()?) } else { None };
        let entries = self.asked(std::slice::from_ref(&request), key, code).await?;
        let entry = entries.into_iter().next().ok_or_else(dropped)?;
        self.keep(lease, Entry { request: kept, ..entry }).await
    }

    /// What the record says about a request, or the leave to ask.
    async fn claim(&self, key: Key) -> Result<Known, CallError> {
        let Inner { shared, connection, .. } = &*self.0;
        // A file of recorded replies is a record already.
        let Some(record) = shared.record().filter(|_| !connection.is_cassette()) else {
            if shared.0.offline && !connection.is_cassette() {
                return Err(self.not_recorded(key));
            }
            return Ok(Known::Open(None));
        };
        let claimed = tokio::select! {
            biased;
            () = shared.0.cancel.cancelled() => return Err(CallError::Cancelled),
            claimed = record.claim(key, shared.0.offline) => claimed?,
        };
        match claimed {
            Claimed::Reply(entry) => {
                let answered = Answered { entry: *entry, replayed: true, unrecorded: None };
                Ok(Known::Answered(Box::new(answered)))
            }
            Claimed::Missing => Err(self.not_recorded(key)),
            Claimed::Mine(lease) => Ok(Known::Open(Some(lease))),
        }
    }

    /// Only the record may answer, and it does not.
    fn not_recorded(&self, key: Key) -> CallError {
        let Inner { shared, settings, .. } = &*self.0;
        shared.miss(&settings.name, key);
        CallError::NotRecorded { model: settings.shown(), key: key.short() }
    }

    /// Commits a reply before it is handed on. One that cannot be written is held by the record, and says so.
    async fn keep(&self, lease: Option<Lease>, entry: Entry) -> Result<Answered, CallError> {
        let Inner { shared, connection, .. } = &*self.0;
        let (Some(record), Some(lease)) = (shared.record(), lease) else {
            return Ok(Answered { entry, replayed: connection.is_cassette(), unrecorded: None });
        };
        let (entry, unrecorded) = record.keep(lease, entry).await?;
        Ok(Answered { entry, replayed: false, unrecorded })
    }
}

/// What is known of a request before it is sent.
enum Known {
    Answered(Box<Answered>),
    /// Nobody has the reply; the lease to ask for it, where there is a record.
    Open(Option<Lease>),
}

/// A request as it is sent: with the code that the model alone is told.
fn with_code(request: &Request, code: &str) -> Request {
    let mut sent = request.clone();
    tell_code(&mut sent.messages, sent.parameters.schema.as_mut(), code);
    sent
}

/// A code that nobody can guess.
fn fresh_code() -> Result<String, CallError> {
    let drawn = random_bytes::<8>();
    let bytes = drawn.ok_or_else(|| CallError::Internal { reason: "the system gives no random numbers".to_owned() })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn dropped() -> CallError {
    CallError::Internal { reason: "a question was dropped".to_owned() }
}

/// Asks several models several questions at once; one reply for each, in their order.
pub(crate) fn ask_all(shared: &Shared, asked: Vec<(Client, Question, u32)>) -> Vec<Reply> {
    let count = asked.len();
    let Some(handle) = shared.handle() else { return vec![dropped().reply(); count] };
    let work = async {
        let mut tasks = JoinSet::new();
        for (at, (client, question, repeat)) in asked.into_iter().enumerate() {
            tasks.spawn_on(async move { (at, client.call(&question, repeat).await) }, handle);
        }
        let mut replies: Vec<Option<Reply>> = vec![None; count];
        while let Some(ended) = tasks.join_next().await {
            if let Ok((at, outcome)) = ended
                && let Some(place) = replies.get_mut(at)
            {
                *place = Some(reply_of(outcome));
            }
        }
        replies
    };
    let replies = shared.block(work).unwrap_or_else(|| vec![None; count]);
    replies.into_iter().map(|reply| reply.unwrap_or_else(|| dropped().reply())).collect()
}

fn reply_of(outcome: Result<Answered, CallError>) -> Reply {
    outcome.map_or_else(|error| error.reply(), |answered| answered.entry.reply)
}
