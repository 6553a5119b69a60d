//! [`Pipe`]: a stream whose reader may leave. That ends the printing and nothing else.

use std::io::{self, ErrorKind, Write};

/// Passes bytes on until the reader is gone; then they vanish.
pub(super) struct Pipe<W> {
    inner: W,
    is_closed: bool,
}

impl<W> Pipe<W> {
    pub(super) const fn new(inner: W) -> Self {
        Self { inner, is_closed: false }
    }
}

/// Whether nobody reads any more: the pipe was closed, or the descriptor was closed before we started.
fn is_gone(error: &io::Error) -> bool {
    // 9 is EBADF, what writing to a closed standard output gives.
    error.kind() == ErrorKind::BrokenPipe || error.raw_os_error() == Some(9)
}

impl<W: Write> Write for Pipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_closed {
            return Ok(bytes.len());
        }
        match self.inner.write(bytes) {
            Err(error) if is_gone(&error) => {
                self.is_closed = true;
                Ok(bytes.len())
            }
            other => other,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_closed {
            return Ok(());
        }
        match self.inner.flush() {
            Err(error) if is_gone(&error) => {
                self.is_closed = true;
                Ok(())
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Leaves(usize);

    impl Write for Leaves {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(ErrorKind::BrokenPipe.into());
            }
            self.0 -= 1;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(ErrorKind::BrokenPipe.into())
        }
    }

    #[test]
    fn a_reader_that_leaves_is_no_error() {
        let mut pipe = Pipe::new(Leaves(1));
        for _ in 0..3 {
            pipe.write_all(b"line\n").unwrap();
        }
        pipe.flush().unwrap();
        assert!(pipe.is_closed);
    }
}
