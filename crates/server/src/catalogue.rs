//! `GET /v1/metrics`: all metrics, and what is known about one.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request};
use axum::http::StatusCode;
use axum::response::Response;
use probare_benchmarks::registry;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use crate::api_error::{ApiError, json_response};
use crate::app::{query_parameters, truncated};

/// A metric.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct MetricEntry {
    /// Its id.
    pub id: String,
    /// What it belongs to.
    pub family: String,
    /// What it measures, in a line.
    pub summary: String,
    /// Least and greatest possible value; `null` where there is no end.
    pub range: (Option<f64>, Option<f64>),
    /// Which direction is better: `higher` or `lower`.
    pub better: String,
    /// Fields that a case must have.
    pub needs: Vec<String>,
    /// Readings it knows: `reference`, `improved`.
    pub profiles: Vec<String>,
    /// Release that brought it.
    pub since: String,
    /// Version of its definition; it goes up when a score could change.
    pub version: u32,
    /// JSON Schema of its options.
    pub options: Json,
}

/// A metric with its page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct MetricPage {
    /// What is known about it.
    pub metric: MetricEntry,
    /// Its page, in Markdown: formula, options, examples, limits.
    pub page: String,
}

/// All metrics.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct MetricList {
    /// The metrics, by family and id.
    pub metrics: Vec<MetricEntry>,
}

/// `GET /v1/metrics`.
pub(crate) async fn list(request: Request) -> Result<Response, ApiError> {
    query_parameters(request.uri(), &[])?;
    let metrics: Vec<Json> = registry().iter().map(probare_core::MetricDef::to_json).collect();
    Ok(json_response(StatusCode::OK, &serde_json::json!({ "metrics": metrics })))
}

/// `GET /v1/metrics/{id}`.
pub(crate) async fn show_metric(
    id: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, ApiError> {
    query_parameters(request.uri(), &[])?;
    let Path(id) = id.map_err(|_| ApiError::new(StatusCode::BAD_REQUEST, "the path is not UTF-8"))?;
    let metric = registry().get(&id).map_err(|unknown| {
        let hint = unknown.hint().unwrap_or_else(|| "/v1/metrics lists all metrics".to_owned());
        ApiError::new(StatusCode::NOT_FOUND, truncated(&unknown.to_string())).expecting(hint)
    })?;
    Ok(json_response(StatusCode::OK, &serde_json::json!({ "metric": metric.to_json(), "page": metric.page })))
}
