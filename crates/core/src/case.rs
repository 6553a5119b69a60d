//! [`Case`]: one row of a data set, as every metric sees it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::transcript::{tool_text_at, value_in_map};
use crate::{
    CaseMessage, CaseToolCall, Citation, Field, FieldSpan, Output, Passage, Role, Tool, TurnExpectation, Usage,
};

/// One row of a data set. Every field but `id` is optional; a metric names what it needs.
///
/// It is written and read back under its own field names; names that other tools use are the business of whoever reads
/// their files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Identifier; the line number where the file gives none.
    pub id: String,
    /// What the user asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// What the model answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Output>,
    /// Passages that were given to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Vec<Passage>>,
    /// Right answers; one suffices unless a metric says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Vec<String>>,
    /// Quotations that the answer gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citations: Option<Vec<Citation>>,
    /// Ids or urls of the documents that were retrieved, best first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieved: Option<Vec<String>>,
    /// Ids or urls of the documents that should have been retrieved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevant: Option<Vec<String>>,
    /// What was said and done, message by message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<CaseMessage>>,
    /// Tools that the model could call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Tool>>,
    /// Calls that were made; those of the messages where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<Vec<CaseToolCall>>,
    /// Calls that should have been made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_tool_calls: Option<Vec<CaseToolCall>>,
    /// Messages that should have come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_messages: Option<Vec<CaseMessage>>,
    /// What is expected of single turns of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<Vec<TurnExpectation>>,
    /// Labels to group and filter by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Everything else that the row had.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Json>,
    /// Which sample of a run it stands for, where a run asks models or keeps what is finished.
    #[serde(skip)]
    pub sample: Option<SampleKey>,
    /// What the response took, where a run asked for it.
    #[serde(skip)]
    pub spent: Option<ResponseCost>,
    /// How many of the messages are the case's own, where an agent of the run went on from there.
    #[serde(skip)]
    pub own_messages: Option<usize>,
}

/// What an agent of a run said and did after the messages of its case.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentConversation {
    /// What was said, called and given back.
    pub messages: Vec<CaseMessage>,
    /// What was found of the state that the case expects, where it expects any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Json>,
}

/// The key in the metadata of a case for what was found of its state.
pub const STATE: &str = "state";

/// What a response took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ResponseCost {
    /// Tokens.
    pub usage: Usage,
    /// Money, in US dollars, where that is known.
    pub cost_usd: Option<f64>,
    /// Milliseconds from asking to the answer, where that is known.
    pub latency_ms: Option<u64>,
}

/// Which sample of a run a case stands for. With the id of the case it is the same however often the run is started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SampleKey {
    /// Number of the data set in the run, from 0.
    pub dataset: u32,
    /// Number of the case in its data set, from 0.
    pub row: u64,
    /// How many cases of the same id come before it in its data set.
    pub occurrence: u32,
    /// Number of the model in the run, from 0; nothing where the response of the file is scored.
    pub model: Option<u32>,
    /// Number of the prompt in the run, from 0; nothing where the run has one prompt.
    pub prompt: Option<u32>,
    /// Which of several outputs of that model to that prompt, from 0.
    pub repeat: u32,
}

impl Case {
    /// The conversation without what the assistant says last: what a model is asked.
    pub fn asked_messages(&self) -> &[CaseMessage] {
        let messages = self.messages.as_deref().unwrap_or_default();
        if let Some(own) = self.own_messages {
            return messages.get(..own).unwrap_or_default();
        }
        let end = messages.iter().rposition(|message| !message.has_role(Role::Assistant)).map_or(0, |at| at + 1);
        messages.get(..end).unwrap_or_default()
    }

    /// Takes the answer out: the response, its calls, and what the assistant says last in the conversation.
    pub fn take_answer(&mut self) {
        (self.response, self.tool_calls) = (None, None);
        let count = self.asked_messages().len();
        if let Some(messages) = &mut self.messages {
            messages.truncate(count);
        }
        if self.own_messages.take().is_some() {
            self.messages.take_if(|messages| messages.is_empty());
            self.metadata.shift_remove(STATE);
        }
    }

    /// Puts in what an agent said and did, in the place of what it did before.
    pub fn put_conversation(&mut self, conversation: AgentConversation) {
        let answer = self.response.take();
        self.take_answer();
        let messages = self.messages.get_or_insert_default();
        self.own_messages = Some(messages.len());
        messages.extend(conversation.messages);
        self.metadata.extend(conversation.state.map(|state| (STATE.to_owned(), state)));
        self.response = answer;
    }

    /// What an agent of the run said and did; nothing where there was none.
    pub fn agent_conversation(&self) -> Option<AgentConversation> {
        let messages = self.messages.as_deref().unwrap_or_default().get(self.own_messages?..)?.to_vec();
        Some(AgentConversation { messages, state: self.metadata.get(STATE).cloned() })
    }

    /// Puts an answer in the place of the one that is there. Its calls are nothing where the model had no tools and called
    /// none.
    pub fn put_answer(&mut self, output: Output, calls: Option<Vec<CaseToolCall>>) {
        self.take_answer();
        if let Some(messages) = &mut self.messages {
            let mut reply = CaseMessage::new(Role::Assistant);
            reply.tool_calls = calls.clone().unwrap_or_default();
            reply.text = (!output.text.is_empty() || reply.tool_calls.is_empty()).then(|| output.text.clone());
            messages.push(reply);
        }
        (self.response, self.tool_calls) = (Some(output), calls);
    }

    /// Whether the case has this field at all. An empty string or list counts as present.
    pub fn has(&self, field: Field) -> bool {
        match field {
            Field::Query => self.query.is_some(),
            Field::Response => self.response.is_some(),
            Field::Context => self.context.is_some(),
            Field::Reference => self.reference.is_some(),
            Field::Citations => self.citations.is_some(),
            Field::Retrieved => self.retrieved.is_some(),
            Field::Relevant => self.relevant.is_some(),
            Field::Messages => self.messages.is_some(),
            Field::Tools => self.tools.is_some(),
            Field::ToolCalls => self.tool_calls.is_some(),
            Field::ExpectedToolCalls => self.expected_tool_calls.is_some(),
            Field::ExpectedMessages => self.expected_messages.is_some(),
            Field::Turns => self.turns.is_some(),
            Field::Tags => !self.tags.is_empty(),
            Field::Metadata => !self.metadata.is_empty(),
        }
    }

    /// The text that a place points into, if there is one: of a value that is not text, its compact JSON.
    pub fn text_at(&self, place: &FieldSpan) -> Option<Cow<'_, str>> {
        let Some(path) = &place.path else { return self.text(place.field, place.index).map(Cow::Borrowed) };
        match place.field {
            Field::Metadata => self.metadata_at(path)?.as_str().map(Cow::Borrowed),
            Field::Messages => self.messages.as_ref()?.get(place.index?)?.text_at(path),
            Field::ExpectedMessages => self.expected_messages.as_ref()?.get(place.index?)?.text_at(path),
            Field::Tools => tool_text_at(self.tools.as_ref()?.get(place.index?)?, path),
            Field::ToolCalls => self.tool_calls.as_ref()?.get(place.index?)?.text_at(path),
            Field::ExpectedToolCalls => self.expected_tool_calls.as_ref()?.get(place.index?)?.text_at(path),
            Field::Turns => self.turns.as_ref()?.get(place.index?)?.text_at(path),
            _ => None,
        }
    }

    /// The words that a place points at; nothing where it points outside of the text or into a character.
    pub fn words_at(&self, place: &FieldSpan) -> Option<Cow<'_, str>> {
        match self.text_at(place)? {
            Cow::Borrowed(text) => text.get(place.start..place.end).map(Cow::Borrowed),
            Cow::Owned(text) => text.get(place.start..place.end).map(|words| Cow::Owned(words.to_owned())),
        }
    }

    /// The value in the metadata that a JSON Pointer (RFC 6901) names.
    pub fn metadata_at(&self, path: &str) -> Option<&Json> {
        value_in_map(&self.metadata, path)
    }

    /// The text of a field, or of an item where the field is a list. Metadata and what an agent did have no text of their
    /// own: see [`Case::text_at`].
    pub fn text(&self, field: Field, index: Option<usize>) -> Option<&str> {
        match field {
            Field::Query => self.query.as_deref(),
            Field::Response => self.response.as_ref().map(|output| output.text.as_str()),
            Field::Context => self.context.as_ref()?.get(index?).map(|passage| passage.text.as_str()),
            Field::Reference => self.reference.as_ref()?.get(index.unwrap_or(0)).map(String::as_str),
            Field::Citations => self.citations.as_ref()?.get(index?)?.quote.as_str(),
            Field::Retrieved => self.retrieved.as_ref()?.get(index?).map(String::as_str),
            Field::Relevant => self.relevant.as_ref()?.get(index?).map(String::as_str),
            Field::Tags => self.tags.get(index?).map(String::as_str),
            Field::Messages
            | Field::Tools
            | Field::ToolCalls
            | Field::ExpectedToolCalls
            | Field::ExpectedMessages
            | Field::Turns
            | Field::Metadata => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_read_back_as_it_was_written() {
        let text = r#"{"id":"a","query":"q","response":"r","context":[{"text":"p"}],"reference":["x"],"tags":["t"],"metadata":{"steps":["one","two"]}}"#;
        let case: Case = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&case).unwrap(), text);
        assert!(serde_json::from_str::<Case>(r#"{"id":"a","answer":"r"}"#).is_err());
    }

    #[test]
    fn an_answer_is_put_in_the_place_of_the_one_before() {
        let text = r#"{"id":"a","response":"old","messages":[{"role":"user","text":"Rain?"},{"role":"assistant","tool_calls":[{"name":"sky"}]},{"role":"tool","text":"grey"},{"role":"assistant","text":"old"}],"tool_calls":[{"name":"sky"}]}"#;
        let mut case: Case = serde_json::from_str(text).unwrap();
        case.take_answer();
        let bare = r#"{"id":"a","messages":[{"role":"user","text":"Rain?"},{"role":"assistant","tool_calls":[{"name":"sky"}]},{"role":"tool","text":"grey"}]}"#;
        assert_eq!(serde_json::to_string(&case).unwrap(), bare);
        for _ in 0..2 {
            case.put_answer(Output::new(""), Some(vec![CaseToolCall::new("look", Map::new())]));
        }
        let messages = case.messages.as_ref().unwrap();
        assert_eq!((messages.len(), messages[3].text.as_deref()), (4, None), "a call need not be said");
        assert_eq!((messages[3].tool_calls.len(), case.tool_calls.as_ref().unwrap().len()), (1, 1));
        case.put_answer(Output::new(""), None);
        assert_eq!(case.messages.as_ref().unwrap()[3].text.as_deref(), Some(""), "an empty answer is one");
        case.take_answer();
        assert_eq!(serde_json::to_string(&case).unwrap(), bare);
    }

    #[test]
    fn what_an_agent_did_is_taken_out_as_it_was_put_in() {
        for text in [
            r#"{"id":"a","query":"Rain?"}"#,
            r#"{"id":"a","messages":[{"role":"user","text":"Rain?"}],"metadata":{"k":1}}"#,
        ] {
            let mut case: Case = serde_json::from_str(text).unwrap();
            let mut called = CaseMessage::new(Role::Assistant);
            called.tool_calls.push(CaseToolCall::new("sky", Map::new()));
            let did = AgentConversation {
                messages: vec![called, CaseMessage::new(Role::Tool), CaseMessage::new(Role::Assistant)],
                state: Some(Json::from("grey")),
            };
            for _ in 0..2 {
                case.response = Some(Output::new("No."));
                case.put_conversation(did.clone());
            }
            assert_eq!(case.agent_conversation(), Some(did));
            assert!(case.response.is_some());
            case.take_answer();
            assert_eq!(serde_json::to_string(&case).unwrap(), text);
            assert_eq!(case.agent_conversation(), None);
        }
    }

    #[test]
    fn a_place_may_point_into_the_metadata() {
        let case: Case = serde_json::from_str(r#"{"id":"a","metadata":{"steps":["one","two"],"a/b":"x~y"}}"#).unwrap();
        let place = FieldSpan::in_metadata("/steps/1", 1..3);
        assert_eq!((case.text_at(&place).as_deref(), case.words_at(&place).as_deref()), (Some("two"), Some("wo")));
        assert_eq!(case.text_at(&FieldSpan::in_metadata("/a~1b", 0..1)).as_deref(), Some("x~y"));
        assert_eq!(case.text_at(&FieldSpan::in_metadata("/steps/9", 0..1)), None);
        assert_eq!(case.text_at(&FieldSpan::in_metadata("steps", 0..1)), None);
    }

    #[test]
    fn a_place_may_point_into_what_an_agent_did() {
        let text = r#"{"id":"a","messages":[{"role":"assistant","tool_calls":[{"name":"f","arguments":{"city":"Rome","n":[1]}}]}],"tools":[{"name":"f","parameters":{"type":"object"}}],"expected_tool_calls":[{"name":"f","arguments":{"city":"Paris"}}]}"#;
        let case: Case = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&case).unwrap(), text);
        let words = |field, path: &str, span| {
            let place = FieldSpan { path: Some(path.to_owned()), ..FieldSpan::in_item(field, 0, span) };
            case.words_at(&place).map(Cow::into_owned)
        };
        assert_eq!(words(Field::Messages, "/tool_calls/0/arguments/city", 0..4).as_deref(), Some("Rome"));
        assert_eq!(words(Field::Messages, "/tool_calls/0/arguments/n", 0..3).as_deref(), Some("[1]"));
        assert_eq!(words(Field::ExpectedToolCalls, "/arguments/city", 1..5).as_deref(), Some("aris"));
        assert_eq!(words(Field::Tools, "/parameters/type", 0..6).as_deref(), Some("object"));
        assert_eq!(words(Field::ToolCalls, "/name", 0..1), None);
    }
}
