//! `GET /health` and `GET /metrics`: whether the server is there, and what it has done.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api_error::{json_response, typed_response};
use crate::app::SharedApp;
use crate::counters::PROMETHEUS;

/// A server that is there.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Health {
    /// `ok`.
    status: &'static str,
}

/// `GET /health`.
pub(crate) async fn show_health() -> Response {
    json_response(StatusCode::OK, &Health { status: "ok" })
}

/// `GET /metrics`.
pub(crate) async fn show_counters(State(app): State<SharedApp>) -> Response {
    let waiting = app.evaluations.waiting() + app.runs.waiting() + app.prompts.waiting();
    let mut text = app.counters.text(waiting);
    if let Some(collector) = &app.collector {
        text.push_str(&collector.text());
    }
    typed_response(StatusCode::OK, PROMETHEUS, text)
}
