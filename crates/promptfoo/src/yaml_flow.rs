//! YAML between braces, as js-yaml reads it: what `contains-json` takes for JSON.

use serde_json::{Map, Number, Value, json};

use crate::js;

/// Collections within each other that are read.
const DEEPEST: usize = 100;

/// Reads a text that is one collection and nothing else but comments.
pub(crate) fn parse_flow(text: &str) -> Option<Value> {
    let mut reader = FlowReader { letters: text.chars().collect(), at: 0, depth: 0, anchors: Vec::new() };
    let value = reader.node()?;
    reader.skip_space();
    (reader.at == reader.letters.len()).then_some(value)
}

/// What a plain scalar means.
pub(crate) fn resolve_scalar(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    for (prefix, radix) in [("0o", 8), ("0x", 16)] {
        if let Some(number) = text.strip_prefix(prefix).and_then(|digits| u64::from_str_radix(digits, radix).ok()) {
            return Value::from(number);
        }
    }
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let is_number = are_digits(whole)
        && are_digits(part)
        && !(whole.is_empty() && part.is_empty())
        && !exponent.is_empty()
        && are_digits(exponent);
    if is_number {
        if let Ok(number) = text.parse::<i64>() {
            return Value::from(number);
        }
        let read = text.parse::<f64>().ok().and_then(Number::from_f64);
        return read.map_or_else(|| Value::from(text), Value::Number);
    }
    if is_date(text) { json!({}) } else { Value::from(text) }
}

/// A day, or a day and a time: js-yaml makes an object of it.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_day = bytes.len() >= 8
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && text.split('-').take(3).skip(1).all(|part| part.starts_with(|digit: char| digit.is_ascii_digit()));
    let rest = text.get(10..).unwrap_or_default();
    is_day
        && text.matches('-').count() >= 2
        && (bytes.len() == 10 && bytes[8..].iter().all(u8::is_ascii_digit)
            || rest.starts_with(['T', 't', ' ']) && rest.matches(':').count() >= 2)
}

struct FlowReader {
    letters: Vec<char>,
    at: usize,
    depth: usize,
    anchors: Vec<(String, Value)>,
}

impl FlowReader {
    fn peek(&self, distance: usize) -> Option<char> {
        self.letters.get(self.at + distance).copied()
    }

    /// Skips blanks, line breaks and comments; whether a line ended.
    fn skip_space(&mut self) -> bool {
        let mut has_break = false;
        loop {
            match self.peek(0) {
                Some(' ' | '\t') => self.at += 1,
                Some('\n' | '\r') => {
                    has_break = true;
                    self.at += 1;
                }
                Some('#') if self.at == 0 || is_blank(self.letters.get(self.at - 1).copied()) => {
                    while self.peek(0).is_some_and(|letter| letter != '\n') {
                        self.at += 1;
                    }
                }
                _ => return has_break,
            }
        }
    }

    fn node(&mut self) -> Option<Value> {
        probare_cancellation::count_steps(1);
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let value = self.tagged_node();
        self.depth -= 1;
        value
    }

    fn tagged_node(&mut self) -> Option<Value> {
        let (mut tag, mut anchor) = (None, None);
        loop {
            self.skip_space();
            match self.peek(0) {
                Some('!') if tag.is_none() => tag = Some(self.property()),
                Some('&') if anchor.is_none() => anchor = Some(self.property()).filter(|name| name.len() > 1),
                _ => break,
            }
        }
        let value = match self.peek(0)? {
            '{' => self.mapping()?,
            '[' => self.sequence()?,
            '"' => Value::from(self.double_quoted()?),
            '\'' => Value::from(self.single_quoted()?),
            '*' => {
                let name = self.property();
                self.anchors.iter().rev().find(|(known, _)| known[1..] == name[1..])?.1.clone()
            }
            ',' | '}' | ']' | ':' if tag.is_some() || anchor.is_some() => Value::Null,
            _ => {
                let text = self.plain()?;
                if tag.as_deref() == Some("!!str") { Value::from(text) } else { resolve_scalar(&text) }
            }
        };
        if tag.is_some_and(|tag| {
            !matches!(tag.as_str(), "!!str" | "!!int" | "!!float" | "!!bool" | "!!null" | "!!map" | "!!seq" | "!")
        }) {
            return None;
        }
        if let Some(name) = anchor {
            self.anchors.push((name, value.clone()));
        }
        Some(value)
    }

    /// A tag, anchor or alias.
    fn property(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while self.peek(0).is_some_and(|letter| !is_blank(Some(letter)) && !is_indicator(letter)) {
            self.at += 1;
        }
        self.letters[start..self.at].iter().collect()
    }

    fn mapping(&mut self) -> Option<Value> {
        self.at += 1;
        let mut map = Map::new();
        loop {
            self.skip_space();
            if self.take('}') {
                return Some(Value::Object(map));
            }
            let (key, value) = self.pair()?;
            map.insert(js::text(&key), value.unwrap_or(Value::Null));
            self.separator('}')?;
        }
    }

    fn sequence(&mut self) -> Option<Value> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_space();
            if self.take(']') {
                return Some(Value::Array(items));
            }
            let (key, value) = self.pair()?;
            items.push(match value {
                Some(value) => json!({ js::text(&key): value }),
                None => key,
            });
            self.separator(']')?;
        }
    }

    /// A comma, or the end.
    fn separator(&mut self, end: char) -> Option<()> {
        self.skip_space();
        (self.take(',') || self.peek(0) == Some(end)).then_some(())
    }

    fn take(&mut self, letter: char) -> bool {
        let found = self.peek(0) == Some(letter);
        self.at += usize::from(found);
        found
    }

    /// A key with its value, or a value alone.
    fn pair(&mut self) -> Option<(Value, Option<Value>)> {
        let is_explicit = self.peek(0) == Some('?') && is_blank(self.peek(1));
        if is_explicit {
            self.at += 1;
            self.skip_space();
        }
        let key = if self.peek(0) == Some(':') { Value::Null } else { self.node()? };
        let has_break = self.skip_space();
        if (!has_break || is_explicit) && self.take(':') {
            self.skip_space();
            let is_empty = matches!(self.peek(0), Some(',' | '}' | ']'));
            let value = if is_empty { Value::Null } else { self.node()? };
            return Some((key, Some(value)));
        }
        Some((key, is_explicit.then_some(Value::Null)))
    }

    fn plain(&mut self) -> Option<String> {
        let first = self.peek(0)?;
        let is_start = match first {
            '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => false,
            '-' | '?' | ':' => self.peek(1).is_some_and(|next| !is_blank(Some(next)) && !is_indicator(next)),
            letter => !is_indicator(letter),
        };
        if !is_start {
            return None;
        }
        let mut text = String::new();
        while let Some(letter) = self.peek(0) {
            let ends = is_indicator(letter)
                || letter == ':' && self.peek(1).is_none_or(|next| is_blank(Some(next)) || is_indicator(next))
                || letter == '#' && is_blank(self.letters.get(self.at - 1).copied());
            if ends {
                break;
            }
            text.push(letter);
            self.at += 1;
        }
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        Some(lines.join(" "))
    }

    fn single_quoted(&mut self) -> Option<String> {
        let mut text = String::new();
        self.at += 1;
        loop {
            match (self.peek(0)?, self.peek(1)) {
                ('\'', Some('\'')) => {
                    text.push('\'');
                    self.at += 2;
                }
                ('\'', _) => {
                    self.at += 1;
                    return Some(fold_lines(&text));
                }
                (letter, _) => {
                    text.push(letter);
                    self.at += 1;
                }
            }
        }
    }

    fn double_quoted(&mut self) -> Option<String> {
        let mut text = String::new();
        self.at += 1;
        loop {
            let letter = self.peek(0)?;
            self.at += 1;
            match letter {
                '"' => return Some(fold_lines(&text)),
                '\\' => {
                    let escape = self.peek(0)?;
                    self.at += 1;
                    let plain = match escape {
                        '0' => '\0',
                        'a' => '\u{7}',
                        'b' => '\u{8}',
                        't' | '\t' => '\t',
                        'n' => '\n',
                        'v' => '\u{b}',
                        'f' => '\u{c}',
                        'r' => '\r',
                        'e' => '\u{1b}',
                        ' ' | '"' | '/' | '\\' => escape,
                        'N' => '\u{85}',
                        '_' => '\u{a0}',
                        'L' => '\u{2028}',
                        'P' => '\u{2029}',
                        'x' => self.code(2)?,
                        'u' => self.code(4)?,
                        'U' => self.code(8)?,
                        '\n' => {
                            self.skip_space();
                            continue;
                        }
                        _ => return None,
                    };
                    text.push(plain);
                }
                letter => text.push(letter),
            }
        }
    }

    fn code(&mut self, digits: usize) -> Option<char> {
        let text: String = self.letters.get(self.at..self.at + digits)?.iter().collect();
        self.at += digits;
        let code = u32::from_str_radix(&text, 16).ok()?;
        Some(char::from_u32(code).unwrap_or('\u{fffd}'))
    }
}

/// Line breaks of a quoted text: one is a blank.
fn fold_lines(text: &str) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    text.split('\n').map(str::trim).collect::<Vec<_>>().join(" ")
}

fn is_blank(letter: Option<char>) -> bool {
    letter.is_none_or(|letter| matches!(letter, ' ' | '\t' | '\n' | '\r'))
}

fn is_indicator(letter: char) -> bool {
    matches!(letter, ',' | '[' | ']' | '{' | '}')
}
