//! SHA-256 and length of a file, taken from the bytes as they are read.

use std::io::{self, ErrorKind, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use probare_core::{Input, Progress, Sha256};

/// Buffer for what is read for the digest alone.
const BUFFER: usize = 256 * 1024;

/// What has been read of a file so far.
#[derive(Clone)]
pub(crate) struct Digest {
    hash: Arc<Mutex<Sha256>>,
    progress: Arc<Bytes>,
}

/// Bytes read, and bytes in all.
pub(crate) struct Bytes {
    read: AtomicU64,
    total: Option<u64>,
}

impl Progress for Bytes {
    fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    fn total(&self) -> Option<u64> {
        self.total
    }
}

impl Digest {
    pub(crate) fn new(total: Option<u64>) -> Self {
        let progress = Arc::new(Bytes { read: AtomicU64::new(0), total });
        Self { hash: Arc::default(), progress }
    }

    pub(crate) fn progress(&self) -> Arc<Bytes> {
        Arc::clone(&self.progress)
    }

    /// The file as the manifest names it.
    pub(crate) fn input(&self, path: &str) -> Input {
        let sha256 = self.hash.lock().unwrap_or_else(PoisonError::into_inner).hex();
        Input { path: path.to_owned(), sha256, bytes: self.progress.read(), ..Input::default() }
    }
}

/// Passes bytes on and keeps their digest.
pub(crate) struct Digesting<R> {
    inner: R,
    digest: Digest,
}

impl<R: Read> Digesting<R> {
    pub(crate) const fn new(inner: R, digest: Digest) -> Self {
        Self { inner, digest }
    }

    /// Reads to the end, for the digest alone.
    pub(crate) fn exhaust(&mut self) -> io::Result<()> {
        let mut buffer = vec![0; BUFFER];
        loop {
            match self.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl<R: Read> Read for Digesting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.digest.hash.lock().unwrap_or_else(PoisonError::into_inner).update(&buffer[..count]);
        self.digest.progress.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// One reader in two places: who cuts rows out of it, and who reads the rest of it for the digest.
pub(crate) struct Shared<R>(Arc<Mutex<R>>);

impl<R> Shared<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self(Arc::new(Mutex::new(reader)))
    }

    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut R) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<R> Clone for Shared<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R: Read> Read for Shared<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.with(|reader| reader.read(buffer))
    }
}
