//! `is-xml` and `contains-xml`: a strict reader of XML with namespaces, a lenient one for fragments, and paths in what they
//! read.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::assertion::{Answer, Assertion, AssertionResult, Fault, Verdict, error};
use crate::js;

/// Elements within each other that are read.
const DEEPEST: usize = 500;

/// The paths that have to be there.
fn required(assertion: &Assertion) -> Result<Vec<String>, Fault> {
    let list = |items: &[Value]| items.iter().map(js::text).collect();
    Ok(match &assertion.value {
        Some(Value::String(text)) => text.split(',').map(|path| js::trim(path).to_owned()).collect(),
        Some(Value::Array(items)) => list(items),
        Some(Value::Object(map)) if !map.is_empty() => match map.get("requiredElements") {
            Some(Value::Array(items)) => list(items),
            _ => return error(format!("`{}` needs `requiredElements`", assertion.name())),
        },
        _ => Vec::new(),
    })
}

/// The first path that a tree lacks.
fn missing<'a>(tree: &Value, paths: &'a [String]) -> Option<&'a String> {
    let has = |path: &String| {
        path.split('.').try_fold(tree, |value, key| match value {
            Value::Object(map) => map.get(key),
            Value::Array(items) => items.get(key.parse::<usize>().ok()?),
            _ => None,
        })
    };
    paths.iter().find(|path| has(path).is_none())
}

pub(crate) fn is_xml(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let paths = required(assertion)?;
    let Some(tree) = StrictReader::read(&answer.text) else {
        return Ok(Verdict::new(false).because("the answer is no well-formed XML"));
    };
    Ok(match missing(&tree, &paths) {
        Some(path) => Verdict::new(false).because(format!("the element {} is missing", js::quote(path))),
        None => Verdict::new(true),
    })
}

pub(crate) fn contains_xml(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let paths = required(assertion)?;
    let spans = fragments(&answer.text);
    let whole = (spans.len() > 1).then(|| spans[0].start..spans[spans.len() - 1].end);
    let found = whole
        .into_iter()
        .chain(spans)
        .find(|span| missing(&read_fragment(&answer.text[span.clone()]), &paths).is_none());
    Ok(Verdict::new(found.is_some()).found_at(found))
}

/// An element on its way into a tree.
#[derive(Default)]
struct OpenElement {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<(String, Value)>,
    text: String,
}

impl OpenElement {
    /// What promptfoo's parser makes of it: a text where there is nothing else, else an object; repeated names are a list.
    fn into_value(self) -> Value {
        let text = js::trim(&self.text).to_owned();
        if self.attributes.is_empty() && self.children.is_empty() {
            return Value::from(text);
        }
        let mut map = Map::new();
        for (name, value) in self.children {
            match map.get_mut(&name) {
                Some(Value::Array(list)) => list.push(value),
                Some(one) => {
                    let first = one.take();
                    *one = Value::Array(vec![first, value]);
                }
                None => {
                    map.insert(name, value);
                }
            }
        }
        if !text.is_empty() {
            map.insert("#text".to_owned(), Value::from(text));
        }
        for (name, value) in self.attributes {
            map.insert(format!("@_{name}"), Value::from(value));
        }
        Value::Object(map)
    }
}

/// Whether a name may begin with this letter.
fn is_name_start(letter: char) -> bool {
    letter.is_ascii_alphabetic()
        || matches!(letter, '_' | ':')
        || matches!(
            u32::from(letter),
            0xc0..=0xd6 | 0xd8..=0xf6 | 0xf8..=0x2ff | 0x370..=0x37d | 0x37f..=0x1fff | 0x200c..=0x200d
                | 0x2070..=0x218f | 0x2c00..=0x2fef | 0x3001..=0xd7ff | 0xf900..=0xfdcf | 0xfdf0..=0xfffd
                | 0x1_0000..=0xe_ffff
        )
}

fn is_name_letter(letter: char) -> bool {
    is_name_start(letter)
        || letter.is_ascii_digit()
        || matches!(letter, '-' | '.' | '\u{b7}')
        || matches!(u32::from(letter), 0x300..=0x36f | 0x203f..=0x2040)
}

fn is_xml_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n')
}

fn is_xml_char(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | '\r') || letter >= ' ' && !matches!(letter, '\u{fffe}' | '\u{ffff}')
}

/// A name with at most one colon, between two parts.
fn is_qualified(name: &str) -> bool {
    match name.split_once(':') {
        Some((prefix, local)) => !prefix.is_empty() && local.starts_with(is_name_start) && !local.contains(':'),
        None => true,
    }
}

/// Reads well-formed XML and refuses everything else.
struct StrictReader<'a> {
    rest: &'a str,
    /// Unknown entities are let through where a document type lies elsewhere.
    has_external_type: bool,
    /// Prefixes in use, with their addresses, innermost last.
    prefixes: Vec<(String, String)>,
}

impl<'a> StrictReader<'a> {
    fn read(text: &'a str) -> Option<Value> {
        let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        if !rest.chars().all(is_xml_char) {
            return None;
        }
        let prefixes = vec![("xml".to_owned(), "http://www.w3.org/XML/1998/namespace".to_owned())];
        let mut reader = StrictReader { rest, has_external_type: false, prefixes };
        reader.document()
    }

    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip_space(&mut self) -> bool {
        let before = self.rest.len();
        self.rest = self.rest.trim_start_matches(is_xml_space);
        self.rest.len() < before
    }

    fn until(&mut self, end: &str) -> Option<&'a str> {
        let (before, after) = self.rest.split_once(end)?;
        self.rest = after;
        Some(before)
    }

    fn name(&mut self) -> Option<&'a str> {
        let end = self.rest.find(|letter| !is_name_letter(letter)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if !name.starts_with(is_name_start) {
            return None;
        }
        self.rest = rest;
        Some(name)
    }

    fn quoted(&mut self) -> Option<&'a str> {
        let mark = if self.rest.starts_with('"') { "\"" } else { "'" };
        if !self.take(mark) {
            return None;
        }
        self.until(mark)
    }

    fn document(&mut self) -> Option<Value> {
        if self.rest.starts_with("<?xml") && self.rest[5..].starts_with(is_xml_space) {
            self.rest = &self.rest[5..];
            self.declaration()?;
        }
        let (mut root, mut has_type) = (None, false);
        loop {
            self.skip_space();
            if self.rest.is_empty() {
                return root;
            }
            if self.take("<!--") {
                self.comment()?;
            } else if self.take("<?") {
                self.instruction()?;
            } else if root.is_none() && !has_type && self.take("<!DOCTYPE") {
                self.document_type()?;
                has_type = true;
            } else if root.is_none() && self.rest.starts_with('<') {
                root = Some(self.root()?);
            } else {
                return None;
            }
        }
    }

    fn declaration(&mut self) -> Option<()> {
        let mut names = Vec::new();
        loop {
            let has_space = self.skip_space();
            if self.take("?>") {
                return (names.first() == Some(&"version") && names.is_sorted_by_key(|name| declared_order(name)))
                    .then_some(());
            }
            let name = self.name().filter(|name| has_space && declared_order(name) < 3 && !names.contains(name))?;
            self.skip_space();
            if !self.take("=") {
                return None;
            }
            self.skip_space();
            let value = self.quoted()?;
            let is_value = match name {
                "version" => value
                    .strip_prefix("1.")
                    .is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|digit| digit.is_ascii_digit())),
                "encoding" => value.starts_with(|letter: char| letter.is_ascii_alphabetic()),
                _ => matches!(value, "yes" | "no"),
            };
            if !is_value {
                return None;
            }
            names.push(name);
        }
    }

    fn comment(&mut self) -> Option<()> {
        self.until("--")?;
        self.take(">").then_some(())
    }

    fn instruction(&mut self) -> Option<()> {
        let name = self.name()?;
        if name.eq_ignore_ascii_case("xml") || name.contains(':') {
            return None;
        }
        if self.take("?>") {
            return Some(());
        }
        if !self.skip_space() {
            return None;
        }
        self.until("?>").map(|_| ())
    }

    fn document_type(&mut self) -> Option<()> {
        if !self.skip_space() {
            return None;
        }
        self.name()?;
        let has_space = self.skip_space();
        if has_space && self.take("SYSTEM") {
            if !self.skip_space() {
                return None;
            }
            self.quoted()?;
            self.has_external_type = true;
        } else if has_space && self.take("PUBLIC") {
            if !self.skip_space() {
                return None;
            }
            let public = self.quoted()?;
            let is_public = |letter: char| {
                letter.is_ascii_alphanumeric()
                    || matches!(letter, ' ' | '\r' | '\n')
                    || "-'()+,./:=?;!*#@$_%".contains(letter)
            };
            if !public.chars().all(is_public) || !self.skip_space() {
                return None;
            }
            self.quoted()?;
            self.has_external_type = true;
        }
        self.skip_space();
        self.take(">").then_some(())
    }

    /// The root with everything inside.
    fn root(&mut self) -> Option<Value> {
        let mut open: Vec<(OpenElement, usize)> = Vec::new();
        loop {
            probare_cancellation::count_steps(1);
            let done = if self.take("<!--") {
                self.comment()?;
                None
            } else if self.take("<![CDATA[") {
                let text = self.until("]]>")?;
                open.last_mut()?.0.text.push_str(text);
                None
            } else if self.take("<?") {
                self.instruction()?;
                None
            } else if self.take("</") {
                let name = self.name()?;
                self.skip_space();
                if !self.take(">") {
                    return None;
                }
                Some(open.pop().filter(|(element, _)| element.name == name)?)
            } else if self.take("<") {
                let scope = self.prefixes.len();
                let (element, is_closed) = self.start_tag()?;
                if is_closed {
                    Some((element, scope))
                } else {
                    open.push((element, scope));
                    if open.len() > DEEPEST {
                        return None;
                    }
                    None
                }
            } else {
                let end = self.rest.find('<')?;
                let (text, rest) = self.rest.split_at(end);
                if text.contains("]]>") || !self.references_are_known(text) {
                    return None;
                }
                open.last_mut()?.0.text.push_str(text);
                self.rest = rest;
                None
            };
            if let Some((element, scope)) = done {
                self.prefixes.truncate(scope);
                let (name, value) = (element.name.clone(), element.into_value());
                match open.last_mut() {
                    Some((parent, _)) => parent.children.push((name, value)),
                    None => return Some(Value::Object(Map::from_iter([(name, value)]))),
                }
            }
        }
    }

    /// A start tag behind its `<`, and whether it is closed at once.
    fn start_tag(&mut self) -> Option<(OpenElement, bool)> {
        let name = self.name().filter(|name| is_qualified(name))?.to_owned();
        let mut attributes: Vec<(String, String)> = Vec::new();
        let is_closed = loop {
            let has_space = self.skip_space();
            if self.take(">") {
                break false;
            }
            if self.take("/>") {
                break true;
            }
            let attribute = self.name().filter(|name| has_space && is_qualified(name))?;
            self.skip_space();
            if !self.take("=") {
                return None;
            }
            self.skip_space();
            let value = self.quoted()?;
            let is_new = attributes.iter().all(|(known, _)| known != attribute);
            if !is_new || value.contains('<') || !self.references_are_known(value) {
                return None;
            }
            if let Some(prefix) = attribute.strip_prefix("xmlns:") {
                if value.is_empty() || prefix == "xmlns" {
                    return None;
                }
                self.prefixes.push((prefix.to_owned(), value.to_owned()));
            }
            attributes.push((attribute.to_owned(), value.to_owned()));
        };
        self.address(&name)?;
        let mut expanded: Vec<(&str, &str)> = Vec::new();
        for (name, _) in &attributes {
            if let Some((prefix, local)) = name.split_once(':').filter(|(prefix, _)| *prefix != "xmlns") {
                let address =
                    self.prefixes.iter().rev().find(|(known, _)| known == prefix).map(|(_, address)| address)?;
                if expanded.contains(&(address, local)) {
                    return None;
                }
                expanded.push((address, local));
            }
        }
        Some((OpenElement { name, attributes, ..OpenElement::default() }, is_closed))
    }

    /// Nothing where the prefix of a name is bound to nothing.
    fn address(&self, name: &str) -> Option<()> {
        match name.split_once(':') {
            Some((prefix, _)) => self.prefixes.iter().any(|(known, _)| known == prefix).then_some(()),
            None => Some(()),
        }
    }

    fn references_are_known(&self, text: &str) -> bool {
        text.split('&').skip(1).all(|after| {
            let Some((name, _)) = after.split_once(';') else { return false };
            let Some(number) = name.strip_prefix('#') else {
                let is_name = name.starts_with(is_name_start) && name.chars().all(is_name_letter);
                return matches!(name, "amp" | "lt" | "gt" | "quot" | "apos") || self.has_external_type && is_name;
            };
            let code = match number.strip_prefix('x') {
                Some(number) => u32::from_str_radix(number, 16),
                None => number.parse(),
            };
            code.ok().and_then(char::from_u32).is_some_and(is_xml_char)
        })
    }
}

/// Where an item of a declaration stands among the others.
fn declared_order(name: &str) -> usize {
    ["version", "encoding", "standalone"].iter().position(|known| *known == name).unwrap_or(3)
}

/// A piece of markup in any text.
enum Mark<'a> {
    Open { name: &'a str, inside: &'a str, is_closed: bool },
    Close(&'a str),
    Character(&'a str),
}

/// The marks of a text with their spans; comments and instructions are none.
fn marks(text: &str) -> Vec<(Mark<'_>, Range<usize>)> {
    let (mut marks, mut at) = (Vec::new(), 0);
    while let Some(start) = text[at..].find('<').map(|offset| at + offset) {
        probare_cancellation::count_steps(1);
        let rest = &text[start..];
        let skip = |opening: &str, end: &str| {
            let after = rest.strip_prefix(opening)?;
            Some(start + opening.len() + after.find(end).map_or(after.len(), |at| at + end.len()))
        };
        if let Some(end) = skip("<!--", "-->") {
            at = end;
        } else if let Some(end) = skip("<![CDATA[", "]]>") {
            let inside = rest["<![CDATA[".len()..end - start].trim_end_matches("]]>");
            marks.push((Mark::Character(inside), start..end));
            at = end;
        } else if let Some((mark, end)) = tag(rest) {
            marks.push((mark, start..start + end));
            at = start + end;
        } else {
            at = start + 1;
        }
    }
    marks
}

/// The tag at the start of a text, and its length.
fn tag(text: &str) -> Option<(Mark<'_>, usize)> {
    let (is_closing, rest) = match text.strip_prefix("</") {
        Some(rest) => (true, rest),
        None => (false, &text[1..]),
    };
    let end = rest.find(|letter| !is_name_letter(letter)).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    if !name.starts_with(is_name_start) {
        return None;
    }
    let mut quote = None;
    let end = rest.char_indices().find_map(|(at, letter)| match (quote, letter) {
        (Some(mark), letter) => {
            if mark == letter {
                quote = None;
            }
            None
        }
        (None, '"' | '\'') => {
            quote = Some(letter);
            None
        }
        (None, '<') => Some(None),
        (None, '>') => Some(Some(at)),
        _ => None,
    });
    let end = end??;
    let inside = &rest[..end];
    if !inside.is_empty() && !inside.starts_with(|letter| js::is_space(letter) || letter == '/') {
        return None;
    }
    let length = text.len() - rest.len() + end + 1;
    if is_closing {
        return js::trim(inside).is_empty().then_some((Mark::Close(name), length));
    }
    let inside = js::trim(inside);
    let is_closed = inside.ends_with('/');
    Some((Mark::Open { name, inside: inside.strip_suffix('/').unwrap_or(inside), is_closed }, length))
}

/// Outermost elements that are closed; a wrong closing tag forgets all that are open.
fn fragments(text: &str) -> Vec<Range<usize>> {
    let mut open: Vec<(&str, usize)> = Vec::new();
    let mut closed: Vec<Range<usize>> = Vec::new();
    for (mark, span) in marks(text) {
        let done = match mark {
            Mark::Open { is_closed: true, .. } => span,
            Mark::Open { name, .. } => {
                open.push((name, span.start));
                continue;
            }
            Mark::Close(name) => match open.pop() {
                Some((opened, start)) if opened == name => start..span.end,
                _ => {
                    open.clear();
                    continue;
                }
            },
            Mark::Character(_) => continue,
        };
        while closed.last().is_some_and(|inner| inner.start >= done.start) {
            closed.pop();
        }
        closed.push(done);
    }
    closed
}

/// Ends the innermost element, but for the document itself.
fn close_last(open: &mut Vec<OpenElement>) {
    if open.len() > 1
        && let Some(element) = open.pop()
        && let Some(parent) = open.last_mut()
    {
        let (name, value) = (element.name.clone(), element.into_value());
        parent.children.push((name, value));
    }
}

/// What a lenient parser makes of a fragment.
fn read_fragment(text: &str) -> Value {
    let mut open = vec![OpenElement::default()];
    let mut last = 0;
    for (mark, span) in marks(text) {
        if let Some(current) = open.last_mut() {
            current.text.push_str(&text[last..span.start]);
            if let Mark::Character(inside) = mark {
                current.text.push_str(inside);
            }
        }
        last = span.end;
        match mark {
            Mark::Open { name, inside, is_closed } => {
                let attributes = attributes(inside);
                open.push(OpenElement { name: name.to_owned(), attributes, ..OpenElement::default() });
                if is_closed || open.len() > DEEPEST {
                    close_last(&mut open);
                }
            }
            Mark::Close(_) => close_last(&mut open),
            Mark::Character(_) => {}
        }
    }
    while open.len() > 1 {
        close_last(&mut open);
    }
    open.pop().map(|element| Value::Object(element.children_map())).unwrap_or_default()
}

impl OpenElement {
    /// The children of the document itself.
    fn children_map(self) -> Map<String, Value> {
        match (Self { text: String::new(), attributes: Vec::new(), ..self }).into_value() {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}

/// Attributes with a value.
fn attributes(text: &str) -> Vec<(String, String)> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some((before, after)) = rest.split_once('=') {
        let name = before.rsplit(js::is_space).find(|word| !word.is_empty()).unwrap_or_default().to_owned();
        let after = after.trim_start_matches(js::is_space);
        let quoted = after.chars().next().filter(|mark| matches!(mark, '"' | '\''));
        let value = quoted.and_then(|mark| after[1..].split_once(mark));
        rest = match value {
            Some((value, rest)) => {
                found.push((name, value.to_owned()));
                rest
            }
            None => after,
        };
    }
    found
}
