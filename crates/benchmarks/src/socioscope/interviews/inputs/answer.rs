//! [`InterviewAnswer`]: what a model answered, as text or as JSON text, with the way back from every word to the response.

use std::borrow::Cow;
use std::ops::Range;

use probare_metrics::json_text::{PathStep, locate_items, locate_value};
use probare_text::aligned_text::AlignedText;
use serde_json::Value as Json;

use super::json_string::unescaped;

/// A text inside the response.
#[derive(Debug, Clone)]
pub struct AnswerItem<'a> {
    text: Cow<'a, str>,
    /// The way from the text to its spelling in JSON, where that differs.
    spelling: Option<AlignedText>,
    /// Where the text, or its spelling, starts in the response.
    offset: usize,
}

impl<'a> AnswerItem<'a> {
    /// A plain stretch of the response.
    pub fn plain(response: &'a str, range: Range<usize>) -> Self {
        let text = response.get(range.clone()).unwrap_or_default();
        Self { text: Cow::Borrowed(text), spelling: None, offset: range.start }
    }

    /// The value at `range` of a JSON response; nothing for `null`.
    fn json(response: &'a str, range: Range<usize>) -> Option<Self> {
        let raw = response.get(range.clone())?;
        if raw == "null" {
            return None;
        }
        let Some(content) = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
            return Some(Self::plain(response, range));
        };
        let offset = range.start + 1;
        Some(match unescaped(content) {
            Some(spelling) => Self { text: Cow::Owned(spelling.text().to_owned()), spelling: Some(spelling), offset },
            None => Self { text: Cow::Borrowed(content), spelling: None, offset },
        })
    }

    /// The words.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the response that `range` of the text stands for.
    pub fn span(&self, range: Range<usize>) -> Range<usize> {
        let inner = match &self.spelling {
            Some(spelling) => spelling.original_span(range),
            None => range,
        };
        self.offset + inner.start..self.offset + inner.end
    }

    /// The same from a byte of the text on.
    #[must_use]
    pub fn after(&self, at: usize) -> Self {
        let at = self.text.floor_char_boundary(at);
        if let Some(spelling) = &self.spelling {
            let rest = spelling.slice(at..self.text.len());
            return Self { text: Cow::Owned(rest.text().to_owned()), spelling: Some(rest), offset: self.offset };
        }
        let text = match &self.text {
            Cow::Borrowed(text) => Cow::Borrowed(&text[at..]),
            Cow::Owned(text) => Cow::Owned(text[at..].to_owned()),
        };
        Self { text, spelling: None, offset: self.offset + at }
    }
}

/// What a model answered.
#[derive(Debug, Clone)]
pub struct InterviewAnswer<'a> {
    /// The answer: one text, or the items of a list.
    pub items: Vec<AnswerItem<'a>>,
    /// Whether the items are those of a JSON list.
    pub is_list: bool,
    /// The reasons, where the answer names them apart.
    pub rationale: Option<Vec<AnswerItem<'a>>>,
}

impl<'a> InterviewAnswer<'a> {
    /// Reads a response: text, a JSON list, or a JSON object with `answer` and perhaps `rationale`. What is no such
    /// JSON is text.
    pub fn read(response: &'a str) -> Self {
        let trimmed = response.trim();
        let start = response.len() - response.trim_start().len();
        let whole = start..start + trimmed.len();
        let text =
            || Self { items: vec![AnswerItem::plain(response, 0..response.len())], is_list: false, rationale: None };
        if !trimmed.starts_with(['[', '{']) {
            return text();
        }
        match serde_json::from_str::<Json>(trimmed) {
            Ok(Json::Array(_)) => Self::list(response, &whole),
            Ok(Json::Object(object)) if object.contains_key("answer") => {
                let at = |key: &str| {
                    let found = locate_value(trimmed, &[PathStep::Key(key.to_owned())])?;
                    Some(start + found.start..start + found.end)
                };
                let Some(answer) = at("answer") else { return text() };
                let mut inner = Self::value(response, &answer);
                inner.rationale = at("rationale").map(|range| Self::value(response, &range).items);
                inner
            }
            _ => text(),
        }
    }

    fn value(response: &'a str, range: &Range<usize>) -> Self {
        if response.get(range.clone()).is_some_and(|raw| raw.starts_with('[')) {
            return Self::list(response, range);
        }
        let items = AnswerItem::json(response, range.clone()).into_iter().collect();
        Self { items, is_list: false, rationale: None }
    }

    fn list(response: &'a str, range: &Range<usize>) -> Self {
        let json = response.get(range.clone()).unwrap_or_default();
        let items = locate_items(json)
            .into_iter()
            .filter_map(|item| AnswerItem::json(response, range.start + item.start..range.start + item.end))
            .collect();
        Self { items, is_list: true, rationale: None }
    }

    /// Whether nothing was answered.
    pub fn is_blank(&self) -> bool {
        self.items.iter().all(|item| item.text().trim().is_empty())
    }

    /// The first item, where the answer is one text.
    pub fn first(&self) -> Option<&AnswerItem<'a>> {
        self.items.first()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_objects_are_read_and_lead_back() {
        let response = r#" ["caf\u00e9", 5, null, true]"#;
        let answer = InterviewAnswer::read(response);
        let texts: Vec<&str> = answer.items.iter().map(AnswerItem::text).collect();
        assert_eq!(texts, ["café", "5", "true"]);
        assert_eq!(&response[answer.items[0].span(3..5)], r"\u00e9");
        assert!(answer.is_list);

        let response = r#"{"answer": "Yes", "rationale": ["a", "b"]}"#;
        let answer = InterviewAnswer::read(response);
        assert_eq!(answer.items[0].text(), "Yes");
        assert_eq!(answer.rationale.as_ref().unwrap()[1].text(), "b");
        assert_eq!(&response[answer.rationale.unwrap()[1].span(0..1)], "b");
    }

    #[test]
    fn what_is_no_json_is_text() {
        for text in ["[sic] we agree", "{", "", "{\"a\": 1}", "[[[["] {
            assert_eq!(InterviewAnswer::read(text).items[0].text(), text);
        }
        assert!(InterviewAnswer::read(" \n").is_blank() && InterviewAnswer::read("[\"\", null]").is_blank());
    }

    #[test]
    fn the_rest_keeps_its_place() {
        let answer = InterviewAnswer::read("Yes, because");
        let rest = answer.items[0].after(3);
        assert_eq!((rest.text(), rest.span(2..9)), (", because", 5..12));
        let response = r#"{"answer": "J\u00e1, b"}"#;
        let rest = InterviewAnswer::read(response).items[0].after(3);
        assert_eq!((rest.text(), &response[rest.span(2..3)]), (", b", "b"));
    }
}
