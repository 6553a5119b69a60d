//! The layout of the table as bytes: what its header says and where its sections lie.
//!
//! ```text
//! 0   8 bytes   "PRBWNET" and the version of the format
//! 8   8 bytes   checksum of all that follows (FNV-1a, 64 bits, least byte first)
//! 16  3 numbers how many lemmas, synsets and exceptions there are (four bytes each, least first)
//! 28  13 numbers lengths of the sections
//! 80  the sections: two for each `List`, the heads of the two lists of names, the strings of `symbols.rs`
//! ```
//!
//! Lemmas are numbered in byte order, synsets by their first word, so that neighbours in one list mostly point to
//! neighbours in the other and a reference takes one byte instead of three.

use std::borrow::Cow;
use std::ops::Range;

use super::dictionary::{Dictionary, ENTRIES_PER_BLOCK, HEAD};
use super::records::{RecordWriter, Records};
use super::symbols::Symbols;

/// First bytes of a table; the last one is the version of the format.
const MAGIC: &[u8; 8] = b"PRBWNET\x02";
/// Where the checksum ends and what it covers begins.
const CHECKED_FROM: usize = 16;
/// How many sections there are: two for each list, then three more.
const SECTIONS: usize = 13;
/// The section with the heads of the lemmas.
const LEMMA_HEADS: usize = 10;
/// The section with the heads of the exceptions.
const EXCEPTION_HEADS: usize = 11;
/// The section with the strings that single bytes stand for.
const SYMBOLS: usize = 12;
/// Where the sections begin: magic, checksum, three counts, the lengths of the sections.
const SECTIONS_FROM: usize = CHECKED_FROM + 3 * 4 + SECTIONS * 4;
/// Lemma records in a block, the same as names, so that both belong to the same lemmas.
pub(super) const LEMMAS_PER_BLOCK: u32 = ENTRIES_PER_BLOCK;
/// Synset records in a block. They are longer than lemmas, hence fewer.
pub(super) const SYNSETS_PER_BLOCK: u32 = 8;

/// Why bytes are not a table of WordNet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TableError(String);

impl TableError {
    /// The header announces another length than the bytes have.
    fn length(announced: usize, found: usize) -> Self {
        Self(format!("the WordNet table has {found} bytes where its header says {announced}"))
    }

    /// The sections do not have the size that the counts ask for.
    fn header() -> Self {
        Self("the header of the WordNet table contradicts itself".to_owned())
    }
}

/// The five lists of a table. Each has two sections: the offsets of its blocks, then the blocks.
#[derive(Debug, Clone, Copy)]
enum List {
    LemmaNames,
    Lemmas,
    Synsets,
    ExceptionNames,
    Exceptions,
}

/// A table whose header is consistent. The entries are read with care whenever they are used.
#[derive(Debug, Clone)]
pub(super) struct WordNetTable {
    bytes: Cow<'static, [u8]>,
    sections: [Range<usize>; SECTIONS],
    pub(super) lemma_count: u32,
    pub(super) synset_count: u32,
    exception_count: u32,
}

impl WordNetTable {
    /// Reads the header. The checksum is left to [`check`](Self::check).
    pub(super) fn open(bytes: Cow<'static, [u8]>) -> Result<Self, TableError> {
        if !bytes.starts_with(MAGIC) {
            return Err(TableError("these bytes are no WordNet table of this version".to_owned()));
        }
        let numbers =
            bytes.get(CHECKED_FROM..SECTIONS_FROM).ok_or_else(|| TableError::length(SECTIONS_FROM, bytes.len()))?;
        let number = |place: usize| {
            let at = place * 4;
            u32::from_le_bytes([numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]])
        };
        let mut end = SECTIONS_FROM;
        let sections = std::array::from_fn(|section| {
            let start = end;
            end = end.saturating_add(number(3 + section) as usize);
            start..end
        });
        if end != bytes.len() {
            return Err(TableError::length(end, bytes.len()));
        }
        let table =
            Self { sections, lemma_count: number(0), synset_count: number(1), exception_count: number(2), bytes };
        for (list, count) in [
            (List::LemmaNames, table.lemma_count),
            (List::Lemmas, table.lemma_count),
            (List::Synsets, table.synset_count),
            (List::ExceptionNames, table.exception_count),
            (List::Exceptions, table.exception_count),
        ] {
            let records = table.records(list);
            if records.offsets.len() as u64 != u64::from(count.div_ceil(records.per_block)) * 4 {
                return Err(TableError::header());
            }
        }
        for (heads, list) in [(LEMMA_HEADS, List::LemmaNames), (EXCEPTION_HEADS, List::ExceptionNames)] {
            if table.section(heads).len() / HEAD != table.records(list).offsets.len() / 4 {
                return Err(TableError::header());
            }
        }
        Ok(table)
    }

    /// Compares the checksum with the bytes.
    pub(super) fn check(&self) -> Result<(), TableError> {
        let written = &self.bytes[MAGIC.len()..CHECKED_FROM];
        if written == checksum(&self.bytes[CHECKED_FROM..]).to_le_bytes() {
            Ok(())
        } else {
            Err(TableError("the WordNet table is damaged: its checksum does not agree".to_owned()))
        }
    }

    pub(super) fn lemma_names(&self) -> Dictionary<'_> {
        self.dictionary(List::LemmaNames, LEMMA_HEADS, self.lemma_count)
    }

    /// What is known of each lemma.
    pub(super) fn lemmas(&self) -> Records<'_> {
        self.records(List::Lemmas)
    }

    /// What is known of each synset.
    pub(super) fn synsets(&self) -> Records<'_> {
        self.records(List::Synsets)
    }

    /// The inflected forms that the exception lists name.
    pub(super) fn exception_names(&self) -> Dictionary<'_> {
        self.dictionary(List::ExceptionNames, EXCEPTION_HEADS, self.exception_count)
    }

    /// The base forms of each exception.
    pub(super) fn exceptions(&self) -> Records<'_> {
        self.records(List::Exceptions)
    }

    fn dictionary(&self, list: List, heads: usize, count: u32) -> Dictionary<'_> {
        let symbols = Symbols { slots: self.section(SYMBOLS) };
        Dictionary { entries: self.records(list), count, heads: self.section(heads), symbols }
    }

    fn records(&self, list: List) -> Records<'_> {
        let at = list as usize * 2;
        let per_block = match list {
            List::Synsets => SYNSETS_PER_BLOCK,
            _ => LEMMAS_PER_BLOCK,
        };
        Records { offsets: self.section(at), bytes: self.section(at + 1), per_block }
    }

    fn section(&self, number: usize) -> &[u8] {
        &self.bytes[self.sections[number].clone()]
    }
}

/// What a builder has written, in the order of the sections.
pub(super) struct TableParts {
    pub(super) lemma_count: u32,
    pub(super) synset_count: u32,
    pub(super) exception_count: u32,
    pub(super) lemma_names: RecordWriter,
    pub(super) lemmas: RecordWriter,
    pub(super) synsets: RecordWriter,
    pub(super) exception_names: RecordWriter,
    pub(super) exceptions: RecordWriter,
    pub(super) lemma_heads: Vec<u8>,
    pub(super) exception_heads: Vec<u8>,
    pub(super) symbols: Vec<u8>,
}

/// Puts header and sections together.
pub(super) fn assemble(parts: &TableParts) -> Vec<u8> {
    let sections = [&parts.lemma_names, &parts.lemmas, &parts.synsets, &parts.exception_names, &parts.exceptions];
    let sections = sections.iter().flat_map(|writer| [&writer.offsets, &writer.bytes]).chain([
        &parts.lemma_heads,
        &parts.exception_heads,
        &parts.symbols,
    ]);
    let mut checked = Vec::new();
    for count in [parts.lemma_count, parts.synset_count, parts.exception_count] {
        checked.extend(count.to_le_bytes());
    }
    for section in sections.clone() {
        let length = u32::try_from(section.len()).expect("a table stays far below four gigabytes");
        checked.extend(length.to_le_bytes());
    }
    for section in sections {
        checked.extend_from_slice(section);
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(checksum(&checked).to_le_bytes());
    bytes.append(&mut checked);
    bytes
}

/// The 64-bit FNV-1a hash. Each step can be undone, so that a single changed byte never goes unnoticed.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_fnv_1a() {
        // The two test values of the FNV authors.
        assert_eq!(checksum(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn a_short_or_foreign_file_is_named_as_such() {
        let open = |bytes: &'static [u8]| WordNetTable::open(Cow::Borrowed(bytes)).unwrap_err();
        assert!(open(b"").to_string().contains("no WordNet table"));
        assert!(open(b"PRBWNET\x01 of another version").to_string().contains("no WordNet table"));
        assert_eq!(open(b"PRBWNET\x02 and too short"), TableError::length(80, 22));
    }
}
