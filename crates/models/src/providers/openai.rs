//! `/chat/completions`, as `OpenAI` defined it and Groq, `OpenRouter`, vLLM, llama.cpp and Ollama speak it.

use probare_core::{Content, Message, Reply, Role};
use serde_json::{Map, Value as Json, json as form};

use super::{Heard, Parcel, Request, Unheard, address, complaint, json, set, usage};
use crate::embedding::read_vector;
use crate::{Fault, Provider};

/// The request.
pub(crate) fn parcel(request: &Request) -> Parcel {
    let mut body = Map::new();
    set(&mut body, "model", Some(&request.model));
    let messages: Vec<Json> = request.messages.iter().map(message).collect();
    set(&mut body, "messages", Some(messages));
    let parameters = &request.parameters;
    set(&mut body, "temperature", parameters.temperature);
    set(&mut body, "top_p", parameters.top_p);
    // OpenAI's own models of late refuse the older name; other servers know only that.
    let own = request.provider == Provider::OpenAi && Some(request.base_url.as_str()) == Provider::OpenAi.base_url();
    set(&mut body, if own { "max_completion_tokens" } else { "max_tokens" }, parameters.max_tokens);
    set(&mut body, "seed", parameters.seed);
    set(&mut body, "stop", (!parameters.stop.is_empty()).then_some(&parameters.stop));
    if let Some(schema) = &parameters.schema {
        let format = form!({"type": "json_schema", "json_schema": {"name": "reply", "strict": true, "schema": schema}});
        set(&mut body, "response_format", Some(format));
    }
    set(&mut body, "logprobs", parameters.logprobs.then_some(true));
    set(&mut body, "reasoning_effort", request.reasoning_effort.as_ref());
    body.extend(request.extra_body.clone());
    Parcel { url: address(&request.base_url, "/chat/completions"), body: Json::Object(body).to_string().into_bytes() }
}

/// The request for a vector, `/embeddings`.
pub(crate) fn embedding_parcel(request: &Request) -> Parcel {
    let mut body = Map::new();
    set(&mut body, "model", Some(&request.model));
    set(&mut body, "input", request.messages.last().map(|message| &message.text));
    set(&mut body, "encoding_format", Some("float"));
    body.extend(request.extra_body.clone());
    Parcel { url: address(&request.base_url, "/embeddings"), body: Json::Object(body).to_string().into_bytes() }
}

/// The vector in a body of status 200, as the JSON of its numbers.
pub(crate) fn heard_vector(body: &[u8]) -> Result<Heard, Unheard> {
    let json = json(body)?;
    let usage = usage(&json, "/usage/prompt_tokens", "/usage/completion_tokens");
    let model = json.get("model").and_then(Json::as_str).map(ToOwned::to_owned);
    let numbers = json.pointer("/data/0/embedding").map(Json::to_string).unwrap_or_default();
    let vector = read_vector(&numbers).map_err(|reason| Unheard::new(Fault::Empty, reason))?;
    let content = Content::Text(serde_json::to_string(&vector).unwrap_or_default());
    let cost = json.pointer("/usage/cost").and_then(Json::as_f64);
    Ok(Heard { reply: Reply { usage: Some(usage), model, ..Reply::new(content) }, cost, logprobs: None })
}

fn message(message: &Message) -> Json {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    form!({"role": role, "content": message.text})
}

/// The reply in a body of status 200.
pub(crate) fn heard(body: &[u8]) -> Result<Heard, Unheard> {
    let json = json(body)?;
    let usage = usage(&json, "/usage/prompt_tokens", "/usage/completion_tokens");
    let model = json.get("model").and_then(Json::as_str).map(ToOwned::to_owned);
    let Some(choice) = json.pointer("/choices/0") else {
        // Some routers report a failure of the provider behind them with status 200.
        if let Some(error) = json.get("error").filter(|error| !error.is_null()) {
            let status = error.get("code").and_then(Json::as_u64).and_then(|code| u16::try_from(code).ok());
            let text = String::from_utf8_lossy(body);
            let fault = status.and_then(|status| Fault::of_status(status, &text)).unwrap_or(Fault::ServerError);
            return Err(Unheard::new(fault, complaint(&text)));
        }
        return Err(Unheard::new(Fault::Empty, "the reply has no choices"));
    };
    let message = choice.get("message").unwrap_or(&Json::Null);
    let words = |field: &str| message.get(field).and_then(text_of);
    let content = if let Some(refusal) = words("refusal").filter(|text| !text.is_empty()) {
        Content::Refused(refusal)
    } else if choice.get("finish_reason").and_then(Json::as_str) == Some("content_filter") {
        Content::Refused(
            words("content").filter(|text| !text.is_empty()).unwrap_or_else(|| "content filter".to_owned()),
        )
    } else if let Some(text) = words("content") {
        Content::Text(text)
    } else {
        return Err(Unheard::new(Fault::Empty, "the reply has no content"));
    };
    let cost = json.pointer("/usage/cost").and_then(Json::as_f64);
    let logprobs = choice.get("logprobs").filter(|given| !given.is_null()).cloned();
    Ok(Heard { reply: Reply { usage: Some(usage), model, ..Reply::new(content) }, cost, logprobs })
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

#[cfg(test)]
mod tests {
    use super::super::tests_support::request;
    use super::*;

    #[test]
    fn the_bytes_of_a_request_are_these() {
        let mut request = request(Provider::OpenAi);
        assert_eq!(
            String::from_utf8(parcel(&request).body).unwrap(),
            r#"{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Why?"}],"temperature":0.0,"top_p":0.9,"max_completion_tokens":50,"seed":7,"stop":["END"],"response_format":{"type":"json_schema","json_schema":{"name":"reply","strict":true,"schema":{"type":"object"}}},"logprobs":true}"#
        );
        request.base_url = "http://127.0.0.1:1/v1/".into();
        let parcel = parcel(&request);
        assert_eq!(parcel.url, "http://127.0.0.1:1/v1/chat/completions");
        assert!(String::from_utf8(parcel.body).unwrap().contains(r#""max_tokens":50"#));
    }

    #[test]
    fn a_vector_is_asked_for_and_read() {
        let mut request = request(Provider::OpenAi);
        request.embedding = true;
        let parcel = embedding_parcel(&request);
        assert_eq!(parcel.url, "https://api.openai.com/v1/embeddings");
        assert_eq!(
            String::from_utf8(parcel.body).unwrap(),
            r#"{"model":"m","input":"Why?","encoding_format":"float"}"#
        );
        let heard = heard_vector(br#"{"data":[{"embedding":[0.1,-2,3e-3]}],"usage":{"prompt_tokens":3}}"#).unwrap();
        assert_eq!(heard.reply.content, Content::Text("[0.1,-2.0,0.003]".into()), "numbers as short as they can be");
        assert_eq!(heard.reply.usage.unwrap().input_tokens, 3);
        for bad in [r#"{"data":[]}"#, r#"{"data":[{"embedding":[]}]}"#, r#"{"data":[{"embedding":[1e99]}]}"#] {
            assert_eq!(heard_vector(bad.as_bytes()).unwrap_err().fault, Fault::Empty, "{bad}");
        }
    }

    #[test]
    fn text_refusal_and_failure_are_told_apart() {
        let heard_text = heard(br#"{"model":"m-1","choices":[{"message":{"content":"Yes"},"logprobs":{"content":[]}}],"usage":{"prompt_tokens":3,"completion_tokens":1,"cost":0.25}}"#).unwrap();
        assert_eq!(heard_text.reply.content, Content::Text("Yes".into()));
        assert_eq!((heard_text.reply.usage.unwrap().input_tokens, heard_text.cost), (3, Some(0.25)));
        assert!(heard_text.logprobs.is_some());
        let refused = heard(br#"{"choices":[{"message":{"content":null,"refusal":"I will not"}}]}"#).unwrap();
        assert_eq!(refused.reply.content, Content::Refused("I will not".into()));
        let filtered = heard(br#"{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}"#).unwrap();
        assert!(matches!(filtered.reply.content, Content::Refused(_)));
        let empty_text = heard(br#"{"choices":[{"message":{"content":""}}]}"#).unwrap();
        assert_eq!(empty_text.reply.content, Content::Text(String::new()), "empty text is text");
        for (body, fault) in [
            (r#"{"choices":[]}"#, Fault::Empty),
            (r#"{"choices":[{"message":{"content":null}}]}"#, Fault::Empty),
            (r#"{"error":{"message":"busy","code":429}}"#, Fault::TooManyRequests),
            (r#"{"error":{"message":"odd"}}"#, Fault::ServerError),
            (r#"{"choices":[{"mess"#, Fault::InvalidJson),
            ("[]", Fault::Empty),
            ("null", Fault::Empty),
        ] {
            assert_eq!(heard(body.as_bytes()).unwrap_err().fault, fault, "{body}");
        }
    }
}
