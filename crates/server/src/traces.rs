//! `POST /v1/traces` and `POST /v1/logs`: traces as an exporter of OpenTelemetry sends them, collected or through some metrics
//! at once.
//!
//! The body is OTLP in JSON or in protobuf, packed with gzip or not. A server that collects keeps it and answers as the
//! protocol wants. Where the query names metrics it becomes cases as a file of traces does, and the reply is that of
//! `/v1/score`; what could not be used is told in lines of its own before the results.

use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use probare_formats::{Grouping, SplitExport, split_export};
use probare_store::{LARGEST_TRACE, TracePiece};
use schemars::JsonSchema;
use serde_json::{Map, Value as Json};

use crate::api_error::{ApiError, json_response, typed_response};
use crate::app::{RequestContext, SharedApp, query_parameters, truncated};
use crate::body::{self, JSON, PROTOBUF};
use crate::otlp::{self, Signal};
use crate::score::{self, ScoreJob};
use crate::trace_body::{EXPECTED, TraceEncoding};

/// Parameters of the query.
const PARAMETERS: [&str; 3] = ["metric", "profile", "group"];

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

/// Log records as OTLP/JSON.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "the body is read as a file of traces is; this says what it looks like")]
pub(crate) struct LogsRequest {
    /// Log records by the resource that they come from.
    resource_logs: Vec<Map<String, Json>>,
}

/// An `ExportLogsServiceRequest` of OTLP in protobuf.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the schema of bytes")]
pub(crate) struct LogsBytes(String);

/// What was taken of a request: everything, if there is nothing in it.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "the reply is written by hand; this says what it looks like")]
pub(crate) struct ExportReply {
    /// `rejectedSpans` or `rejectedLogRecords`, and `errorMessage`.
    partial_success: Option<Map<String, Json>>,
}

/// What becomes one case.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a parameter")]
pub(crate) enum GroupName {
    Trace,
    Conversation,
}

/// `POST /v1/traces`.
pub(crate) async fn answer(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    request: Request,
) -> Result<Response, ApiError> {
    if app.collector.is_some() && request.uri().query().unwrap_or_default().is_empty() {
        return Ok(collect(&app, begun, request, Signal::Traces).await);
    }
    let (kind, is_packed) = body::content_type_and_packing(request.headers(), &[JSON, PROTOBUF])?;
    let mut parameters = query_parameters(request.uri(), &PARAMETERS)?;
    let mut group = Grouping::default();
    for (_, value) in parameters.extract_if(.., |(name, _)| name == "group") {
        group = value.parse().map_err(|error: String| {
            ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, truncated(&error)).expecting("trace or conversation")
        })?;
    }
    let held = body::read_body(&app, request, app.limits.body, begun.deadline).await?;
    let wrapping = TraceEncoding { signal: Signal::Traces, is_protobuf: kind == PROTOBUF, is_packed, group };
    let options = score::options_from_query(&parameters)?;
    if options.metrics.is_empty() {
        return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "no metric is named").expecting(
            "metric=ID in the query; a server started with `probare serve --collect` keeps traces that come without a query",
        ));
    }
    score::stream_results(app, begun, ScoreJob::from_traces(options, held, wrapping)).await
}

/// `POST /v1/logs`.
pub(crate) async fn answer_logs(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    request: Request,
) -> Result<Response, ApiError> {
    query_parameters(request.uri(), &[])?;
    if app.collector.is_none() {
        let error = ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "this server does not collect log records");
        return Err(error.expecting("`probare serve --collect`"));
    }
    Ok(collect(&app, begun, request, Signal::Logs).await)
}

/// Keeps what a request says, and answers as the protocol wants: in the words of the request, with what was not taken.
async fn collect(app: &SharedApp, begun: RequestContext, request: Request, signal: Signal) -> Response {
    let wants_protobuf =
        body::content_type_and_packing(request.headers(), &[JSON, PROTOBUF]).is_ok_and(|(kind, _)| kind == PROTOBUF);
    match keep(app, begun, request, signal).await {
        Ok(rejected) if wants_protobuf => typed_response(StatusCode::OK, PROTOBUF, Signal::response(rejected)),
        Ok(rejected) => json_response(StatusCode::OK, &signal.json_response(rejected)),
        Err(refusal) => {
            let text = refusal.to_string();
            let (mut parts, body) = refusal.into_response().into_parts();
            if !wants_protobuf {
                return Response::from_parts(parts, body);
            }
            parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROTOBUF));
            parts.headers.remove(CONTENT_LENGTH);
            Response::from_parts(parts, Body::from(otlp::error_message(text)))
        }
    }
}

/// Keeps what a request says; gives how much could not be taken and why, where something could not.
async fn keep(
    app: &SharedApp,
    begun: RequestContext,
    request: Request,
    signal: Signal,
) -> Result<Option<(u64, String)>, ApiError> {
    let Some(collector) = app.collector.clone() else { return Err(ApiError::internal()) };
    let (kind, is_packed) = body::content_type_and_packing(request.headers(), &[JSON, PROTOBUF])?;
    let wrapping = TraceEncoding { signal, is_protobuf: kind == PROTOBUF, is_packed, group: Grouping::default() };
    let held = body::read_body(app, request, app.limits.body, begun.deadline).await?;
    let shared = SharedApp::clone(app);
    let split = move |_: &mut _| {
        let held = wrapping.decode(&shared, held)?;
        let text = std::str::from_utf8(&held.bytes).map_err(|_| unreadable("it is not UTF-8"))?;
        let split = split_export(text).map_err(|error| unreadable(&error.to_string()))?;
        // The room of the body is kept until its pieces are.
        Ok::<_, ApiError>((split, held))
    };
    let (split, _held) = app.evaluations.run(begun.deadline, split).await??;
    let SplitExport { traces, mut rejected, mut reason, other_records } = split;
    let pieces =
        traces.into_iter().map(|found| TracePiece { trace: found.trace, text: found.text, has_error: found.has_error });
    let refused = collector.keep(pieces.collect(), begun.deadline).await?;
    if refused > 0 {
        rejected += refused;
        reason.get_or_insert_with(|| format!("a trace has more than {} MiB", LARGEST_TRACE >> 20));
    }
    collector.count_lost(rejected, other_records);
    Ok(reason.filter(|_| rejected > 0).map(|reason| (rejected, truncated(&reason))))
}

fn unreadable(reason: &str) -> ApiError {
    ApiError::new(StatusCode::BAD_REQUEST, format!("the body cannot be read: {}", truncated(reason)))
        .expecting(EXPECTED)
}
