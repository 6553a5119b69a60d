//! [`Dialect`]: how a question is written for a provider and how its answer is read. Everything here is pure: bytes in, bytes
//! out.
//!
//! One file holds one way of speaking. What a provider does otherwise than the others of its dialect is data beside the code,
//! and what it cannot express is known before a run ([`Dialect::supports`]).

pub(crate) mod anthropic;
pub(crate) mod azure;
pub(crate) mod bedrock;
pub(crate) mod chat;
pub(crate) mod command;
mod extra_body;
pub(crate) mod gemini;
#[cfg(test)]
mod golden;
pub(crate) mod ollama;
pub(crate) mod prompt;
pub(crate) mod replay;
pub(crate) mod responses;
mod sse;
mod stop;
mod table;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use probare_core::{Message, MessagePart, ModelReply, ReplyContent, Role, StopReason, Tool, ToolCall, Usage};
use reqwest::header::HeaderMap;
use serde::Serialize;
use serde_json::{Map, Value as Json};

pub(crate) use sse::{parse_events, parse_lines};
pub use stop::{StopMeaning, StopReasons, stop_reasons};

use crate::ModelRequest;
use crate::retry_policy::{self, Fault};

/// Longest reply that is read, in bytes.
pub(crate) const LARGEST_REPLY: usize = 16 << 20;

/// What can be asked of a model, beside the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// `temperature`.
    Temperature,
    /// `top_p`.
    TopP,
    /// `max_tokens`.
    MaxTokens,
    /// `seed`.
    Seed,
    /// Texts at which a reply ends.
    Stop,
    /// A JSON Schema for the reply.
    Schema,
    /// Probabilities of tokens.
    Logprobs,
    /// `reasoning_effort`.
    ReasoningEffort,
    /// Tools to call.
    Tools,
    /// Images.
    Images,
    /// Vectors of texts.
    Embeddings,
    /// The reply piece by piece.
    Streaming,
}

impl Feature {
    /// All of them, in the order of the guide's table.
    pub const ALL: [Self; 12] = [
        Self::Temperature,
        Self::TopP,
        Self::MaxTokens,
        Self::Seed,
        Self::Stop,
        Self::Schema,
        Self::Logprobs,
        Self::ReasoningEffort,
        Self::Tools,
        Self::Images,
        Self::Embeddings,
        Self::Streaming,
    ];

    /// The word in settings and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Temperature => "temperature",
            Self::TopP => "top_p",
            Self::MaxTokens => "max_tokens",
            Self::Seed => "seed",
            Self::Stop => "stop",
            Self::Schema => "schema",
            Self::Logprobs => "logprobs",
            Self::ReasoningEffort => "reasoning_effort",
            Self::Tools => "tools",
            Self::Images => "images",
            Self::Embeddings => "embeddings",
            Self::Streaming => "stream",
        }
    }

    /// What a request wants.
    pub(crate) fn used_by(request: &ModelRequest) -> impl Iterator<Item = Self> + '_ {
        let parameters = &request.parameters;
        let is_wanted = move |feature: &Self| match feature {
            Self::Temperature => parameters.temperature.is_some(),
            Self::TopP => parameters.top_p.is_some(),
            Self::MaxTokens => parameters.max_tokens.is_some(),
            Self::Seed => parameters.seed.is_some(),
            Self::Stop => !parameters.stop.is_empty(),
            Self::Schema => parameters.schema.is_some(),
            Self::Logprobs => parameters.logprobs,
            Self::ReasoningEffort => request.reasoning_effort.is_some(),
            Self::Tools => !parameters.tools.is_empty(),
            Self::Images => request.has_images(),
            Self::Embeddings => request.embedding,
            Self::Streaming => false,
        };
        Self::ALL.into_iter().filter(is_wanted)
    }
}

/// A way of speaking to models.
pub(crate) trait Dialect: Sync {
    /// Whether a wish can be expressed.
    fn supports(&self, feature: Feature) -> bool;

    /// The request; an error where the settings ask for what cannot be sent together.
    fn write(&self, request: &ModelRequest, streams: bool) -> Result<RawRequest, ReplyError>;

    /// The reply in a body of status 200.
    fn read(&self, request: &ModelRequest, body: &[u8]) -> Result<RawReply, ReplyError>;

    /// The request for the vectors of several texts; all requests are alike but for their text. Nothing where there are none.
    fn write_vectors(&self, _: &[ModelRequest]) -> Result<RawRequest, ReplyError> {
        Ok(RawRequest::none())
    }

    /// The vectors in a body of status 200, as the JSON of their numbers, in the order of the texts.
    fn read_vectors(&self, _: &[ModelRequest], _: &[u8]) -> Result<Vec<RawReply>, ReplyError> {
        Err(no_vectors())
    }

    /// Most texts of one request for vectors.
    fn most_vectors(&self) -> usize {
        1
    }

    /// The events of a stream as the body that would have come at once. Settings refuse to stream what cannot.
    fn join(&self, _: &[Json]) -> Result<Json, ReplyError> {
        Err(ReplyError::new(Fault::BadRequest, "replies do not come in pieces here"))
    }

    /// What a status other than 200 means.
    fn fault(&self, status: u16, body: &str) -> Fault {
        Fault::from_status(status, body)
    }

    /// How long the provider asks to wait.
    fn retry_after(&self, headers: &HeaderMap, _: &str, now: SystemTime) -> Option<Duration> {
        retry_after_header(headers, now)
    }
}

/// A reply as a provider gave it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RawReply {
    /// Text or refusal, usage and the model's own name.
    pub reply: ModelReply,
    /// What the provider says that the call cost, in dollars.
    pub cost: Option<f64>,
    /// Probabilities of the tokens, in the provider's form.
    pub logprobs: Option<Json>,
    /// A stop reason that nobody documents.
    pub unknown_stop: Option<String>,
}

impl From<ModelReply> for RawReply {
    fn from(reply: ModelReply) -> Self {
        Self { reply, cost: None, logprobs: None, unknown_stop: None }
    }
}

/// Why a body is no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReplyError {
    /// What went wrong.
    pub fault: Fault,
    /// In words.
    pub reason: String,
    /// What it took all the same, where the provider says so.
    pub usage: Option<Usage>,
}

impl ReplyError {
    pub(crate) fn new(fault: Fault, reason: impl Into<String>) -> Self {
        Self { fault, reason: reason.into(), usage: None }
    }
}

/// Where a request goes and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawRequest {
    /// Address.
    pub url: String,
    /// The exact bytes of the body.
    pub body: Vec<u8>,
}

impl RawRequest {
    /// A request with this body and the fields of `extra_body`.
    pub(crate) fn new(url: String, body: Map<String, Json>, extra: &Map<String, Json>) -> Result<Self, ReplyError> {
        let body = extra_body::merged(body, extra).map_err(|reason| ReplyError::new(Fault::BadRequest, reason))?;
        Ok(Self { url, body: Json::Object(body).to_string().into_bytes() })
    }

    /// Nothing, for who sends nothing.
    pub(crate) const fn none() -> Self {
        Self { url: String::new(), body: Vec::new() }
    }
}

/// What was found in a reply, before it is decided what it comes to.
#[derive(Default)]
pub(crate) struct ReplyDraft {
    /// Texts, in order; nothing where the reply has none, which is not the same as an empty one.
    pub texts: Vec<String>,
    /// Why the model stopped.
    pub stop: Option<StopReason>,
    /// The words of a refusal.
    pub refusal: Option<String>,
    /// Calls of tools.
    pub calls: Vec<ToolCall>,
    pub usage: Option<Usage>,
    pub model: Option<String>,
    /// What is said of a reply without an answer.
    pub ended: String,
    /// The fault that the stop reason is.
    pub fault: Option<Fault>,
}

impl ReplyDraft {
    /// Takes a stop reason as its provider means it.
    pub(crate) fn set_stop_reason(&mut self, request: &ModelRequest, word: Option<&str>) {
        let Some(word) = word else { return };
        word.clone_into(&mut self.ended);
        match stop::stop_meaning(request, word) {
            Ok(reason) => self.stop = Some(reason),
            Err(fault) => self.fault = Some(fault),
        }
    }

    /// What it comes to: a refusal, a cut text, a text, calls of tools; or a reply without an answer, whose usage is known.
    pub(crate) fn into_reply(self) -> Result<RawReply, ReplyError> {
        if let Some(fault) = self.fault {
            let reason = format!("the reply failed: it ended with `{}`", self.ended);
            return Err(ReplyError { usage: self.usage, ..ReplyError::new(fault, reason) });
        }
        let text = self.texts.concat();
        let has_text = !self.texts.is_empty();
        let unknown_stop = (self.stop == Some(StopReason::Other)).then(|| self.ended.clone());
        if self.stop == Some(StopReason::Other) && text.is_empty() && self.refusal.is_none() {
            let reason = format!("the reply has no text and ended with `{}`, which nobody documents", self.ended);
            return Err(ReplyError { usage: self.usage, ..ReplyError::new(Fault::UnusableReply, reason) });
        }
        let content = match (self.refusal, self.stop) {
            (Some(words), _) => ReplyContent::Refused(if words.is_empty() { text } else { words }),
            (None, Some(StopReason::Refusal)) => {
                ReplyContent::Refused(if text.is_empty() { spaced(&self.ended) } else { text })
            }
            (None, Some(StopReason::Length)) => ReplyContent::Truncated(text),
            (None, _) if has_text || !self.calls.is_empty() => ReplyContent::Text(text),
            (None, _) => {
                let ended = if self.ended.is_empty() { String::new() } else { format!(" ({})", spaced(&self.ended)) };
                let reason = format!("the reply holds no answer{ended}");
                return Err(ReplyError { usage: self.usage, ..ReplyError::new(Fault::Empty, reason) });
            }
        };
        let parts = self.calls.into_iter().map(MessagePart::ToolCall).collect();
        let reply =
            ModelReply { usage: self.usage, model: self.model, stop: self.stop, parts, ..ModelReply::new(content) };
        Ok(RawReply { unknown_stop, ..reply.into() })
    }
}

/// A stop reason as words.
fn spaced(word: &str) -> String {
    word.replace('_', " ")
}

/// Sets a field where a value is there.
pub(crate) fn set<T: Serialize>(body: &mut Map<String, Json>, name: &str, value: Option<T>) {
    if let Some(value) = value
        && let Ok(json) = serde_json::to_value(value)
    {
        body.insert(name.to_owned(), json);
    }
}

/// A list, where it holds something.
pub(crate) fn non_empty<T>(list: &[T]) -> Option<&[T]> {
    (!list.is_empty()).then_some(list)
}

/// The system messages as one text, and the others in their order.
pub(crate) fn split_system(messages: &[Message]) -> (Option<String>, Vec<&Message>) {
    let (system, others): (Vec<&Message>, Vec<&Message>) =
        messages.iter().partition(|message| message.role == Role::System);
    let system: Vec<&str> = system.iter().map(|message| message.text.as_str()).collect();
    ((!system.is_empty()).then(|| system.join("\n\n")), others)
}

/// The address of a path below the base URL, whether that ends in a slash or not.
pub(crate) fn endpoint_url(base_url: &str, path: &str) -> String {
    format!("{}{path}", base_url.trim_end_matches('/'))
}

/// The messages with all results of parallel calls in one, as vendors want them that know a turn of the user and one of the
/// model. A result without the name of its tool gets that of its call.
pub(crate) fn with_joined_results(messages: Vec<&Message>) -> Vec<Message> {
    let mut joined: Vec<Message> = Vec::with_capacity(messages.len());
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for message in messages {
        let mut message = message.clone();
        for part in &mut message.parts {
            match part {
                MessagePart::ToolCall(call) => {
                    names.insert(call.id.clone(), call.name.clone());
                }
                MessagePart::ToolResult { id, name, .. } if name.is_empty() => {
                    *name = names.get(id).cloned().unwrap_or_default();
                }
                _ => {}
            }
        }
        match joined.last_mut() {
            Some(before) if before.role == Role::Tool && message.role == Role::Tool => {
                before.parts.append(&mut message.parts);
            }
            _ => joined.push(message),
        }
    }
    joined
}

/// The failure that a body of status 200 speaks of in an `error`: the status that stands there decides.
pub(crate) fn inner_error(error: &Json, usage: Option<Usage>) -> Option<ReplyError> {
    if error.is_null() {
        return None;
    }
    let code = error.get("code");
    let status = code.and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
    let status = status.and_then(|status| u16::try_from(status).ok()).filter(|status| (400..600).contains(status));
    let text = serde_json::json!({ "error": error }).to_string();
    let fault = status.map_or(Fault::FailedReply, |status| Fault::from_status(status, &text));
    Some(ReplyError { usage, ..ReplyError::new(fault, error_message(&text)) })
}

/// What a failed call says in its body: the message where it has the usual form, else the beginning of the text.
pub(crate) fn error_message(body: &str) -> String {
    let message = serde_json::from_str::<Json>(body).ok().and_then(|json| {
        // Bedrock says `message` at the top; Gemini may put everything into a list.
        let outer = json.get(0).unwrap_or(&json);
        let error = outer.get("error").unwrap_or(outer);
        let text = error.get("message").and_then(Json::as_str).or_else(|| error.as_str())?;
        Some(text.to_owned())
    });
    let text = message.unwrap_or_else(|| body.trim().to_owned());
    let end = text.floor_char_boundary(300);
    if end < text.len() { format!("{}…", text.get(..end).unwrap_or_default()) } else { text }
}

/// JSON from a body, or the fault. A byte order mark is skipped, and half of a surrogate pair is read as U+FFFD: the reply is
/// paid for, and the next one would be no better.
pub(crate) fn parse_json(body: &[u8]) -> Result<Json, ReplyError> {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    serde_json::from_slice(body)
        .or_else(|error| serde_json::from_slice(&without_lone_surrogates(body).ok_or(error)?))
        .map_err(|error| ReplyError::new(Fault::InvalidJson, format!("the reply is not valid JSON: {error}")))
}

/// The text with U+FFFD in place of every escape of half a surrogate pair; nothing where there is none.
fn without_lone_surrogates(body: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| {
        let escape = body.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(escape).ok()?, 16).ok()
    };
    let (mut text, mut at, mut is_changed) = (Vec::with_capacity(body.len()), 0, false);
    while at < body.len() {
        let length = match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                text.extend_from_slice(b"\\ufffd");
                is_changed = true;
                at += 6;
                continue;
            }
            // An escaped backslash begins no further escape.
            _ if body[at] == b'\\' => 2,
            _ => 1,
        };
        text.extend_from_slice(body.get(at..at + length).unwrap_or(&body[at..]));
        at += length;
    }
    is_changed.then_some(text)
}

/// A text at a path.
pub(crate) fn text_at<'a>(json: &'a Json, pointer: &str) -> Option<&'a str> {
    json.pointer(pointer).and_then(Json::as_str)
}

/// A count of tokens at a path.
pub(crate) fn u64_at(json: &Json, pointer: &str) -> u64 {
    json.pointer(pointer).and_then(Json::as_u64).unwrap_or_default()
}

/// A usage, where the provider gives one: fields of input (added up), output (added up), thoughts and cache.
pub(crate) fn usage(json: &Json, input: &[&str], output: &[&str], thoughts: &str, cache: &str) -> Option<Usage> {
    let is_there = |path: &&&str| json.pointer(path).is_some_and(Json::is_u64);
    input.iter().chain(output).any(|path| is_there(&path)).then(|| Usage {
        input_tokens: input.iter().map(|path| u64_at(json, path)).fold(0, u64::saturating_add),
        output_tokens: output.iter().map(|path| u64_at(json, path)).fold(0, u64::saturating_add),
        reasoning_tokens: u64_at(json, thoughts),
        cached_tokens: u64_at(json, cache),
        ..Usage::default()
    })
}

/// Arguments that came as text; the text itself where it is not an object: what is wrong with it is told by whoever scores it.
pub(crate) fn arguments(text: &str) -> Json {
    if text.trim().is_empty() {
        return Json::Object(Map::new());
    }
    serde_json::from_str(text).map_or_else(|_| Json::from(text), Json::Object)
}

/// The schema of a tool's arguments, for those who insist on one.
pub(crate) fn schema(tool: &Tool) -> Json {
    if tool.parameters.is_null() { serde_json::json!({"type": "object"}) } else { tool.parameters.clone() }
}

/// What stands in place of the bytes of images in what is kept.
pub(crate) fn without_images(request: &ModelRequest, body: &[u8]) -> Vec<u8> {
    let mut text = String::from_utf8_lossy(body).into_owned();
    for part in request.messages.iter().flat_map(|message| &message.parts) {
        if let MessagePart::Image(image) = part {
            text = text.replace(&base64(image.bytes()), &format!("sha256:{}", image.sha256()));
        }
    }
    text.into_bytes()
}

/// Base 64 as RFC 4648 has it, with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// Reads a vector from the JSON of its numbers; the reason where it is none.
pub(crate) fn read_vector(text: &str) -> Result<Vec<f32>, String> {
    let numbers: Vec<f32> =
        serde_json::from_str(text).map_err(|_| "the reply holds no vector, which is a list of numbers".to_owned())?;
    if numbers.is_empty() || numbers.iter().any(|number| !number.is_finite()) {
        return Err("the reply holds an empty vector, or numbers that are not finite".to_owned());
    }
    Ok(numbers)
}

/// A dialect that knows no vectors says so; the settings refuse before it comes to that.
pub(crate) fn no_vectors() -> ReplyError {
    ReplyError::new(Fault::BadRequest, "vectors cannot be asked for here")
}

/// A stream that ended before its last event.
pub(crate) fn cut_stream() -> ReplyError {
    ReplyError::new(Fault::ConnectionLost, "the stream ended before the reply was whole")
}

/// `retry-after-ms`, else `Retry-After`. A date there is one of the server's clock, which the header `Date` shows.
pub(crate) fn retry_after_header(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let now = header("date").and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or(now);
    let milliseconds = header("retry-after-ms").and_then(retry_policy::retry_after_ms);
    milliseconds.or_else(|| header("retry-after").and_then(|value| retry_policy::retry_after(value, now)))
}

#[cfg(test)]
pub(crate) mod tests_support {
    //! One request that uses every parameter.
    use probare_core::Parameters;

    use super::*;
    use crate::Provider;

    pub(crate) fn request(provider: Provider) -> ModelRequest {
        ModelRequest {
            provider,
            base_url: provider.base_url().unwrap_or_default().to_owned(),
            model: "m".into(),
            parameters: Parameters {
                temperature: Some(0.0),
                top_p: Some(0.9),
                max_tokens: Some(50),
                seed: Some(7),
                stop: vec!["END".into()],
                schema: Some(serde_json::json!({"type": "object"})),
                logprobs: true,
                tools: Vec::new(),
            },
            reasoning_effort: None,
            extra_body: Map::new(),
            embedding: false,
            also: BTreeMap::new(),
            messages: vec![Message::system("Be brief."), Message::user("Why?")],
            repeat: 0,
            seat: 0,
            attempt: 0,
        }
    }

    /// What a body is read as.
    pub(crate) fn read(provider: Provider, body: &str) -> Result<RawReply, ReplyError> {
        let plain = ModelRequest { parameters: Parameters::default(), ..request(provider) };
        provider.dialect().read(&plain, body.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Provider;

    /// JSON with the names that replies have, in places where they do not belong.
    fn odd() -> impl Strategy<Value = Json> {
        let names = prop::sample::select(vec![
            "choices",
            "data",
            "embedding",
            "embeddings",
            "message",
            "content",
            "refusal",
            "text",
            "parts",
            "candidates",
            "usage",
            "error",
            "code",
            "logprobs",
            "promptFeedback",
            "blockReason",
            "finishReason",
            "type",
            "input",
            "prompt_tokens",
            "cost",
            "output",
            "stopReason",
            "stop_reason",
            "finish_reason",
            "tool_calls",
            "function",
            "arguments",
            "functionCall",
            "status",
            "delta",
            "index",
            "toolUse",
            "values",
            "choice",
            "incomplete_details",
        ]);
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            any::<u64>().prop_map(Json::from),
            "\\PC{0,8}".prop_map(Json::from),
            Just(Json::from("tool_use")),
            Just(Json::from("length")),
        ];
        leaf.prop_recursive(6, 40, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                prop::collection::vec((names.clone(), inner), 0..5).prop_map(|pairs| Json::Object(
                    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
                )),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_body_is_a_reply_or_a_fault(
            json in odd(), events in prop::collection::vec(odd(), 0..5), bytes in prop::collection::vec(any::<u8>(), 0..60)
        ) {
            let text = json.to_string();
            for provider in Provider::ALL {
                let (dialect, request) = (provider.dialect(), tests_support::request(provider));
                for body in [text.as_bytes(), bytes.as_slice()] {
                    let _ = (dialect.read(&request, body), dialect.read_vectors(std::slice::from_ref(&request), body));
                    let lossy = String::from_utf8_lossy(body);
                    let _ = (error_message(&lossy), dialect.fault(400, &lossy));
                    let _ = dialect.retry_after(&HeaderMap::new(), &lossy, SystemTime::UNIX_EPOCH);
                }
                if let Ok(joined) = dialect.join(&events) {
                    let _ = dialect.read(&request, joined.to_string().as_bytes());
                }
            }
            let _ = parse_events(&bytes);
        }
    }

    #[test]
    fn what_cannot_be_asked_for_is_not_answered() {
        for provider in Provider::ALL {
            if !provider.supports(Feature::Embeddings) {
                let request = tests_support::request(provider);
                let error = provider.dialect().read_vectors(&[request], b"{}").unwrap_err();
                assert_eq!(error.fault, Fault::BadRequest, "{provider}");
            }
            if !provider.supports(Feature::Streaming) {
                assert_eq!(provider.dialect().join(&[]).unwrap_err().fault, Fault::BadRequest, "{provider}");
            }
        }
    }
}
