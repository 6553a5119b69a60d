//! [`Client`]: one model, asked many questions at once.
//!
//! A question goes through these doors, in this order: the record (is the reply there, is somebody asking?), a place among the
//! requests under way, the breaker and the pause that the provider asked for, the limits a minute, the budget; then it is
//! sent. A reply is committed to the record before it is handed on. Whatever a question holds is given back when it ends.
//!
//! When a run is ended, what waits at a door goes; what was sent is waited for, since it is paid for.

mod attempts;
mod batches;
mod embed_batch;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use probare_core::{
    CallPurpose, ChatRequest, Message, MessagePart, ModelRecord, ModelReply, Parameters, ReplyContent, Usage, add_nonce,
};
use serde_json::Value as Json;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::cache::{CacheClaim, Lease};
use crate::connection::{Connection, region};
use crate::dialects::{Feature, ReplyError, anthropic};
use crate::limits::{CircuitBreaker, RateLimits, Throttle, shared_limits};
use crate::prices::{self, ModelPrice};
use crate::shared::{ModelContext, OpenError, add_to_count};
use crate::{
    CacheEntry, CacheKey, CallError, GeneratorType, ModelName, ModelRequest, ModelSettings, Provider, SettingsError,
    random_token,
};

/// A reply with what is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallReply {
    /// Request, reply and what the call took.
    pub entry: CacheEntry,
    /// Whether the record answered.
    pub replayed: bool,
    /// Why the reply is not in the record yet, where it could not be written there. It is held and tried again.
    pub unrecorded: Option<String>,
    /// The model that answered in place of the one that was asked, by its name in the project.
    pub answered_by: Option<String>,
}

impl CallReply {
    const fn recorded(entry: CacheEntry) -> Self {
        Self { entry, replayed: true, unrecorded: None, answered_by: None }
    }
}

/// One model. Clones are the same.
#[derive(Clone)]
pub struct Client(pub(crate) Arc<ClientInner>);

pub(crate) struct ClientInner {
    shared: ModelContext,
    name: ModelName,
    settings: ModelSettings,
    base_url: String,
    also: BTreeMap<String, String>,
    price: Option<ModelPrice>,
    connection: Connection,
    throttle: Throttle,
    breaker: CircuitBreaker,
    limits: RateLimits,
    timeout: Duration,
    in_all: Duration,
    attempts: u32,
    base_wait: Duration,
}

/// Where the environment says that a provider is found, where the settings do not.
fn environment_url(
    settings: &ModelSettings,
    name: &ModelName,
    shared: &ModelContext,
) -> Result<Option<String>, SettingsError> {
    let variable = name.provider.address_variable().filter(|_| settings.base_url.is_none());
    let Some((variable, value)) = variable.and_then(|name| Some((name, shared.variable(name)?))) else {
        return Ok(None);
    };
    let address = name.provider.address(&value);
    let checked = ModelSettings { base_url: Some(address.clone()), ..ModelSettings::from_name(&settings.name) };
    match checked.check_address() {
        Ok(()) => Ok(Some(address)),
        // What it holds may be a secret.
        Err(_) => Err(SettingsError::value(
            &settings.display_name(),
            "base_url",
            &format!(
                "comes from `{variable}`, which holds no address that begins with `http://` or `https://`, without a user and a query"
            ),
        )),
    }
}

/// Where a model is found: as the settings say, else as the environment says, else where the provider always is.
fn base_url(
    settings: &ModelSettings,
    name: &ModelName,
    named: Option<String>,
    shared: &ModelContext,
) -> Result<String, OpenError> {
    let given = settings.base_url.clone().or_else(|| settings.program_digest(name)).or(named);
    let found = match (given.or_else(|| name.provider.base_url().map(str::to_owned)), name.provider) {
        (Some(given), _) => given,
        (None, Provider::Azure) => {
            let reason = "is missing, and so is `AZURE_OPENAI_ENDPOINT`: the address of your resource";
            return Err(SettingsError::value(&settings.display_name(), "base_url", reason).into());
        }
        (None, Provider::Bedrock) => {
            let region = region(shared).ok_or_else(|| {
                let reason = "is missing, and so is `AWS_REGION`: the region whose models are asked";
                SettingsError::value(&settings.display_name(), "base_url", reason)
            })?;
            format!("https://bedrock-runtime.{region}.amazonaws.com")
        }
        (None, _) => String::new(),
    };
    Ok(found.trim_end_matches('/').to_owned())
}

/// Whether the settings can be sent together: a question without anything of its own is written as it would be.
fn check_request(settings: &ModelSettings, name: &ModelName, base_url: &str) -> Result<(), SettingsError> {
    let question = ChatRequest { messages: vec![Message::user("")], ..ChatRequest::default() };
    let request = settings.request(name, base_url, &BTreeMap::new(), &question, 0);
    let dialect = name.provider.dialect();
    let written = if request.embedding {
        dialect.write_vectors(std::slice::from_ref(&request))
    } else {
        dialect.write(&request, settings.stream)
    };
    let wrong = |error: ReplyError| SettingsError::value(&settings.display_name(), "extra_body", &error.reason);
    written.map(|_| ()).map_err(wrong)
}

/// The longest reply of a model whose settings name none, where it is known.
fn longest_reply(name: &ModelName, price: Option<ModelPrice>) -> Option<u32> {
    let own = (name.provider == Provider::Anthropic).then_some(anthropic::MOST_TOKENS);
    own.or(price.and_then(|price| price.most_output))
}

impl Client {
    /// Prepares to ask a model: checks the settings, reads the key, opens what it needs. Nothing is sent.
    pub fn open(settings: ModelSettings, shared: &ModelContext) -> Result<Self, OpenError> {
        settings.check()?;
        let name = settings.model_name()?;
        let named = environment_url(&settings, &name, shared)?;
        // A list price is for the provider's own address; that of Azure is always named.
        let is_own_address = settings.base_url.is_none() && (named.is_none() || name.provider.base_url().is_none());
        let base_url = base_url(&settings, &name, named, shared)?;
        let free = name.provider.is_free().then(|| ModelPrice::from_pricing(prices::Pricing::default()));
        let listed = prices::find_price(&name).map(|row| row.price).filter(|_| is_own_address);
        let price = settings.pricing.map(ModelPrice::from_pricing).or(listed).or(free);
        let is_unasked = shared.0.unasked.contains(&settings.name);
        if shared.budget().limits_money() && price.is_none() && !is_unasked {
            return Err(OpenError::NoPrice { model: settings.display_name() });
        }
        let connection = Connection::open(&settings, &name, &base_url, shared)?;
        let can_be_asked = !connection.is_cassette() && !shared.0.offline && !shared.0.only_looks && !is_unasked;
        let is_embedding = settings.generator_type == Some(GeneratorType::Embedding);
        let is_bounded = is_embedding || settings.max_tokens.or(longest_reply(&name, price)).is_some();
        if shared.budget().is_limited() && can_be_asked && !is_bounded {
            return Err(OpenError::Unbounded { model: settings.display_name() });
        }
        // What a finished run was asked with is looked for, not sent.
        if settings.also.is_none() {
            check_request(&settings, &name, &base_url)?;
        }
        shared.start(!connection.is_cassette() && !shared.0.only_looks)?;
        let is_mute = shared.0.offline && shared.response_cache().is_none() && !connection.is_cassette();
        if is_mute && !shared.0.only_looks && shared.trust().may_ask() {
            return Err(OpenError::OfflineWithoutRecord);
        }
        let (throttle, breaker) = shared.limiters(&name, &base_url, &settings);
        let client = Self(Arc::new(ClientInner {
            throttle,
            breaker,
            limits: shared_limits(&name, &base_url, &settings),
            timeout: ModelSettings::seconds(settings.timeout, 120.0),
            in_all: ModelSettings::seconds(settings.timeout_total, 900.0),
            attempts: settings.max_attempts.unwrap_or(6),
            base_wait: ModelSettings::seconds(settings.retry_wait, 0.5),
            shared: shared.clone(),
            also: settings.other_inputs(&name),
            name,
            settings,
            base_url,
            price,
            connection,
        }));
        shared.register_client(client.name().to_owned(), Arc::downgrade(&client.0));
        Ok(client)
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
    pub fn model_used(&self) -> ModelRecord {
        let ClientInner { settings, name, base_url, shared, also, .. } = &*self.0;
        let extra = (!settings.extra_body.is_empty()).then(|| Json::Object(settings.extra_body.clone()));
        let clean = |json: Json| serde_json::from_str(&shared.redactor().clean(json.to_string())).unwrap_or_default();
        ModelRecord {
            name: settings.display_name(),
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
            fallback: settings.fallback.clone(),
        }
    }

    /// Whether images of cases are sent with questions.
    pub fn takes_images(&self) -> bool {
        self.0.settings.generator_type == Some(GeneratorType::Multimodal)
    }

    /// Whether it can be given tools to call. What is recorded is found whatever was wished for.
    pub fn takes_tools(&self) -> bool {
        matches!(self.0.connection, Connection::CacheOnly) || self.0.name.provider.supports(Feature::Tools)
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
    pub fn ask(&self, questions: &[ChatRequest]) -> Vec<ModelReply> {
        let requests = questions.iter().map(|question| (self.clone(), question.clone())).collect();
        ask_all(&self.0.shared, requests)
    }

    /// Asks a model under test one question and waits for the reply; `repeat` is the repetition of the run, counted from 0.
    pub fn ask_once(&self, question: &ChatRequest, repeat: u32) -> Result<CallReply, CallError> {
        let call = self.call(question, repeat, CallPurpose::Answer);
        self.0.shared.block_on(call).unwrap_or_else(|| Err(dropped_question_error()))
    }

    /// Asks a model under test one question without waiting: `then` gets the reply, on a thread of the models. It is dropped where
    /// no reply can come any more.
    pub fn submit(
        &self,
        question: ChatRequest,
        repeat: u32,
        then: impl FnOnce(Result<CallReply, CallError>) + Send + 'static,
    ) {
        let Some(handle) = self.0.shared.handle() else { return then(Err(dropped_question_error())) };
        let client = self.clone();
        handle.spawn(async move { then(client.call(&question, repeat, CallPurpose::Answer).await) });
    }

    /// What a call of this usage costs, in US dollars, where the price is known.
    pub fn cost(&self, usage: Usage) -> Option<f64> {
        self.0.price.map(|price| price.cost(usage).in_dollars())
    }

    /// Asks one question; `repeat` is the repetition of the run, counted from 0.
    pub async fn call(
        &self,
        question: &ChatRequest,
        repeat: u32,
        purpose: CallPurpose,
    ) -> Result<CallReply, CallError> {
        let mut outcome = self.count_outcome(self.call_with_fallback(question, repeat, purpose).await);
        // Whoever takes a cut reply for an answer gets the text; why the model stopped stays beside it.
        if let Ok(CallReply { entry, .. }) = &mut outcome
            && self.0.shared.0.score_truncated
            && let ReplyContent::Truncated(text) = &mut entry.reply.content
        {
            entry.reply.content = ReplyContent::Text(std::mem::take(text));
        }
        outcome
    }

    /// Asks this model, and where it fails for a reason that is not the question's, those that answer in its place. Every
    /// reply is recorded as that of the model that gave it.
    async fn call_with_fallback(
        &self,
        question: &ChatRequest,
        repeat: u32,
        purpose: CallPurpose,
    ) -> Result<CallReply, FailedCall> {
        let ClientInner { shared, settings, .. } = &*self.0;
        let first = match self.call_with_cache(question, repeat, purpose).await {
            Err(failed) if failed.error.permits_fallback() && !settings.fallback.is_empty() => failed,
            outcome => return outcome,
        };
        let (mut others, mut is_sent) = (Vec::new(), first.is_sent);
        for name in &settings.fallback {
            let Some(other) = shared.find_client(name) else { continue };
            match other.call_with_cache(question, repeat, purpose).await {
                Ok(reply) => return Ok(CallReply { answered_by: Some(name.clone()), ..reply }),
                Err(failed) if matches!(failed.error, CallError::Cancelled) => return Err(failed),
                Err(failed) => {
                    is_sent |= failed.is_sent;
                    others.push(format!("in its place: {}", failed.error));
                }
            }
        }
        Err(FailedCall { error: CallError::Fallback { first: Box::new(first.error), others }, is_sent })
    }

    /// Counts how a question ended.
    fn count_outcome(&self, outcome: Result<CallReply, FailedCall>) -> Result<CallReply, CallError> {
        let tally = &self.0.shared.0.tally;
        let is_by_fallback = matches!(&outcome, Ok(CallReply { answered_by: Some(_), .. }));
        add_to_count(&tally.by_fallback, u64::from(is_by_fallback));
        match &outcome {
            Ok(CallReply { replayed: true, entry, .. }) => {
                add_to_count(&tally.replayed, 1);
                add_to_count(&tally.cut, u64::from(matches!(entry.reply.content, ReplyContent::Truncated(_))));
            }
            Ok(CallReply { entry, unrecorded, .. }) => {
                add_to_count(&tally.cut, u64::from(matches!(entry.reply.content, ReplyContent::Truncated(_))));
                add_to_count(
                    match entry.reply.content {
                        ReplyContent::Refused(_) => &tally.refused,
                        ReplyContent::Truncated(_) => &tally.truncated,
                        _ => &tally.replied,
                    },
                    1,
                );
                let usage = entry.reply.usage.unwrap_or_default();
                add_to_count(&tally.input_tokens, usage.input_tokens);
                add_to_count(&tally.output_tokens, usage.output_tokens);
                add_to_count(&tally.unmeasured, u64::from(entry.reply.usage.is_none() || entry.is_bound));
                add_to_count(&tally.unrecorded, u64::from(unrecorded.is_some()));
            }
            Err(unanswered) => {
                add_to_count(&tally.failed, 1);
                add_to_count(&tally.unsent, u64::from(!unanswered.is_sent));
            }
        }
        outcome.map_err(|unanswered| unanswered.error)
    }

    /// The question as it is asked here. A wish that cannot be expressed is an error before anything is sent.
    fn request(&self, question: &ChatRequest, repeat: u32) -> Result<ModelRequest, CallError> {
        let ClientInner { name, base_url, settings, also, .. } = &*self.0;
        let request = settings.request(name, base_url, also, question, repeat);
        // A reply that is recorded is found whatever was wished for.
        let is_sent = !matches!(self.0.connection, Connection::CacheOnly);
        let unknown = Feature::used_by(&request).find(|feature| is_sent && !name.provider.supports(*feature));
        match unknown {
            Some(feature) => Err(CallError::Unsendable(format!(
                "model `{}`: `{}` is not supported by `{}`",
                settings.display_name(),
                feature.name(),
                name.provider
            ))),
            None => Ok(request),
        }
    }

    /// The request as the record knows it: without keys that were written into a question. What is sent is not changed.
    fn redacted_request(&self, request: &ModelRequest) -> ModelRequest {
        let redactor = self.0.shared.redactor();
        let mut redacted = request.clone();
        for message in &mut redacted.messages {
            message.text = redactor.clean_text(std::mem::take(&mut message.text));
            for part in &mut message.parts {
                if let MessagePart::Text { text } | MessagePart::ToolResult { text, .. } = part {
                    *text = redactor.clean_text(std::mem::take(text));
                }
            }
        }
        redacted
    }

    /// The recorded reply, or one that is asked for and recorded. A question that is asked again has a further entry in the
    /// record; the last one counts.
    async fn call_with_cache(
        &self,
        question: &ChatRequest,
        repeat: u32,
        purpose: CallPurpose,
    ) -> Result<CallReply, FailedCall> {
        let first = self.request(question, repeat)?;
        let mut latest = None;
        for round in 0..MOST_ROUNDS {
            let attempt = first.attempt.saturating_add(round * ATTEMPTS_OF_A_ROUND);
            let request = ModelRequest { attempt, ..first.clone() };
            let redacted = self.redacted_request(&request);
            let key = CacheKey::from_request(&redacted);
            // Where a reply is known, and counts, a later one is only looked for.
            let refreshes = self.0.shared.0.refresh;
            // A question of a batch is held by the file of batches and not by a lease.
            let is_looked_for = latest.is_some() && !refreshes || self.batch_api(&request).is_some();
            let claimed = if is_looked_for { self.lookup_cached(key).await? } else { self.claim(key).await? };
            let lease = match (claimed, latest) {
                (CacheLookup::Found(answered), _) if self.0.shared.is_refreshed(key) => return Ok(*answered),
                (CacheLookup::Found(answered), _) => {
                    latest = Some(*answered);
                    continue;
                }
                (CacheLookup::NotFound(_), Some(answered)) if !refreshes => return Ok(answered),
                (CacheLookup::NotFound(lease), _) => lease,
            };
            if self.batch_api(&request).is_none() {
                self.0.shared.mark_refreshed(key);
            }
            // What is sent has the code of its question; what is recorded, and answered from a file, does not.
            let is_coded = question.coded && !self.0.connection.is_cassette();
            let code = if is_coded { Some(fresh_code()?) } else { None };
            if let Some((book, _)) = self.batch_api(&request) {
                return Err(self.queue_for_batch(book, (&request, redacted), key, code, purpose)?.into());
            }
            let entries = self.send_requests(std::slice::from_ref(&request), key, code, purpose).await?;
            let entry = entries.into_iter().next().ok_or_else(dropped_question_error)?;
            return Ok(self.store_reply(lease, CacheEntry { request: redacted, ..entry }).await?);
        }
        latest.ok_or_else(|| dropped_question_error().into())
    }

    /// What the record says about a request; nobody is to ask it.
    async fn lookup_cached(&self, key: CacheKey) -> Result<CacheLookup, CallError> {
        let Some(record) = self.0.shared.response_cache().filter(|_| !self.0.connection.is_cassette()) else {
            return Ok(CacheLookup::NotFound(None));
        };
        Ok(match record.claim(key, true).await? {
            CacheClaim::Reply(entry) => CacheLookup::Found(Box::new(CallReply::recorded(*entry))),
            _ => CacheLookup::NotFound(None),
        })
    }

    /// What the record says about a request, or the leave to ask.
    async fn claim(&self, key: CacheKey) -> Result<CacheLookup, CallError> {
        let ClientInner { shared, connection, .. } = &*self.0;
        // A file of recorded replies is a record already.
        let Some(record) = shared.response_cache().filter(|_| !connection.is_cassette()) else {
            if shared.0.offline && !connection.is_cassette() {
                return Err(self.not_recorded(key));
            }
            return Ok(CacheLookup::NotFound(None));
        };
        let claimed = tokio::select! {
            biased;
            () = shared.0.cancel.cancelled() => return Err(CallError::Cancelled),
            claimed = record.claim(key, shared.0.offline) => claimed?,
        };
        match claimed {
            CacheClaim::Reply(entry) => Ok(CacheLookup::Found(Box::new(CallReply::recorded(*entry)))),
            CacheClaim::Missing => Err(self.not_recorded(key)),
            CacheClaim::Leased(lease) => Ok(CacheLookup::NotFound(Some(lease))),
        }
    }

    /// Only the record may answer, and it does not.
    fn not_recorded(&self, key: CacheKey) -> CallError {
        let ClientInner { shared, settings, .. } = &*self.0;
        shared.note_missing(&settings.name, key);
        CallError::NotRecorded { model: settings.display_name(), key: key.short() }
    }

    /// Commits a reply before it is handed on. One that cannot be written is held by the record, and says so.
    async fn store_reply(&self, lease: Option<Lease>, entry: CacheEntry) -> Result<CallReply, CallError> {
        let ClientInner { shared, connection, .. } = &*self.0;
        let (Some(record), Some(lease)) = (shared.response_cache(), lease) else {
            return Ok(CallReply { replayed: connection.is_cassette(), ..CallReply::recorded(entry) });
        };
        let (entry, unrecorded) = record.store(lease, entry).await?;
        Ok(CallReply { replayed: false, unrecorded, ..CallReply::recorded(entry) })
    }
}

/// Attempts that a judge makes of one question by itself are fewer; those of a question that is asked again count from there.
const ATTEMPTS_OF_A_ROUND: u32 = 100;

/// More than anybody asks again.
const MOST_ROUNDS: u32 = 1000;

/// A question without an answer.
#[derive(Debug, Clone)]
struct FailedCall {
    error: CallError,
    /// Whether it was sent at all.
    is_sent: bool,
}

impl From<CallError> for FailedCall {
    fn from(error: CallError) -> Self {
        Self { error, is_sent: false }
    }
}

/// What is known of a request before it is sent.
enum CacheLookup {
    Found(Box<CallReply>),
    /// Nobody has the reply; the lease to ask for it, where there is a record.
    NotFound(Option<Lease>),
}

/// A request as it is sent: with the code that the model alone is told.
fn with_code(request: &ModelRequest, code: &str) -> ModelRequest {
    let mut sent = request.clone();
    add_nonce(&mut sent.messages, sent.parameters.schema.as_mut(), code);
    sent
}

/// A code that nobody can guess.
fn fresh_code() -> Result<String, CallError> {
    random_token::<8>().ok_or_else(|| CallError::Internal { reason: "the system gives no random numbers".to_owned() })
}

fn dropped_question_error() -> CallError {
    CallError::Internal { reason: "a question was dropped".to_owned() }
}

/// Asks several models several questions at once; one reply for each, in their order.
pub(crate) fn ask_all(shared: &ModelContext, requests: Vec<(Client, ChatRequest)>) -> Vec<ModelReply> {
    let count = requests.len();
    let Some(handle) = shared.handle() else { return vec![dropped_question_error().reply(); count] };
    shared.block_on(replies(requests, handle.clone())).unwrap_or_else(|| vec![dropped_question_error().reply(); count])
}

/// The same for whoever waits in the runtime.
pub(crate) async fn replies(requests: Vec<(Client, ChatRequest)>, handle: Handle) -> Vec<ModelReply> {
    let mut replies: Vec<Option<ModelReply>> = vec![None; requests.len()];
    let mut tasks = JoinSet::new();
    for (at, (client, question)) in requests.into_iter().enumerate() {
        let call = async move { (at, client.call(&question, 0, CallPurpose::Judge).await) };
        tasks.spawn_on(call, &handle);
    }
    while let Some(ended) = tasks.join_next().await {
        if let Ok((at, outcome)) = ended
            && let Some(place) = replies.get_mut(at)
        {
            *place = Some(into_reply(outcome));
        }
    }
    replies.into_iter().map(|reply| reply.unwrap_or_else(|| dropped_question_error().reply())).collect()
}

fn into_reply(outcome: Result<CallReply, CallError>) -> ModelReply {
    match outcome {
        Ok(CallReply { entry, answered_by, .. }) => {
            ModelReply { model: entry.reply.model.or(answered_by), ..entry.reply }
        }
        Err(error) => error.reply(),
    }
}
