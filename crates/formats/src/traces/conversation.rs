//! [`ConversationBuilder`]: the conversation that calls of models repeat from the beginning each time, put together once.
//!
//! Whatever a trace holds, the work grows with its length: messages are known by numbers, the overlap of a repeated history is
//! found in one pass, and results hang on the message that they follow, so that none is moved.

use std::collections::{HashMap, HashSet, VecDeque};

use probare_core::{CaseMessage, CaseToolCall, Role, ToolResultError};

/// A message with the results behind it.
#[derive(Debug, Default)]
struct Entry {
    message: Option<CaseMessage>,
    results: Vec<CaseMessage>,
}

/// What a span of a tool tells.
#[derive(Debug, Default)]
pub(super) struct ToolRun {
    pub id: Option<String>,
    pub name: String,
    pub call: CaseToolCall,
    pub text: Option<String>,
    pub error: Option<ToolResultError>,
}

/// The conversation so far.
#[derive(Debug, Default)]
pub(super) struct ConversationBuilder {
    entries: Vec<Entry>,
    /// Numbers of messages by what they say.
    numbers: HashMap<String, u32>,
    /// Messages other than system messages and results, by their numbers.
    order: Vec<u32>,
    said: HashSet<u32>,
    systems: HashSet<u32>,
    /// Results without an id, by what they say.
    loose: HashSet<u32>,
    /// Results by their id: entry and place in it.
    results: HashMap<String, (usize, usize)>,
    /// The last call of an id: entry and place in it.
    calls: HashMap<String, (usize, usize)>,
    /// Calls by name, in order; those with a result may still be among them.
    named: HashMap<String, VecDeque<(usize, usize)>>,
    answered: HashSet<(usize, usize)>,
}

impl ConversationBuilder {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn into_messages(self) -> Vec<CaseMessage> {
        self.entries.into_iter().flat_map(|entry| entry.message.into_iter().chain(entry.results)).collect()
    }

    /// Takes in what went into a call: what is new of it. Says whether it goes on from what was said before.
    pub fn add_input(&mut self, input: Vec<CaseMessage>) -> bool {
        let numbers: Vec<Option<u32>> = input.iter().map(|message| self.number(message)).collect();
        let is_spoken = |message: &CaseMessage| !message.has_role(Role::System) && !message.has_role(Role::Tool);
        let spoken: Vec<usize> = (0..input.len()).filter(|at| is_spoken(&input[*at])).collect();
        let pattern: Vec<u32> = spoken.iter().filter_map(|at| numbers[*at]).collect();
        let overlap = overlap(&self.order, &pattern);
        let is_known = |at: &usize| match &input[*at] {
            message if message.has_role(Role::System) => false,
            message if message.has_role(Role::Tool) => {
                message.id.as_ref().is_some_and(|id| self.results.contains_key(id))
            }
            _ => numbers[*at].is_some_and(|number| self.said.contains(&number)),
        };
        let (start, goes_on) = match overlap.checked_sub(1).and_then(|last| spoken.get(last)) {
            Some(at) => (at + 1, true),
            None => match (0..input.len()).rev().find(is_known) {
                Some(at) => (at + 1, true),
                None => (0, self.order.is_empty() || input.iter().all(|message| message.has_role(Role::System))),
            },
        };
        // Results that stand right behind what was repeated may be repeated as well.
        let mut is_behind = start > 0;
        for (at, (message, number)) in input.into_iter().zip(numbers).enumerate() {
            if message.has_role(Role::System) {
                self.push_message(message, number);
            } else if message.has_role(Role::Tool) {
                let is_repeated = match &message.id {
                    Some(id) => self.results.contains_key(id),
                    None => at < start || is_behind && number.is_some_and(|number| self.loose.contains(&number)),
                };
                if !is_repeated {
                    self.result(message, number);
                }
            } else if at >= start {
                is_behind = false;
                self.push_message(message, number);
            }
        }
        goes_on
    }

    /// Takes in what came out of a call.
    pub fn add_output(&mut self, output: Vec<CaseMessage>) {
        for message in output {
            let number = self.number(&message);
            if message.has_role(Role::Tool) {
                if message.id.as_ref().is_none_or(|id| !self.results.contains_key(id)) {
                    self.result(message, number);
                }
            } else {
                self.push_message(message, number);
            }
        }
    }

    /// Takes in what a tool did. Says whether its result is the one that is known.
    pub fn run(&mut self, ran: ToolRun) -> bool {
        let known = match &ran.id {
            Some(id) => self.calls.get(id).copied(),
            None => self.open_call(&ran.name),
        };
        let (entry, place) = known.unwrap_or_else(|| {
            let message = CaseMessage { tool_calls: vec![ran.call], ..CaseMessage::new(Role::Assistant) };
            let number = self.number(&message);
            self.push_message(message, number);
            (self.entries.len() - 1, 0)
        });
        let call = self.entries[entry].message.as_ref().and_then(|message| message.tool_calls.get(place));
        let id = ran.id.or_else(|| call.and_then(|call| call.id.clone()));
        if let Some((entry, place)) = id.as_ref().and_then(|id| self.results.get(id).copied())
            && let Some(result) = self.entries[entry].results.get_mut(place)
        {
            let is_same = ran.text.is_none() || result.text.is_none() || result.text == ran.text;
            result.name.get_or_insert(ran.name);
            if ran.error.is_some() {
                result.error = ran.error;
            }
            return is_same;
        }
        let result =
            CaseMessage { id, name: Some(ran.name), text: ran.text, error: ran.error, ..CaseMessage::new(Role::Tool) };
        let number = self.number(&result);
        self.answered.insert((entry, place));
        self.put_result(entry, result, number);
        true
    }

    /// The first call of this name that has no result.
    fn open_call(&mut self, name: &str) -> Option<(usize, usize)> {
        let calls = self.named.get_mut(name)?;
        while calls.front().is_some_and(|call| self.answered.contains(call)) {
            calls.pop_front();
        }
        calls.front().copied()
    }

    fn push_message(&mut self, message: CaseMessage, number: Option<u32>) {
        if let Some(number) = number {
            if message.has_role(Role::System) {
                if !self.systems.insert(number) {
                    return;
                }
            } else {
                self.order.push(number);
                self.said.insert(number);
            }
        }
        let entry = self.entries.len();
        for (place, call) in message.tool_calls.iter().enumerate() {
            if let Some(id) = &call.id {
                self.calls.insert(id.clone(), (entry, place));
            }
            self.named.entry(call.name.clone()).or_default().push_back((entry, place));
        }
        self.entries.push(Entry { message: Some(message), results: Vec::new() });
    }

    /// A result at the end.
    fn result(&mut self, message: CaseMessage, number: Option<u32>) {
        let call = match (&message.id, &message.name) {
            (Some(id), _) => self.calls.get(id).copied(),
            (None, Some(name)) => self.open_call(name),
            (None, None) => None,
        };
        self.answered.extend(call);
        if self.entries.is_empty() {
            self.entries.push(Entry::default());
        }
        self.put_result(self.entries.len() - 1, message, number);
    }

    fn put_result(&mut self, entry: usize, message: CaseMessage, number: Option<u32>) {
        match &message.id {
            Some(id) => {
                self.results.insert(id.clone(), (entry, self.entries[entry].results.len()));
            }
            None => self.loose.extend(number),
        }
        self.entries[entry].results.push(message);
    }

    /// The number of a message: the same for all that say and do the same.
    fn number(&mut self, message: &CaseMessage) -> Option<u32> {
        let text = message.text.clone().filter(|text| !text.is_empty());
        let key = CaseMessage { role_given: None, name: None, text, ..message.clone() };
        let key = serde_json::to_string(&key).ok()?;
        let next = u32::try_from(self.numbers.len()).ok()?;
        Some(*self.numbers.entry(key).or_insert(next))
    }
}

/// How long the longest beginning of `pattern` is that `order` ends with.
fn overlap(order: &[u32], pattern: &[u32]) -> usize {
    let tail = &order[order.len().saturating_sub(pattern.len())..];
    // Knuth, Morris and Pratt: for each beginning the longest shorter one that it ends with.
    let mut borders = vec![0; pattern.len()];
    let mut length = 0;
    for at in 1..pattern.len() {
        while length > 0 && pattern[at] != pattern[length] {
            length = borders[length - 1];
        }
        length += usize::from(pattern[at] == pattern[length]);
        borders[at] = length;
    }
    let mut length = 0;
    for number in tail {
        while length > 0 && (length == pattern.len() || pattern[length] != *number) {
            length = borders[length - 1];
        }
        length += usize::from(pattern.get(length) == Some(number));
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(role: Role, text: &str) -> CaseMessage {
        CaseMessage { text: Some(text.to_owned()), ..CaseMessage::new(role) }
    }

    fn texts(history: ConversationBuilder) -> Vec<String> {
        history.into_messages().into_iter().map(|message| message.text.unwrap_or_default()).collect()
    }

    #[test]
    fn the_overlap_is_the_longest_one() {
        for (order, pattern, expected) in [
            (&[1, 2, 3][..], &[2, 3, 4][..], 2),
            (&[1, 1, 1], &[1, 1], 2),
            (&[1, 2], &[3], 0),
            (&[], &[1], 0),
            (&[1, 2, 1, 2], &[1, 2, 1, 2, 5], 4),
            (&[9, 1, 2, 1], &[1, 2, 1, 3], 3),
        ] {
            assert_eq!(overlap(order, pattern), expected, "{order:?} {pattern:?}");
            let plain = (0..=pattern.len()).rev().find(|length| order.ends_with(&pattern[..*length]));
            assert_eq!(plain, Some(expected));
        }
    }

    #[test]
    fn results_in_another_order_are_neither_repeated_nor_lost() {
        let mut history = ConversationBuilder::default();
        let calls = ["a", "b"].map(|id| CaseToolCall {
            id: Some(id.to_owned()),
            name: "f".to_owned(),
            ..CaseToolCall::default()
        });
        let asked = CaseMessage { tool_calls: calls.to_vec(), ..CaseMessage::new(Role::Assistant) };
        let result = |id: &str| CaseMessage { id: Some(id.to_owned()), ..by(Role::Tool, id) };
        assert!(history.add_input(vec![by(Role::System, "S"), by(Role::User, "q")]));
        history.add_output(vec![asked.clone()]);
        assert!(history.run(ToolRun {
            id: Some("a".into()),
            name: "f".into(),
            text: Some("a".into()),
            ..ToolRun::default()
        }));
        assert!(!history.run(ToolRun {
            id: Some("a".into()),
            name: "f".into(),
            text: Some("x".into()),
            ..ToolRun::default()
        }));
        assert!(history.add_input(vec![
            by(Role::System, "S"),
            by(Role::User, "q"),
            asked,
            result("b"),
            result("a"),
            by(Role::User, "r")
        ]));
        assert_eq!(texts(history), ["S", "q", "", "a", "b", "r"]);
    }

    #[test]
    fn a_tool_without_an_id_answers_the_first_call_of_its_name() {
        let mut history = ConversationBuilder::default();
        let call = |id: Option<&str>| CaseToolCall {
            id: id.map(str::to_owned),
            name: "f".to_owned(),
            ..CaseToolCall::default()
        };
        history.add_output(vec![CaseMessage {
            tool_calls: vec![call(Some("1")), call(None)],
            ..CaseMessage::new(Role::Assistant)
        }]);
        for text in ["one", "two", "three"] {
            history.run(ToolRun { name: "f".into(), text: Some(text.into()), call: call(None), ..ToolRun::default() });
        }
        let messages = history.into_messages();
        let roles: Vec<&str> = messages.iter().map(|message| message.role.name()).collect();
        assert_eq!(roles, ["assistant", "tool", "tool", "assistant", "tool"]);
        assert_eq!(messages[1].id.as_deref(), Some("1"));
    }

    #[test]
    fn a_history_that_begins_anew_is_told() {
        let mut history = ConversationBuilder::default();
        assert!(history.add_input(vec![by(Role::User, "q")]));
        history.add_output(vec![by(Role::Assistant, "a")]);
        assert!(history.add_input(vec![by(Role::Assistant, "a"), by(Role::User, "r")]));
        assert!(history.add_input(Vec::new()));
        assert!(!history.add_input(vec![by(Role::User, "new")]));
        assert_eq!(texts(history), ["q", "a", "r", "new"]);
    }
}
