//! What an agent did, as metrics look at it: calls with their places, results and turns; values compared; calls paired.

mod argument_share;
mod assignment;
mod equality;
mod glob;
mod json_inputs;

use std::borrow::Cow;

use probare_core::{
    ArgumentsProblem, Case, CaseMessage, CaseToolCall, ErrorKind, Evidence, EvidenceKind, Field, FieldSpan, Outcome,
    Role, Sample, ScoreError, ToolResultError, json_to_text,
};
use rustc_hash::FxHashMap;

pub use argument_share::ArgumentMode;
pub(super) use argument_share::{
    ArgumentDifference, ArgumentRules, FULL_SHARE, argument_share, check_patterns, compare_arguments,
};
pub(super) use assignment::{Pairing, assignment, can_cover, in_order_pairing, strict_pairing};
pub(super) use equality::{
    Equality, EqualityKind, canonical, loose_text, python_equal, python_str, value_excerpt, whole_number,
};
pub use equality::{NumberTolerance, TextEquality};
pub(super) use glob::matches_glob;
pub(super) use json_inputs::{expected_values, json_answer, score_best_expected, two_values};

/// Why a question about calls does not apply to a case without any trace of them. Where a column has the name of one and
/// holds something else, that is said.
fn no_trace(case: &Case) -> Outcome {
    const NO_TRACE: &str = "the case has neither `messages` nor `tool_calls`";
    let mut names = [Field::Messages, Field::ToolCalls]
        .into_iter()
        .flat_map(|field| std::iter::once(field.name()).chain(field.aliases().iter().copied()));
    match names.find(|name| case.metadata.get(*name).is_some_and(|value| !value.is_null())) {
        Some(name) => {
            Outcome::not_applicable(format!("{NO_TRACE}: what its column `{name}` holds is in no shape that is read"))
        }
        None => Outcome::not_applicable(NO_TRACE),
    }
}

/// Where something stands: the item of a field, and the pointer inside of it.
#[derive(Debug, Clone)]
pub(super) struct FieldLocation {
    pub field: Field,
    pub index: usize,
    pub path: String,
}

impl FieldLocation {
    /// Evidence at the whole text of the value that stands `path` further.
    pub fn evidence(&self, kind: EvidenceKind, path: &str, text: &str) -> Evidence {
        let span = 0..text.len();
        Evidence::at(kind, self.field, span, text).in_item(self.index).at_path(format!("{}{path}", self.path))
    }

    /// Evidence at the whole text of the value itself.
    pub fn whole_evidence(&self, case: &Case, kind: EvidenceKind) -> Option<Evidence> {
        let text = case.text_at(&self.place("", ""))?;
        Some(self.evidence(kind, "", &text))
    }

    /// The whole text of the value that stands `path` further.
    pub fn place(&self, path: &str, text: &str) -> FieldSpan {
        FieldSpan::inside(self.field, self.index, format!("{}{path}", self.path), 0..text.len())
    }
}

/// What came of a call.
#[derive(Debug, Clone)]
pub(super) struct CallResult<'a> {
    pub text: Cow<'a, str>,
    pub error: Option<&'a ToolResultError>,
    /// The value that holds the text, where there is one.
    pub location: Option<FieldLocation>,
}

/// A call with its place.
#[derive(Debug, Clone)]
pub(super) struct PlacedCall<'a> {
    pub call: &'a CaseToolCall,
    pub location: FieldLocation,
    /// Number of the message that it was made in.
    pub message: usize,
    /// Number of its turn; nothing before the first.
    pub turn: Option<usize>,
    pub result: Option<CallResult<'a>>,
}

impl PlacedCall<'_> {
    /// Evidence at the name, which stands for the call as a whole.
    pub fn name_evidence(&self, kind: EvidenceKind) -> Evidence {
        self.location.evidence(kind, "/name", &self.call.name)
    }

    /// The place of the name.
    pub fn name_place(&self) -> FieldSpan {
        self.location.place("/name", &self.call.name)
    }

    /// Evidence at the value of an argument.
    pub fn argument_evidence(&self, kind: EvidenceKind, pointer: &str) -> Option<Evidence> {
        let path = format!("/arguments{pointer}");
        let text = self.call.text_at(&path)?;
        Some(self.location.evidence(kind, &path, &text))
    }

    /// The place of the value of an argument.
    pub fn argument_place(&self, pointer: &str) -> Option<FieldSpan> {
        let path = format!("/arguments{pointer}");
        let text = self.call.text_at(&path)?;
        Some(self.location.place(&path, &text))
    }

    /// Evidence at the arguments that could not be used, from the fault on; at the name where nothing of them is there.
    pub fn unusable_evidence(&self, kind: EvidenceKind) -> Evidence {
        let note = match self.call.problem {
            Some(ArgumentsProblem::NotAnObject) => "the arguments are not an object",
            _ => "the arguments are not JSON",
        };
        let Some(text) = &self.call.arguments_text else { return self.name_evidence(kind).with_note(note) };
        let start = self.call.fault.unwrap_or(0).min(text.len());
        let path = format!("{}/arguments_text", self.location.path);
        Evidence::at(kind, self.location.field, start..text.len(), text)
            .in_item(self.location.index)
            .at_path(path)
            .with_note(note)
    }
}

/// What was done.
#[derive(Debug, Default)]
pub(super) struct Trace<'a> {
    pub calls: Vec<PlacedCall<'a>>,
    /// Messages with a result that belongs to no call.
    pub orphans: Vec<usize>,
    /// Whether the messages have other calls than `tool_calls`.
    pub has_other_calls: bool,
}

impl<'a> Trace<'a> {
    /// What the case says was done; nothing where it has no trace.
    pub fn from_case(case: &'a Case) -> Option<Self> {
        if case.messages.is_none() && case.tool_calls.is_none() {
            return None;
        }
        let messages = case.messages.as_deref().unwrap_or_default();
        let mut trace = Self { calls: assistant_calls(messages, Field::Messages), ..Self::default() };
        probare_cancellation::count_steps(
            messages.len() + trace.calls.len() + case.tool_calls.as_ref().map_or(0, Vec::len),
        );
        if let Some(own) = &case.tool_calls {
            let stated_calls = std::mem::take(&mut trace.calls);
            trace.has_other_calls = !stated_calls.is_empty()
                && !stated_calls.iter().map(|made| call_key(made.call)).eq(own.iter().map(call_key));
            trace.calls = own
                .iter()
                .enumerate()
                .map(|(index, call)| PlacedCall {
                    call,
                    location: FieldLocation { field: Field::ToolCalls, index, path: String::new() },
                    message: index,
                    turn: Some(0),
                    result: None,
                })
                .collect();
        }
        trace.attach_results(messages);
        for made in trace.calls.iter_mut().filter(|made| made.result.is_none()) {
            if let Some(output) = &made.call.output {
                let spot = FieldLocation { path: format!("{}/output", made.location.path), ..made.location.clone() };
                made.result = Some(CallResult { text: json_to_text(output), error: None, location: Some(spot) });
            }
        }
        Some(trace)
    }

    /// Gives results to their calls.
    fn attach_results(&mut self, messages: &'a [CaseMessage]) {
        let mut by_id: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        let in_messages = self.calls.first().is_none_or(|made| made.location.field == Field::Messages);
        let mut next = 0;
        let mut nearest = 0..0;
        let enter = |made: &PlacedCall<'a>, at: usize, by_id: &mut FxHashMap<&'a str, Vec<usize>>| {
            if let Some(id) = &made.call.id {
                by_id.entry(id).or_default().push(at);
            }
        };
        if !in_messages {
            for (at, made) in self.calls.iter().enumerate() {
                enter(made, at, &mut by_id);
            }
            nearest = 0..self.calls.len();
        }
        for (index, message) in messages.iter().enumerate() {
            if in_messages {
                let first = next;
                while next < self.calls.len() && self.calls[next].location.index == index {
                    enter(&self.calls[next], next, &mut by_id);
                    next += 1;
                }
                if message.has_role(Role::Assistant) && first < next {
                    nearest = first..next;
                }
            }
            if !message.has_role(Role::Tool) {
                continue;
            }
            let found = if let Some(id) = &message.id {
                // The last before it that has no result yet.
                by_id.get_mut(id.as_str()).and_then(|calls| {
                    loop {
                        let at = calls.pop()?;
                        if self.calls[at].result.is_none() {
                            break Some(at);
                        }
                    }
                })
            } else {
                let free = |at: &usize| self.calls[*at].result.is_none();
                let named = |at: &usize| Some(&self.calls[*at].call.name) == message.name.as_ref();
                nearest.clone().filter(free).find(named).or_else(|| nearest.clone().find(free))
            };
            match found {
                Some(at) => {
                    let first = message.spoken_texts().next();
                    let spot =
                        first.map(|(path, _)| FieldLocation { field: Field::Messages, index, path: path.into_owned() });
                    let text = message.spoken_text().unwrap_or_default();
                    self.calls[at].result = Some(CallResult { text, error: message.error.as_ref(), location: spot });
                }
                None => self.orphans.push(index),
            }
        }
    }

    /// The remark that two lists of calls say different things.
    pub fn mismatch_note(&self) -> Option<Evidence> {
        self.has_other_calls
            .then(|| Evidence::note("`messages` have other calls than `tool_calls`, which are the ones that count"))
    }
}

fn call_key(call: &CaseToolCall) -> (&str, &serde_json::Map<String, serde_json::Value>) {
    (&call.name, call.arguments())
}

/// The kind of a call that a message has as `function_call`, the form from before there were tools.
pub(super) const LEGACY_CALL: &str = "function_call";

/// The calls of the assistant's messages.
pub(super) fn assistant_calls(messages: &[CaseMessage], field: Field) -> Vec<PlacedCall<'_>> {
    let turns = turn_numbers(messages);
    let mut calls = Vec::new();
    for (index, message) in messages.iter().enumerate().filter(|(_, message)| message.has_role(Role::Assistant)) {
        for (number, call) in message.tool_calls.iter().enumerate() {
            let spot = FieldLocation { field, index, path: format!("/tool_calls/{number}") };
            calls.push(PlacedCall { call, location: spot, message: index, turn: turns[index], result: None });
        }
    }
    calls
}

/// The turn that each message belongs to. Users' messages in a row begin one turn; where no user speaks there is one.
pub(super) fn turn_numbers(messages: &[CaseMessage]) -> Vec<Option<usize>> {
    if !messages.iter().any(|message| message.has_role(Role::User)) {
        return vec![Some(0); messages.len()];
    }
    let mut turn = None;
    let mut was_user = false;
    messages
        .iter()
        .map(|message| {
            let is_user = message.has_role(Role::User);
            if is_user && !was_user {
                turn = Some(turn.map_or(0, |turn| turn + 1));
            }
            was_user = is_user;
            turn
        })
        .collect()
}

/// What was done; the outcome where the question does not apply. A conversation of which a part could not be read is an error:
/// that part may be a call, so nothing can be said about how many there are.
pub(super) fn require_trace(sample: Sample<'_>) -> Result<Result<Trace<'_>, Outcome>, ScoreError> {
    let case = sample.case;
    if case.tool_calls.is_none() {
        let messages = case.messages.as_deref().unwrap_or_default();
        check_read_from(sample.earlier_messages().len(), messages, Field::Messages)?;
    }
    Ok(Trace::from_case(case).ok_or_else(|| no_trace(case)))
}

/// What keeps a judge from being shown what was done, earlier turns included: that there is no trace, or parts that could not be
/// read.
pub(crate) fn transcript_gap(sample: Sample<'_>) -> Result<Option<Outcome>, ScoreError> {
    check_read(sample.earlier_messages(), Field::Messages)?;
    Ok(require_trace(sample)?.err())
}

/// The error where messages have parts that could not be read: the first with its place and type, and how many there are.
pub(super) fn check_read(messages: &[CaseMessage], field: Field) -> Result<(), ScoreError> {
    check_read_from(0, messages, field)
}

/// The same of messages before which others come.
fn check_read_from(before: usize, messages: &[CaseMessage], field: Field) -> Result<(), ScoreError> {
    let mut unread = messages.iter().enumerate().flat_map(|(number, message)| {
        message.unread_parts().map(move |(part, kind)| (before + number + 1, part + 1, kind))
    });
    let Some((message, part, kind)) = unread.next() else { return Ok(()) };
    let more = match unread.count() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let kind: String = kind.chars().take(80).collect();
    let way_out = if field == Field::Messages {
        "list the calls in `tool_calls`, or leave the part out if it is none"
    } else {
        "list the calls in `expected_tool_calls`"
    };
    let reason = format!(
        "`{field}`: message {message}, part {part} of type `{kind}` cannot be read{more}, and it may be a call or a result; {way_out}"
    );
    Err(ScoreError::other(ErrorKind::Failed, reason))
}

/// How the name of a call fits that of an expected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameFit {
    /// It is another tool.
    None,
    /// It is the tool of an MCP server, which one side names with the prefix of the server.
    Mcp,
    /// The names are equal.
    Exact,
}

/// The name of a tool without the prefix that hosts give to tools of MCP servers: `mcp__SERVER__TOOL`.
pub(super) fn mcp_tool(name: &str) -> Option<&str> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some(tool)
}

/// How a call fits the name of an expected one. A prefix that is expected must be there, unless the call says otherwise that a
/// server ran it.
pub(super) fn name_fit(called: &CaseToolCall, expected: &str) -> NameFit {
    if called.name == expected {
        return NameFit::Exact;
    }
    let is_of_server = || called.kind.as_deref() == Some("MCP") && mcp_tool(expected) == Some(called.name.as_str());
    if mcp_tool(&called.name) == Some(expected) || is_of_server() { NameFit::Mcp } else { NameFit::None }
}

/// How many of the expected calls must be there.
pub(super) fn required(expected: &[PlacedCall<'_>]) -> usize {
    expected.iter().filter(|expected_call| !expected_call.call.is_optional()).count()
}

/// The calls that are expected: those that the case lists, else those of the expected messages.
pub(super) fn expected_calls(case: &Case) -> Result<Option<Vec<PlacedCall<'_>>>, ScoreError> {
    if let Some(calls) = &case.expected_tool_calls {
        let placed = calls.iter().enumerate().map(|(index, call)| PlacedCall {
            call,
            location: FieldLocation { field: Field::ExpectedToolCalls, index, path: String::new() },
            message: index,
            turn: Some(0),
            result: None,
        });
        return Ok(Some(placed.collect()));
    }
    let Some(messages) = case.expected_messages.as_deref() else { return Ok(None) };
    check_read(messages, Field::ExpectedMessages)?;
    Ok(Some(assistant_calls(messages, Field::ExpectedMessages)))
}

/// The error of published metrics where an expected call leaves something open, which their originals do not know. Those
/// that look at names alone can do with arguments that may be anything.
pub(super) fn check_closed(expected: &[PlacedCall<'_>], compares_arguments: bool) -> Result<(), ScoreError> {
    let open_word = |call: &CaseToolCall| match (call.is_optional(), call.one_of.is_empty()) {
        _ if compares_arguments => call.open_expectation(),
        (true, _) => Some("optional"),
        (false, false) => Some("one_of"),
        (false, true) => None,
    };
    let mut open = expected.iter().filter_map(|expected_call| Some((expected_call, open_word(expected_call.call)?)));
    let Some((expected_call, word)) = open.next() else { return Ok(()) };
    let reason = format!(
        "expected call {} has `{word}`, which this published metric does not know; `tool_calls` does",
        expected_call.location.index + 1
    );
    Err(ScoreError::other(ErrorKind::Failed, reason))
}

/// Why a question does not apply where nothing says what was expected.
pub(super) fn no_expectation() -> Outcome {
    Outcome::not_applicable("the case has neither `expected_tool_calls` nor `expected_messages`")
}

/// What was done and what was expected, for published metrics, which cannot do with arguments that are not an object.
pub(super) fn trace_and_expected(
    sample: Sample<'_>,
    compares_arguments: bool,
) -> Result<Result<(Trace<'_>, Vec<PlacedCall<'_>>), Outcome>, ScoreError> {
    let trace = match require_trace(sample)? {
        Ok(trace) => trace,
        Err(outcome) => return Ok(Err(outcome)),
    };
    let Some(expected) = expected_calls(sample.case)? else { return Ok(Err(no_expectation())) };
    check_usable(&trace.calls, ErrorKind::Unparseable)?;
    check_usable(&expected, ErrorKind::Failed)?;
    check_closed(&expected, compares_arguments)?;
    Ok(Ok((trace, expected)))
}

/// The error of published metrics where arguments cannot be used: whose fault it is says the kind.
pub(super) fn check_usable(calls: &[PlacedCall<'_>], kind: ErrorKind) -> Result<(), ScoreError> {
    match calls.iter().find(|made| made.call.problem.is_some()) {
        None => Ok(()),
        Some(made) => {
            let name = &made.call.name;
            let what = if kind == ErrorKind::Unparseable { "" } else { "expected " };
            Err(ScoreError::other(kind, format!("the arguments of the {what}call of `{name}` are not a JSON object")))
        }
    }
}

#[cfg(test)]
pub(super) fn case(json: &str) -> Case {
    serde_json::from_str(json).expect("a case in the normal form")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_find_their_calls() {
        let case = case(
            r#"{"id":"a","messages":[
                {"role":"assistant","tool_calls":[{"id":"x","name":"f"},{"id":"x","name":"g"},{"name":"h"}]},
                {"role":"tool","id":"x","text":"second"},
                {"role":"tool","name":"h","text":"third"},
                {"role":"tool","id":"x","text":"first"},
                {"role":"tool","id":"x","text":"nobody's"},
                {"role":"user","text":"q"},{"role":"user","text":"r"},
                {"role":"assistant","tool_calls":[{"name":"k"},{"name":"k"}]},
                {"role":"tool","name":"other","text":"k's"}
            ]}"#,
        );
        let trace = Trace::from_case(&case).unwrap();
        let results: Vec<Option<&str>> =
            trace.calls.iter().map(|made| made.result.as_ref().map(|result| &*result.text)).collect();
        assert_eq!(results, [Some("first"), Some("second"), Some("third"), Some("k's"), None]);
        assert_eq!((trace.orphans, trace.calls[0].turn, trace.calls[3].turn), (vec![4], None, Some(0)));
    }

    #[test]
    fn an_unread_part_is_named_and_no_call_is_concluded() {
        let case = case(
            r#"{"id":"a","messages":[{"role":"user","text":"q"},
                {"role":"assistant","parts":[{"type":"text","text":"a"},{"type":"other","kind":"x"},{"type":"other","kind":"y"}]}]}"#,
        );
        let error = require_trace(Sample::from_case(&case)).unwrap_err().to_string();
        assert!(error.contains("message 2, part 2 of type `x` cannot be read, and 1 more"), "{error}");
        let listed = Case { tool_calls: Some(Vec::new()), ..case.clone() };
        assert!(require_trace(Sample::from_case(&listed)).unwrap().is_ok());
        let picture = serde_json::from_str(r#"{"role":"user","parts":[{"type":"other","kind":"image"}]}"#).unwrap();
        let picture = Case { messages: Some(vec![picture]), ..Case::default() };
        assert!(require_trace(Sample::from_case(&picture)).unwrap().is_ok());
    }

    #[test]
    fn a_column_that_is_not_read_is_named_where_there_is_no_trace() {
        let mut case = Case::default();
        case.metadata.insert("conversation".to_owned(), serde_json::json!([1]));
        let outcome = require_trace(Sample::from_case(&case)).unwrap().unwrap_err();
        assert!(format!("{outcome:?}").contains("its column `conversation`"), "{outcome:?}");
    }

    #[test]
    fn names_fit_with_the_prefix_of_a_server() {
        let fit = |called: &str, kind: Option<&str>, expected: &str| {
            let kind = kind.map(str::to_owned);
            name_fit(&CaseToolCall { name: called.to_owned(), kind, ..CaseToolCall::default() }, expected)
        };
        assert_eq!(fit("f", None, "f"), NameFit::Exact);
        assert_eq!(fit("mcp__files__read", None, "read"), NameFit::Mcp);
        assert_eq!(fit("read", Some("MCP"), "mcp__files__read"), NameFit::Mcp);
        assert_eq!(fit("read", None, "mcp__files__read"), NameFit::None);
        assert_eq!(fit("mcp__files__read", None, "mcp__other__read"), NameFit::None);
        assert_eq!(fit("mcp____read", None, "read"), NameFit::None);
    }

    #[test]
    fn listed_calls_count_and_take_results_from_the_messages() {
        let case = case(
            r#"{"id":"a","messages":[{"role":"assistant","tool_calls":[{"id":"1","name":"f"}]},{"role":"tool","id":"1","text":"ok"}],
                "tool_calls":[{"id":"1","name":"g"},{"name":"h","output":{"n":1}}]}"#,
        );
        let trace = Trace::from_case(&case).unwrap();
        let texts: Vec<&str> = trace.calls.iter().map(|made| &*made.result.as_ref().unwrap().text).collect();
        assert_eq!((texts, trace.has_other_calls), (vec!["ok", "{\"n\":1}"], true));
        assert!(Trace::from_case(&Case::default()).is_none());
    }
}
