//! `POST /evaluate`: one exchange as the published service judges it, with the same numbers in the same bytes.

use std::io;
use std::time::Instant as Clock;

use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use probare_benchmarks::rag::{Exchange, ExchangeEvaluator};
use probare_core::{Profile, Sample};
use probare_metrics::rag::verdict::Verdict;
use probare_text::python;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use serde_json::ser::{Formatter, Serializer};

use crate::api_error::{ApiError, typed_response};
use crate::app::{App, AuthState, RequestContext, SharedApp, query_parameters};
use crate::body::{self, JSON};
use crate::prompt::BodyToken;

/// What was asked, what was answered, and what the answer was to be based on.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct EvaluateRequest {
    /// What was asked.
    #[schemars(length(min = 1))]
    query: String,
    /// What was answered.
    #[schemars(length(min = 1))]
    response: String,
    /// The passages that were retrieved.
    context: Vec<String>,
    /// The token, where it is not in a header.
    #[serde(default)]
    auth: BodyToken,
}

/// The published report. With `detail=true` there are also `profile`, `unrounded` and `anchors`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EvaluateReply {
    /// The numbers.
    metrics: EvaluateMetrics,
    /// What follows from them.
    verdict: EvaluateVerdict,
}

/// The numbers, rounded as Python rounds.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EvaluateMetrics {
    /// How much the response is about the query, 4 decimals.
    relevance: f64,
    /// Share of the query's keywords in the response, 4 decimals.
    completeness: f64,
    /// How much of the response the context does not support, 4 decimals.
    hallucination: f64,
    /// Time that the evaluation took, 2 decimals.
    latency_ms: f64,
    /// What the exchange is estimated to cost, 6 decimals.
    estimated_cost_usd: f64,
}

/// What follows from the numbers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EvaluateVerdict {
    /// `PASS`, `WARN` or `FAIL`.
    status: String,
    /// Why, in the order of the rules.
    reasons: Vec<String>,
}

const EXPECTED: &str = "an object with `query` and `response`, which are texts, and `context`, a list of texts";

/// Parameters of the query.
pub(crate) const PARAMETERS: [&str; 2] = ["detail", "profile"];

/// `POST /evaluate`.
pub(crate) async fn answer(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    Extension(known): Extension<AuthState>,
    request: Request,
) -> Result<Response, ApiError> {
    let wanted = EvaluateQuery::read(&request)?;
    body::content_type(request.headers(), &[JSON])?;
    let held = body::read_body(&app, request, app.limits.exchange, begun.deadline).await?;
    let EvaluateRequest { query, response, context, auth } = body::parse_json(&held.bytes, EXPECTED)?;
    app.check_body(known, auth.token())?;
    for (name, text) in [("query", &query), ("response", &response)] {
        if text.is_empty() {
            return Err(ApiError::new(StatusCode::BAD_REQUEST, format!("`{name}` is empty"))
                .expecting("a text that is not empty"));
        }
    }
    let exchange = Exchange { query, response, context };
    let report = app.evaluations.run(begun.deadline, move |readings| {
        let _held = held;
        let case = exchange.into_case("1");
        let since = Clock::now();
        let sample = Sample::from_case(&case).with_cache(readings);
        wanted.evaluator().timed_report(sample, || since.elapsed().as_secs_f64() * 1000.0)
    });
    let report = report.await?.map_err(|_| ApiError::internal())?;
    Ok(typed_response(StatusCode::OK, JSON, wanted.report_bytes(report)))
}

/// Judges something of no interest, so that word lists and the parser are there when the first client asks.
pub(crate) fn warm_up(app: &App) {
    let exchange =
        Exchange { query: "Is it?".into(), response: "It is red.".into(), context: vec!["It is red.".into()] };
    app.evaluations.spawn(move |_| {
        // Whether it can be judged is for those to find out who ask.
        let _ = ExchangeEvaluator::default().report(Sample::from_case(&exchange.into_case("1")));
    });
}

/// What the query asks for.
#[derive(Debug, Clone, Copy)]
struct EvaluateQuery {
    detail: bool,
    profile: Profile,
}

impl EvaluateQuery {
    fn read(request: &Request) -> Result<Self, ApiError> {
        let mut wanted = Self { detail: false, profile: Profile::Published };
        for (name, value) in query_parameters(request.uri(), &PARAMETERS)? {
            let wrong = |expected: &str| {
                ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, format!("the parameter `{name}` has another value"))
                    .expecting(expected)
            };
            match (name.as_str(), value.as_str()) {
                ("detail", "true" | "false") => wanted.detail = value == "true",
                ("profile", name) => {
                    wanted.profile = Profile::from_name(name).ok_or_else(|| wrong("published or improved"))?;
                }
                ("detail", _) => return Err(wrong("true or false")),
                _ => return Err(wrong("detail or profile")),
            }
        }
        Ok(wanted)
    }

    fn evaluator(self) -> ExchangeEvaluator {
        ExchangeEvaluator::new(Verdict { profile: self.profile, ..Verdict::default() }).unwrap_or_default()
    }

    /// The report as the published service writes it: without our own fields unless they are asked for.
    fn report_bytes(self, mut report: Json) -> Vec<u8> {
        if !self.detail
            && let Some(report) = report.as_object_mut()
        {
            report.retain(|name, _| matches!(name.as_str(), "metrics" | "verdict"));
        }
        let mut bytes = Vec::new();
        // Writing JSON into memory does not fail.
        let _ = report.serialize(&mut Serializer::with_formatter(&mut bytes, PythonNumbers));
        bytes
    }
}

/// JSON without spaces whose numbers are written as Python writes them: `1e-05`.
struct PythonNumbers;

impl Formatter for PythonNumbers {
    fn write_f64<W: io::Write + ?Sized>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(python::repr_float(value).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_written_as_python_writes_them() {
        let wanted = EvaluateQuery { detail: false, profile: Profile::Published };
        let report =
            json!({"metrics": {"a": 1e-5, "b": 1.0, "c": 0.0001, "d": "é\u{1}\""}, "verdict": {}, "anchors": []});
        let written = String::from_utf8(wanted.report_bytes(report.clone())).unwrap();
        assert_eq!(written, r#"{"metrics":{"a":1e-05,"b":1.0,"c":0.0001,"d":"é\u0001\""},"verdict":{}}"#);
        let detailed = EvaluateQuery { detail: true, ..wanted }.report_bytes(report);
        assert!(String::from_utf8(detailed).unwrap().ends_with(r#""anchors":[]}"#));
    }
}
