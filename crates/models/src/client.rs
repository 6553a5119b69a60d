//! [`Client`]: one model, asked many questions at once.
//!
//! A question goes through these doors, in this order: the record (is the reply there, is somebody asking?), the breaker,
//! a place among the requests under way, the limits a minute, the budget; then it is sent. A reply is committed to the
//! record before it is handed on. Whatever a question holds is given back when it ends, also when it is cancelled.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use probare_core::{Content, ModelUsed, Parameters, Question, Reply, Usage, tell_code};
use serde_json::Value as Json;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::budget::Spending;
use crate::fault::wait;
use crate::limits::{Breaker, Gate, Pass, Permit, Rate, Throttle};
use crate::name::Dialect;
use crate::prices::{self, Price};
use crate::providers::{Heard, Parcel, Unheard, anthropic};
use crate::record::{Claimed, Lease};
use crate::road::{self, Road};
use crate::shared::{OpenError, Shared, add};
use crate::transport::Failed;
use crate::{CallError, Entry, Fault, Key, ModelName, ModelSettings, Money, Request, random_bytes};

/// Tokens of a reply that are expected for the limits a minute when no longest length is set.
const USUAL_REPLY: u32 = 512;

/// A reply with what is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// Request, reply and what the call took.
    pub entry: Entry,
    /// Whether the record answered.
    pub replayed: bool,
}

/// One model. Clones are the same.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    shared: Shared,
    name: ModelName,
    settings: ModelSettings,
    base_url: String,
    price: Option<Price>,
    road: Road,
    throttle: Throttle,
    breaker: Breaker,
    requests: Option<Rate>,
    tokens: Option<Rate>,
    timeout: Duration,
    in_all: Duration,
    attempts: u32,
    base_wait: Duration,
}

impl Client {
    /// Prepares to ask a model: checks the settings, reads the key, opens what it needs. Nothing is sent.
    pub fn open(settings: ModelSettings, shared: &Shared) -> Result<Self, OpenError> {
        settings.check()?;
        let name = settings.model_name()?;
        let program = settings.program_digest(&name);
        let given = settings.base_url.as_deref().or(program.as_deref());
        let base_url = given.or(name.provider.base_url()).unwrap_or_default();
        let base_url = base_url.trim_end_matches('/').to_owned();
        let free = name.provider.is_free().then(|| Price::given(prices::Pricing::default()));
        // A list price is for the provider's own address.
        let listed = prices::listed(&name).filter(|_| settings.base_url.is_none());
        let price = settings.pricing.map(Price::given).or(listed).or(free);
        if shared.budget().limits_money() && price.is_none() {
            return Err(OpenError::NoPrice { model: settings.shown() });
        }
        let road = Road::open(&settings, &name, &base_url, shared)?;
        shared.start(!road.is_cassette() && !shared.0.only_looks)?;
        let is_mute = shared.0.offline && shared.record().is_none() && !road.is_cassette();
        if is_mute && !shared.0.only_looks && shared.trust().may_ask() {
            return Err(OpenError::OfflineWithoutRecord);
        }
        let per_minute = |limit: Option<f64>| limit.map(Rate::per_minute);
        let (throttle, breaker) = shared.limits(&name, &base_url, &settings);
        Ok(Self(Arc::new(Inner {
            throttle,
            breaker,
            requests: per_minute(settings.requests_per_minute.map(f64::from)),
            tokens: per_minute(settings.tokens_per_minute.map(|tokens| tokens as f64)),
            timeout: ModelSettings::seconds(settings.timeout, 120.0),
            in_all: ModelSettings::seconds(settings.timeout_total, 900.0),
            attempts: settings.max_attempts.unwrap_or(6),
            base_wait: ModelSettings::seconds(settings.retry_wait, 0.5),
            shared: shared.clone(),
            name,
            settings,
            base_url,
            price,
            road,
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
        let Inner { settings, name, base_url, shared, .. } = &*self.0;
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
        }
    }

    /// Whether a file of recorded replies stands for the model.
    pub fn is_recorded(&self) -> bool {
        self.0.road.is_cassette()
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
        let bug = || CallError::Internal { reason: "a question was dropped".to_owned() };
        self.0.shared.block(self.call(question, repeat)).unwrap_or_else(|| Err(bug()))
    }

    /// What a call of this usage costs, in US dollars, where the price is known.
    pub fn cost(&self, usage: Usage) -> Option<f64> {
        self.0.price.map(|price| price.of(usage).in_dollars())
    }

    /// Asks one question; `repeat` is the repetition of the run, counted from 0.
    pub async fn call(&self, question: &Question, repeat: u32) -> Result<Answered, CallError> {
        let shared = &self.0.shared;
        let outcome = tokio::select! {
            biased;
            () = shared.0.cancel.cancelled() => Err(CallError::Cancelled),
            outcome = self.recorded(question, repeat) => outcome,
        };
        let tally = &shared.0.tally;
        match &outcome {
            Ok(Answered { replayed: true, .. }) => add(&tally.replayed, 1),
            Ok(Answered { entry, .. }) => {
                let refused = matches!(entry.reply.content, Content::Refused(_));
                add(if refused { &tally.refused } else { &tally.replied }, 1);
                let usage = entry.reply.usage.unwrap_or_default();
                add(&tally.input_tokens, usage.input_tokens);
                add(&tally.output_tokens, usage.output_tokens);
            }
            Err(_) => add(&tally.failed, 1),
        }
        outcome
    }

    /// The recorded reply, or one that is asked for and recorded.
    async fn recorded(&self, question: &Question, repeat: u32) -> Result<Answered, CallError> {
        let Inner { shared, name, base_url, settings, .. } = &*self.0;
        let mut question = question.clone();
        for message in &mut question.messages {
            // A key in a question would be sent to a model and kept in the record.
            message.text = shared.redactor().clean(std::mem::take(&mut message.text));
        }
        let request = Request::new(name, base_url, settings, &question, repeat);
        let key = Key::of(&request);
        let coded = question.coded;
        // A file of recorded replies is a record already.
        let Some(record) = shared.record().filter(|_| !self.0.road.is_cassette()) else {
            let replayed = self.0.road.is_cassette();
            if shared.0.offline && !replayed {
                return Err(self.not_recorded(key));
            }
            return Ok(Answered { entry: self.asked(request, key, coded).await?, replayed });
        };
        let claimed = tokio::select! {
            biased;
            () = shared.0.closing.cancelled() => return Err(CallError::Cancelled),
            claimed = record.claim(key, shared.0.offline) => claimed?,
        };
        let lease: Lease = match claimed {
            Claimed::Reply(entry) => return Ok(Answered { entry: *entry, replayed: true }),
            Claimed::Missing => return Err(self.not_recorded(key)),
            Claimed::Mine(lease) => lease,
        };
        let entry = self.asked(request, key, coded).await?;
        Ok(Answered { entry: record.keep(lease, entry).await?, replayed: false })
    }

    /// Only the record may answer, and it does not.
    fn not_recorded(&self, key: Key) -> CallError {
        let Inner { shared, settings, .. } = &*self.0;
        shared.miss(&settings.name, key);
        CallError::NotRecorded { model: settings.shown(), key: key.short() }
    }

    /// Asks until there is a reply, or no attempt is worth it, or the time is over.
    async fn asked(&self, request: Request, key: Key, coded: bool) -> Result<Entry, CallError> {
        let inner = &*self.0;
        // What is sent has the code of its question; what is recorded, and answered from a file, does not.
        let code = if coded && !inner.road.is_cassette() { Some(fresh_code()?) } else { None };
        let parcel = match &code {
            Some(code) => road::parcel(&with_code(&request, code)),
            None => road::parcel(&request),
        };
        let bound = inner.bound(&request, &parcel)?;
        let mut deadline: Option<Instant> = None;
        let mut last: Option<Unheard> = None;
        let mut attempts = 0;
        let over = |attempts, last: Option<Unheard>| CallError::TimedOut {
            model: inner.settings.shown(),
            limit: inner.in_all,
            attempts,
            last: last.map(|unheard| unheard.reason),
        };
        let closing = &inner.shared.0.closing;
        loop {
            // Nothing is sent any more once the run is closing; what is sent is waited for.
            let admission = async {
                match deadline {
                    None => Ok(inner.admitted(bound, &parcel, &request).await),
                    Some(moment) => timeout_at(moment, inner.admitted(bound, &parcel, &request)).await,
                }
            };
            let admitted = tokio::select! {
                biased;
                () = closing.cancelled() => return Err(CallError::Cancelled),
                admitted = admission => match admitted {
                    Ok(admitted) => admitted?,
                    Err(_) => return Err(over(attempts, last)),
                },
            };
            // The clock of a question starts with its first attempt: a long queue is no fault of its own.
            let moment = *deadline.get_or_insert_with(|| Instant::now() + inner.in_all);
            attempts += 1;
            add(&inner.shared.0.tally.attempts, 1);
            let started = Instant::now();
            let allowed = inner.timeout.min(moment.saturating_duration_since(started));
            let sent = timeout(allowed, inner.road.send(&request, &parcel)).await;
            let failed = match sent {
                Ok(Ok((heard, received))) => {
                    let latency = started.elapsed();
                    let usage = heard.reply.usage.unwrap_or_default();
                    let mut heard = heard;
                    heard.reply.code = code.or(heard.reply.code);
                    let entry = inner.entry(request, heard, &parcel, &received, latency, attempts);
                    admitted.succeeded(inner, usage, entry.cost_usd);
                    return Ok(entry);
                }
                Ok(Err(failed)) => failed,
                Err(_) => {
                    let reason = format!("no whole reply within {:.1} seconds", allowed.as_secs_f64());
                    Unheard::new(Fault::TimedOut, reason).into()
                }
            };
            let Failed { mut unheard, retry_after } = failed;
            unheard.reason = inner.shared.redactor().clean(unheard.reason);
            admitted.failed(inner, &unheard);
            if !unheard.fault.rule().retry || attempts >= inner.attempts {
                let Unheard { fault, reason } = unheard;
                return Err(CallError::Provider { model: inner.settings.shown(), fault, reason, attempts });
            }
            let own = wait(inner.base_wait, attempts, inner.shared.0.seed ^ key.seed());
            // Added to what the provider asks for, so that not everybody returns in the same moment.
            let pause = retry_after.map_or(own, |asked| asked + own.min(Duration::from_secs(1)) / 4);
            if Instant::now() + pause >= moment {
                return Err(over(attempts, Some(unheard)));
            }
            last = Some(unheard);
            tokio::select! {
                biased;
                () = closing.cancelled() => return Err(CallError::Cancelled),
                () = sleep(pause) => {}
            }
        }
    }
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

/// Asks several models several questions at once; one reply for each, in their order.
pub(crate) fn ask_all(shared: &Shared, asked: Vec<(Client, Question, u32)>) -> Vec<Reply> {
    let count = asked.len();
    let bug = || CallError::Internal { reason: "a question was dropped".to_owned() }.reply();
    let Some(handle) = shared.handle() else { return vec![bug(); count] };
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
                *place = Some(outcome.map_or_else(|error| error.reply(), |answered| answered.entry.reply));
            }
        }
        replies
    };
    let replies = shared.block(work).unwrap_or_else(|| vec![None; count]);
    replies.into_iter().map(|reply| reply.unwrap_or_else(bug)).collect()
}

/// What a request holds while it is under way.
struct Admitted {
    pass: Pass,
    permit: Permit,
    reservation: crate::budget::Reservation,
    /// Tokens that were taken from the limit a minute.
    tokens: f64,
}

impl Admitted {
    fn succeeded(self, inner: &Inner, usage: Usage, cost: Option<f64>) {
        let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        self.pass.succeeded();
        if let Some(rate) = &inner.tokens {
            rate.correct(self.tokens - tokens as f64);
        }
        let money = cost.map(Money::dollars).unwrap_or_default();
        self.reservation.settle(Spending { tokens, money });
        inner.throttle.succeeded(self.permit);
    }

    fn failed(self, inner: &Inner, unheard: &Unheard) {
        let rule = unheard.fault.rule();
        self.pass.failed(unheard.fault, &unheard.reason, Instant::now());
        if rule.charged {
            self.reservation.settle_unknown();
        }
        if rule.slower {
            inner.throttle.slow_down(self.permit);
        }
    }
}

impl Inner {
    /// Waits at every door in turn.
    async fn admitted(&self, bound: Spending, parcel: &Parcel, request: &Request) -> Result<Admitted, CallError> {
        loop {
            let permit = self.throttle.acquire().await;
            let pass = match self.breaker.gate(Instant::now()) {
                Gate::Go(pass) => pass,
                Gate::Refused(failures, last) => {
                    return Err(CallError::CircuitOpen { model: self.settings.shown(), failures, last });
                }
                Gate::Wait(pause) => {
                    drop(permit);
                    sleep(pause).await;
                    continue;
                }
            };
            let reply = request.parameters.max_tokens.unwrap_or(USUAL_REPLY);
            let tokens = parcel.body.len() as f64 / 4.0 + f64::from(reply);
            if let Some(rate) = &self.requests {
                rate.wait_for(1.0).await;
            }
            if let Some(rate) = &self.tokens {
                rate.wait_for(tokens).await;
            }
            let reservation = self.shared.budget().reserve(bound).await?;
            return Ok(Admitted { pass, permit, reservation, tokens });
        }
    }

    /// The most that a request can take. A token is at least a byte, and the body holds more bytes than the messages.
    fn bound(&self, request: &Request, parcel: &Parcel) -> Result<Spending, CallError> {
        if !self.shared.budget().is_limited() {
            return Ok(Spending::default());
        }
        let own = (self.name.provider.dialect() == Dialect::Anthropic).then_some(anthropic::MOST_TOKENS);
        let listed = self.price.and_then(|price| price.most_output);
        // A vector is not paid for by its length.
        let none = request.embedding.then_some(0);
        let Some(most) = none.or(request.parameters.max_tokens).or(own).or(listed) else {
            return Err(CallError::Unbounded { model: self.settings.shown() });
        };
        let usage = Usage::new(parcel.body.len() as u64, u64::from(most));
        let money = self.price.map(|price| price.bound(usage)).unwrap_or_default();
        Ok(Spending { tokens: usage.input_tokens.saturating_add(usage.output_tokens), money })
    }

    /// What is kept of a reply, keys taken out.
    fn entry(
        &self,
        request: Request,
        mut heard: Heard,
        parcel: &Parcel,
        received: &[u8],
        latency: Duration,
        attempts: u32,
    ) -> Entry {
        let redactor = self.shared.redactor();
        let embedding = request.embedding;
        if let Content::Text(text) | Content::Truncated(text) | Content::Refused(text) = &mut heard.reply.content {
            *text = redactor.clean(std::mem::take(text));
        }
        heard.reply.model = heard.reply.model.map(|model| redactor.clean(model));
        let logprobs = heard.logprobs.and_then(|json| serde_json::from_str(&redactor.clean(json.to_string())).ok());
        let cost = heard.cost.filter(|cost| *cost >= 0.0);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Entry {
            cost_usd: cost
                .or_else(|| self.price.map(|price| price.of(heard.reply.usage.unwrap_or_default()).in_dollars())),
            request,
            reply: heard.reply,
            sent: Some(redactor.clean_bytes(&parcel.body)),
            // A vector stands in the reply already.
            received: (!received.is_empty() && !embedding).then(|| redactor.clean_bytes(received)),
            logprobs,
            latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
            attempts,
            made: now.as_secs(),
        }
    }
}
