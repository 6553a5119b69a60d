//! Models of `OpenAI` in Azure: `/chat/completions` below a deployment, with the version of the interface in the address.

use serde_json::Value as Json;

use super::chat::{body, join, read, read_vectors, vectors_body};
use super::{Dialect, Feature, RawReply, RawRequest, ReplyError, endpoint_url};
use crate::ModelRequest;

/// The version of the interface where the settings name none.
pub(crate) const VERSION: &str = "2024-10-21";

/// The first version that takes `reasoning_effort`, as the vendor's page on reasoning models says.
pub(crate) const FIRST_WITH_REASONING: &str = "2024-12-01-preview";

/// What names the version among what decides a reply.
pub(crate) const VERSION_NAME: &str = "api-version";

/// Azure.
pub(crate) struct Azure;

impl Dialect for Azure {
    fn supports(&self, _: Feature) -> bool {
        true
    }

    fn write(&self, request: &ModelRequest, streams: bool) -> Result<RawRequest, ReplyError> {
        let body = body(request, streams, true, "max_completion_tokens", "seed");
        RawRequest::new(deployment_url(request, "chat/completions"), body, &request.extra_body)
    }

    fn read(&self, request: &ModelRequest, body: &[u8]) -> Result<RawReply, ReplyError> {
        read(request, body)
    }

    fn write_vectors(&self, requests: &[ModelRequest]) -> Result<RawRequest, ReplyError> {
        let Some(first) = requests.first() else { return Ok(RawRequest::none()) };
        RawRequest::new(deployment_url(first, "embeddings"), vectors_body(requests), &first.extra_body)
    }

    fn read_vectors(&self, requests: &[ModelRequest], body: &[u8]) -> Result<Vec<RawReply>, ReplyError> {
        read_vectors(requests.len(), body)
    }

    fn most_vectors(&self) -> usize {
        256
    }

    fn join(&self, events: &[Json]) -> Result<Json, ReplyError> {
        join(events)
    }
}

/// The address of a deployment.
fn deployment_url(request: &ModelRequest, path: &str) -> String {
    let version = request.also.get(VERSION_NAME).map_or(VERSION, String::as_str);
    let path = format!("/openai/deployments/{}/{path}?api-version={version}", request.model);
    endpoint_url(&request.base_url, &path)
}
