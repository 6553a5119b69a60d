//! [`CitedAnswer`]: an answer with its citations, read from what a model or a server replied.

use std::fmt;

use probare_core::Citation;
use probare_text::loose_json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// An answer with citations. Citations are kept as the model gave them: one that is none is its mistake, to be reported.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CitedAnswer {
    /// The answer.
    pub answer: String,
    /// Numbers of passages and words that are said to stand there.
    #[serde(default)]
    pub citations: Vec<Json>,
}

impl CitedAnswer {
    /// The citations as those of a case.
    pub fn citations(&self) -> Vec<Citation> {
        let member = |citation: &Json, name: &str| citation.get(name).cloned().unwrap_or_default();
        let citation = |given: &Json| Citation {
            source_index: member(given, "source_index"),
            quote: member(given, "quote"),
            source: None,
        };
        self.citations.iter().map(citation).collect()
    }
}

/// A reply holds no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableReply {
    start: String,
}

impl fmt::Display for UnreadableReply {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the reply holds no object with a text `answer`; it begins `{}`", self.start)
    }
}

impl std::error::Error for UnreadableReply {}

/// Characters of a reply that an error shows.
const SHOWN: usize = 80;

/// Reads a reply: the first object in it with an `answer` that is a text. JSON as models write it is read too.
pub fn parse_reply(text: &str) -> Result<CitedAnswer, UnreadableReply> {
    let found = loose_json::find_values(text);
    let answer = found.iter().find_map(|found| {
        let answer = found.value.get("answer")?.as_str()?.to_owned();
        let citations = found.value.get("citations").and_then(Json::as_array).cloned().unwrap_or_default();
        Some(CitedAnswer { answer, citations })
    });
    answer.ok_or_else(|| UnreadableReply {
        start: text.trim().chars().take(SHOWN).collect::<String>().replace('\n', " "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_is_read_wherever_it_stands() {
        let answer = parse_reply("Here:\n```json\n{\"answer\": \"Mussels\", \"citations\": [{\"source_index\": 0, \"quote\": \"we grow\"}, 5]}\n```").unwrap();
        assert_eq!(answer.answer, "Mussels");
        assert_eq!(answer.citations()[0].quote, json!("we grow"));
        assert_eq!(answer.citations()[1], Citation::default());
        assert!(parse_reply("{\"answer\": \"No.\"}").unwrap().citations.is_empty());
        for text in ["", "Mussels.", "{\"answer\": 5}", "[]"] {
            assert!(parse_reply(text).is_err(), "{text}");
        }
    }
}
