//! [`Record`]: every reply that was ever paid for, by the content of its request.
//!
//! One thread owns the database and commits what has gathered since the last commit in one transaction, so that a reply is
//! safely on disk before anybody uses it and many replies cost few syncs. A request that is under way is held by a lease:
//! whoever needs the same reply, in this process or another, waits for it. A lease is renewed while its owner lives and
//! expires soon after it was killed.

mod cassette;
mod entry;
mod keeper;
mod programs;
mod schema;

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;

pub use cassette::{Imported, Kept, Old, export, holding, import, list, prune, read_cassette};
pub use entry::{Entry, Key, Lost};
use keeper::{Keeper, Wish};
pub use programs::{Programs, RanEntry};

/// How long a lease holds without being renewed.
pub const LEASE: Duration = Duration::from_secs(15);

/// What is wrong with the record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The database cannot be used.
    #[error("cannot use the record of replies `{}`: {reason}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What the database says.
        reason: String,
    },
    /// The file was written by another version.
    #[error("the record of replies `{}` has format {found}, this program knows format {}", path.display(), schema::FORMAT)]
    Format {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// A line of a cassette cannot be read.
    #[error("line {line} of the recorded replies: {reason}")]
    Cassette {
        /// Which line, counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// The record was closed.
    #[error("the record of replies is closed")]
    Closed,
}

/// What the record says about a request.
pub(crate) enum Claimed {
    /// The reply is recorded.
    Reply(Box<Entry>),
    /// Nobody has it: the caller asks, and holds the lease.
    Mine(Lease),
    /// Nobody has it, and nobody may ask.
    Missing,
}

/// A record that is open. Dropped it gives its leases back.
pub struct Record {
    wishes: mpsc::Sender<Wish>,
    thread: Mutex<Option<JoinHandle<()>>>,
    path: PathBuf,
}

impl Record {
    /// Opens the record in a file, which is created with its folder where it is not there.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        Self::open_with(path, LEASE)
    }

    /// Opens the record with leases of another length.
    pub fn open_with(path: &Path, lease: Duration) -> Result<Self, RecordError> {
        let (wishes, receiver) = mpsc::channel();
        let keeper = Keeper::open(path, lease, wishes.clone())?;
        Self::serve(path, keeper, wishes, receiver)
    }

    /// Opens the record for reading alone: nothing is written, so the file may lie where nobody may write.
    pub fn open_reading(path: &Path) -> Result<Self, RecordError> {
        let (wishes, receiver) = mpsc::channel();
        let keeper = Keeper::open_reading(path, wishes.clone())?;
        Self::serve(path, keeper, wishes, receiver)
    }

    fn serve(
        path: &Path,
        keeper: Keeper,
        wishes: mpsc::Sender<Wish>,
        receiver: mpsc::Receiver<Wish>,
    ) -> Result<Self, RecordError> {
        let thread = std::thread::Builder::new()
            .name("record".to_owned())
            .spawn(move || keeper.serve(&receiver))
            .map_err(|error| RecordError::Database { path: path.to_owned(), reason: error.to_string() })?;
        Ok(Self { wishes, thread: Mutex::new(Some(thread)), path: path.to_owned() })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The reply, or the leave to ask for it. Waits while somebody else is asking.
    pub(crate) async fn claim(&self, key: Key, offline: bool) -> Result<Claimed, RecordError> {
        let (answer, heard) = oneshot::channel();
        self.wishes.send(Wish::Claim { key, offline, answer }).map_err(|_| RecordError::Closed)?;
        heard.await.map_err(|_| RecordError::Closed)?
    }

    /// Commits a reply and gives the lease back. What is returned is what the record holds: the first reply wins. A reply that
    /// cannot be written is held, answers whoever needs it, and is tried again; why it could not stands beside it.
    pub(crate) async fn keep(&self, mut lease: Lease, entry: Entry) -> Result<(Entry, Option<String>), RecordError> {
        let (answer, heard) = oneshot::channel();
        lease.over = true;
        let wish = Wish::Keep { key: lease.key, entry: Box::new(entry), answer };
        self.wishes.send(wish).map_err(|_| RecordError::Closed)?;
        heard.await.map_err(|_| RecordError::Closed)?
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let _ = self.wishes.send(Wish::Close);
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

/// The leave to ask one request. Dropped it goes to whoever waits.
pub(crate) struct Lease {
    key: Key,
    wishes: mpsc::Sender<Wish>,
    over: bool,
}

impl Drop for Lease {
    fn drop(&mut self) {
        if !self.over {
            let _ = self.wishes.send(Wish::Release { key: self.key });
        }
    }
}
