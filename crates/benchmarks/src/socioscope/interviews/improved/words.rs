//! The words of an answer with what stands between them.

use std::ops::Range;

use probare_english::text_analysis::ClauseGap;
use probare_text::number_words::canonical_aligned;

/// A word in canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpokenWord {
    pub(crate) form: String,
    /// Where it stands in the text.
    pub(crate) span: Range<usize>,
    /// What stands before it.
    pub(crate) gap: ClauseGap,
}

/// The words of a text.
pub(crate) fn spoken_words(text: &str) -> Vec<SpokenWord> {
    let mut found = Vec::new();
    let mut gap = ClauseGap::Clause;
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

fn push(found: &mut Vec<SpokenWord>, text: &str, range: Range<usize>, gap: &mut ClauseGap) {
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
            *gap = ClauseGap::Nothing;
        }
        at += word.len() + 1;
    }
}

/// Whether a character separates, and how much.
fn separator(character: char, before: &str, after: &str) -> Option<ClauseGap> {
    let is_digit = |character: Option<char>| character.is_some_and(char::is_numeric);
    match character {
        ',' | '、' | '，' => {
            (!(is_digit(before.chars().next_back()) && is_digit(after.chars().next()))).then_some(ClauseGap::Comma)
        }
        ';' | '|' | '\n' | '(' | ')' | '[' | ']' | '—' | '!' | '。' => Some(ClauseGap::Clause),
        ':' => (!is_digit(after.chars().next())).then_some(ClauseGap::Clause),
        '–' | '-' => after.starts_with(char::is_whitespace).then_some(ClauseGap::Clause),
        // A full stop inside a word belongs to an abbreviation or a number.
        '.' => after.chars().next().is_none_or(|next| !next.is_alphanumeric()).then_some(ClauseGap::Clause),
        '?' => Some(ClauseGap::Question),
        _ => None,
    }
}

/// Whether a word introduces a noun, or stands between a word and its noun.
pub(super) fn is_determiner(word: &str) -> bool {
    matches!(word, "a" | "an" | "the" | "any" | "some" | "his" | "her" | "their" | "our" | "its" | "my" | "in" | "of")
}

/// Whether a word links the values of a list or introduces the next one.
pub(super) fn is_linking(word: &str) -> bool {
    matches!(word, "and" | "or" | "both") || is_determiner(word)
}

/// The word so many behind the one at `at`; the empty text past the end and where something stands between.
pub(super) fn joined_form(words: &[SpokenWord], at: usize, ahead: usize) -> &str {
    let stretch = words.get(at..=at + ahead).unwrap_or_default();
    let is_joined = stretch.iter().skip(1).all(|word| word.gap == ClauseGap::Nothing);
    stretch.last().filter(|_| is_joined).map_or("", |word| word.form.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_what_stands_before_them() {
        let text = "Difficult? Yes, twenty-one boats; in the U.S. 1,250 – no.";
        let found: Vec<(String, ClauseGap)> =
            spoken_words(text).into_iter().map(|word| (word.form, word.gap)).collect();
        let expected = [
            ("difficult", ClauseGap::Clause),
            ("yes", ClauseGap::Question),
            ("21", ClauseGap::Comma),
            ("boats", ClauseGap::Nothing),
            ("in", ClauseGap::Clause),
            ("the", ClauseGap::Nothing),
            ("u", ClauseGap::Nothing),
            ("s", ClauseGap::Nothing),
            ("1250", ClauseGap::Clause),
            ("no", ClauseGap::Clause),
        ];
        assert_eq!(found, expected.map(|(form, gap)| (form.to_owned(), gap)));
        assert_eq!(&text[spoken_words(text)[2].span.clone()], "twenty-one");
        assert!(spoken_words("?!,").is_empty());
    }
}
