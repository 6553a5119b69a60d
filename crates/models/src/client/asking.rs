//! One request, attempt by attempt: what it waits for, what it holds, what it takes.

use std::time::{Duration, SystemTime};

use probare_core::{Content, Usage};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::{Client, Inner, longest_reply, with_code};
use crate::budget::{Reservation, Spending};
use crate::dialects::{RawReply, RawRequest, ReplyError, without_images};
use crate::fault::{Again, wait};
use crate::http::Failed;
use crate::limits::{Gate, Pass, Permit};
use crate::record::Lost;
use crate::shared::add;
use crate::{CallError, Entry, Fault, Key, Money, Request};

/// Tokens of a reply that are expected for the limits a minute when no longest length is set.
const USUAL_REPLY: u32 = 512;

impl Client {
    /// Asks until there is a reply, or no attempt is worth it, or the time is over. Several requests are those of vectors, which
    /// go together; one entry comes back for each.
    pub(super) async fn asked(
        &self,
        requests: &[Request],
        key: Key,
        code: Option<String>,
    ) -> Result<Vec<Entry>, CallError> {
        let inner = &*self.0;
        let Some(first) = requests.first() else { return Ok(Vec::new()) };
        let dialect = first.provider.dialect();
        let streams = inner.connection.streams();
        let raw = match &code {
            _ if first.embedding => dialect.write_vectors(requests),
            Some(code) => dialect.write(&with_code(first, code), streams),
            None => dialect.write(first, streams),
        };
        let bound = inner.bound(first, &raw)?;
        let mut question = Asking { attempts: 0, lost: Spending::default(), last: None, deadline: None };
        let mut empty_before = false;
        // Held as long as this question waits to be asked again.
        let mut before = None;
        loop {
            let admitted = match question.deadline {
                None => inner.admitted(bound, &raw, first, question.attempts).await?,
                Some(moment) => match timeout_at(moment, inner.admitted(bound, &raw, first, question.attempts)).await {
                    Ok(admitted) => admitted.map_err(|error| question.told(error))?,
                    Err(_) => return Err(question.over(inner)),
                },
            };
            // The clock of a question starts with its first attempt: a long queue is no fault of its own.
            let moment = *question.deadline.get_or_insert_with(|| Instant::now() + inner.in_all);
            question.attempts += 1;
            // What a file of recorded replies answers is sent to nobody.
            add(&inner.shared.0.tally.attempts, u64::from(!inner.connection.is_cassette()));
            let started = Instant::now();
            let left = moment.saturating_duration_since(started);
            // A stream may take long, as long as something comes.
            let allowed = if streams { left } else { inner.timeout.min(left) };
            let under_way = inner.shared.under_way(inner.settings.shown(), allowed);
            let sent = tokio::select! {
                biased;
                sent = timeout(allowed, inner.connection.send(requests, &raw)) => sent,
                // What is sent is paid for: it is waited for until nobody wants to wait any more.
                () = inner.shared.0.abandon.cancelled() => {
                    admitted.abandoned(inner);
                    return Err(CallError::Cancelled);
                }
            };
            drop(under_way);
            let failed = match sent {
                Ok(Ok((mut replies, received))) => {
                    for raw_reply in &mut replies {
                        raw_reply.reply.code = code.clone().or(raw_reply.reply.code.take());
                    }
                    let latency = started.elapsed();
                    let entries = inner.entries(requests, replies, (&raw, &received), latency, &question, bound);
                    admitted.succeeded(inner, &entries, bound);
                    return Ok(entries);
                }
                Ok(Err(failed)) => failed,
                Err(_) => {
                    let reason = format!("no whole reply within {:.1} seconds", allowed.as_secs_f64());
                    ReplyError::new(Fault::TimedOut, reason).into()
                }
            };
            let Failed { mut error, retry_after } = failed;
            error.reason = inner.shared.redactor().clean(error.reason);
            let taken = admitted.failed(inner, &error, bound);
            question.lost = question.lost.plus(taken);
            if let Some(asked) = retry_after {
                // Everybody who asks this model waits, no longer than one question may take.
                inner.limits.hold.ask_for(asked.min(inner.in_all), Instant::now());
            }
            let again = match error.fault.rule().again {
                Again::No => false,
                Again::Yes => true,
                Again::Once => !std::mem::replace(&mut empty_before, true),
            };
            if !again || question.attempts >= inner.attempts {
                return Err(question.given_up(inner, error));
            }
            let own = wait(inner.base_wait, question.attempts, inner.shared.0.seed ^ key.seed());
            // Added to what the provider asks for, so that not everybody returns in the same moment.
            let pause = retry_after.map_or(own, |asked| asked + own.min(Duration::from_secs(1)) / 4);
            question.last = Some(error.reason);
            if Instant::now() + pause >= moment {
                return Err(question.over(inner));
            }
            before.get_or_insert_with(|| inner.breaker.asked_before());
            tokio::select! {
                biased;
                () = inner.shared.0.cancel.cancelled() => return Err(CallError::Cancelled),
                () = sleep(pause) => {}
            }
        }
    }
}

/// How far a question has come.
struct Asking {
    attempts: u32,
    /// What attempts took that came to nothing.
    lost: Spending,
    /// What went wrong last.
    last: Option<String>,
    deadline: Option<Instant>,
}

impl Asking {
    fn over(&mut self, inner: &Inner) -> CallError {
        let last = self.last.take();
        CallError::TimedOut { model: inner.settings.shown(), limit: inner.in_all, attempts: self.attempts, last }
    }

    fn given_up(&self, inner: &Inner, error: ReplyError) -> CallError {
        let ReplyError { fault, reason, .. } = error;
        CallError::Provider { model: inner.settings.shown(), fault, reason, attempts: self.attempts }
    }

    /// A question that was asked before says what came of that, too.
    fn told(&self, error: CallError) -> CallError {
        match (error, &self.last) {
            (CallError::CircuitOpen { model, failures, .. }, Some(own)) => {
                CallError::CircuitOpen { model, failures, last: own.clone() }
            }
            (error, _) => error,
        }
    }
}

/// What a request holds while it is under way.
struct Admitted {
    pass: Pass,
    permit: Permit,
    reservation: Reservation,
    /// Tokens that were taken from the limit a minute.
    tokens: f64,
}

impl Admitted {
    fn succeeded(self, inner: &Inner, entries: &[Entry], bound: Spending) {
        self.pass.succeeded();
        let is_known = entries.iter().all(|entry| entry.reply.usage.is_some());
        let usage = entries.iter().filter_map(|entry| entry.reply.usage).fold(Usage::default(), Usage::plus);
        let dollars: f64 = entries.iter().filter_map(|entry| entry.cost_usd).sum();
        // Nobody says what it took: the bound counts.
        let tokens = if is_known { usage.tokens() } else { bound.tokens };
        if let Some(rate) = &inner.limits.tokens {
            rate.correct(self.tokens - tokens as f64);
        }
        self.reservation.settle(Spending { tokens, money: Money::dollars(dollars) });
        inner.throttle.succeeded(self.permit);
    }

    /// Nobody waits for the reply any more; it may come all the same, and be charged.
    fn abandoned(self, inner: &Inner) {
        let lost = self.reservation.settle_unknown();
        inner.shared.lose(lost);
    }

    /// Settles what a failed attempt may have taken, and says how much.
    fn failed(self, inner: &Inner, error: &ReplyError, bound: Spending) -> Spending {
        let rule = error.fault.rule();
        self.pass.failed(error.fault, &error.reason, Instant::now());
        let taken = match error.usage {
            _ if !rule.charged => Spending::default(),
            Some(usage) => {
                let money = inner.price.map(|price| price.of(usage)).unwrap_or_default();
                Spending { tokens: usage.tokens(), money }
            }
            None => bound,
        };
        self.reservation.settle(taken);
        if let Some(rate) = &inner.limits.tokens {
            rate.correct(self.tokens - taken.tokens as f64);
        }
        if rule.charged {
            inner.shared.lose(taken);
        }
        if rule.slower {
            inner.throttle.slow_down(self.permit);
        }
        taken
    }
}

impl Inner {
    /// Waits at every door in turn; goes when the run is ended.
    async fn admitted(
        &self,
        bound: Spending,
        raw: &RawRequest,
        request: &Request,
        attempts: u32,
    ) -> Result<Admitted, CallError> {
        tokio::select! {
            biased;
            () = self.shared.0.cancel.cancelled() => Err(CallError::Cancelled),
            admitted = self.doors(bound, raw, request, attempts) => admitted,
        }
    }

    async fn doors(
        &self,
        bound: Spending,
        raw: &RawRequest,
        request: &Request,
        attempts: u32,
    ) -> Result<Admitted, CallError> {
        loop {
            self.limits.hold.over().await;
            let permit = self.throttle.acquire().await;
            let pass = match self.breaker.gate(Instant::now(), attempts == 0, self.in_all) {
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
            let tokens = raw.body.len() as f64 / 4.0 + f64::from(reply);
            if let Some(rate) = &self.limits.requests {
                rate.wait_for(1.0).await;
            }
            if let Some(rate) = &self.limits.tokens {
                rate.wait_for(tokens).await;
            }
            let reservation = self.shared.budget().reserve(bound).await?;
            return Ok(Admitted { pass, permit, reservation, tokens });
        }
    }

    /// The most that a request can take, as far as that is known. A token is at least a byte, and the body holds more bytes
    /// than the messages. With a budget there must be a bound.
    fn bound(&self, request: &Request, raw: &RawRequest) -> Result<Spending, CallError> {
        // A vector is not paid for by its length.
        let none = request.embedding.then_some(0);
        let Some(most) = none.or(request.parameters.max_tokens).or(longest_reply(&self.name, self.price)) else {
            if self.shared.budget().is_limited() {
                return Err(CallError::Unbounded { model: self.settings.shown() });
            }
            return Ok(Spending::default());
        };
        let usage = Usage::new(raw.body.len() as u64, u64::from(most));
        let money = self.price.map(|price| price.bound(usage)).unwrap_or_default();
        Ok(Spending { tokens: usage.tokens(), money })
    }

    /// What is kept of replies, whole keys taken out.
    fn entries(
        &self,
        requests: &[Request],
        replies: Vec<RawReply>,
        (raw, received): (&RawRequest, &[u8]),
        latency: Duration,
        question: &Asking,
        bound: Spending,
    ) -> Vec<Entry> {
        let redactor = self.shared.redactor();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let text = |bytes: &[u8]| redactor.clean_text(String::from_utf8_lossy(bytes).into_owned());
        let count = replies.len();
        let entry = |(at, (request, raw_reply)): (usize, (&Request, RawReply))| {
            let RawReply { mut reply, cost, logprobs } = raw_reply;
            if let Content::Text(text) | Content::Truncated(text) | Content::Refused(text) = &mut reply.content {
                *text = redactor.clean_text(std::mem::take(text));
            }
            reply.model = reply.model.map(|model| redactor.clean_text(model));
            let known = cost.filter(|cost| *cost >= 0.0);
            let priced = reply.usage.and_then(|usage| self.price.map(|price| price.of(usage).in_dollars()));
            // Of several vectors the first carries what all of them took.
            let is_first = at == 0;
            let is_bound = known.is_none() && reply.usage.is_none() && self.price.is_some() && is_first;
            let sent = if request.has_images() { text(&without_images(request, &raw.body)) } else { text(&raw.body) };
            Entry {
                cost_usd: known.or(priced).or_else(|| is_bound.then(|| bound.money.in_dollars())),
                is_bound: is_bound && bound.money > Money::default(),
                lost: (is_first && question.lost != Spending::default())
                    .then(|| Lost { tokens: question.lost.tokens, cost_usd: question.lost.money.in_dollars() }),
                sent: (count == 1).then_some(sent),
                // A vector stands in the reply already.
                received: (!received.is_empty() && !request.embedding).then(|| text(received)),
                logprobs: logprobs.and_then(|json| serde_json::from_str(&redactor.clean_text(json.to_string())).ok()),
                latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
                attempts: question.attempts,
                made: now.as_secs(),
                ..Entry::new(request.clone(), reply)
            }
        };
        requests.iter().zip(replies).enumerate().map(entry).collect()
    }
}
