//! [`Data`]: the cases of a page on their way into it, in memory that does not grow.
//!
//! They become JSON inside `<script>` elements that no browser runs: parts of the index (`class="index"`) and of the
//! records (`id="d0"`, `d1`, …). Both wait in temporary files until the head of the page is known.

use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use tempfile::SpooledTempFile;

use super::record::Entry;
use crate::escape::script_json;

/// Bytes that are kept in memory before they go to a temporary file.
const IN_MEMORY: usize = 1 << 20;

/// Records of one part, and its bytes from which on the next part starts. A part is read as a whole, so it is small: the
/// worst cases of a run are scattered over all parts.
const RECORDS: usize = 25;
const RECORD_BYTES: usize = 1 << 20;

/// Entries of one part of the index.
const ENTRIES: usize = 2_000;

/// Cases on a page, and bytes of their records: what a browser still opens with ease.
const MOST_CASES: u64 = 100_000;
const MOST_BYTES: u64 = 192 << 20;

/// The cases of a page.
#[derive(Debug)]
pub(super) struct Data {
    index: Parts,
    records: Parts,
    /// Number of the part of the records that is being written.
    part: usize,
    cases: u64,
    bytes: u64,
}

/// Elements of which the last is open.
#[derive(Debug)]
struct Parts {
    spool: BufWriter<SpooledTempFile>,
    items: usize,
    bytes: usize,
}

impl Parts {
    fn new(folder: &Path) -> Self {
        Self { spool: BufWriter::new(tempfile::spooled_tempfile_in(IN_MEMORY, folder)), items: 0, bytes: 0 }
    }

    fn add(&mut self, open: &str, json: &str) -> io::Result<()> {
        let json = script_json(json);
        self.spool.write_all(if self.items == 0 { open.as_bytes() } else { b",\n" })?;
        self.items += 1;
        self.bytes += json.len();
        self.spool.write_all(json.as_bytes())
    }

    fn close(&mut self) -> io::Result<()> {
        if self.items > 0 {
            self.spool.write_all(b"]</script>\n")?;
        }
        (self.items, self.bytes) = (0, 0);
        Ok(())
    }

    fn copy(&mut self, page: &mut impl Write) -> io::Result<()> {
        self.close()?;
        self.spool.flush()?;
        let spool = self.spool.get_mut();
        spool.rewind()?;
        io::copy(spool, page).map(|_| ())
    }
}

impl Data {
    /// Temporary files stand in this folder.
    pub(super) fn new(folder: &Path) -> Self {
        Self { index: Parts::new(folder), records: Parts::new(folder), part: 0, cases: 0, bytes: 0 }
    }

    /// Cases that it holds.
    pub(super) const fn cases(&self) -> u64 {
        self.cases
    }

    /// Whether there is room for cases in the order in which they come.
    pub(super) const fn has_room(&self) -> bool {
        self.cases < MOST_CASES && self.bytes < MOST_BYTES
    }

    /// Adds a case.
    pub(super) fn add(&mut self, mut entry: Entry, record: &str) -> io::Result<()> {
        (entry.c, entry.p) = (self.part, self.records.items);
        self.records.add(&format!("<script type=\"application/json\" id=\"d{}\">[", self.part), record)?;
        self.index.add("<script type=\"application/json\" class=\"index\">[", &serde_json::to_string(&entry)?)?;
        self.cases += 1;
        self.bytes += record.len() as u64;
        if self.records.items >= RECORDS || self.records.bytes >= RECORD_BYTES {
            self.records.close()?;
            self.part += 1;
        }
        if self.index.items >= ENTRIES {
            self.index.close()?;
        }
        Ok(())
    }

    /// Writes the elements of the index.
    pub(super) fn copy_index(&mut self, page: &mut impl Write) -> io::Result<()> {
        self.index.copy(page)
    }

    /// Writes the elements of the records.
    pub(super) fn copy_records(&mut self, page: &mut impl Write) -> io::Result<()> {
        self.records.copy(page)
    }
}
