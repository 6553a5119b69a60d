//! [`CaseLines`]: the cases of a run as JSON lines that every command reads, without results.

use std::io::{self, Write};

use probare_core::{Event, Sink};

use crate::OutputWriter;

/// Writes one case a line.
#[derive(Debug)]
pub struct CaseLines {
    output: OutputWriter,
}

impl CaseLines {
    /// The lines go to `output`.
    pub const fn new(output: OutputWriter) -> Self {
        Self { output }
    }
}

impl Sink for CaseLines {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Scored(result) => {
                serde_json::to_writer(&mut self.output, &result.case)?;
                self.output.write_all(b"\n")
            }
            Event::Finished(finish) => self.output.finish(finish.stop).map(|_| ()),
            _ => Ok(()),
        }
    }
}
