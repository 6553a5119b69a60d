//! Groups tokens into sentences.
//!
//! A sentence ends after `.`, `!`, `?` (and closing quotes or brackets) unless the next word is in small letters; at a
//! blank line; and at a line end where a list item or a new block begins. Abbreviations end one only before a word that
//! typically opens a sentence.

use std::ops::Range;

use probare_cancellation::count_steps;

use crate::Span;
use crate::closed_lists::{SENTENCE_STARTERS, TITLES, is_listed};

/// A sentence longer than this is cut, so that time stays linear in the length of the text.
pub(crate) const LONGEST: usize = 400;

/// Ranges of token indices, one per sentence: consecutive, none empty, together all tokens.
pub(crate) fn sentences(text: &str, tokens: &[Span]) -> Vec<Range<usize>> {
    let splitter = Splitter::new(text, tokens);
    let mut sentences = Vec::new();
    let mut start = 0;
    for next in 1..=tokens.len() {
        count_steps(1);
        if next == tokens.len() || splitter.ends_before(start, next) {
            cut(start..next, |index| splitter.form(index), &mut sentences);
            start = next;
        }
    }
    sentences
}

/// Cuts what is too long, if possible after a mark of punctuation.
fn cut<'t>(mut sentence: Range<usize>, form: impl Fn(usize) -> &'t str, sentences: &mut Vec<Range<usize>>) {
    while sentence.len() > LONGEST {
        let limit = sentence.start + LONGEST;
        let earliest = limit - LONGEST / 4;
        let place = (earliest..limit)
            .rev()
            .find(|&index| matches!(form(index), "." | ";" | "," | ":" | "|" | "-" | "—"))
            .map_or(limit, |index| index + 1);
        sentences.push(sentence.start..place);
        sentence.start = place;
    }
    sentences.push(sentence);
}

struct Splitter<'t> {
    text: &'t str,
    tokens: &'t [Span],
    /// For each token the last one at or before it that is no closing mark written to the one before.
    unclosed: Vec<usize>,
}

impl<'t> Splitter<'t> {
    fn new(text: &'t str, tokens: &'t [Span]) -> Self {
        let mut splitter = Self { text, tokens, unclosed: Vec::with_capacity(tokens.len()) };
        for index in 0..tokens.len() {
            let is_written_to = index > 0 && is_closing(splitter.form(index)) && splitter.gap(index).is_empty();
            splitter.unclosed.push(if is_written_to { splitter.unclosed[index - 1] } else { index });
        }
        splitter
    }

    fn form(&self, index: usize) -> &'t str {
        self.tokens.get(index).map_or("", |span| &self.text[span.clone()])
    }

    /// The white space before a token.
    fn gap(&self, index: usize) -> &'t str {
        match (index.checked_sub(1).and_then(|last| self.tokens.get(last)), self.tokens.get(index)) {
            (Some(last), Some(token)) => &self.text[last.end..token.start],
            _ => "",
        }
    }

    /// Whether a sentence that began at token `start` ends before token `next`.
    fn ends_before(&self, start: usize, next: usize) -> bool {
        let gap = self.gap(next);
        let lines = gap.matches('\n').count();
        if lines >= 2 {
            return true;
        }
        if lines == 1 && self.line_end_splits(start, next) {
            return true;
        }
        // Closing marks right behind the full stop belong to the sentence.
        if gap.is_empty() && is_closing(self.form(next)) && self.terminal_before(start, next).is_some() {
            return false;
        }
        let Some(terminal) = self.terminal_before(start, next) else { return false };
        let mark = self.form(terminal);
        let following = self.form(next);
        let opens = following.chars().next();
        if gap.is_empty() && !(opens.is_some_and(char::is_uppercase) && mark != "...") {
            return false;
        }
        if is_mark(mark) {
            if is_closing(following) && !matches!(following, "\"" | "'") {
                return false;
            }
            return !self.continues(next) && !self.is_list_number(start, terminal);
        }
        // An abbreviation with its own full stop.
        let abbreviation = mark.trim_end_matches('.');
        !is_listed(TITLES, abbreviation)
            && abbreviation.len() > 1
            && opens.is_some_and(char::is_uppercase)
            && is_listed(SENTENCE_STARTERS, following)
    }

    /// The mark or abbreviation that could end a sentence right before `next`, behind any closing marks.
    fn terminal_before(&self, start: usize, next: usize) -> Option<usize> {
        let index = (*self.unclosed.get(next.checked_sub(1)?)?).max(start);
        let form = self.form(index);
        let is_abbreviation = index + 1 == next && form.len() > 1 && form.ends_with('.');
        (is_mark(form) || is_abbreviation).then_some(index)
    }

    /// Whether the text goes on in small letters, possibly behind an opening quote.
    fn continues(&self, next: usize) -> bool {
        let mut index = next;
        while matches!(self.form(index), "\"" | "'" | "“" | "‘" | "(" | "[" | "``") {
            index += 1;
        }
        self.form(index).chars().next().is_none_or(|character| character.is_lowercase() || ",;:".contains(character))
    }

    /// "1." or "a." at the beginning numbers an item; the item follows.
    fn is_list_number(&self, start: usize, terminal: usize) -> bool {
        let marker = self.form(start);
        terminal == start + 1 && (marker.bytes().all(|byte| byte.is_ascii_digit()) && marker.len() < 3)
    }

    /// Whether a single line break ends the sentence: before an item of a list, after closing punctuation, or when the
    /// line was too short to have been wrapped.
    fn line_end_splits(&self, start: usize, next: usize) -> bool {
        let following = self.form(next);
        let is_bullet = matches!(following, "-" | "*" | "•" | "–" | "·" | "+" | "#" | "##" | "###" | ">")
            && !self.gap(next + 1).is_empty();
        let is_number = following.len() < 3
            && following.bytes().all(|byte| byte.is_ascii_digit())
            && matches!(self.form(next + 1), "." | ")");
        if is_bullet || is_number {
            return true;
        }
        let last = self.form(next - 1);
        if is_mark(last) || last == ":" || is_closing(last) && self.terminal_before(start, next).is_some() {
            return true;
        }
        let before = &self.text[..self.tokens[next - 1].end];
        let line = before.rsplit('\n').next().map_or(0, |line| line.chars().count());
        line < SHORT_LINE && !following.starts_with(char::is_lowercase)
    }
}

/// Lines below this length were ended on purpose.
const SHORT_LINE: usize = 40;

/// Marks that end a sentence.
fn is_mark(form: &str) -> bool {
    form.chars().all(|character| matches!(character, '.' | '!' | '?' | '…')) && !form.is_empty()
}

fn is_closing(form: &str) -> bool {
    matches!(form, "\"" | "'" | "”" | "’" | ")" | "]" | "}" | "''" | "»")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenize::tokens;

    fn split(text: &str) -> Vec<&str> {
        let tokens = tokens(text);
        sentences(text, &tokens)
            .into_iter()
            .map(|range| &text[tokens[range.start].start..tokens[range.end - 1].end])
            .collect()
    }

    #[test]
    fn full_stops_end_sentences_before_capitals_and_digits() {
        assert_eq!(
            split("It opened in 1992. Denmark won. 40 came."),
            ["It opened in 1992.", "Denmark won.", "40 came."]
        );
        assert_eq!(split("Prices rose 3.5 percent. it said so"), ["Prices rose 3.5 percent. it said so"]);
        assert_eq!(split("Really?! Yes."), ["Really?!", "Yes."]);
    }

    #[test]
    fn abbreviations_and_initials_do_not() {
        assert_eq!(
            split("Mr. J. Smith met Dr. Who at Acme Inc. Monday."),
            ["Mr. J. Smith met Dr. Who at Acme Inc. Monday."]
        );
        assert_eq!(split("He lives in the U.S. He likes it."), ["He lives in the U.S.", "He likes it."]);
        assert_eq!(split("We met at 5 p.m. The room was full."), ["We met at 5 p.m.", "The room was full."]);
    }

    #[test]
    fn quotes_and_brackets_close_with_their_sentence() {
        assert_eq!(
            split("\"Stop!\" he said. (She left.) Then it rained."),
            ["\"Stop!\" he said.", "(She left.)", "Then it rained."]
        );
        assert_eq!(split("He said \"Go.\" She went."), ["He said \"Go.\"", "She went."]);
        assert_eq!(split("She said: \"Go.\" \"Why?\" he asked."), ["She said: \"Go.\"", "\"Why?\" he asked."]);
    }

    #[test]
    fn blank_lines_and_lists_split() {
        assert_eq!(split("A title\n\nThe text\ngoes on here."), ["A title", "The text\ngoes on here."]);
        assert_eq!(
            split("Steps:\n1. Open it.\n2. Close it\n- done"),
            ["Steps:", "1. Open it.", "2. Close it", "- done"]
        );
        assert_eq!(
            split("This line is long enough to have been wrapped by\nAn editor that breaks lines."),
            ["This line is long enough to have been wrapped by\nAn editor that breaks lines."]
        );
    }

    #[test]
    fn endless_sentences_are_cut() {
        let text = "word ".repeat(1000);
        let tokens = tokens(&text);
        let lengths: Vec<usize> = sentences(&text, &tokens).into_iter().map(|range| range.len()).collect();
        assert_eq!(lengths, [400, 400, 200]);
        assert!(sentences("", &[]).is_empty());
    }
}
