//! [`ConversationBuilder`]: the conversation that calls of models repeat from the beginning each time, put together once.
//!
//! Whatever a trace holds, the work grows with its length: messages are known by numbers, the overlap of a repeated history is
//! found in one pass, and results hang on the message that they follow, so that none is moved.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use probare_core::{CaseMessage, CaseToolCall, Role, ToolResultError};
use serde_json::Value as Json;

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
    /// How many calls of a name have no result and no span that waits for one.
    open: HashMap<String, usize>,
    /// Calls whose span has no result, in order, with what it says: a later history may have it.
    silent: Vec<Option<(usize, ToolRun)>>,
    /// Of these the places by the id of the call; those without one by the name of the tool.
    silent_by_id: HashMap<String, usize>,
    silent_by_name: HashMap<String, VecDeque<usize>>,
    /// Results of spans that name no call and whose arguments are those of none, by name and in order.
    unplaced: BTreeMap<String, VecDeque<ToolRun>>,
}

/// Open calls, and spans that wait for one, that are looked through for the one that fits.
const MOST_LOOKED_AT: usize = 1_000;

impl ConversationBuilder {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn into_messages(mut self) -> Vec<CaseMessage> {
        self.place_rest();
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
                if self.fill_result(&message) {
                    continue;
                }
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
    ///
    /// A span that names its call answers it. One that does not answers the first open call of its name with its arguments;
    /// where there is none it waits, since the next call of a model may name the results, and takes the first open call of its
    /// name at the end.
    pub fn run(&mut self, ran: ToolRun) -> bool {
        let known = match &ran.id {
            Some(id) => self.calls.get(id).copied(),
            None => match self.open_call_with(&ran) {
                Some(call) => Some(call),
                None if self.reserve_open_call(&ran.name) => {
                    self.unplaced.entry(ran.name.clone()).or_default().push_back(ran);
                    return true;
                }
                None => None,
            },
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
        let ran = ToolRun { id, call: CaseToolCall::default(), ..ran };
        self.mark_answered((entry, place));
        if ran.text.is_some() || ran.error.is_some() {
            self.answer(entry, ran);
            return true;
        }
        match &ran.id {
            Some(id) => {
                self.silent_by_id.insert(id.clone(), self.silent.len());
            }
            None => self.silent_by_name.entry(ran.name.clone()).or_default().push_back(self.silent.len()),
        }
        self.silent.push(Some((entry, ran)));
        true
    }

    /// Notes that a call has its result.
    fn mark_answered(&mut self, call: (usize, usize)) {
        let name =
            self.entries[call.0].message.as_ref().and_then(|message| Some(&message.tool_calls.get(call.1)?.name));
        if self.answered.insert(call)
            && let Some(open) = name.and_then(|name| self.open.get_mut(name))
        {
            *open = open.saturating_sub(1);
        }
    }

    /// Puts the result of a span behind the message of its call.
    fn answer(&mut self, entry: usize, ran: ToolRun) {
        let ToolRun { id, name, text, error, .. } = ran;
        let result = CaseMessage { id, name: Some(name), text, error, ..CaseMessage::new(Role::Tool) };
        let number = self.number(&result);
        self.put_result(entry, result, number);
    }

    /// A result of the history tells what a span of its call left open, and which call a span without an id belongs to. Says
    /// whether it is one of these.
    fn fill_result(&mut self, message: &CaseMessage) -> bool {
        let silent = match (&message.id, &message.name) {
            (Some(id), _) => self.silent_by_id.remove(id),
            (None, Some(name)) => self.silent_by_name.get_mut(name).and_then(VecDeque::pop_front),
            (None, None) => None,
        };
        if let Some((entry, ran)) = silent.and_then(|at| self.silent[at].take()) {
            let error = ran.error.clone().or_else(|| message.error.clone());
            self.answer(entry, ToolRun { text: message.text.clone(), error, ..ran });
            return true;
        }
        let Some(id) = &message.id else { return false };
        let Some(call) = self.calls.get(id).copied().filter(|call| !self.answered.contains(call)) else { return false };
        let name =
            self.entries[call.0].message.as_ref().and_then(|message| Some(&message.tool_calls.get(call.1)?.name));
        let Some(waiting) = name.and_then(|name| self.unplaced.get_mut(name)) else { return false };
        let fits = |ran: &ToolRun| ran.text.is_none() || ran.text == message.text;
        let Some(ran) = waiting.iter().take(MOST_LOOKED_AT).position(fits).and_then(|at| waiting.remove(at)) else {
            return false;
        };
        let error = ran.error.clone().or_else(|| message.error.clone());
        self.answered.insert(call);
        self.answer(call.0, ToolRun { id: Some(id.clone()), text: message.text.clone(), error, ..ran });
        true
    }

    /// What nobody told more about: spans without a call take the open ones of their name in order, and spans without a result
    /// leave an empty one.
    fn place_rest(&mut self) {
        for ran in std::mem::take(&mut self.unplaced).into_values().flatten() {
            // The history has answered all calls of the name: this one was told there.
            let Some((entry, place)) = self.open_call(&ran.name) else { continue };
            self.answered.insert((entry, place));
            let id = self.entries[entry].message.as_ref().and_then(|message| message.tool_calls.get(place)?.id.clone());
            self.answer(entry, ToolRun { id, ..ran });
        }
        for (entry, ran) in std::mem::take(&mut self.silent).into_iter().flatten() {
            self.answer(entry, ran);
        }
    }

    /// The first call of this name and with these arguments that has no result.
    fn open_call_with(&mut self, ran: &ToolRun) -> Option<(usize, usize)> {
        self.open_call(&ran.name)?;
        let written = ran.call.arguments_text.as_deref().map(bare_text);
        let fits = |(entry, place): &&(usize, usize)| {
            let call = self.entries[*entry].message.as_ref().and_then(|message| message.tool_calls.get(*place));
            call.is_some_and(|call| match &written {
                Some(written) => bare_text(&Json::Object(call.arguments().clone()).to_string()) == *written,
                None => call.arguments() == ran.call.arguments(),
            })
        };
        let calls = self.named.get(&ran.name)?.iter().take(MOST_LOOKED_AT);
        calls.filter(|call| !self.answered.contains(*call)).find(fits).copied()
    }

    /// Keeps a call of this name that has no result for a span that waits; says whether there is one.
    fn reserve_open_call(&mut self, name: &str) -> bool {
        match self.open.get_mut(name) {
            Some(open) if *open > 0 => {
                *open -= 1;
                true
            }
            _ => false,
        }
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
            *self.open.entry(call.name.clone()).or_default() += 1;
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
        if let Some(call) = call {
            self.mark_answered(call);
        }
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

/// Arguments as they are written, without what tells JSON from the way in which Python writes values.
fn bare_text(text: &str) -> String {
    let bare: String = text.chars().filter(|sign| !sign.is_whitespace() && !matches!(sign, '"' | '\'')).collect();
    bare.replace("True", "true").replace("False", "false").replace("None", "null")
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
    use serde_json::Map;

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

    fn weather(id: &str, city: &str) -> CaseToolCall {
        let arguments = Map::from_iter([("city".to_owned(), Json::from(city))]);
        CaseToolCall { id: Some(id.to_owned()), ..CaseToolCall::new("weather", arguments) }
    }

    fn weather_request() -> CaseMessage {
        CaseMessage {
            tool_calls: vec![weather("1", "Rome"), weather("2", "Oslo")],
            ..CaseMessage::new(Role::Assistant)
        }
    }

    fn results(history: ConversationBuilder) -> Vec<(Option<String>, Option<String>)> {
        let messages = history.into_messages().into_iter().filter(|message| message.has_role(Role::Tool));
        messages.map(|message| (message.id, message.text)).collect()
    }

    fn result_text(id: &str, text: &str) -> (Option<String>, Option<String>) {
        (Some(id.to_owned()), Some(text.to_owned()))
    }

    #[test]
    fn parallel_calls_get_their_results_by_arguments_where_spans_have_no_ids() {
        for (first, second) in
            [(r#"{"city": "Oslo"}"#, r#"{"city": "Rome"}"#), ("{'city': 'Oslo'}", "{'city': 'Rome'}")]
        {
            let mut history = ConversationBuilder::default();
            history.add_output(vec![weather_request()]);
            for (arguments, text) in [(first, "wet"), (second, "dry")] {
                let call =
                    CaseToolCall { name: "weather".into(), ..CaseToolCall::default() }.with_arguments(arguments.into());
                history.run(ToolRun { name: "weather".into(), call, text: Some(text.into()), ..ToolRun::default() });
            }
            assert_eq!(results(history), [result_text("2", "wet"), result_text("1", "dry")]);
        }
    }

    #[test]
    fn the_history_says_what_spans_leave_open() {
        let result = |id: &str, text: &str| CaseMessage { id: Some(id.to_owned()), ..by(Role::Tool, text) };
        // Spans with ids and without results.
        let mut history = ConversationBuilder::default();
        history.add_output(vec![weather_request()]);
        for id in ["1", "2"] {
            history.run(ToolRun { id: Some(id.into()), name: "weather".into(), ..ToolRun::default() });
        }
        history.add_input(vec![weather_request(), result("2", "wet"), result("1", "dry")]);
        assert_eq!(results(history), [result_text("2", "wet"), result_text("1", "dry")]);
        // Spans with neither ids nor arguments, the later call first.
        let mut history = ConversationBuilder::default();
        history.add_output(vec![weather_request()]);
        for text in ["wet", "dry"] {
            history.run(ToolRun { name: "weather".into(), text: Some(text.into()), ..ToolRun::default() });
        }
        history.add_input(vec![weather_request(), result("1", "dry"), result("2", "wet")]);
        assert_eq!(results(history), [result_text("1", "dry"), result_text("2", "wet")]);
        // Where no history follows, an empty span stays an empty result, and spans take the calls in order.
        let mut history = ConversationBuilder::default();
        history.add_output(vec![weather_request()]);
        history.run(ToolRun { name: "weather".into(), text: Some("x".into()), ..ToolRun::default() });
        history.run(ToolRun { id: Some("2".into()), name: "weather".into(), ..ToolRun::default() });
        assert_eq!(results(history), [result_text("1", "x"), (Some("2".to_owned()), None)]);
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
