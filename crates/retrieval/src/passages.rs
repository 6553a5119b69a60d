//! [`passages`]: a text cut into passages at the ends of sentences, with exact places.
//!
//! Sentences are found block by block: a blank line, a form feed, a heading, a list item and a new speaker begin a block. Whole
//! sentences are put together up to a number of words; the next passage begins with the last sentences of the one before, so
//! that what belongs together across a cut stands together in one of them. Nothing is lost: every character that is no white
//! space is in a passage.

use std::ops::Range;

use probare_text::sentences::punkt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How texts are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Split {
    /// Most words of a passage. A longer sentence is cut.
    pub words: usize,
    /// Sentences that a passage repeats from the one before.
    pub overlap: usize,
}

impl Default for Split {
    fn default() -> Self {
        Self { words: 100, overlap: 1 }
    }
}

/// Byte ranges of the passages of a text, in order, without white space at their ends.
///
/// ```
/// use probare_retrieval::passages::{Split, passages};
///
/// let text = "The ferry leaves at six. It carries forty cars. Nobody waits.";
/// let cut: Vec<&str> = passages(text, Split { words: 8, overlap: 1 }).into_iter().map(|span| &text[span]).collect();
/// assert_eq!(cut, ["The ferry leaves at six.", "It carries forty cars. Nobody waits."]);
/// ```
pub fn passages(text: &str, split: Split) -> Vec<Range<usize>> {
    let limit = split.words.max(1);
    let sentences = sentences(text, limit);
    let mut found = Vec::new();
    let mut start = 0;
    while start < sentences.len() {
        let (mut end, mut words) = (start, 0);
        while end < sentences.len() && (end == start || words + sentences[end].words <= limit) {
            words += sentences[end].words;
            end += 1;
        }
        found.push(sentences[start].span.start..sentences[end - 1].span.end);
        if end == sentences.len() {
            break;
        }
        start = end;
        // What is repeated takes at most half of the room, and never stands alone.
        let mut repeated = 0;
        while end - start < split.overlap && start > 0 {
            let next = repeated + sentences[start - 1].words;
            let begins = found.last().is_some_and(|last| last.start >= sentences[start - 1].span.start);
            if next > limit / 2 || next + sentences[end].words > limit || begins {
                break;
            }
            repeated = next;
            start -= 1;
        }
    }
    found
}

struct Sentence {
    span: Range<usize>,
    words: usize,
}

/// The sentences of all blocks; those that are too long are cut between words.
fn sentences(text: &str, limit: usize) -> Vec<Sentence> {
    let mut found = Vec::new();
    for block in blocks(text) {
        for sentence in punkt::sentences(&text[block.clone()]) {
            let span = trim_span(text, block.start + sentence.start..block.start + sentence.end);
            cut(text, span, limit, &mut found);
        }
    }
    found
}

/// White space, and what marks the start of a file.
fn is_space(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

fn trim_span(text: &str, span: Range<usize>) -> Range<usize> {
    let inner = &text[span.clone()];
    let start = span.start + (inner.len() - inner.trim_start_matches(is_space).len());
    let end = span.start + inner.trim_end_matches(is_space).len();
    start..end.max(start)
}

fn cut(text: &str, span: Range<usize>, limit: usize, found: &mut Vec<Sentence>) {
    let mut start = span.start;
    let mut words = 0;
    let mut end = span.start;
    let mut characters = text[span.clone()].char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if is_space(character) {
            continue;
        }
        let at = span.start + at;
        // A script without spaces has no words; its characters are counted by the dozen.
        let mut length = 1;
        let mut last = at + character.len_utf8();
        while let Some((_, next)) = characters.next_if(|(_, next)| length < LONGEST_WORD && !is_space(*next)) {
            length += 1;
            last += next.len_utf8();
        }
        if words == limit {
            found.push(Sentence { span: start..end, words });
            (start, words) = (at, 0);
        }
        words += 1;
        end = last;
    }
    if words > 0 {
        found.push(Sentence { span: start..end, words });
    }
}

/// Characters of the longest word; what is longer counts as several.
const LONGEST_WORD: usize = 40;

/// Parts of the text across which no sentence runs.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    let mut at = 0;
    let mut was_heading = false;
    for line in text.split_inclusive(['\n', '\u{c}']) {
        let words = line.trim_matches(is_space);
        let is_heading = words.starts_with('#');
        if words.is_empty() || is_heading || was_heading || opens_block(words) || line.ends_with('\u{c}') {
            // The last line of a page belongs to it.
            let end = if line.ends_with('\u{c}') { at + line.len() } else { at };
            found.push(start..end);
            start = end;
        }
        was_heading = is_heading;
        at += line.len();
    }
    found.push(start..text.len());
    found.retain(|block| !block.is_empty());
    found
}

/// Whether a line begins a list item, or with the name of a speaker: a few words with a capital and a colon.
fn opens_block(line: &str) -> bool {
    if line.starts_with(['-', '*', '•', '–']) {
        return line.chars().nth(1).is_some_and(char::is_whitespace);
    }
    let Some((name, value)) = line.split_once(':') else { return false };
    let is_named = name.chars().next().is_some_and(char::is_uppercase) && name.split_whitespace().count() <= 4;
    is_named && name.len() <= 40 && (value.is_empty() || value.starts_with(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut_texts(text: &str, words: usize, overlap: usize) -> Vec<&str> {
        passages(text, Split { words, overlap }).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn speakers_and_blank_lines_end_sentences() {
        let text = "\u{feff}Søren: Yes\nInterviewer: And then\n\nBirgit: We left. It rained.\n";
        let found = cut_texts(text, 2, 0);
        assert_eq!(found, ["Søren: Yes", "Interviewer: And", "then", "Birgit: We", "left.", "It rained."]);
        assert_eq!(cut_texts(text, 100, 1).len(), 1);
    }

    #[test]
    fn the_last_sentence_is_repeated() {
        let text = "One two three. Four five six. Seven eight nine. Ten.";
        assert_eq!(
            cut_texts(text, 6, 1),
            ["One two three. Four five six.", "Four five six. Seven eight nine.", "Seven eight nine. Ten."]
        );
        assert_eq!(cut_texts(text, 6, 0), ["One two three. Four five six.", "Seven eight nine. Ten."]);
    }

    #[test]
    fn a_text_without_spaces_is_cut_too() {
        let text = "語".repeat(1000);
        let found = cut_texts(&text, 10, 1);
        assert!(found.len() > 1 && found.iter().all(|passage| passage.chars().count() <= 400));
        assert_eq!(cut_texts(" \n\t", 10, 1), [""; 0]);
    }

    proptest! {
        #[test]
        fn every_character_is_in_a_passage_and_passages_go_forward(
            text in "[A-Za-zé .!?:\n#\u{c}-]{0,300}|\\PC{0,200}", words in 1usize..30, overlap in 0usize..4,
        ) {
            let found = passages(&text, Split { words, overlap });
            let mut covered = vec![false; text.len()];
            for span in &found {
                prop_assert!(text.get(span.clone()).is_some_and(|passage| !passage.trim_matches(is_space).is_empty()));
                covered[span.clone()].fill(true);
            }
            for (at, character) in text.char_indices() {
                prop_assert!(covered[at] || is_space(character), "{character:?} at {at} of {text:?} is in no passage");
            }
            prop_assert!(found.windows(2).all(|pair| pair[0].start < pair[1].start && pair[0].end < pair[1].end));
        }
    }
}
