//! `POST /v1/traces`: traces as an exporter of OpenTelemetry sends them, through some metrics.
//!
//! The body is OTLP in JSON or in protobuf, packed with gzip or not. It becomes cases as a file of traces does, and the reply is
//! that of `/v1/score`; what could not be used is told in lines of its own before the results.

use std::io::Read as _;

use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use flate2::read::MultiGzDecoder;
use probare_formats::Grouping;
use schemars::JsonSchema;
use serde_json::{Map, Value as Json};

use crate::api_error::ApiError;
use crate::app::{App, RequestContext, SharedApp, query_parameters, truncated};
use crate::body::{self, JSON, PROTOBUF, RequestBody};
use crate::otlp::{self, OtlpError};
use crate::score::{self, ScoreJob};

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
pub(crate) struct TraceEncoding {
    pub is_protobuf: bool,
    pub is_packed: bool,
    pub group: Grouping,
}

/// `POST /v1/traces`.
pub(crate) async fn answer(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    request: Request,
) -> Result<Response, ApiError> {
    let (kind, is_packed) = body::content_type_and_packing(request.headers(), &[JSON, PROTOBUF])?;
    let mut parameters = query_parameters(request.uri(), &PARAMETERS)?;
    let mut group = Grouping::default();
    for (_, value) in parameters.extract_if(.., |(name, _)| name == "group") {
        group = value.parse().map_err(|error: String| {
            ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, truncated(&error)).expecting("trace or conversation")
        })?;
    }
    let held = body::read_body(&app, request, app.limits.body, begun.deadline).await?;
    let wrapping = TraceEncoding { is_protobuf: kind == PROTOBUF, is_packed, group };
    let options = score::options_from_query(&parameters)?;
    score::stream_results(app, begun, ScoreJob::from_traces(options, held, wrapping)).await
}

impl TraceEncoding {
    /// The body as OTLP/JSON, within the limits that bodies have.
    pub fn decode(self, app: &App, held: RequestBody) -> Result<RequestBody, ApiError> {
        let limit = app.limits.body;
        let mut held = held;
        if self.is_packed {
            let mut bytes = Vec::new();
            let read = MultiGzDecoder::new(held.bytes.as_slice()).take(limit as u64 + 1).read_to_end(&mut bytes);
            read.map_err(|_| ApiError::new(StatusCode::BAD_REQUEST, "the body is no gzip").expecting(EXPECTED))?;
            if bytes.len() > limit {
                return Err(too_long(limit));
            }
            held = held.with_bytes(app, bytes)?;
        }
        if self.is_protobuf {
            let json = otlp::as_json(&held.bytes, limit.saturating_mul(LONGER)).map_err(|unread| match unread {
                OtlpError::Broken(reason) => {
                    let error = format!("the body is no protobuf of OTLP: {}", truncated(&reason));
                    ApiError::new(StatusCode::BAD_REQUEST, error).expecting(EXPECTED)
                }
                OtlpError::TooLong => too_long(limit),
            })?;
            held = held.with_bytes(app, json)?;
        }
        Ok(held)
    }
}

fn too_long(limit: usize) -> ApiError {
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long once it is unpacked")
        .expecting(format!("at most {limit} bytes; exporters can send smaller batches"))
}
