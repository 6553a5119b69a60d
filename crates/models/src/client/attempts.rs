//! One request, attempt by attempt: what it waits for, what it holds, what it takes.

use std::time::{Duration, SystemTime};

use probare_core::{CallOutcome, CallPurpose, ModelReply, ReplyContent, Usage};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::{Client, ClientInner, FailedCall, longest_reply, with_code};
use crate::budget::Reservation;
use crate::cache::LostAttempts;
use crate::dialects::{RawReply, RawRequest, ReplyError, without_images};
use crate::http::AttemptError;
use crate::image_tokens::input_bound;
use crate::ledger::{EndedCall, PlannedCall, Spending, outcome};
use crate::limits::{BreakerDecision, BreakerPass, Permit};
use crate::retry_policy::{Retry, backoff};
use crate::shared::add_to_count;
use crate::{CacheEntry, CacheKey, CallError, Fault, ModelRequest, Money};

/// Tokens of a reply that are expected for the limits a minute when no longest length is set.
const USUAL_REPLY: u32 = 512;

impl Client {
    /// Asks until there is a reply, or no attempt is worth it, or the time is over. Several requests are those of vectors, which
    /// go together; one entry comes back for each.
    pub(super) async fn send_requests(
        &self,
        requests: &[ModelRequest],
        key: CacheKey,
        code: Option<String>,
        purpose: CallPurpose,
    ) -> Result<Vec<CacheEntry>, FailedCall> {
        let mut question = AttemptState::answered(0);
        let result = self.send_with_retries(requests, key, code, purpose, &mut question).await;
        result.map_err(|error| FailedCall { error, is_sent: question.attempts > 0 })
    }

    async fn send_with_retries(
        &self,
        requests: &[ModelRequest],
        key: CacheKey,
        code: Option<String>,
        purpose: CallPurpose,
        question: &mut AttemptState,
    ) -> Result<Vec<CacheEntry>, CallError> {
        let inner = &*self.0;
        let Some(first) = requests.first() else { return Ok(Vec::new()) };
        let streams = inner.connection.streams();
        let raw = inner.write_request(requests, first, code.as_deref())?;
        let bound = inner.bound(first, &raw)?;
        let is_priced = inner.price.is_some();
        let call = PlannedCall { model: inner.settings.display_name(), purpose, key, bound, is_priced };
        // Held as long as this question waits to be asked again.
        let mut before = None;
        loop {
            let admitted = inner.admit_in_time(&call, &raw, first, question).await?;
            // The clock of a question starts with its first attempt: a long queue is no fault of its own.
            let moment = *question.deadline.get_or_insert_with(|| Instant::now() + inner.in_all);
            question.attempts += 1;
            // What a file of recorded replies answers is sent to nobody.
            add_to_count(&inner.shared.0.tally.attempts, u64::from(!inner.connection.is_cassette()));
            let started = Instant::now();
            let left = moment.saturating_duration_since(started);
            // A stream may take long, as long as something comes.
            let allowed = if streams { left } else { inner.timeout.min(left) };
            let failed = match inner.send_once(requests, &raw, allowed).await {
                None => {
                    admitted.settle_abandoned(inner);
                    return Err(CallError::Cancelled);
                }
                Some(Ok((replies, _))) if inner.settings.retry_empty && has_empty_text(first, &replies) => {
                    let usage = replies.first().and_then(|raw_reply| raw_reply.reply.usage);
                    ReplyError { usage, ..ReplyError::new(Fault::Empty, "the reply is an empty text") }.into()
                }
                Some(Ok((mut replies, received))) => {
                    for raw_reply in &mut replies {
                        raw_reply.reply.code = code.clone().or(raw_reply.reply.code.take());
                    }
                    let latency = started.elapsed();
                    let entries = inner.entries(requests, replies, (&raw, &received), latency, question, bound);
                    admitted.settle_success(inner, &entries, bound);
                    return Ok(entries);
                }
                Some(Err(failed)) => failed,
            };
            let AttemptError { mut error, retry_after } = failed;
            error.reason = inner.shared.redactor().clean(error.reason);
            let taken = admitted.settle_failure(inner, &error, bound);
            question.lost = question.lost.plus(taken);
            if let Some(delay) = retry_after {
                // Everybody who asks this model waits.
                inner.limits.hold.extend(delay, Instant::now());
            }
            let pause = question.pause_before_retry(inner, error, retry_after, key.seed())?;
            before.get_or_insert_with(|| inner.breaker.note_retry());
            tokio::select! {
                biased;
                () = inner.shared.0.cancel.cancelled() => return Err(CallError::Cancelled),
                () = sleep(pause) => {}
            }
        }
    }
}

/// Whether a reply is a text without a single sign, and calls no tool.
fn has_empty_text(request: &ModelRequest, replies: &[RawReply]) -> bool {
    let is_empty = |raw_reply: &RawReply| {
        matches!(&raw_reply.reply.content, ReplyContent::Text(text) if text.is_empty())
            && raw_reply.reply.tool_calls().next().is_none()
    };
    !request.embedding && replies.iter().any(is_empty)
}

/// How far a question has come.
pub(super) struct AttemptState {
    attempts: u32,
    /// What attempts took that came to nothing.
    lost: Spending,
    /// What went wrong last.
    last: Option<String>,
    deadline: Option<Instant>,
    /// Whether a fault came that is forgiven once.
    is_forgiven: bool,
}

impl AttemptState {
    /// That of a question whose attempts took nothing but the reply.
    pub(super) fn answered(attempts: u32) -> Self {
        Self { attempts, lost: Spending::default(), last: None, deadline: None, is_forgiven: false }
    }

    /// How long the question waits after an attempt that failed, or why it is not asked again.
    fn pause_before_retry(
        &mut self,
        inner: &ClientInner,
        error: ReplyError,
        retry_after: Option<Duration>,
        seed: u64,
    ) -> Result<Duration, CallError> {
        let again = match error.fault.rule().retry {
            Retry::No => false,
            Retry::Yes => true,
            Retry::Once => !std::mem::replace(&mut self.is_forgiven, true),
        };
        let is_too_late = |pause: Duration| self.deadline.is_some_and(|moment| Instant::now() + pause >= moment);
        if let Some(delay) = retry_after.filter(|delay| again && is_too_late(*delay)) {
            return Err(inner.postponed_error(delay, Some(error.reason)));
        }
        if !again || self.attempts >= inner.attempts {
            return Err(self.provider_error(inner, error));
        }
        let own = backoff(inner.base_wait, self.attempts, inner.shared.0.seed ^ seed);
        // Added to what the provider asks for, so that not everybody returns in the same moment.
        let pause = retry_after.map_or(own, |delay| delay + own.min(Duration::from_secs(1)) / 4);
        let is_too_late = is_too_late(pause);
        self.last = Some(error.reason);
        if is_too_late { Err(self.timed_out_error(inner)) } else { Ok(pause) }
    }

    fn timed_out_error(&mut self, inner: &ClientInner) -> CallError {
        let last = self.last.take();
        CallError::TimedOut { model: inner.settings.display_name(), limit: inner.in_all, attempts: self.attempts, last }
    }

    fn provider_error(&self, inner: &ClientInner, error: ReplyError) -> CallError {
        let ReplyError { fault, reason, .. } = error;
        CallError::Provider { model: inner.settings.display_name(), fault, reason, attempts: self.attempts }
    }

    /// A question that was asked before says what came of that, too.
    fn with_last_failure(&self, error: CallError) -> CallError {
        match (error, &self.last) {
            (CallError::CircuitOpen { model, failures, permits_fallback, .. }, Some(own)) => {
                CallError::CircuitOpen { model, failures, last: own.clone(), permits_fallback }
            }
            (error, _) => error,
        }
    }
}

/// What a request holds while it is under way.
struct AdmittedRequest {
    pass: BreakerPass,
    permit: Permit,
    /// Nothing where a file of recorded replies answers.
    reservation: Option<Reservation>,
    /// Tokens that were taken from the limit a minute.
    tokens: f64,
}

impl AdmittedRequest {
    fn settle_success(self, inner: &ClientInner, entries: &[CacheEntry], bound: Spending) {
        self.pass.succeeded();
        // Of several vectors the first carries what all of them took.
        let is_known = entries.iter().enumerate().all(|(at, entry)| {
            let usage = if at == 0 { reported_usage(&entry.request, &entry.reply) } else { entry.reply.usage };
            usage.is_some()
        });
        let usage = entries.iter().filter_map(|entry| entry.reply.usage).fold(Usage::default(), Usage::plus);
        let dollars: f64 = entries.iter().filter_map(|entry| entry.cost_usd).sum();
        // Nobody says what it took: the bound counts.
        let tokens = if is_known { usage.tokens() } else { bound.tokens };
        if let Some(rate) = &inner.limits.tokens {
            rate.correct(self.tokens - tokens as f64);
        }
        let outcome = entries.first().map_or(CallOutcome::Failed, |entry| outcome(&entry.reply.content));
        if let Some(reservation) = self.reservation {
            let taken = Spending { tokens, money: Money::dollars(dollars) };
            let is_bound = entries.iter().any(|entry| entry.is_bound);
            reservation.settle(EndedCall { outcome, usage, taken, is_bound });
        }
        inner.throttle.succeeded(self.permit);
    }

    /// Nobody waits for the reply any more; it may come all the same, and be charged.
    fn settle_abandoned(self, inner: &ClientInner) {
        let Some(reservation) = self.reservation else { return };
        let taken = reservation.bound();
        let outcome = CallOutcome::Interrupted;
        reservation.settle(EndedCall { outcome, usage: Usage::default(), taken, is_bound: true });
        inner.shared.count_lost(taken);
    }

    /// Settles what a failed attempt may have taken, and says how much.
    fn settle_failure(self, inner: &ClientInner, error: &ReplyError, bound: Spending) -> Spending {
        let rule = error.fault.rule();
        self.pass.failed(error.fault, &error.reason, Instant::now());
        let taken = match error.usage {
            _ if !rule.charged => Spending::default(),
            Some(usage) => {
                let money = inner.price.map(|price| price.cost(usage)).unwrap_or_default();
                Spending { tokens: usage.tokens(), money }
            }
            None => bound,
        };
        if let Some(reservation) = self.reservation {
            let is_bound = rule.charged && error.usage.is_none();
            let usage = error.usage.filter(|_| rule.charged).unwrap_or_default();
            reservation.settle(EndedCall { outcome: CallOutcome::Failed, usage, taken, is_bound });
        }
        if let Some(rate) = &inner.limits.tokens {
            rate.correct(self.tokens - taken.tokens as f64);
        }
        if rule.charged {
            inner.shared.count_lost(taken);
        }
        if rule.slower {
            inner.throttle.slow_down(self.permit);
        }
        taken
    }
}

impl ClientInner {
    /// What is sent for a question.
    fn write_request(
        &self,
        requests: &[ModelRequest],
        first: &ModelRequest,
        code: Option<&str>,
    ) -> Result<RawRequest, CallError> {
        let (dialect, streams) = (first.provider.dialect(), self.connection.streams());
        let written = match code {
            _ if first.embedding => dialect.write_vectors(requests),
            Some(code) => dialect.write(&with_code(first, code), streams),
            None => dialect.write(first, streams),
        };
        written.map_err(|error| CallError::conflict(&self.settings.display_name(), &error.reason))
    }

    /// Admits the next attempt of a question, while there is time for it.
    async fn admit_in_time(
        &self,
        call: &PlannedCall,
        raw: &RawRequest,
        request: &ModelRequest,
        question: &mut AttemptState,
    ) -> Result<AdmittedRequest, CallError> {
        let admission = self.admit(call, raw, request, question.attempts);
        match question.deadline {
            None => admission.await,
            Some(moment) => match timeout_at(moment, admission).await {
                Ok(admitted) => admitted.map_err(|error| question.with_last_failure(error)),
                Err(_) => Err(question.timed_out_error(self)),
            },
        }
    }

    /// Sends a request; nothing comes back once nobody wants to wait any more.
    async fn send_once(
        &self,
        requests: &[ModelRequest],
        raw: &RawRequest,
        allowed: Duration,
    ) -> Option<Result<(Vec<RawReply>, Vec<u8>), AttemptError>> {
        let _under_way = self.shared.track_request(self.settings.display_name(), allowed);
        tokio::select! {
            biased;
            sent = timeout(allowed, self.connection.send(requests, raw)) => Some(sent.unwrap_or_else(|_| {
                let reason = format!("no whole reply within {:.1} seconds", allowed.as_secs_f64());
                Err(ReplyError::new(Fault::TimedOut, reason).into())
            })),
            // What is sent is paid for: it is waited for until nobody wants to wait any more.
            () = self.shared.0.abandon.cancelled() => None,
        }
    }

    /// Waits at every door in turn; goes when the run is ended.
    async fn admit(
        &self,
        call: &PlannedCall,
        raw: &RawRequest,
        request: &ModelRequest,
        attempts: u32,
    ) -> Result<AdmittedRequest, CallError> {
        tokio::select! {
            biased;
            () = self.shared.0.cancel.cancelled() => Err(CallError::Cancelled),
            admitted = self.pass_gates(call, raw, request, attempts) => admitted,
        }
    }

    async fn pass_gates(
        &self,
        call: &PlannedCall,
        raw: &RawRequest,
        request: &ModelRequest,
        attempts: u32,
    ) -> Result<AdmittedRequest, CallError> {
        loop {
            let pause = self.limits.hold.remaining(Instant::now());
            if pause > self.in_all {
                return Err(self.postponed_error(pause, None));
            }
            self.limits.hold.wait().await;
            let permit = self.throttle.acquire().await;
            if !self.limits.hold.remaining(Instant::now()).is_zero() {
                // Somebody was asked for a pause while this one waited for its place.
                drop(permit);
                continue;
            }
            let pass = match self.breaker.gate(Instant::now(), attempts == 0, self.in_all) {
                BreakerDecision::Go(pass) => pass,
                BreakerDecision::Refused { failures, last, permits_fallback } => {
                    return Err(CallError::CircuitOpen {
                        model: self.settings.display_name(),
                        failures,
                        last,
                        permits_fallback,
                    });
                }
                BreakerDecision::Wait(pause) => {
                    drop(permit);
                    sleep(pause).await;
                    continue;
                }
            };
            let reply = request.parameters.max_tokens.unwrap_or(USUAL_REPLY);
            let tokens = raw.body.len() as f64 / 4.0 + f64::from(reply);
            if let Some(rate) = &self.limits.requests {
                rate.wait_for(1.0).await;
            }
            if let Some(rate) = &self.limits.tokens {
                rate.wait_for(tokens).await;
            }
            let reservation = if self.connection.is_cassette() {
                None
            } else {
                Some(self.shared.budget().reserve(call.clone()).await?)
            };
            return Ok(AdmittedRequest { pass, permit, reservation, tokens });
        }
    }

    /// The provider wants a longer pause than a question may take: nothing more is asked of the model.
    fn postponed_error(&self, pause: Duration, last: Option<String>) -> CallError {
        let model = self.settings.display_name();
        // Where others answer the run goes on.
        if self.settings.fallback.is_empty() {
            self.shared.postpone(model.clone(), pause);
        }
        CallError::Postponed { model, pause, limit: self.in_all, last }
    }

    /// The most that a request can take, as far as that is known. A token is at least a byte, and the body holds more bytes
    /// than the messages; an image takes what the provider's formula says. With a budget there must be a bound.
    pub(super) fn bound(&self, request: &ModelRequest, raw: &RawRequest) -> Result<Spending, CallError> {
        // A vector is not paid for by its length.
        let none = request.embedding.then_some(0);
        let Some(most) = none.or(request.parameters.max_tokens).or(longest_reply(&self.name, self.price)) else {
            if self.shared.budget().is_limited() {
                return Err(CallError::Unsendable(format!(
                    "a budget is set, but the maximum reply length of model `{}` is not known; set `max_tokens`",
                    self.settings.display_name()
                )));
            }
            return Ok(Spending::default());
        };
        let usage = Usage::new(input_bound(request, raw.body.len() as u64), u64::from(most));
        // Only a field that somebody added to the body makes a provider keep a prompt for a fee.
        let may_write_cache = !request.extra_body.is_empty();
        let money = self.price.map(|price| price.bound(usage, may_write_cache)).unwrap_or_default();
        Ok(Spending { tokens: usage.tokens(), money })
    }

    /// What is kept of replies, whole keys taken out.
    pub(super) fn entries(
        &self,
        requests: &[ModelRequest],
        replies: Vec<RawReply>,
        (raw, received): (&RawRequest, &[u8]),
        latency: Duration,
        question: &AttemptState,
        bound: Spending,
    ) -> Vec<CacheEntry> {
        let redactor = self.shared.redactor();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let text = |bytes: &[u8]| redactor.clean_text(String::from_utf8_lossy(bytes).into_owned());
        let count = replies.len();
        let entry = |(at, (request, raw_reply)): (usize, (&ModelRequest, RawReply))| {
            let RawReply { mut reply, cost, logprobs, unknown_stop } = raw_reply;
            if let Some(word) = unknown_stop {
                self.shared.count_unknown_stop(self.settings.display_name(), redactor.clean_text(word));
            }
            if let ReplyContent::Text(text) | ReplyContent::Truncated(text) | ReplyContent::Refused(text) =
                &mut reply.content
            {
                *text = redactor.clean_text(std::mem::take(text));
            }
            reply.model = reply.model.map(|model| redactor.clean_text(model));
            // Of several vectors the first carries what all of them took.
            let is_first = at == 0;
            let usage = if is_first { reported_usage(request, &reply) } else { reply.usage };
            let priced = usage.and_then(|usage| self.price.map(|price| price.cost(usage).in_dollars()));
            // The user's own price wins over what a server says, and so does any price over a server that says nothing.
            let stated = cost.filter(|cost| *cost > 0.0 || (*cost == 0.0 && self.price.is_none()));
            let known = if self.settings.pricing.is_some() { priced } else { stated.or(priced) };
            let is_bound = known.is_none() && usage.is_none() && self.price.is_some() && is_first;
            let sent = if request.has_images() { text(&without_images(request, &raw.body)) } else { text(&raw.body) };
            CacheEntry {
                cost_usd: known.or_else(|| is_bound.then(|| bound.money.in_dollars())),
                is_bound: is_bound && bound.money > Money::default(),
                lost: (is_first && question.lost != Spending::default())
                    .then(|| LostAttempts { tokens: question.lost.tokens, cost_usd: question.lost.money.in_dollars() }),
                sent: (count == 1).then_some(sent),
                // A vector stands in the reply already.
                received: (!received.is_empty() && !request.embedding).then(|| text(received)),
                logprobs: logprobs.and_then(|json| serde_json::from_str(&redactor.clean_text(json.to_string())).ok()),
                latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
                attempts: question.attempts,
                made: now.as_secs(),
                ..CacheEntry::new(request.clone(), reply)
            }
        };
        requests.iter().zip(replies).enumerate().map(entry).collect()
    }
}

/// What a call took, as far as its provider can be believed: an answer that took no tokens was not measured.
fn reported_usage(request: &ModelRequest, reply: &ModelReply) -> Option<Usage> {
    let has_answer = match &reply.content {
        ReplyContent::Text(text) | ReplyContent::Truncated(text) => {
            !text.is_empty() || reply.tool_calls().next().is_some()
        }
        _ => false,
    };
    let needs_output = has_answer && !request.embedding;
    reply.usage.filter(|usage| usage.input_tokens > 0 && (usage.output_tokens > 0 || !needs_output))
}
