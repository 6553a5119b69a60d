//! `ast.literal_eval`: the values that Python writes as literals. Nothing is evaluated.

use std::collections::HashMap;

use super::value::{PyValue, set};
use super::{is_alpha, is_word};

/// Deeper nesting is refused, as Python's own parser does.
const DEEPEST: usize = 150;

/// Digits of the longest whole number that Python reads from text.
const MOST_DIGITS: usize = 4300;

/// The value of a text that is a Python literal; nothing where it is none. Half of a surrogate pair becomes the replacement
/// character.
pub fn literal_eval(text: &str) -> Option<PyValue> {
    probare_cancellation::count_steps(text.len());
    if text.contains('\0') {
        return None;
    }
    let unified = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut parser = Parser { text: unified.trim_start_matches([' ', '\t']), at: 0, depth: 0, open: 0 };
    let value = parser.tuple_or_item()?;
    parser.end().then_some(value)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// Brackets that are open: line ends are space inside them.
    open: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Space, line ends inside brackets, comments, joined lines.
    fn blank(&mut self) {
        loop {
            let rest = self.rest();
            let width = match rest.as_bytes().first() {
                Some(b' ' | b'\t' | b'\x0c') => 1,
                Some(b'\n') if self.open > 0 => 1,
                Some(b'\\') if rest[1..].starts_with('\n') => 2,
                Some(b'#') => rest.find('\n').unwrap_or(rest.len()),
                _ => return,
            };
            self.at += width;
        }
    }

    /// Whether nothing but space and comments follows.
    fn end(&mut self) -> bool {
        self.open = 1;
        self.blank();
        self.rest().is_empty()
    }

    /// One item, or several with commas: a tuple.
    fn tuple_or_item(&mut self) -> Option<PyValue> {
        let first = self.item()?;
        self.blank();
        if self.peek() != Some(',') {
            return Some(first);
        }
        let mut items = vec![first];
        while self.take(",") {
            self.blank();
            if self.peek().is_none_or(|next| matches!(next, ')' | '\n')) {
                break;
            }
            items.push(self.item()?);
            self.blank();
        }
        Some(PyValue::Tuple(items))
    }

    /// A value, and what may be added to it: the imaginary part of a complex number.
    fn item(&mut self) -> Option<PyValue> {
        self.blank();
        let sign = self.sign();
        let value = self.signed(sign)?;
        self.blank();
        let Some(plus) = self.sign() else { return Some(value) };
        self.blank();
        let PyValue::Complex(_, imaginary) = self.number()? else { return None };
        let real = match &value {
            PyValue::Int(digits) => digits.parse().ok()?,
            PyValue::Float(number) => *number,
            _ => return None,
        };
        Some(PyValue::Complex(real, if plus { imaginary } else { -imaginary }))
    }

    fn sign(&mut self) -> Option<bool> {
        if self.take("+") {
            Some(true)
        } else if self.take("-") {
            Some(false)
        } else {
            None
        }
    }

    fn signed(&mut self, sign: Option<bool>) -> Option<PyValue> {
        let Some(plus) = sign else { return self.atom() };
        self.blank();
        let value = match self.peek()? {
            // A number in brackets may have a sign before them.
            '(' => self.atom()?,
            _ => self.number()?,
        };
        Some(match value {
            PyValue::Int(digits) if plus || digits == "0" => PyValue::Int(digits),
            PyValue::Int(digits) => {
                PyValue::Int(digits.strip_prefix('-').map_or_else(|| format!("-{digits}"), str::to_owned))
            }
            PyValue::Float(number) => PyValue::Float(if plus { number } else { -number }),
            PyValue::Complex(real, imaginary) if plus => PyValue::Complex(real, imaginary),
            PyValue::Complex(real, imaginary) => PyValue::Complex(-real, -imaginary),
            _ => return None,
        })
    }

    fn atom(&mut self) -> Option<PyValue> {
        match self.peek()? {
            '(' => self.within(|parser| {
                parser.blank();
                if parser.take(")") {
                    return Some(PyValue::Tuple(Vec::new()));
                }
                let value = parser.tuple_or_item()?;
                parser.blank();
                parser.take(")").then_some(value)
            }),
            '[' => self.within(|parser| Some(PyValue::List(parser.items("]")?))),
            '{' => self.within(Self::braces),
            '.' if self.take("...") => Some(PyValue::Ellipsis),
            '.' => self.number(),
            '\'' | '"' => self.texts(),
            character if character.is_ascii_digit() => self.number(),
            character if character == '_' || is_alpha(character) => self.word(),
            _ => None,
        }
    }

    fn within(&mut self, read: impl FnOnce(&mut Self) -> Option<PyValue>) -> Option<PyValue> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.at += 1;
        self.depth += 1;
        self.open += 1;
        let value = read(self);
        self.depth -= 1;
        self.open -= 1;
        value
    }

    /// Items up to the closing bracket.
    fn items(&mut self, close: &str) -> Option<Vec<PyValue>> {
        let mut items = Vec::new();
        loop {
            self.blank();
            if self.take(close) {
                return Some(items);
            }
            items.push(self.item()?);
            self.blank();
            if !self.take(",") {
                return self.take(close).then_some(items);
            }
        }
    }

    /// A mapping or a set.
    fn braces(&mut self) -> Option<PyValue> {
        self.blank();
        if self.take("}") {
            return Some(PyValue::Dict(Vec::new()));
        }
        let first = self.item()?;
        self.blank();
        if !first.is_hashable() {
            return None;
        }
        if self.peek() != Some(':') {
            let mut items = vec![first];
            if self.take(",") {
                for item in self.items("}")? {
                    if !item.is_hashable() {
                        return None;
                    }
                    if !items.iter().any(|known| known.is_same_key(&item)) {
                        items.push(item);
                    }
                }
                return Some(PyValue::Set(items));
            }
            return self.take("}").then_some(PyValue::Set(items));
        }
        let mut pairs = Vec::new();
        // Texts are most keys, and there may be many.
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut key = first;
        loop {
            self.blank();
            if !self.take(":") {
                return None;
            }
            let value = self.item()?;
            match &key {
                PyValue::Text(text) => {
                    if let Some((_, known)) = places.get(text).and_then(|place| pairs.get_mut(*place)) {
                        *known = value;
                    } else {
                        places.insert(text.clone(), pairs.len());
                        pairs.push((key, value));
                    }
                }
                _ => set(&mut pairs, key, value),
            }
            self.blank();
            let more = self.take(",");
            self.blank();
            if self.take("}") {
                return Some(PyValue::Dict(pairs));
            }
            if !more {
                return None;
            }
            key = self.item()?;
            if !key.is_hashable() {
                return None;
            }
        }
    }

    /// A constant, the empty set, or a text with a prefix.
    fn word(&mut self) -> Option<PyValue> {
        let rest = self.rest();
        let end = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
        if matches!(rest[end..].chars().next(), Some('\'' | '"')) && end <= 2 {
            return self.texts();
        }
        self.at += end;
        match &rest[..end] {
            "None" => Some(PyValue::None),
            "True" => Some(PyValue::Bool(true)),
            "False" => Some(PyValue::Bool(false)),
            "set" => {
                self.blank();
                self.take("(").then_some(())?;
                self.open += 1;
                self.blank();
                self.open -= 1;
                self.take(")").then_some(PyValue::Set(Vec::new()))
            }
            _ => None,
        }
    }

    /// Texts or bytes that follow each other are one.
    fn texts(&mut self) -> Option<PyValue> {
        let mut whole = self.quoted()?;
        loop {
            let before = self.at;
            self.blank();
            let rest = self.rest();
            let prefix = rest.find(|character: char| !character.is_ascii_alphabetic()).unwrap_or(rest.len());
            if prefix > 2 || !matches!(rest[prefix..].chars().next(), Some('\'' | '"')) {
                self.at = before;
                return Some(whole);
            }
            whole = match (whole, self.quoted()?) {
                (PyValue::Text(left), PyValue::Text(right)) => PyValue::Text(left + &right),
                (PyValue::Bytes(mut left), PyValue::Bytes(right)) => {
                    left.extend(right);
                    PyValue::Bytes(left)
                }
                _ => return None,
            };
        }
    }

    /// One text or bytes, with its prefix.
    fn quoted(&mut self) -> Option<PyValue> {
        let rest = self.rest();
        let prefix_end = rest.find(['\'', '"'])?;
        let prefix = rest[..prefix_end].to_ascii_lowercase();
        let (is_raw, is_bytes) = match prefix.as_str() {
            "" | "u" => (false, false),
            "r" => (true, false),
            "b" => (false, true),
            "rb" | "br" => (true, true),
            _ => return None,
        };
        let quote = &rest[prefix_end..=prefix_end];
        let triple = quote.repeat(3);
        let close = if rest[prefix_end..].starts_with(&triple) { triple.as_str() } else { quote };
        self.at += prefix_end + close.len();
        let start = self.at;
        let mut end = None;
        let mut characters = self.rest().char_indices();
        while let Some((offset, character)) = characters.next() {
            if character == '\\' {
                characters.next();
            } else if self.rest()[offset..].starts_with(close) {
                end = Some(start + offset);
                break;
            } else if character == '\n' && close.len() == 1 {
                return None;
            }
        }
        let end = end?;
        self.at = end + close.len();
        let body = &self.text[start..end];
        if is_bytes {
            if !body.is_ascii() {
                return None;
            }
            return if is_raw { Some(PyValue::Bytes(body.into())) } else { bytes(body).map(PyValue::Bytes) };
        }
        if is_raw { Some(PyValue::Text(body.to_owned())) } else { unescape_text(body).map(PyValue::Text) }
    }

    /// A number without a sign.
    fn number(&mut self) -> Option<PyValue> {
        let rest = self.rest();
        let end = number_end(rest);
        let token = &rest[..end];
        if !token.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            return None;
        }
        self.at += end;
        if self.peek().is_some_and(|next| is_word(next) || next == '.') {
            return None;
        }
        number(token)
    }
}

/// Where the number at the start of a text ends: signs belong to it behind an exponent.
fn number_end(text: &str) -> usize {
    let is_hexadecimal = text.get(1..).is_some_and(|rest| rest.starts_with(['x', 'X']));
    let mut before = ' ';
    for (at, character) in text.char_indices() {
        let is_exponent = matches!(before, 'e' | 'E') && !is_hexadecimal;
        let belongs = character.is_ascii_alphanumeric()
            || matches!(character, '.' | '_')
            || (matches!(character, '+' | '-') && is_exponent);
        if !belongs {
            return at;
        }
        before = character;
    }
    text.len()
}

fn number(token: &str) -> Option<PyValue> {
    let lower = token.to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = lower.strip_prefix(prefix) {
            // An underscore may also stand behind the prefix.
            let digits = plain(digits.strip_prefix('_').unwrap_or(digits), radix)?;
            return Some(PyValue::Int(in_decimal(&digits, radix)?));
        }
    }
    if let Some(imaginary) = lower.strip_suffix('j') {
        return Some(PyValue::Complex(0.0, float(imaginary, true)?));
    }
    if lower.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
        let digits = plain(&lower, 10)?;
        let short = digits.trim_start_matches('0');
        if digits.len() > MOST_DIGITS || (digits.starts_with('0') && !short.is_empty()) {
            return None;
        }
        return Some(PyValue::Int(if short.is_empty() { "0".to_owned() } else { short.to_owned() }));
    }
    float(&lower, false).map(PyValue::Float)
}

/// Digits without underscores, each of which stands between two digits.
fn plain(digits: &str, radix: u32) -> Option<String> {
    let is_good = !digits.is_empty()
        && digits.split('_').all(|piece| !piece.is_empty() && piece.chars().all(|digit| digit.is_digit(radix)));
    is_good.then(|| digits.replace('_', ""))
}

/// A floating-point literal; digits alone where `whole` allows it.
fn float(token: &str, whole: bool) -> Option<f64> {
    let (mantissa, exponent) = match token.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (token, None),
    };
    let (before, after) = match mantissa.split_once('.') {
        Some((before, after)) => (before, Some(after)),
        None => (mantissa, None),
    };
    if !whole && exponent.is_none() && after.is_none() {
        return None;
    }
    let piece = |text: &str| if text.is_empty() { Some(String::new()) } else { plain(text, 10) };
    let (before, after) = (piece(before)?, after.map_or(Some(String::new()), piece)?);
    if before.is_empty() && after.is_empty() {
        return None;
    }
    let mut text = format!("{before}.{after}0");
    if let Some(exponent) = exponent {
        let (sign, digits) = match exponent.strip_prefix(['+', '-']) {
            Some(digits) => (&exponent[..1], digits),
            None => ("", exponent),
        };
        text.push_str(&format!("e{sign}{}", plain(digits, 10)?));
    }
    format!("0{text}").parse().ok()
}

/// Digits of another base as decimal digits.
fn in_decimal(digits: &str, radix: u32) -> Option<String> {
    if digits.len() > 2 * MOST_DIGITS {
        return None;
    }
    // Least significant first, nine decimal digits each.
    let mut groups: Vec<u64> = vec![0];
    for digit in digits.chars() {
        let mut carry = u64::from(digit.to_digit(radix)?);
        for group in &mut groups {
            let value = *group * u64::from(radix) + carry;
            *group = value % 1_000_000_000;
            carry = value / 1_000_000_000;
        }
        if carry > 0 {
            groups.push(carry);
        }
    }
    let mut text = String::new();
    for (at, group) in groups.iter().rev().enumerate() {
        text.push_str(&if at == 0 { group.to_string() } else { format!("{group:09}") });
    }
    Some(text)
}

/// What the escapes of a text stand for; an unknown one stays as it is.
fn unescape_text(body: &str) -> Option<String> {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let escaped = rest.chars().next()?;
        let digits = match escaped {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        if digits > 0 {
            let written = rest.get(1..=digits)?;
            let code = hexadecimal(written)?;
            if code > 0x0010_ffff {
                return None;
            }
            out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            rest = &rest[1 + digits..];
            continue;
        }
        // A character by its Unicode name: no model writes one, and the names would be 360 kB of the program.
        if escaped == 'N' {
            return None;
        }
        let width = if let Some((code, width)) = octal(rest) {
            out.push(char::from_u32(code)?);
            width
        } else {
            match simple(escaped) {
                Some(character) => out.push(character),
                None if escaped == '\n' => {}
                None => {
                    out.push('\\');
                    out.push(escaped);
                }
            }
            escaped.len_utf8()
        };
        rest = &rest[width..];
    }
    out.push_str(rest);
    Some(out)
}

/// The same for bytes, which know neither `\u` nor `\N`.
fn bytes(body: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        let escaped = rest.chars().next()?;
        if escaped == 'x' {
            out.push(u8::try_from(hexadecimal(rest.get(1..=2)?)?).ok()?);
            rest = &rest[3..];
            continue;
        }
        if let Some((code, width)) = octal(rest) {
            out.push(u8::try_from(code & 0xff).ok()?);
            rest = &rest[width..];
            continue;
        }
        match simple(escaped) {
            Some(character) => out.push(u8::try_from(character).ok()?),
            None if escaped == '\n' => {}
            None => {
                out.push(b'\\');
                out.push(u8::try_from(escaped).ok()?);
            }
        }
        rest = &rest[escaped.len_utf8()..];
    }
    out.extend_from_slice(rest.as_bytes());
    Some(out)
}

fn hexadecimal(digits: &str) -> Option<u32> {
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

/// Up to three octal digits: their value and how many they are.
fn octal(text: &str) -> Option<(u32, usize)> {
    let width = text.bytes().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
    if width == 0 {
        return None;
    }
    u32::from_str_radix(&text[..width], 8).ok().map(|code| (code, width))
}

const fn simple(escaped: char) -> Option<char> {
    Some(match escaped {
        '\\' | '\'' | '"' => escaped,
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> Option<String> {
        literal_eval(text).map(|value| value.repr())
    }

    #[test]
    fn literals_are_read_as_python_reads_them() {
        for (text, value) in [
            ("1, 2", "(1, 2)"),
            ("(1)", "1"),
            ("-(1)", "-1"),
            ("- 2.5e-3", "-0.0025"),
            ("1e999", "inf"),
            ("3-4j", "(3-4j)"),
            ("0xFFFFFFFFFFFFFFFFFFFF", "1208925819614629174706175"),
            ("{1, 1.0, 2}", "{1, 2}"),
            ("set()", "set()"),
            ("'a' \"b\" r'\\n'", "'ab\\\\n'"),
            ("['\\101\\x41\\u0041\\\n']", "['AAA']"),
            ("[\n1, # one\n2\n]\n\n# end", "[1, 2]"),
            ("b'\\x00' b'a'", "b'\\x00a'"),
            ("{'a': (), 'b': [(),]}", "{'a': (), 'b': [()]}"),
            ("00", "0"),
            ("...", "Ellipsis"),
        ] {
            assert_eq!(shown(text).as_deref(), Some(value), "{text}");
        }
        for text in [
            "",
            "1\n2",
            "\n{1}x",
            "1__0",
            "012",
            "1_",
            "'a' b'b'",
            "[1 2]",
            "{'a' 1}",
            "{[1]: 2}",
            "f'x'",
            "x",
            "1+1",
            "True-1j",
            "--1",
            "'\\x4'",
            "'\\N{DASH}'",
            "'\\N{GREEK SMALL LETTER BETA}'",
            "'\\N'",
            "'\\N{'",
            "'\\N{}'",
            "(1",
            "1)",
            "{**{}}",
            "[*a]",
            "lambda: 1",
            "1.real",
            "set(1)",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
        assert_eq!(literal_eval(&"[".repeat(100_000)), None);
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(text in "\\PC{0,12}", number in any::<f64>().prop_filter("finite", |n| n.is_finite())) {
            let value = PyValue::List(vec![PyValue::Text(text), PyValue::Float(number), PyValue::None]);
            prop_assert_eq!(literal_eval(&value.repr()), Some(value));
        }

        #[test]
        fn any_text_is_read_without_panic(text in "([\\[\\](){}'\"\\\\,:#brxuUN0-9eEj._+ \n-]|\\PC){0,40}") {
            let _ = literal_eval(&text);
        }
    }
}
