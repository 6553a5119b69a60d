//! OTLP/JSON as it is written: spans and log records, in either spelling, with their attributes as plain JSON.

use std::fmt;
use std::marker::PhantomData;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json};

/// One span.
#[derive(Debug, Default, Clone)]
pub(super) struct Span {
    pub trace: String,
    pub id: String,
    pub parent: Option<String>,
    pub name: String,
    pub start: u64,
    pub end: u64,
    pub attributes: Map<String, Json>,
    pub events: Vec<SpanEvent>,
    pub is_error: bool,
    pub status: Option<String>,
    pub dropped: u64,
}

/// An event of a span, or a log record that belongs to one.
#[derive(Debug, Default, Clone)]
pub(super) struct SpanEvent {
    pub time: u64,
    pub name: String,
    pub attributes: Map<String, Json>,
    pub body: Option<Json>,
}

impl SpanEvent {
    /// What it says under a name: in its body, else in its attributes.
    pub fn get(&self, name: &str) -> Option<&Json> {
        let in_body = self.body.as_ref().and_then(|body| body.get(name));
        in_body.or_else(|| self.attributes.get(name)).filter(|value| !value.is_null())
    }
}

/// A log record and the span that it names.
#[derive(Debug, Clone)]
pub(super) struct LogRecord {
    pub trace: String,
    pub span: String,
    pub event: SpanEvent,
}

/// What one object of a file holds.
#[derive(Debug, Default)]
pub(super) struct OtlpContent {
    pub spans: Vec<Span>,
    pub records: Vec<LogRecord>,
}

/// The members by which such an object is known.
pub(super) const MEMBERS: [&str; 4] = ["resourceSpans", "resource_spans", "resourceLogs", "resource_logs"];

/// Spans, events and log records of a file at most: an empty one takes three bytes there and a hundred times as much here.
pub(super) const MOST: usize = 1_000_000;

/// What is wrong with more.
pub(super) const TOO_MANY: &str = "it has more than 1,000,000 spans, events and log records, or far more values in them than such files have; split it";

/// What is wrong with another object.
pub(super) const NEITHER: &str = "it has neither `resourceSpans` nor `resourceLogs`, so it is no OTLP/JSON";

/// Reads one object.
pub(super) fn parse_export(text: &str) -> serde_json::Result<OtlpContent> {
    let export: Export = serde_json::from_str(text)?;
    if export.spans.is_none() && export.logs.is_none() && export.metrics.is_none() {
        return Err(serde_json::Error::custom(NEITHER));
    }
    let mut written = OtlpContent::default();
    let spans = export.spans.unwrap_or_default().0.into_iter().flat_map(|resource| resource.scopes.0);
    written.spans.extend(spans.flat_map(|scope| scope.spans.0).map(Span::from));
    let records = export.logs.unwrap_or_default().0.into_iter().flat_map(|resource| resource.scopes.0);
    written.records.extend(records.flat_map(|scope| scope.records.0).map(LogRecord::from));
    Ok(written)
}

#[derive(Deserialize)]
struct Export {
    #[serde(rename = "resourceSpans", alias = "resource_spans")]
    spans: Option<Bounded<ResourceSpans>>,
    #[serde(rename = "resourceLogs", alias = "resource_logs")]
    logs: Option<Bounded<ResourceLogs>>,
    /// Measurements of a collector may stand in the same file; they are nobody's answer.
    #[serde(rename = "resourceMetrics", alias = "resource_metrics")]
    metrics: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct ResourceSpans {
    #[serde(
        rename = "scopeSpans",
        alias = "scope_spans",
        alias = "instrumentationLibrarySpans",
        alias = "instrumentation_library_spans",
        default,
        deserialize_with = "or_default"
    )]
    scopes: Bounded<ScopeSpans>,
}

#[derive(Deserialize)]
struct ScopeSpans {
    #[serde(default, deserialize_with = "or_default")]
    spans: Bounded<WireSpan>,
}

#[derive(Deserialize)]
struct ResourceLogs {
    #[serde(rename = "scopeLogs", alias = "scope_logs", default, deserialize_with = "or_default")]
    scopes: Bounded<ScopeLogs>,
}

#[derive(Deserialize)]
struct ScopeLogs {
    #[serde(rename = "logRecords", alias = "log_records", default, deserialize_with = "or_default")]
    records: Bounded<WireLogRecord>,
}

#[derive(Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[derive(Default)]
pub(super) struct WireSpan {
    #[serde(alias = "trace_id", deserialize_with = "id")]
    trace_id: String,
    #[serde(alias = "span_id", deserialize_with = "id")]
    span_id: String,
    #[serde(alias = "parent_span_id", deserialize_with = "id")]
    parent_span_id: String,
    #[serde(deserialize_with = "or_default")]
    name: String,
    #[serde(alias = "start_time_unix_nano", deserialize_with = "number")]
    start_time_unix_nano: u64,
    #[serde(alias = "end_time_unix_nano", deserialize_with = "number")]
    end_time_unix_nano: u64,
    #[serde(deserialize_with = "attributes")]
    attributes: Map<String, Json>,
    #[serde(alias = "dropped_attributes_count", deserialize_with = "number")]
    dropped_attributes_count: u64,
    #[serde(deserialize_with = "or_default")]
    events: Bounded<WireEvent>,
    #[serde(deserialize_with = "or_default")]
    status: Status,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Status {
    code: Json,
    #[serde(deserialize_with = "or_default")]
    message: String,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct WireEvent {
    #[serde(alias = "time_unix_nano", deserialize_with = "number")]
    time_unix_nano: u64,
    #[serde(deserialize_with = "or_default")]
    name: String,
    #[serde(deserialize_with = "attributes")]
    attributes: Map<String, Json>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct WireLogRecord {
    #[serde(alias = "time_unix_nano", deserialize_with = "number")]
    time_unix_nano: u64,
    #[serde(alias = "observed_time_unix_nano", deserialize_with = "number")]
    observed_time_unix_nano: u64,
    #[serde(alias = "event_name", deserialize_with = "or_default")]
    event_name: String,
    #[serde(alias = "trace_id", deserialize_with = "id")]
    trace_id: String,
    #[serde(alias = "span_id", deserialize_with = "id")]
    span_id: String,
    #[serde(deserialize_with = "attributes")]
    attributes: Map<String, Json>,
    body: Json,
}

impl From<WireSpan> for Span {
    fn from(span: WireSpan) -> Self {
        let code = &span.status.code;
        let event = |event: WireEvent| SpanEvent {
            time: event.time_unix_nano,
            name: event.name,
            attributes: event.attributes,
            body: None,
        };
        Self {
            trace: span.trace_id,
            id: span.span_id,
            parent: Some(span.parent_span_id).filter(|parent| parent.bytes().any(|sign| sign != b'0')),
            name: span.name,
            start: span.start_time_unix_nano,
            end: span.end_time_unix_nano,
            attributes: span.attributes,
            events: span.events.0.into_iter().map(event).collect(),
            is_error: code.as_u64() == Some(2) || matches!(code.as_str(), Some("STATUS_CODE_ERROR" | "2")),
            status: Some(span.status.message).filter(|message| !message.is_empty()),
            dropped: span.dropped_attributes_count,
        }
    }
}

impl From<WireLogRecord> for LogRecord {
    fn from(record: WireLogRecord) -> Self {
        let named = record.attributes.get("event.name").and_then(Json::as_str);
        let name = match named.filter(|_| record.event_name.is_empty()) {
            Some(name) => name.to_owned(),
            None => record.event_name,
        };
        let time = if record.time_unix_nano == 0 { record.observed_time_unix_nano } else { record.time_unix_nano };
        let body = Some(plain(record.body)).filter(|body| !body.is_null());
        let event = SpanEvent { time, name, attributes: record.attributes, body };
        Self { trace: record.trace_id, span: record.span_id, event }
    }
}

/// A list that ends where it holds too much in all.
#[derive(Debug)]
struct Bounded<T>(Vec<T>);

impl<T> Default for Bounded<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// How many spans, events and records something is.
trait HasWeight {
    fn weight(&self) -> usize;
}

impl<T: HasWeight> HasWeight for Bounded<T> {
    fn weight(&self) -> usize {
        self.0.iter().map(HasWeight::weight).sum()
    }
}

impl HasWeight for ResourceSpans {
    fn weight(&self) -> usize {
        1 + self.scopes.weight()
    }
}

impl HasWeight for ScopeSpans {
    fn weight(&self) -> usize {
        1 + self.spans.weight()
    }
}

impl HasWeight for WireSpan {
    fn weight(&self) -> usize {
        1 + self.events.0.len()
    }
}

impl HasWeight for ResourceLogs {
    fn weight(&self) -> usize {
        1 + self.scopes.weight()
    }
}

impl HasWeight for ScopeLogs {
    fn weight(&self) -> usize {
        1 + self.records.0.len()
    }
}

impl HasWeight for WireEvent {
    fn weight(&self) -> usize {
        1
    }
}

impl HasWeight for WireLogRecord {
    fn weight(&self) -> usize {
        1
    }
}

impl<'de, T: Deserialize<'de> + HasWeight> Deserialize<'de> for Bounded<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de> + HasWeight> Visitor<'de> for Items<T> {
            type Value = Bounded<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Bounded<T>, A::Error> {
                let (mut items, mut weight) = (Vec::new(), 0);
                while let Some(item) = list.next_element::<T>()? {
                    weight += item.weight();
                    if weight > MOST {
                        return Err(A::Error::custom(TOO_MANY));
                    }
                    items.push(item);
                }
                Ok(Bounded(items))
            }
        }

        deserializer.deserialize_seq(Items(PhantomData))
    }
}

/// What is null is as good as absent.
pub(super) fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A number as a number or as a text; one that is none, or too large to be a time, is 0.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(match Json::deserialize(deserializer)? {
        Json::Number(number) => number.as_u64().unwrap_or(0),
        Json::String(text) => text.parse().unwrap_or(0),
        _ => 0,
    })
}

/// An id in lower-case hexadecimal digits.
fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text: String = or_default(deserializer)?;
    if matches!(text.len(), 12 | 24)
        && let Ok(bytes) = BASE64_STANDARD.decode(&text)
        && matches!(bytes.len(), 8 | 16)
    {
        return Ok(probare_core::hex(&bytes));
    }
    Ok(text.to_ascii_lowercase())
}

/// Attributes: a list of keys and values, of which the last of a key counts, or a plain object.
fn attributes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Json>, D::Error> {
    Ok(match Json::deserialize(deserializer)? {
        Json::Array(list) => pairs(list),
        Json::Object(object) => object.into_iter().map(|(key, value)| (key, plain(value))).collect(),
        _ => Map::new(),
    })
}

fn pairs(list: Vec<Json>) -> Map<String, Json> {
    let mut map = Map::new();
    for entry in list {
        let Json::Object(mut entry) = entry else { continue };
        let (Some(Json::String(key)), value) = (entry.shift_remove("key"), entry.shift_remove("value")) else {
            continue;
        };
        map.insert(key, plain(value.unwrap_or_default()));
    }
    map
}

/// A value of OTLP as plain JSON. What is in none of its forms is plain already.
fn plain(value: Json) -> Json {
    let Json::Object(object) = value else { return value };
    // A value that was never set.
    if object.is_empty() {
        return Json::Null;
    }
    if object.len() != 1 {
        return Json::Object(object);
    }
    let Some((form, held)) = object.into_iter().next() else { return Json::Null };
    match (form.as_str(), held) {
        ("intValue" | "int_value", Json::String(text)) => text.parse::<i64>().map_or(Json::String(text), Json::from),
        ("doubleValue" | "double_value", Json::String(text)) => {
            let number = text.parse().ok().and_then(serde_json::Number::from_f64);
            number.map_or(Json::String(text), Json::Number)
        }
        (
            "stringValue" | "string_value" | "boolValue" | "bool_value" | "bytesValue" | "bytes_value" | "intValue"
            | "int_value" | "doubleValue" | "double_value",
            held,
        ) => held,
        ("arrayValue" | "array_value", held) => Json::Array(values(held).into_iter().map(plain).collect()),
        ("kvlistValue" | "kvlist_value", held) => Json::Object(pairs(values(held))),
        (_, held) => Json::Object([(form, held)].into_iter().collect()),
    }
}

/// The list under `values`, or the bare list.
fn values(held: Json) -> Vec<Json> {
    match held {
        Json::Array(list) => list,
        Json::Object(mut object) => match object.shift_remove("values") {
            Some(Json::Array(list)) => list,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_of_every_form_are_plain() {
        let list = json!([
            {"key": "s", "value": {"stringValue": "a"}}, {"key": "i", "value": {"intValue": "7"}},
            {"key": "n", "value": {"int_value": 7}}, {"key": "d", "value": {"doubleValue": 0.5}},
            {"key": "x", "value": {"doubleValue": "NaN"}}, {"key": "b", "value": {"boolValue": true}},
            {"key": "l", "value": {"arrayValue": {"values": [{"stringValue": "a"}, {}, {"kvlistValue": [{"key": "k", "value": {"intValue": 1}}]}]}}},
            {"key": "huge", "value": {"intValue": "99999999999999999999"}}, {"key": "none", "value": {}}, {"key": "s", "value": {"stringValue": "b"}}
        ]);
        let Json::Array(list) = list else { unreachable!("a list") };
        let expected = json!({"s": "b", "i": 7, "n": 7, "d": 0.5, "x": "NaN", "b": true, "l": ["a", null, {"k": 1}],
            "huge": "99999999999999999999", "none": null});
        assert_eq!(Json::Object(pairs(list)), expected);
    }

    #[test]
    fn ids_are_lower_case_digits_whatever_they_were() {
        let of = |text: &str| id(Json::from(text)).unwrap();
        assert_eq!(of("AAECAwQFBgcICQoLDA0ODw=="), "000102030405060708090a0b0c0d0e0f");
        assert_eq!(of("AAECAwQFBgc="), "0001020304050607");
        assert_eq!(
            (of("ABCDEF0123456789").as_str(), of("no id at all").as_str()),
            ("abcdef0123456789", "no id at all")
        );
    }

    #[test]
    fn nulls_are_absent_and_another_object_is_told() {
        let text = r#"{"resourceSpans": [{"resource": null, "scopeSpans": [{"spans": [{"name": null, "attributes": null, "events": null, "status": null, "parentSpanId": null, "startTimeUnixNano": -1}]}]}]}"#;
        assert_eq!(parse_export(text).unwrap().spans.len(), 1);
        assert!(parse_export(r#"{"resourceMetrics": []}"#).unwrap().spans.is_empty());
        assert!(parse_export(r#"{"spans": []}"#).unwrap_err().to_string().contains("neither"));
    }
}
