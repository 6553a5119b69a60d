//! Bodies: taken in within limits, and read as JSON.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use serde::Deserialize;
use serde_json::error::Category;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

use crate::api_error::ApiError;
use crate::app::{App, PERMIT};

/// The type of a JSON body.
pub(crate) const JSON: &str = "application/json";
/// The type of JSON lines.
pub(crate) const JSON_LINES: &str = "application/x-ndjson";
/// The type of protobuf, as OTLP calls it.
pub(crate) const PROTOBUF: &str = "application/x-protobuf";

/// A body that was taken in, and the room it takes.
pub(crate) struct RequestBody {
    pub bytes: Vec<u8>,
    room: Option<OwnedSemaphorePermit>,
}

impl RequestBody {
    /// Other bytes in place of these, if there is room for them.
    pub fn with_bytes(mut self, app: &App, bytes: Vec<u8>) -> Result<Self, ApiError> {
        self.bytes = bytes;
        self.make_room(app)?;
        Ok(self)
    }

    /// Takes as much room as the bytes need.
    fn make_room(&mut self, app: &App) -> Result<(), ApiError> {
        let has = self.room.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let wanted = self.bytes.capacity().div_ceil(PERMIT).saturating_sub(has);
        if wanted == 0 {
            return Ok(());
        }
        let permits = u32::try_from(wanted).map_err(|_| ApiError::busy())?;
        let more = app.room.clone().try_acquire_many_owned(permits).map_err(|_| ApiError::busy())?;
        match &mut self.room {
            Some(room) => room.merge(more),
            None => self.room = Some(more),
        }
        Ok(())
    }
}

/// Which of these types a body is of. A page of another site cannot send these without being asked for leave first, which it
/// is not given.
pub(crate) fn content_type(headers: &HeaderMap, known: &[&'static str]) -> Result<&'static str, ApiError> {
    if headers.get(CONTENT_ENCODING).is_some_and(|packed| packed != "identity") {
        let error = "the body is packed, which is not understood";
        let refusal = ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, error);
        return Err(refusal.expecting("a body without Content-Encoding").closing());
    }
    content_type_and_packing(headers, known).map(|(kind, _)| kind)
}

/// The same of a body that may be packed with gzip, and whether it is.
pub(crate) fn content_type_and_packing(
    headers: &HeaderMap,
    known: &[&'static str],
) -> Result<(&'static str, bool), ApiError> {
    let expected = || format!("`Content-Type: {}`", known.join("` or `"));
    let refuse = |error: &str| ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, error).expecting(expected()).closing();
    let packed = headers.get(CONTENT_ENCODING).filter(|packed| *packed != "identity");
    if packed.is_some_and(|packed| packed != "gzip") {
        let refusal = refuse("the body is packed in a way that is not understood");
        return Err(refusal.expecting("`Content-Encoding: gzip`, or none"));
    }
    let Some(given) = headers.get(CONTENT_TYPE) else { return Err(refuse("the body says no type")) };
    let given = given.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    known
        .iter()
        .copied()
        .find(|known| given.eq_ignore_ascii_case(known))
        .map(|known| (known, packed.is_some()))
        .ok_or_else(|| refuse("the body is of another type than is understood here"))
}

/// Takes a body in, up to a limit, within the time of its request, and as long as there is room for it.
pub(crate) async fn read_body(
    app: &App,
    request: Request,
    limit: usize,
    deadline: Instant,
) -> Result<RequestBody, ApiError> {
    let too_long = || {
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long")
            .expecting(format!("at most {limit} bytes"))
            .closing()
    };
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit as u64) {
        return Err(too_long());
    }
    let too_slow = || {
        ApiError::new(StatusCode::REQUEST_TIMEOUT, "the body did not come in time")
            .expecting("the whole body within the time for a request")
            .closing()
    };
    let mut body: Body = request.into_body();
    let mut held = RequestBody { bytes: Vec::new(), room: None };
    while let Some(frame) = timeout_at(deadline, body.frame()).await.map_err(|_| too_slow())? {
        let broken = || ApiError::new(StatusCode::BAD_REQUEST, "the body broke off").closing();
        let Ok(data) = frame.map_err(|_| broken())?.into_data() else { continue };
        if data.len() > limit - held.bytes.len() {
            return Err(too_long());
        }
        held.bytes.extend_from_slice(&data);
        held.make_room(app).map_err(ApiError::closing)?;
    }
    Ok(held)
}

/// Reads JSON. What is not JSON is a bad request; what is some, but not what was expected, cannot be processed.
pub(crate) fn parse_json<'a, T: Deserialize<'a>>(bytes: &'a [u8], expected: &str) -> Result<T, ApiError> {
    serde_json::from_slice(bytes).map_err(|error| {
        let (status, what) = match error.classify() {
            Category::Data => (StatusCode::UNPROCESSABLE_ENTITY, "the body does not fit"),
            _ => (StatusCode::BAD_REQUEST, "the body is not valid JSON"),
        };
        ApiError::new(status, format!("{what}: {}", crate::app::truncated(&error.to_string()))).expecting(expected)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_compared_without_their_parameters() {
        let typed = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, text.parse().unwrap());
            content_type(&headers, &[JSON, JSON_LINES])
        };
        assert_eq!(typed("Application/JSON; charset=utf-8"), Ok(JSON));
        assert_eq!(typed("application/x-ndjson"), Ok(JSON_LINES));
        for other in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""] {
            assert_eq!(typed(other).unwrap_err().status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{other}");
        }
        assert!(content_type(&HeaderMap::new(), &[JSON]).is_err());
    }

    #[test]
    fn broken_json_and_other_json_are_different_mistakes() {
        let broken = parse_json::<Vec<u8>>(b"[1,", "a list").unwrap_err();
        assert_eq!((broken.status, broken.reply.expected.as_deref()), (StatusCode::BAD_REQUEST, Some("a list")));
        assert_eq!(parse_json::<Vec<u8>>(b"{}", "a list").unwrap_err().status, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(parse_json::<Vec<u8>>(b"[1] x", "a list").unwrap_err().status, StatusCode::BAD_REQUEST);
        assert_eq!(parse_json::<String>(b"\"\xff\"", "a text").unwrap_err().status, StatusCode::BAD_REQUEST);
    }
}
