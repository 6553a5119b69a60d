//! The little language in which a model is written to disk: variable-length numbers and strings.

use crate::ModelFileError;

/// Appends to a byte buffer. Only learning writes models.
#[derive(Debug, Default)]
pub struct ByteWriter {
    bytes: Vec<u8>,
}

impl ByteWriter {
    /// Seven bits a byte, least significant first; the high bit says that more follow.
    pub fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push((value & 0x7F) as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push((value & 0x7F) as u8);
    }

    /// A length or an index.
    pub fn count(&mut self, value: usize) {
        self.number(value as u64);
    }

    /// A length and that many bytes.
    pub fn string(&mut self, text: &str) {
        self.count(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Raw bytes, as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// What was written.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads what [`ByteWriter`] wrote, refusing what it cannot have written.
#[derive(Debug)]
pub struct ByteReader<'b> {
    rest: &'b [u8],
}

impl<'b> ByteReader<'b> {
    /// Starts at the first byte.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next `length` bytes.
    pub fn raw(&mut self, length: usize) -> Result<&'b [u8], ModelFileError> {
        let (head, rest) = self.rest.split_at_checked(length).ok_or(ModelFileError::Truncated)?;
        self.rest = rest;
        Ok(head)
    }

    /// All bytes that have not been read.
    pub fn rest(&self) -> &'b [u8] {
        self.rest
    }

    /// See [`ByteWriter::number`].
    #[inline]
    pub fn number(&mut self) -> Result<u64, ModelFileError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first().ok_or(ModelFileError::Truncated)?;
            self.rest = rest;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ModelFileError::NumberTooLarge)
    }

    /// A number that fits 32 bits.
    #[inline]
    pub fn small(&mut self) -> Result<u32, ModelFileError> {
        u32::try_from(self.number()?).map_err(|_| ModelFileError::NumberTooLarge)
    }

    /// A length. Every counted thing takes at least one byte, so a length beyond the rest of the file is refused
    /// before memory is reserved for it.
    pub fn count(&mut self) -> Result<usize, ModelFileError> {
        let count = usize::try_from(self.number()?).map_err(|_| ModelFileError::NumberTooLarge)?;
        if count > self.rest.len() { Err(ModelFileError::Truncated) } else { Ok(count) }
    }

    /// See [`ByteWriter::string`].
    pub fn string(&mut self) -> Result<&'b str, ModelFileError> {
        let length = self.count()?;
        std::str::from_utf8(self.raw(length)?)
            .map_err(|_| ModelFileError::Damaged("a name in the model is not text".to_owned()))
    }

    /// Fails unless everything was read.
    pub fn end(&self) -> Result<(), ModelFileError> {
        match self.rest.len() {
            0 => Ok(()),
            count => Err(ModelFileError::Damaged(format!("{count} bytes follow the end of the model"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut writer = ByteWriter::default();
        writer.number(u64::MAX);
        writer.string("née");
        let bytes = writer.finish();
        let mut reader = ByteReader::new(&bytes);
        assert_eq!(reader.number().unwrap(), u64::MAX);
        assert_eq!(reader.string().unwrap(), "née");
        reader.end().unwrap();
    }

    #[test]
    fn a_length_beyond_the_end_is_refused() {
        assert!(matches!(ByteReader::new(&[0x7F, 1]).count(), Err(ModelFileError::Truncated)));
    }

    #[test]
    fn an_endless_number_is_refused() {
        assert!(matches!(ByteReader::new(&[0xFF; 12]).number(), Err(ModelFileError::NumberTooLarge)));
    }
}
