//! Predictions as programs write them, read without a general reader: strings are passed over many bytes at a time.
//!
//! Whatever is unusual, incomplete or wrong is left to the general reader, which also says what is wrong.

use std::borrow::Cow;

use memchr::memchr2;

use super::{Iteration, Prediction, Text};

/// The prediction at the head of a text and its length in bytes, if it is a usual one.
pub(super) fn prediction(text: &str) -> Option<(Prediction<'_>, usize)> {
    let mut reader = Reader { text, at: 0 };
    let mut prediction = Prediction::default();
    let mut is_identified = false;
    reader.object(|reader, key| {
        match key {
            "question_id" => {
                prediction.question_id = reader.string()?;
                is_identified = true;
            }
            "predicted_answer" => prediction.predicted_answer = reader.string()?,
            "retrieved_docs" => prediction.retrieved_docs = reader.texts()?,
            "iterations" => prediction.iterations = reader.list(Reader::iteration)?,
            "sources_verified" => prediction.sources_verified = reader.texts()?,
            _ => return None,
        }
        Some(())
    })?;
    is_identified.then_some((prediction, reader.at))
}

struct Reader<'a> {
    text: &'a str,
    /// Bytes that have been read.
    at: usize,
}

impl<'a> Reader<'a> {
    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Some(*byte),
            }
        }
    }

    /// Passes over `byte` if it comes next.
    fn has(&mut self, byte: u8) -> Option<bool> {
        let is_next = self.peek()? == byte;
        self.at += usize::from(is_next);
        Some(is_next)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.has(byte)?.then_some(())
    }

    /// What stands between two brackets, with commas between its items.
    fn items(&mut self, [open, close]: [u8; 2], mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(open)?;
        if self.has(close)? {
            return Some(());
        }
        loop {
            item(self)?;
            if self.has(close)? {
                return Some(());
            }
            self.expect(b',')?;
        }
    }

    fn object(&mut self, mut field: impl FnMut(&mut Self, &str) -> Option<()>) -> Option<()> {
        self.items(*b"{}", |reader| {
            let key = reader.string()?;
            reader.expect(b':')?;
            field(reader, &key)
        })
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut list = Vec::new();
        self.items(*b"[]", |reader| {
            let item = item(reader)?;
            if list.is_empty() {
                // Enough for most lists, so that they do not move while they grow.
                list.reserve(8);
            }
            list.push(item);
            Some(())
        })?;
        Some(list)
    }

    fn texts(&mut self) -> Option<Vec<Text<'a>>> {
        self.list(|reader| reader.string().map(Text))
    }

    fn iteration(&mut self) -> Option<Iteration<'a>> {
        let mut iteration = Iteration::default();
        self.object(|reader, key| {
            let texts = reader.texts()?;
            if key == "answers" {
                iteration.answers = texts;
            }
            Some(())
        })?;
        Some(iteration)
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        self.expect(b'"')?;
        let start = self.at;
        let mut is_escaped = false;
        let end = loop {
            let rest = self.text.as_bytes().get(self.at..)?;
            self.at += memchr2(b'"', b'\\', rest)?;
            if self.text.as_bytes()[self.at] == b'"' {
                break self.at;
            }
            is_escaped = true;
            self.at += 2;
        };
        self.at = end + 1;
        let raw = &self.text[start..end];
        // All bytes are looked at without a stop at the first, since that takes many at once.
        let has_control = raw.bytes().fold(u8::MAX, u8::min) < b' ';
        match (has_control, is_escaped) {
            (true, _) => None,
            (false, false) => Some(Cow::Borrowed(raw)),
            (false, true) => serde_json::from_str(&self.text[start - 1..=end]).ok().map(Cow::Owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Deserializer;

    use super::*;

    /// What the general reader makes of the head of a text.
    fn general(text: &str) -> Option<(Prediction<'_>, usize)> {
        let mut values = Deserializer::from_str(text).into_iter::<Prediction<'_>>();
        let prediction = values.next()?.ok()?;
        Some((prediction, values.byte_offset()))
    }

    const USUAL: &str = r#"{"question_id": "a", "predicted_answer": "é \"b\"\n\u00e9", "retrieved_docs" : [ "c", ""],
        "iterations": [{"answers": ["d"], "docs": []}, {}], "sources_verified": []} ,"#;

    #[test]
    fn a_usual_prediction_is_read_as_the_general_reader_does() {
        let found = prediction(USUAL).unwrap();
        assert_eq!(found.0.predicted_answer, "é \"b\"\né");
        assert_eq!(Some(found), general(USUAL));
    }

    #[test]
    fn whatever_is_unusual_is_left_to_the_general_reader() {
        for text in [
            "",
            "{}",
            "[]",
            r#"{"question_id": 3}"#,
            r#"{"question_id": "a", "model": "b"}"#,
            r#"{"question_id": "a",}"#,
            r#"{"question_id": "a" "b"}"#,
            r#"{"question_id": "a\"}"#,
            r#"{"question_id": "\ud800"}"#,
            "{\"question_id\": \"a\u{1}\"}",
            r#"{"question_id": "a", "iterations": [{"docs": 7}]}"#,
        ] {
            assert_eq!(prediction(text), None, "{text}");
        }
    }

    #[test]
    fn no_cut_text_is_read() {
        let end = prediction(USUAL).unwrap().1;
        for (at, _) in USUAL.char_indices().take_while(|(at, _)| *at < end) {
            assert_eq!(prediction(&USUAL[..at]), None, "{at}");
        }
    }

    #[test]
    fn what_is_read_of_a_damaged_text_is_what_the_general_reader_reads() {
        let places = || USUAL.char_indices().map(|(at, _)| at);
        let inserted = ["", "\\", "\"", "{", "}", "[", "]", ",", ":", "a", " ", "\n", "\u{1}", "é", "\\\"", "\"\""];
        let mut read = 0;
        for from in places() {
            for to in places().skip_while(|to| *to < from).take(3) {
                for piece in inserted {
                    let text = [&USUAL[..from], piece, &USUAL[to..]].concat();
                    if let Some(found) = prediction(&text) {
                        assert_eq!(Some(found), general(&text), "{text}");
                        read += 1;
                    }
                }
            }
        }
        assert!(read > 1_000, "{read}");
    }
}
