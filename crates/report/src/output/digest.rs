//! SHA-256 of bytes on their way into a file.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use probare_core::Stored;
use sha2::{Digest as _, Sha256};

/// SHA-256 in lower-case hexadecimal digits.
pub fn hex_sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]).collect()
}

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
        hex(&self.0.clone().finalize())
    }
}

/// A writer that keeps nothing but the digest of what is written.
#[derive(Debug, Clone, Default)]
pub struct Digester {
    hash: Sha256,
    bytes: u64,
}

impl Digester {
    /// What was written, as if it were a file.
    pub fn stored(&self) -> Stored {
        Stored { sha256: hex(&self.hash.clone().finalize()), bytes: self.bytes }
    }
}

impl Write for Digester {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What has been written so far.
#[derive(Debug, Clone)]
pub(super) struct Digest(Arc<Mutex<(Sha256, u64)>>);

impl Digest {
    pub(super) fn stored(&self) -> Stored {
        let (hash, bytes) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Stored { sha256: hex(&hash.clone().finalize()), bytes: *bytes }
    }
}

/// Passes bytes on and keeps their digest.
pub(super) struct Digesting<W> {
    inner: W,
    digest: Digest,
}

impl<W> Digesting<W> {
    pub(super) fn new(inner: W) -> (Self, Digest) {
        let digest = Digest(Arc::new(Mutex::new((Sha256::new(), 0))));
        (Self { inner, digest: digest.clone() }, digest)
    }
}

impl<W: Write> Write for Digesting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        let mut state = self.digest.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.0.update(&bytes[..written]);
        state.1 += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
