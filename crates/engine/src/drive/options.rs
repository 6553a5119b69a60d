//! [`DriveOptions`]: how to drive.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

/// More threads than this are never of use, and some systems refuse them.
pub const MOST_JOBS: usize = 1024;

/// How to drive.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Debug, Clone)]
pub struct DriveOptions {
    /// Scoring threads; more than [`MOST_JOBS`] are not started. Cases that wait for models take none.
    pub jobs: NonZeroUsize,
    /// At most this many cases; nobody works on a further one.
    pub limit: Option<u64>,
    /// End at the first row that cannot be read.
    pub strict: bool,
    /// Whether somebody wants the result lines; the scoring threads write them then.
    pub lines: bool,
    /// Whether results carry evidence.
    pub evidence: bool,
    /// Whether a row that cannot be read has a result, which failed in every metric, behind the problem.
    pub lost_rows_fail: bool,
    /// Set from outside to end early.
    pub interrupted: Arc<AtomicBool>,
    /// Set by whoever takes the results once no further one is needed. What is under way is finished and kept, and is no part
    /// of the run.
    pub decided: Arc<AtomicBool>,
}

impl Default for DriveOptions {
    fn default() -> Self {
        let jobs = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self {
            jobs,
            limit: None,
            strict: false,
            lines: false,
            evidence: true,
            lost_rows_fail: false,
            interrupted: Arc::default(),
            decided: Arc::default(),
        }
    }
}
