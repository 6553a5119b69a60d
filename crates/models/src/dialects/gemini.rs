//! `:generateContent` of Gemini.

use std::time::{Duration, SystemTime};

use probare_core::{Message, MessagePart, ModelReply, Role, StopReason, ToolCall};
use reqwest::header::HeaderMap;
use serde_json::{Map, Value as Json, json as form};

use super::{
    Dialect, Feature, RawReply, RawRequest, ReplyDraft, ReplyError, base64, cut_stream, endpoint_url, non_empty,
    parse_json, read_vector, retry_after_header, schema, set, split_system, text_at, usage, with_joined_results,
};
use crate::retry_policy::retry_after;
use crate::{Fault, ModelRequest};

/// Gemini.
pub(crate) struct Gemini;

impl Dialect for Gemini {
    fn supports(&self, _: Feature) -> bool {
        true
    }

    fn write(&self, request: &ModelRequest, streams: bool) -> Result<RawRequest, ReplyError> {
        let (system, messages) = split_system(&request.messages);
        let messages = with_joined_results(messages);
        let parameters = &request.parameters;
        let mut how = Map::new();
        set(&mut how, "temperature", parameters.temperature);
        set(&mut how, "topP", parameters.top_p);
        set(&mut how, "maxOutputTokens", parameters.max_tokens);
        set(&mut how, "seed", parameters.seed);
        set(&mut how, "stopSequences", non_empty(&parameters.stop));
        if let Some(schema) = &parameters.schema {
            set(&mut how, "responseMimeType", Some("application/json"));
            set(&mut how, "responseJsonSchema", Some(schema));
        }
        set(&mut how, "responseLogprobs", parameters.logprobs.then_some(true));
        let effort = request.reasoning_effort.as_deref();
        set(&mut how, "thinkingConfig", effort.map(|effort| thinking(&request.model, effort)));
        let mut body = Map::new();
        set(&mut body, "systemInstruction", system.map(|text| form!({"parts": [{"text": text}]})));
        set(&mut body, "contents", Some(messages.iter().map(content).collect::<Vec<Json>>()));
        set(&mut body, "generationConfig", (!how.is_empty()).then_some(how));
        let tools: Vec<Json> = parameters
            .tools
            .iter()
            .map(|tool| {
                form!({"name": tool.name, "description": tool.description, "parametersJsonSchema": schema(tool)})
            })
            .collect();
        set(&mut body, "tools", non_empty(&tools).map(|tools| form!([{"functionDeclarations": tools}])));
        let verb = if streams { "streamGenerateContent?alt=sse" } else { "generateContent" };
        let url = endpoint_url(&request.base_url, &format!("/v1beta/models/{}:{verb}", request.model));
        RawRequest::new(url, body, &request.extra_body)
    }

    fn read(&self, request: &ModelRequest, body: &[u8]) -> Result<RawReply, ReplyError> {
        let json = parse_json(body)?;
        if let Some(status) = json.pointer("/error/code").and_then(Json::as_u64) {
            let text = String::from_utf8_lossy(body);
            let fault = u16::try_from(status).map_or(Fault::ServerError, |status| self.fault(status, &text));
            return Err(ReplyError::new(fault, super::error_message(&text)));
        }
        let candidate = json.pointer("/candidates/0").unwrap_or(&Json::Null);
        let blocked = text_at(&json, "/promptFeedback/blockReason");
        let ended = text_at(candidate, "/finishReason");
        let mut found = ReplyDraft {
            // Thoughts are charged as output.
            usage: usage(
                &json,
                &["/usageMetadata/promptTokenCount"],
                &["/usageMetadata/candidatesTokenCount", "/usageMetadata/thoughtsTokenCount"],
                "/usageMetadata/thoughtsTokenCount",
                "/usageMetadata/cachedContentTokenCount",
            ),
            model: text_at(&json, "/modelVersion").map(ToOwned::to_owned),
            ..ReplyDraft::default()
        };
        match blocked {
            Some(word) => {
                found.stop = Some(StopReason::Refusal);
                word.clone_into(&mut found.ended);
            }
            // "If empty, the model has not stopped generating tokens."
            None if ended.is_none() && json.pointer("/candidates/0").is_some() => return Err(cut_stream()),
            None => found.set_stop_reason(request, ended),
        }
        for part in candidate.pointer("/content/parts").and_then(Json::as_array).into_iter().flatten() {
            if part.get("thought") == Some(&Json::Bool(true)) {
                continue;
            }
            found.texts.extend(text_at(part, "/text").map(ToOwned::to_owned));
            if let Some(call) = part.get("functionCall") {
                found.calls.push(ToolCall {
                    id: text_at(call, "/id").unwrap_or_default().to_owned(),
                    name: text_at(call, "/name").unwrap_or_default().to_owned(),
                    arguments: call.get("args").cloned().unwrap_or_else(|| form!({})),
                    signature: text_at(part, "/thoughtSignature").map(ToOwned::to_owned),
                });
            }
        }
        if found.stop == Some(StopReason::End) && !found.calls.is_empty() {
            found.stop = Some(StopReason::ToolCalls);
        }
        let logprobs = candidate.get("logprobsResult").cloned();
        Ok(RawReply { logprobs, ..found.into_reply()? })
    }

    fn write_vectors(&self, requests: &[ModelRequest]) -> Result<RawRequest, ReplyError> {
        let mut body = Map::new();
        let Some(first) = requests.first() else { return Ok(RawRequest::none()) };
        let model = format!("models/{}", first.model);
        let list: Vec<Json> = requests
            .iter()
            .map(|request| form!({"model": model, "content": {"parts": [{"text": request.embedding_text()}]}}))
            .collect();
        set(&mut body, "requests", Some(list));
        let url = endpoint_url(&first.base_url, &format!("/v1beta/{model}:batchEmbedContents"));
        RawRequest::new(url, body, &first.extra_body)
    }

    fn read_vectors(&self, requests: &[ModelRequest], body: &[u8]) -> Result<Vec<RawReply>, ReplyError> {
        let json = parse_json(body)?;
        let empty = |reason: String| ReplyError::new(Fault::Empty, reason);
        let list = json.get("embeddings").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        if list.len() != requests.len() {
            let (found, expected) = (list.len(), requests.len());
            return Err(empty(format!("the reply has {found} vectors, and {expected} were asked for")));
        }
        list.iter()
            .map(|item| {
                let numbers = item.get("values").map(Json::to_string).unwrap_or_default();
                let vector = read_vector(&numbers).map_err(empty)?;
                Ok(ModelReply::text(serde_json::to_string(&vector).unwrap_or_default()).into())
            })
            .collect()
    }

    fn most_vectors(&self) -> usize {
        100
    }

    fn join(&self, events: &[Json]) -> Result<Json, ReplyError> {
        if let Some(error) = events.iter().find(|event| event.get("error").is_some()) {
            return Ok(error.clone());
        }
        let mut whole = Map::new();
        let (mut parts, mut ended, mut logprobs) = (Vec::new(), None, None);
        for event in events {
            for field in ["modelVersion", "usageMetadata", "promptFeedback"] {
                set(&mut whole, field, event.get(field));
            }
            let Some(candidate) = event.pointer("/candidates/0") else { continue };
            parts.extend(candidate.pointer("/content/parts").and_then(Json::as_array).into_iter().flatten().cloned());
            ended = candidate.get("finishReason").cloned().or(ended);
            logprobs = candidate.get("logprobsResult").cloned().or(logprobs);
        }
        // A prompt that was blocked has no candidate and no end.
        let is_blocked = whole.get("promptFeedback").is_some_and(|feedback| feedback.get("blockReason").is_some());
        if is_blocked && ended.is_none() {
            return Ok(Json::Object(whole));
        }
        if ended.is_none() {
            return Err(cut_stream());
        }
        let mut candidate = Map::new();
        set(&mut candidate, "content", Some(form!({"parts": parts})));
        set(&mut candidate, "finishReason", ended);
        set(&mut candidate, "logprobsResult", logprobs);
        whole.insert("candidates".to_owned(), form!([candidate]));
        Ok(Json::Object(whole))
    }

    fn retry_after(&self, headers: &HeaderMap, body: &str, now: SystemTime) -> Option<Duration> {
        // The delay stands in the body: `"retryDelay": "13s"` among the details of the error.
        let stated_delay = serde_json::from_str::<Json>(body).ok().and_then(|json| {
            let outer = json.get(0).unwrap_or(&json);
            let details = outer.pointer("/error/details").and_then(Json::as_array)?;
            let delay = details.iter().find_map(|detail| text_at(detail, "/retryDelay"))?;
            retry_after(delay.strip_suffix('s')?, now)
        });
        stated_delay.or_else(|| retry_after_header(headers, now))
    }
}

/// How hard a model thinks: by level, or before Gemini 3 by the tokens that the vendor's page on its `OpenAI` interface names
/// for each level.
fn thinking(model: &str, effort: &str) -> Json {
    let tokens = match effort {
        "none" => Some(0),
        "minimal" | "low" => Some(1024),
        "medium" => Some(8192),
        "high" => Some(24_576),
        _ => None,
    };
    match tokens.filter(|tokens| *tokens == 0 || model.starts_with("gemini-2")) {
        Some(tokens) => form!({"thinkingBudget": tokens}),
        None => form!({"thinkingLevel": effort.to_ascii_uppercase()}),
    }
}

fn content(message: &Message) -> Json {
    let role = if message.role == Role::Assistant { "model" } else { "user" };
    let part = |part: MessagePart| match part {
        MessagePart::Text { text } => form!({"text": text}),
        MessagePart::Image(image) => {
            form!({"inlineData": {"mimeType": image.kind().media_type(), "data": base64(image.bytes())}})
        }
        MessagePart::ToolCall(call) => {
            let mut function = function_header(&call.id, &call.name);
            set(&mut function, "args", Some(call.arguments));
            let mut part = Map::new();
            set(&mut part, "functionCall", Some(function));
            set(&mut part, "thoughtSignature", call.signature);
            Json::Object(part)
        }
        MessagePart::ToolResult { id, name, text, is_error } => {
            let field = if is_error { "error" } else { "output" };
            let mut function = function_header(&id, &name);
            set(&mut function, "response", Some(form!({field: text})));
            form!({"functionResponse": function})
        }
    };
    form!({"role": role, "parts": message.all_parts().map(part).collect::<Vec<Json>>()})
}

/// The beginning of a call or a result: by the id, where there is one, parallel ones of one name are told apart.
fn function_header(id: &str, name: &str) -> Map<String, Json> {
    let mut function = Map::new();
    set(&mut function, "id", Some(id).filter(|id| !id.is_empty()));
    set(&mut function, "name", Some(name));
    function
}

#[cfg(test)]
mod tests {
    use probare_core::ReplyContent;

    use super::super::tests_support::{read, request};
    use super::*;
    use crate::Provider;

    #[test]
    fn the_bytes_of_a_request_are_these() {
        let raw = Gemini.write(&request(Provider::Gemini), false).unwrap();
        assert_eq!(raw.url, "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent");
        assert_eq!(
            String::from_utf8(raw.body).unwrap(),
            r#"{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"Why?"}]}],"generationConfig":{"temperature":0.0,"topP":0.9,"maxOutputTokens":50,"seed":7,"stopSequences":["END"],"responseMimeType":"application/json","responseJsonSchema":{"type":"object"},"responseLogprobs":true}}"#
        );
    }

    #[test]
    fn thoughts_are_left_out_and_refusals_and_cuts_are_told() {
        let content = |body: &str| read(Provider::Gemini, body).unwrap().reply.content;
        let text = read(Provider::Gemini, r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"Yes"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1,"thoughtsTokenCount":9}}"#).unwrap();
        assert_eq!(text.reply.content, ReplyContent::Text("Yes".into()));
        let usage = text.reply.usage.unwrap();
        assert_eq!((usage.output_tokens, usage.reasoning_tokens), (10, 9));
        assert_eq!(content(r#"{"promptFeedback":{"blockReason":"OTHER"}}"#), ReplyContent::Refused("OTHER".into()));
        assert_eq!(content(r#"{"candidates":[{"finishReason":"SAFETY"}]}"#), ReplyContent::Refused("SAFETY".into()));
        let thoughts = content(
            r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}]},"finishReason":"MAX_TOKENS"}]}"#,
        );
        assert_eq!(thoughts, ReplyContent::Truncated(String::new()));
        assert_eq!(
            read(Provider::Gemini, r#"{"candidates":[{"finishReason":"STOP"}]}"#).unwrap_err().fault,
            Fault::Empty
        );
        assert_eq!(read(Provider::Gemini, "{}").unwrap_err().fault, Fault::Empty);
    }

    #[test]
    fn the_delay_stands_in_the_body() {
        let body = r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"13.5s"}]}}"#;
        let delay = |body: &str| Gemini.retry_after(&HeaderMap::new(), body, SystemTime::UNIX_EPOCH);
        assert_eq!(delay(body), Some(Duration::from_millis(13_500)));
        assert_eq!(delay(&format!("[{body}]")), Some(Duration::from_millis(13_500)));
        assert_eq!(delay("{}"), None);
    }
}
