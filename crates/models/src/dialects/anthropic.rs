//! `/v1/messages` of Anthropic.
//!
//! A JSON Schema is asked for through a tool that the model has to use, which every model of the family understands.

use probare_core::{Message, MessagePart, Role, StopReason, ToolCall, Usage};
use serde_json::{Map, Value as Json, json as form};

use super::chat::append;
use super::{
    Dialect, Feature, RawReply, RawRequest, ReplyDraft, ReplyError, base64, cut_stream, endpoint_url, non_empty,
    parse_json, schema, set, split_system, text_at, u64_at, usage, with_joined_results,
};
use crate::{Fault, ModelRequest};

/// The version of the interface, sent as a header.
pub(crate) const VERSION: &str = "2023-06-01";

/// The interface wants a limit; this one holds when none is given.
pub(crate) const MOST_TOKENS: u32 = 4096;

/// The tool by which a reply of a schema is given.
pub(super) const REPLY_TOOL: &str = "reply";

/// Anthropic.
pub(crate) struct Anthropic;

impl Dialect for Anthropic {
    fn supports(&self, feature: Feature) -> bool {
        !matches!(feature, Feature::Seed | Feature::Logprobs | Feature::Embeddings)
    }

    fn write(&self, request: &ModelRequest, streams: bool) -> Result<RawRequest, ReplyError> {
        let (system, messages) = split_system(&request.messages);
        let messages = with_joined_results(messages);
        let parameters = &request.parameters;
        let thinks = request.extra_body.get("thinking").is_some_and(is_thinking);
        thinking_allows(request, thinks)?;
        let mut body = Map::new();
        set(&mut body, "model", Some(&request.model));
        set(&mut body, "max_tokens", Some(parameters.max_tokens.unwrap_or(MOST_TOKENS)));
        set(&mut body, "system", system);
        set(&mut body, "messages", Some(messages.iter().map(message).collect::<Vec<Json>>()));
        set(&mut body, "temperature", parameters.temperature);
        set(&mut body, "top_p", parameters.top_p);
        set(&mut body, "stop_sequences", non_empty(&parameters.stop));
        let effort = request.reasoning_effort.as_ref();
        set(&mut body, "output_config", effort.map(|effort| form!({"effort": effort})));
        let mut tools: Vec<Json> = parameters
            .tools
            .iter()
            .map(|tool| form!({"name": tool.name, "description": tool.description, "input_schema": schema(tool)}))
            .collect();
        if let Some(schema) = &parameters.schema {
            let choice = match () {
                // A model that thinks cannot be made to use a tool.
                () if thinks => form!({"type": "auto"}),
                () if tools.is_empty() => form!({"type": "tool", "name": REPLY_TOOL}),
                () => form!({"type": "any"}),
            };
            tools.push(form!({"name": REPLY_TOOL, "description": "Gives the reply.", "input_schema": schema}));
            set(&mut body, "tools", Some(&tools));
            set(&mut body, "tool_choice", Some(choice));
        } else {
            set(&mut body, "tools", non_empty(&tools));
        }
        set(&mut body, "stream", streams.then_some(true));
        RawRequest::new(endpoint_url(&request.base_url, "/v1/messages"), body, &request.extra_body)
    }

    fn read(&self, request: &ModelRequest, body: &[u8]) -> Result<RawReply, ReplyError> {
        let json = parse_json(body)?;
        if text_at(&json, "/type") == Some("error") {
            let text = String::from_utf8_lossy(body);
            let fault = match text_at(&json, "/error/type") {
                Some("overloaded_error") => Fault::Overloaded,
                Some("rate_limit_error") => Fault::TooManyRequests,
                Some("authentication_error") => Fault::WrongKey,
                Some("billing_error") => Fault::NoCredit,
                Some("invalid_request_error") => self.fault(400, &text),
                _ => Fault::ServerError,
            };
            return Err(ReplyError::new(fault, super::error_message(&text)));
        }
        let mut found = ReplyDraft {
            // What was read from or written to the provider's cache was sent too.
            usage: usage(
                &json,
                &["/usage/input_tokens", "/usage/cache_read_input_tokens", "/usage/cache_creation_input_tokens"],
                &["/usage/output_tokens"],
                "",
                "/usage/cache_read_input_tokens",
            )
            .map(|usage| Usage {
                cache_write_tokens: u64_at(&json, "/usage/cache_creation_input_tokens"),
                hour_cache_write_tokens: u64_at(&json, "/usage/cache_creation/ephemeral_1h_input_tokens"),
                ..usage
            }),
            model: text_at(&json, "/model").map(ToOwned::to_owned),
            ..ReplyDraft::default()
        };
        found.set_stop_reason(request, text_at(&json, "/stop_reason"));
        for block in json.get("content").and_then(Json::as_array).into_iter().flatten() {
            match text_at(block, "/type") {
                Some("tool_use") => {
                    let input = block.get("input").cloned().unwrap_or_default();
                    let name = text_at(block, "/name").unwrap_or_default().to_owned();
                    take_call(&mut found, request, text_at(block, "/id").unwrap_or_default(), name, input);
                }
                Some("thinking" | "redacted_thinking") => {}
                _ => found.texts.extend(text_at(block, "/text").map(ToOwned::to_owned)),
            }
        }
        found.into_reply()
    }

    fn join(&self, events: &[Json]) -> Result<Json, ReplyError> {
        let (mut whole, mut blocks) = (Map::new(), Vec::<Map<String, Json>>::new());
        let mut is_whole = false;
        for event in events {
            let block = event.get("index").and_then(Json::as_u64).and_then(|at| usize::try_from(at).ok());
            match text_at(event, "/type") {
                Some("error") => return Ok(event.clone()),
                Some("message_start") => {
                    for field in ["model", "usage"] {
                        set(&mut whole, field, event.pointer(&format!("/message/{field}")));
                    }
                }
                Some("content_block_start") => {
                    blocks.push(event.get("content_block").and_then(Json::as_object).cloned().unwrap_or_default());
                }
                Some("content_block_delta") => {
                    let Some(block) = block.and_then(|at| blocks.get_mut(at)) else { continue };
                    if let Some(text) = text_at(event, "/delta/text") {
                        append(block, "text", text);
                    }
                    if let Some(text) = text_at(event, "/delta/partial_json") {
                        append(block, "partial", text);
                    }
                }
                Some("message_delta") => {
                    set(&mut whole, "stop_reason", event.pointer("/delta/stop_reason"));
                    let later = event.get("usage").and_then(Json::as_object).cloned().unwrap_or_default();
                    if let Json::Object(known) = whole.entry("usage").or_insert_with(|| form!({})) {
                        known.extend(later);
                    }
                }
                Some("message_stop") => is_whole = true,
                _ => {}
            }
        }
        if !is_whole {
            return Err(cut_stream());
        }
        let finished = blocks.into_iter().map(|mut block| {
            if let Some(Json::String(text)) = block.remove("partial") {
                block.insert("input".to_owned(), super::arguments(&text));
            }
            Json::Object(block)
        });
        whole.insert("content".to_owned(), Json::Array(finished.collect()));
        Ok(Json::Object(whole))
    }

    fn fault(&self, status: u16, body: &str) -> Fault {
        match status {
            // Both come as `invalid_request_error`, which says nothing.
            400 if body.contains("credit balance is too low") => Fault::NoCredit,
            400 if body.contains("blocked by content filtering policy") => Fault::Moderated,
            _ => Fault::from_status(status, body),
        }
    }
}

/// A call of a tool; that of the tool for replies is the reply.
pub(super) fn take_call(found: &mut ReplyDraft, request: &ModelRequest, id: &str, name: String, input: Json) {
    if request.parameters.schema.is_some() && name == REPLY_TOOL {
        found.texts = vec![input.to_string()];
        if found.stop == Some(StopReason::ToolCalls) {
            found.stop = Some(StopReason::End);
        }
    } else {
        found.calls.push(ToolCall { id: id.to_owned(), name, arguments: input, signature: None });
    }
}

/// Whether a setting `thinking` lets the model think.
pub(super) fn is_thinking(setting: &Json) -> bool {
    matches!(text_at(setting, "/type"), Some("enabled" | "adaptive"))
}

/// A model that thinks takes no other temperature than 1, and no `top_p` below 0.95.
pub(super) fn thinking_allows(request: &ModelRequest, thinks: bool) -> Result<(), ReplyError> {
    let parameters = &request.parameters;
    let wrong = match parameters {
        _ if !thinks => return Ok(()),
        _ if parameters.temperature.is_some_and(|number| number != 1.0) => "temperature",
        _ if parameters.top_p.is_some_and(|number| number < 0.95) => "top_p",
        _ => return Ok(()),
    };
    let reason = format!("lets the model think, and the vendor refuses `{wrong}` beside that; leave out one of them");
    Err(ReplyError::new(Fault::BadRequest, reason))
}

fn message(message: &Message) -> Json {
    let role = if message.role == Role::Assistant { "assistant" } else { "user" };
    if message.parts.is_empty() {
        return form!({"role": role, "content": message.text});
    }
    let block = |part: MessagePart| match part {
        MessagePart::Text { text } => form!({"type": "text", "text": text}),
        MessagePart::Image(image) => form!({"type": "image", "source": {"type": "base64",
            "media_type": image.kind().media_type(), "data": base64(image.bytes())}}),
        MessagePart::ToolCall(call) => {
            form!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments})
        }
        MessagePart::ToolResult { id, text, is_error, .. } => {
            form!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error})
        }
    };
    form!({"role": role, "content": message.all_parts().map(block).collect::<Vec<Json>>()})
}

#[cfg(test)]
mod tests {
    use probare_core::{Parameters, ReplyContent};

    use super::super::tests_support::{read, request};
    use super::*;
    use crate::Provider;

    #[test]
    fn the_bytes_of_a_request_are_these() {
        let raw = Anthropic.write(&request(Provider::Anthropic), false).unwrap();
        assert_eq!(raw.url, "https://api.anthropic.com/v1/messages");
        assert_eq!(
            String::from_utf8(raw.body).unwrap(),
            r#"{"model":"m","max_tokens":50,"system":"Be brief.","messages":[{"role":"user","content":"Why?"}],"temperature":0.0,"top_p":0.9,"stop_sequences":["END"],"tools":[{"name":"reply","description":"Gives the reply.","input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"reply"}}"#
        );
    }

    #[test]
    fn text_tool_cut_and_refusal_are_read() {
        let content = |body: &str| read(Provider::Anthropic, body).unwrap().reply.content;
        let text = read(Provider::Anthropic, r#"{"model":"c","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"A"},{"type":"text","text":"B"}],"usage":{"input_tokens":4,"cache_read_input_tokens":6,"output_tokens":2}}"#).unwrap();
        assert_eq!(text.reply.content, ReplyContent::Text("AB".into()));
        let usage = text.reply.usage.unwrap();
        assert_eq!((usage.input_tokens, usage.cached_tokens), (10, 6));
        let tool =
            br#"{"content":[{"type":"tool_use","name":"reply","input":{"verdict":true}}],"stop_reason":"tool_use"}"#;
        let reply = Anthropic.read(&request(Provider::Anthropic), tool).unwrap().reply;
        assert_eq!(reply.content, ReplyContent::Text(r#"{"verdict":true}"#.into()));
        let plain = ModelRequest { parameters: Parameters::default(), ..request(Provider::Anthropic) };
        let called = Anthropic.read(&plain, tool).unwrap().reply;
        assert_eq!((called.tool_calls().count(), called.stop), (1, Some(StopReason::ToolCalls)));
        assert!(matches!(content(r#"{"content":[],"stop_reason":"refusal"}"#), ReplyContent::Refused(_)));
        assert_eq!(content(r#"{"content":[],"stop_reason":"max_tokens"}"#), ReplyContent::Truncated(String::new()));
        let empty =
            read(Provider::Anthropic, r#"{"content":[],"usage":{"input_tokens":4,"output_tokens":0}}"#).unwrap_err();
        assert_eq!((empty.fault, empty.usage.unwrap().input_tokens), (Fault::Empty, 4));
    }
}
