//! Batches: questions that are sent together, answered within a day, and cost half.
//!
//! While a run gathers them, a question that the response cache does not answer is put aside, and its sample stays open. At the
//! end of the run they are sent; the next process of the run puts what has come into the response cache, where the questions
//! find it. So judges that ask after an answer came take a batch of their own, and nothing else has to know.
//!
//! Nothing is paid for twice: a batch is noted in a file ([`BatchJournal`]) before it is sent. Where a process ended in between,
//! the vendor's list of batches says whether it came about.

mod journal;
mod vendor;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use journal::{BatchFailure, BatchItem, BatchJournal, OpenBatch};
pub(crate) use vendor::{BatchApi, BatchState, LineResult, file_form, id, is_surely_refused};

use crate::{CacheError, CacheKey};

/// A question that waits to be sent in a batch.
pub(crate) struct QueuedCall {
    pub key: CacheKey,
    pub item: BatchItem,
    /// The JSON that would be sent alone.
    pub body: Vec<u8>,
}

/// How the batches of a run stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BatchReport {
    /// Batches that were sent now: model, name at the vendor, questions.
    pub sent: Vec<(String, String, u64)>,
    /// Batches that are worked on: model, name at the vendor where it is known, questions, and how many are done.
    pub running: Vec<(String, Option<String>, u64, u64)>,
    /// Replies that came.
    pub collected: u64,
    /// Questions without a reply.
    pub failed: u64,
    /// Questions of this process that wait for their reply.
    pub waiting: u64,
    /// Questions that were not sent, since the budget does not allow them.
    pub unsent: u64,
    /// What went wrong with a batch as a whole.
    pub problems: Vec<String>,
}

impl BatchReport {
    /// Questions of this process that are in a batch, or will be as soon as one is sent.
    pub const fn in_batches(&self) -> u64 {
        // What the budget does not allow now is allowed once something else is settled, or never.
        self.waiting.saturating_sub(self.unsent)
    }

    /// Whether the run has to go on later.
    pub fn is_pending(&self) -> bool {
        self.in_batches() > 0 || !self.running.is_empty() || !self.problems.is_empty()
    }
}

/// The batches of a run.
pub(crate) struct BatchBook {
    pub owner: String,
    journal: Mutex<BatchJournal>,
    /// Requests that are in a batch.
    open: Mutex<HashSet<String>>,
    /// What came of requests without a reply.
    failures: Mutex<HashMap<String, BatchFailure>>,
    queue: Mutex<BTreeMap<CacheKey, QueuedCall>>,
    report: Mutex<BatchReport>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl BatchBook {
    /// The batches of a run; `cache` is the file of the response cache, beside which they are noted.
    pub(crate) fn open(cache: &Path, owner: String) -> Result<Self, CacheError> {
        let path = Self::path(cache);
        let book = Self {
            owner,
            journal: Mutex::new(BatchJournal::open(&path)?),
            open: Mutex::default(),
            failures: Mutex::default(),
            queue: Mutex::default(),
            report: Mutex::default(),
        };
        let wrong = |error: rusqlite::Error| CacheError::Database { path, reason: error.to_string() };
        book.refresh().map_err(wrong)?;
        Ok(book)
    }

    /// Where batches are noted.
    fn path(cache: &Path) -> PathBuf {
        cache.with_file_name("batches.db")
    }

    pub(crate) fn journal(&self) -> MutexGuard<'_, BatchJournal> {
        lock(&self.journal)
    }

    pub(crate) fn report(&self) -> MutexGuard<'_, BatchReport> {
        lock(&self.report)
    }

    /// Reads again what is noted.
    pub(crate) fn refresh(&self) -> rusqlite::Result<()> {
        let (open, failures) = {
            let journal = self.journal();
            (journal.open_keys()?, journal.failures()?)
        };
        *lock(&self.open) = open.into_iter().collect();
        *lock(&self.failures) = failures.into_iter().collect();
        Ok(())
    }

    /// Whether a request is in a batch already, or will be in the next one.
    pub(crate) fn is_waiting(&self, key: CacheKey) -> bool {
        lock(&self.open).contains(&key.to_string()) || lock(&self.queue).contains_key(&key)
    }

    /// Whether any request of this run waits.
    pub(crate) fn has_waiting(&self) -> bool {
        self.report().waiting > 0
    }

    /// What came of a request in a batch that gave no reply to it. Where it is asked anew that is forgotten.
    pub(crate) fn failure(&self, key: CacheKey, is_asked_anew: bool) -> Option<BatchFailure> {
        let name = key.to_string();
        if is_asked_anew {
            if lock(&self.failures).remove(&name).is_some() {
                // What cannot be forgotten is told once more.
                let _ = self.journal().forget_failure(&name);
            }
            return None;
        }
        lock(&self.failures).get(&name).cloned()
    }

    /// Puts a question aside.
    pub(crate) fn queue(&self, call: QueuedCall) {
        lock(&self.queue).insert(call.key, call);
    }

    /// What was put aside, by model.
    pub(crate) fn take_queue(&self) -> BTreeMap<String, Vec<QueuedCall>> {
        let mut by_model: BTreeMap<String, Vec<QueuedCall>> = BTreeMap::new();
        for call in std::mem::take(&mut *lock(&self.queue)).into_values() {
            by_model.entry(call.item.model.clone()).or_default().push(call);
        }
        by_model
    }
}
