//! `/api/chat` of Ollama: its own interface, which takes settings that the one for `OpenAI` does not, such as `num_ctx`.

use probare_core::{Message, MessagePart, ModelReply, StopReason, ToolCall, Usage};
use serde_json::{Map, Value as Json, json as form};

use super::chat::append;
use super::{
    Dialect, Feature, RawReply, RawRequest, ReplyDraft, ReplyError, base64, cut_stream, endpoint_url, inner_error,
    non_empty, parse_json, read_vector, set, text_at, usage, with_joined_results,
};
use crate::{Fault, ModelRequest};

/// Ollama, asked in its own way.
pub(crate) struct Ollama;

impl Dialect for Ollama {
    fn supports(&self, _: Feature) -> bool {
        true
    }

    fn write(&self, request: &ModelRequest, streams: bool) -> Result<RawRequest, ReplyError> {
        let parameters = &request.parameters;
        let mut body = Map::new();
        set(&mut body, "model", Some(&request.model));
        let joined = with_joined_results(request.messages.iter().collect());
        set(&mut body, "messages", Some(joined.iter().flat_map(messages).collect::<Vec<Json>>()));
        let tools: Vec<Json> =
            parameters.tools.iter().map(|tool| form!({"type": "function", "function": tool})).collect();
        set(&mut body, "tools", non_empty(&tools));
        set(&mut body, "format", parameters.schema.as_ref());
        let mut options = Map::new();
        set(&mut options, "temperature", parameters.temperature);
        set(&mut options, "top_p", parameters.top_p);
        set(&mut options, "num_predict", parameters.max_tokens);
        set(&mut options, "seed", parameters.seed);
        set(&mut options, "stop", non_empty(&parameters.stop));
        set(&mut body, "options", (!options.is_empty()).then_some(options));
        // "none" switches the thoughts of a model off; other words are levels.
        let effort = request.reasoning_effort.as_deref();
        set(&mut body, "think", effort.map(|effort| if effort == "none" { form!(false) } else { form!(effort) }));
        set(&mut body, "logprobs", parameters.logprobs.then_some(true));
        // It streams unless it is told not to.
        set(&mut body, "stream", Some(streams));
        RawRequest::new(endpoint_url(&request.base_url, "/api/chat"), body, &request.extra_body)
    }

    fn read(&self, request: &ModelRequest, body: &[u8]) -> Result<RawReply, ReplyError> {
        let json = parse_json(body)?;
        let usage = usage(&json, &["/prompt_eval_count"], &["/eval_count"], "", "");
        if let Some(error) = json.get("error").and_then(|error| inner_error(error, usage)) {
            return Err(error);
        }
        let message = json.get("message").unwrap_or(&Json::Null);
        if json.get("done") == Some(&Json::Bool(false)) {
            return Err(cut_stream());
        }
        let calls: Vec<ToolCall> = (message.get("tool_calls").and_then(Json::as_array).into_iter().flatten())
            .map(|call| ToolCall {
                id: text_at(call, "/id").unwrap_or_default().to_owned(),
                name: text_at(call, "/function/name").unwrap_or_default().to_owned(),
                arguments: call.pointer("/function/arguments").cloned().unwrap_or_else(|| form!({})),
                signature: None,
            })
            .collect();
        let has_thoughts = text_at(message, "/thinking").is_some_and(|text| !text.is_empty());
        // The field is there in any case: without a word beside calls or thoughts nothing was said.
        let spoken = text_at(message, "/content").filter(|text| !text.is_empty() || !has_thoughts && calls.is_empty());
        let mut found = ReplyDraft {
            texts: spoken.map(ToOwned::to_owned).into_iter().collect(),
            calls,
            usage,
            model: text_at(&json, "/model").map(ToOwned::to_owned),
            ended: "no content".to_owned(),
            ..ReplyDraft::default()
        };
        found.set_stop_reason(request, text_at(&json, "/done_reason"));
        if found.stop == Some(StopReason::End) && !found.calls.is_empty() {
            found.stop = Some(StopReason::ToolCalls);
        }
        let logprobs = json.get("logprobs").filter(|given| !given.is_null()).cloned();
        Ok(RawReply { logprobs, ..found.into_reply()? })
    }

    fn write_vectors(&self, requests: &[ModelRequest]) -> Result<RawRequest, ReplyError> {
        let Some(first) = requests.first() else { return Ok(RawRequest::none()) };
        let mut body = Map::new();
        set(&mut body, "model", Some(&first.model));
        set(&mut body, "input", Some(requests.iter().map(ModelRequest::embedding_text).collect::<Vec<_>>()));
        RawRequest::new(endpoint_url(&first.base_url, "/api/embed"), body, &first.extra_body)
    }

    fn read_vectors(&self, requests: &[ModelRequest], body: &[u8]) -> Result<Vec<RawReply>, ReplyError> {
        let json = parse_json(body)?;
        let usage = usage(&json, &["/prompt_eval_count"], &[], "", "");
        let empty = |reason: String| ReplyError { usage, ..ReplyError::new(Fault::Empty, reason) };
        let list = json.get("embeddings").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        if list.len() != requests.len() {
            let (found, expected) = (list.len(), requests.len());
            return Err(empty(format!("the reply has {found} vectors, and {expected} were asked for")));
        }
        let reply = |(at, numbers): (usize, &Json)| {
            let vector = read_vector(&numbers.to_string()).map_err(empty)?;
            // The first carries what all of them took.
            let own = if at == 0 { usage } else { usage.map(|_| Usage::default()) };
            let text = serde_json::to_string(&vector).unwrap_or_default();
            let model = text_at(&json, "/model").map(ToOwned::to_owned);
            Ok(ModelReply { usage: own, model, ..ModelReply::text(text) }.into())
        };
        list.iter().enumerate().map(reply).collect()
    }

    fn most_vectors(&self) -> usize {
        64
    }

    fn join(&self, events: &[Json]) -> Result<Json, ReplyError> {
        if let Some(error) = events.iter().find(|event| event.get("error").is_some_and(|error| !error.is_null())) {
            return Ok(error.clone());
        }
        let (mut message, mut calls, mut logprobs) = (Map::new(), Vec::new(), Vec::new());
        for event in events {
            for field in ["content", "thinking"] {
                if let Some(text) = text_at(event, &format!("/message/{field}")) {
                    append(&mut message, field, text);
                }
            }
            let list = |pointer: &str| event.pointer(pointer).and_then(Json::as_array).cloned().unwrap_or_default();
            calls.extend(list("/message/tool_calls"));
            logprobs.extend(list("/logprobs"));
        }
        let last = events.last().filter(|event| event.get("done") == Some(&Json::Bool(true)));
        let mut whole = last.and_then(Json::as_object).cloned().ok_or_else(cut_stream)?;
        set(&mut message, "tool_calls", non_empty(&calls));
        whole.insert("message".to_owned(), Json::Object(message));
        set(&mut whole, "logprobs", non_empty(&logprobs));
        Ok(Json::Object(whole))
    }
}

/// A message in its way: images beside the text, and every result of a tool a message of its own.
fn messages(message: &Message) -> Vec<Json> {
    let (mut texts, mut images, mut calls, mut results) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for part in message.all_parts() {
        match part {
            MessagePart::Text { text } => texts.push(text),
            MessagePart::Image(image) => images.push(base64(image.bytes())),
            MessagePart::ToolCall(call) => {
                calls.push(form!({"function": {"name": call.name, "arguments": call.arguments}}));
            }
            MessagePart::ToolResult { name, text, .. } => {
                results.push(form!({"role": "tool", "tool_name": name, "content": text}));
            }
        }
    }
    if !results.is_empty() && texts.is_empty() {
        return results;
    }
    let mut whole = Map::new();
    set(&mut whole, "role", Some(message.role.name()));
    set(&mut whole, "content", (!texts.is_empty() || calls.is_empty()).then(|| texts.concat()));
    set(&mut whole, "images", non_empty(&images));
    set(&mut whole, "tool_calls", non_empty(&calls));
    std::iter::once(Json::Object(whole)).chain(results).collect()
}

#[cfg(test)]
mod tests {
    use probare_core::ReplyContent;

    use super::super::tests_support::{read, request};
    use super::*;
    use crate::Provider;

    #[test]
    fn the_bytes_of_a_request_are_these() {
        let raw = Ollama.write(&request(Provider::OllamaNative), false).unwrap();
        assert_eq!(raw.url, "http://127.0.0.1:11434/api/chat");
        assert_eq!(
            String::from_utf8(raw.body).unwrap(),
            r#"{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Why?"}],"format":{"type":"object"},"options":{"temperature":0.0,"top_p":0.9,"num_predict":50,"seed":7,"stop":["END"]},"logprobs":true,"stream":false}"#
        );
    }

    #[test]
    fn settings_of_its_own_stand_beside_ours_and_the_longest_reply_is_set_in_one_place() {
        let with = |extra: Json| {
            let extra = extra.as_object().cloned().unwrap_or_default();
            Ollama.write(&ModelRequest { extra_body: extra, ..request(Provider::OllamaNative) }, false)
        };
        let body: Json = serde_json::from_slice(&with(form!({"options": {"num_ctx": 8192}})).unwrap().body).unwrap();
        assert_eq!(
            (body["options"]["num_ctx"].as_u64(), body["options"]["num_predict"].as_u64()),
            (Some(8192), Some(50))
        );
        let error = with(form!({"options": {"num_predict": 9}})).unwrap_err();
        assert!(error.reason.contains("`options.num_predict`; set `max_tokens`"), "{}", error.reason);
        let effort = |effort: &str| {
            let request = ModelRequest { reasoning_effort: Some(effort.into()), ..request(Provider::OllamaNative) };
            serde_json::from_slice::<Json>(&Ollama.write(&request, false).unwrap().body).unwrap()["think"].clone()
        };
        assert_eq!((effort("none"), effort("high")), (form!(false), form!("high")));
    }

    #[test]
    fn an_empty_text_is_an_answer_and_thoughts_alone_are_none() {
        let content = |message: &str, ended: &str| {
            let body = format!(
                r#"{{"model":"m","message":{message},"done":true,"done_reason":"{ended}","prompt_eval_count":3,"eval_count":4}}"#
            );
            read(Provider::OllamaNative, &body)
        };
        let text = |text: &str| ReplyContent::Text(text.to_owned());
        assert_eq!(content(r#"{"content":""}"#, "stop").unwrap().reply.content, text(""));
        let thoughts = content(r#"{"content":"","thinking":"hm"}"#, "stop").unwrap_err();
        assert_eq!((thoughts.fault, thoughts.usage), (Fault::Empty, Some(Usage::new(3, 4))));
        let cut = content(r#"{"content":"","thinking":"hm"}"#, "length").unwrap().reply.content;
        assert_eq!(cut, ReplyContent::Truncated(String::new()));
        let called = content(r#"{"content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]}"#, "stop");
        let called = called.unwrap().reply;
        assert_eq!((called.tool_calls().count(), called.stop), (1, Some(StopReason::ToolCalls)));
        assert_eq!(content(r#"{"content":"x"}"#, "load").unwrap_err().fault, Fault::FailedReply);
        let loading = read(Provider::OllamaNative, r#"{"error":"model is loading"}"#).unwrap_err();
        assert_eq!((loading.fault, loading.reason.as_str()), (Fault::FailedReply, "model is loading"));
    }
}
