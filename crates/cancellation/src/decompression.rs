//! [`decompress`]: a packed file, unpacked as long as what comes out of it is in proportion.
//!
//! A few megabytes of gzip can hold gigabytes of line breaks, and nobody who reads them is ever done. Files of rows and results
//! shrink to a tenth or a twentieth; whatever shrinks to less than a two-hundredth is refused once it is large.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that come out of any file: 256 MiB.
const MIN_OUTPUT_LIMIT: u64 = 256 << 20;

/// Bytes that may come out for each one that went in, beyond those.
const MAX_EXPANSION: u64 = 200;

/// Unpacks what is read from `packed` with the decoder that `decoder` makes. Reading fails where far more comes out than such
/// files hold.
pub fn decompress(
    packed: impl Read + Send + 'static,
    decoder: impl FnOnce(Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>>,
) -> io::Result<Box<dyn Read + Send>> {
    let taken = Arc::<AtomicU64>::default();
    let inner = decoder(Box::new(CountingReader { inner: packed, taken: Arc::clone(&taken) }))?;
    Ok(Box::new(LimitedReader { inner, taken, given: 0 }))
}

struct CountingReader<R> {
    inner: R,
    taken: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

struct LimitedReader {
    inner: Box<dyn Read + Send>,
    taken: Arc<AtomicU64>,
    given: u64,
}

impl Read for LimitedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.given += count as u64;
        let taken = self.taken.load(Ordering::Relaxed);
        if self.given > MIN_OUTPUT_LIMIT.max(taken.saturating_mul(MAX_EXPANSION)) {
            let reason = format!(
                "it unpacks to more than {MAX_EXPANSION} times its size, which no file of rows does; unpack it yourself if it is right"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A decoder that gives so many bytes for each that it takes.
    struct Times(Box<dyn Read + Send>, usize);

    impl Read for Times {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = (buffer.len() / self.1).max(1);
            Ok(self.0.read(&mut buffer[..most])? * self.1)
        }
    }

    fn read_bytes(length: u64, times: usize) -> io::Result<u64> {
        let decoder = |packed| Ok(Box::new(Times(packed, times)) as Box<dyn Read + Send>);
        let mut reader = decompress(io::repeat(0).take(length), decoder)?;
        let (mut buffer, mut sum) = (vec![0; 1 << 16], 0);
        loop {
            match reader.read(&mut buffer)? {
                0 => return Ok(sum),
                count => sum += count as u64,
            }
        }
    }

    #[test]
    fn what_is_out_of_proportion_ends_early() {
        assert_eq!(read_bytes(1 << 18, 1_000).unwrap(), 1_000 << 18, "up to 256 MiB anything goes");
        assert_eq!(read_bytes(3 << 20, 150).unwrap(), 150 * (3 << 20));
        let error = read_bytes(64 << 20, 1_000).unwrap_err();
        assert!(error.to_string().contains("200 times"), "{error}");
    }
}
