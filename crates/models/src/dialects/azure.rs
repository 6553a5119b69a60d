//! Models of `OpenAI` in Azure: `/chat/completions` below a deployment, with the version of the interface in the address.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::Value as Json;

use super::chat::{body, join, read, read_vectors, vectors_body};
use super::{Dialect, Feature, RawReply, RawRequest, ReplyError, Signs, address, usual_wait};
use crate::{Fault, Request};

/// The version of the interface where the settings name none.
pub(crate) const VERSION: &str = "2024-10-21";

/// What names the version among what decides a reply.
pub(crate) const VERSION_NAME: &str = "api-version";

/// Azure.
pub(crate) struct Azure;

impl Dialect for Azure {
    fn supports(&self, _: Feature) -> bool {
        true
    }

    fn write(&self, request: &Request, streams: bool) -> RawRequest {
        RawRequest::new(deployed(request, "chat/completions"), body(request, streams, "max_completion_tokens", "seed"))
    }

    fn read(&self, _: &Request, body: &[u8]) -> Result<RawReply, ReplyError> {
        read(body)
    }

    fn write_vectors(&self, requests: &[Request]) -> RawRequest {
        let url = requests.first().map(|first| deployed(first, "embeddings")).unwrap_or_default();
        RawRequest::new(url, vectors_body(requests))
    }

    fn read_vectors(&self, requests: &[Request], body: &[u8]) -> Result<Vec<RawReply>, ReplyError> {
        read_vectors(requests.len(), body)
    }

    fn most_vectors(&self) -> usize {
        256
    }

    fn join(&self, events: &[Json]) -> Result<Json, ReplyError> {
        join(events)
    }

    fn fault(&self, status: u16, body: &str) -> Fault {
        Fault::of_status(status, body)
    }

    fn retry_after(&self, headers: &HeaderMap, _: &str, now: SystemTime) -> Option<Duration> {
        usual_wait(headers, now)
    }

    fn signs(&self) -> Signs {
        Signs {
            truncated: "`finish_reason: length`",
            refused: "`message.refusal`, `finish_reason: content_filter`, status 400 with code `content_filter`",
            empty: "no choice, or `content: null` without a call of a tool",
        }
    }
}

/// The address of a deployment.
fn deployed(request: &Request, path: &str) -> String {
    let version = request.also.get(VERSION_NAME).map_or(VERSION, String::as_str);
    let path = format!("/openai/deployments/{}/{path}?api-version={version}", request.model);
    address(&request.base_url, &path)
}
