//! SHA-256 of bytes on their way into a file.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use probare_core::{FileDigest, Sha256};

/// SHA-256 of all result lines of a run.
#[derive(Debug, Clone, Default)]
pub struct LinesDigest(Sha256);

impl LinesDigest {
    /// Takes in a line, which has no line break yet.
    pub fn add(&mut self, line: &str) {
        self.0.update(line);
        self.0.update(b"\n");
    }

    /// In lower-case hexadecimal digits.
    pub fn hex(&self) -> String {
        self.0.hex()
    }
}

/// What has been written so far.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedDigest(Arc<Mutex<DigestState>>);

#[derive(Debug)]
struct DigestState {
    /// Nothing where whoever writes has the digest already.
    digest: Option<Sha256>,
    bytes: u64,
}

impl Default for DigestState {
    fn default() -> Self {
        Self { digest: Some(Sha256::default()), bytes: 0 }
    }
}

impl SharedDigest {
    fn lock(&self) -> MutexGuard<'_, DigestState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From here on bytes are counted alone.
    pub(super) fn forget(&self) {
        self.lock().digest = None;
    }

    /// What is in the file; without the digest where that was forgotten.
    pub(super) fn stored(&self) -> FileDigest {
        let written = self.lock();
        FileDigest { sha256: written.digest.as_ref().map(Sha256::hex).unwrap_or_default(), bytes: written.bytes }
    }
}

/// Passes bytes on and keeps their digest.
pub(super) struct DigestWriter<W> {
    inner: W,
    digest: SharedDigest,
}

impl<W> DigestWriter<W> {
    pub(super) fn new(inner: W) -> (Self, SharedDigest) {
        let digest = SharedDigest::default();
        (Self { inner, digest: digest.clone() }, digest)
    }
}

impl<W: Write> Write for DigestWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        let mut so_far = self.digest.lock();
        so_far.bytes += written as u64;
        if let Some(digest) = &mut so_far.digest {
            digest.update(&bytes[..written]);
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
