//! Small changes to a case, of the sort that laws must survive: words swapped, dropped and doubled, texts replaced by strange
//! ones, fields exchanged or emptied, metadata altered at one leaf.

use probare_core::{Case, CaseToolCall, Output, Passage};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

/// What happens to one text.
#[derive(Debug, Clone)]
pub enum Edit {
    /// It becomes another one.
    Replace(String),
    /// A piece is put between two of its words.
    Insert(Index, String),
    /// One of its words goes.
    Drop(Index),
    /// One of its words is said twice.
    Double(Index),
    /// Two of its words change places.
    Swap(Index, Index),
    /// It ends at a character.
    Cut(Index),
    /// Letters change their case.
    Capitals,
    /// It is said again behind itself.
    Again,
}

/// One change to a case.
#[derive(Debug, Clone)]
pub enum Change {
    /// One of the texts that the case has, those of the metadata among them.
    Text(Index, Edit),
    /// The response becomes the reference.
    Repeat,
    /// A document more at this place of what was retrieved, or of what is relevant.
    Document(Index, bool, String),
    /// One item of a list goes.
    Fewer(Index),
}

/// Texts of every sort: anything at all, words that meet each other often, numbers, JSON, and what breaks programs.
pub fn text() -> impl Strategy<Value = String> {
    let words = select(
        "the The cat cats sat on mat mat. a 42 -3.5 1,000 Straße naïve 猫 😀 don't (yes) running 2024-05-01 $5 ΟΔΟΣ not never but \
         is was P01 Paris"
            .split(' ')
            .chain(["\n"])
            .collect::<Vec<_>>(),
    );
    prop_oneof![
        3 => proptest::collection::vec(words, 0..12).prop_map(|words| words.join(" ")),
        2 => "\\PC{0,30}",
        1 => "[\\x00-\\x20a-c\u{202e}\u{200d}\u{301}\u{feff}İΣſK]{0,20}",
        1 => select(vec!["", " ", "{\"a\": [1, {\"b\": null}]}", "```json\n[1]\n```", "[[[[", "{\"a\":", "&quot;&amp;lt;"])
            .prop_map(str::to_owned),
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        1 => text().prop_map(Edit::Replace),
        3 => (any::<Index>(), text()).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        2 => any::<Index>().prop_map(Edit::Drop),
        1 => any::<Index>().prop_map(Edit::Double),
        2 => (any::<Index>(), any::<Index>()).prop_map(|(one, other)| Edit::Swap(one, other)),
        1 => any::<Index>().prop_map(Edit::Cut),
        1 => Just(Edit::Capitals),
        1 => Just(Edit::Again),
    ]
}

/// Any change.
pub fn change() -> impl Strategy<Value = Change> {
    let document = select(vec!["a", "b", "d1", "é", ""]).prop_map(str::to_owned);
    prop_oneof![
        8 => (any::<Index>(), edit()).prop_map(|(which, edit)| Change::Text(which, edit)),
        1 => Just(Change::Repeat),
        1 => (any::<Index>(), any::<bool>(), document).prop_map(|(at, side, id)| Change::Document(at, side, id)),
        1 => any::<Index>().prop_map(Change::Fewer),
    ]
}

impl Change {
    /// Changes the case, where it has what is to be changed.
    pub fn apply(&self, case: &mut Case) {
        match self {
            Self::Text(which, edit) => {
                let mut texts = texts(case);
                if !texts.is_empty() {
                    let at = which.index(texts.len());
                    edit.apply(texts[at]);
                }
            }
            Self::Repeat => {
                if let Some(first) = case.reference.as_ref().and_then(|list| list.first()) {
                    case.response = Some(Output::new(first.clone()));
                }
            }
            Self::Document(at, is_relevant, id) => {
                let list = if *is_relevant { &mut case.relevant } else { &mut case.retrieved };
                if let Some(list) = list {
                    let at = at.index(list.len() + 1);
                    list.insert(at, id.clone());
                }
            }
            Self::Fewer(at) => {
                if let Some(list) = case.context.as_mut().filter(|list| list.len() > 1) {
                    let at = at.index(list.len());
                    list.remove(at);
                } else if let Some(list) = case.retrieved.as_mut().filter(|list| list.len() > 1) {
                    let at = at.index(list.len());
                    list.remove(at);
                } else if let Some(list) = case.messages.as_mut().filter(|list| list.len() > 1) {
                    let at = at.index(list.len());
                    list.remove(at);
                } else if let Some(list) = case.tool_calls.as_mut().filter(|list| list.len() > 1) {
                    let at = at.index(list.len());
                    list.remove(at);
                }
            }
        }
    }
}

/// All texts of a case, those inside of its metadata and quotations too.
pub fn texts(case: &mut Case) -> Vec<&mut String> {
    let mut texts: Vec<&mut String> = Vec::new();
    texts.extend(case.response.as_mut().map(|output| &mut output.text));
    texts.extend(case.query.as_mut());
    texts.extend(case.reference.iter_mut().flatten());
    texts.extend(case.context.iter_mut().flatten().map(|Passage { text, .. }| text));
    for citation in case.citations.iter_mut().flatten() {
        leaves(&mut citation.quote, &mut texts);
    }
    for (_, value) in &mut case.metadata {
        leaves(value, &mut texts);
    }
    for message in case.messages.iter_mut().chain(&mut case.expected_messages).flatten() {
        texts.extend(message.text.as_mut());
        message.tool_calls.iter_mut().for_each(|call| arguments(call, &mut texts));
    }
    for call in case.tool_calls.iter_mut().chain(&mut case.expected_tool_calls).flatten() {
        arguments(call, &mut texts);
    }
    texts
}

/// The name of a call is left alone: nothing pairs with it any more.
fn arguments<'a>(call: &'a mut CaseToolCall, texts: &mut Vec<&'a mut String>) {
    call.arguments.iter_mut().chain(&mut call.allowed).flatten().for_each(|(_, value)| leaves(value, texts));
}

fn leaves<'a>(value: &'a mut Value, texts: &mut Vec<&'a mut String>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter_mut().for_each(|item| leaves(item, texts)),
        Value::Object(fields) => fields.values_mut().for_each(|field| leaves(field, texts)),
        _ => {}
    }
}

impl Edit {
    fn apply(&self, text: &mut String) {
        let mut words: Vec<&str> = text.split(' ').collect();
        let count = words.len();
        *text = match self {
            Self::Replace(other) => other.clone(),
            Self::Insert(at, piece) => {
                words.insert(at.index(count + 1), piece);
                words.join(" ")
            }
            Self::Drop(at) => {
                words.remove(at.index(count));
                words.join(" ")
            }
            Self::Double(at) => {
                let at = at.index(count);
                words.insert(at, words[at]);
                words.join(" ")
            }
            Self::Swap(one, other) => {
                words.swap(one.index(count), other.index(count));
                words.join(" ")
            }
            Self::Cut(at) => text[..text.floor_char_boundary(at.index(text.len() + 1))].to_owned(),
            Self::Capitals => text
                .chars()
                .map(|letter| {
                    if letter.is_ascii_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
                })
                .collect(),
            Self::Again => format!("{text} {text}"),
        };
    }
}
