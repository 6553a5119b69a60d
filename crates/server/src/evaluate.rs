//! `POST /evaluate`: one exchange as the published service judges it, with the same numbers in the same bytes.

use std::io;
use std::time::Instant as Clock;

use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use probare_core::{Profile, Sample};
use probare_metrics::rag::verdict::Verdict;
use probare_suites::rag::{Exchange, Judging};
use probare_text::python;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use serde_json::ser::{Formatter, Serializer};

use crate::app::{App, Begun, Known, Shared, query};
use crate::body::{self, JSON};
use crate::prompt::Given;
use crate::refusal::{Refusal, typed};

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
    auth: Given,
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
    State(app): State<Shared>,
    Extension(begun): Extension<Begun>,
    Extension(known): Extension<Known>,
    request: Request,
) -> Result<Response, Refusal> {
    let wanted = Wanted::read(&request)?;
    body::kind(request.headers(), &[JSON])?;
    let held = body::taken(&app, request, app.limits.exchange, begun.deadline).await?;
    let EvaluateRequest { query, response, context, auth } = body::read(&held.bytes, EXPECTED)?;
    app.check_body(known, auth.token())?;
    for (name, text) in [("query", &query), ("response", &response)] {
        if text.is_empty() {
            return Err(Refusal::new(StatusCode::BAD_REQUEST, format!("`{name}` is empty"))
                .expecting("a text that is not empty"));
        }
    }
    let exchange = Exchange { query, response, context };
    let report = app.evaluations.run(begun.deadline, move |readings| {
        let _held = held;
        let case = exchange.into_case("1");
        let since = Clock::now();
        let sample = Sample::of(&case).sharing(readings);
        wanted.judging().timed_report(sample, || since.elapsed().as_secs_f64() * 1000.0)
    });
    let report = report.await?.map_err(|_| Refusal::bug())?;
    Ok(typed(StatusCode::OK, JSON, wanted.written(report)))
}

/// Judges something of no interest, so that word lists and the parser are there when the first client asks.
pub(crate) fn warm_up(app: &App) {
    let exchange =
        Exchange { query: "Is it?".into(), response: "It is red.".into(), context: vec!["It is red.".into()] };
    app.evaluations.begin(move |_| {
        // Whether it can be judged is for those to find out who ask.
        let _ = Judging::default().report(Sample::of(&exchange.into_case("1")));
    });
}

/// What the query asks for.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    detail: bool,
    profile: Profile,
}

impl Wanted {
    fn read(request: &Request) -> Result<Self, Refusal> {
        let mut wanted = Self { detail: false, profile: Profile::Reference };
        for (name, value) in query(request.uri(), &PARAMETERS)? {
            let wrong = |expected: &str| {
                Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, format!("the parameter `{name}` has another value"))
                    .expecting(expected)
            };
            match (name.as_str(), value.as_str()) {
                ("detail", "true" | "false") => wanted.detail = value == "true",
                ("profile", "reference") => wanted.profile = Profile::Reference,
                ("profile", "careful") => wanted.profile = Profile::Careful,
                ("detail", _) => return Err(wrong("true or false")),
                _ => return Err(wrong("reference or careful")),
            }
        }
        Ok(wanted)
    }

    fn judging(self) -> Judging {
        Judging::new(Verdict { profile: self.profile, ..Verdict::default() }).unwrap_or_default()
    }

    /// The report as the published service writes it: without our own fields unless they are asked for.
    fn written(self, mut report: Json) -> Vec<u8> {
        if !self.detail
            && let Some(report) = report.as_object_mut()
        {
            report.retain(|name, _| matches!(name.as_str(), "metrics" | "verdict"));
        }
        let mut bytes = Vec::new();
        // Writing JSON into memory does not fail.
        let _ = report.serialize(&mut Serializer::with_formatter(&mut bytes, Python));
        bytes
    }
}

/// JSON without spaces whose numbers are written as Python writes them: `1e-05`.
struct Python;

impl Formatter for Python {
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
        let wanted = Wanted { detail: false, profile: Profile::Reference };
        let report =
            json!({"metrics": {"a": 1e-5, "b": 1.0, "c": 0.0001, "d": "é\u{1}\""}, "verdict": {}, "anchors": []});
        let written = String::from_utf8(wanted.written(report.clone())).unwrap();
        assert_eq!(written, r#"{"metrics":{"a":1e-05,"b":1.0,"c":0.0001,"d":"é\u0001\""},"verdict":{}}"#);
        let detailed = Wanted { detail: true, ..wanted }.written(report);
        assert!(String::from_utf8(detailed).unwrap().ends_with(r#""anchors":[]}"#));
    }
}
