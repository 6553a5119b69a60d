//! `POST /prompt` and `POST /evaluation-prompt`: a question about a corpus, answered with its sources.

use std::fmt;
use std::sync::Arc;

use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use probare_retrieval::answer::{DEFAULT_K, PromptRequest, filter_or_null};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json};
use zeroize::Zeroizing;

use crate::api_error::{ApiError, json_response};
use crate::app::{AuthState, RequestContext, SharedApp, query_parameters};
use crate::body::{self, JSON};
use crate::prompt_answerer::PromptError;

/// The longest list of passages.
const MOST_PASSAGES: u32 = 100;

/// A question about the corpus.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PromptBody {
    /// What is asked.
    #[schemars(length(min = 1))]
    question: String,
    /// Passages that are retrieved at most; 10 if absent.
    #[serde(default = "usual_k", deserialize_with = "whole")]
    #[schemars(range(min = 1, max = 100))]
    k: u32,
    /// Metadata of the documents that are searched, by name: a value, a list, `{"from", "to"}`, `{"prefix"}`, or `$eq`, `$ne`, `$in`,
    /// `$nin`, `$gt`, `$gte`, `$lt`, `$lte` as in `MongoDB`; all if absent or null.
    #[serde(default, deserialize_with = "filter_or_null")]
    #[schemars(with = "Option<Map<String, Json>>")]
    filter: Map<String, Json>,
    /// The model, as `provider:name`; the server's first if absent.
    #[serde(default)]
    model: Option<String>,
    /// The token, where it is not in a header.
    #[serde(default)]
    auth: BodyToken,
}

/// A whole number, also where it is written as `16.0`: JSON knows one kind of number.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?.to_string();
    let whole = number.strip_suffix(".0").unwrap_or(&number).parse();
    whole.map_err(|_| D::Error::custom(format!("invalid value: `{number}`, expected a whole number")))
}

fn usual_k() -> u32 {
    u32::try_from(DEFAULT_K).unwrap_or(MOST_PASSAGES)
}

/// The token in a body. It is compared and never shown.
#[derive(Default)]
pub(crate) struct BodyToken(Option<Zeroizing<String>>);

impl BodyToken {
    pub(crate) fn token(&self) -> Option<&str> {
        self.0.as_ref().map(|token| token.as_str())
    }
}

impl fmt::Debug for BodyToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Given")
    }
}

impl<'de> Deserialize<'de> for BodyToken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Read as any value first, because an error of a text's reader would repeat what stands there.
        match Json::deserialize(deserializer)? {
            Json::Null => Ok(Self(None)),
            Json::String(text) => Ok(Self(Some(Zeroizing::new(text)))),
            _ => Err(serde::de::Error::custom("`auth` is not a text")),
        }
    }
}

impl JsonSchema for BodyToken {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Given".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<String>::json_schema(generator)
    }
}

const EXPECTED: &str = "an object with `question`, a text, and where wanted `k`, `filter`, `model` and `auth`";

/// `POST /prompt` and `POST /evaluation-prompt`.
pub(crate) async fn answer(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    Extension(known): Extension<AuthState>,
    request: Request,
) -> Result<Response, ApiError> {
    query_parameters(request.uri(), &[])?;
    body::content_type(request.headers(), &[JSON])?;
    let held = body::read_body(&app, request, app.limits.exchange, begun.deadline).await?;
    let PromptBody { question, k, filter, model, auth } = body::parse_json(&held.bytes, EXPECTED)?;
    app.check_body(known, auth.token())?;
    let Some(answerer) = &app.answerer else {
        return Err(ApiError::new(StatusCode::NOT_FOUND, "this server has no corpus to ask about")
            .expecting("a server that was started with an index: `probare serve --index INDEX --model MODEL`"));
    };
    let wrong = |error: &str| ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, error);
    if question.trim().is_empty() {
        return Err(wrong("`question` is empty").expecting("a question"));
    }
    if !(1..=MOST_PASSAGES).contains(&k) {
        return Err(wrong("`k` is out of range").expecting(format!("a whole number from 1 to {MOST_PASSAGES}")));
    }
    let models = answerer.models();
    let model = match model {
        Some(model) if models.contains(&model) => model,
        // A client must not spend the operator's money with whomever it likes, nor name files of this machine.
        Some(_) => return Err(wrong("`model` is not offered here").expecting(model_choices(models))),
        None => models.first().cloned().ok_or_else(|| wrong("this server offers no model"))?,
    };
    let asked = PromptRequest { question, k: k as usize, filter, model };
    let answerer = Arc::clone(answerer);
    let reply = app.prompts.run(begun.deadline, move |_| answerer.answer(&asked)).await?;
    match reply {
        Ok(reply) => Ok(json_response(StatusCode::OK, &reply)),
        Err(error) => Err(match error {
            PromptError::Question { reason } => wrong(&reason),
            PromptError::Model { reason } => ApiError::new(StatusCode::BAD_GATEWAY, reason),
            PromptError::TimedOut => ApiError::new(StatusCode::GATEWAY_TIMEOUT, error.to_string()),
            PromptError::Corpus => ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
        }),
    }
}

fn model_choices(models: &[String]) -> String {
    let names: Vec<String> = models.iter().map(|model| format!("`{model}`")).collect();
    if names.is_empty() { "a server with a model".to_owned() } else { format!("one of {}", names.join(", ")) }
}
