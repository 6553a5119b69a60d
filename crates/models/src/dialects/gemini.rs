//! `:generateContent` of Gemini.

use std::time::{Duration, SystemTime};

use probare_core::{Message, Part, Reply, Role, StopReason, ToolCall};
use reqwest::header::HeaderMap;
use serde_json::{Map, Value as Json, json as form};

use super::{
    Dialect, Feature, Found, RawReply, RawRequest, ReplyError, Signs, address, base64, cut_stream, json, parted,
    schema, set, some, text_at, usage, usual_wait,
};
use crate::embedding::read_vector;
use crate::fault::retry_after;
use crate::{Fault, Request};

/// Reasons to end that are refusals.
const REFUSALS: &[&str] = &["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"];

/// Gemini.
pub(crate) struct Gemini;

impl Dialect for Gemini {
    fn supports(&self, feature: Feature) -> bool {
        feature != Feature::ReasoningEffort
    }

    fn write(&self, request: &Request, streams: bool) -> RawRequest {
        let (system, messages) = parted(&request.messages);
        let parameters = &request.parameters;
        let mut how = Map::new();
        set(&mut how, "temperature", parameters.temperature);
        set(&mut how, "topP", parameters.top_p);
        set(&mut how, "maxOutputTokens", parameters.max_tokens);
        set(&mut how, "seed", parameters.seed);
        set(&mut how, "stopSequences", some(&parameters.stop));
        if let Some(schema) = &parameters.schema {
            set(&mut how, "responseMimeType", Some("application/json"));
            set(&mut how, "responseJsonSchema", Some(schema));
        }
        set(&mut how, "responseLogprobs", parameters.logprobs.then_some(true));
        let mut body = Map::new();
        set(&mut body, "systemInstruction", system.map(|text| form!({"parts": [{"text": text}]})));
        set(&mut body, "contents", Some(messages.into_iter().map(content).collect::<Vec<Json>>()));
        set(&mut body, "generationConfig", (!how.is_empty()).then_some(how));
        let tools: Vec<Json> = parameters
            .tools
            .iter()
            .map(|tool| {
                form!({"name": tool.name, "description": tool.description, "parametersJsonSchema": schema(tool)})
            })
            .collect();
        set(&mut body, "tools", some(&tools).map(|tools| form!([{"functionDeclarations": tools}])));
        body.extend(request.extra_body.clone());
        let verb = if streams { "streamGenerateContent?alt=sse" } else { "generateContent" };
        RawRequest::new(address(&request.base_url, &format!("/v1beta/models/{}:{verb}", request.model)), body)
    }

    fn read(&self, _: &Request, body: &[u8]) -> Result<RawReply, ReplyError> {
        let json = json(body)?;
        if let Some(status) = json.pointer("/error/code").and_then(Json::as_u64) {
            let text = String::from_utf8_lossy(body);
            let fault = u16::try_from(status).map_or(Fault::ServerError, |status| self.fault(status, &text));
            return Err(ReplyError::new(fault, super::complaint(&text)));
        }
        let candidate = json.pointer("/candidates/0").unwrap_or(&Json::Null);
        let blocked = text_at(&json, "/promptFeedback/blockReason");
        let ended = blocked.or_else(|| text_at(candidate, "/finishReason"));
        let mut found = Found {
            // Thoughts are charged as output.
            usage: usage(
                &json,
                &["/usageMetadata/promptTokenCount"],
                &["/usageMetadata/candidatesTokenCount", "/usageMetadata/thoughtsTokenCount"],
                "/usageMetadata/thoughtsTokenCount",
                "/usageMetadata/cachedContentTokenCount",
            ),
            model: text_at(&json, "/modelVersion").map(ToOwned::to_owned),
            stop: if blocked.is_some() { Some(StopReason::Refusal) } else { ended.map(stop_reason) },
            ended: ended.unwrap_or_default().to_owned(),
            ..Found::default()
        };
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
                });
            }
        }
        if found.stop == Some(StopReason::End) && !found.calls.is_empty() {
            found.stop = Some(StopReason::ToolCalls);
        }
        let logprobs = candidate.get("logprobsResult").cloned();
        Ok(RawReply { reply: found.reply()?, cost: None, logprobs })
    }

    fn write_vectors(&self, requests: &[Request]) -> RawRequest {
        let mut body = Map::new();
        let Some(first) = requests.first() else { return RawRequest::new(String::new(), body) };
        let model = format!("models/{}", first.model);
        let list: Vec<Json> = requests
            .iter()
            .map(|request| form!({"model": model, "content": {"parts": [{"text": request.embedded()}]}}))
            .collect();
        set(&mut body, "requests", Some(list));
        body.extend(first.extra_body.clone());
        RawRequest::new(address(&first.base_url, &format!("/v1beta/{model}:batchEmbedContents")), body)
    }

    fn read_vectors(&self, requests: &[Request], body: &[u8]) -> Result<Vec<RawReply>, ReplyError> {
        let json = json(body)?;
        let empty = |reason: String| ReplyError::new(Fault::Empty, reason);
        let list = json.get("embeddings").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        if list.len() != requests.len() {
            let (found, wanted) = (list.len(), requests.len());
            return Err(empty(format!("the reply has {found} vectors, and {wanted} were asked for")));
        }
        list.iter()
            .map(|item| {
                let numbers = item.get("values").map(Json::to_string).unwrap_or_default();
                let vector = read_vector(&numbers).map_err(empty)?;
                Ok(Reply::text(serde_json::to_string(&vector).unwrap_or_default()).into())
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
        if ended.is_none() && !whole.contains_key("promptFeedback") {
            return Err(cut_stream());
        }
        let mut candidate = Map::new();
        set(&mut candidate, "content", Some(form!({"parts": parts})));
        set(&mut candidate, "finishReason", ended);
        set(&mut candidate, "logprobsResult", logprobs);
        whole.insert("candidates".to_owned(), form!([candidate]));
        Ok(Json::Object(whole))
    }

    fn fault(&self, status: u16, body: &str) -> Fault {
        Fault::of_status(status, body)
    }

    fn retry_after(&self, headers: &HeaderMap, body: &str, now: SystemTime) -> Option<Duration> {
        // The delay stands in the body: `"retryDelay": "13s"` among the details of the error.
        let asked = serde_json::from_str::<Json>(body).ok().and_then(|json| {
            let outer = json.get(0).unwrap_or(&json);
            let details = outer.pointer("/error/details").and_then(Json::as_array)?;
            let delay = details.iter().find_map(|detail| text_at(detail, "/retryDelay"))?;
            retry_after(delay.strip_suffix('s')?, now)
        });
        asked.or_else(|| usual_wait(headers, now))
    }

    fn signs(&self) -> Signs {
        Signs {
            truncated: "`finishReason: MAX_TOKENS`",
            refused: "`promptFeedback.blockReason`; `finishReason` `SAFETY`, `RECITATION`, `BLOCKLIST`, `PROHIBITED_CONTENT`, `SPII`, `IMAGE_SAFETY`",
            empty: "no candidate, or no part with text that is no thought",
        }
    }
}

fn stop_reason(word: &str) -> StopReason {
    match word {
        "STOP" => StopReason::End,
        "MAX_TOKENS" => StopReason::Length,
        refusal if REFUSALS.contains(&refusal) => StopReason::Refusal,
        _ => StopReason::Other,
    }
}

fn content(message: &Message) -> Json {
    let role = if message.role == Role::Assistant { "model" } else { "user" };
    let part = |part: Part| match part {
        Part::Text { text } => form!({"text": text}),
        Part::Image(image) => {
            form!({"inlineData": {"mimeType": image.kind().media_type(), "data": base64(image.bytes())}})
        }
        Part::ToolCall(call) => form!({"functionCall": {"name": call.name, "args": call.arguments}}),
        Part::ToolResult { name, text, is_error, .. } => {
            let field = if is_error { "error" } else { "output" };
            form!({"functionResponse": {"name": name, "response": {field: text}}})
        }
    };
    form!({"role": role, "parts": message.all_parts().map(part).collect::<Vec<Json>>()})
}

#[cfg(test)]
mod tests {
    use probare_core::Content;

    use super::super::tests_support::{read, request};
    use super::*;
    use crate::Provider;

    #[test]
    fn the_bytes_of_a_request_are_these() {
        let raw = Gemini.write(&request(Provider::Gemini), false);
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
        assert_eq!(text.reply.content, Content::Text("Yes".into()));
        let usage = text.reply.usage.unwrap();
        assert_eq!((usage.output_tokens, usage.reasoning_tokens), (10, 9));
        assert_eq!(content(r#"{"promptFeedback":{"blockReason":"OTHER"}}"#), Content::Refused("OTHER".into()));
        assert_eq!(content(r#"{"candidates":[{"finishReason":"SAFETY"}]}"#), Content::Refused("SAFETY".into()));
        let thoughts = content(
            r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}]},"finishReason":"MAX_TOKENS"}]}"#,
        );
        assert_eq!(thoughts, Content::Truncated(String::new()));
        assert_eq!(
            read(Provider::Gemini, r#"{"candidates":[{"finishReason":"STOP"}]}"#).unwrap_err().fault,
            Fault::Empty
        );
        assert_eq!(read(Provider::Gemini, "{}").unwrap_err().fault, Fault::Empty);
    }

    #[test]
    fn the_delay_stands_in_the_body() {
        let body = r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"13.5s"}]}}"#;
        let asked = |body: &str| Gemini.retry_after(&HeaderMap::new(), body, SystemTime::UNIX_EPOCH);
        assert_eq!(asked(body), Some(Duration::from_millis(13_500)));
        assert_eq!(asked(&format!("[{body}]")), Some(Duration::from_millis(13_500)));
        assert_eq!(asked("{}"), None);
    }
}
