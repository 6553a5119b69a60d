//! [`Json`]: the whole run as one JSON object, written while it goes on.
//!
//! Its keys are those of the manifest, and `source` and `results` (one line each). What is known last comes last; nothing is
//! held in memory for it.

use std::io::{self, Write};

use probare_core::{Event, FORMAT, MetricInfo, ProgramVersion, Sink};
use serde::Serialize;
use serde_json::Value;

use crate::{OutputWriter, VERSION, manifest};

/// Writes one JSON object.
#[derive(Debug)]
pub struct Json {
    output: OutputWriter,
    metrics: Vec<MetricInfo>,
    cases: u64,
    /// Reused for every piece.
    piece: Vec<u8>,
}

impl Json {
    /// The object goes to `output`.
    pub const fn new(output: OutputWriter) -> Self {
        Self { output, metrics: Vec::new(), cases: 0, piece: Vec::new() }
    }

    fn write(&mut self, before: &str, value: &impl Serialize) -> io::Result<()> {
        self.piece.clear();
        self.piece.extend_from_slice(before.as_bytes());
        serde_json::to_writer(&mut self.piece, value)?;
        self.output.write_all(&self.piece)
    }
}

impl Sink for Json {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { source, metrics, .. } => {
                self.metrics = metrics.to_vec();
                self.write("{\"probare\":", &ProgramVersion { version: VERSION.to_owned(), format: FORMAT })?;
                self.write(",\n\"source\":", source)?;
                self.write(",\n\"metrics\":", metrics)?;
                self.output.write_all(b",\n\"results\":[")
            }
            Event::Scored(result) => {
                self.cases += 1;
                self.output.write_all(if self.cases == 1 { b"\n" } else { b",\n" })?;
                self.output.write_all(result.line_text(&self.metrics).as_bytes())
            }
            Event::Finished(finish) => {
                self.output.write_all(b"\n]")?;
                let known = ["probare", "metrics"];
                if let Value::Object(rest) = serde_json::to_value(manifest::with_seal(finish.manifest.clone()))? {
                    for (name, value) in rest.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
                        self.write(&format!(",\n\"{name}\":"), value)?;
                    }
                }
                self.output.write_all(b"}\n")?;
                self.output.finish(finish.stop).map(|_| ())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{MemoryOutput, events, hostile, metrics, result};

    #[test]
    fn the_object_holds_results_and_the_manifest() {
        let written = MemoryOutput::default();
        events(&mut Json::new(written.output()), &metrics(), &[result("a", 0.5), hostile()]);
        let json: Value = serde_json::from_str(&written.text()).unwrap();
        assert_eq!(json["probare"]["format"], FORMAT);
        assert_eq!(json["metrics"][0]["name"], "relevance");
        assert_eq!(json["results"].as_array().unwrap().len(), 2);
        assert_eq!(json["stop"], "complete");
    }

    #[test]
    fn a_run_without_cases_is_valid_too() {
        let written = MemoryOutput::default();
        events(&mut Json::new(written.output()), &metrics(), &[]);
        let json: Value = serde_json::from_str(&written.text()).unwrap();
        assert_eq!(json["results"], serde_json::json!([]));
    }
}
