//! The published prompt interface: a server that retrieves and answers by itself. `k`, `filter`, `question` and `model` go out;
//! the question, the passages and an answer with citations come back.
//!
//! The word that lets one in (`auth`) stands in the body there. It is put in when the body is sent and is no part of what the
//! record holds or of its key.

use probare_core::{ModelReply, Role};
use serde_json::{Map, Value as Json};
use zeroize::Zeroizing;

use super::{Dialect, Feature, RawReply, RawRequest, ReplyError, parse_json, set};
use crate::secret::Secret;
use crate::{Fault, ModelRequest};

/// Passages where no number is set.
const USUAL_K: u64 = 10;

/// A server of prompts.
pub(crate) struct Prompt;

impl Dialect for Prompt {
    fn supports(&self, feature: Feature) -> bool {
        // The server chooses for itself; a longest reply serves to bound what a call can take.
        feature == Feature::MaxTokens
    }

    /// The request, without `auth`. `k` and `filter` are those of the settings, or of the question, whose system message
    /// holds them as JSON: they decide the answer as its words do, and so does the key of the record.
    fn write(&self, request: &ModelRequest, _: bool) -> Result<RawRequest, ReplyError> {
        let mut body = Map::new();
        set(&mut body, "k", Some(USUAL_K));
        set(&mut body, "filter", Some(Map::new()));
        set(&mut body, "question", request.messages.last().map(|message| &message.text));
        set(&mut body, "model", Some(&request.model));
        let mut extra = request.extra_body.clone();
        let own = request.messages.iter().find(|message| message.role == Role::System);
        if let Some(Ok(Json::Object(own))) = own.map(|message| serde_json::from_str(&message.text)) {
            extra.extend(own);
        }
        for field in ["k", "filter"] {
            // What holds without a word.
            if let (Some(place), Some(given)) = (body.get_mut(field), extra.remove(field)) {
                *place = given;
            }
        }
        RawRequest::new(request.base_url.clone(), body, &extra)
    }

    fn read(&self, _: &ModelRequest, body: &[u8]) -> Result<RawReply, ReplyError> {
        read(body)
    }
}

/// The bytes that are sent: the body with `auth`.
pub(crate) fn with_auth(body: &[u8], auth: &Secret) -> Zeroizing<Vec<u8>> {
    let word = Zeroizing::new(Json::from(auth.expose()).to_string());
    let mut whole = Zeroizing::new(Vec::with_capacity(body.len() + word.len() + 9));
    // The body is an object with members.
    whole.extend_from_slice(body.strip_suffix(b"}").unwrap_or(body));
    whole.extend_from_slice(b",\"auth\":");
    whole.extend_from_slice(word.as_bytes());
    whole.push(b'}');
    whole
}

/// The reply in a body of status 200: the whole of it as JSON text, once it is known to have the published form.
fn read(body: &[u8]) -> Result<RawReply, ReplyError> {
    let json = parse_json(body)?;
    let wrong = |reason: &str| ReplyError::new(Fault::Empty, format!("the reply {reason}"));
    let context = json.get("context").and_then(Json::as_array).ok_or_else(|| wrong("has no list `context`"))?;
    if !context.iter().all(|item| item.get("page_content").is_some_and(Json::is_string)) {
        return Err(wrong("has a passage without a text `page_content`"));
    }
    let answer =
        json.get("answer").filter(|answer| answer.is_object()).ok_or_else(|| wrong("has no object `answer`"))?;
    if !answer.get("answer").is_some_and(Json::is_string) {
        return Err(wrong("has no text `answer.answer`"));
    }
    if answer.get("citations").is_some_and(|citations| !citations.is_array()) {
        return Err(wrong("has `answer.citations` that is not a list"));
    }
    Ok(ModelReply::text(json.to_string()).into())
}

#[cfg(test)]
mod tests {
    use super::super::tests_support::request;
    use super::*;
    use crate::Provider;

    #[test]
    fn the_bytes_of_a_request_are_these() {
        let mut request = request(Provider::Prompt);
        request.model = "openai:gpt-4o-mini".into();
        request.base_url = "https://example.org/evaluation-prompt".into();
        request.extra_body.insert("k".into(), 3.into());
        let raw = Prompt.write(&request, false).unwrap();
        let body = r#"{"k":3,"filter":{},"question":"Why?","model":"openai:gpt-4o-mini"}"#;
        request.messages[0].text = r#"{"filter":{"YEAR":2019}}"#.into();
        assert!(
            String::from_utf8(Prompt.write(&request, false).unwrap().body)
                .unwrap()
                .starts_with(r#"{"k":3,"filter":{"YEAR":2019},"#)
        );
        assert_eq!(
            (raw.url.as_str(), std::str::from_utf8(&raw.body).unwrap()),
            ("https://example.org/evaluation-prompt", body)
        );
        let sent: Json = serde_json::from_slice(&with_auth(&raw.body, &Secret::new("let \"me\" in"))).unwrap();
        assert_eq!((sent["auth"].as_str(), sent["k"].as_u64()), (Some("let \"me\" in"), Some(3)));
    }

    #[test]
    fn a_reply_of_another_form_is_a_fault() {
        let good = r#"{"question":"Why?","context":[{"page_content":"x","metadata":{}}],"answer":{"answer":"So.","citations":[{"source_index":0,"quote":"x"}]}}"#;
        assert_eq!(read(good.as_bytes()).unwrap().reply, ModelReply::text(good));
        for (body, reason) in [
            ("{}", "has no list `context`"),
            (r#"{"context":[{"text":"x"}],"answer":{"answer":"a"}}"#, "has a passage without a text `page_content`"),
            (r#"{"context":[],"answer":"a"}"#, "has no object `answer`"),
            (r#"{"context":[],"answer":{"answer":1}}"#, "has no text `answer.answer`"),
            (r#"{"context":[],"answer":{"answer":"a","citations":1}}"#, "has `answer.citations` that is not a list"),
        ] {
            assert!(read(body.as_bytes()).unwrap_err().reason.contains(reason), "{body}");
        }
    }
}
