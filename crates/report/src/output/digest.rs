//! SHA-256 of bytes on their way into a file.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

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
pub(super) struct SharedDigest(Arc<Mutex<Sha256>>);

impl SharedDigest {
    pub(super) fn stored(&self) -> FileDigest {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).file_digest()
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
        self.digest.0.lock().unwrap_or_else(PoisonError::into_inner).update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
