//! `/converse` of Bedrock, one way of asking for the models of many makers.
//!
//! Replies do not come in pieces here: its stream is a binary form of its own. A JSON Schema is asked for through a tool that
//! the model has to use.

use std::time::{Duration, SystemTime};

use probare_core::{Message, Part, Role, StopReason};
use reqwest::header::HeaderMap;
use serde_json::{Map, Value as Json, json as form};

use super::anthropic::{REPLY_TOOL, take_call};
use super::{
    Dialect, Feature, Found, RawReply, RawRequest, ReplyError, Signs, address, base64, json, parted, schema, set, some,
    text_at, usage, usual_wait,
};
use crate::{Fault, Request};

/// Bedrock.
pub(crate) struct Bedrock;

impl Dialect for Bedrock {
    fn supports(&self, feature: Feature) -> bool {
        !matches!(
            feature,
            Feature::Seed | Feature::Logprobs | Feature::ReasoningEffort | Feature::Embeddings | Feature::Streaming
        )
    }

    fn write(&self, request: &Request, _: bool) -> RawRequest {
        let (system, messages) = parted(&request.messages);
        let parameters = &request.parameters;
        let mut how = Map::new();
        set(&mut how, "maxTokens", parameters.max_tokens);
        set(&mut how, "temperature", parameters.temperature);
        set(&mut how, "topP", parameters.top_p);
        set(&mut how, "stopSequences", some(&parameters.stop));
        let tool = |name: &str, description: &str, schema: &Json| {
            let mut spec = Map::new();
            set(&mut spec, "name", Some(name));
            // An empty description is refused there.
            set(&mut spec, "description", Some(description).filter(|text| !text.is_empty()));
            set(&mut spec, "inputSchema", Some(form!({"json": schema})));
            form!({"toolSpec": spec})
        };
        let mut tools: Vec<Json> =
            parameters.tools.iter().map(|given| tool(&given.name, &given.description, &schema(given))).collect();
        let mut choice = None;
        if let Some(schema) = &parameters.schema {
            choice = Some(if tools.is_empty() { form!({"tool": {"name": REPLY_TOOL}}) } else { form!({"any": {}}) });
            tools.push(tool(REPLY_TOOL, "Gives the reply.", schema));
        }
        let mut body = Map::new();
        set(&mut body, "system", system.map(|text| form!([{"text": text}])));
        set(&mut body, "messages", Some(messages.into_iter().map(message).collect::<Vec<Json>>()));
        set(&mut body, "inferenceConfig", (!how.is_empty()).then_some(how));
        if !tools.is_empty() {
            let mut config = Map::new();
            set(&mut config, "tools", Some(tools));
            set(&mut config, "toolChoice", choice);
            set(&mut body, "toolConfig", Some(config));
        }
        body.extend(request.extra_body.clone());
        let path = format!("/model/{}/converse", escaped(&request.model));
        RawRequest::new(address(&request.base_url, &path), body)
    }

    fn read(&self, request: &Request, body: &[u8]) -> Result<RawReply, ReplyError> {
        let json = json(body)?;
        let mut found = Found {
            usage: usage(
                &json,
                &["/usage/inputTokens", "/usage/cacheReadInputTokens", "/usage/cacheWriteInputTokens"],
                &["/usage/outputTokens"],
                "",
                "/usage/cacheReadInputTokens",
            ),
            stop: text_at(&json, "/stopReason").map(stop_reason),
            ended: text_at(&json, "/stopReason").unwrap_or_default().replace('_', " "),
            ..Found::default()
        };
        for block in json.pointer("/output/message/content").and_then(Json::as_array).into_iter().flatten() {
            found.texts.extend(text_at(block, "/text").map(ToOwned::to_owned));
            if let Some(call) = block.get("toolUse") {
                let name = text_at(call, "/name").unwrap_or_default().to_owned();
                let input = call.get("input").cloned().unwrap_or_default();
                take_call(&mut found, request, text_at(call, "/toolUseId").unwrap_or_default(), name, input);
            }
        }
        found.reply().map(RawReply::from)
    }

    fn write_vectors(&self, _: &[Request]) -> RawRequest {
        RawRequest::new(String::new(), Map::new())
    }

    fn read_vectors(&self, _: &[Request], _: &[u8]) -> Result<Vec<RawReply>, ReplyError> {
        Err(super::no_vectors())
    }

    fn most_vectors(&self) -> usize {
        1
    }

    fn join(&self, _: &[Json]) -> Result<Json, ReplyError> {
        Err(super::no_stream())
    }

    fn fault(&self, status: u16, body: &str) -> Fault {
        match status {
            // Throttling may come as 400 here.
            400 if body.contains("ThrottlingException") || body.contains("Too many") => Fault::TooManyRequests,
            // The model took too long, or is not ready yet.
            424 => Fault::ServerError,
            429 if body.contains("not ready") => Fault::Overloaded,
            _ => Fault::of_status(status, body),
        }
    }

    fn retry_after(&self, headers: &HeaderMap, _: &str, now: SystemTime) -> Option<Duration> {
        usual_wait(headers, now)
    }

    fn signs(&self) -> Signs {
        Signs {
            truncated: "`stopReason: max_tokens`, `model_context_window_exceeded`",
            refused: "`stopReason: guardrail_intervened`, `content_filtered`",
            empty: "no block of text and no call of a tool",
        }
    }
}

fn stop_reason(word: &str) -> StopReason {
    match word {
        "end_turn" => StopReason::End,
        "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
        "stop_sequence" => StopReason::StopText,
        "tool_use" => StopReason::ToolCalls,
        "guardrail_intervened" | "content_filtered" => StopReason::Refusal,
        _ => StopReason::Other,
    }
}

fn message(message: &Message) -> Json {
    let role = if message.role == Role::Assistant { "assistant" } else { "user" };
    let block = |part: Part| match part {
        Part::Text { text } => form!({"text": text}),
        Part::Image(image) => {
            form!({"image": {"format": image.kind().name(), "source": {"bytes": base64(image.bytes())}}})
        }
        Part::ToolCall(call) => {
            form!({"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.arguments}})
        }
        Part::ToolResult { id, text, is_error, .. } => form!({"toolResult": {"toolUseId": id,
            "content": [{"text": text}], "status": if is_error { "error" } else { "success" }}}),
    };
    form!({"role": role, "content": message.all_parts().map(block).collect::<Vec<Json>>()})
}

/// A name as one piece of a path: everything but letters, digits and `-._~` as `%XX`.
pub(crate) fn escaped(text: &str) -> String {
    let mut path = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            path.push(char::from(byte));
        } else {
            path.push_str(&format!("%{byte:02X}"));
        }
    }
    path
}
