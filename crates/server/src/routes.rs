//! The table of routes: what requests are routed by, and what `/openapi.json` is made from.

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use probare_retrieval::answer::PromptReply;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value as Json;

use crate::api_error::{ApiError, json_response};
pub(crate) use crate::app::RouteAccess;
use crate::body::{JSON, JSON_LINES, PROTOBUF};
use crate::counters::PROMETHEUS;
use crate::route::{Route, RouteParameter};
use crate::{catalogue, evaluate, monitoring, openapi, prompt, score, traces};

/// Methods that are known by name in notes.
pub(crate) const METHODS: [&str; 9] = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"];

/// The definition of a metric.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a parameter")]
enum ProfileName {
    Published,
    Improved,
}

const PROFILE: RouteParameter = RouteParameter {
    name: "profile",
    place: "query",
    summary: "Which definition of the metrics: `published` (as their authors define them) or `improved` (our own, where a metric has one)",
    schema: schema::<ProfileName>,
    repeats: false,
};

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

const OF_BODIES: &[u16] = &[400, 401, 408, 413, 415, 421, 422, 500, 503, 504];
const OF_PROMPTS: &[u16] = &[400, 401, 404, 408, 413, 415, 421, 422, 500, 502, 503, 504];
const OF_LISTS: &[u16] = &[401, 421, 422];
const OF_PAGES: &[u16] = &[400, 401, 404, 421, 422];

const PROMPT: Route = Route {
    method: "post",
    path: "/prompt",
    summary: "Answer a question about the corpus, with citations",
    access: RouteAccess::HeaderOrBodyToken,
    parameters: &[],
    bodies: &[(JSON, schema::<prompt::PromptBody>)],
    reply: (JSON, schema::<PromptReply>),
    refusals: OF_PROMPTS,
    handler: || post(prompt::answer),
};

/// All routes.
pub(crate) static ROUTES: &[Route] = &[
    Route {
        method: "post",
        path: "/evaluate",
        summary: "Judge one response by its query and the passages it was based on",
        access: RouteAccess::HeaderOrBodyToken,
        parameters: &[
            RouteParameter {
                name: "detail",
                place: "query",
                summary: "Whether the reply also has `profile`, `unrounded` and `anchors`",
                schema: schema::<bool>,
                repeats: false,
            },
            PROFILE,
        ],
        bodies: &[(JSON, schema::<evaluate::EvaluateRequest>)],
        reply: (JSON, schema::<evaluate::EvaluateReply>),
        refusals: OF_BODIES,
        handler: || post(evaluate::answer),
    },
    PROMPT,
    Route { path: "/evaluation-prompt", summary: "The same as /prompt, under the name that evaluations use", ..PROMPT },
    Route {
        path: "/",
        summary: "The same as /prompt: where clients are given a host and no path",
        // A person at a browser still sees what there is.
        handler: || post(prompt::answer).get(not_found),
        ..PROMPT
    },
    Route {
        method: "post",
        path: "/v1/score",
        summary: "Score cases: one result line a case, in their order, as they are finished",
        access: RouteAccess::HeaderToken,
        parameters: &[
            RouteParameter {
                name: "metric",
                place: "query",
                summary: "Metrics, where the body is JSON lines: ID, ID:OPTION=VALUE,… or NAME=ID:OPTION=VALUE",
                schema: schema::<String>,
                repeats: true,
            },
            PROFILE,
        ],
        bodies: &[(JSON, schema::<score::ScoreRequest<'_>>), (JSON_LINES, schema::<score::CaseLine>)],
        reply: (JSON_LINES, schema::<score::ScoreLine>),
        refusals: OF_BODIES,
        handler: || post(score::answer),
    },
    Route {
        method: "post",
        path: "/v1/traces",
        summary: "Collect traces of OpenTelemetry (`probare serve --collect`), or score them at once by the metrics of the query: one result line a trace or conversation",
        access: RouteAccess::HeaderToken,
        parameters: &[
            RouteParameter {
                name: "metric",
                place: "query",
                summary: "Metrics: ID, ID:OPTION=VALUE,… or NAME=ID:OPTION=VALUE",
                schema: schema::<String>,
                repeats: true,
            },
            PROFILE,
            RouteParameter {
                name: "group",
                place: "query",
                summary: "What becomes one case: `trace`, or `conversation` (one `gen_ai.conversation.id` or `session.id`)",
                schema: schema::<traces::GroupName>,
                repeats: false,
            },
        ],
        bodies: &[(JSON, schema::<traces::TraceRequest>), (PROTOBUF, schema::<traces::TraceBytes>)],
        reply: (JSON_LINES, schema::<score::ScoreLine>),
        refusals: OF_BODIES,
        handler: || post(traces::answer),
    },
    Route {
        method: "post",
        path: "/v1/logs",
        summary: "Collect log records of OpenTelemetry that belong to traces: messages and scores (`probare serve --collect`)",
        access: RouteAccess::HeaderToken,
        parameters: &[],
        bodies: &[(JSON, schema::<traces::LogsRequest>), (PROTOBUF, schema::<traces::LogsBytes>)],
        reply: (JSON, schema::<traces::ExportReply>),
        refusals: OF_BODIES,
        handler: || post(traces::answer_logs),
    },
    Route {
        method: "get",
        path: "/v1/metrics",
        summary: "List all metrics",
        access: RouteAccess::HeaderToken,
        parameters: &[],
        bodies: &[],
        reply: (JSON, schema::<catalogue::MetricList>),
        refusals: OF_LISTS,
        handler: || get(catalogue::list),
    },
    Route {
        method: "get",
        path: "/v1/metrics/{id}",
        summary: "Show what is known about a metric, with its page",
        access: RouteAccess::HeaderToken,
        parameters: &[RouteParameter {
            name: "id",
            place: "path",
            summary: "Id of the metric",
            schema: schema::<String>,
            repeats: false,
        }],
        bodies: &[],
        reply: (JSON, schema::<catalogue::MetricPage>),
        refusals: OF_PAGES,
        handler: || get(catalogue::show_metric),
    },
    Route {
        method: "get",
        path: "/health",
        summary: "Say that the server is there",
        access: RouteAccess::Public,
        parameters: &[],
        bodies: &[],
        reply: (JSON, schema::<monitoring::Health>),
        refusals: &[421],
        handler: || get(monitoring::show_health),
    },
    Route {
        method: "get",
        path: "/metrics",
        summary: "Count requests, times and connections, in the text format of Prometheus",
        access: RouteAccess::HeaderToken,
        parameters: &[],
        bodies: &[],
        reply: (PROMETHEUS, schema::<String>),
        refusals: &[401, 421],
        handler: || get(monitoring::show_counters),
    },
    Route {
        method: "get",
        path: "/openapi.json",
        summary: "Describe all paths",
        access: RouteAccess::HeaderToken,
        parameters: &[],
        bodies: &[],
        reply: (JSON, schema::<serde_json::Map<String, serde_json::Value>>),
        refusals: &[401, 421],
        handler: || get(show_openapi),
    },
];

/// The route at a path, as it is written in the table.
pub(crate) fn find_route(path: &str) -> Option<&'static Route> {
    ROUTES.iter().find(|route| route.path == path)
}

/// Method and path of every route.
pub fn route_paths() -> impl Iterator<Item = (&'static str, &'static str)> {
    ROUTES.iter().map(|route| (route.method, route.path))
}

/// The table as an OpenAPI 3.1 document.
pub fn openapi_document() -> Json {
    openapi::document(ROUTES)
}

/// `GET /openapi.json`.
async fn show_openapi() -> Response {
    json_response(StatusCode::OK, &openapi_document())
}

/// A program is told in JSON, a person at a browser sees what there is.
pub(crate) async fn not_found(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if method == Method::GET && accepted.contains("text/html") {
        let status = if uri.path() == "/" { StatusCode::OK } else { StatusCode::NOT_FOUND };
        return (status, Html(index_page())).into_response();
    }
    let refusal = ApiError::new(StatusCode::NOT_FOUND, "there is nothing at this path");
    refusal.expecting("/openapi.json lists all paths").into_response()
}

/// What this server answers, for a person.
fn index_page() -> String {
    let row = |route: &Route| {
        let link = if route.method == "get" && !route.path.contains('{') {
            format!("<a href=\"{0}\">{0}</a>", route.path)
        } else {
            route.path.to_owned()
        };
        format!("<tr><td>{}<td>{link}<td>{}\n", route.method, route.summary)
    };
    let rows: String = ROUTES.iter().map(row).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>probare</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <h1>probare</h1>\n<p>This address answers programs; there is no page at this path. These there are:\n\
         <table>\n{rows}</table>\n</html>\n"
    )
}
