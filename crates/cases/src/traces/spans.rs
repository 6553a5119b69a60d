//! What kind of span one is, and what its attributes say.

use serde_json::{Map, Value as Json};

use super::otlp::Span;

/// What a span is to a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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

    pub fn kind(&self) -> Kind {
        match self.text(&["gen_ai.operation.name"]) {
            Some("chat" | "generate_content" | "text_completion") => return Kind::Chat,
            Some("execute_tool") => return Kind::Tool,
            Some("invoke_agent" | "invoke_workflow") => return Kind::Agent,
            Some("retrieval") => return Kind::Retrieval,
            Some(_) => return Kind::Other,
            None => {}
        }
        match self.text(&["openinference.span.kind"]).map(str::to_ascii_uppercase).as_deref() {
            Some("LLM") => return Kind::Chat,
            Some("TOOL") => return Kind::Tool,
            Some("AGENT") => return Kind::Agent,
            Some("RETRIEVER") => return Kind::Retrieval,
            Some("CHAIN") => return Kind::Chain,
            Some(_) => return Kind::Other,
            None => {}
        }
        let is_message = |name: &str| name == CHOICE_EVENT || MESSAGE_EVENTS.iter().any(|(known, _)| *known == name);
        if self.attributes.contains_key("ai.toolCall.name") {
            Kind::Tool
        } else if ["ai.prompt.messages", "ai.response.text", "ai.response.toolCalls"]
            .iter()
            .any(|name| self.attributes.contains_key(*name))
            || self.has_prefix("gen_ai.prompt.0.")
            || self.has_prefix("gen_ai.completion.0.")
            || self.events.iter().any(|event| is_message(&event.name))
            || self.name.starts_with("chat ")
        {
            Kind::Chat
        } else if self.name.starts_with("execute_tool ") {
            Kind::Tool
        } else if self.name.starts_with("invoke_agent ") {
            Kind::Agent
        } else {
            Kind::None
        }
    }
}

/// What is known under the first of these names that is there.
pub(super) fn first<'a>(attributes: &'a Map<String, Json>, names: &[&str]) -> Option<&'a Json> {
    names.iter().find_map(|name| attributes.get(*name).filter(|value| !value.is_null()))
}

/// Attributes whose names are numbered, by their number and what stands behind it: `PREFIX0.role`.
pub(super) fn numbered<'a>(
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
