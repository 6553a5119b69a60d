//! Predictions as programs write them, read by the quick way.

use super::{Iteration, Prediction, Text};
use crate::quick_json::Reader;

/// The prediction at the head of a text and its length in bytes, if it is a usual one.
pub(super) fn prediction(text: &str) -> Option<(Prediction<'_>, usize)> {
    let mut reader = Reader::new(text);
    let mut prediction = Prediction::default();
    let mut is_identified = false;
    reader.object(|reader, key| {
        match key {
            "question_id" => {
                prediction.question_id = reader.string()?;
                is_identified = true;
            }
            "predicted_answer" => prediction.predicted_answer = reader.string()?,
            "retrieved_docs" => prediction.retrieved_docs = texts(reader)?,
            "iterations" => prediction.iterations = reader.list(iteration)?,
            "sources_verified" => prediction.sources_verified = texts(reader)?,
            _ => return None,
        }
        Some(())
    })?;
    is_identified.then_some((prediction, reader.at()))
}

fn texts<'a>(reader: &mut Reader<'a>) -> Option<Vec<Text<'a>>> {
    reader.list(|reader| reader.string().map(Text))
}

fn iteration<'a>(reader: &mut Reader<'a>) -> Option<Iteration<'a>> {
    let mut iteration = Iteration::default();
    reader.object(|reader, key| {
        let texts = texts(reader)?;
        if key == "answers" {
            iteration.answers = texts;
        }
        Some(())
    })?;
    Some(iteration)
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
