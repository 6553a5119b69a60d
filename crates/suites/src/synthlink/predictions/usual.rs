//! Predictions as programs write them, read without a general reader: strings are passed over many bytes at a time.
//!
//! Whatever is unusual, incomplete or wrong is left to the general reader, which also says what is wrong.

use std::borrow::Cow;

use probare_text::bits::{BLOCK, bits};

use super::{Iteration, Prediction, Text};

/// The prediction at the head of a text and its length in bytes, if it is a usual one.
pub(super) fn prediction(text: &str) -> Option<(Prediction<'_>, usize)> {
    let mut reader = Reader { text, at: 0, marks: Marks::new(text) };
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
    marks: Marks<'a>,
}

/// Where strings end or are unusual: quotation marks, backslashes and control characters.
struct Marks<'a> {
    blocks: &'a [[u8; BLOCK]],
    rest: &'a [u8],
    /// The block of the last mark, and a bit for each mark in it.
    block: usize,
    bits: u64,
}

impl<'a> Marks<'a> {
    fn new(text: &'a str) -> Self {
        let (blocks, rest) = text.as_bytes().as_chunks();
        Self { blocks, rest, block: 0, bits: 0 }
    }

    /// The first mark at this place or behind it.
    #[inline]
    fn next(&mut self, from: usize) -> Option<usize> {
        let bits = self.bits & u64::MAX << (from % BLOCK);
        if from / BLOCK == self.block && bits != 0 {
            return Some(self.block * BLOCK + bits.trailing_zeros() as usize);
        }
        self.next_further(from)
    }

    /// The same where it may stand in another block than the last one.
    #[inline(never)]
    fn next_further(&mut self, from: usize) -> Option<usize> {
        let mut block = from / BLOCK;
        let mut wanted = u64::MAX << (from % BLOCK);
        loop {
            let found = self.find(block)?;
            if found & wanted != 0 {
                (self.block, self.bits) = (block, found);
                return Some(block * BLOCK + (found & wanted).trailing_zeros() as usize);
            }
            block += 1;
            wanted = u64::MAX;
        }
    }

    /// A bit for each mark in a block; nothing behind the last one.
    #[inline]
    fn find(&self, block: usize) -> Option<u64> {
        let is_mark = |byte| matches!(byte, b'"' | b'\\' | 0..b' ');
        match self.blocks.get(block) {
            Some(bytes) => Some(bits(bytes, is_mark)),
            None if block == self.blocks.len() => {
                let mut bytes = [b' '; BLOCK];
                bytes[..self.rest.len()].copy_from_slice(self.rest);
                Some(bits(&bytes, is_mark))
            }
            None => None,
        }
    }
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
            let mark = self.marks.next(self.at)?;
            match self.text.as_bytes()[mark] {
                b'"' => break mark,
                b'\\' => self.at = mark + 2,
                _ => return None,
            }
            is_escaped = true;
        };
        self.at = end + 1;
        if is_escaped {
            return serde_json::from_str(&self.text[start - 1..=end]).ok().map(Cow::Owned);
        }
        Some(Cow::Borrowed(&self.text[start..end]))
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
