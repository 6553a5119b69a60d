//! [`ModelContext`]: what all models of a run have in common: record, budget, cancellation, counts, and the threads that wait.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use probare_core::{PendingRequests, Trust};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

use crate::batch::BatchBook;
use crate::cache::CacheClaim;
use crate::client::ClientInner;
use crate::ledger::{self, EndedCall};
use crate::limits::{CircuitBreaker, Throttle};
use crate::{
    BatchReport, Budget, CacheError, CacheFile, CacheKey, CallError, Client, LEASE, ModelName, ModelSettings, Money,
    Redactor, ResponseCache, Spending,
};

/// How many missing replies are remembered by name.
const MOST_MISSING: usize = 1000;

/// How long replies to requests under way are waited for once a run is ended.
const GRACE: Duration = Duration::from_secs(30);

/// Batches that are waited for are asked for after this long, and ever more seldom up to the second.
const FIRST_POLL: Duration = Duration::from_secs(1);
const LONGEST_POLL: Duration = Duration::from_mins(1);

/// How often it is looked whether the user has ended the waiting.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How the models of a run are used.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Clone)]
pub struct ModelOptions {
    /// Whose word names the models: what may be run and contacted at all.
    pub trust: Trust,
    /// File of the record; nothing for none. It is opened when the first model needs it.
    pub record: Option<CacheFile>,
    /// Files of recorded replies that may stand for a model although nobody may be asked; others are not opened then.
    pub cassettes: Vec<PathBuf>,
    /// Names of models that are named and not asked: they need neither key nor price.
    pub unasked: BTreeSet<String>,
    /// Answer from the record only.
    pub offline: bool,
    /// Ask again what is recorded, once; from then on the new reply counts.
    pub refresh: bool,
    /// Gather questions for batches where a model takes them, once a run has said whose they are.
    pub batch: bool,
    /// Ask nobody at all, to know what would be asked: neither keys nor a record are needed.
    pub only_looks: bool,
    /// Most money, in US dollars.
    pub budget_usd: Option<f64>,
    /// Most tokens, sent and received.
    pub budget_tokens: Option<u64>,
    /// Take a reply that was cut at its longest length for an answer.
    pub score_truncated: bool,
    /// Seed of the waits between attempts.
    pub seed: u64,
    /// How long a lease in the record holds without being renewed.
    pub lease: Duration,
    /// How long replies to requests under way are waited for once a run is ended.
    pub grace: Duration,
    /// Variables that stand for those of the process, for tests; nothing for the process's own.
    pub environment: Option<BTreeMap<String, String>>,
}

impl ModelOptions {
    /// Nothing but whose word is followed: there is no level that comes by itself.
    pub const fn new(trust: Trust) -> Self {
        Self {
            trust,
            record: None,
            cassettes: Vec::new(),
            unasked: BTreeSet::new(),
            offline: false,
            refresh: false,
            batch: false,
            only_looks: false,
            budget_usd: None,
            budget_tokens: None,
            score_truncated: false,
            seed: 0,
            lease: LEASE,
            grace: GRACE,
            environment: None,
        }
    }
}

/// The models cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The settings of a model are wrong.
    #[error(transparent)]
    Settings(#[from] crate::SettingsError),
    /// The record cannot be opened.
    #[error(transparent)]
    Record(#[from] CacheError),
    /// A budget in money needs prices.
    #[error(
        "`budget_usd` is set, but no price of model `{model}` is known; give `pricing` with \
         `prompt_price_per_million` and `completion_price_per_million`"
    )]
    NoPrice { model: String },
    /// A budget needs a bound for every call.
    #[error("a budget is set, but the maximum reply length of model `{model}` is not known; set `max_tokens`")]
    Unbounded { model: String },
    /// `offline` without a record answers nothing.
    #[error("offline, but no response cache is named")]
    OfflineWithoutRecord,
    /// A model may not be asked here, two have one name, or one that a metric wants is not there.
    #[error("{0}")]
    Invalid(String),
    /// The system refuses threads or certificates.
    #[error("cannot prepare to ask models: {reason}")]
    System { reason: String },
}

/// How questions ended. `asked` is the sum of `replayed`, `replied`, `refused`, `truncated` and `failed`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// Questions that have ended.
    pub asked: u64,
    /// Answered from the record.
    pub replayed: u64,
    /// Answered by a model.
    pub replied: u64,
    /// Declined by a model.
    pub refused: u64,
    /// Cut off at the longest length.
    pub truncated: u64,
    /// Cut off at the longest length, from the record or not.
    pub cut: u64,
    /// Answered by another model in place of the one that was asked, from the record or not.
    pub by_fallback: u64,
    /// Without an answer.
    pub failed: u64,
    /// Of those without an answer: never sent, since budget, provider or settings did not allow it.
    pub unsent: u64,
    /// Requests that were sent.
    pub attempts: u64,
    /// Tokens sent for answers of models.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Replies whose provider did not say what they took.
    pub unmeasured: u64,
    /// Replies that could not be written into the record when they came.
    pub unrecorded: u64,
    /// Attempts that came to nothing and may have been charged.
    pub lost_attempts: u64,
    /// The most that those can have taken, as far as it is known.
    pub lost: Spending,
}

#[derive(Default)]
pub(crate) struct CallCounters {
    pub replayed: AtomicU64,
    pub replied: AtomicU64,
    pub refused: AtomicU64,
    pub truncated: AtomicU64,
    pub cut: AtomicU64,
    pub by_fallback: AtomicU64,
    pub failed: AtomicU64,
    pub unsent: AtomicU64,
    pub attempts: AtomicU64,
    pub input_tokens: AtomicU64,
    pub output_tokens: AtomicU64,
    pub unmeasured: AtomicU64,
    pub unrecorded: AtomicU64,
    lost_attempts: AtomicU64,
    lost_tokens: AtomicU64,
    lost_money: AtomicU64,
    under_way: Mutex<InFlightRequests>,
}

/// Requests under way by a number of their own: the model, and until when a reply is waited for.
#[derive(Default)]
struct InFlightRequests {
    next: u64,
    requests: BTreeMap<u64, (String, Instant)>,
}

impl CallCounters {
    fn in_flight(&self) -> MutexGuard<'_, InFlightRequests> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn add_to_count(count: &AtomicU64, amount: u64) {
    count.fetch_add(amount, Ordering::Relaxed);
}

/// A request under way.
pub(crate) struct InFlightRequest<'a>(&'a CallCounters, u64);

impl Drop for InFlightRequest<'_> {
    fn drop(&mut self) {
        self.0.in_flight().requests.remove(&self.1);
    }
}

/// Threads that wait for replies.
const THREADS: usize = 2;

/// Whether so many threads can be had at once.
fn has_threads(count: usize) -> bool {
    let mut threads = Vec::with_capacity(count);
    for _ in 0..count {
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        // Each waits until its sender is gone.
        match std::thread::Builder::new().spawn(move || receiver.recv().is_ok()) {
            Ok(thread) => threads.push((sender, thread)),
            Err(_) => return false,
        }
    }
    for (sender, thread) in threads {
        drop(sender);
        // It has nothing to say.
        let _ = thread.join();
    }
    true
}

/// What all models of a run share. Clones are the same.
#[derive(Clone)]
pub struct ModelContext(pub(crate) Arc<ContextInner>);

#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct ContextInner {
    pub trust: Trust,
    pub cassettes: Vec<PathBuf>,
    record: OnceLock<ResponseCache>,
    record_file: Option<CacheFile>,
    lease: Duration,
    pub unasked: BTreeSet<String>,
    pub offline: bool,
    pub refresh: bool,
    /// Questions that were asked again in this process.
    refreshed: Mutex<HashSet<CacheKey>>,
    pub only_looks: bool,
    pub score_truncated: bool,
    pub budget: Budget,
    pub seed: u64,
    /// Nothing more is asked.
    pub cancel: CancellationToken,
    /// Nothing that was asked is waited for.
    pub abandon: CancellationToken,
    grace: Duration,
    pub redactor: Redactor,
    pub tally: CallCounters,
    missing: Mutex<Vec<(String, CacheKey)>>,
    /// Models whose provider asks for a longer pause than a question may take.
    postponed: Mutex<BTreeMap<String, Duration>>,
    /// Stop reasons that nobody documents, by model and word.
    unknown_stops: Mutex<BTreeMap<(String, String), u64>>,
    /// The models by name, for those that others answer in place of. Whoever opened a model holds it.
    clients: Mutex<BTreeMap<String, Weak<ClientInner>>>,
    /// The batches of the run, where questions are gathered for them.
    batches: OnceLock<BatchBook>,
    /// Throttle and breaker by model and address: two entries of a configuration may be one model.
    limits: Mutex<HashMap<(ModelName, String), (Throttle, CircuitBreaker)>>,
    environment: Option<BTreeMap<String, String>>,
    /// Started with the first model: most runs ask nobody.
    runtime: OnceLock<Runtime>,
    starting: Mutex<()>,
}

impl Drop for ContextInner {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.abandon.cancel();
        if let Some(runtime) = self.runtime.take() {
            // Waiting for threads is not allowed everywhere; what is left of the tasks is dropped with the runtime.
            runtime.shutdown_background();
        }
    }
}

impl ModelContext {
    /// Nothing is opened or started before the first model needs it.
    pub fn open(options: ModelOptions) -> Result<Self, OpenError> {
        Ok(Self(Arc::new(ContextInner {
            trust: options.trust,
            cassettes: options.cassettes,
            record: OnceLock::new(),
            record_file: options.record,
            lease: options.lease,
            unasked: options.unasked,
            offline: options.offline || !options.trust.may_ask(),
            refresh: options.refresh && !options.offline && options.trust.may_ask(),
            refreshed: Mutex::default(),
            only_looks: options.only_looks,
            score_truncated: options.score_truncated,
            budget: Budget::new(options.budget_usd, options.budget_tokens),
            seed: options.seed,
            cancel: CancellationToken::new(),
            abandon: CancellationToken::new(),
            grace: options.grace,
            redactor: Redactor::default(),
            tally: CallCounters::default(),
            missing: Mutex::default(),
            postponed: Mutex::default(),
            unknown_stops: Mutex::default(),
            clients: Mutex::default(),
            batches: OnceLock::new(),
            limits: Mutex::default(),
            environment: options.environment,
            runtime: OnceLock::new(),
            starting: Mutex::default(),
        })))
    }

    /// Starts the threads that wait for replies and opens the record, each where it is needed and was not done.
    pub(crate) fn start(&self, needs_record: bool) -> Result<(), OpenError> {
        let inner = &*self.0;
        let _one_at_a_time = inner.starting.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.runtime.get().is_none() {
            let failed = |reason: String| OpenError::System { reason };
            // Where the system refuses a thread, the runtime panics, and with half of its threads it never ends.
            if !has_threads(THREADS + 1) {
                return Err(failed("the system gives this program no further thread (see `ulimit -u`)".to_owned()));
            }
            let mut builder = Builder::new_multi_thread();
            let runtime = builder.worker_threads(THREADS).thread_name("models").enable_all().build();
            let runtime = runtime.map_err(|error| failed(error.to_string()))?;
            let _ = inner.runtime.set(runtime);
        }
        let is_wanted = needs_record && inner.record.get().is_none();
        if let Some(cache) = inner.record_file.as_ref().filter(|_| is_wanted) {
            // Where nobody is asked nothing is written, and no record is made that was not there: it may lie where nobody may
            // write, and others may read it at the same time.
            let opened = if inner.offline {
                ResponseCache::open_reading(cache)
            } else {
                ResponseCache::open_with(cache, inner.lease)
            };
            let _ = inner.record.set(opened?);
        }
        Ok(())
    }

    /// The record, where there is one and a model needed it.
    pub(crate) fn response_cache(&self) -> Option<&ResponseCache> {
        self.0.record.get()
    }

    /// How many recorded replies were looked up and used.
    pub fn used_entries(&self) -> u64 {
        self.response_cache().map_or(0, ResponseCache::used)
    }

    /// How many recorded replies were looked up and ignored, since they carry no owner tag of this user.
    pub fn ignored_entries(&self) -> u64 {
        self.response_cache().map_or(0, ResponseCache::ignored)
    }

    /// Whose word names the models.
    pub fn trust(&self) -> Trust {
        self.0.trust
    }

    /// Asks nothing more: what waits and what is to come ends as `Cancelled`. What was sent is waited for, since it is paid
    /// for, but no longer than `grace`.
    pub fn cancel(&self) {
        if self.is_cancelled() {
            return;
        }
        self.0.cancel.cancel();
        let (abandon, grace) = (self.0.abandon.clone(), self.0.grace);
        if let Some(handle) = self.handle() {
            handle.spawn(async move {
                tokio::time::sleep(grace).await;
                abandon.cancel();
            });
        }
    }

    /// Waits for nothing any more: requests under way end as `Cancelled` too, and their replies are lost.
    pub fn abandon(&self) {
        self.0.cancel.cancel();
        self.0.abandon.cancel();
    }

    /// Requests that were sent and not answered yet, by model, and how long they would be waited for if the run ended now.
    pub fn awaited_requests(&self) -> Vec<PendingRequests> {
        let now = Instant::now();
        let mut models: BTreeMap<String, (u64, Duration)> = BTreeMap::new();
        for (model, until) in self.0.tally.in_flight().requests.values() {
            let (requests, at_most) = models.entry(model.clone()).or_default();
            *requests += 1;
            *at_most = (*at_most).max(until.saturating_duration_since(now).min(self.0.grace));
        }
        models.into_iter().map(|(model, (requests, at_most))| PendingRequests { model, requests, at_most }).collect()
    }

    /// Counts a request to a model as under way until it is dropped; `allowed` is how long a reply is waited for.
    pub(crate) fn track_request(&self, model: String, allowed: Duration) -> InFlightRequest<'_> {
        let tally = &self.0.tally;
        let mut list = tally.in_flight();
        let number = list.next;
        list.next += 1;
        list.requests.insert(number, (model, Instant::now() + allowed));
        InFlightRequest(tally, number)
    }

    /// Notes what an attempt may have taken that came to nothing.
    pub(crate) fn count_lost(&self, lost: Spending) {
        let tally = &self.0.tally;
        add_to_count(&tally.lost_attempts, 1);
        add_to_count(&tally.lost_tokens, lost.tokens);
        add_to_count(&tally.lost_money, lost.money.0);
    }

    /// Whether the run was ended.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancel.is_cancelled()
    }

    /// The budget of the run.
    pub fn budget(&self) -> &Budget {
        &self.0.budget
    }

    /// Takes keys out of texts; it knows every key that the models of this run have read.
    pub fn redactor(&self) -> &Redactor {
        &self.0.redactor
    }

    /// How questions ended so far.
    pub fn counts(&self) -> CallCounts {
        let tally = &self.0.tally;
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let (replayed, replied) = (read(&tally.replayed), read(&tally.replied));
        let (refused, failed) = (read(&tally.refused), read(&tally.failed));
        let truncated = read(&tally.truncated);
        CallCounts {
            asked: replayed + replied + refused + truncated + failed,
            replayed,
            replied,
            refused,
            truncated,
            cut: read(&tally.cut),
            by_fallback: read(&tally.by_fallback),
            failed,
            unsent: read(&tally.unsent),
            attempts: read(&tally.attempts),
            input_tokens: read(&tally.input_tokens),
            output_tokens: read(&tally.output_tokens),
            unmeasured: read(&tally.unmeasured),
            unrecorded: read(&tally.unrecorded),
            lost_attempts: read(&tally.lost_attempts),
            lost: Spending { tokens: read(&tally.lost_tokens), money: Money(read(&tally.lost_money)) },
        }
    }

    /// What the response cache says about a call that could take at most `bound`: when its reply came, and what it took.
    pub fn recorded_call(&self, key: &str, bound: Spending) -> Option<(u64, EndedCall)> {
        let (record, key) = (self.response_cache()?, ledger::key_from_hex(key)?);
        match self.block_on(record.claim(key, true))?.ok()? {
            CacheClaim::Reply(entry) => Some((entry.made, EndedCall::from_entry(&entry, bound))),
            _ => None,
        }
    }

    /// Which replies were wanted offline and are not recorded: model and key, the first thousand.
    pub fn missing_replies(&self) -> Vec<(String, CacheKey)> {
        self.0.missing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Models whose provider asks for a longer pause than a question may take, and the pause. Their questions are not asked;
    /// the run can go on after it.
    pub fn postponed_models(&self) -> BTreeMap<String, Duration> {
        self.0.postponed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn postpone(&self, model: String, pause: Duration) {
        let mut postponed = self.0.postponed.lock().unwrap_or_else(PoisonError::into_inner);
        let known = postponed.entry(model).or_default();
        *known = (*known).max(pause);
    }

    /// Replies with a stop reason that nobody documents, by model and word. They were taken as whole, since they have text.
    pub fn unknown_stops(&self) -> BTreeMap<(String, String), u64> {
        self.0.unknown_stops.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn count_unknown_stop(&self, model: String, word: String) {
        let mut counts = self.0.unknown_stops.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry((model, word)).or_default() += 1;
    }

    /// Whether a question was asked again in this process, so that its reply counts.
    pub(crate) fn is_refreshed(&self, key: CacheKey) -> bool {
        self.0.refresh && self.0.refreshed.lock().unwrap_or_else(PoisonError::into_inner).contains(&key)
    }

    /// Notes that a question is asked in this process.
    pub(crate) fn mark_refreshed(&self, key: CacheKey) {
        if self.0.refresh {
            self.0.refreshed.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
        }
    }

    /// Questions that wait for another process, which asks the same or was killed while it did.
    pub fn waiting_for_others(&self) -> usize {
        self.response_cache().map_or(0, ResponseCache::waiting_for_others)
    }

    pub(crate) fn note_missing(&self, model: &str, key: CacheKey) {
        let mut missing = self.0.missing.lock().unwrap_or_else(PoisonError::into_inner);
        if missing.len() < MOST_MISSING {
            missing.push((model.to_owned(), key));
        }
    }

    /// From here on questions of models that take batches are gathered for them. What earlier batches of the same owner gave is
    /// fetched first.
    pub fn begin_batches(&self, owner: String) -> Result<(), CallError> {
        let Some(cache) = self.0.record_file.as_ref().filter(|_| self.response_cache().is_some()) else {
            return Err(CallError::Internal { reason: "batches need a response cache".to_owned() });
        };
        let _ = self.0.batches.set(BatchBook::open(&cache.path, owner)?);
        self.block_on(self.collect_batches()).unwrap_or(Ok(()))
    }

    /// Waits until the batches of the run have ended, and fetches what they gave. It ends early where a batch cannot be asked
    /// for, and once `interrupted` is set. `watch` is told how they stand each time they were asked for.
    pub fn wait_for_batches(
        &self,
        interrupted: &AtomicBool,
        watch: &(dyn Fn(&BatchReport) + Send + Sync),
    ) -> Result<(), CallError> {
        let Some(book) = self.batches() else { return Ok(()) };
        let mut pause = FIRST_POLL;
        loop {
            let report = book.report().clone();
            watch(&report);
            if report.running.is_empty() || !report.problems.is_empty() {
                return Ok(());
            }
            let until = Instant::now() + pause;
            while Instant::now() < until {
                if interrupted.load(Ordering::Relaxed) {
                    return Ok(());
                }
                std::thread::sleep(POLL_INTERVAL.min(pause));
            }
            pause = (pause * 3 / 2).min(LONGEST_POLL);
            book.report().running.clear();
            self.block_on(self.collect_batches()).unwrap_or(Ok(()))?;
        }
    }

    /// Sends the questions that were gathered. What goes wrong is a problem of the report.
    pub fn end_batches(&self) {
        let Some(book) = self.batches().filter(|_| !self.is_cancelled()) else { return };
        if let Some(Err(error)) = self.block_on(self.send_batches()) {
            book.report().problems.push(error.to_string());
        }
    }

    /// How the batches of the run stand.
    pub fn batch_report(&self) -> Option<BatchReport> {
        self.batches().map(|book| book.report().clone())
    }

    /// Whether a question of the run waits in a batch, or for one.
    pub fn has_waiting_batches(&self) -> bool {
        self.batches().is_some_and(BatchBook::has_waiting)
    }

    pub(crate) fn batches(&self) -> Option<&BatchBook> {
        self.0.batches.get()
    }

    /// Makes a model known by its name.
    pub(crate) fn register_client(&self, name: String, client: Weak<ClientInner>) {
        self.0.clients.lock().unwrap_or_else(PoisonError::into_inner).insert(name, client);
    }

    /// A model that is open, by its name.
    pub(crate) fn find_client(&self, name: &str) -> Option<Client> {
        self.0.clients.lock().unwrap_or_else(PoisonError::into_inner).get(name).and_then(Weak::upgrade).map(Client)
    }

    /// Throttle and breaker of a model at an address; whoever opens it first says how they are set.
    pub(crate) fn limiters(
        &self,
        name: &ModelName,
        base_url: &str,
        settings: &ModelSettings,
    ) -> (Throttle, CircuitBreaker) {
        let mut limits = self.0.limits.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = limits.entry((name.clone(), base_url.to_owned())).or_insert_with(|| {
            let rest = ModelSettings::seconds(settings.breaker_wait, 15.0);
            (
                Throttle::new(settings.concurrency.unwrap_or(64)),
                CircuitBreaker::new(settings.breaker_failures.unwrap_or(20), rest),
            )
        });
        limit.clone()
    }

    /// A variable of the environment; an empty one is as good as none.
    pub(crate) fn variable(&self, name: &str) -> Option<Zeroizing<String>> {
        let value = match &self.0.environment {
            Some(given) => given.get(name).cloned(),
            None => std::env::var(name).ok(),
        };
        value.map(Zeroizing::new).filter(|value| !value.trim().is_empty())
    }

    /// Where questions wait; there since the first model was opened.
    pub(crate) fn handle(&self) -> Option<&Handle> {
        self.0.runtime.get().map(Runtime::handle)
    }

    /// Waits for a future from ordinary code, also when that code runs on somebody else's runtime.
    pub(crate) fn block_on<T: Send>(&self, future: impl Future<Output = T> + Send) -> Option<T> {
        let handle = self.handle()?;
        if Handle::try_current().is_err() {
            return Some(handle.block_on(future));
        }
        std::thread::scope(|scope| scope.spawn(|| handle.block_on(future)).join().ok())
    }
}
