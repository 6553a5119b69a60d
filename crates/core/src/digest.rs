//! [`Sha256`]: the digest by which files, result lines, prompts and requests are known; [`hex`]: how bytes are written.

use std::fmt;
use std::io::{self, Write};

use ring::digest::{Context, SHA256};
use serde::{Deserialize, Serialize};

/// A finished file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileDigest {
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// How many bytes.
    pub bytes: u64,
}

/// Bytes in lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]).collect()
}

/// SHA-256 of bytes that come in pieces.
///
/// Computed by `ring`, which TLS brings along: on a processor without instructions for it that is nearly twice as fast as
/// portable code, and every byte of an input goes through it.
#[derive(Clone)]
pub struct Sha256 {
    state: Context,
    bytes: u64,
}

impl Default for Sha256 {
    fn default() -> Self {
        Self { state: Context::new(&SHA256), bytes: 0 }
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sha256").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl Sha256 {
    /// The digest of these bytes, in lower-case hexadecimal digits.
    pub fn hex_digest(bytes: impl AsRef<[u8]>) -> String {
        let mut digest = Self::default();
        digest.update(bytes);
        digest.hex()
    }

    /// Takes in further bytes.
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.state.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// How many bytes were taken in.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What was taken in, as a file that holds it is known.
    pub fn file_digest(&self) -> FileDigest {
        FileDigest { sha256: self.hex(), bytes: self.bytes }
    }

    /// The digest of what was taken in so far.
    pub fn digest(&self) -> [u8; 32] {
        let mut digest = [0; 32];
        digest.copy_from_slice(self.state.clone().finish().as_ref());
        digest
    }

    /// The digest of what was taken in so far, in lower-case hexadecimal digits.
    pub fn hex(&self) -> String {
        hex(&self.digest())
    }
}

/// Keeps nothing but the digest of what is written.
impl Write for Sha256 {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_give_the_digest_of_the_whole() {
        // The examples of the standard, FIPS 180-4.
        assert_eq!(Sha256::hex_digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        let mut digest = Sha256::default();
        digest.update("a");
        assert_eq!(digest.hex(), Sha256::hex_digest("a"), "asking does not end it");
        digest.update("bc");
        assert_eq!(digest.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(digest.bytes(), 3);
    }
}
