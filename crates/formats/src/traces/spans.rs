//! What kind of span one is, and what its attributes say.

use serde_json::{Map, Value as Json};

use super::otlp::Span;

/// What a span is to a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanKind {
    /// A call of a model.
    Chat,
    /// A tool at work.
    Tool,
    /// An agent at work.
    Agent,
    /// A search for documents.
    Retrieval,
    /// Steps of a program that belong together.
    Chain,
    /// Known and not used.
    Other,
    /// Nothing that is known.
    None,
}

/// Names of the old events that hold messages.
pub(super) const MESSAGE_EVENTS: [(&str, &str); 4] = [
    ("gen_ai.system.message", "system"),
    ("gen_ai.user.message", "user"),
    ("gen_ai.assistant.message", "assistant"),
    ("gen_ai.tool.message", "tool"),
];

/// The old event that holds an answer.
pub(super) const CHOICE_EVENT: &str = "gen_ai.choice";

impl Span {
    /// What is known under the first of these names that is there.
    pub fn first(&self, names: &[&str]) -> Option<&Json> {
        first(&self.attributes, names)
    }

    /// The same, if it is a text that is not empty.
    pub fn text(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.attributes.get(*name)?.as_str().filter(|text| !text.is_empty()))
    }

    /// Whether an attribute starts like this.
    pub fn has_prefix(&self, prefix: &str) -> bool {
        self.attributes.keys().any(|name| name.starts_with(prefix))
    }

    pub fn kind(&self) -> SpanKind {
        match self.text(&["gen_ai.operation.name"]) {
            Some("chat" | "generate_content" | "text_completion") => return SpanKind::Chat,
            Some("execute_tool") => return SpanKind::Tool,
            Some("invoke_agent" | "invoke_workflow") => return SpanKind::Agent,
            Some("retrieval") => return SpanKind::Retrieval,
            Some(_) => return SpanKind::Other,
            None => {}
        }
        match self.text(&["openinference.span.kind"]).map(str::to_ascii_uppercase).as_deref() {
            Some("LLM") => return SpanKind::Chat,
            Some("TOOL") => return SpanKind::Tool,
            Some("AGENT") => return SpanKind::Agent,
            Some("RETRIEVER") => return SpanKind::Retrieval,
            Some("CHAIN") => return SpanKind::Chain,
            Some(_) => return SpanKind::Other,
            None => {}
        }
        match self.text(&["traceloop.span.kind"]) {
            Some("tool") => return SpanKind::Tool,
            Some("agent") => return SpanKind::Agent,
            _ => {}
        }
        let is_message = |name: &str| name == CHOICE_EVENT || MESSAGE_EVENTS.iter().any(|(known, _)| *known == name);
        if self.attributes.contains_key("ai.toolCall.name") {
            SpanKind::Tool
        } else if ["ai.prompt.messages", "ai.response.text", "ai.response.toolCalls"]
            .iter()
            .any(|name| self.attributes.contains_key(*name))
            || self.has_prefix("gen_ai.prompt.0.")
            || self.has_prefix("gen_ai.completion.0.")
            || self.events.iter().any(|event| is_message(&event.name))
            || self.name.starts_with("chat ")
        {
            SpanKind::Chat
        } else if self.name.starts_with("execute_tool ") {
            SpanKind::Tool
        } else if self.name.starts_with("invoke_agent ") {
            SpanKind::Agent
        } else {
            SpanKind::None
        }
    }
}

/// What is known under the first of these names that is there.
pub(super) fn first<'a>(attributes: &'a Map<String, Json>, names: &[&str]) -> Option<&'a Json> {
    names.iter().find_map(|name| attributes.get(*name).filter(|value| !value.is_null()))
}

/// Attributes whose names are numbered, by their number and what stands behind it: `PREFIX0.role`.
pub(super) fn numbered_attributes<'a>(
    attributes: impl IntoIterator<Item = (&'a str, &'a Json)>,
    prefix: &str,
) -> Vec<(u64, Vec<(&'a str, &'a Json)>)> {
    let mut found: std::collections::BTreeMap<u64, Vec<(&str, &Json)>> = std::collections::BTreeMap::new();
    for (name, value) in attributes {
        let Some((number, rest)) = name.strip_prefix(prefix).and_then(|rest| rest.split_once('.')) else { continue };
        let Ok(number) = number.parse() else { continue };
        found.entry(number).or_default().push((rest, value));
    }
    found.into_iter().collect()
}
