//! The thread that owns the database: it gathers commands, carries them out in one transaction, and answers after the commit.
//!
//! A reply that cannot be committed (a full disk) is held in memory, handed on with the reason, and committed with the next
//! transaction that succeeds. Until then nothing new is asked, since the leave to ask is written there too.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant, SystemTime};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use tokio::sync::oneshot;

use super::command::{CacheClaim, CacheCommand, LEASE, Lease, StoreResult};
use super::schema::{database_error, open, open_reading};
use super::{CacheEntry, CacheError, CacheKey, EntryKind, Ownership};

/// How often a lease of another process is looked at again.
const LEASE_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How often a reply that could not be written is tried again, and how often at the end.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
const LAST_TRIES: u32 = 4;

/// Most commands of one transaction.
const MOST: usize = 1000;

/// A reply that came, and who is told when it is safe.
type PendingReply = (CacheKey, Box<CacheEntry>, oneshot::Sender<StoreResult>);

struct Waiter {
    key: CacheKey,
    offline: bool,
    answer: oneshot::Sender<Result<CacheClaim, CacheError>>,
}

/// What is told once the transaction is committed.
enum Notification {
    Reply(Waiter, Box<CacheEntry>),
    Mine(Waiter),
    Missing(Waiter),
    Stored(oneshot::Sender<StoreResult>, Box<CacheEntry>),
}

/// A transaction that failed: what is known without it, and who waited for it.
struct FailedTransaction {
    error: CacheError,
    notifications: Vec<Notification>,
    claims: Vec<Waiter>,
}

pub(crate) struct CacheWriter {
    connection: Connection,
    path: PathBuf,
    lease: Duration,
    /// By which our leases are known; nothing where the file is only read.
    owner: Option<String>,
    ownership: Ownership,
    commands: Sender<CacheCommand>,
    /// Our own leases, with who waits for them in this process.
    leases: HashMap<CacheKey, VecDeque<Waiter>>,
    /// Who waits for another process, and how many that are, for whoever watches.
    foreign: Vec<Waiter>,
    foreign_count: Arc<AtomicUsize>,
    /// Claims to look at again in the next transaction.
    again: Vec<Waiter>,
    /// Replies that could not be written yet.
    unsaved: HashMap<CacheKey, Box<CacheEntry>>,
}

impl CacheWriter {
    pub(crate) fn open(
        path: &Path,
        lease: Duration,
        ownership: Ownership,
        commands: Sender<CacheCommand>,
    ) -> Result<Self, CacheError> {
        let connection = open(path)?;
        let owner = owner(&connection).map_err(database_error(path))?;
        Ok(Self::new(connection, path, lease, Some(owner), ownership, commands))
    }

    pub(crate) fn open_reading(
        path: &Path,
        ownership: Ownership,
        commands: Sender<CacheCommand>,
    ) -> Result<Self, CacheError> {
        Ok(Self::new(open_reading(path)?, path, LEASE, None, ownership, commands))
    }

    fn new(
        connection: Connection,
        path: &Path,
        lease: Duration,
        owner: Option<String>,
        ownership: Ownership,
        commands: Sender<CacheCommand>,
    ) -> Self {
        Self {
            ownership,
            connection,
            path: path.to_owned(),
            lease,
            owner,
            commands,
            leases: HashMap::new(),
            foreign: Vec::new(),
            foreign_count: Arc::default(),
            again: Vec::new(),
            unsaved: HashMap::new(),
        }
    }

    /// How many wait for another process.
    pub(crate) fn foreign_count(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.foreign_count)
    }

    /// Serves until told to end.
    pub(crate) fn serve(mut self, commands: &Receiver<CacheCommand>) {
        let mut renewal = Instant::now() + self.lease / 3;
        let mut open = true;
        while open {
            let until_renewal = renewal.saturating_duration_since(Instant::now());
            let timeout = match (self.foreign.is_empty(), self.unsaved.is_empty()) {
                (false, _) => LEASE_POLL_INTERVAL.min(until_renewal),
                (true, false) => RETRY_INTERVAL.min(until_renewal),
                (true, true) => until_renewal,
            };
            let mut batch = Vec::new();
            if self.again.is_empty() {
                match commands.recv_timeout(timeout) {
                    Ok(command) => batch.push(command),
                    Err(RecvTimeoutError::Timeout) => self.again.append(&mut self.foreign),
                    Err(RecvTimeoutError::Disconnected) => open = false,
                }
            }
            while batch.len() < MOST
                && let Ok(command) = commands.try_recv()
            {
                batch.push(command);
            }
            if let Some(end) = batch.iter().position(|command| matches!(command, CacheCommand::Close)) {
                // What was commanded before the end is still carried out; those after it are told that the record is closed.
                batch.truncate(end);
                open = false;
            }
            self.run_batch(batch);
            self.foreign_count.store(self.foreign.len(), Ordering::Relaxed);
            if Instant::now() >= renewal {
                self.renew();
                renewal = Instant::now() + self.lease / 3;
            }
        }
        for _ in 0..LAST_TRIES {
            if self.unsaved.is_empty() {
                break;
            }
            std::thread::sleep(RETRY_INTERVAL);
            self.run_batch(Vec::new());
        }
        // Leases that cannot be given back expire.
        if let Some(owner) = &self.owner {
            let _ = self.connection.execute("DELETE FROM leases WHERE owner = ?1", params![owner]);
        }
    }

    /// Carries out commands in one transaction; a failure is told to everybody in it.
    fn run_batch(&mut self, batch: Vec<CacheCommand>) {
        let mut claims = std::mem::take(&mut self.again);
        let mut keeps = Vec::new();
        let mut releases = Vec::new();
        for command in batch {
            match command {
                CacheCommand::Claim { key, offline, answer } => claims.push(Waiter { key, offline, answer }),
                CacheCommand::Store { key, entry, answer } => keeps.push((key, entry, answer)),
                CacheCommand::Release { key } => releases.push(key),
                CacheCommand::Close => {}
            }
        }
        // Whoever waits for a lease that ends now is looked at again, before newcomers.
        let ended: Vec<CacheKey> = releases.iter().copied().chain(keeps.iter().map(|(key, ..)| *key)).collect();
        let mut first: Vec<Waiter> = ended.iter().filter_map(|key| self.leases.remove(key)).flatten().collect();
        first.append(&mut claims);
        // Whoever has gone needs nothing any more.
        first.retain(|waiter| !waiter.answer.is_closed());
        if first.is_empty() && keeps.is_empty() && releases.is_empty() && self.unsaved.is_empty() {
            return;
        }
        let notifications = match self.transact(&keeps, &releases, first) {
            Ok(notifications) => notifications,
            Err(FailedTransaction { error, notifications, claims }) => {
                for message in notifications {
                    self.notify(message);
                }
                for waiter in claims {
                    let _ = waiter.answer.send(Err(error.clone()));
                }
                for (key, entry, answer) in keeps {
                    // Paid for: it is held, and handed on with the reason.
                    let _ = answer.send(Ok(((*entry).clone(), Some(error.to_string()))));
                    self.unsaved.entry(key).or_insert(entry);
                }
                return;
            }
        };
        for message in notifications.into_iter().chain(stored_notifications(keeps, &self.connection, &self.ownership)) {
            self.notify(message);
        }
    }

    /// The transaction: replies and ended leases first, then claims.
    fn transact(
        &mut self,
        keeps: &[PendingReply],
        releases: &[CacheKey],
        claims: Vec<Waiter>,
    ) -> Result<Vec<Notification>, FailedTransaction> {
        let path = self.path.clone();
        let wrong = database_error(&path);
        let (mut notifications, open_claims) = self.answer_known(claims);
        let Some(owner) = self.owner.clone() else {
            // Whoever only reads asks nothing.
            notifications.extend(open_claims.into_iter().map(Notification::Missing));
            return Ok(notifications);
        };
        if keeps.is_empty() && releases.is_empty() && open_claims.is_empty() && self.unsaved.is_empty() {
            return Ok(notifications);
        }
        let transaction = match self.connection.transaction_with_behavior(TransactionBehavior::Immediate) {
            Ok(transaction) => transaction,
            Err(error) => {
                return Err(FailedTransaction { error: wrong(error), notifications, claims: open_claims });
            }
        };
        let now = now();
        let done = write(&transaction, &self.ownership, &self.unsaved, keeps, releases, &owner)
            .and_then(|()| {
                let lease = (owner.as_str(), now, now + millis(self.lease));
                decide(&transaction, &self.ownership, &open_claims, &self.leases, lease)
            })
            .and_then(|decisions| transaction.commit().map(|()| decisions));
        let decisions = match done {
            Ok(decisions) => decisions,
            Err(error) => {
                return Err(FailedTransaction { error: wrong(error), notifications, claims: open_claims });
            }
        };
        self.unsaved.clear();
        for (waiter, decision) in open_claims.into_iter().zip(decisions) {
            match decision {
                ClaimDecision::Reply(entry) => notifications.push(Notification::Reply(waiter, entry)),
                ClaimDecision::Mine => {
                    self.leases.insert(waiter.key, VecDeque::new());
                    notifications.push(Notification::Mine(waiter));
                }
                ClaimDecision::Ours => self.leases.entry(waiter.key).or_default().push_back(waiter),
                ClaimDecision::Foreign => self.foreign.push(waiter),
            }
        }
        Ok(notifications)
    }

    /// What is there already, which needs no lock for writing, and the claims that are still open.
    fn answer_known(&self, claims: Vec<Waiter>) -> (Vec<Notification>, Vec<Waiter>) {
        let (mut notifications, mut open_claims) = (Vec::new(), Vec::new());
        for waiter in claims {
            if let Some(entry) = self.unsaved.get(&waiter.key) {
                notifications.push(Notification::Reply(waiter, entry.clone()));
                continue;
            }
            match find(&self.connection, &self.ownership, waiter.key) {
                Ok(Some(entry)) => notifications.push(Notification::Reply(waiter, entry)),
                Ok(None) if waiter.offline => notifications.push(Notification::Missing(waiter)),
                Ok(None) => open_claims.push(waiter),
                Err(error) => {
                    let _ = waiter.answer.send(Err(database_error(&self.path)(error)));
                }
            }
        }
        (notifications, open_claims)
    }

    fn notify(&self, message: Notification) {
        // Whoever does not listen any more drops what is sent; a lease in it comes back as a command.
        match message {
            Notification::Reply(waiter, entry) => {
                let _ = waiter.answer.send(Ok(CacheClaim::Reply(entry)));
            }
            Notification::Missing(waiter) => {
                let _ = waiter.answer.send(Ok(CacheClaim::Missing));
            }
            Notification::Mine(waiter) => {
                let lease = Lease { key: waiter.key, commands: self.commands.clone(), over: false };
                let _ = waiter.answer.send(Ok(CacheClaim::Leased(lease)));
            }
            Notification::Stored(answer, entry) => {
                let _ = answer.send(Ok((*entry, None)));
            }
        }
    }

    /// Keeps alive the leases of requests that are under way, and only those.
    fn renew(&self) {
        let expires = now() + millis(self.lease);
        let renew = || -> rusqlite::Result<()> {
            let transaction = self.connection.unchecked_transaction()?;
            let mut statement =
                transaction.prepare_cached("UPDATE leases SET expires = ?1 WHERE key = ?2 AND owner = ?3")?;
            for key in self.leases.keys().chain(self.unsaved.keys()) {
                statement.execute(params![expires, key.0, self.owner])?;
            }
            drop(statement);
            transaction.commit()
        };
        if !(self.leases.is_empty() && self.unsaved.is_empty()) {
            // A renewal that fails is tried again in a third of the lease; a reply that comes is kept in any case.
            let _ = renew();
        }
    }
}

enum ClaimDecision {
    Reply(Box<CacheEntry>),
    Mine,
    /// Another question of this process is under way.
    Ours,
    /// Another process is asking.
    Foreign,
}

/// The recorded reply of a key, where it counts. An entry that cannot be read counts as an error of the database.
fn find(connection: &Connection, ownership: &Ownership, key: CacheKey) -> rusqlite::Result<Option<Box<CacheEntry>>> {
    let text = ownership.find(connection, EntryKind::Reply, key)?;
    text.map(|text| {
        serde_json::from_str(&text)
            .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error)))
    })
    .transpose()
}

fn write(
    transaction: &Transaction<'_>,
    ownership: &Ownership,
    unsaved: &HashMap<CacheKey, Box<CacheEntry>>,
    keeps: &[PendingReply],
    releases: &[CacheKey],
    owner: &str,
) -> rusqlite::Result<()> {
    for (key, entry) in unsaved {
        insert(transaction, ownership, *key, entry)?;
    }
    for (key, entry, _) in keeps {
        insert(transaction, ownership, *key, entry)?;
    }
    let mut free = transaction.prepare_cached("DELETE FROM leases WHERE key = ?1 AND owner = ?2")?;
    for key in releases.iter().chain(keeps.iter().map(|(key, ..)| key)).chain(unsaved.keys()) {
        free.execute(params![key.0, owner])?;
    }
    Ok(())
}

/// Adds an entry, with its owner tag, unless one that counts is there; says whether it was added.
pub(super) fn insert(
    connection: &Connection,
    ownership: &Ownership,
    key: CacheKey,
    entry: &CacheEntry,
) -> rusqlite::Result<bool> {
    if !ownership.make_room(connection, EntryKind::Reply, key)? {
        return Ok(false);
    }
    let text =
        serde_json::to_string(entry).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(
        "INSERT OR IGNORE INTO replies (key, provider, model, made, input_tokens, output_tokens, entry, tag)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let added = statement.execute(params![
        key.0,
        entry.request.provider.name(),
        entry.request.model,
        count(entry.made),
        count(entry.reply.usage.unwrap_or_default().input_tokens),
        count(entry.reply.usage.unwrap_or_default().output_tokens),
        text,
        ownership.tag(EntryKind::Reply, key, &text)
    ])?;
    Ok(added == 1)
}

fn decide(
    transaction: &Transaction<'_>,
    ownership: &Ownership,
    claims: &[Waiter],
    leases: &HashMap<CacheKey, VecDeque<Waiter>>,
    (owner, now, expires): (&str, i64, i64),
) -> rusqlite::Result<Vec<ClaimDecision>> {
    let mut given: std::collections::HashSet<CacheKey> = std::collections::HashSet::new();
    let mut look = transaction.prepare_cached("SELECT owner, expires FROM leases WHERE key = ?1")?;
    let mut take =
        transaction.prepare_cached("INSERT OR REPLACE INTO leases (key, owner, expires) VALUES (?1, ?2, ?3)")?;
    claims
        .iter()
        .map(|waiter| {
            if leases.contains_key(&waiter.key) || given.contains(&waiter.key) {
                return Ok(ClaimDecision::Ours);
            }
            // Looked up again, since another process may have written before our transaction began.
            if let Some(entry) = find(transaction, ownership, waiter.key)? {
                return Ok(ClaimDecision::Reply(entry));
            }
            let lease: Option<(String, i64)> =
                look.query_row(params![waiter.key.0], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            if lease.is_some_and(|(other, until)| other != owner && until > now) {
                return Ok(ClaimDecision::Foreign);
            }
            take.execute(params![waiter.key.0, owner, expires])?;
            given.insert(waiter.key);
            Ok(ClaimDecision::Mine)
        })
        .collect()
}

/// Answers for replies that were kept: what the record holds, since another process may have been first.
fn stored_notifications(
    keeps: Vec<PendingReply>,
    connection: &Connection,
    ownership: &Ownership,
) -> impl Iterator<Item = Notification> {
    keeps.into_iter().map(|(key, entry, answer)| {
        let stored = find(connection, ownership, key).ok().flatten().unwrap_or(entry);
        Notification::Stored(answer, stored)
    })
}

/// A name that no other process has had: random bytes of the database, with the process id for a reader.
fn owner(connection: &Connection) -> rusqlite::Result<String> {
    let random: String = connection.query_row("SELECT lower(hex(randomblob(8)))", [], |row| row.get(0))?;
    Ok(format!("{}-{random}", std::process::id()))
}

/// Milliseconds since 1970; all processes of a machine share this clock.
fn now() -> i64 {
    millis(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 4)
}
