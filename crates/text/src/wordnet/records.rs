//! Numbered records of different length, grouped in blocks so that few offsets are kept.

use super::reader::VarintReader;

/// Records in blocks of `per_block`. Finding one means going to its block and passing over those before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Records<'a> {
    /// Where each block begins in `bytes`: four bytes each, least first.
    pub(super) offsets: &'a [u8],
    /// The blocks, one after the other.
    pub(super) bytes: &'a [u8],
    /// How many records a full block has.
    pub(super) per_block: u32,
}

impl<'a> Records<'a> {
    /// A reader at the block that holds record `number`, and how many records stand before it there.
    pub(super) fn block_of(&self, number: u32) -> Option<(VarintReader<'a>, u32)> {
        let block = usize::try_from(number / self.per_block).ok()?;
        Some((self.block(block)?, number % self.per_block))
    }

    /// A reader at a block.
    pub(super) fn block(&self, block: usize) -> Option<VarintReader<'a>> {
        let start = u32::from_le_bytes(*self.offsets.as_chunks().0.get(block)?);
        Some(VarintReader::new(self.bytes.get(usize::try_from(start).ok()?..)?))
    }
}

/// Writes records in blocks.
#[derive(Debug)]
pub(super) struct RecordWriter {
    per_block: u32,
    written: u32,
    pub(super) offsets: Vec<u8>,
    pub(super) bytes: Vec<u8>,
}

impl RecordWriter {
    /// A writer of blocks with `per_block` records each.
    pub(super) fn new(per_block: u32) -> Self {
        Self { per_block, written: 0, offsets: Vec::new(), bytes: Vec::new() }
    }

    /// Begins the next record and says whether it opens a block. Its bytes are then pushed to [`Self::bytes`].
    pub(super) fn begin(&mut self) -> bool {
        let opens_block = self.written.is_multiple_of(self.per_block);
        if opens_block {
            let start = u32::try_from(self.bytes.len()).expect("a table stays far below four gigabytes");
            self.offsets.extend(start.to_le_bytes());
        }
        self.written += 1;
        opens_block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_through_their_block() {
        let mut writer = RecordWriter::new(4);
        for value in 0..10 {
            assert_eq!(writer.begin(), value % 4 == 0);
            writer.bytes.push(value);
        }
        let records = Records { offsets: &writer.offsets, bytes: &writer.bytes, per_block: 4 };
        assert_eq!(writer.offsets.len(), 3 * 4);
        for value in 0..10 {
            let (mut reader, before) = records.block_of(u32::from(value)).unwrap();
            reader.skip_numbers(before).unwrap();
            assert_eq!(reader.byte(), Some(value));
        }
        assert!(records.block_of(12).is_none());
    }
}
