//! Words of NLTK's `word_tokenize` (NLTK 3.9.1): Punkt sentences, each cut by a Treebank-style tokenizer.
//!
//! The original rewrites each sentence with some thirty regular expressions that insert spaces, and splits the result.
//! All of its rules look no further than the word between two white spaces, apart from the full stop at the end of the
//! sentence. So words without punctuation inside, which are most, are cut right here; the others go through the
//! rules, in order, in the module `substitutions`.
//!
//! Double quotes become two back-ticks or two apostrophes; every other token is a piece of the text.

use std::ops::Range;

use crate::python::{self, LowercaseText};
use crate::sentences::punkt;
use crate::stopwords;

use super::{TokenEntry, Tokens};

mod substitutions;

use substitutions::{Substitutions, TreebankToken};

/// `word_tokenize(text)`. On text with capitals the sentences can differ from NLTK's, see [`punkt`].
pub fn words(text: &str) -> Tokens {
    cut(LowercaseText::unchanged(text))
}

/// `word_tokenize(text.lower())`, with spans in `text`.
pub fn lower_words(text: &str) -> Tokens {
    cut(LowercaseText::new(text))
}

/// The distinct [`lower_words`] that are alphanumeric throughout and no stop words, in order of first occurrence.
pub fn keywords(text: &str) -> Tokens {
    let mut words = lower_words(text);
    let stop_words = stopwords::nltk();
    words.retain(|word| is_alphanumeric(word) && !stop_words.contains(word));
    words.dedup();
    words
}

/// `str.isalnum`.
fn is_alphanumeric(word: &str) -> bool {
    // Bytes answer for nearly all words.
    let mut beyond = word.bytes().skip_while(u8::is_ascii_alphanumeric);
    match beyond.next() {
        None => !word.is_empty(),
        Some(byte) => byte >= 0x80 && word.chars().all(python::is_alnum),
    }
}

/// Opening and closing quotes as tokens; appended to the buffer, since the text itself may not hold them.
const OPENING_QUOTES: &str = "``";
const CLOSING_QUOTES: &str = "''";

fn cut(lowered: LowercaseText) -> Tokens {
    let text = lowered.text();
    let mut cutter =
        Cutter { text, words: Vec::with_capacity(text.len() / 5), substitutions: Substitutions::default() };
    for sentence in punkt::sentences(text) {
        probare_cancellation::count_steps(16);
        cutter.cut_sentence(sentence);
    }
    let words = cutter.words;
    let opening = text.len()..text.len() + OPENING_QUOTES.len();
    let closing = opening.end..opening.end + CLOSING_QUOTES.len();
    let entries = words
        .into_iter()
        .map(|word| match word {
            TreebankToken::Piece(span) => TokenEntry { buffer: span.clone(), span: lowered.original_span(span) },
            TreebankToken::OpeningQuotes(span) => {
                TokenEntry { buffer: opening.clone(), span: lowered.original_span(span) }
            }
            TreebankToken::ClosingQuotes(span) => {
                TokenEntry { buffer: closing.clone(), span: lowered.original_span(span) }
            }
        })
        .collect();
    let mut buffer = lowered.into_text();
    buffer.push_str(OPENING_QUOTES);
    buffer.push_str(CLOSING_QUOTES);
    Tokens { buffer, entries }
}

struct Cutter<'t> {
    text: &'t str,
    words: Vec<TreebankToken>,
    substitutions: Substitutions,
}

/// What stands between two white spaces.
struct Chunk {
    end: usize,
    shape: Shape,
}

enum Shape {
    /// Marks, a word, marks, each of which is a token whatever stands around it.
    Simple(SimpleChunk),
    /// Anything else.
    Intricate,
}

/// The parts of a simple chunk. Any of them may be empty; a mark is one byte.
struct SimpleChunk {
    /// Where the word starts, behind opening marks.
    word: usize,
    /// Where the word is cut in two, its end if it is not.
    cut: usize,
    /// Where the word ends and closing marks begin.
    marks: usize,
}

impl Cutter<'_> {
    fn cut_sentence(&mut self, sentence: Range<usize>) {
        let final_stop = final_full_stop(&self.text[sentence.clone()]).map(|at| sentence.start + at);
        let mut at = sentence.start;
        loop {
            let Some(start) = self.next_word(at, sentence.end) else { return };
            let Chunk { end, shape } = self.chunk(start, sentence.end);
            let holds_final_stop = final_stop.is_some_and(|stop| (start..end).contains(&stop));
            // Quotes and brackets behind the final full stop need the rules.
            let is_plain_ending = end == sentence.end && final_stop == Some(end - 1);
            at = end;
            match shape {
                Shape::Simple(mut simple) if !holds_final_stop || is_plain_ending => {
                    if is_plain_ending && simple.marks == end {
                        simple.marks -= 1;
                        simple.cut = simple.cut.min(simple.marks);
                    }
                    self.push(start, &simple, end);
                }
                _ => {
                    at = if holds_final_stop { sentence.end } else { end };
                    self.substitutions.cut(self.text, &sentence, start..at, &mut self.words);
                }
            }
        }
    }

    /// The next place from `at` on that is no white space.
    fn next_word(&self, mut at: usize, limit: usize) -> Option<usize> {
        let bytes = &self.text.as_bytes()[..limit];
        while bytes.get(at).is_some_and(|&byte| is_ascii_space(byte)) {
            at += 1;
        }
        match bytes.get(at)? {
            0x80.. => {
                let start = limit - python::strip_start(&self.text[at..limit]).len();
                (start < limit).then_some(start)
            }
            _ => Some(at),
        }
    }

    fn push(&mut self, start: usize, simple: &SimpleChunk, end: usize) {
        self.words.extend((start..simple.word).map(|mark| TreebankToken::Piece(mark..mark + 1)));
        for half in [simple.word..simple.cut, simple.cut..simple.marks] {
            if !half.is_empty() {
                self.words.push(TreebankToken::Piece(half));
            }
        }
        self.words.extend((simple.marks..end).map(|mark| TreebankToken::Piece(mark..mark + 1)));
    }

    /// The chunk that starts at `start`, which is no white space.
    fn chunk(&self, start: usize, limit: usize) -> Chunk {
        let bytes = &self.text.as_bytes()[..limit];
        let word = start + bytes[start..].iter().take_while(|byte| b"([$#@".contains(byte)).count();
        let mut at = word + letters(&bytes[word..]);
        let mut is_one_run = true;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => {}
                _ if is_ascii_space(byte) => break,
                b'-' | b'.' if bytes.get(at + 1) != Some(&byte) => is_one_run = false,
                b',' | b':' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => is_one_run = false,
                b'\'' if is_one_run => {
                    let Some((cut, length)) = clitic(bytes, word, at) else { return self.intricate(at, limit) };
                    return self.with_closing_marks(SimpleChunk { word, cut, marks: at + length }, limit);
                }
                b'!' | b'%' | b')' | b',' | b':' | b';' | b'?' | b']' => break,
                b'"' | b'#' | b'$' | b'&' | b'\'' | b'(' | b'*' | b'-' | b'.' | b'<' | b'>' | b'@' | b'[' | b'`'
                | b'{' | b'}' => return self.intricate(at, limit),
                0x80.. => match self.text[at..limit].chars().next() {
                    Some(character) if python::is_space(character) => break,
                    Some('«' | '“' | '‘' | '„' | '»' | '”' | '’' | 'ſ' | 'ı' | 'İ') | None => {
                        return self.intricate(at, limit);
                    }
                    Some(character) => {
                        is_one_run = false;
                        at += character.len_utf8() - 1;
                    }
                },
                _ => is_one_run = false,
            }
            at += 1;
        }
        let body = &bytes[word..at];
        if !is_one_run && (0..body.len()).any(|start| begins_with_contraction(&body[start..])) {
            return self.intricate(at, limit);
        }
        let cut = if is_contraction(body) { word + CONTRACTION_HEAD } else { at };
        self.with_closing_marks(SimpleChunk { word, cut, marks: at }, limit)
    }

    /// Reads the closing marks behind a word.
    fn with_closing_marks(&self, simple: SimpleChunk, limit: usize) -> Chunk {
        let bytes = &self.text.as_bytes()[..limit];
        let mut end = simple.marks;
        while let Some(&byte) = bytes.get(end) {
            match byte {
                _ if is_ascii_space(byte) => break,
                b'!' | b'%' | b')' | b';' | b'?' | b']' => {}
                b',' | b':' if bytes.get(end + 1).is_none_or(|&next| !next.is_ascii_digit() && next < 0x80) => {}
                // Behind another mark a full stop is cut off too, if it is the last.
                b'.' if end > simple.marks && bytes.get(end + 1).is_none_or(|&next| is_ascii_space(next)) => {}
                _ => return self.intricate(end, limit),
            }
            end += 1;
        }
        Chunk { end, shape: Shape::Simple(simple) }
    }

    fn intricate(&self, at: usize, limit: usize) -> Chunk {
        let rest = &self.text[at..limit];
        Chunk { end: at + rest.find(python::is_space).unwrap_or(rest.len()), shape: Shape::Intricate }
    }
}

/// How many ASCII letters and digits `bytes` start with.
fn letters(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(bytes.len())
}

/// For the apostrophe at `at` behind the letters from `word` on: where the word is cut, and how many bytes the
/// apostrophe and the letters behind it have. Only the clitics that are cut off, and only at the end of the word.
fn clitic(bytes: &[u8], word: usize, at: usize) -> Option<(usize, usize)> {
    let letters = letters(&bytes[at + 1..]);
    let (cut, behind) = match &bytes[at + 1..=at + letters] {
        b"s" | b"S" | b"m" | b"M" | b"d" | b"D" | b"ll" | b"LL" | b"re" | b"RE" | b"ve" | b"VE" => {
            (at, at + 1 + letters)
        }
        b"t" if bytes[word..at].ends_with(b"n") => (at - 1, at + 2),
        b"T" if bytes[word..at].ends_with(b"N") => (at - 1, at + 2),
        _ => return None,
    };
    let ends = bytes.get(behind).is_none_or(|&next| is_ascii_space(next) || b"!%),:;?]".contains(&next));
    (ends && cut > word && !is_contraction(&bytes[word..cut])).then_some((cut, behind - at))
}

/// All contractions without an apostrophe are cut after their third letter.
const CONTRACTION_HEAD: usize = 3;
const CONTRACTIONS: [&[u8]; 6] = [b"cannot", b"gimme", b"gonna", b"gotta", b"lemme", b"wanna"];

fn is_contraction(word: &[u8]) -> bool {
    matches!(word.len(), 5 | 6) && CONTRACTIONS.iter().any(|contraction| word.eq_ignore_ascii_case(contraction))
}

fn begins_with_contraction(bytes: &[u8]) -> bool {
    // Most positions are ruled out by their first letter.
    bytes.first().is_some_and(|byte| matches!(byte.to_ascii_lowercase(), b'c' | b'g' | b'l' | b'w'))
        && CONTRACTIONS.iter().any(|word| bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))
}

fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | 0x1c..=b' ')
}

/// Where the full stop stands that ends the sentence: behind it only closing quotes, brackets and spaces, before it
/// something other than a full stop.
fn final_full_stop(sentence: &str) -> Option<usize> {
    let closed = python::strip_end(sentence).trim_end_matches([']', ')', '}', '>', '"', '\'', '»', '”', '’', ' ']);
    let before = closed.strip_suffix('.')?;
    (!before.is_empty() && !before.ends_with('.')).then_some(before.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<String> {
        words(text).texts().map(str::to_owned).collect()
    }

    #[test]
    fn a_full_stop_is_cut_at_the_end_of_a_sentence_only() {
        assert_eq!(texts("He left. He came back."), ["He", "left", ".", "He", "came", "back", "."]);
        assert_eq!(texts("Dr. No (you know.)"), ["Dr.", "No", "(", "you", "know", ".", ")"]);
    }

    #[test]
    fn quotes_lead_back_to_where_they_stood() {
        let text = "He said \"no\" twice.";
        let words = words(text);
        assert_eq!(words.texts().collect::<Vec<_>>(), ["He", "said", "``", "no", "''", "twice", "."]);
        assert_eq!(words.get(2).unwrap().span, 8..9);
        assert_eq!(words.get(4).unwrap().span, 11..12);
    }

    #[test]
    fn contractions_hide_between_hyphens() {
        assert_eq!(texts("Cannot-do gonna, Wanna."), ["Can", "not", "-do", "gon", "na", ",", "Wan", "na", "."]);
    }

    #[test]
    fn keywords_are_alphanumeric_and_distinct() {
        let keywords = keywords("The U.S. can't sell 1,850 well-made Boats; boats float.");
        assert_eq!(keywords.texts().collect::<Vec<_>>(), ["ca", "sell", "boats", "float"]);
    }

    proptest! {
        #[test]
        fn words_are_in_order_and_lose_only_space(text in "[a-zA-Z.,:;?!'\"`()<>“”«» \n\té$%*-]{0,60}") {
            let mut end = 0;
            for word in words(&text).iter() {
                prop_assert!(word.span.start >= end);
                prop_assert!(text[end..word.span.start].chars().all(python::is_space));
                prop_assert!(word.text == &text[word.span.clone()] || matches!(word.text, "``" | "''"));
                end = word.span.end;
            }
            prop_assert!(text[end..].chars().all(python::is_space));
        }

        #[test]
        fn any_text_can_be_cut(text in "\\PC{0,60}") {
            for word in lower_words(&text).iter() {
                prop_assert!(text.get(word.span).is_some());
            }
        }
    }
}
