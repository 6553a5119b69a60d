//! Scores for those who keep traces: `gen_ai.evaluation.result` as log records of OTLP/JSON, or annotations of OpenInference.
//!
//! Each score stands at the span that was judged, with the time of its end, so that the same results give the same bytes.

use std::io::{self, Write};

use probare_core::{CaseResult, Event, Evidence, MetricInfo, MetricResult, Outcome, Sink, Stop};
use probare_report::{OutputWriter, VERSION};
use serde_json::{Map, Value as Json, json};

use crate::tools::export::ExportMetadata;

/// The event of the conventions.
const EVENT: &str = "gen_ai.evaluation.result";

/// Pieces of evidence that an explanation has at most, and its bytes.
const PIECES: usize = 3;
const BYTES: usize = 1024;

/// What stands behind what was cut.
const MORE: &str = "…";

/// In whose words scores are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tools) enum ScoreConvention {
    /// Those of the GenAI conventions.
    OpenTelemetry,
    /// Those of OpenInference.
    OpenInference,
}

/// Writes scores.
pub(in crate::tools) struct Otel {
    output: OutputWriter,
    about: ExportMetadata,
    words: ScoreConvention,
    metrics: Vec<MetricInfo>,
}

/// What a metric says of a case.
struct EvaluationResult<'a> {
    metric: &'a MetricInfo,
    value: Option<f64>,
    label: Option<String>,
    explanation: Option<String>,
    error: Option<&'static str>,
}

impl Otel {
    pub fn new(output: OutputWriter, about: ExportMetadata, words: ScoreConvention) -> Self {
        Self { output, about, words, metrics: Vec::new() }
    }

    /// What is written of a result; nothing where it does not apply and was not asked for.
    fn evaluation_result<'a>(&self, metric: &'a MetricInfo, named: &MetricResult) -> Option<EvaluationResult<'a>> {
        let told = EvaluationResult { metric, value: None, label: None, explanation: None, error: None };
        Some(match named {
            Ok(outcome @ (Outcome::Scored(_) | Outcome::Labelled(_))) => EvaluationResult {
                value: outcome.score().map(|score| score.value.get()),
                label: outcome.label().map(str::to_owned),
                explanation: explanation(outcome.evidence()),
                ..told
            },
            Ok(Outcome::NotApplicable { reason }) => {
                if !self.about.all {
                    return None;
                }
                EvaluationResult { label: Some("not_applicable".to_owned()), explanation: Some(cut(reason)), ..told }
            }
            Err(error) => EvaluationResult {
                error: Some(error.kind().name()),
                explanation: Some(cut(&error.to_string())),
                ..told
            },
        })
    }

    fn write_scores(&mut self, result: &CaseResult) -> io::Result<()> {
        let Some(trace) = result.case.metadata.get("trace") else { return Ok(()) };
        let mut lines = Vec::new();
        for (metric, named) in self.metrics.iter().zip(&result.results) {
            let Some(told) = self.evaluation_result(metric, named) else { continue };
            // What was done is the agent's, what was said the model's.
            let agent = trace.get("agent_span").filter(|_| self.about.agent_metrics.contains(&metric.name));
            let Some(span) = agent.or_else(|| trace.get("answer")) else { continue };
            lines.push(match self.words {
                ScoreConvention::OpenTelemetry => record(&told, span, trace),
                ScoreConvention::OpenInference => annotation(&told, span),
            });
        }
        if self.words == ScoreConvention::OpenTelemetry && !lines.is_empty() {
            lines = vec![json!({"resourceLogs": [{
                "resource": {"attributes": [attribute("service.name", &json!({"stringValue": "probare"}))]},
                "scopeLogs": [{"scope": {"name": "probare", "version": VERSION}, "logRecords": lines}],
            }]})];
        }
        for line in lines {
            writeln!(self.output, "{line}")?;
        }
        Ok(())
    }

    fn finish(&mut self, stop: Stop) -> io::Result<()> {
        self.output.finish(stop).map(|_| ())
    }
}

fn attribute(key: &str, value: &Json) -> Json {
    json!({"key": key, "value": value})
}

fn record(told: &EvaluationResult<'_>, span: &Json, trace: &Json) -> Json {
    let text = |text: &str| json!({"stringValue": text});
    let mut attributes = vec![attribute("gen_ai.evaluation.name", &text(&told.metric.name))];
    let mut put = |key: &str, value: Option<Json>| attributes.extend(value.map(|value| attribute(key, &value)));
    put("gen_ai.evaluation.score.value", told.value.map(|value| json!({"doubleValue": value})));
    put("gen_ai.evaluation.score.label", told.label.as_deref().map(text));
    put("gen_ai.evaluation.explanation", told.explanation.as_deref().map(text));
    put("gen_ai.response.id", trace.get("response_id").and_then(Json::as_str).map(text));
    put("error.type", told.error.map(text));
    put("probare.metric.version", Some(json!({"intValue": told.metric.version.to_string()})));
    put("probare.profile", told.metric.profile.map(|profile| text(&profile.to_string())));
    json!({
        "timeUnixNano": span["end"],
        "severityNumber": 9,
        "eventName": EVENT,
        "traceId": span["trace_id"],
        "spanId": span["span_id"],
        "attributes": attributes,
    })
}

fn annotation(told: &EvaluationResult<'_>, span: &Json) -> Json {
    let mut line = Map::new();
    let mut put = |key: &str, value: Json| {
        if !value.is_null() {
            line.insert(key.to_owned(), value);
        }
    };
    put("span_id", span["span_id"].clone());
    put("trace_id", span["trace_id"].clone());
    put("annotation.name", json!(told.metric.name));
    put("annotation.annotator_kind", json!("CODE"));
    put("annotation.score", json!(told.value));
    put("annotation.label", json!(told.label.as_deref().or(told.error)));
    put("annotation.explanation", json!(told.explanation));
    Json::Object(line)
}

/// The first pieces of evidence in one line.
fn explanation(evidence: &[Evidence]) -> Option<String> {
    let piece = |evidence: &Evidence| {
        let note = evidence.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
        format!("{}: {}{note}", evidence.kind.name(), evidence.text)
    };
    let pieces: Vec<String> = evidence.iter().take(PIECES).map(piece).collect();
    (!pieces.is_empty()).then(|| cut(&pieces.join("; ")))
}

/// One line of at most so many bytes.
fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= BYTES {
        return line;
    }
    format!("{}{MORE}", &line[..line.floor_char_boundary(BYTES - MORE.len())])
}

impl Sink for Otel {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, .. } => {
                self.metrics = metrics.to_vec();
                Ok(())
            }
            Event::Scored(result) if self.about.wants(result) => self.write_scores(result),
            Event::Finished(finish) => self.finish(finish.stop),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{MemoryOutput, events, metrics, result};

    fn written(words: ScoreConvention, all: bool) -> Vec<Json> {
        let mut judged = result("a", 0.5);
        let span = |id: &str| json!({"trace_id": "74", "span_id": id, "end": "9"});
        judged
            .case
            .metadata
            .insert("trace".to_owned(), json!({"answer": span("c1"), "agent_span": span("a1"), "response_id": "r1"}));
        let about = ExportMetadata {
            all,
            agent_metrics: ["relevance".to_owned()].into_iter().collect(),
            ..ExportMetadata::default()
        };
        let written = MemoryOutput::default();
        events(&mut Otel::new(written.output(), about, words), &metrics(), &[judged, result("no trace", 1.0)]);
        written.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn every_result_stands_at_the_span_that_was_judged() {
        let lines = written(ScoreConvention::OpenTelemetry, true);
        assert_eq!(lines.len(), 1);
        let scope = &lines[0]["resourceLogs"][0]["scopeLogs"][0];
        assert_eq!((&scope["scope"]["name"], &scope["scope"]["version"]), (&json!("probare"), &json!(VERSION)));
        let records = scope["logRecords"].as_array().unwrap();
        let spans: Vec<&Json> = records.iter().map(|record| &record["spanId"]).collect();
        assert_eq!(spans, ["a1", "c1", "c1"]);
        let keys = |at: usize| -> Vec<&str> {
            records[at]["attributes"].as_array().unwrap().iter().filter_map(|pair| pair["key"].as_str()).collect()
        };
        assert_eq!(records[0]["attributes"][1]["value"], json!({"doubleValue": 0.5}));
        assert_eq!(records[0]["attributes"][2]["value"]["stringValue"], "matched: press (named in the query)");
        assert!(
            keys(1).contains(&"gen_ai.evaluation.score.label") && !keys(1).contains(&"gen_ai.evaluation.score.value")
        );
        assert!(keys(2).contains(&"error.type") && !keys(2).contains(&"gen_ai.evaluation.score.value"));
        assert_eq!((&records[0]["timeUnixNano"], &records[0]["eventName"]), (&json!("9"), &json!(EVENT)));
        let few = written(ScoreConvention::OpenTelemetry, false);
        assert_eq!(few[0]["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn annotations_are_lines_of_their_own() {
        let lines = written(ScoreConvention::OpenInference, false);
        assert_eq!(lines.len(), 2);
        assert_eq!((&lines[0]["annotation.score"], &lines[0]["span_id"]), (&json!(0.5), &json!("a1")));
        assert_eq!((&lines[1]["annotation.label"], lines[1].get("annotation.score")), (&json!("failed"), None));
    }

    #[test]
    fn an_explanation_is_one_line_of_bounded_length() {
        assert_eq!(cut("a\n b\t c"), "a b c");
        let long = cut(&"é".repeat(2_000));
        assert!(long.len() <= BYTES && long.ends_with('…'), "{}", long.len());
    }
}
