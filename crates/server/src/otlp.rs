//! The messages of OTLP that a body in protobuf is made of, as far as they are read, and such a body as OTLP/JSON.
//!
//! Fields have the numbers of `opentelemetry/proto/trace/v1/trace.proto`, `logs/v1/logs.proto` and `common/v1/common.proto`,
//! version 1.9; what is not listed is passed over. Each message writes itself as JSON, so that both kinds of bodies are read in one way.

use std::io::{self, Write};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use prost::Message;
use serde::{Serialize, Serializer};

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct TracesData {
    #[prost(message, repeated, tag = "1")]
    resource_spans: Vec<ResourceSpans>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans {
    #[prost(message, repeated, tag = "2")]
    scope_spans: Vec<ScopeSpans>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct ScopeSpans {
    #[prost(message, repeated, tag = "2")]
    spans: Vec<Span>,
}

#[expect(clippy::struct_field_names, reason = "the names of the published definition")]
#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct Span {
    #[prost(bytes = "vec", tag = "1")]
    #[serde(serialize_with = "hex")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    #[serde(serialize_with = "hex")]
    span_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    #[serde(serialize_with = "hex")]
    parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    name: String,
    #[prost(fixed64, tag = "7")]
    start_time_unix_nano: u64,
    #[prost(fixed64, tag = "8")]
    end_time_unix_nano: u64,
    #[prost(message, repeated, tag = "9")]
    attributes: Vec<KeyValue>,
    #[prost(uint32, tag = "10")]
    dropped_attributes_count: u32,
    #[prost(message, repeated, tag = "11")]
    events: Vec<SpanEvent>,
    #[prost(message, optional, tag = "15")]
    status: Option<Status>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct SpanEvent {
    #[prost(fixed64, tag = "1")]
    time_unix_nano: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(message, repeated, tag = "3")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct Status {
    #[prost(string, tag = "2")]
    message: String,
    #[prost(int32, tag = "3")]
    code: i32,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct LogsData {
    #[prost(message, repeated, tag = "1")]
    resource_logs: Vec<ResourceLogs>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceLogs {
    #[prost(message, repeated, tag = "2")]
    scope_logs: Vec<ScopeLogs>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct ScopeLogs {
    #[prost(message, optional, tag = "1")]
    scope: Option<Scope>,
    #[prost(message, repeated, tag = "2")]
    log_records: Vec<LogRecord>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct Scope {
    #[prost(string, tag = "1")]
    name: String,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct LogRecord {
    #[prost(fixed64, tag = "1")]
    time_unix_nano: u64,
    #[prost(message, optional, tag = "5")]
    body: Option<AnyValue>,
    #[prost(message, repeated, tag = "6")]
    attributes: Vec<KeyValue>,
    #[prost(bytes = "vec", tag = "9")]
    #[serde(serialize_with = "hex")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "10")]
    #[serde(serialize_with = "hex")]
    span_id: Vec<u8>,
    #[prost(fixed64, tag = "11")]
    observed_time_unix_nano: u64,
    #[prost(string, tag = "12")]
    event_name: String,
}

/// The answer to a request whose spans or records were taken, all or some of them.
#[derive(Clone, PartialEq, Message)]
struct ExportResponse {
    #[prost(message, optional, tag = "1")]
    partial_success: Option<PartialSuccess>,
}

#[derive(Clone, PartialEq, Message)]
struct PartialSuccess {
    #[prost(int64, tag = "1")]
    rejected: i64,
    #[prost(string, tag = "2")]
    error_message: String,
}

/// The answer to a request that was refused: `google.rpc.Status`.
#[derive(Clone, PartialEq, Message)]
struct RpcStatus {
    #[prost(string, tag = "2")]
    message: String,
}

/// What exporters send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Traces,
    Logs,
}

impl Signal {
    /// The answer in protobuf, with the number of what was not taken and the reason.
    pub fn response(rejected: Option<(u64, String)>) -> Vec<u8> {
        let partial_success = rejected.map(|(rejected, error_message)| PartialSuccess {
            rejected: i64::try_from(rejected).unwrap_or(i64::MAX),
            error_message,
        });
        ExportResponse { partial_success }.encode_to_vec()
    }

    /// The same in JSON.
    pub fn json_response(self, rejected: Option<(u64, String)>) -> serde_json::Value {
        let Some((rejected, error_message)) = rejected else { return serde_json::json!({}) };
        let name = match self {
            Self::Traces => "rejectedSpans",
            Self::Logs => "rejectedLogRecords",
        };
        serde_json::json!({ "partialSuccess": { name: rejected.to_string(), "errorMessage": error_message } })
    }

    /// The fields that lead to what is sent, and what stands in it: attributes, and events of spans.
    const fn field_path(self) -> [&'static [u64]; 4] {
        match self {
            Self::Traces => [&[1], &[2], &[2], &[9, 11]],
            Self::Logs => [&[1], &[2], &[2], &[5, 6]],
        }
    }
}

/// Why a request was refused, in protobuf.
pub(crate) fn error_message(message: String) -> Vec<u8> {
    RpcStatus { message }.encode_to_vec()
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct AnyValue {
    #[prost(oneof = "AnyValueKind", tags = "1, 2, 3, 4, 5, 6, 7")]
    #[serde(flatten)]
    value: Option<AnyValueKind>,
}

#[derive(Clone, PartialEq, prost::Oneof, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::enum_variant_names, reason = "these are the names in OTLP/JSON")]
enum AnyValueKind {
    #[prost(string, tag = "1")]
    StringValue(String),
    #[prost(bool, tag = "2")]
    BoolValue(bool),
    #[prost(int64, tag = "3")]
    IntValue(i64),
    #[prost(double, tag = "4")]
    DoubleValue(f64),
    #[prost(message, tag = "5")]
    ArrayValue(ArrayValue),
    #[prost(message, tag = "6")]
    KvlistValue(KeyValueList),
    #[prost(bytes = "vec", tag = "7")]
    #[serde(serialize_with = "base64")]
    BytesValue(Vec<u8>),
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct ArrayValue {
    #[prost(message, repeated, tag = "1")]
    values: Vec<AnyValue>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct KeyValueList {
    #[prost(message, repeated, tag = "1")]
    values: Vec<KeyValue>,
}

fn hex<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&probare_core::hex(bytes))
}

/// Bytes that are no id are written as JSON writes bytes in protobuf.
fn base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
}

/// Why a body is not read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OtlpError {
    /// It is no message of OTLP.
    Broken(String),
    /// As JSON it is too long.
    TooLong,
}

/// Bytes up to a limit.
struct BoundedBuffer {
    bytes: Vec<u8>,
    limit: usize,
}

impl Write for BoundedBuffer {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if more.len() > self.limit - self.bytes.len() {
            return Err(io::Error::other("too long"));
        }
        self.bytes.write(more)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Spans, events and attributes of a body at most: an empty one takes two bytes there and a hundred times as much here.
const MOST: usize = 2_000_000;

/// How many there are, without looking further into them; what is damaged is found when it is read.
fn entries(body: &[u8], signal: Signal) -> usize {
    let way = signal.field_path();
    let (mut count, mut open) = (0, vec![(body, 0)]);
    while let Some((mut rest, depth)) = open.pop() {
        while let Some((key, after)) = varint(rest) {
            let (skipped, after) = match key & 7 {
                0 => (0, varint(after).map_or(&[][..], |(_, after)| after)),
                1 => (8, after),
                2 => varint(after)
                    .map_or((0, &[][..]), |(length, after)| (usize::try_from(length).unwrap_or(usize::MAX), after)),
                5 => (4, after),
                _ => return count,
            };
            let Some((inner, after)) = after.split_at_checked(skipped) else { break };
            if key & 7 == 2 && way[depth].contains(&(key >> 3)) {
                count += 1;
                if depth + 1 < way.len() {
                    open.push((inner, depth + 1));
                }
            }
            rest = after;
        }
    }
    count
}

/// A number of protobuf, and what stands behind it.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (at, byte) in bytes.iter().enumerate().take(10) {
        number |= u64::from(byte & 127) << (7 * at);
        if byte & 128 == 0 {
            return Some((number, &bytes[at + 1..]));
        }
    }
    None
}

/// A body in protobuf as OTLP/JSON of at most `limit` bytes.
pub(crate) fn as_json(body: &[u8], signal: Signal, limit: usize) -> Result<Vec<u8>, OtlpError> {
    if entries(body, signal) > MOST {
        return Err(OtlpError::TooLong);
    }
    let mut json = BoundedBuffer { bytes: Vec::new(), limit };
    match signal {
        Signal::Traces => write_json(&decode::<TracesData>(body)?, &mut json)?,
        Signal::Logs => write_json(&decode::<LogsData>(body)?, &mut json)?,
    }
    Ok(json.bytes)
}

fn decode<T: Message + Default>(body: &[u8]) -> Result<T, OtlpError> {
    T::decode(body).map_err(|error| OtlpError::Broken(error.to_string()))
}

fn write_json(data: &impl Serialize, json: &mut BoundedBuffer) -> Result<(), OtlpError> {
    serde_json::to_writer(json, data).map_err(|_| OtlpError::TooLong)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    /// A length as protobuf writes it.
    fn length(mut length: usize) -> Vec<u8> {
        let mut digits = Vec::new();
        while length > 127 {
            digits.push(u8::try_from(length % 128).unwrap() | 128);
            length /= 128;
        }
        digits.push(u8::try_from(length).unwrap());
        digits
    }

    /// A field of a message: its number, its wire type, and its bytes with their length where they have one.
    fn field(number: u8, wire: u8, bytes: &[u8]) -> Vec<u8> {
        let length = if wire == 2 { length(bytes.len()) } else { Vec::new() };
        [vec![(number << 3) | wire], length, bytes.to_vec()].concat()
    }

    #[test]
    fn bytes_written_by_hand_become_json() {
        let value = |held: Vec<u8>| field(2, 2, &held);
        let text = [field(1, 2, b"a"), value(field(1, 2, b"x"))].concat();
        let list = value(field(5, 2, &field(1, 2, &field(3, 0, &[7]))));
        let list = [field(1, 2, b"l"), list].concat();
        let span = [
            field(1, 2, &[0x74; 16]),
            field(2, 2, &[1; 8]),
            field(5, 2, b"chat m"),
            field(7, 1, &9_u64.to_le_bytes()),
            field(9, 2, &text),
            field(9, 2, &list),
            field(15, 2, &field(3, 0, &[2])),
            // Links are not read.
            field(13, 2, b"\x12\x01x"),
        ]
        .concat();
        let body = field(1, 2, &field(2, 2, &field(2, 2, &span)));
        let json: Json = serde_json::from_slice(&as_json(&body, Signal::Traces, 10_000).unwrap()).unwrap();
        let span = &json["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        assert_eq!((&span["traceId"], &span["name"]), (&json!("74".repeat(16)), &json!("chat m")));
        assert_eq!((&span["startTimeUnixNano"], &span["status"]["code"]), (&json!(9), &json!(2)));
        let attributes = json!([
            {"key": "a", "value": {"stringValue": "x"}},
            {"key": "l", "value": {"arrayValue": {"values": [{"intValue": 7}]}}}
        ]);
        assert_eq!(span["attributes"], attributes);
        assert_eq!(as_json(&body, Signal::Traces, 100), Err(OtlpError::TooLong));
    }

    #[test]
    fn log_records_become_json_and_bytes_are_base64() {
        let record = [
            field(5, 2, &field(1, 2, b"hello")),
            field(6, 2, &[field(1, 2, b"b"), field(2, 2, &field(7, 2, &[0xff, 0]))].concat()),
            field(9, 2, &[0x74; 16]),
            field(10, 2, &[1; 8]),
            field(12, 2, b"gen_ai.choice"),
        ]
        .concat();
        let scope = field(1, 2, &field(1, 2, b"s"));
        let body = field(1, 2, &field(2, 2, &[scope, field(2, 2, &record)].concat()));
        let json: Json = serde_json::from_slice(&as_json(&body, Signal::Logs, 10_000).unwrap()).unwrap();
        let found = &json["resourceLogs"][0]["scopeLogs"][0];
        assert_eq!(found["scope"]["name"], "s");
        let found = &found["logRecords"][0];
        assert_eq!((&found["eventName"], &found["body"]), (&json!("gen_ai.choice"), &json!({"stringValue": "hello"})));
        assert_eq!((&found["traceId"], &found["spanId"]), (&json!("74".repeat(16)), &json!("01".repeat(8))));
        assert_eq!(found["attributes"], json!([{"key": "b", "value": {"bytesValue": "/wA="}}]));
    }

    #[test]
    fn what_was_not_taken_is_told_in_the_words_of_the_protocol() {
        assert_eq!(Signal::response(None), b"");
        assert_eq!(Signal::Logs.json_response(None), json!({}));
        let rejected = || Some((3, "why".to_owned()));
        assert_eq!(Signal::response(rejected()), b"\x0a\x07\x08\x03\x12\x03why");
        assert_eq!(
            Signal::Logs.json_response(rejected()),
            json!({"partialSuccess": {"rejectedLogRecords": "3", "errorMessage": "why"}})
        );
        assert_eq!(error_message("x".to_owned()), b"\x12\x01x");
    }

    #[test]
    fn a_body_of_nothing_but_empty_spans_is_too_long() {
        let spans = [0x12, 0].repeat(100);
        assert_eq!(entries(&field(1, 2, &field(2, 2, &spans)), Signal::Traces), 102);
        let many = field(1, 2, &field(2, 2, &[0x12, 0].repeat(MOST)));
        assert_eq!(as_json(&many, Signal::Traces, usize::MAX), Err(OtlpError::TooLong));
        assert_eq!((entries(b"\xff\xff", Signal::Traces), entries(b"", Signal::Traces)), (0, 0));
    }

    #[test]
    fn what_is_no_message_is_told() {
        for body in [
            &b"{\"resourceSpans\": []}"[..],
            b"\x0a\xff",
            &field(1, 2, &field(2, 2, &field(2, 2, &field(5, 2, b"\xff")))),
        ] {
            assert!(matches!(as_json(body, Signal::Traces, 100), Err(OtlpError::Broken(_))), "{body:?}");
        }
        // Values inside of values without an end are given up.
        let mut deep = field(1, 2, b"x");
        for _ in 0..60 {
            deep = field(5, 2, &field(1, 2, &deep));
        }
        let span = field(9, 2, &field(2, 2, &deep));
        assert!(matches!(
            as_json(&field(1, 2, &field(2, 2, &field(2, 2, &span))), Signal::Traces, 100_000),
            Err(OtlpError::Broken(_))
        ));
    }
}
