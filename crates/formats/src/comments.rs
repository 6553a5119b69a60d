//! [`Uncommented`]: JSON in which people left remarks behind `//`, read as if these were blank.

use std::io::{self, Read};

/// Bytes that are taken at a time.
const STEP: usize = 8192;

/// Reads on with every `//` remark, up to the end of its line, replaced by spaces: what stands behind it keeps its line and
/// column. Inside strings nothing is a remark.
pub(crate) struct Uncommented<R> {
    inner: R,
    at: ScanState,
    /// What was read and not yet handed on, from `next` on.
    ready: Vec<u8>,
    next: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScanState {
    Plain,
    /// Behind a slash, which is not handed on before the next byte decides what it is.
    Slash,
    Text,
    /// Behind a backslash in a text.
    Escaped,
    Remark,
}

impl<R> Uncommented<R> {
    pub(crate) const fn new(inner: R) -> Self {
        Self { inner, at: ScanState::Plain, ready: Vec::new(), next: 0 }
    }

    fn take(&mut self, byte: u8) {
        if self.at == ScanState::Slash && byte != b'/' {
            self.ready.push(b'/');
            self.at = ScanState::Plain;
        }
        self.at = match (self.at, byte) {
            (ScanState::Plain, b'/') => {
                self.at = ScanState::Slash;
                return;
            }
            (ScanState::Slash, _) => {
                self.ready.push(b' ');
                ScanState::Remark
            }
            (ScanState::Plain, b'"') | (ScanState::Escaped, _) => ScanState::Text,
            (ScanState::Text, b'"') | (ScanState::Remark, b'\n') => ScanState::Plain,
            (ScanState::Text, b'\\') => ScanState::Escaped,
            (now, _) => now,
        };
        self.ready.push(if self.at == ScanState::Remark { b' ' } else { byte });
    }
}

impl<R: Read> Read for Uncommented<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.next == self.ready.len() {
            self.next = 0;
            self.ready.clear();
            let mut given = [0; STEP];
            let count = self.inner.read(&mut given)?;
            given[..count].iter().for_each(|byte| self.take(*byte));
            if count == 0 {
                if self.at != ScanState::Slash {
                    return Ok(0);
                }
                self.at = ScanState::Plain;
                self.ready.push(b'/');
            }
        }
        let count = buffer.len().min(self.ready.len() - self.next);
        buffer[..count].copy_from_slice(&self.ready[self.next..self.next + count]);
        self.next += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out a few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(buffer.len()).min(self.0.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn remarks_are_blank_and_everything_else_stays_in_its_place() {
        for (text, expected) in [
            ("[1, // one\n 2]", "[1,       \n 2]"),
            ("{\"a\": \"http://x\"} // b", "{\"a\": \"http://x\"}     "),
            ("{\"a\\\"//\": 1}//", "{\"a\\\"//\": 1}  "),
            ("1 / 2 /", "1 / 2 /"),
            ("// \"\n[]", "    \n[]"),
            ("", ""),
        ] {
            for step in [1, 2, 3, 100] {
                let mut read = String::new();
                Uncommented::new(Slow(text.as_bytes(), step)).read_to_string(&mut read).unwrap();
                assert_eq!(read, expected, "{text} in steps of {step}");
            }
        }
    }
}
