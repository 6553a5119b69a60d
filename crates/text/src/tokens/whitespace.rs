//! Words between white space: Python's `text.lower().split()`.

use crate::python::{LowercaseText, for_each_word};

use super::{TokenEntry, Tokens};

/// Lower-cased words; punctuation stays attached.
pub fn lower_words(text: &str) -> Tokens {
    let lowered = LowercaseText::new(text);
    let mut entries = Vec::with_capacity(text.len() / 6);
    for_each_word(lowered.text(), |span| {
        entries.push(TokenEntry { buffer: span.clone(), span: lowered.original_span(span) });
    });
    Tokens { buffer: lowered.into_text(), entries }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_those_of_the_given_text() {
        let text = "  The İstanbul\u{3000}ferry. ";
        let words = lower_words(text);
        assert_eq!(words.texts().collect::<Vec<_>>(), ["the", "i\u{307}stanbul", "ferry."]);
        let spans: Vec<&str> = words.iter().map(|word| &text[word.span]).collect();
        assert_eq!(spans, ["The", "İstanbul", "ferry."]);
    }
}
