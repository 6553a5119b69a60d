//! `POST /v1/traces`: traces as an exporter of OpenTelemetry sends them, through some metrics.
//!
//! The body is OTLP in JSON or in protobuf, packed with gzip or not. It becomes cases as a file of traces does, and the reply is
//! that of `/v1/score`; what could not be used is told in lines of its own before the results.

use std::io::Read as _;

use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use flate2::read::MultiGzDecoder;
use probare_cases::Grouping;
use schemars::JsonSchema;
use serde_json::{Map, Value as Json};

use crate::app::{App, Begun, Shared, query, shortened};
use crate::body::{self, Held, JSON, PROTOBUF};
use crate::otlp::{self, Unread};
use crate::refusal::Refusal;
use crate::score::{self, Wishes};

/// Parameters of the query.
const PARAMETERS: [&str; 3] = ["metric", "profile", "group"];

/// How much longer the JSON of a body in protobuf may be than the longest body.
const LONGER: usize = 4;

pub(crate) const EXPECTED: &str = "an ExportTraceServiceRequest of OTLP: in JSON an object with `resourceSpans`";

/// Spans as OTLP/JSON.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "the body is read as a file of traces is; this says what it looks like")]
pub(crate) struct TraceRequest {
    /// Spans by the resource that they come from.
    resource_spans: Vec<Map<String, Json>>,
}

/// An `ExportTraceServiceRequest` of OTLP in protobuf.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the schema of bytes")]
pub(crate) struct TraceBytes(String);

/// What becomes one case.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a parameter")]
pub(crate) enum GroupName {
    Trace,
    Conversation,
}

/// How the spans of a body come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wrapping {
    pub is_protobuf: bool,
    pub is_packed: bool,
    pub group: Grouping,
}

/// `POST /v1/traces`.
pub(crate) async fn answer(
    State(app): State<Shared>,
    Extension(begun): Extension<Begun>,
    request: Request,
) -> Result<Response, Refusal> {
    let (kind, is_packed) = body::packed_kind(request.headers(), &[JSON, PROTOBUF])?;
    let mut parameters = query(request.uri(), &PARAMETERS)?;
    let mut group = Grouping::default();
    for (_, value) in parameters.extract_if(.., |(name, _)| name == "group") {
        group = value.parse().map_err(|error: String| {
            Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, shortened(&error)).expecting("trace or conversation")
        })?;
    }
    let held = body::taken(&app, request, app.limits.body, begun.deadline).await?;
    let wrapping = Wrapping { is_protobuf: kind == PROTOBUF, is_packed, group };
    let (requests, profile) = score::of_query(&parameters)?;
    score::lines(app, begun, Wishes::of_traces(requests, profile.unwrap_or_default(), held, wrapping)).await
}

impl Wrapping {
    /// The body as OTLP/JSON, within the limits that bodies have.
    pub fn unwrapped(self, app: &App, held: Held) -> Result<Held, Refusal> {
        let limit = app.limits.body;
        let mut held = held;
        if self.is_packed {
            let mut bytes = Vec::new();
            let read = MultiGzDecoder::new(held.bytes.as_slice()).take(limit as u64 + 1).read_to_end(&mut bytes);
            read.map_err(|_| Refusal::new(StatusCode::BAD_REQUEST, "the body is no gzip").expecting(EXPECTED))?;
            if bytes.len() > limit {
                return Err(too_long(limit));
            }
            held = held.replaced(app, bytes)?;
        }
        if self.is_protobuf {
            let json = otlp::as_json(&held.bytes, limit.saturating_mul(LONGER)).map_err(|unread| match unread {
                Unread::Broken(reason) => {
                    let error = format!("the body is no protobuf of OTLP: {}", shortened(&reason));
                    Refusal::new(StatusCode::BAD_REQUEST, error).expecting(EXPECTED)
                }
                Unread::TooLong => too_long(limit),
            })?;
            held = held.replaced(app, json)?;
        }
        Ok(held)
    }
}

fn too_long(limit: usize) -> Refusal {
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long once it is unpacked")
        .expecting(format!("at most {limit} bytes; exporters can send smaller batches"))
}
