//! `/responses` of `OpenAI`. What is asked is not stored there.

use probare_core::{Message, MessagePart, Role, StopReason, ToolCall, json_to_text};
use serde_json::{Map, Value as Json, json as form};

use super::stop::stop_reasons;
use super::{
    Dialect, Feature, RawReply, RawRequest, ReplyDraft, ReplyError, arguments, base64, cut_stream, endpoint_url,
    error_message, non_empty, parse_json, schema, set, split_system, text_at, usage,
};
use crate::{Fault, ModelRequest};

/// Responses.
pub(crate) struct Responses;

impl Dialect for Responses {
    fn supports(&self, feature: Feature) -> bool {
        !matches!(feature, Feature::Seed | Feature::Stop | Feature::Embeddings)
    }

    fn write(&self, request: &ModelRequest, streams: bool) -> Result<RawRequest, ReplyError> {
        let (system, messages) = split_system(&request.messages);
        let parameters = &request.parameters;
        let mut body = Map::new();
        set(&mut body, "model", Some(&request.model));
        set(&mut body, "instructions", system);
        set(&mut body, "input", Some(messages.into_iter().flat_map(items).collect::<Vec<Json>>()));
        set(&mut body, "temperature", parameters.temperature);
        set(&mut body, "top_p", parameters.top_p);
        set(&mut body, "max_output_tokens", parameters.max_tokens);
        if let Some(schema) = &parameters.schema {
            let format = form!({"type": "json_schema", "name": "reply", "strict": true, "schema": schema});
            set(&mut body, "text", Some(form!({"format": format})));
        }
        set(&mut body, "include", parameters.logprobs.then_some(["message.output_text.logprobs"]));
        set(&mut body, "reasoning", request.reasoning_effort.as_ref().map(|effort| form!({"effort": effort})));
        let tools: Vec<Json> = parameters
            .tools
            .iter()
            .map(|tool| {
                form!({"type": "function", "name": tool.name, "description": tool.description,
                "parameters": schema(tool)})
            })
            .collect();
        set(&mut body, "tools", non_empty(&tools));
        // A habit of ours, which `extra_body` may change.
        set(&mut body, "store", (!request.extra_body.contains_key("store")).then_some(false));
        set(&mut body, "stream", streams.then_some(true));
        RawRequest::new(endpoint_url(&request.base_url, "/responses"), body, &request.extra_body)
    }

    fn read(&self, request: &ModelRequest, body: &[u8]) -> Result<RawReply, ReplyError> {
        read(request, body)
    }

    fn join(&self, events: &[Json]) -> Result<Json, ReplyError> {
        // The last event holds the whole of it.
        let kind = |event: &&Json| text_at(event, "/type").unwrap_or_default().to_owned();
        let is_last = |event: &&Json| {
            matches!(kind(event).as_str(), "response.completed" | "response.incomplete" | "response.failed")
        };
        let last = events.iter().rev().find(is_last).and_then(|event| event.get("response"));
        let error = events.iter().find(|event| kind(event) == "error").map(|event| form!({"error": event}));
        last.cloned().or(error).ok_or_else(cut_stream)
    }
}

/// A message as items: calls and results of tools stand beside messages.
fn items(message: &Message) -> Vec<Json> {
    if message.parts.is_empty() {
        return vec![form!({"role": message.role.name(), "content": message.text})];
    }
    let kind = if message.role == Role::Assistant { "output_text" } else { "input_text" };
    let (mut content, mut others) = (Vec::new(), Vec::new());
    for part in message.all_parts() {
        match part {
            MessagePart::Text { text } => content.push(form!({"type": kind, "text": text})),
            MessagePart::Image(image) => {
                let url = format!("data:{};base64,{}", image.kind().media_type(), base64(image.bytes()));
                content.push(form!({"type": "input_image", "image_url": url}));
            }
            MessagePart::ToolCall(call) => others
                .push(form!({"type": "function_call", "call_id": call.id, "name": call.name,
                "arguments": json_to_text(&call.arguments)})),
            MessagePart::ToolResult { id, text, .. } => {
                others.push(form!({"type": "function_call_output", "call_id": id, "output": text}));
            }
        }
    }
    let text_item = (!content.is_empty()).then(|| form!({"role": message.role.name(), "content": content}));
    text_item.into_iter().chain(others).collect()
}

fn read(request: &ModelRequest, body: &[u8]) -> Result<RawReply, ReplyError> {
    let json = parse_json(body)?;
    if let Some(error) = json.get("error").filter(|error| !error.is_null()) {
        let fault = match error.get("code").and_then(Json::as_str) {
            Some("rate_limit_exceeded") => Fault::TooManyRequests,
            Some("invalid_prompt" | "image_content_policy_violation") => Fault::Moderated,
            _ => Fault::ServerError,
        };
        return Err(ReplyError::new(fault, error_message(&String::from_utf8_lossy(body))));
    }
    let mut found = ReplyDraft {
        usage: usage(
            &json,
            &["/usage/input_tokens"],
            &["/usage/output_tokens"],
            "/usage/output_tokens_details/reasoning_tokens",
            "/usage/input_tokens_details/cached_tokens",
        ),
        model: text_at(&json, "/model").map(ToOwned::to_owned),
        ..ReplyDraft::default()
    };
    // What is incomplete for a reason that is not known is incomplete all the same.
    let reason = text_at(&json, "/incomplete_details/reason");
    let known = reason.filter(|word| stop_reasons(request.provider).iter().any(|(known, _)| known == word));
    found.set_stop_reason(request, known.or_else(|| text_at(&json, "/status")).or(reason));
    let mut logprobs = None;
    for item in json.get("output").and_then(Json::as_array).into_iter().flatten() {
        match text_at(item, "/type") {
            Some("message") => {
                for part in item.get("content").and_then(Json::as_array).into_iter().flatten() {
                    match text_at(part, "/type") {
                        Some("output_text") => {
                            found.texts.extend(text_at(part, "/text").map(ToOwned::to_owned));
                            logprobs = part.get("logprobs").filter(|given| !given.is_null()).cloned().or(logprobs);
                        }
                        Some("refusal") => found.refusal = text_at(part, "/refusal").map(ToOwned::to_owned),
                        _ => {}
                    }
                }
            }
            Some("function_call") => found.calls.push(ToolCall {
                id: text_at(item, "/call_id").unwrap_or_default().to_owned(),
                name: text_at(item, "/name").unwrap_or_default().to_owned(),
                arguments: arguments(text_at(item, "/arguments").unwrap_or_default()),
                signature: None,
            }),
            _ => {}
        }
    }
    if found.stop == Some(StopReason::End) && !found.calls.is_empty() {
        found.stop = Some(StopReason::ToolCalls);
    }
    Ok(RawReply { logprobs, ..found.into_reply()? })
}
