//! Results of tools as passages that can be read: plain text as it is, JSON as lines `key path: value`, each leading back to its bytes.

use std::ops::Range;

use probare_core::Place;
use serde_json::Value as Json;

use super::vocabulary::name_words;

/// A text that serves as context, with the way back to where it comes from.
#[derive(Debug)]
pub(in super::super) struct Passage {
    pub text: String,
    /// Where its source stands.
    place: Place,
    /// Stretches of the text and the bytes of the source that they come from; none where the text is the source.
    lines: Vec<(Range<usize>, Range<usize>)>,
    /// Lists of numbers in it, each with what its keys say.
    pub lists: Vec<Vec<f64>>,
    /// How many items each of its lists has.
    pub counts: Vec<usize>,
}

impl Passage {
    /// A text as it is. `place` is the whole of it.
    pub fn plain(text: &str, place: Place) -> Self {
        Self { text: text.to_owned(), place, lines: Vec::new(), lists: Vec::new(), counts: Vec::new() }
    }

    /// A result: JSON is written out.
    pub fn of_result(text: &str, place: Place) -> Self {
        let start = text.trim_start();
        if start.starts_with(['{', '['])
            && let Ok(json) = serde_json::from_str::<Json>(text)
        {
            let mut passage = Self { text: String::new(), ..Self::plain("", place) };
            passage.write(text);
            passage.note_lists(&json);
            return passage;
        }
        Self::plain(text, place)
    }

    /// The place in the source of some bytes of the text.
    pub fn source(&self, span: &Range<usize>) -> Place {
        let mut place = self.place.clone();
        let found = if self.lines.is_empty() {
            span.clone()
        } else {
            // Of a line its value; the key is not a text of the source.
            let line = self.lines.partition_point(|(line, _)| line.end <= span.start).min(self.lines.len() - 1);
            let (line, source) = &self.lines[line];
            if line.len() == source.len() && line.start <= span.start && span.end <= line.end {
                source.start + span.start - line.start..source.start + span.end - line.start
            } else {
                source.clone()
            }
        };
        (place.start, place.end) = (found.start, found.end);
        place
    }

    /// Writes the leaves of a well-formed JSON text, each on a line of its own.
    fn write(&mut self, json: &str) {
        /// An object with the key that is being read, or a list.
        enum Level {
            Object(Option<String>),
            List,
        }
        let bytes = json.as_bytes();
        let mut levels: Vec<Level> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            probare_cancellation::steps(1);
            let start = at;
            match bytes[at] {
                b'{' => levels.push(Level::Object(None)),
                b'[' => levels.push(Level::List),
                b'}' | b']' => {
                    levels.pop();
                }
                b',' => {
                    if let Some(Level::Object(key)) = levels.last_mut() {
                        *key = None;
                    }
                }
                b'"' => {
                    at += 1;
                    while at < bytes.len() && bytes[at] != b'"' {
                        at += 1 + usize::from(bytes[at] == b'\\');
                    }
                    let text: String =
                        json.get(start..=at).and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
                    if let Some(Level::Object(key @ None)) = levels.last_mut() {
                        *key = Some(text);
                    } else {
                        let keys = levels.iter().filter_map(|level| match level {
                            Level::Object(key) => key.as_deref(),
                            Level::List => None,
                        });
                        self.line(keys, &text, start + 1..at);
                    }
                }
                b':' | b' ' | b'\t' | b'\n' | b'\r' => {}
                _ => {
                    while at + 1 < bytes.len()
                        && !matches!(bytes[at + 1], b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r')
                    {
                        at += 1;
                    }
                    let keys = levels.iter().filter_map(|level| match level {
                        Level::Object(key) => key.as_deref(),
                        Level::List => None,
                    });
                    self.line(keys, &json[start..=at], start..at + 1);
                }
            }
            at += 1;
        }
    }

    fn line<'k>(&mut self, keys: impl Iterator<Item = &'k str>, value: &str, source: Range<usize>) {
        let words: Vec<String> = keys.flat_map(name_words).collect();
        if !words.is_empty() {
            self.text.push_str(&words.join(" "));
            self.text.push_str(": ");
        }
        let start = self.text.len();
        self.text.push_str(value);
        self.lines.push((start..self.text.len(), source));
        self.text.push('\n');
    }

    fn note_lists(&mut self, json: &Json) {
        match json {
            Json::Array(list) => {
                self.counts.push(list.len());
                let numbers: Vec<f64> = list.iter().filter_map(Json::as_f64).collect();
                if numbers.len() == list.len() && list.len() > 1 {
                    self.lists.push(numbers);
                }
                // A column of a table: one key of all its rows.
                if let Some(Json::Object(first)) = list.first() {
                    for key in first.keys() {
                        let column: Vec<f64> = list.iter().filter_map(|row| row.get(key)?.as_f64()).collect();
                        if column.len() == list.len() && list.len() > 1 {
                            self.lists.push(column);
                        }
                    }
                }
                for item in list {
                    self.note_lists(item);
                }
            }
            Json::Object(map) => {
                for item in map.values() {
                    self.note_lists(item);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use probare_core::Field;

    use super::*;

    #[test]
    fn json_is_written_as_lines_that_lead_back() {
        let json = r#"{"skyState": "rain, \"hard\"", "at": {"celsius":9}, "days": [4, 5]}"#;
        let passage = Passage::of_result(json, Place::inside(Field::Messages, 2, "/text", 0..json.len()));
        assert_eq!(passage.text, "sky state: rain, \"hard\"\nat celsius: 9\ndays: 4\ndays: 5\n");
        let nine = passage.text.find('9').unwrap();
        let place = passage.source(&(nine..nine + 1));
        assert_eq!(&json[place.start..place.end], "9");
        assert_eq!((passage.lists, passage.counts), (vec![vec![4.0, 5.0]], vec![2]));
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        let passage = Passage::of_result("{not json", Place::inside(Field::Messages, 0, "/text", 0..9));
        assert_eq!((passage.text.as_str(), passage.source(&(1..4)).start), ("{not json", 1));
    }
}
