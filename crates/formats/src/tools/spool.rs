//! [`Spool`]: values that stand in the middle of a document whose head is known last.

use std::io::{self, BufWriter, Seek, Write};

use serde::Serialize;
use tempfile::SpooledTempFile;

use probare_report::OutputWriter;

/// Bytes that are kept in memory; beyond them there is a temporary file.
const IN_MEMORY: usize = 8 << 20;

/// Elements of a JSON list.
pub(super) struct Spool {
    file: BufWriter<SpooledTempFile>,
    count: u64,
}

impl Spool {
    /// Temporary files stand beside the output.
    pub fn new(output: &OutputWriter) -> Self {
        Self { file: BufWriter::new(tempfile::spooled_tempfile_in(IN_MEMORY, output.folder())), count: 0 }
    }

    /// Elements so far.
    pub const fn count(&self) -> u64 {
        self.count
    }

    pub fn add(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.file.write_all(if self.count == 0 { b"\n" } else { b",\n" })?;
        self.count += 1;
        serde_json::to_writer(&mut self.file, value).map_err(io::Error::from)
    }

    /// Writes the list.
    pub fn copy(&mut self, output: &mut impl Write) -> io::Result<()> {
        self.file.flush()?;
        let file = self.file.get_mut();
        file.rewind()?;
        output.write_all(b"[")?;
        io::copy(file, output)?;
        output.write_all(b"\n]")
    }
}
