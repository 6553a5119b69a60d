//! `:generateContent` of Gemini.

use probare_core::{Content, Reply, Role, Usage};
use serde_json::{Map, Value as Json, json as form};

use super::{Heard, Parcel, Request, Unheard, address, count, json, parted, set};
use crate::Fault;

/// Reasons to end that are refusals.
const REFUSALS: &[&str] = &["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"];

/// The request.
pub(crate) fn parcel(request: &Request) -> Parcel {
    let (system, messages) = parted(&request.messages);
    let parameters = &request.parameters;
    let contents: Vec<Json> = messages
        .iter()
        .map(|message| {
            let role = if message.role == Role::Assistant { "model" } else { "user" };
            form!({"role": role, "parts": [{"text": message.text}]})
        })
        .collect();
    let mut how = Map::new();
    set(&mut how, "temperature", parameters.temperature);
    set(&mut how, "topP", parameters.top_p);
    set(&mut how, "maxOutputTokens", parameters.max_tokens);
    set(&mut how, "seed", parameters.seed);
    set(&mut how, "stopSequences", (!parameters.stop.is_empty()).then_some(&parameters.stop));
    if let Some(schema) = &parameters.schema {
        set(&mut how, "responseMimeType", Some("application/json"));
        set(&mut how, "responseJsonSchema", Some(schema));
    }
    set(&mut how, "responseLogprobs", parameters.logprobs.then_some(true));
    let mut body = Map::new();
    set(&mut body, "systemInstruction", system.map(|text| form!({"parts": [{"text": text}]})));
    set(&mut body, "contents", Some(contents));
    set(&mut body, "generationConfig", (!how.is_empty()).then_some(how));
    body.extend(request.extra_body.clone());
    let path = format!("/v1beta/models/{}:generateContent", request.model);
    Parcel { url: address(&request.base_url, &path), body: Json::Object(body).to_string().into_bytes() }
}

/// The reply in a body of status 200.
pub(crate) fn heard(body: &[u8]) -> Result<Heard, Unheard> {
    let json = json(body)?;
    // Thoughts are charged as output.
    let output = count(&json, "/usageMetadata/candidatesTokenCount");
    let usage = Usage {
        input_tokens: count(&json, "/usageMetadata/promptTokenCount"),
        output_tokens: output.saturating_add(count(&json, "/usageMetadata/thoughtsTokenCount")),
        ..Usage::default()
    };
    let model = json.get("modelVersion").and_then(Json::as_str).map(ToOwned::to_owned);
    let candidate = json.pointer("/candidates/0");
    let ended = candidate.and_then(|candidate| candidate.get("finishReason")).and_then(Json::as_str);
    let parts = candidate.and_then(|candidate| candidate.pointer("/content/parts")).and_then(Json::as_array);
    let texts: Vec<&str> = parts
        .into_iter()
        .flatten()
        .filter(|part| part.get("thought") != Some(&Json::Bool(true)))
        .filter_map(|part| part.get("text").and_then(Json::as_str))
        .collect();
    let blocked = json.pointer("/promptFeedback/blockReason").and_then(Json::as_str);
    let content = match (ended.filter(|reason| REFUSALS.contains(reason)).or(blocked), texts.is_empty()) {
        (Some(reason), true) => Content::Refused(reason.to_owned()),
        (Some(_), false) => Content::Refused(texts.concat()),
        (None, false) => Content::Text(texts.concat()),
        (None, true) => {
            let reason = format!("the reply has no text{}", ended.map(|end| format!(" ({end})")).unwrap_or_default());
            return Err(Unheard::new(Fault::Empty, reason));
        }
    };
    let logprobs = candidate.and_then(|candidate| candidate.get("logprobsResult")).cloned();
    Ok(Heard { reply: Reply { usage: Some(usage), model, ..Reply::new(content) }, cost: None, logprobs })
}

#[cfg(test)]
mod tests {
    use super::super::tests_support::request;
    use super::*;
    use crate::Provider;

    #[test]
    fn the_bytes_of_a_request_are_these() {
        let parcel = parcel(&request(Provider::Gemini));
        assert_eq!(parcel.url, "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent");
        assert_eq!(
            String::from_utf8(parcel.body).unwrap(),
            r#"{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"Why?"}]}],"generationConfig":{"temperature":0.0,"topP":0.9,"maxOutputTokens":50,"seed":7,"stopSequences":["END"],"responseMimeType":"application/json","responseJsonSchema":{"type":"object"},"responseLogprobs":true}}"#
        );
    }

    #[test]
    fn text_thoughts_and_blocks_are_read() {
        let text = heard(br#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"Yes"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1,"thoughtsTokenCount":5},"modelVersion":"g"}"#).unwrap();
        assert_eq!(text.reply.content, Content::Text("Yes".into()));
        assert_eq!(text.reply.usage.unwrap().output_tokens, 6);
        let refused = heard(br#"{"promptFeedback":{"blockReason":"SAFETY"}}"#).unwrap();
        assert_eq!(refused.reply.content, Content::Refused("SAFETY".into()));
        assert_eq!(heard(br#"{"candidates":[{"finishReason":"MAX_TOKENS"}]}"#).unwrap_err().fault, Fault::Empty);
    }
}
