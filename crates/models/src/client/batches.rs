//! Batches of one model: questions are put aside, sent together, and their replies fetched.

use std::collections::HashMap;
use std::time::Duration;

use probare_core::{CallOutcome, CallPurpose, Usage};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::Value as Json;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::attempts::AttemptState;
use super::{Client, with_code};
use crate::batch::{
    BatchApi, BatchBook, BatchFailure, BatchItem, BatchState, LineResult, OpenBatch, QueuedCall, file_form, id,
    is_surely_refused,
};
use crate::budget::Reservation;
use crate::cache::CacheClaim;
use crate::connection::Connection;
use crate::dialects::{RawRequest, ReplyError, error_message, parse_json};
use crate::http::{AttemptError, Http};
use crate::ledger::{EndedCall, PlannedCall, key_from_hex};
use crate::retry_policy::{Retry, backoff};
use crate::shared::ModelContext;
use crate::{CacheEntry, CacheKey, CallError, Fault, ModelRequest, Money, Spending, random_token};

/// What a reply costs in a batch, of what it costs alone: both vendors say half.
const SHARE_OF_PRICE: f64 = 0.5;

/// How long one request about a batch may take: its file may be large.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(10);

/// Tries of what may be asked twice without harm.
const TRIES: u32 = 4;

/// Calls that are reserved at once.
const AT_ONCE: usize = 500;

/// Lists of batches that are looked through for one.
const MOST_LISTS: usize = 20;

impl Client {
    /// The interface for batches, where this run gathers questions and the model has one.
    pub(super) fn batch_api(&self, request: &ModelRequest) -> Option<(&BatchBook, BatchApi)> {
        let book = self.0.shared.batches().filter(|_| !request.embedding)?;
        self.http()?;
        Some((book, BatchApi::for_provider(self.0.name.provider)?))
    }

    /// Whether its questions can be sent in batches; of a client that only looks, whether they could.
    pub fn takes_batches(&self) -> bool {
        let can_ask = self.http().is_some() || self.0.shared.0.only_looks && !self.is_recorded();
        can_ask && BatchApi::for_provider(self.0.name.provider).is_some()
    }

    /// What so many tokens cost in a batch, where the price is known.
    pub fn batch_cost(&self, usage: Usage) -> Option<f64> {
        self.cost(usage).map(|cost| cost * SHARE_OF_PRICE)
    }

    fn http(&self) -> Option<&Http> {
        match &self.0.connection {
            Connection::Http(http) => Some(http),
            _ => None,
        }
    }

    /// Puts a question aside for the next batch; the error says so, or what came of it in an earlier one.
    pub(super) fn queue_for_batch(
        &self,
        book: &BatchBook,
        (request, redacted): (&ModelRequest, ModelRequest),
        key: CacheKey,
        code: Option<String>,
        purpose: CallPurpose,
    ) -> Result<CallError, CallError> {
        let inner = &*self.0;
        let model = inner.settings.display_name();
        let waits = CallError::InBatch { model: model.clone() };
        if book.is_waiting(key) {
            book.report().waiting += 1;
            return Ok(waits);
        }
        let before = book.failure(key, inner.shared.0.refresh);
        if let Some(BatchFailure { fault, reason, attempts }) = &before {
            let most = match fault.rule().retry {
                Retry::No => 1,
                Retry::Once => 2,
                Retry::Yes => inner.attempts,
            };
            if *attempts >= most {
                let (fault, reason, attempts) = (*fault, reason.clone(), *attempts);
                return Ok(CallError::Provider { model, fault, reason, attempts });
            }
        }
        let attempts = before.map_or(0, |before| before.attempts) + 1;
        let dialect = request.provider.dialect();
        let written = match &code {
            Some(code) => dialect.write(&with_code(request, code), false),
            None => dialect.write(request, false),
        };
        let raw = written.map_err(|error| CallError::conflict(&model, &error.reason))?;
        let bound = inner.bound(request, &raw)?;
        let item = BatchItem::new(redacted, code, model, (purpose, inner.price.is_some()), bound, attempts);
        book.report().waiting += 1;
        book.queue(QueuedCall { key, item, body: raw.body });
        Ok(waits)
    }

    /// Sends what was put aside, in as many batches as the vendor's limits ask for.
    async fn send_batches(&self, book: &BatchBook, calls: Vec<QueuedCall>) -> Result<(), CallError> {
        let Some(api) = BatchApi::for_provider(self.0.name.provider) else { return Ok(()) };
        let (most, bytes) = api.limits();
        let (mut gathered, mut size) = (Vec::new(), 0);
        for call in calls {
            // The name of a request and what stands around it.
            let length = call.body.len() + 256;
            if !gathered.is_empty() && (gathered.len() >= most || size + length > bytes) {
                self.send_batch(book, api, std::mem::take(&mut gathered)).await?;
                size = 0;
            }
            size += length;
            gathered.push(call);
        }
        if gathered.is_empty() { Ok(()) } else { self.send_batch(book, api, gathered).await }
    }

    /// Reserves the bounds of all calls as far as the budget allows, notes the batch, and sends it.
    async fn send_batch(&self, book: &BatchBook, api: BatchApi, calls: Vec<QueuedCall>) -> Result<(), CallError> {
        let inner = &*self.0;
        let (mut items, mut requests) = (Vec::new(), Vec::new());
        for (mut call, reservation) in self.reserve(book, calls).await {
            call.item.reservation = reservation;
            let name = call.key.to_string();
            requests.push(api.request(inner.name.provider, &name, &call.body));
            items.push((name, call.item));
        }
        if items.is_empty() {
            return Ok(());
        }
        let token = fresh_token()?;
        let noted = book.journal().begin(&book.owner, &token, seconds_now(), &items);
        let taken = noted.map_err(|error| journal_error(&error))?;
        let (mut retained, mut sent) = (Vec::new(), Vec::new());
        for (((name, item), request), is_ours) in items.into_iter().zip(requests).zip(taken) {
            if is_ours {
                retained.push((name, item));
                sent.push(request);
            } else {
                // Another process was first.
                inner.shared.release(&item, None);
            }
        }
        let batch = OpenBatch { token, remote: None };
        let count = retained.len() as u64;
        if retained.is_empty() {
            return book.journal().end(&batch, &[], &[]).map_err(|error| journal_error(&error));
        }
        let model = inner.settings.display_name();
        match self.create(api, &batch.token, &sent).await {
            Ok(remote) => {
                // A name that cannot be noted is found again in the vendor's list.
                let _ = book.journal().set_remote(&batch.token, &remote);
                book.report().sent.push((model, remote, count));
            }
            Err(error) if is_surely_refused(error.fault) => {
                for (_, item) in &retained {
                    inner.shared.release(item, None);
                }
                book.journal().end(&batch, &[], &[]).map_err(|error| journal_error(&error))?;
                let reason = inner.shared.redactor().clean(error.reason);
                book.report()
                    .problems
                    .push(format!("model `{model}`: a batch of {count} questions was refused: {reason}"));
            }
            // Whether it came about is looked up by the next process.
            Err(_) => book.report().running.push((model, None, count, 0)),
        }
        Ok(())
    }

    /// The calls that the budget allows, with the numbers of their reservations.
    async fn reserve(&self, book: &BatchBook, calls: Vec<QueuedCall>) -> Vec<(QueuedCall, Option<i64>)> {
        let mut allowed = Vec::with_capacity(calls.len());
        let mut calls = calls.into_iter().peekable();
        while calls.peek().is_some() {
            let mut tasks = JoinSet::new();
            for call in calls.by_ref().take(AT_ONCE) {
                let budget = self.0.shared.budget().clone();
                let planned = PlannedCall {
                    model: call.item.model.clone(),
                    purpose: call.item.purpose,
                    key: call.key,
                    bound: call.item.bound(),
                    is_priced: call.item.is_priced,
                };
                // Given up at once, so that nobody waits for it to be settled in this process.
                tasks.spawn(async move { (call, budget.reserve(planned).await.map(Reservation::detach)) });
            }
            for (call, reserved) in tasks.join_all().await {
                match reserved {
                    Ok(reservation) => allowed.push((call, reservation)),
                    Err(_) => book.report().unsent += 1,
                }
            }
        }
        // In the order of their keys, whatever the order in which they were allowed.
        allowed.sort_by_key(|(call, _)| call.key);
        allowed
    }

    /// Makes a batch at the vendor; gives its name there.
    async fn create(&self, api: BatchApi, token: &str, requests: &[Vec<u8>]) -> Result<String, ReplyError> {
        let body = api.join(requests);
        let reply = match api {
            BatchApi::OpenAi => {
                let (form, kind) = file_form(token, &body);
                let uploaded = self.post("/files", form, Some(&kind)).await.map_err(|mut error| {
                    // Nothing is worked on yet, whatever went wrong.
                    error.fault = Fault::NotConnected;
                    error
                })?;
                let file = id(&uploaded).ok_or_else(|| unnamed(Fault::NotConnected))?;
                let batch = BatchApi::of_file(self.0.name.provider, &file, token);
                self.post(api.path(), batch.to_string().into_bytes(), None).await?
            }
            BatchApi::Anthropic => self.post(api.path(), body, None).await?,
        };
        id(&reply).ok_or_else(|| unnamed(Fault::InvalidJson))
    }

    async fn post(&self, path: &str, body: Vec<u8>, kind: Option<&str>) -> Result<Json, ReplyError> {
        let http = self.http().ok_or_else(|| unnamed(Fault::NotConnected))?;
        let raw = RawRequest { url: format!("{}{path}", self.0.base_url), body };
        let mut headers = HeaderMap::new();
        if let Some(kind) = kind.and_then(|kind| HeaderValue::from_str(kind).ok()) {
            headers.insert(CONTENT_TYPE, kind);
        }
        let dialect = self.0.name.provider.dialect();
        match timeout(REQUEST_TIMEOUT, http.post(&raw, headers, dialect)).await {
            Ok(Ok(reply)) => parse_json(&reply.bytes),
            Ok(Err(AttemptError { error, .. })) => Err(error),
            Err(_) => Err(ReplyError::new(Fault::TimedOut, "the provider does not take the batch")),
        }
    }

    /// Fetches what stands at a path; that may be tried again.
    async fn get(&self, path: &str) -> Result<Vec<u8>, ReplyError> {
        let http = self.http().ok_or_else(|| unnamed(Fault::NotConnected))?;
        let url = format!("{}{path}", self.0.base_url);
        let mut tries = 0;
        loop {
            tries += 1;
            let got = timeout(REQUEST_TIMEOUT, http.get(&url, self.0.name.provider.dialect())).await;
            let AttemptError { error, retry_after } = match got {
                Ok(Ok(bytes)) => return Ok(bytes),
                Ok(Err(failed)) => failed,
                Err(_) => ReplyError::new(Fault::TimedOut, "the provider does not answer").into(),
            };
            if tries >= TRIES || error.fault.rule().retry == Retry::No {
                return Err(error);
            }
            let own = backoff(self.0.base_wait, tries, self.0.shared.0.seed);
            sleep(retry_after.unwrap_or(own).min(Duration::from_mins(1))).await;
        }
    }

    /// Looks for a batch that was sent by a process that did not live to note its name. Nothing where it never came about.
    async fn find_batch(
        &self,
        book: &BatchBook,
        api: BatchApi,
        batch: &OpenBatch,
        items: &[(String, BatchItem)],
    ) -> Result<Search, ReplyError> {
        let (mut after, mut is_unsure) = (None, false);
        for _ in 0..MOST_LISTS {
            let list = parse_json(&self.get(&api.list_path(after.as_deref())).await?)?;
            let (listed, next) = api.listed(&list);
            for found in listed {
                if found.token.as_deref() == Some(batch.token.as_str()) {
                    return Ok(Search::Found(found.id));
                }
                // Where the vendor keeps no word of ours, the names of the requests tell, once there are results.
                let may_be = api == BatchApi::Anthropic && found.requests == items.len() as u64;
                if !may_be || book.journal().knows(&found.id).unwrap_or(false) {
                    continue;
                }
                if !found.is_ended {
                    is_unsure = true;
                    continue;
                }
                let results = self.get(&format!("{}/{}/results", api.path(), found.id)).await?;
                let is_ours = json_lines(&results).next().is_some_and(|line| {
                    api.line(&line).is_some_and(|(name, _)| items.iter().any(|(known, _)| known == name))
                });
                if is_ours {
                    return Ok(Search::Found(found.id));
                }
            }
            match next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        Ok(if is_unsure { Search::Unsure } else { Search::Absent })
    }

    /// Puts what a batch gave into the response cache, or says how far it is.
    async fn collect_batch(
        &self,
        book: &BatchBook,
        mut batch: OpenBatch,
        items: Vec<(String, BatchItem)>,
    ) -> Result<(), CallError> {
        let inner = &*self.0;
        let Some(api) = BatchApi::for_provider(inner.name.provider) else { return Ok(()) };
        let (model, count) = (inner.settings.display_name(), items.len() as u64);
        let mut results = match self.batch_progress(book, api, &mut batch, &items).await? {
            BatchProgress::Absent => {
                for (_, item) in &items {
                    inner.shared.release(item, None);
                }
                inner.shared.budget().flush();
                return book.journal().end(&batch, &[], &[]).map_err(|error| journal_error(&error));
            }
            BatchProgress::Running(done) => {
                book.report().running.push((model, batch.remote, count, done));
                return Ok(());
            }
            BatchProgress::Unknown(what, error) => {
                let reason = inner.shared.redactor().clean(error.reason);
                book.report().problems.push(format!("model `{model}`: {what}: {reason}"));
                return Ok(());
            }
            BatchProgress::Ended(results) => results,
        };
        let remote = batch.remote.clone().unwrap_or_default();
        let (mut answered, mut failed) = (Vec::new(), Vec::new());
        for (name, item) in items {
            let outcome = match results.as_mut().map(|results| results.remove(&name)) {
                Err(reason) => Err(ReplyError::new(Fault::BadRequest, format!("batch `{remote}`: {reason}"))),
                Ok(Some(result)) => self.take_result(&name, &item, result).await?,
                Ok(None) => Err(ReplyError::new(Fault::TimedOut, format!("batch `{remote}` has no result for it"))),
            };
            match outcome {
                Ok(()) => answered.push(name),
                Err(error) => {
                    self.settle_failed(&item, &error);
                    let reason = inner.shared.redactor().clean(error.reason);
                    failed.push((name, BatchFailure { fault: error.fault, reason, attempts: item.attempts }));
                }
            }
        }
        // What was paid is noted before the batch is forgotten.
        inner.shared.budget().flush();
        {
            let mut report = book.report();
            report.collected += answered.len() as u64;
            report.failed += failed.len() as u64;
        }
        book.journal().end(&batch, &answered, &failed).map_err(|error| journal_error(&error))
    }

    /// How far a batch is, and what it gave once it has ended.
    async fn batch_progress(
        &self,
        book: &BatchBook,
        api: BatchApi,
        batch: &mut OpenBatch,
        items: &[(String, BatchItem)],
    ) -> Result<BatchProgress, CallError> {
        if batch.remote.is_none() {
            match self.find_batch(book, api, batch, items).await {
                Ok(Search::Found(remote)) => {
                    book.journal().set_remote(&batch.token, &remote).map_err(|error| journal_error(&error))?;
                    batch.remote = Some(remote);
                }
                Ok(Search::Absent) => return Ok(BatchProgress::Absent),
                Ok(Search::Unsure) => return Ok(BatchProgress::Running(0)),
                Err(error) => {
                    let what = "it cannot be found out whether its batch was taken".to_owned();
                    return Ok(BatchProgress::Unknown(what, error));
                }
            }
        }
        let remote = batch.remote.clone().unwrap_or_default();
        let state = match self.get(&format!("{}/{remote}", api.path())).await.and_then(|body| parse_json(&body)) {
            Ok(json) => api.state(&json),
            // What the vendor does not keep any more has no replies to wait for.
            Err(error) if error.fault == Fault::NotFound => BatchState::Failed(error.reason),
            Err(error) => return Ok(BatchProgress::Unknown(format!("batch `{remote}` cannot be asked for"), error)),
        };
        let paths = match state {
            BatchState::Running(done) => return Ok(BatchProgress::Running(done)),
            BatchState::Failed(reason) => return Ok(BatchProgress::Ended(Err(reason))),
            BatchState::Ended(paths) => paths,
        };
        let mut results = HashMap::new();
        for path in paths {
            match self.get(&path).await {
                Ok(bytes) => results.extend(
                    json_lines(&bytes)
                        .filter_map(|line| api.line(&line).map(|(name, result)| (name.to_owned(), result))),
                ),
                Err(error) => {
                    let what = format!("the results of batch `{remote}` cannot be fetched");
                    return Ok(BatchProgress::Unknown(what, error));
                }
            }
        }
        Ok(BatchProgress::Ended(Ok(results)))
    }

    /// Records a reply of a batch; the inner error is that of the one request.
    async fn take_result(
        &self,
        name: &str,
        item: &BatchItem,
        result: LineResult,
    ) -> Result<Result<(), ReplyError>, CallError> {
        let inner = &*self.0;
        let dialect = inner.name.provider.dialect();
        let body = match result {
            LineResult::Body(body) => body.to_string().into_bytes(),
            LineResult::Status(status, body) => {
                let text = body.to_string();
                let reason = format!("status {status}: {}", error_message(&text));
                return Ok(Err(ReplyError::new(dialect.fault(status, &text), reason)));
            }
            LineResult::Expired(reason) => return Ok(Err(ReplyError::new(Fault::TimedOut, reason))),
        };
        let mut reply = match dialect.read(&item.request, &body) {
            Ok(reply) => reply,
            Err(error) => return Ok(Err(error)),
        };
        reply.reply.code = item.code.clone().or(reply.reply.code.take());
        let requests = std::slice::from_ref(&item.request);
        let (unsent, state) = (RawRequest::none(), AttemptState::answered(item.attempts));
        let entries = inner.entries(requests, vec![reply], (&unsent, &body), Duration::ZERO, &state, item.bound());
        let Some(mut entry) = entries.into_iter().next() else { return Ok(Ok(())) };
        entry.sent = None;
        if !entry.is_bound {
            entry.cost_usd = entry.cost_usd.map(|cost| cost * SHARE_OF_PRICE);
        }
        self.record_reply(name, &entry).await?;
        inner.shared.release(item, Some(EndedCall::from_entry(&entry, item.bound())));
        Ok(Ok(()))
    }

    /// Puts a reply into the response cache, where it is not there.
    async fn record_reply(&self, name: &str, entry: &CacheEntry) -> Result<(), CallError> {
        let (Some(record), Some(key)) = (self.0.shared.response_cache(), key_from_hex(name)) else {
            return Err(CallError::Internal { reason: "a batch has no response cache".to_owned() });
        };
        // Also where replies are asked for anew: this one is.
        self.0.shared.mark_refreshed(key);
        if let CacheClaim::Leased(lease) = record.claim(key, false).await? {
            record.store(lease, entry.clone()).await?;
        }
        Ok(())
    }

    /// What a request without a reply took: nothing where the vendor says that it failed, else what the reply says.
    fn settle_failed(&self, item: &BatchItem, error: &ReplyError) {
        let inner = &*self.0;
        let is_reply =
            matches!(error.fault, Fault::Empty | Fault::UnusableReply | Fault::FailedReply | Fault::InvalidJson);
        let taken = match error.usage {
            _ if !is_reply => Spending::default(),
            Some(usage) => {
                let money = inner.price.map(|price| price.cost(usage)).unwrap_or_default();
                Spending { tokens: usage.tokens(), money: Money::dollars(money.in_dollars() * SHARE_OF_PRICE) }
            }
            None => item.bound(),
        };
        if is_reply {
            inner.shared.count_lost(taken);
        }
        let usage = error.usage.filter(|_| is_reply).unwrap_or_default();
        let is_bound = is_reply && error.usage.is_none();
        inner.shared.release(item, Some(EndedCall { outcome: CallOutcome::Failed, usage, taken, is_bound }));
    }
}

/// How far a batch is.
enum BatchProgress {
    /// It never came about.
    Absent,
    /// It is worked on: so many requests are done.
    Running(u64),
    /// Results by the names of their requests, or why nothing came of it.
    Ended(Result<HashMap<String, LineResult>, String>),
    /// What cannot be found out now, and why.
    Unknown(String, ReplyError),
}

/// What became of a batch whose name was not noted.
enum Search {
    Found(String),
    Absent,
    /// A batch that may be ours is still worked on.
    Unsure,
}

fn journal_error(error: &rusqlite::Error) -> CallError {
    CallError::Internal { reason: format!("the file of batches cannot be written: {error}") }
}

fn unnamed(fault: Fault) -> ReplyError {
    ReplyError::new(fault, "the provider gives no name of what was sent")
}

fn json_lines(bytes: &[u8]) -> impl Iterator<Item = Json> + '_ {
    bytes.split(|byte| *byte == b'\n').filter_map(|line| parse_json(line).ok())
}

fn seconds_now() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    now.map(|now| now.as_secs()).unwrap_or_default()
}

fn fresh_token() -> Result<String, CallError> {
    random_token::<12>().ok_or_else(|| CallError::Internal { reason: "the system gives no random numbers".to_owned() })
}

impl ModelContext {
    /// Fetches what the batches of the run gave, and notes how far the others are.
    pub(crate) async fn collect_batches(&self) -> Result<(), CallError> {
        let Some(book) = self.batches() else { return Ok(()) };
        let wrong = |error: rusqlite::Error| CallError::Internal {
            reason: format!("the file of batches cannot be read: {error}"),
        };
        let open = book.journal().open_batches(&book.owner).map_err(wrong)?;
        for batch in open {
            let items = book.journal().items(&batch.token).map_err(wrong)?;
            let Some(model) = items.first().map(|(_, item)| item.model.clone()) else {
                book.journal().end(&batch, &[], &[]).map_err(wrong)?;
                continue;
            };
            match self.find_client(&model).filter(Client::takes_batches) {
                Some(client) => client.collect_batch(book, batch, items).await?,
                None => book.report().problems.push(format!(
                    "a batch of model `{model}` is open, and no model of that name that takes batches is configured"
                )),
            }
        }
        book.refresh().map_err(wrong)
    }

    /// Sends the questions that were put aside.
    pub(crate) async fn send_batches(&self) -> Result<(), CallError> {
        let Some(book) = self.batches() else { return Ok(()) };
        for (model, calls) in book.take_queue() {
            if let Some(client) = self.find_client(&model) {
                client.send_batches(book, calls).await?;
            }
        }
        Ok(())
    }

    /// Gives a reservation back, or settles it.
    fn release(&self, item: &BatchItem, ended: Option<EndedCall>) {
        self.budget().settle_detached(
            (item.model.as_str(), item.purpose, item.is_priced),
            item.bound(),
            item.reservation,
            ended,
        );
    }
}
