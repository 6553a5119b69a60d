//! [`Jsonl`]: one result line per case, in input order, as the contract says.

use std::io::{self, Write};

use probare_core::{Event, MetricInfo, Sink};

use crate::{OutputWriter, manifest};

/// Writes `{"id":…,"scores":{…}}`, one line a case.
#[derive(Debug)]
pub struct Jsonl {
    output: OutputWriter,
    metrics: Vec<MetricInfo>,
}

impl Jsonl {
    /// Lines go to `output`.
    pub fn new(output: OutputWriter) -> Self {
        // The lines are the file, and the manifest has their digest.
        Self { output: output.without_digest(), metrics: Vec::new() }
    }
}

impl Sink for Jsonl {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, .. } => {
                self.metrics = metrics.to_vec();
                Ok(())
            }
            Event::Scored(result) => {
                self.output.write_all(result.line_text(&self.metrics).as_bytes())?;
                self.output.write_all(b"\n")
            }
            Event::Finished(finish) => manifest::finish(&mut self.output, finish),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{MemoryOutput, events, hostile, metrics, result};

    use super::*;

    #[test]
    fn one_line_a_case_whatever_it_says() {
        let written = MemoryOutput::default();
        events(&mut Jsonl::new(written.output()), &metrics(), &[result("a", 0.5), hostile()]);
        let text = written.text();
        assert_eq!(text.lines().count(), 2);
        for line in text.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["scores"]["relevance"]["value"], 0.5);
        }
        assert!(text.starts_with(r#"{"id":"a","scores":{"relevance":{"value":0.5,"#));
        assert!(!text.contains('\u{1b}'));
    }
}
