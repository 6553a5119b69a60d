//! The parser that forgives. It goes forward only; looking ahead is bounded.

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value as Json};

use super::repair::Repair;

/// Deeper nesting is given up.
const DEEPEST: usize = 100;

/// Bytes that are looked ahead to tell the end of a text from a quote inside it.
const MAX_LOOKAHEAD: usize = 160;

/// What a text stands as, which decides what may follow it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenPosition {
    Key,
    Value,
    Item,
}

pub(super) struct LooseParser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    repairs: BTreeSet<Repair>,
}

impl<'a> LooseParser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0, repairs: BTreeSet::new() }
    }

    /// The value at the start, its bytes, and what was forgiven. Nothing where none begins there or the nesting is too deep.
    pub(super) fn read(mut self) -> Option<(Json, usize, BTreeSet<Repair>)> {
        let value = self.item(TokenPosition::Item)?;
        Some((value, self.at, self.repairs))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn forgive(&mut self, repair: Repair) {
        self.repairs.insert(repair);
    }

    fn skip(&mut self, character: char) {
        self.at += character.len_utf8();
    }

    /// White space and comments.
    fn blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            let end = if trimmed.starts_with("//") || trimmed.starts_with('#') {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if let Some(inside) = trimmed.strip_prefix("/*") {
                inside.find("*/").map_or(trimmed.len(), |close| close + 4)
            } else {
                return;
            };
            self.forgive(Repair::Comment);
            self.at += end;
        }
    }

    fn item(&mut self, place: TokenPosition) -> Option<Json> {
        match self.peek()? {
            open @ ('{' | '[') => {
                if self.depth >= DEEPEST {
                    return None;
                }
                self.depth += 1;
                self.skip(open);
                let value = if open == '{' { self.object() } else { self.array() };
                self.depth -= 1;
                value
            }
            quote if closing(quote).is_some() => Some(Json::String(self.quoted(quote, place))),
            '}' | ']' | ',' | ':' => None,
            _ => Some(self.bare_value(place)),
        }
    }

    fn object(&mut self) -> Option<Json> {
        let mut map = Map::new();
        loop {
            self.blank();
            match self.peek() {
                None => {
                    self.forgive(Repair::MissingBracket);
                    return Some(Json::Object(map));
                }
                Some('}') => {
                    self.skip('}');
                    return Some(Json::Object(map));
                }
                // The bracket of an array around: this object was never closed.
                Some(']') => {
                    self.forgive(Repair::MissingBracket);
                    if self.depth == 1 {
                        self.skip(']');
                    }
                    return Some(Json::Object(map));
                }
                Some(',') => self.comma(),
                _ if self.ellipsis() => {}
                Some(':' | '{' | '[') => return None,
                Some(first) => {
                    let key = if closing(first).is_some() {
                        self.quoted(first, TokenPosition::Key)
                    } else {
                        self.forgive(Repair::BareWord);
                        self.word(TokenPosition::Key)
                    };
                    let value = self.after_key()?;
                    map.insert(key, value);
                    self.skip_separator();
                }
            }
        }
    }

    /// The colon and the value.
    fn after_key(&mut self) -> Option<Json> {
        self.blank();
        if self.peek() == Some(':') {
            self.skip(':');
            self.blank();
        } else {
            self.forgive(Repair::MissingValue);
        }
        match self.peek() {
            None | Some(',' | '}' | ']') => {
                self.forgive(Repair::MissingValue);
                Some(Json::Null)
            }
            Some(':') => None,
            _ => self.item(TokenPosition::Value),
        }
    }

    fn array(&mut self) -> Option<Json> {
        let mut items = Vec::new();
        loop {
            self.blank();
            match self.peek() {
                None => {
                    self.forgive(Repair::MissingBracket);
                    return Some(Json::Array(items));
                }
                Some(']') => {
                    self.skip(']');
                    return Some(Json::Array(items));
                }
                Some('}') => {
                    self.forgive(Repair::MissingBracket);
                    if self.depth == 1 {
                        self.skip('}');
                    }
                    return Some(Json::Array(items));
                }
                Some(',') => self.comma(),
                Some(':') => return None,
                _ if self.ellipsis() => {}
                _ => {
                    items.push(self.item(TokenPosition::Item)?);
                    self.skip_separator();
                }
            }
        }
    }

    /// A comma where an item should begin.
    fn comma(&mut self) {
        self.forgive(Repair::ExtraComma);
        self.skip(',');
    }

    /// What stands between two items.
    fn skip_separator(&mut self) {
        self.blank();
        match self.peek() {
            Some(',') => {
                self.skip(',');
                self.blank();
                if matches!(self.peek(), Some('}' | ']')) {
                    self.forgive(Repair::ExtraComma);
                }
            }
            None | Some('}' | ']') => {}
            Some(_) if self.rest().starts_with("...") || self.rest().starts_with('…') => {}
            Some(_) => self.forgive(Repair::MissingComma),
        }
    }

    /// `...` in place of items.
    fn ellipsis(&mut self) -> bool {
        let length = if self.rest().starts_with('…') {
            '…'.len_utf8()
        } else {
            self.rest().len() - self.rest().trim_start_matches('.').len()
        };
        if length < 3 {
            return false;
        }
        self.forgive(Repair::Ellipsis);
        self.at += length;
        self.blank();
        if self.peek() == Some(',') {
            self.skip(',');
        }
        true
    }

    /// A text in quotes.
    fn quoted(&mut self, open: char, place: TokenPosition) -> String {
        let close = closing(open).unwrap_or('"');
        if open != '"' {
            self.forgive(Repair::SingleQuotes);
        }
        self.skip(open);
        let mut text = String::new();
        while let Some(character) = self.peek() {
            self.skip(character);
            match character {
                '\\' => self.escape(&mut text),
                _ if character == close || (close == '”' && character == '"') => {
                    if self.ends_here(place) {
                        return text;
                    }
                    self.forgive(Repair::InnerQuote);
                    text.push(character);
                }
                _ => {
                    if character < ' ' {
                        self.forgive(Repair::RawControl);
                    }
                    text.push(character);
                }
            }
        }
        self.forgive(Repair::MissingBracket);
        text
    }

    /// Whether a quote that was just passed ends its text: what follows must be able to follow it.
    fn ends_here(&self, place: TokenPosition) -> bool {
        let rest = self.rest();
        let ahead = rest[..rest.floor_char_boundary(MAX_LOOKAHEAD)].trim_start();
        let mut characters = ahead.chars();
        match characters.next() {
            None => rest.len() <= MAX_LOOKAHEAD || rest.trim_start().is_empty(),
            Some(':') => place == TokenPosition::Key,
            Some('}' | ']' | '#') => true,
            Some(',') => {
                let next = characters.as_str().trim_start();
                match (place, next.chars().next()) {
                    (_, None | Some('}' | ']' | '/' | '#')) | (TokenPosition::Item, Some(_)) => true,
                    // A further key follows the comma: a text or a word, and a colon.
                    (TokenPosition::Value, Some(first)) => is_key(next, first),
                    (TokenPosition::Key, Some(_)) => false,
                }
            }
            Some('/') => ahead.starts_with("//") || ahead.starts_with("/*"),
            // A missing comma: on the next line, or before a further key. A missing colon: before a whole text.
            Some(first) => {
                let is_next_line = rest[..rest.len() - rest.trim_start().len()].contains('\n');
                match place {
                    TokenPosition::Value => is_key(ahead, first),
                    TokenPosition::Item => closing(first).is_some() || first == '{' || first == '[',
                    TokenPosition::Key => is_next_line || is_value(ahead, first),
                }
            }
        }
    }

    fn escape(&mut self, text: &mut String) {
        let Some(character) = self.peek() else { return };
        self.skip(character);
        match character {
            '"' | '\\' | '/' => text.push(character),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'u' => self.unicode(text),
            other => {
                self.forgive(Repair::Escape);
                text.push(other);
            }
        }
    }

    /// Four hexadecimal digits, or a pair of surrogates.
    fn unicode(&mut self, text: &mut String) {
        let Some(first) = self.hex_digits() else {
            self.forgive(Repair::Escape);
            text.push('u');
            return;
        };
        if let Some(character) = char::from_u32(first) {
            text.push(character);
            return;
        }
        let before = self.at;
        if (0xD800..0xDC00).contains(&first) && self.rest().starts_with("\\u") {
            self.at += 2;
            if let Some(second @ 0xDC00..=0xDFFF) = self.hex_digits()
                && let Some(character) = char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00))
            {
                text.push(character);
                return;
            }
            self.at = before;
        }
        self.forgive(Repair::Escape);
        text.push(char::REPLACEMENT_CHARACTER);
    }

    fn hex_digits(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    /// Characters up to what ends a word without quotes.
    fn word(&mut self, place: TokenPosition) -> String {
        let ends = |c: char| {
            matches!(c, ',' | '}' | ']' | '{' | '[' | '\n' | '"')
                || (place == TokenPosition::Key && (c == ':' || c.is_whitespace()))
        };
        let rest = self.rest();
        let mut end = rest.find(ends).unwrap_or(rest.len());
        if end == 0 {
            // Whatever it is, it is passed, so that the parser goes forward.
            end = rest.chars().next().map_or(0, char::len_utf8);
        }
        if let Some(comment) = rest[..end].find("//").or_else(|| rest[..end].find("/*")).filter(|at| *at > 0) {
            // An address is no comment.
            if !rest[..comment].ends_with(':') {
                end = comment;
            }
        }
        self.at += end;
        rest[..end].trim().to_owned()
    }

    /// A number, a constant, or a text without quotes.
    fn bare_value(&mut self, place: TokenPosition) -> Json {
        let start = self.at;
        // A number or a constant ends at white space, a text in words may go on.
        let rest = self.rest();
        let end =
            rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | '}' | ']' | '{' | '[' | '"' | ':' | '#' | '/'));
        let token = &rest[..end.unwrap_or(rest.len())];
        if let Some(value) = constant(token) {
            self.at += token.len();
            if !matches!(token, "true" | "false" | "null") {
                self.forgive(Repair::Constant);
            }
            return value;
        }
        if let Ok(number) = serde_json::from_str::<Number>(token) {
            self.at += token.len();
            return Json::Number(number);
        }
        if let Some(number) = number(token) {
            self.at += token.len();
            self.forgive(Repair::Number);
            return Json::Number(number);
        }
        self.at = start;
        self.forgive(Repair::BareWord);
        Json::String(self.word(place))
    }
}

/// The quote that ends what this one begins.
const fn closing(quote: char) -> Option<char> {
    match quote {
        '"' | '\'' => Some(quote),
        '“' => Some('”'),
        '‘' => Some('’'),
        _ => None,
    }
}

/// Whether a text begins with a key and its colon.
fn is_key(text: &str, first: char) -> bool {
    if let Some(close) = closing(first) {
        let inside = &text[first.len_utf8()..];
        let Some(end) = inside.find(close) else { return false };
        let behind = inside[end + close.len_utf8()..].trim_start();
        // Its colon may be missing.
        return behind.starts_with(':') || behind.chars().next().is_some_and(|next| is_value(behind, next));
    }
    let word = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(text.len());
    word > 0 && text[word..].trim_start().starts_with(':')
}

/// Whether a text begins with a value in quotes that ends its pair.
fn is_value(text: &str, first: char) -> bool {
    let Some(close) = closing(first) else { return false };
    let inside = &text[first.len_utf8()..];
    let Some(end) = inside.find(close) else { return false };
    matches!(inside[end + close.len_utf8()..].trim_start().chars().next(), Some(',' | '}' | ']'))
}

fn constant(token: &str) -> Option<Json> {
    match token.to_ascii_lowercase().as_str() {
        "true" => Some(Json::Bool(true)),
        "false" => Some(Json::Bool(false)),
        "null" | "none" => Some(Json::Null),
        _ => None,
    }
}

/// A number as other languages write it.
fn number(token: &str) -> Option<Number> {
    let is_number = token.bytes().any(|byte| byte.is_ascii_digit())
        && token.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'+' | b'-' | b'e' | b'E'));
    if !is_number {
        return None;
    }
    let plain = token.trim_start_matches('+').replace('_', "");
    if let Ok(whole) = plain.parse::<i64>() {
        return Some(whole.into());
    }
    plain.parse::<f64>().ok().and_then(Number::from_f64)
}
