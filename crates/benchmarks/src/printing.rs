//! What benchmarks print: texts for readers to standard output, remarks to standard error.

use std::io::{self, Write as _};

use probare_core::Stop;
use probare_report::{OutputWriter, escape};

/// Columns that sentences are printed in: the least that a terminal has.
pub(crate) const PRINTED: usize = 80;

/// Prints to standard output. A reader that closed the pipe has seen enough: that is no error.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut output = OutputWriter::to_stdout();
    output.write_all(text.as_bytes())?;
    output.finish(Stop::Complete).map(|_| ())
}

/// Prints a remark to standard error as one line, escaped; nothing can be done if even that fails.
pub(crate) fn remark(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escape::terminal(text));
}
