//! SHA-256 and length of a file, taken from the bytes as they are read.

use std::io::{self, ErrorKind, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use probare_core::{InputFile, ReadProgress, Sha256};

/// Buffer for what is read for the digest alone.
const BUFFER: usize = 256 * 1024;

/// What has been read of a file so far.
#[derive(Clone)]
pub(crate) struct RunningDigest {
    /// Nothing where nobody wants it: of a cheap run it would be a fifth of the work.
    hash: Arc<Mutex<Option<Sha256>>>,
    progress: Arc<ByteProgress>,
}

/// Bytes read, and bytes in all.
pub(crate) struct ByteProgress {
    read: AtomicU64,
    total: Option<u64>,
}

impl ReadProgress for ByteProgress {
    fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    fn bytes_total(&self) -> Option<u64> {
        self.total
    }
}

impl RunningDigest {
    pub(crate) fn new(total: Option<u64>) -> Self {
        let progress = Arc::new(ByteProgress { read: AtomicU64::new(0), total });
        Self { hash: Arc::new(Mutex::new(Some(Sha256::default()))), progress }
    }

    /// From here on nobody wants the digest.
    pub(crate) fn forget(&self) {
        *self.hash() = None;
    }

    fn hash(&self) -> MutexGuard<'_, Option<Sha256>> {
        self.hash.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn progress(&self) -> Arc<ByteProgress> {
        Arc::clone(&self.progress)
    }

    /// The file as the manifest names it.
    pub(crate) fn input(&self, path: &str) -> InputFile {
        let sha256 = self.hash().as_ref().map(Sha256::hex).unwrap_or_default();
        InputFile { path: path.to_owned(), sha256, bytes: self.progress.bytes_read(), ..InputFile::default() }
    }
}

/// Passes bytes on and keeps their digest.
pub(crate) struct DigestReader<R> {
    inner: R,
    digest: RunningDigest,
}

impl<R: Read> DigestReader<R> {
    pub(crate) const fn new(inner: R, digest: RunningDigest) -> Self {
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

impl<R: Read> Read for DigestReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        if let Some(hash) = self.digest.hash().as_mut() {
            hash.update(&buffer[..count]);
        }
        self.digest.progress.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// One reader in two places: who cuts rows out of it, and who reads the rest of it for the digest.
pub(crate) struct SharedReader<R>(Arc<Mutex<R>>);

impl<R> SharedReader<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self(Arc::new(Mutex::new(reader)))
    }

    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut R) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<R> Clone for SharedReader<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R: Read> Read for SharedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.with(|reader| reader.read(buffer))
    }
}
