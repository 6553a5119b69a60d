//! Values as JavaScript sees them: texts of numbers, white space, JSON, equality.

use serde_json::{Map, Value};

/// Whether JavaScript takes a character for white space (`\s`, `trim`).
pub fn is_space(character: char) -> bool {
    matches!(
        character,
        '\u{9}'..='\u{d}' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}'
            | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// A text without white space around it.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// The words between white space.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_space).filter(|word| !word.is_empty())
}

/// UTF-16 units of a text.
pub fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

/// `String(number)`.
pub fn number_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    let shortest = format!("{:e}", number.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    let text = if count <= point && point <= 21 {
        format!("{digits}{}", zeros(point - count))
    } else if 0 < point && point <= 21 {
        let (whole, part) = digits.split_at(usize::try_from(point).unwrap_or(0));
        format!("{whole}.{part}")
    } else if -6 < point && point <= 0 {
        format!("0.{}{digits}", zeros(-point))
    } else {
        let exponent = point - 1;
        let sign = if exponent < 0 { '-' } else { '+' };
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{first}{point}{rest}e{sign}{}", exponent.abs())
    };
    if number < 0.0 { format!("-{text}") } else { text }
}

/// A JSON number as JavaScript holds it.
pub fn number(value: &serde_json::Number) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// `String(value)`.
pub fn text(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => number_text(number(value)),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let item_text = |item: &Value| if item.is_null() { String::new() } else { text(item) };
            items.iter().map(item_text).collect::<Vec<_>>().join(",")
        }
        Value::Object(_) => "[object Object]".to_owned(),
    }
}

/// The keys of an object in JavaScript's order: whole numbers first, by size.
pub fn ordered(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let index = |key: &str| key.parse::<u32>().ok().filter(|number| number.to_string() == key && *number != u32::MAX);
    let mut entries: Vec<_> = map.iter().collect();
    if entries.iter().any(|(key, _)| index(key).is_some()) {
        entries.sort_by_key(|(key, _)| index(key).map_or((1, 0), |number| (0, number)));
    }
    entries
}

/// `JSON.stringify(value)`; with `indent`, the third argument.
pub fn json(value: &Value, indent: usize) -> String {
    let mut out = String::new();
    write_json(value, indent, 0, &mut out);
    out
}

fn write_json(value: &Value, indent: usize, depth: usize, out: &mut String) {
    let line = |depth: usize, out: &mut String| {
        if indent > 0 {
            out.push('\n');
            out.push_str(&" ".repeat(indent * depth));
        }
    };
    match value {
        Value::Number(value) => {
            let number = number(value);
            out.push_str(&if number.is_finite() { number_text(number) } else { "null".to_owned() });
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(depth + 1, out);
                write_json(item, indent, depth + 1, out);
            }
            line(depth, out);
            out.push(']');
        }
        Value::Object(map) if !map.is_empty() => {
            out.push('{');
            for (at, (key, value)) in ordered(map).into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(depth + 1, out);
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push_str(if indent > 0 { ": " } else { ":" });
                write_json(value, indent, depth + 1, out);
            }
            line(depth, out);
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

/// Why a text is not read as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonFault {
    /// It is not JSON.
    Malformed,
    /// It is JSON that this program does not read: nested too deeply, or a number beyond all limits.
    Unreadable,
}

/// `JSON.parse(text)`.
pub fn parse_json(text: &str) -> Result<Value, JsonFault> {
    let read = |text: &str| serde_json::from_str::<Value>(text);
    let error = match read(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let reason = error.to_string();
    if reason.starts_with("recursion limit") || reason.starts_with("number out of range") {
        return Err(JsonFault::Unreadable);
    }
    if reason.contains("surrogate") || reason.contains("hex escape") {
        return read(&without_lone_surrogates(text)).map_err(|_| JsonFault::Malformed);
    }
    Err(JsonFault::Malformed)
}

/// The text with half of a pair in an escape replaced: JavaScript allows it in a text, Rust does not.
fn without_lone_surrogates(text: &str) -> String {
    let code = |at: usize| {
        let escape = text.get(at..at + 6)?;
        u16::from_str_radix(escape.strip_prefix("\\u")?, 16).ok()
    };
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    while let Some(character) = text[at..].chars().next() {
        match code(at) {
            Some(high) if (0xd800..0xdc00).contains(&high) => {
                if code(at + 6).is_some_and(|low| (0xdc00..0xe000).contains(&low)) {
                    out.push_str(&text[at..at + 12]);
                    at += 12;
                } else {
                    out.push_str("\\ufffd");
                    at += 6;
                }
            }
            Some(low) if (0xdc00..0xe000).contains(&low) => {
                out.push_str("\\ufffd");
                at += 6;
            }
            _ => {
                out.push(character);
                at += character.len_utf8();
                if character == '\\'
                    && let Some(next) = text[at..].chars().next()
                {
                    out.push(next);
                    at += next.len_utf8();
                }
            }
        }
    }
    out
}

/// `Number(text)`.
pub fn parse_number(text: &str) -> f64 {
    let text = trim(text);
    if text.is_empty() {
        return 0.0;
    }
    for (prefix, radix) in [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8), ("0b", 2), ("0B", 2)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let mut number = 0.0;
            for digit in digits.chars() {
                let Some(digit) = digit.to_digit(radix) else { return f64::NAN };
                number = number * f64::from(radix) + f64::from(digit);
            }
            return if digits.is_empty() { f64::NAN } else { number };
        }
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "Infinity" {
        return if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let is_decimal = unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && unsigned.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '.' | 'e' | 'E' | '+' | '-'));
    if is_decimal { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

/// `Number(value)`.
pub fn to_number(value: &Value) -> f64 {
    match value {
        Value::Null => 0.0,
        Value::Bool(value) => f64::from(u8::from(*value)),
        Value::Number(value) => number(value),
        Value::String(text) => parse_number(text),
        Value::Array(_) => parse_number(&text(value)),
        Value::Object(_) => f64::NAN,
    }
}

/// Whether a value counts as true.
pub fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(value) => number(value) != 0.0 && !number(value).is_nan(),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// Whether two values are the same throughout; the order of keys does not count, zero and minus zero differ.
pub fn deep_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => number(left).to_bits() == number(right).to_bits(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| deep_equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let same = |(key, value): (&String, &Value)| right.get(key).is_some_and(|other| deep_equal(value, other));
            left.len() == right.len() && left.iter().all(same)
        }
        (left, right) => left == right,
    }
}

/// Greatest length of a text that a message quotes.
const LONGEST_QUOTE: usize = 80;

/// A text for a message, shortened.
pub fn quote(text: &str) -> String {
    if text.chars().count() <= LONGEST_QUOTE {
        return format!("`{text}`");
    }
    format!("`{}…`", text.chars().take(LONGEST_QUOTE).collect::<String>())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_written_as_in_javascript() {
        for (number, text) in [
            (1e21, "1e+21"),
            (1e-7, "1e-7"),
            (1.5e-7, "1.5e-7"),
            (0.1, "0.1"),
            (100.0, "100"),
            (-2.5, "-2.5"),
            (12_345_678_901_234_567_890.0, "12345678901234567000"),
            (0.000_001, "0.000001"),
            (123.456, "123.456"),
            (-0.0, "0"),
        ] {
            assert_eq!(number_text(number), text);
        }
    }

    #[test]
    fn texts_are_numbers_as_in_javascript() {
        for (text, number) in [("", 0.0), (" 5 ", 5.0), ("0x5", 5.0), ("5e0", 5.0), (".5", 0.5), ("-1", -1.0)] {
            assert_eq!(parse_number(text), number, "{text}");
        }
        for text in ["five", "1_000", "0x", "1e", "5px", "inf", "nan"] {
            assert!(parse_number(text).is_nan(), "{text}");
        }
    }

    #[test]
    fn half_of_a_pair_is_json() {
        assert!(parse_json(r#""\ud83d""#).is_ok());
        assert!(parse_json(r#""\ud83d\ude00""#).is_ok());
        assert_eq!(parse_json(r#""\ud8""#), Err(JsonFault::Malformed));
        assert_eq!(parse_json(&"[".repeat(500)), Err(JsonFault::Unreadable));
    }

    #[test]
    fn keys_that_are_numbers_come_first() {
        assert_eq!(json(&json!({"b": 1, "10": 2, "9": [1.0, "é"]}), 0), r#"{"9":[1,"é"],"10":2,"b":1}"#);
        assert_eq!(json(&json!({"a": [], "b": [1]}), 2), "{\n  \"a\": [],\n  \"b\": [\n    1\n  ]\n}");
    }
}
