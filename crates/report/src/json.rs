//! [`Json`]: the whole run as one JSON object, written while it goes on.
//!
//! The keys are `probare` (version of the program and of this format), `source`, `metrics`, `results` (one line each),
//! `summary` and `gates`. The summary comes last because it is known last; nothing is held in memory for it.

use std::io::{self, Write};

use probare_core::{Event, MetricInfo, Sink};
use serde::Serialize;

use crate::{Options, Output, Summary, VERSION};

/// Raised when an old reader could misread a new file.
const FORMAT: u32 = 1;

/// Writes one JSON object.
#[derive(Debug)]
pub struct Json {
    output: Output,
    options: Options,
    metrics: Vec<MetricInfo>,
    summary: Summary,
    /// Reused for every piece.
    piece: Vec<u8>,
}

#[derive(Serialize)]
struct About {
    version: &'static str,
    format: u32,
}

impl Json {
    /// The object goes to `output`.
    pub fn new(output: Output, options: Options) -> Self {
        Self { output, options, metrics: Vec::new(), summary: Summary::default(), piece: Vec::new() }
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
        self.summary.event(event)?;
        match event {
            Event::Started { source, metrics } => {
                self.metrics = metrics.to_vec();
                self.write("{\"probare\":", &About { version: VERSION, format: FORMAT })?;
                self.write(",\n\"source\":", source)?;
                self.write(",\n\"metrics\":", metrics)?;
                self.output.write_all(b",\n\"results\":[")
            }
            Event::Scored(result) => {
                self.piece.clear();
                self.piece.extend_from_slice(if self.summary.cases == 1 { b"\n" } else { b",\n" });
                serde_json::to_writer(&mut self.piece, &result.line(&self.metrics))?;
                self.output.write_all(&self.piece)
            }
            Event::Finished(stop) => {
                let summary = std::mem::take(&mut self.summary);
                self.write("\n],\n\"summary\":", &summary)?;
                self.write(",\n\"gates\":", &self.options.gates.verdicts(&summary))?;
                self.output.write_all(b"}\n")?;
                self.output.finish(*stop)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Written, events, hostile, metrics, result};
    use crate::{Gate, Gates};

    use super::*;

    #[test]
    fn the_object_holds_metrics_results_summary_and_gates() {
        let written = Written::default();
        let gates = Gates::new(vec![Gate::fail_under("relevance=0.7").unwrap()]);
        let options = Options { gates, ..Options::default() };
        events(&mut Json::new(written.output(), options), &metrics(), &[result("a", 0.5), hostile()]);
        let json: serde_json::Value = serde_json::from_str(&written.text()).unwrap();
        assert_eq!(json["probare"]["format"], 1);
        assert_eq!(json["metrics"][0]["name"], "relevance");
        assert_eq!(json["results"].as_array().unwrap().len(), 2);
        assert_eq!(json["summary"]["metrics"][0]["mean"], 0.5);
        assert_eq!(json["summary"]["stop"], "complete");
        assert_eq!(json["gates"][0]["passed"], false);
    }

    #[test]
    fn a_run_without_cases_is_valid_too() {
        let written = Written::default();
        events(&mut Json::new(written.output(), Options::default()), &metrics(), &[]);
        let json: serde_json::Value = serde_json::from_str(&written.text()).unwrap();
        assert_eq!(json["results"], serde_json::json!([]));
        assert_eq!(json["summary"]["metrics"][0]["mean"], serde_json::Value::Null);
    }
}
