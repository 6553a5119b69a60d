//! [`MappedFile`]: a file of an index in memory, mapped by the operating system.

use std::path::Path;

use tantivy::Directory;
use tantivy::directory::{MmapDirectory, OwnedBytes};

use crate::RetrievalError;

/// The bytes of a file.
#[derive(Clone)]
pub(super) struct MappedFile(OwnedBytes);

impl MappedFile {
    /// Maps the file of this name and checks that it has all its bytes.
    pub(super) fn open(folder: &Path, name: &str, size: u64) -> Result<Self, RetrievalError> {
        let path = folder.join(name);
        let other = |reason: String| RetrievalError::Damaged { path: path.clone(), reason };
        // The mapping itself is that of the index of words, which is tested wherever tantivy is.
        let directory = MmapDirectory::open(folder).map_err(|error| other(error.to_string()))?;
        let file = directory.open_read(Path::new(name)).map_err(|error| other(error.to_string()))?;
        let bytes = file.read_bytes().map_err(RetrievalError::io("read", &path))?;
        if bytes.len() as u64 != size {
            return Err(other(format!("it has {} bytes and should have {size}", bytes.len())));
        }
        Ok(Self(bytes))
    }

    /// Bytes that are in no file.
    #[cfg(test)]
    pub(super) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(OwnedBytes::new(bytes))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.0.as_slice()
    }

    /// The whole number of four bytes at a place, counted in such numbers.
    pub(super) fn u32(&self, at: usize) -> Option<u32> {
        let bytes = self.bytes().get(at.checked_mul(4)?..at.checked_mul(4)?.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// The whole number of eight bytes at a place, counted in such numbers.
    pub(super) fn u64(&self, at: usize) -> Option<u64> {
        let bytes = self.bytes().get(at.checked_mul(8)?..at.checked_mul(8)?.checked_add(8)?)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }
}
