//! [`ApiError`]: a request that is not answered as it was meant, as JSON that says what was expected.

use std::fmt;

use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ErrorReply {
    /// What is wrong.
    pub error: String,
    /// What was expected, or what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub expected: Option<String>,
}

/// A request that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub status: StatusCode,
    pub reply: ErrorReply,
    /// Whether what is left of the request is not worth waiting for.
    closes: bool,
}

/// Seconds after which a client may try again.
const RETRY_SECONDS: HeaderValue = HeaderValue::from_static("1");

impl ApiError {
    pub fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self { status, reply: ErrorReply { error: error.into(), expected: None }, closes: false }
    }

    /// Says what was expected.
    pub fn expecting(mut self, expected: impl Into<String>) -> Self {
        self.reply.expected = Some(expected.into());
        self
    }

    /// Ends the connection with the reply.
    pub const fn closing(mut self) -> Self {
        self.closes = true;
        self
    }

    /// More is asked for than can be done.
    pub fn busy() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "too many requests are waiting").expecting("try again in a moment")
    }

    /// It took too long.
    pub fn deadline_exceeded() -> Self {
        Self::new(StatusCode::GATEWAY_TIMEOUT, "the time for this request is over").expecting("send less at once")
    }

    /// A mistake of ours. What it was is for the operator.
    pub fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "the server made a mistake, which is a bug")
    }

    /// The token is missing or wrong.
    pub fn unauthorized() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "the token is missing or wrong").expecting(
            "the header `Authorization: Bearer TOKEN`; `auth` in the body of /evaluate, /prompt and /evaluation-prompt",
        )
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reply.error)?;
        match &self.reply.expected {
            Some(expected) => write!(formatter, "; expected: {expected}"),
            None => Ok(()),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = json_response(self.status, &self.reply);
        let headers = response.headers_mut();
        match self.status {
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(RETRY_AFTER, RETRY_SECONDS);
            }
            StatusCode::UNAUTHORIZED => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            _ => {}
        }
        if self.closes {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// A reply of JSON.
pub(crate) fn json_response(status: StatusCode, reply: &impl Serialize) -> Response {
    match serde_json::to_vec(reply) {
        Ok(bytes) => typed_response(status, "application/json", bytes),
        // Every reply of ours has a JSON form.
        Err(_) => status.into_response(),
    }
}

/// A reply of this type.
pub(crate) fn typed_response(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
