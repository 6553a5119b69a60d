//! `/v1/messages` of Anthropic.
//!
//! It takes no seed and gives no probabilities; both are left out. A JSON Schema is asked for through a tool that the
//! model has to use, which every model of the family understands.

use probare_core::{Content, Reply, Role};
use serde_json::{Map, Value as Json, json as form};

use super::{Heard, Parcel, Request, Unheard, address, count, json, parted, set};
use crate::Fault;

/// The version of the interface, sent as a header.
pub(crate) const VERSION: &str = "2023-06-01";

/// The interface wants a limit; this one holds when none is given.
pub(crate) const MOST_TOKENS: u32 = 4096;

/// The request.
pub(crate) fn parcel(request: &Request) -> Parcel {
    let (system, messages) = parted(&request.messages);
    let parameters = &request.parameters;
    let messages: Vec<Json> = messages
        .iter()
        .map(|message| {
            let role = if message.role == Role::Assistant { "assistant" } else { "user" };
            form!({"role": role, "content": message.text})
        })
        .collect();
    let mut body = Map::new();
    set(&mut body, "model", Some(&request.model));
    set(&mut body, "max_tokens", Some(parameters.max_tokens.unwrap_or(MOST_TOKENS)));
    set(&mut body, "system", system);
    set(&mut body, "messages", Some(messages));
    set(&mut body, "temperature", parameters.temperature);
    set(&mut body, "top_p", parameters.top_p);
    set(&mut body, "stop_sequences", (!parameters.stop.is_empty()).then_some(&parameters.stop));
    if let Some(schema) = &parameters.schema {
        let tool = form!([{"name": "reply", "description": "Gives the reply.", "input_schema": schema}]);
        set(&mut body, "tools", Some(tool));
        set(&mut body, "tool_choice", Some(form!({"type": "tool", "name": "reply"})));
    }
    body.extend(request.extra_body.clone());
    Parcel { url: address(&request.base_url, "/v1/messages"), body: Json::Object(body).to_string().into_bytes() }
}

/// The reply in a body of status 200.
pub(crate) fn heard(body: &[u8]) -> Result<Heard, Unheard> {
    let json = json(body)?;
    // What was read from or written to the provider's cache was sent too.
    let input = ["/usage/input_tokens", "/usage/cache_read_input_tokens", "/usage/cache_creation_input_tokens"];
    let usage = probare_core::Usage {
        input_tokens: input.iter().map(|path| count(&json, path)).fold(0, u64::saturating_add),
        output_tokens: count(&json, "/usage/output_tokens"),
        ..probare_core::Usage::default()
    };
    let model = json.get("model").and_then(Json::as_str).map(ToOwned::to_owned);
    let blocks = json.get("content").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text").and_then(Json::as_str)).collect();
    let tool = blocks.iter().find(|block| block.get("type").and_then(Json::as_str) == Some("tool_use"));
    let content = if json.get("stop_reason").and_then(Json::as_str) == Some("refusal") {
        Content::Refused(if texts.is_empty() { "refusal".to_owned() } else { texts.concat() })
    } else if let Some(input) = tool.and_then(|tool| tool.get("input")) {
        Content::Text(input.to_string())
    } else if texts.is_empty() {
        return Err(Unheard::new(Fault::Empty, "the reply has no text"));
    } else {
        Content::Text(texts.concat())
    };
    Ok(Heard { reply: Reply { usage: Some(usage), model, ..Reply::new(content) }, cost: None, logprobs: None })
}

#[cfg(test)]
mod tests {
    use super::super::tests_support::request;
    use super::*;
    use crate::Provider;

    #[test]
    fn the_bytes_of_a_request_are_these() {
        let parcel = parcel(&request(Provider::Anthropic));
        assert_eq!(parcel.url, "https://api.anthropic.com/v1/messages");
        assert_eq!(
            String::from_utf8(parcel.body).unwrap(),
            r#"{"model":"m","max_tokens":50,"system":"Be brief.","messages":[{"role":"user","content":"Why?"}],"temperature":0.0,"top_p":0.9,"stop_sequences":["END"],"tools":[{"name":"reply","description":"Gives the reply.","input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"reply"}}"#
        );
    }

    #[test]
    fn text_tool_and_refusal_are_read() {
        let text = heard(br#"{"model":"c","content":[{"type":"text","text":"A"},{"type":"text","text":"B"}],"usage":{"input_tokens":4,"cache_read_input_tokens":6,"output_tokens":2}}"#).unwrap();
        assert_eq!(text.reply.content, Content::Text("AB".into()));
        assert_eq!(text.reply.usage.unwrap().input_tokens, 10);
        let tool = heard(br#"{"content":[{"type":"tool_use","name":"reply","input":{"verdict":true}}]}"#).unwrap();
        assert_eq!(tool.reply.content, Content::Text(r#"{"verdict":true}"#.into()));
        let refused = heard(br#"{"content":[],"stop_reason":"refusal"}"#).unwrap();
        assert!(matches!(refused.reply.content, Content::Refused(_)));
        assert_eq!(heard(br#"{"content":[]}"#).unwrap_err().fault, Fault::Empty);
    }
}
