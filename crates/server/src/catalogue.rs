//! `GET /v1/metrics`: all metrics, and what is known about one.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request};
use axum::http::StatusCode;
use axum::response::Response;
use probare_metrics::registry;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use crate::app::{query, shortened};
use crate::refusal::{Refusal, json};

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
    /// Readings it knows: `reference`, `careful`.
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
pub(crate) async fn list(request: Request) -> Result<Response, Refusal> {
    query(request.uri(), &[])?;
    let metrics: Vec<Json> = registry().iter().map(probare_core::MetricDef::described).collect();
    Ok(json(StatusCode::OK, &serde_json::json!({ "metrics": metrics })))
}

/// `GET /v1/metrics/{id}`.
pub(crate) async fn one(id: Result<Path<String>, PathRejection>, request: Request) -> Result<Response, Refusal> {
    query(request.uri(), &[])?;
    let Path(id) = id.map_err(|_| Refusal::new(StatusCode::BAD_REQUEST, "the path is no UTF-8"))?;
    let metric = registry().get(&id).map_err(|unknown| {
        let refusal = Refusal::new(StatusCode::NOT_FOUND, format!("unknown metric `{}`", shortened(&id)));
        match unknown.similar {
            Some(similar) => refusal.expecting(format!("a similar name exists: `{similar}`")),
            None => refusal.expecting("/v1/metrics lists all metrics"),
        }
    })?;
    Ok(json(StatusCode::OK, &serde_json::json!({ "metric": metric.described(), "page": metric.page })))
}
