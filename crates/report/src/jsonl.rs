//! [`Jsonl`]: one result line per case, in input order, as the contract says.

use std::io::{self, Write};

use probare_core::{Event, MetricInfo, Sink};

use crate::Output;

/// Writes `{"id":…,"scores":{…}}`, one line a case.
#[derive(Debug)]
pub struct Jsonl {
    output: Output,
    metrics: Vec<MetricInfo>,
    /// Reused for every line.
    line: Vec<u8>,
}

impl Jsonl {
    /// Lines go to `output`.
    pub const fn new(output: Output) -> Self {
        Self { output, metrics: Vec::new(), line: Vec::new() }
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
                self.line.clear();
                serde_json::to_writer(&mut self.line, &result.line(&self.metrics))?;
                self.line.push(b'\n');
                self.output.write_all(&self.line)
            }
            Event::Finished(stop) => self.output.finish(*stop),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Written, events, hostile, metrics, result};

    use super::*;

    #[test]
    fn one_line_a_case_whatever_it_says() {
        let written = Written::default();
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
