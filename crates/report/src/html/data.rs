//! [`PageCases`]: the cases of a page on their way into it, in memory that does not grow.
//!
//! The index becomes JSON inside `<script>` elements that no browser runs (`class="index"`), since it is read at once. The
//! records, which are looked into one by one, become comments with a record on each line: of all that may stand in a page
//! a browser passes over them fastest. Both wait in temporary files until the head of the page is known.

use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use tempfile::SpooledTempFile;

use super::record::IndexItem;
use crate::escape::script_json;

/// Bytes that are kept in memory before they go to a temporary file.
const IN_MEMORY: usize = 1 << 20;

/// Records of one part, and its bytes from which on the next part starts. A part is cut into lines as a whole, so it is
/// small: the worst cases of a run are scattered over all parts.
const RECORDS: usize = 25;
const RECORD_BYTES: usize = 1 << 20;

/// Entries of one part of the index.
const ENTRIES: usize = 2_000;

/// Cases on a page, and bytes of their records: what a browser still opens with ease.
const MOST_CASES: u64 = 100_000;
const MOST_BYTES: u64 = 192 << 20;

/// The cases of a page.
#[derive(Debug)]
pub(super) struct PageCases {
    index: Parts,
    records: Parts,
    /// Number of the part of the records that is being written.
    part: usize,
    cases: u64,
    bytes: u64,
}

/// How the parts of a kind are written. The items are JSON without `<`, `>` and line breaks, so nothing ends a part early.
#[derive(Debug)]
struct Form {
    open: &'static str,
    between: &'static str,
    close: &'static str,
}

const INDEX: Form =
    Form { open: "<script type=\"application/json\" class=\"index\">[", between: ",\n", close: "]</script>\n" };
const RECORDS_FORM: Form = Form { open: "<!--\n", between: "\n", close: "\n-->\n" };

/// Parts of which the last is open.
#[derive(Debug)]
struct Parts {
    form: Form,
    spool: BufWriter<SpooledTempFile>,
    items: usize,
    bytes: usize,
}

impl Parts {
    fn new(form: Form, folder: &Path) -> Self {
        Self { form, spool: BufWriter::new(tempfile::spooled_tempfile_in(IN_MEMORY, folder)), items: 0, bytes: 0 }
    }

    fn add(&mut self, json: &str) -> io::Result<()> {
        let json = script_json(json);
        let before = if self.items == 0 { self.form.open } else { self.form.between };
        self.spool.write_all(before.as_bytes())?;
        self.items += 1;
        self.bytes += json.len();
        self.spool.write_all(json.as_bytes())
    }

    fn close(&mut self) -> io::Result<()> {
        if self.items > 0 {
            self.spool.write_all(self.form.close.as_bytes())?;
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

impl PageCases {
    /// Temporary files stand in this folder.
    pub(super) fn new(folder: &Path) -> Self {
        Self {
            index: Parts::new(INDEX, folder),
            records: Parts::new(RECORDS_FORM, folder),
            part: 0,
            cases: 0,
            bytes: 0,
        }
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
    pub(super) fn add(&mut self, mut item: IndexItem, record: &str) -> io::Result<()> {
        (item.part, item.line) = (self.part, self.records.items);
        self.records.add(record)?;
        self.index.add(&serde_json::to_string(&item)?)?;
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

    /// Writes the index.
    pub(super) fn copy_index(&mut self, page: &mut impl Write) -> io::Result<()> {
        self.index.copy(page)
    }

    /// Writes the records.
    pub(super) fn copy_records(&mut self, page: &mut impl Write) -> io::Result<()> {
        self.records.copy(page)
    }
}
