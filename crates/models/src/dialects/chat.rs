//! `/chat/completions`, as `OpenAI` defined it and Groq, Mistral, `OpenRouter`, vLLM, llama.cpp and Ollama speak it.

use probare_core::{Message, MessagePart, ModelReply, Role, ToolCall};
use serde_json::{Map, Value as Json, json as form};

use super::{
    Dialect, Feature, RawReply, RawRequest, ReplyDraft, ReplyError, arguments, base64, cut_stream, endpoint_url,
    inner_error, non_empty, parse_json, read_vector, set, text_at, usage,
};
use crate::{Fault, ModelRequest, Provider};

/// What names the field of the longest reply among what decides a reply.
pub(crate) const MAX_TOKENS_FIELD: &str = "max_tokens_field";

/// A server that speaks this way, and what it has otherwise.
pub(crate) struct Chat {
    /// What it does not know.
    lacks: &'static [Feature],
    /// The field of the seed.
    seed: &'static str,
    /// Whether a stream tells what it took only if asked; who tells it unasked may refuse the wish.
    usage_on_request: bool,
    /// Most texts of one request for vectors.
    vectors: usize,
}

pub(crate) static OPENAI: Chat = Chat { lacks: &[], seed: "seed", usage_on_request: true, vectors: 256 };
pub(crate) static GROQ: Chat =
    Chat { lacks: &[Feature::Logprobs, Feature::Embeddings], seed: "seed", usage_on_request: true, vectors: 1 };
pub(crate) static LLAMA_CPP: Chat =
    Chat { lacks: &[Feature::ReasoningEffort], seed: "seed", usage_on_request: true, vectors: 64 };
pub(crate) static MISTRAL: Chat = Chat {
    lacks: &[Feature::Logprobs, Feature::ReasoningEffort],
    seed: "random_seed",
    usage_on_request: false,
    vectors: 64,
};
pub(crate) static OLLAMA: Chat =
    Chat { lacks: &[Feature::Logprobs], seed: "seed", usage_on_request: true, vectors: 64 };
pub(crate) static OPENROUTER: Chat = Chat { lacks: &[], seed: "seed", usage_on_request: true, vectors: 64 };
pub(crate) static VLLM: Chat = Chat { lacks: &[], seed: "seed", usage_on_request: true, vectors: 64 };

impl Dialect for Chat {
    fn supports(&self, feature: Feature) -> bool {
        !self.lacks.contains(&feature)
    }

    fn write(&self, request: &ModelRequest, streams: bool) -> Result<RawRequest, ReplyError> {
        // OpenAI's own models of late refuse the older name; other servers know only that, unless the settings say otherwise.
        let own =
            request.provider == Provider::OpenAi && Some(request.base_url.as_str()) == Provider::OpenAi.base_url();
        let usual = if own { "max_completion_tokens" } else { "max_tokens" };
        let longest = request.also.get(MAX_TOKENS_FIELD).map_or(usual, String::as_str);
        let body = body(request, streams, self.usage_on_request, longest, self.seed);
        RawRequest::new(endpoint_url(&request.base_url, "/chat/completions"), body, &request.extra_body)
    }

    fn read(&self, request: &ModelRequest, body: &[u8]) -> Result<RawReply, ReplyError> {
        read(request, body)
    }

    fn write_vectors(&self, requests: &[ModelRequest]) -> Result<RawRequest, ReplyError> {
        let Some(first) = requests.first() else { return Ok(RawRequest::none()) };
        RawRequest::new(endpoint_url(&first.base_url, "/embeddings"), vectors_body(requests), &first.extra_body)
    }

    fn read_vectors(&self, requests: &[ModelRequest], body: &[u8]) -> Result<Vec<RawReply>, ReplyError> {
        if !self.supports(Feature::Embeddings) {
            return Err(super::no_vectors());
        }
        read_vectors(requests.len(), body)
    }

    fn most_vectors(&self) -> usize {
        self.vectors
    }

    fn join(&self, events: &[Json]) -> Result<Json, ReplyError> {
        join(events)
    }
}

/// The body of a question.
pub(super) fn body(
    request: &ModelRequest,
    streams: bool,
    usage_on_request: bool,
    longest: &str,
    seed: &str,
) -> Map<String, Json> {
    let mut body = Map::new();
    set(&mut body, "model", Some(&request.model));
    let messages: Vec<Json> = request.messages.iter().flat_map(messages).collect();
    set(&mut body, "messages", Some(messages));
    let parameters = &request.parameters;
    set(&mut body, "temperature", parameters.temperature);
    set(&mut body, "top_p", parameters.top_p);
    set(&mut body, longest, parameters.max_tokens);
    set(&mut body, seed, parameters.seed);
    set(&mut body, "stop", non_empty(&parameters.stop));
    if let Some(schema) = &parameters.schema {
        let format = form!({"type": "json_schema", "json_schema": {"name": "reply", "strict": true, "schema": schema}});
        set(&mut body, "response_format", Some(format));
    }
    set(&mut body, "logprobs", parameters.logprobs.then_some(true));
    set(&mut body, "reasoning_effort", request.reasoning_effort.as_ref());
    let tools: Vec<Json> = parameters.tools.iter().map(|tool| form!({"type": "function", "function": tool})).collect();
    set(&mut body, "tools", non_empty(&tools));
    if streams {
        set(&mut body, "stream", Some(true));
        set(&mut body, "stream_options", usage_on_request.then(|| form!({"include_usage": true})));
    }
    body
}

/// A message as this way of speaking has it; every result of a tool is a message of its own.
fn messages(message: &Message) -> Vec<Json> {
    if message.parts.is_empty() {
        return vec![form!({"role": message.role.name(), "content": message.text})];
    }
    let (mut content, mut calls, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for part in message.all_parts() {
        match part {
            MessagePart::Text { text } => content.push(form!({"type": "text", "text": text})),
            MessagePart::Image(image) => {
                let url = format!("data:{};base64,{}", image.kind().media_type(), base64(image.bytes()));
                content.push(form!({"type": "image_url", "image_url": {"url": url}}));
            }
            MessagePart::ToolCall(call) => {
                let function = form!({"name": call.name, "arguments": probare_core::json_to_text(&call.arguments)});
                let mut whole = form!({"id": call.id, "type": "function", "function": function});
                // As Gemini wants it behind an interface of this kind.
                if let Some(signature) = &call.signature {
                    whole["extra_content"] = form!({"google": {"thought_signature": signature}});
                }
                calls.push(whole);
            }
            MessagePart::ToolResult { id, text, .. } => {
                results.push(form!({"role": "tool", "tool_call_id": id, "content": text}));
            }
        }
    }
    let mut whole = Map::new();
    set(&mut whole, "role", Some(message.role.name()));
    if content.is_empty() {
        whole.insert("content".to_owned(), Json::Null);
    } else {
        set(&mut whole, "content", Some(&content));
    }
    set(&mut whole, "tool_calls", non_empty(&calls));
    let is_said = !content.is_empty() || !calls.is_empty();
    let is_own = is_said && message.role != Role::Tool;
    is_own.then_some(Json::Object(whole)).into_iter().chain(results).collect()
}

/// The body of a request for vectors.
pub(super) fn vectors_body(requests: &[ModelRequest]) -> Map<String, Json> {
    let mut body = Map::new();
    let Some(first) = requests.first() else { return body };
    set(&mut body, "model", Some(&first.model));
    match requests {
        [one] => set(&mut body, "input", Some(one.embedding_text())),
        several => set(&mut body, "input", Some(several.iter().map(ModelRequest::embedding_text).collect::<Vec<_>>())),
    }
    set(&mut body, "encoding_format", Some("float"));
    body
}

/// The vectors in a body of status 200. The first carries the usage of all.
pub(super) fn read_vectors(count: usize, body: &[u8]) -> Result<Vec<RawReply>, ReplyError> {
    let json = parse_json(body)?;
    let usage = usage(&json, &["/usage/prompt_tokens"], &["/usage/completion_tokens"], "", "");
    let empty = |reason: String| ReplyError { usage, ..ReplyError::new(Fault::Empty, reason) };
    let data = json.get("data").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    if data.len() != count {
        return Err(empty(format!("the reply has {} vectors, and {count} were asked for", data.len())));
    }
    let mut replies: Vec<Option<RawReply>> = vec![None; count];
    for (at, item) in data.iter().enumerate() {
        let at = item.get("index").and_then(Json::as_u64).map_or(at, |index| usize::try_from(index).unwrap_or(count));
        let numbers = item.get("embedding").map(Json::to_string).unwrap_or_default();
        let vector = read_vector(&numbers).map_err(empty)?;
        let reply = ModelReply {
            usage: usage.map(|_| probare_core::Usage::default()),
            model: text_at(&json, "/model").map(ToOwned::to_owned),
            ..ModelReply::text(serde_json::to_string(&vector).unwrap_or_default())
        };
        if let Some(place) = replies.get_mut(at) {
            *place = Some(reply.into());
        }
    }
    let mut replies: Vec<RawReply> = replies.into_iter().flatten().collect();
    if replies.len() != count {
        return Err(empty("the reply numbers its vectors wrongly".to_owned()));
    }
    if let Some(first) = replies.first_mut() {
        first.reply.usage = usage;
        first.cost = json.pointer("/usage/cost").and_then(Json::as_f64);
    }
    Ok(replies)
}

/// The reply in a body of status 200.
pub(super) fn read(request: &ModelRequest, body: &[u8]) -> Result<RawReply, ReplyError> {
    let json = parse_json(body)?;
    let usage = usage(
        &json,
        &["/usage/prompt_tokens"],
        &["/usage/completion_tokens"],
        "/usage/completion_tokens_details/reasoning_tokens",
        "/usage/prompt_tokens_details/cached_tokens",
    );
    // Routers report a failure of the provider behind them with status 200, beside the choices or in one.
    let errors = [json.get("error"), json.pointer("/choices/0/error")];
    if let Some(error) = errors.into_iter().flatten().find_map(|error| inner_error(error, usage)) {
        return Err(error);
    }
    let Some(choice) = json.pointer("/choices/0") else {
        let none = ReplyError::new(Fault::Empty, "the reply has no choices");
        return Err(ReplyError { usage, ..none });
    };
    let message = choice.get("message").unwrap_or(&Json::Null);
    let words = |field: &str| message.get(field).and_then(text_of);
    let ended = text_at(choice, "/finish_reason");
    let calls = message.get("tool_calls").and_then(Json::as_array).into_iter().flatten().map(|call| ToolCall {
        id: text_at(call, "/id").unwrap_or_default().to_owned(),
        name: text_at(call, "/function/name").unwrap_or_default().to_owned(),
        arguments: match call.pointer("/function/arguments") {
            Some(Json::String(text)) => arguments(text),
            Some(given) => given.clone(),
            None => Json::Object(Map::new()),
        },
        signature: text_at(call, "/extra_content/google/thought_signature").map(ToOwned::to_owned),
    });
    let mut found = ReplyDraft {
        texts: words("content").into_iter().collect(),
        refusal: words("refusal").filter(|text| !text.is_empty()),
        calls: calls.collect(),
        usage,
        model: text_at(&json, "/model").map(ToOwned::to_owned),
        ended: "no content".to_owned(),
        ..ReplyDraft::default()
    };
    found.set_stop_reason(request, ended);
    Ok(RawReply {
        cost: json.pointer("/usage/cost").and_then(Json::as_f64),
        logprobs: choice.get("logprobs").filter(|given| !given.is_null()).cloned(),
        ..found.into_reply()?
    })
}

/// Text, or the texts of a list of parts.
fn text_of(content: &Json) -> Option<String> {
    match content {
        Json::String(text) => Some(text.clone()),
        Json::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text").and_then(Json::as_str)).collect();
            (!texts.is_empty()).then(|| texts.concat())
        }
        _ => None,
    }
}

/// The chunks of a stream as one body.
pub(super) fn join(events: &[Json]) -> Result<Json, ReplyError> {
    if let Some(error) = events.iter().find(|event| event.get("error").is_some_and(|error| !error.is_null())) {
        return Ok(error.clone());
    }
    let (mut whole, mut message, mut choice) = (Map::new(), Map::new(), Map::new());
    let mut calls: Vec<Json> = Vec::new();
    let mut is_whole = false;
    for event in events {
        for field in ["model", "usage"] {
            set(&mut whole, field, event.get(field).filter(|value| !value.is_null()));
        }
        let Some(piece) = event.pointer("/choices/0") else { continue };
        if let Some(reason) = piece.get("finish_reason").filter(|reason| !reason.is_null()) {
            choice.insert("finish_reason".to_owned(), reason.clone());
            is_whole = true;
        }
        for field in ["content", "refusal"] {
            if let Some(text) = text_at(piece, &format!("/delta/{field}")) {
                append(&mut message, field, text);
            }
        }
        for call in piece.pointer("/delta/tool_calls").and_then(Json::as_array).into_iter().flatten() {
            join_call(&mut calls, call);
        }
        let logprobs = piece.pointer("/logprobs/content").and_then(Json::as_array);
        if let Some(tokens) = logprobs {
            let all = choice.entry("logprobs").or_insert_with(|| form!({"content": []}));
            if let Some(list) = all.get_mut("content").and_then(Json::as_array_mut) {
                list.extend(tokens.iter().cloned());
            }
        }
    }
    if !is_whole {
        return Err(cut_stream());
    }
    set(&mut message, "tool_calls", non_empty(&calls));
    choice.insert("message".to_owned(), Json::Object(message));
    whole.insert("choices".to_owned(), Json::Array(vec![Json::Object(choice)]));
    Ok(Json::Object(whole))
}

/// Adds a piece of text to a field.
pub(super) fn append(object: &mut Map<String, Json>, field: &str, text: &str) {
    match object.get_mut(field) {
        Some(Json::String(before)) => before.push_str(text),
        _ => {
            object.insert(field.to_owned(), Json::from(text));
        }
    }
}

/// Most calls of one reply: the number of a call comes from outside.
const MOST_CALLS: usize = 1000;

fn join_call(calls: &mut Vec<Json>, piece: &Json) {
    let at = piece.get("index").and_then(Json::as_u64).and_then(|at| usize::try_from(at).ok()).unwrap_or(calls.len());
    if at >= MOST_CALLS {
        return;
    }
    while calls.len() <= at {
        calls.push(form!({"function": {"arguments": ""}}));
    }
    let Some(call) = calls.get_mut(at) else { return };
    if let Some(id) = piece.get("id").filter(|id| id.is_string()) {
        call["id"] = id.clone();
    }
    if let Some(function) = call.get_mut("function").and_then(Json::as_object_mut) {
        for field in ["name", "arguments"] {
            if let Some(text) = text_at(piece, &format!("/function/{field}")) {
                append(function, field, text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{ReplyContent, StopReason};

    use super::super::tests_support::{read, request};
    use super::*;

    #[test]
    fn the_bytes_of_a_request_are_these() {
        let mut request = request(Provider::OpenAi);
        assert_eq!(
            String::from_utf8(OPENAI.write(&request, false).unwrap().body).unwrap(),
            r#"{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Why?"}],"temperature":0.0,"top_p":0.9,"max_completion_tokens":50,"seed":7,"stop":["END"],"response_format":{"type":"json_schema","json_schema":{"name":"reply","strict":true,"schema":{"type":"object"}}},"logprobs":true}"#
        );
        request.base_url = "http://127.0.0.1:1/v1/".into();
        let raw = OPENAI.write(&request, false).unwrap();
        assert_eq!(raw.url, "http://127.0.0.1:1/v1/chat/completions");
        assert!(String::from_utf8(raw.body).unwrap().contains(r#""max_tokens":50"#));
        let mistral = String::from_utf8(MISTRAL.write(&request, false).unwrap().body).unwrap();
        assert!(mistral.contains(r#""random_seed":7"#), "{mistral}");
    }

    #[test]
    fn vectors_are_asked_for_and_read_one_or_many() {
        let mut request = request(Provider::OpenAi);
        request.embedding = true;
        let raw = OPENAI.write_vectors(&[request.clone()]).unwrap();
        assert_eq!(raw.url, "https://api.openai.com/v1/embeddings");
        assert_eq!(String::from_utf8(raw.body).unwrap(), r#"{"model":"m","input":"Why?","encoding_format":"float"}"#);
        let two = [request.clone(), request.clone()];
        assert!(
            String::from_utf8(OPENAI.write_vectors(&two).unwrap().body).unwrap().contains(r#""input":["Why?","Why?"]"#)
        );
        let body = br#"{"data":[{"index":1,"embedding":[1]},{"index":0,"embedding":[0.1,-2,3e-3]}],"usage":{"prompt_tokens":3}}"#;
        let replies = OPENAI.read_vectors(&two, body).unwrap();
        assert_eq!(
            replies[0].reply.content,
            ReplyContent::Text("[0.1,-2.0,0.003]".into()),
            "numbers as short as they can be"
        );
        assert_eq!(replies[1].reply.content, ReplyContent::Text("[1.0]".into()));
        let tokens: u64 = replies.iter().map(|reply| reply.reply.usage.unwrap().input_tokens).sum();
        assert_eq!(tokens, 3, "the tokens of a list are counted once");
        for bad in [r#"{"data":[]}"#, r#"{"data":[{"embedding":[]}]}"#, r#"{"data":[{"embedding":[1e99]}]}"#] {
            let error = OPENAI.read_vectors(&[request.clone()], bad.as_bytes()).unwrap_err();
            assert_eq!(error.fault, Fault::Empty, "{bad}");
        }
        let twice = br#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[2]}]}"#;
        assert_eq!(OPENAI.read_vectors(&two, twice).unwrap_err().fault, Fault::Empty);
    }

    #[test]
    fn text_refusal_cut_and_failure_are_told_apart() {
        let content = |body: &str| read(Provider::OpenAi, body).unwrap().reply.content;
        let answer = read(Provider::OpenAi, r#"{"model":"m-1","choices":[{"message":{"content":"Yes"},"finish_reason":"stop","logprobs":{"content":[]}}],"usage":{"prompt_tokens":3,"completion_tokens":1,"cost":0.25,"prompt_tokens_details":{"cached_tokens":2}}}"#).unwrap();
        assert_eq!(answer.reply.content, ReplyContent::Text("Yes".into()));
        let usage = answer.reply.usage.unwrap();
        assert_eq!((usage.input_tokens, usage.cached_tokens, answer.cost), (3, 2, Some(0.25)));
        assert_eq!(answer.reply.stop, Some(StopReason::End));
        assert!(answer.logprobs.is_some());
        let refused = content(r#"{"choices":[{"message":{"content":null,"refusal":"I will not"}}]}"#);
        assert_eq!(refused, ReplyContent::Refused("I will not".into()));
        let filtered = content(r#"{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}"#);
        assert_eq!(filtered, ReplyContent::Refused("content filter".into()));
        let empty = content(r#"{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}"#);
        assert_eq!(empty, ReplyContent::Text(String::new()), "empty text is text");
        let cut = content(r#"{"choices":[{"message":{"content":"The answer is"},"finish_reason":"length"}]}"#);
        assert_eq!(cut, ReplyContent::Truncated("The answer is".into()));
        let thoughts = content(r#"{"choices":[{"message":{"content":null},"finish_reason":"length"}]}"#);
        assert_eq!(thoughts, ReplyContent::Truncated(String::new()), "all tokens went into thoughts");
        for (body, fault) in [
            (r#"{"choices":[]}"#, Fault::Empty),
            (
                r#"{"choices":[{"message":{"content":null,"reasoning_content":"hm"},"finish_reason":"stop"}]}"#,
                Fault::Empty,
            ),
            (r#"{"error":{"message":"busy","code":429}}"#, Fault::TooManyRequests),
            (r#"{"error":{"message":"odd"}}"#, Fault::FailedReply),
            (r#"{"choices":[{"mess"#, Fault::InvalidJson),
            ("[]", Fault::Empty),
            ("null", Fault::Empty),
        ] {
            assert_eq!(read(Provider::OpenAi, body).unwrap_err().fault, fault, "{body}");
        }
        assert_eq!(read(Provider::OpenAi, r#"{"choices":[{"message":{"content":"a"}}]}"#).unwrap().reply.usage, None);
    }

    #[test]
    fn a_result_of_a_tool_is_a_message_of_its_own() {
        let result = |id: &str| MessagePart::ToolResult {
            id: id.into(),
            name: "t".into(),
            text: "warm".into(),
            is_error: false,
        };
        let message = Message::new(Role::Tool, "").with_part(result("1")).with_part(result("2"));
        let written = messages(&message);
        assert_eq!(written.len(), 2);
        assert_eq!(written[1], form!({"role": "tool", "tool_call_id": "2", "content": "warm"}));
    }
}
