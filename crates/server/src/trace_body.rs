//! [`TraceEncoding`]: how traces come in a body, and the OTLP/JSON that is read from it.

use std::io::Read as _;

use axum::http::StatusCode;
use flate2::read::MultiGzDecoder;
use probare_formats::Grouping;

use crate::api_error::ApiError;
use crate::app::{App, truncated};
use crate::body::RequestBody;
use crate::otlp::{self, OtlpError, Signal};

/// How much longer the JSON of a body in protobuf may be than the longest body.
const LONGER: usize = 4;

pub(crate) const EXPECTED: &str = "an ExportTraceServiceRequest of OTLP: in JSON an object with `resourceSpans`";

/// How the spans of a body come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TraceEncoding {
    pub signal: Signal,
    pub is_protobuf: bool,
    pub is_packed: bool,
    pub group: Grouping,
}

impl TraceEncoding {
    /// The body as OTLP/JSON, within the limits that bodies have.
    pub fn decode(self, app: &App, held: RequestBody) -> Result<RequestBody, ApiError> {
        let limit = app.limits.body;
        let mut held = held;
        if self.is_packed {
            let mut bytes = Vec::new();
            let read = MultiGzDecoder::new(held.bytes.as_slice()).take(limit as u64 + 1).read_to_end(&mut bytes);
            read.map_err(|_| ApiError::new(StatusCode::BAD_REQUEST, "the body is not gzip").expecting(EXPECTED))?;
            if bytes.len() > limit {
                return Err(too_long(limit));
            }
            held = held.with_bytes(app, bytes)?;
        }
        if self.is_protobuf {
            let json =
                otlp::as_json(&held.bytes, self.signal, limit.saturating_mul(LONGER)).map_err(
                    |unread| match unread {
                        OtlpError::Broken(reason) => {
                            let error = format!("the body is not OTLP protobuf: {}", truncated(&reason));
                            ApiError::new(StatusCode::BAD_REQUEST, error).expecting(EXPECTED)
                        }
                        OtlpError::TooLong => too_long(limit),
                    },
                )?;
            held = held.with_bytes(app, json)?;
        }
        Ok(held)
    }
}

fn too_long(limit: usize) -> ApiError {
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long once it is unpacked")
        .expecting(format!("at most {limit} bytes; exporters can send smaller batches"))
}
