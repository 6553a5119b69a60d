//! `/converse` of Bedrock, one way of asking for the models of many makers.
//!
//! Replies do not come in pieces here: its stream is a binary form of its own. A JSON Schema is asked for through a tool that
//! the model has to use.

use probare_core::{Message, MessagePart, Role, Usage};
use serde_json::{Map, Value as Json, json as form};

use super::anthropic::{REPLY_TOOL, is_thinking, take_call, thinking_allows};
use super::{
    Dialect, Feature, RawReply, RawRequest, ReplyDraft, ReplyError, base64, endpoint_url, non_empty, parse_json,
    schema, set, split_system, text_at, u64_at, usage, with_joined_results,
};
use crate::{Fault, ModelRequest};

/// Bedrock.
pub(crate) struct Bedrock;

impl Dialect for Bedrock {
    fn supports(&self, feature: Feature) -> bool {
        !matches!(
            feature,
            Feature::Seed | Feature::Logprobs | Feature::ReasoningEffort | Feature::Embeddings | Feature::Streaming
        )
    }

    fn write(&self, request: &ModelRequest, _: bool) -> Result<RawRequest, ReplyError> {
        let (system, messages) = split_system(&request.messages);
        let messages = with_joined_results(messages);
        let further = request.extra_body.get("additionalModelRequestFields");
        let thinks = further.and_then(|fields| fields.get("thinking")).is_some_and(is_thinking);
        thinking_allows(request, thinks)?;
        let parameters = &request.parameters;
        let mut how = Map::new();
        set(&mut how, "maxTokens", parameters.max_tokens);
        set(&mut how, "temperature", parameters.temperature);
        set(&mut how, "topP", parameters.top_p);
        set(&mut how, "stopSequences", non_empty(&parameters.stop));
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
            choice = Some(match () {
                // A model that thinks cannot be made to use a tool.
                () if thinks => form!({"auto": {}}),
                () if tools.is_empty() => form!({"tool": {"name": REPLY_TOOL}}),
                () => form!({"any": {}}),
            });
            tools.push(tool(REPLY_TOOL, "Gives the reply.", schema));
        }
        let mut body = Map::new();
        set(&mut body, "system", system.map(|text| form!([{"text": text}])));
        set(&mut body, "messages", Some(messages.iter().map(message).collect::<Vec<Json>>()));
        set(&mut body, "inferenceConfig", (!how.is_empty()).then_some(how));
        if !tools.is_empty() {
            let mut config = Map::new();
            set(&mut config, "tools", Some(tools));
            set(&mut config, "toolChoice", choice);
            set(&mut body, "toolConfig", Some(config));
        }
        let path = format!("/model/{}/converse", escaped(&request.model));
        RawRequest::new(endpoint_url(&request.base_url, &path), body, &request.extra_body)
    }

    fn read(&self, request: &ModelRequest, body: &[u8]) -> Result<RawReply, ReplyError> {
        let json = parse_json(body)?;
        let mut found = ReplyDraft {
            usage: usage(
                &json,
                &["/usage/inputTokens", "/usage/cacheReadInputTokens", "/usage/cacheWriteInputTokens"],
                &["/usage/outputTokens"],
                "",
                "/usage/cacheReadInputTokens",
            )
            .map(|usage| Usage { cache_write_tokens: u64_at(&json, "/usage/cacheWriteInputTokens"), ..usage }),
            ..ReplyDraft::default()
        };
        found.set_stop_reason(request, text_at(&json, "/stopReason"));
        for block in json.pointer("/output/message/content").and_then(Json::as_array).into_iter().flatten() {
            found.texts.extend(text_at(block, "/text").map(ToOwned::to_owned));
            if let Some(call) = block.get("toolUse") {
                let name = text_at(call, "/name").unwrap_or_default().to_owned();
                let input = call.get("input").cloned().unwrap_or_default();
                take_call(&mut found, request, text_at(call, "/toolUseId").unwrap_or_default(), name, input);
            }
        }
        found.into_reply()
    }

    fn fault(&self, status: u16, body: &str) -> Fault {
        match status {
            // Throttling may come as 400 here.
            400 if body.contains("ThrottlingException") || body.contains("Too many") => Fault::TooManyRequests,
            // The model took too long, or is not ready yet.
            424 => Fault::ServerError,
            429 if body.contains("not ready") => Fault::Overloaded,
            _ => Fault::from_status(status, body),
        }
    }
}

fn message(message: &Message) -> Json {
    let role = if message.role == Role::Assistant { "assistant" } else { "user" };
    let block = |part: MessagePart| match part {
        MessagePart::Text { text } => form!({"text": text}),
        MessagePart::Image(image) => {
            form!({"image": {"format": image.kind().name(), "source": {"bytes": base64(image.bytes())}}})
        }
        MessagePart::ToolCall(call) => {
            form!({"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.arguments}})
        }
        MessagePart::ToolResult { id, text, is_error, .. } => form!({"toolResult": {"toolUseId": id,
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
