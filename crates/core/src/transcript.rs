//! What an agent said and did, as a case holds it: [`CaseMessage`], [`CaseToolCall`], [`TurnExpectation`].
//!
//! This is the normal form of `docs/agents.md`. The shapes of other tools are the business of whoever reads their files;
//! what is absent is not written. Tools are described by [`Tool`](crate::Tool) and calls that a model wants come as
//! [`ToolCall`](crate::ToolCall), as in a reply.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::{Passage, Role, Tool, ToolCall};

/// Who speaks in a message of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Speaker {
    /// One of the four that metrics know.
    Known(Role),
    /// Somebody else; metrics pass over what they say.
    Other(String),
}

impl Speaker {
    /// The word in files.
    pub fn name(&self) -> &str {
        match self {
            Self::Known(role) => role.name(),
            Self::Other(name) => name,
        }
    }
}

impl From<String> for Speaker {
    fn from(name: String) -> Self {
        let known =
            [Role::System, Role::User, Role::Assistant, Role::Tool].into_iter().find(|role| role.name() == name);
        known.map_or(Self::Other(name), Self::Known)
    }
}

impl From<Speaker> for String {
    fn from(speaker: Speaker) -> Self {
        speaker.name().to_owned()
    }
}

impl From<Role> for Speaker {
    fn from(role: Role) -> Self {
        Self::Known(role)
    }
}

/// That a result is an error, with its words where there are any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Json", into = "Json")]
pub enum ToolResultError {
    /// Nothing more is known.
    Flag,
    /// What the source says about it.
    Text(String),
}

impl TryFrom<Json> for ToolResultError {
    type Error = &'static str;

    fn try_from(value: Json) -> Result<Self, Self::Error> {
        match value {
            Json::Bool(true) => Ok(Self::Flag),
            Json::String(text) => Ok(Self::Text(text)),
            _ => Err("`error` is true or a text"),
        }
    }
}

impl From<ToolResultError> for Json {
    fn from(error: ToolResultError) -> Self {
        match error {
            ToolResultError::Flag => Self::Bool(true),
            ToolResultError::Text(text) => Self::String(text),
        }
    }
}

/// A part of a message that is more than one text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum CaseMessagePart {
    /// Words that were said.
    Text {
        /// The words.
        text: String,
    },
    /// Words that were thought; they are never said.
    Reasoning {
        /// The words.
        text: String,
    },
    /// Something that is not text: a picture, or a part of a type that the reader does not know.
    Other {
        /// What it is: `image`, `audio`, or the type that the source gives.
        kind: String,
        /// Path, address or digest, where the source has a short one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
    },
}

/// Kinds of parts that are known to hold neither words nor calls: media, and what providers keep for themselves.
const MEDIA: [&str; 14] = [
    "image",
    "audio",
    "video",
    "file",
    "document",
    "blob",
    "uri",
    "media",
    "pdf",
    "citation",
    "redacted_thinking",
    "redacted_reasoning",
    // What the user gives to Anthropic's models beside the words.
    "search_result",
    "container_upload",
];

impl CaseMessagePart {
    /// The type of a part that could not be read: it may hold words, a call or a result.
    pub fn unread_kind(&self) -> Option<&str> {
        match self {
            Self::Other { kind, .. } if !MEDIA.contains(&kind.as_str()) => Some(kind),
            _ => None,
        }
    }

    /// The words, said or thought.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text { text } | Self::Reasoning { text } => Some(text),
            Self::Other { .. } => None,
        }
    }
}

/// One message of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseMessage {
    /// Who speaks.
    pub role: Speaker,
    /// The role as the source calls it, where that is another word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role_given: Option<String>,
    /// Of a result: the call that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Of a result the tool, else the name of the speaker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The one text of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What there is in place of one text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<CaseMessagePart>,
    /// Calls of the assistant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<CaseToolCall>,
    /// Of a result: that it is an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolResultError>,
}

impl CaseMessage {
    /// A message of which nothing but the speaker is known.
    pub fn new(role: impl Into<Speaker>) -> Self {
        Self {
            role: role.into(),
            role_given: None,
            id: None,
            name: None,
            text: None,
            parts: Vec::new(),
            tool_calls: Vec::new(),
            error: None,
        }
    }

    /// Whether this one speaks.
    pub fn has_role(&self, role: Role) -> bool {
        self.role == Speaker::Known(role)
    }

    /// Numbers and types of the parts that could not be read.
    pub fn unread_parts(&self) -> impl Iterator<Item = (usize, &str)> {
        self.parts.iter().enumerate().filter_map(|(number, part)| Some((number, part.unread_kind()?)))
    }

    /// What is said: the text, or the texts among the parts, one a line. Nothing where there is no text at all.
    pub fn spoken_text(&self) -> Option<Cow<'_, str>> {
        if let Some(text) = &self.text {
            return Some(Cow::Borrowed(text));
        }
        let mut texts = self.parts.iter().filter_map(|part| match part {
            CaseMessagePart::Text { text } => Some(text.as_str()),
            _ => None,
        });
        let first = texts.next()?;
        let rest: Vec<&str> = texts.collect();
        Some(if rest.is_empty() {
            Cow::Borrowed(first)
        } else {
            Cow::Owned(std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n"))
        })
    }

    /// The texts that were said, each with its pointer inside of this message.
    pub fn spoken_texts(&self) -> impl Iterator<Item = (Cow<'static, str>, &str)> {
        let whole = self.text.as_deref().map(|text| (Cow::Borrowed("/text"), text));
        let parts = self.parts.iter().enumerate().filter_map(|(number, part)| match part {
            CaseMessagePart::Text { text } => Some((Cow::Owned(format!("/parts/{number}/text")), text.as_str())),
            _ => None,
        });
        whole.into_iter().chain(parts)
    }

    /// The text of the value that a JSON Pointer names inside of this message.
    pub fn text_at(&self, path: &str) -> Option<Cow<'_, str>> {
        match split_pointer(path)? {
            ("text", "") => self.text.as_deref().map(Cow::Borrowed),
            ("name", "") => self.name.as_deref().map(Cow::Borrowed),
            ("id", "") => self.id.as_deref().map(Cow::Borrowed),
            ("role", "") => Some(Cow::Borrowed(self.role.name())),
            ("error", "") => self.error.as_ref().map(|error| match error {
                ToolResultError::Flag => Cow::Borrowed("true"),
                ToolResultError::Text(text) => Cow::Borrowed(text.as_str()),
            }),
            ("parts", rest) => {
                let (part, rest) = pointer_item(&self.parts, rest)?;
                (rest == "/text").then(|| part.text().map(Cow::Borrowed))?
            }
            ("tool_calls", rest) => {
                let (call, rest) = pointer_item(&self.tool_calls, rest)?;
                call.text_at(rest)
            }
            _ => None,
        }
    }
}

/// Why the arguments of a call cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentsProblem {
    /// They are not JSON.
    Unparseable,
    /// They are JSON and no object.
    NotAnObject,
}

impl ArgumentsProblem {
    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unparseable => "unparseable",
            Self::NotAnObject => "not_an_object",
        }
    }
}

/// A call of a tool that was made or is expected.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseToolCall {
    /// By which its result is known, where the source has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// Its arguments. Absent where the source leaves them out, which all metrics but one read as none, and where they
    /// cannot be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Json>>,
    /// The arguments as they were written, where they cannot be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_text: Option<String>,
    /// Why they cannot be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<ArgumentsProblem>,
    /// The byte of `arguments_text` at which it stops being JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<usize>,
    /// The kind of tool where the source tells kinds apart: `MCP`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What came of it, where the source keeps that with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Json>,
    /// Whether the provider of the model ran it by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub server: bool,
    /// What the provider wants back with the call in a later turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Of an expected call: other right values by JSON Pointer inside of the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<Map<String, Json>>,
    /// Of an expected call: JSON Pointers to arguments that may be left out; the empty pointer says it of the call itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub optional: Vec<String>,
    /// Of an expected call: JSON Pointers to arguments that may have any value; the empty pointer names all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub any: Vec<String>,
    /// Of an expected call: regular expressions that the text of an argument fits as a whole, by JSON Pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<Map<String, Json>>,
    /// Of an expected call: other calls that are as right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<CaseToolCall>,
    /// Of an expected call: the values that each argument may have, in place of `arguments`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Map<String, Json>>,
}

impl CaseToolCall {
    /// A call with these arguments.
    pub fn new(name: impl Into<String>, arguments: Map<String, Json>) -> Self {
        Self { name: name.into(), arguments: Some(arguments), ..Self::default() }
    }

    /// Sets the arguments from a value of any kind: an object, a text that holds one, or null for none.
    #[must_use]
    pub fn with_arguments(mut self, value: Json) -> Self {
        let text = match value {
            Json::Object(map) => {
                self.arguments = Some(map);
                return self;
            }
            Json::Null => {
                self.arguments = Some(Map::new());
                return self;
            }
            Json::String(text) => text,
            other => other.to_string(),
        };
        if text.trim().is_empty() {
            self.arguments = Some(Map::new());
            return self;
        }
        match serde_json::from_str::<Json>(&text) {
            Ok(Json::Object(map)) => self.arguments = Some(map),
            Ok(_) => {
                self.problem = Some(ArgumentsProblem::NotAnObject);
                self.arguments_text = Some(text);
            }
            Err(error) => {
                self.problem = Some(ArgumentsProblem::Unparseable);
                self.fault = Some(fault(&text, &error));
                self.arguments_text = Some(text);
            }
        }
        self
    }

    /// The arguments; none where they are left out or cannot be used.
    pub fn arguments(&self) -> &Map<String, Json> {
        static NONE: std::sync::LazyLock<Map<String, Json>> = std::sync::LazyLock::new(Map::new);
        self.arguments.as_ref().unwrap_or(&NONE)
    }

    /// Of an expected call: whether it may be left out as a whole.
    pub fn is_optional(&self) -> bool {
        self.optional.iter().any(String::is_empty)
    }

    /// Of an expected call: itself and the calls that are as right.
    pub fn alternatives(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.one_of)
    }

    /// Of an expected call: the first of its words that leave something open, which only a metric that knows them can honour.
    pub fn open_expectation(&self) -> Option<&'static str> {
        [
            ("accept", self.accept.is_some()),
            ("optional", !self.optional.is_empty()),
            ("any", !self.any.is_empty()),
            ("regex", self.regex.is_some()),
            ("one_of", !self.one_of.is_empty()),
        ]
        .into_iter()
        .find_map(|(word, is_there)| is_there.then_some(word))
    }

    /// The text of the value that a JSON Pointer names inside of this call.
    pub fn text_at(&self, path: &str) -> Option<Cow<'_, str>> {
        match split_pointer(path)? {
            ("name", "") => Some(Cow::Borrowed(&self.name)),
            ("id", "") => self.id.as_deref().map(Cow::Borrowed),
            ("arguments_text", "") => self.arguments_text.as_deref().map(Cow::Borrowed),
            ("arguments", rest) => text_in_map(self.arguments.as_ref()?, rest),
            ("allowed", rest) => text_in_map(self.allowed.as_ref()?, rest),
            ("accept", rest) => text_in_map(self.accept.as_ref()?, rest),
            ("regex", rest) => text_in_map(self.regex.as_ref()?, rest),
            ("one_of", rest) => {
                let (call, rest) = pointer_item(&self.one_of, rest)?;
                call.text_at(rest)
            }
            ("output", rest) => self.output.as_ref()?.pointer(rest).map(json_to_text),
            _ => None,
        }
    }
}

impl From<&ToolCall> for CaseToolCall {
    fn from(call: &ToolCall) -> Self {
        let id = (!call.id.is_empty()).then(|| call.id.clone());
        let signature = call.signature.clone();
        Self { id, name: call.name.clone(), signature, ..Self::default() }.with_arguments(call.arguments.clone())
    }
}

/// The byte at which a text stops being JSON.
fn fault(text: &str, error: &serde_json::Error) -> usize {
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    text.floor_char_boundary((before + error.column().saturating_sub(1)).min(text.len()))
}

/// What is expected of one turn of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnExpectation {
    /// Which turn, from 0; the place in the list where it says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// What the user says in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Right answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Vec<String>>,
    /// Calls that are expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_tool_calls: Option<Vec<CaseToolCall>>,
    /// Passages that were given to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Vec<Passage>>,
    /// What `expect` of a case holds, for this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Json>,
}

impl TurnExpectation {
    /// The text of the value that a JSON Pointer names inside of this expectation.
    pub fn text_at(&self, path: &str) -> Option<Cow<'_, str>> {
        match split_pointer(path)? {
            ("user", "") => self.user.as_deref().map(Cow::Borrowed),
            ("reference", rest) => {
                let (text, rest) = pointer_item(self.reference.as_deref()?, rest)?;
                rest.is_empty().then_some(Cow::Borrowed(text.as_str()))
            }
            ("context", rest) => {
                let (passage, rest) = pointer_item(self.context.as_deref()?, rest)?;
                (rest == "/text").then_some(Cow::Borrowed(passage.text.as_str()))
            }
            ("expected_tool_calls", rest) => {
                let (call, rest) = pointer_item(self.expected_tool_calls.as_deref()?, rest)?;
                call.text_at(rest)
            }
            _ => None,
        }
    }
}

/// The text of the value that a JSON Pointer names inside of the description of a tool.
pub(crate) fn tool_text_at<'a>(tool: &'a Tool, path: &str) -> Option<Cow<'a, str>> {
    match split_pointer(path)? {
        ("name", "") => Some(Cow::Borrowed(&tool.name)),
        ("description", "") => Some(Cow::Borrowed(&tool.description)),
        ("parameters", rest) => tool.parameters.pointer(rest).map(json_to_text),
        _ => None,
    }
}

/// The text of a value: a text is itself, anything else its compact JSON.
pub fn json_to_text(value: &Json) -> Cow<'_, str> {
    match value {
        Json::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// A key as a step of a JSON Pointer (RFC 6901).
pub fn escape_pointer_key(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) { Cow::Owned(key.replace('~', "~0").replace('/', "~1")) } else { Cow::Borrowed(key) }
}

/// The value in an object that a JSON Pointer names.
pub(crate) fn value_in_map<'a>(map: &'a Map<String, Json>, path: &str) -> Option<&'a Json> {
    let (key, rest) = split_pointer(path)?;
    map.get(&key.replace("~1", "/").replace("~0", "~"))?.pointer(rest)
}

fn text_in_map<'a>(map: &'a Map<String, Json>, path: &str) -> Option<Cow<'a, str>> {
    if path.is_empty() {
        serde_json::to_string(map).ok().map(Cow::Owned)
    } else {
        value_in_map(map, path).map(json_to_text)
    }
}

/// The first step of a pointer, and the pointer from there.
fn split_pointer(path: &str) -> Option<(&str, &str)> {
    let rest = path.strip_prefix('/')?;
    Some(rest.find('/').map_or((rest, ""), |at| rest.split_at(at)))
}

/// The item that the first step of a pointer names, and the pointer from there.
fn pointer_item<'a, 'p, T>(list: &'a [T], path: &'p str) -> Option<(&'a T, &'p str)> {
    let (number, rest) = split_pointer(path)?;
    Some((list.get(number.parse::<usize>().ok()?)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_message_is_read_back_as_it_was_written() {
        for text in [
            r#"{"role":"user","text":"Rain in Rome?"}"#,
            r#"{"role":"assistant","text":"","tool_calls":[{"id":"c1","name":"weather","arguments":{"city":"Rome"}}]}"#,
            r#"{"role":"tool","role_given":"function","id":"c1","name":"weather","text":"timeout","error":true}"#,
            r#"{"role":"assistant","parts":[{"type":"reasoning","text":"hm"},{"type":"other","kind":"image"}]}"#,
            r#"{"role":"narrator","text":"Later."}"#,
        ] {
            let message: CaseMessage = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&message).unwrap(), text);
        }
        assert!(serde_json::from_str::<CaseMessage>(r#"{"role":"tool","error":3}"#).is_err());
        assert!(serde_json::from_str::<CaseMessage>(r#"{"role":"user","content":"x"}"#).is_err());
    }

    #[test]
    fn arguments_that_cannot_be_used_are_kept_as_they_were_written() {
        let of = |value: Json| CaseToolCall { name: "f".into(), ..CaseToolCall::default() }.with_arguments(value);
        assert_eq!(of(json!("{\"a\":1}")).arguments().len(), 1);
        assert_eq!(of(json!(" ")).arguments, Some(Map::new()));
        assert_eq!(of(Json::Null).arguments, Some(Map::new()));
        let broken = of(json!("{\"é\": 1,\n b}"));
        assert_eq!((broken.problem, broken.fault), (Some(ArgumentsProblem::Unparseable), Some(11)));
        assert_eq!(broken.text_at("/arguments_text").as_deref(), Some("{\"é\": 1,\n b}"));
        assert_eq!(of(json!("\"{}\"")).problem, Some(ArgumentsProblem::NotAnObject));
        assert_eq!(of(json!([1])).arguments_text.as_deref(), Some("[1]"));
    }

    #[test]
    fn a_pointer_leads_to_the_text_of_a_value() {
        let message: CaseMessage = serde_json::from_str(
            r#"{"role":"assistant","parts":[{"type":"text","text":"one"}],"tool_calls":[{"name":"f","arguments":{"a/b":{"~":[1.50,"x"]},"":true}}]}"#,
        )
        .unwrap();
        let at = |path: &str| message.text_at(path).map(Cow::into_owned);
        assert_eq!(at("/parts/0/text").as_deref(), Some("one"));
        assert_eq!(at("/tool_calls/0/name").as_deref(), Some("f"));
        assert_eq!(at("/tool_calls/0/arguments/a~1b/~0/1").as_deref(), Some("x"));
        assert_eq!(at("/tool_calls/0/arguments/a~1b/~0").as_deref(), Some("[1.5,\"x\"]"));
        assert_eq!(at("/tool_calls/0/arguments/").as_deref(), Some("true"));
        assert_eq!((at("/tool_calls/1/name"), at("text"), at("/text")), (None, None, None));
        assert_eq!(escape_pointer_key("a/b~"), "a~1b~0");
    }

    #[test]
    fn a_part_of_an_unknown_type_is_unread_and_a_picture_is_not() {
        let message: CaseMessage = serde_json::from_str(
            r#"{"role":"assistant","parts":[{"type":"text","text":"a"},{"type":"other","kind":"image"},{"type":"other","kind":"hologram"}]}"#,
        )
        .unwrap();
        assert_eq!(message.unread_parts().collect::<Vec<_>>(), [(2, "hologram")]);
    }

    #[test]
    fn an_expected_call_says_what_it_leaves_open() {
        let text = r#"{"name":"f","optional":[""],"any":["/a"],"regex":{"/b":"x+"},"one_of":[{"name":"g"}]}"#;
        let call: CaseToolCall = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&call).unwrap(), text);
        assert!(call.is_optional());
        assert_eq!(call.open_expectation(), Some("optional"));
        assert_eq!(call.alternatives().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["f", "g"]);
        assert_eq!(call.text_at("/one_of/0/name").as_deref(), Some("g"));
        assert_eq!(call.text_at("/regex/~1b").as_deref(), Some("x+"));
        assert_eq!(CaseToolCall::default().open_expectation(), None);
    }

    #[test]
    fn several_texts_are_said_one_a_line_and_thoughts_are_not() {
        let message: CaseMessage = serde_json::from_str(
            r#"{"role":"assistant","parts":[{"type":"reasoning","text":"hm"},{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#,
        )
        .unwrap();
        assert_eq!(message.spoken_text().as_deref(), Some("a\nb"));
        assert_eq!(CaseMessage::new(Role::User).spoken_text(), None);
    }
}
