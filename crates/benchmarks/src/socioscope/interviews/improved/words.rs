//! The words of an answer with what stands between them.

use std::ops::Range;

use probare_text::number_words::canonical_aligned;

/// What stands before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SpokenGap {
    /// Nothing but spaces, a hyphen or quotation marks.
    None,
    /// A comma.
    Comma,
    /// The end of a clause: a semicolon, a colon, a dash, a full stop, a bracket, a line break.
    Clause,
    /// A question mark: what stood before was asked, not said.
    Question,
}

/// A word in canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpokenWord {
    /// The form.
    pub(crate) form: String,
    /// Where it stands in the text.
    pub(crate) span: Range<usize>,
    /// What stands before it.
    pub(crate) gap: SpokenGap,
}

/// The words of a text.
pub(crate) fn spoken_words(text: &str) -> Vec<SpokenWord> {
    let mut found = Vec::new();
    let mut gap = SpokenGap::Clause;
    let mut start = 0;
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        let Some(here) = separator(character, &text[..at], &text[end..]) else { continue };
        push(&mut found, text, start..at, &mut gap);
        gap = gap.max(here);
        start = end;
    }
    push(&mut found, text, start..text.len(), &mut gap);
    found
}

fn push(found: &mut Vec<SpokenWord>, text: &str, range: Range<usize>, gap: &mut SpokenGap) {
    let form = canonical_aligned(&text[range.clone()]);
    let mut at = 0;
    for word in form.text().split(' ') {
        if !word.is_empty() {
            let span = form.original_span(at..at + word.len());
            found.push(SpokenWord {
                form: word.to_owned(),
                span: range.start + span.start..range.start + span.end,
                gap: *gap,
            });
            *gap = SpokenGap::None;
        }
        at += word.len() + 1;
    }
}

/// Whether a character separates, and how much.
fn separator(character: char, before: &str, after: &str) -> Option<SpokenGap> {
    let is_digit = |character: Option<char>| character.is_some_and(char::is_numeric);
    match character {
        ',' | '、' | '，' => {
            (!(is_digit(before.chars().next_back()) && is_digit(after.chars().next()))).then_some(SpokenGap::Comma)
        }
        ';' | '|' | '\n' | '(' | ')' | '[' | ']' | '—' | '!' | '。' => Some(SpokenGap::Clause),
        ':' => (!is_digit(after.chars().next())).then_some(SpokenGap::Clause),
        '–' | '-' => after.starts_with(char::is_whitespace).then_some(SpokenGap::Clause),
        // A full stop inside a word belongs to an abbreviation or a number.
        '.' => after.chars().next().is_none_or(|next| !next.is_alphanumeric()).then_some(SpokenGap::Clause),
        '?' => Some(SpokenGap::Question),
        _ => None,
    }
}

/// Whether a word introduces a noun, or stands between a word and its noun.
pub(super) fn is_determiner(word: &str) -> bool {
    matches!(word, "a" | "an" | "the" | "any" | "some" | "his" | "her" | "their" | "our" | "its" | "my" | "in" | "of")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_what_stands_before_them() {
        let text = "Difficult? Yes, twenty-one boats; in the U.S. 1,250 – no.";
        let found: Vec<(String, SpokenGap)> =
            spoken_words(text).into_iter().map(|word| (word.form, word.gap)).collect();
        let expected = [
            ("difficult", SpokenGap::Clause),
            ("yes", SpokenGap::Question),
            ("21", SpokenGap::Comma),
            ("boats", SpokenGap::None),
            ("in", SpokenGap::Clause),
            ("the", SpokenGap::None),
            ("u", SpokenGap::None),
            ("s", SpokenGap::None),
            ("1250", SpokenGap::Clause),
            ("no", SpokenGap::Clause),
        ];
        assert_eq!(found, expected.map(|(form, gap)| (form.to_owned(), gap)));
        assert_eq!(&text[spoken_words(text)[2].span.clone()], "twenty-one");
        assert!(spoken_words("?!,").is_empty());
    }
}
