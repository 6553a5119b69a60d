//! [`ResponseCache`]: every reply that was ever paid for, by the content of its request.
//!
//! One thread owns the database and commits what has gathered since the last commit in one transaction, so that a reply is
//! safely on disk before anybody uses it and many replies cost few syncs. A request that is under way is held by a lease:
//! whoever needs the same reply, in this process or another, waits for it. A lease is renewed while its owner lives and
//! expires soon after it was killed.

mod cassette;
mod command;
mod entry;
mod error;
mod ownership;
mod program_entry;
mod programs;
mod schema;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;

pub use cassette::{
    CachedModel, ExportCounts, ImportCounts, PruneFilter, export_cache, find_entries_containing, import_cassette,
    list_cached_models, prune_cache, read_cassette,
};
use command::CacheCommand;
pub use command::LEASE;
pub(crate) use command::{CacheClaim, Lease};
pub use entry::{CacheEntry, CacheKey, LostAttempts};
pub use error::CacheError;
pub use ownership::{CacheFile, OwnershipCounts, accept_entries, count_ownership, rotate_key};
use ownership::{EntryKind, Ownership};
pub use program_entry::ProgramEntry;
pub use programs::ProgramCache;
use writer::CacheWriter;

/// A record that is open. Dropped it gives its leases back.
pub struct ResponseCache {
    commands: mpsc::Sender<CacheCommand>,
    thread: Mutex<Option<JoinHandle<()>>>,
    path: PathBuf,
    foreign: Arc<AtomicUsize>,
    owner: Ownership,
}

impl ResponseCache {
    /// Opens the record in a file, which is created with its folder where it is not there.
    pub fn open(cache: &CacheFile) -> Result<Self, CacheError> {
        Self::open_with(cache, LEASE)
    }

    /// Opens the record with leases of another length.
    pub fn open_with(cache: &CacheFile, lease: Duration) -> Result<Self, CacheError> {
        let (commands, receiver) = mpsc::channel();
        let owner = Ownership::open(cache, true)?;
        let keeper = CacheWriter::open(&cache.path, lease, owner.clone(), commands.clone())?;
        Self::serve(&cache.path, owner, keeper, commands, receiver)
    }

    /// Opens the record for reading alone: nothing is written, so the file may lie where nobody may write.
    pub fn open_reading(cache: &CacheFile) -> Result<Self, CacheError> {
        let (commands, receiver) = mpsc::channel();
        let owner = Ownership::open(cache, false)?;
        let keeper = CacheWriter::open_reading(&cache.path, owner.clone(), commands.clone())?;
        Self::serve(&cache.path, owner, keeper, commands, receiver)
    }

    fn serve(
        path: &Path,
        owner: Ownership,
        keeper: CacheWriter,
        commands: mpsc::Sender<CacheCommand>,
        receiver: mpsc::Receiver<CacheCommand>,
    ) -> Result<Self, CacheError> {
        let foreign = keeper.foreign_count();
        let thread = std::thread::Builder::new()
            .name("record".to_owned())
            .spawn(move || keeper.serve(&receiver))
            .map_err(|error| CacheError::Database { path: path.to_owned(), reason: error.to_string() })?;
        Ok(Self { commands, thread: Mutex::new(Some(thread)), path: path.to_owned(), foreign, owner })
    }

    /// How many replies were looked up and used.
    pub fn used(&self) -> u64 {
        self.owner.used()
    }

    /// How many replies were looked up and ignored, since they carry no owner tag of this user.
    pub fn ignored(&self) -> u64 {
        self.owner.ignored()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Questions that wait for another process.
    pub(crate) fn waiting_for_others(&self) -> usize {
        self.foreign.load(Ordering::Relaxed)
    }

    /// The reply, or the leave to ask for it. Waits while somebody else is asking.
    pub(crate) async fn claim(&self, key: CacheKey, offline: bool) -> Result<CacheClaim, CacheError> {
        let (answer, receiver) = oneshot::channel();
        self.commands.send(CacheCommand::Claim { key, offline, answer }).map_err(|_| CacheError::Closed)?;
        receiver.await.map_err(|_| CacheError::Closed)?
    }

    /// Commits a reply and gives the lease back. What is returned is what the record holds: the first reply wins. A reply that
    /// cannot be written is held, answers whoever needs it, and is tried again; why it could not stands beside it.
    pub(crate) async fn store(
        &self,
        mut lease: Lease,
        entry: CacheEntry,
    ) -> Result<(CacheEntry, Option<String>), CacheError> {
        let (answer, receiver) = oneshot::channel();
        lease.over = true;
        let command = CacheCommand::Store { key: lease.key, entry: Box::new(entry), answer };
        self.commands.send(command).map_err(|_| CacheError::Closed)?;
        receiver.await.map_err(|_| CacheError::Closed)?
    }
}

impl Drop for ResponseCache {
    fn drop(&mut self) {
        let _ = self.commands.send(CacheCommand::Close);
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}
