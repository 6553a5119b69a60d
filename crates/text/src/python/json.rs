//! `json.loads`: JSON as Python reads it, with `NaN` and the infinities, and the last of equal keys.

use std::collections::HashMap;

use super::value::PyValue;

/// Deeper nesting is refused.
const DEEPEST: usize = 900;

/// The value of a text that Python's `json_loads` reads; nothing where it does not. Half of a surrogate pair, which Python keeps,
/// becomes the replacement character.
pub fn json_loads(text: &str) -> Option<PyValue> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    parser.blank();
    let value = parser.value()?;
    parser.blank();
    parser.rest().is_empty().then_some(value)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn blank(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn value(&mut self) -> Option<PyValue> {
        probare_cancellation::count_steps(1);
        match self.rest().bytes().next()? {
            b'"' => self.quoted().map(PyValue::Text),
            b'{' => self.within(Self::object),
            b'[' => self.within(Self::array),
            _ => {
                for (word, value) in [
                    ("null", PyValue::None),
                    ("true", PyValue::Bool(true)),
                    ("false", PyValue::Bool(false)),
                    ("NaN", PyValue::Float(f64::NAN)),
                    ("Infinity", PyValue::Float(f64::INFINITY)),
                    ("-Infinity", PyValue::Float(f64::NEG_INFINITY)),
                ] {
                    if self.take(word) {
                        return Some(value);
                    }
                }
                self.number()
            }
        }
    }

    fn within(&mut self, read: impl FnOnce(&mut Self) -> Option<PyValue>) -> Option<PyValue> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.at += 1;
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Option<PyValue> {
        let mut pairs: Vec<(PyValue, PyValue)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        self.blank();
        if self.take("}") {
            return Some(PyValue::Dict(pairs));
        }
        loop {
            self.blank();
            let key = self.quoted()?;
            self.blank();
            if !self.take(":") {
                return None;
            }
            self.blank();
            let value = self.value()?;
            if let Some((_, known)) = places.get(&key).and_then(|place| pairs.get_mut(*place)) {
                *known = value;
            } else {
                places.insert(key.clone(), pairs.len());
                pairs.push((PyValue::Text(key), value));
            }
            self.blank();
            if self.take("}") {
                return Some(PyValue::Dict(pairs));
            }
            if !self.take(",") {
                return None;
            }
        }
    }

    fn array(&mut self) -> Option<PyValue> {
        let mut items = Vec::new();
        self.blank();
        if self.take("]") {
            return Some(PyValue::List(items));
        }
        loop {
            self.blank();
            items.push(self.value()?);
            self.blank();
            if self.take("]") {
                return Some(PyValue::List(items));
            }
            if !self.take(",") {
                return None;
            }
        }
    }

    fn quoted(&mut self) -> Option<String> {
        if !self.take("\"") {
            return None;
        }
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let end = rest.find(|character| matches!(character, '"' | '\\') || character < ' ')?;
            out.push_str(&rest[..end]);
            self.at += end;
            if self.take("\"") {
                return Some(out);
            }
            if !self.take("\\") {
                return None;
            }
            let escaped = self.rest().chars().next()?;
            self.at += escaped.len_utf8();
            out.push(match escaped {
                '"' | '\\' | '/' => escaped,
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => self.unicode()?,
                _ => return None,
            });
        }
    }

    fn unicode(&mut self) -> Option<char> {
        let first = self.hex_digits()?;
        if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            let second = self.hex_digits()?;
            if (0xdc00..0xe000).contains(&second) {
                return char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00));
            }
            self.at = before;
        }
        Some(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex_digits(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    fn number(&mut self) -> Option<PyValue> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
        let start = usize::from(bytes.first() == Some(&b'-'));
        let whole = match bytes.get(start)? {
            b'0' => 1,
            b'1'..=b'9' => digits(start),
            _ => return None,
        };
        let mut end = start + whole;
        let mut is_float = false;
        if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
            end += 1 + digits(end + 1);
            is_float = true;
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            if exponent > 0 {
                end += 1 + sign + exponent;
                is_float = true;
            }
        }
        self.at += end;
        let token = &rest[..end];
        if is_float {
            return token.parse().ok().map(PyValue::Float);
        }
        Some(PyValue::Int(if token == "-0" { "0".to_owned() } else { token.to_owned() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read_as_python_reads_them() {
        let shown = |text: &str| json_loads(text).map(|value| value.repr());
        for (text, value) in [
            ("{\"a\": 1, \"b\": 2, \"a\": 3}", "{'a': 3, 'b': 2}"),
            (" [NaN, -Infinity, 1.0, 1, -0, 1E2] ", "[nan, -inf, 1.0, 1, 0, 100.0]"),
            ("\"\\u03b2\\ud83e\\uddea\\/\"", "'β🧪/'"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
        ] {
            assert_eq!(shown(text).as_deref(), Some(value), "{text}");
        }
        for text in
            ["", "\u{feff}1", "01", "1.", ".5", "+1", "'a'", "\"a\nb\"", "{\"a\":}", "[1,]", "{a: 1}", "1 2", "\"\\x\""]
        {
            assert_eq!(shown(text), None, "{text}");
        }
        assert_eq!(json_loads(&"[".repeat(100_000)), None);
    }
}
