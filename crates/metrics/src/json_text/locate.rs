//! Which bytes of a JSON text a value takes, so that evidence can point at it.

use std::ops::Range;

/// One step of the way from the root of a JSON document to a value in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// The value of this key.
    Key(String),
    /// The item at this position, counted from 0.
    Item(usize),
}

/// The bytes that the value at the end of `path` takes. `json` is well formed; on other texts the answer is `None` or
/// some range of it. Where a key is repeated its last value counts, as it does for readers.
pub fn locate_value(json: &str, path: &[PathStep]) -> Option<Range<usize>> {
    let mut cursor = Cursor { json, at: 0 };
    for step in path {
        cursor.skip_space();
        cursor.at = match step {
            PathStep::Key(key) => cursor.enter_object(key)?,
            PathStep::Item(index) => cursor.enter_array(*index)?,
        };
    }
    cursor.skip_space();
    let start = cursor.at;
    cursor.skip_value();
    (cursor.at > start).then_some(start..cursor.at)
}

struct Cursor<'a> {
    json: &'a str,
    at: usize,
}

impl Cursor<'_> {
    fn byte(&self) -> Option<u8> {
        self.json.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, expected: u8) -> bool {
        let found = self.byte() == Some(expected);
        self.at += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            probare_cancellation::count_steps(1);
            self.at += 1;
        }
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.byte() {
            probare_cancellation::count_steps(1);
            self.at += 1;
            match byte {
                b'"' => return,
                b'\\' => self.at += 1,
                _ => {}
            }
        }
        // An escape at the very end steps past it.
        self.at = self.at.min(self.json.len());
    }

    /// Moves past one value, however deep, without recursion.
    fn skip_value(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.byte() {
            probare_cancellation::count_steps(1);
            match byte {
                b'"' => self.skip_string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                    continue;
                }
                b'}' | b']' if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                b'}' | b']' => return,
                b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => {
                    self.at += 1;
                    continue;
                }
                _ => {
                    while !matches!(
                        self.byte(),
                        None | Some(b',' | b':' | b'}' | b']' | b'{' | b'[' | b'"' | b' ' | b'\t' | b'\n' | b'\r')
                    ) {
                        self.at += 1;
                    }
                }
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn enter_object(&mut self, wanted: &str) -> Option<usize> {
        let mut found = None;
        if !self.take(b'{') {
            return None;
        }
        loop {
            probare_cancellation::count_steps(1);
            self.skip_space();
            if self.byte() != Some(b'"') {
                return found;
            }
            let start = self.at;
            self.skip_string();
            let key = self.json.get(start..self.at).and_then(|raw| serde_json::from_str::<String>(raw).ok())?;
            self.skip_space();
            if !self.take(b':') {
                return found;
            }
            self.skip_space();
            if key == wanted {
                found = Some(self.at);
            }
            self.skip_value();
            self.skip_space();
            if !self.take(b',') {
                return found;
            }
        }
    }

    fn enter_array(&mut self, wanted: usize) -> Option<usize> {
        if !self.take(b'[') {
            return None;
        }
        for index in 0.. {
            probare_cancellation::count_steps(1);
            self.skip_space();
            if index == wanted {
                break;
            }
            self.skip_value();
            self.skip_space();
            if !self.take(b',') {
                return None;
            }
        }
        Some(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(json: &'a str, path: &[PathStep]) -> Option<&'a str> {
        locate_value(json, path).map(|range| &json[range])
    }

    fn key(name: &str) -> PathStep {
        PathStep::Key(name.into())
    }

    #[test]
    fn a_path_leads_to_the_bytes_of_its_value() {
        let json = r#" {"a": [1, {"b\"c": "x, ]"}, [ ]], "é": -2.5e3, "a2": null} "#;
        assert_eq!(found(json, &[]), Some(json.trim()));
        assert_eq!(found(json, &[key("a"), PathStep::Item(1), key("b\"c")]), Some("\"x, ]\""));
        assert_eq!(found(json, &[key("a"), PathStep::Item(2)]), Some("[ ]"));
        assert_eq!(found(json, &[key("é")]), Some("-2.5e3"));
        assert_eq!(found(json, &[key("a2")]), Some("null"));
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        assert_eq!(found("{\"a\": 1}", &[key("b")]), None);
        assert_eq!(found("[1]", &[PathStep::Item(1)]), None);
        assert_eq!(found("1", &[PathStep::Item(0)]), None);
        assert_eq!(found("", &[]), None);
        assert_eq!(found("{\"a\\", &[key("a")]), None);
    }

    #[test]
    fn the_last_of_repeated_keys_counts() {
        assert_eq!(found(r#"{"a": 1, "a": 2}"#, &[key("a")]), Some("2"));
    }
}
