//! [`CacheCommand`]: what is asked of the thread that owns the record, and the [`Lease`] that it gives.

use std::sync::mpsc::Sender;
use std::time::Duration;

use tokio::sync::oneshot;

use super::{CacheEntry, CacheError, CacheKey};

/// How long a lease holds without being renewed.
pub const LEASE: Duration = Duration::from_secs(15);

/// What the record says about a request.
pub(crate) enum CacheClaim {
    /// The reply is recorded.
    Reply(Box<CacheEntry>),
    /// Nobody has it: the caller asks, and holds the lease.
    Leased(Lease),
    /// Nobody has it, and nobody may ask.
    Missing,
}

/// What somebody wants of the record.
pub(crate) enum CacheCommand {
    /// A reply, or the leave to ask.
    Claim { key: CacheKey, offline: bool, answer: oneshot::Sender<Result<CacheClaim, CacheError>> },
    /// A reply came.
    Store { key: CacheKey, entry: Box<CacheEntry>, answer: oneshot::Sender<StoreResult> },
    /// None came.
    Release { key: CacheKey },
    /// The end.
    Close,
}

/// What the record holds, and why it could not be written where it could not.
pub(super) type StoreResult = Result<(CacheEntry, Option<String>), CacheError>;

/// The leave to ask one request. Dropped it goes to whoever waits.
pub(crate) struct Lease {
    pub(super) key: CacheKey,
    pub(super) commands: Sender<CacheCommand>,
    pub(super) over: bool,
}

impl Drop for Lease {
    fn drop(&mut self) {
        if !self.over {
            let _ = self.commands.send(CacheCommand::Release { key: self.key });
        }
    }
}
