//! SHA-256 of bytes on their way into a file.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use probare_core::{Sha256, Stored};

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
pub(super) struct Digest(Arc<Mutex<Sha256>>);

impl Digest {
    pub(super) fn stored(&self) -> Stored {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).stored()
    }
}

/// Passes bytes on and keeps their digest.
pub(super) struct Digesting<W> {
    inner: W,
    digest: Digest,
}

impl<W> Digesting<W> {
    pub(super) fn new(inner: W) -> (Self, Digest) {
        let digest = Digest::default();
        (Self { inner, digest: digest.clone() }, digest)
    }
}

impl<W: Write> Write for Digesting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.digest.0.lock().unwrap_or_else(PoisonError::into_inner).update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
