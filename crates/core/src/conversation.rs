//! What is said to a model and what it says: [`Message`], [`ChatRequest`], [`ModelReply`].
//!
//! A message is a text and, where there is more, parts: images, calls of tools, what came of them. What is absent is not
//! written, so that the JSON of a plain message, and with it the key of a recorded reply, stays what it always was.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{ErrorKind, ScoreError, Sha256};

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The instructions.
    System,
    /// The person who asks.
    User,
    /// The model.
    Assistant,
    /// A tool that the model called.
    Tool,
}

impl Role {
    /// The word in files and on pages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub text: String,
    /// What comes with the text, after it and in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<MessagePart>,
}

impl Message {
    /// A message that is nothing but text.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), parts: Vec::new() }
    }

    /// Instructions.
    pub fn system(text: impl Into<String>) -> Self {
        Self::new(Role::System, text)
    }

    /// Words of the person who asks.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, text)
    }

    /// Words of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, text)
    }

    /// The same message with a further part.
    #[must_use]
    pub fn with_part(mut self, part: MessagePart) -> Self {
        self.parts.push(part);
        self
    }

    /// The text and the parts as one list; an empty text is left out where there are parts.
    pub fn all_parts(&self) -> impl Iterator<Item = MessagePart> + '_ {
        let text =
            (!self.text.is_empty() || self.parts.is_empty()).then(|| MessagePart::Text { text: self.text.clone() });
        text.into_iter().chain(self.parts.iter().cloned())
    }
}

/// One part of a message or of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum MessagePart {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture.
    Image(Image),
    /// The model wants a tool to be called.
    ToolCall(ToolCall),
    /// What came of a call.
    ToolResult {
        /// The call.
        id: String,
        /// The tool.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// What it gave.
        text: String,
        /// Whether that is an error.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

/// A call of a tool, as a model wants it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// By which its result is known; empty where the provider gives none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments; a text where what the model wrote is not a JSON object.
    pub arguments: Json,
    /// What the provider wants back with the call in a later turn (Gemini: `thoughtSignature`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// A tool that a model may call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// JSON Schema of its arguments; null where there is none.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub parameters: Json,
}

/// The kinds of images that every provider takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageKind {
    /// GIF.
    Gif,
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// WebP.
    Webp,
}

impl ImageKind {
    /// The kind by the first bytes; names of files prove nothing.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some(Self::Png),
            [0xFF, 0xD8, 0xFF, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }

    /// The word in files and requests: `png`, `jpeg`, `gif`, `webp`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Jpeg => "jpeg",
            Self::Png => "png",
            Self::Webp => "webp",
        }
    }

    /// The type in a request: `image/png`.
    pub fn media_type(self) -> String {
        format!("image/{}", self.name())
    }
}

/// A picture. In files it is known by its digest; the bytes themselves are sent and not kept.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    kind: ImageKind,
    sha256: String,
    #[serde(skip)]
    bytes: Arc<[u8]>,
}

impl Image {
    /// The picture that these bytes are; nothing where they are of no known kind.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Option<Self> {
        let bytes = bytes.into();
        Some(Self { kind: ImageKind::detect(&bytes)?, sha256: Sha256::hex_digest(&bytes), bytes })
    }

    /// Its kind.
    pub const fn kind(&self) -> ImageKind {
        self.kind
    }

    /// Its digest.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Its bytes; none where it was read from a record.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Image");
        shown.field("kind", &self.kind).field("sha256", &self.sha256).finish_non_exhaustive()
    }
}

/// How a model is asked. What is absent is left to the model's own default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// How freely the model chooses its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Share of the likeliest words that it chooses from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Most tokens of a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Seed, where the model takes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Texts at which a reply ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// JSON Schema that the reply has to keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Json>,
    /// Whether the probabilities of the reply's tokens are wanted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub logprobs: bool,
    /// Tools that the model may call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
}

/// One question to a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The conversation to send.
    pub messages: Vec<Message>,
    /// How to ask.
    #[serde(default)]
    pub parameters: Parameters,
    /// Which judge of a panel is asked, counted from 0.
    #[serde(default)]
    pub seat: usize,
    /// The same question asked again, counted from 0: a reply that could not be read is not asked for from the record.
    #[serde(default)]
    pub attempt: u32,
    /// Whether the reply has to carry a code that nobody but the model is told: whoever asks adds it to what is sent, and to
    /// the reply as [`ModelReply::code`]. It decides nothing about the answer and is no part of a record's key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub coded: bool,
}

/// What a call took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens that were sent, those that the provider had in its cache among them.
    pub input_tokens: u64,
    /// Tokens that came back, those of thoughts among them.
    pub output_tokens: u64,
    /// Tokens of thoughts that nobody sees.
    #[serde(skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
    /// Tokens that the provider had in its cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// Tokens that the provider wrote into its cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// Of those, tokens that it keeps there for an hour, which some providers charge more for.
    #[serde(skip_serializing_if = "is_zero")]
    pub hour_cache_write_tokens: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Usage {
    /// Tokens sent and received, of which nothing more is known.
    pub const fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self {
            input_tokens,
            output_tokens,
            reasoning_tokens: 0,
            cached_tokens: 0,
            cache_write_tokens: 0,
            hour_cache_write_tokens: 0,
        }
    }

    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_add(other.reasoning_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            hour_cache_write_tokens: self.hour_cache_write_tokens.saturating_add(other.hour_cache_write_tokens),
        }
    }

    /// Tokens sent and received.
    pub const fn tokens(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// Why a model stopped, as its provider says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It had said everything.
    End,
    /// It came to a text at which replies end.
    StopText,
    /// It wants tools to be called.
    ToolCalls,
    /// It came to its longest length.
    Length,
    /// It declined, or somebody did in its name.
    Refusal,
    /// For a reason that is not known here.
    Other,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyContent {
    /// The model answered.
    Text(String),
    /// The model was cut off at its longest length; so much had it said.
    Truncated(String),
    /// The model declined, in these words.
    Refused(String),
    /// No answer came.
    Failed {
        /// What kind of failure.
        kind: ErrorKind,
        /// What happened.
        reason: String,
    },
}

impl ReplyContent {
    /// The text; an error of its own kind where the model declined, was cut off, or the call failed.
    pub fn response_text(&self) -> Result<&str, ScoreError> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Truncated(text) => {
                let reason = format!("the reply was truncated at its token limit, after {} bytes", text.len());
                Err(ScoreError::other(ErrorKind::Truncated, reason))
            }
            Self::Refused(words) => Err(ScoreError::other(ErrorKind::Refused, format!("the model declined: {words}"))),
            Self::Failed { kind, reason } => Err(ScoreError::other(*kind, reason.clone())),
        }
    }
}

/// What a model replied to the question of the same position. A failed call reaches the judge too, which decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelReply {
    /// Text, refusal or the cause of failure.
    pub content: ReplyContent,
    /// What it took, where the provider says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model that answered, by the name the provider gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Why it stopped, where the provider says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// What came beside the text: calls of tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<MessagePart>,
    /// The code that the model was told for this question alone, where it was told one; kept with the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

impl ModelReply {
    /// A reply of which nothing but the content is known.
    pub const fn new(content: ReplyContent) -> Self {
        Self { content, usage: None, model: None, stop: None, parts: Vec::new(), code: None }
    }

    /// A reply of which nothing but the text is known.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(ReplyContent::Text(text.into()))
    }

    /// A call that failed for good.
    pub fn failed(kind: ErrorKind, reason: impl Into<String>) -> Self {
        Self::new(ReplyContent::Failed { kind, reason: reason.into() })
    }

    /// The text; an error of its own kind where the model declined, was cut off, or the call failed.
    pub fn response_text(&self) -> Result<&str, ScoreError> {
        self.content.response_text()
    }

    /// Tools that the model wants to be called.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            MessagePart::ToolCall(call) => Some(call),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_message_is_written_as_ever() {
        let text = serde_json::to_string(&Message::user("Why?")).unwrap();
        assert_eq!(text, r#"{"role":"user","text":"Why?"}"#);
        let text = serde_json::to_string(&Parameters { temperature: Some(0.0), ..Parameters::default() }).unwrap();
        assert_eq!(text, r#"{"temperature":0.0}"#);
        let text =
            serde_json::to_string(&ModelReply { usage: Some(Usage::new(3, 1)), ..ModelReply::text("Yes") }).unwrap();
        assert_eq!(text, r#"{"content":{"text":"Yes"},"usage":{"input_tokens":3,"output_tokens":1}}"#);
    }

    #[test]
    fn an_image_is_known_by_its_first_bytes_and_kept_by_its_digest() {
        let png = Image::new(*b"\x89PNG\r\n\x1a\nrest").unwrap();
        assert_eq!((png.kind(), png.kind().media_type().as_str()), (ImageKind::Png, "image/png"));
        assert_eq!(Image::new(*b"RIFF0000WEBPVP8 ").unwrap().kind(), ImageKind::Webp);
        for wrong in [&b"<svg></svg>"[..], b"\x89PNG", b"%PDF-1.4", b"", b"GIF8xa"] {
            assert!(Image::new(wrong).is_none(), "{wrong:?}");
        }
        let message = Message::user("What is it?").with_part(MessagePart::Image(png.clone()));
        let text = serde_json::to_string(&message).unwrap();
        assert!(text.contains(png.sha256()) && text.contains(r#""type":"image","kind":"png""#), "{text}");
        let back: Message = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
    }

    #[test]
    fn parts_come_back_as_they_went() {
        let call = ToolCall {
            id: "1".into(),
            name: "weather".into(),
            arguments: serde_json::json!({"city": "Rome"}),
            signature: None,
        };
        let result =
            MessagePart::ToolResult { id: "1".into(), name: "weather".into(), text: "warm".into(), is_error: false };
        let messages = [
            Message::assistant("").with_part(MessagePart::ToolCall(call)),
            Message::new(Role::Tool, "").with_part(result),
        ];
        let text = serde_json::to_string(&messages).unwrap();
        let back: Vec<Message> = serde_json::from_str(&text).unwrap();
        assert_eq!(back, messages);
        assert_eq!(messages[0].all_parts().count(), 1, "an empty text is no part beside others");
        assert_eq!(Message::user("").all_parts().count(), 1);
    }

    #[test]
    fn a_cut_reply_is_an_error_of_its_kind() {
        let cut = ModelReply::new(ReplyContent::Truncated("The answer is".into()));
        assert_eq!(cut.response_text().unwrap_err().kind(), ErrorKind::Truncated);
    }
}
