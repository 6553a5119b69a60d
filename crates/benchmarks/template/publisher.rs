//! What `new_benchmark` publishes.

use std::io::{self, Write};

use probare_core::{Console, Event, Sink, Stop};
use probare_report::{OutputWriter, Summary};

/// Prints the published text when the run ends.
#[derive(Debug)]
pub(super) struct Publisher {
    console: Console,
    summary: Summary,
}

impl Publisher {
    pub(super) fn new(console: Console) -> Self {
        Self { console, summary: Summary::default() }
    }
}

impl Sink for Publisher {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.summary.event(event)?;
        match event {
            Event::Finished(finish) if finish.stop == Stop::Complete && !self.console.quiet => {
                let mut out = OutputWriter::to_stdout();
                writeln!(out, "{} cases", self.summary.cases)?;
                out.finish(finish.stop).map(|_| ())
            }
            _ => Ok(()),
        }
    }
}

impl probare_core::Publisher for Publisher {}
