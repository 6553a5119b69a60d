//! [`split_export`]: what one request of an exporter says, trace by trace, so that a trace can be put together from many.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::otlp::{LogRecord, MOST, NEITHER, Span, TOO_MANY, WireLogRecord, WireSpan, or_default};
use super::weight::ValueBudget;

/// Log records that belong to a conversation, and those with scores, begin like this; all others are not kept.
const GENAI_EVENT: &str = "gen_ai.";

/// The scope under which this program writes its own scores.
const OWN_SCOPE: &str = "probare";

/// Bytes of the longest id of a trace: those of OpenTelemetry have 32.
const LONGEST_ID: usize = 64;

/// What one request says of one trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitTrace {
    /// The id of the trace.
    pub trace: String,
    /// Its spans and log records as they came, as one object of OTLP/JSON.
    pub text: String,
    /// Whether a span among them failed.
    pub has_error: bool,
}

/// What one request says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SplitExport {
    /// Trace by trace, in the order in which they begin there.
    pub traces: Vec<SplitTrace>,
    /// Spans and log records that cannot be used.
    pub rejected: u64,
    /// What is wrong with the first of them.
    pub reason: Option<String>,
    /// Log records of other things than conversations, which are not kept.
    pub other_records: u64,
}

#[derive(Deserialize)]
struct RawExport<'a> {
    #[serde(borrow, rename = "resourceSpans", alias = "resource_spans")]
    spans: Option<Vec<RawResourceSpans<'a>>>,
    #[serde(borrow, rename = "resourceLogs", alias = "resource_logs")]
    logs: Option<Vec<RawResourceLogs<'a>>>,
}

#[derive(Deserialize)]
struct RawResourceSpans<'a> {
    #[serde(
        borrow,
        rename = "scopeSpans",
        alias = "scope_spans",
        alias = "instrumentationLibrarySpans",
        alias = "instrumentation_library_spans",
        default,
        deserialize_with = "or_default"
    )]
    scopes: Vec<RawScopeSpans<'a>>,
}

#[derive(Deserialize)]
struct RawScopeSpans<'a> {
    #[serde(borrow, default, deserialize_with = "or_default")]
    spans: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawResourceLogs<'a> {
    #[serde(borrow, rename = "scopeLogs", alias = "scope_logs", default, deserialize_with = "or_default")]
    scopes: Vec<RawScopeLogs<'a>>,
}

#[derive(Deserialize)]
struct RawScopeLogs<'a> {
    #[serde(default, deserialize_with = "or_default")]
    scope: RawScope,
    #[serde(borrow, rename = "logRecords", alias = "log_records", default, deserialize_with = "or_default")]
    records: Vec<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct RawScope {
    #[serde(default, deserialize_with = "or_default")]
    name: String,
}

/// What is found of one trace.
#[derive(Default)]
struct FoundTrace<'a> {
    spans: Vec<&'a str>,
    records: Vec<&'a str>,
    has_error: bool,
}

/// Splits a request in OTLP/JSON by trace. Every span and record is read once here, so that what is kept can be read later; one
/// that cannot be is rejected, and the others are taken.
pub fn split_export(text: &str) -> serde_json::Result<SplitExport> {
    ValueBudget::default().add(text)?;
    // One object, as exporters send it, or one a line, as files have them.
    let mut exports: Vec<RawExport<'_>> = Vec::new();
    for export in serde_json::Deserializer::from_str(text).into_iter() {
        exports.push(export?);
    }
    if exports.iter().all(|export| export.spans.is_none() && export.logs.is_none()) {
        return Err(serde::de::Error::custom(NEITHER));
    }
    let mut split = SplitExport::default();
    let mut traces: Vec<(String, FoundTrace<'_>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut count = 0;
    let mut place = |trace: String, traces: &mut Vec<(String, FoundTrace<'_>)>| {
        *places.entry(trace).or_insert_with_key(|trace| {
            traces.push((trace.clone(), FoundTrace::default()));
            traces.len() - 1
        })
    };
    for raw in exports
        .iter()
        .flat_map(|export| export.spans.iter().flatten())
        .flat_map(|resource| &resource.scopes)
        .flat_map(|scope| &scope.spans)
    {
        let read = serde_json::from_str::<WireSpan>(raw.get()).map(Span::from);
        count += 1 + read.as_ref().map_or(0, |span| span.events.len());
        match read.map_err(|error| error.to_string()).and_then(|span| checked_id(&span.trace).map(|()| span)) {
            Ok(span) => {
                let at = place(span.trace, &mut traces);
                traces[at].1.spans.push(raw.get());
                traces[at].1.has_error |= span.is_error;
            }
            Err(reason) => split.reject("a span", &reason),
        }
    }
    for (scope, raw) in exports
        .iter()
        .flat_map(|export| export.logs.iter().flatten())
        .flat_map(|resource| &resource.scopes)
        .flat_map(|scope| scope.records.iter().map(|raw| (&*scope.scope.name, raw)))
    {
        count += 1;
        // Scores of ours that somebody sends back would make the trace be scored again, for ever.
        if scope == OWN_SCOPE {
            split.other_records += 1;
            continue;
        }
        match serde_json::from_str::<WireLogRecord>(raw.get()).map(LogRecord::from) {
            Ok(record) if !record.event.name.starts_with(GENAI_EVENT) => split.other_records += 1,
            Ok(record) => match checked_id(&record.trace) {
                Ok(()) => {
                    let at = place(record.trace, &mut traces);
                    traces[at].1.records.push(raw.get());
                }
                Err(reason) => split.reject("a log record", &reason),
            },
            Err(error) => split.reject("a log record", &error.to_string()),
        }
    }
    if count > MOST {
        return Err(serde::de::Error::custom(TOO_MANY));
    }
    split.traces = traces.into_iter().map(|(trace, found)| found.into_trace(trace)).collect();
    Ok(split)
}

fn checked_id(trace: &str) -> Result<(), String> {
    let is_zero = || trace.bytes().all(|digit| digit == b'0');
    if trace.is_empty() || trace.len() > LONGEST_ID || is_zero() || trace.contains(['/', '\n']) {
        return Err("has no id of a trace".to_owned());
    }
    Ok(())
}

impl SplitExport {
    fn reject(&mut self, what: &str, reason: &str) {
        self.rejected += 1;
        self.reason.get_or_insert_with(|| format!("{what} cannot be used: {reason}"));
    }
}

impl FoundTrace<'_> {
    fn into_trace(self, trace: String) -> SplitTrace {
        let mut text = String::from("{");
        for (name, scopes, items, list) in [
            ("resourceSpans", "scopeSpans", "spans", &self.spans),
            ("resourceLogs", "scopeLogs", "logRecords", &self.records),
        ] {
            if !list.is_empty() {
                let comma = if text.len() > 1 { "," } else { "" };
                let _ = write!(text, "{comma}\"{name}\":[{{\"{scopes}\":[{{\"{items}\":[{}]}}]}}]", list.join(","));
            }
        }
        text.push('}');
        SplitTrace { trace, text, has_error: self.has_error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CaseFormat, CaseReader, ReadOptions};
    use serde_json::{Value as Json, json};

    fn span(trace: &str, id: &str, status: i64) -> Json {
        json!({"traceId": trace, "spanId": id, "name": "chat m", "startTimeUnixNano": "1", "endTimeUnixNano": "2",
            "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}], "status": {"code": status}})
    }

    fn export(spans: &[Json], records: &[Json]) -> String {
        json!({"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "x"}, "spans": spans}]}],
            "resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]})
        .to_string()
    }

    #[test]
    fn what_belongs_to_a_trace_comes_together() {
        let record = |trace: &str, name: &str, role: &str| {
            json!({"traceId": trace, "spanId": "01", "eventName": name, "body": {"kvlistValue": {"values":
                [{"key": "content", "value": {"stringValue": format!("{role} says")}}]}}})
        };
        let text = export(
            &[span("AA", "01", 0), span("bb", "02", 2), span("aa", "03", 0)],
            &[
                record("aa", "gen_ai.user.message", "user"),
                record("aa", "request.done", "x"),
                record("", "gen_ai.choice", "x"),
            ],
        );
        let split = split_export(&text).unwrap();
        let found: Vec<_> = split.traces.iter().map(|trace| (trace.trace.as_str(), trace.has_error)).collect();
        assert_eq!(found, [("aa", false), ("bb", true)]);
        assert_eq!((split.rejected, split.other_records), (1, 1));
        assert_eq!(split.reason.as_deref(), Some("a log record cannot be used: has no id of a trace"));
        // What was split is a file of traces.
        let reader = CaseReader::from_reader(
            std::io::Cursor::new(split.traces[0].text.clone()),
            "a trace",
            CaseFormat::Otlp,
            &ReadOptions::default(),
        );
        let cases: Vec<_> = reader.unwrap().flat_map(|batch| batch.unwrap().cases()).filter_map(Result::ok).collect();
        assert_eq!((cases.len(), cases[0].id.as_str(), cases[0].query.as_deref()), (1, "aa", Some("user says")));
    }

    #[test]
    fn scores_that_come_back_are_no_news() {
        let record = json!({"traceId": "aa", "spanId": "01", "eventName": "gen_ai.evaluation.result"});
        let text = |scope: Json| {
            json!({"resourceLogs": [{"scopeLogs": [{"scope": scope, "logRecords": [record]}]}]}).to_string()
        };
        assert_eq!(split_export(&text(json!({"name": "probare"}))).unwrap().other_records, 1);
        for other in [json!({"name": "somebody"}), json!({}), Json::Null] {
            assert_eq!(split_export(&text(other)).unwrap().traces.len(), 1);
        }
    }

    #[test]
    fn a_span_that_cannot_be_read_does_not_take_the_others_with_it() {
        let mut broken = span("aa", "02", 0);
        broken["events"] = json!(7);
        let split = split_export(&export(&[broken, span("aa", "01", 0), span("0000", "03", 0)], &[])).unwrap();
        assert_eq!((split.traces.len(), split.rejected), (1, 2));
        assert!(split.reason.unwrap().contains("a span cannot be used"));
        assert_eq!(split_export(r#"{"resourceSpans": []}"#).unwrap(), SplitExport::default());
        let lines = format!("{}\n{}\n", export(&[span("aa", "01", 0)], &[]), export(&[span("aa", "02", 0)], &[]));
        assert_eq!(split_export(&lines).unwrap().traces.len(), 1);
        assert!(split_export(r#"{"spans": []}"#).unwrap_err().to_string().contains("neither"));
        assert!(split_export("[1]").is_err() && split_export("").is_err());
        let many = format!("{{\"resourceSpans\":[{}{{}}]}}", "{},".repeat(1_200_000));
        assert!(split_export(&many).unwrap_err().to_string().contains("split it"));
    }
}
