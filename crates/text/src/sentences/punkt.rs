//! The Punkt sentence splitter with NLTK's English model (NLTK 3.9.1), reduced to what decides.
//!
//! Kiss and Strunk, *Unsupervised Multilingual Sentence Boundary Detection*, 2006. The trained model is a list of
//! abbreviations, pairs of words that a full stop joins, and a table of 20,366 words with the cases they were seen in.
//! For lower-cased text that table shrinks to four words, so there the result equals NLTK's. For text with capitals the
//! table matters after abbreviations, initials and numbers; in its place stands a short list of function words that
//! start a sentence when they are capitalised. Other capitalised words count as unknown to the model, which then breaks
//! after a number but neither after an abbreviation nor after an initial.
//!
//! ```
//! use probare_text::sentences::punkt;
//!
//! let text = "dr. jones left at 5 p.m. on main st. it rained.";
//! let sentences: Vec<&str> = punkt::sentences(text).into_iter().map(|span| &text[span]).collect();
//! assert_eq!(sentences, ["dr. jones left at 5 p.m. on main st. it rained."]);
//! ```

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memchr3_iter;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::python;

/// What the model calls every number.
const NUMBER: &str = "#";

/// Byte ranges of the sentences of `text`, without the white space between them.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    probare_cancellation::count_steps(text.len());
    realign(text, &slices(text))
}

/// The trained model, and the function words that stand for its table of capitals.
struct Model {
    abbreviations: FxHashSet<&'static str>,
    together: FxHashMap<&'static str, Vec<&'static str>>,
    openers: FxHashSet<&'static str>,
    starters: FxHashSet<&'static str>,
}

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let mut model = Model {
        abbreviations: FxHashSet::default(),
        together: FxHashMap::default(),
        openers: FxHashSet::default(),
        starters: FxHashSet::default(),
    };
    for line in include_str!("../../data/punkt_english.txt").lines() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("abbreviation") => model.abbreviations.extend(words),
            Some("together") => {
                if let Some(first) = words.next() {
                    model.together.entry(first).or_default().extend(words);
                }
            }
            Some("opener") => model.openers.extend(words),
            Some("starter") => model.starters.extend(words),
            _ => {}
        }
    }
    model
});

/// A mark that may end a sentence.
#[derive(Clone, Copy)]
struct Candidate {
    /// Where the word that the mark ends begins.
    word: usize,
    mark: usize,
    after: CandidateContext,
}

/// What makes a mark a candidate.
#[derive(Clone, Copy)]
enum CandidateContext {
    /// Punctuation follows, which is one byte.
    Punctuation,
    /// White space follows, and a word that starts here.
    Word(usize),
}

/// Sentences as the marks delimit them, before closing quotes and brackets move.
fn slices(text: &str) -> Vec<Range<usize>> {
    let mut slices = Vec::new();
    let mut start = 0;
    let mut tokens = Vec::new();
    for_each_candidate(text, |candidate| {
        let behind = candidate.mark + 1;
        let (next, end) = match candidate.after {
            CandidateContext::Punctuation => (behind, behind + 1),
            CandidateContext::Word(next) => {
                (next, next + text[next..].find(python::is_space).unwrap_or(text.len() - next))
            }
        };
        // A question or exclamation mark is a token that breaks, and another token follows.
        let is_full_stop = text.as_bytes()[candidate.mark] == b'.';
        if !is_full_stop || breaks(&text[candidate.word..end], candidate.mark - candidate.word, &mut tokens) {
            slices.push(start..behind);
            start = next;
        }
    });
    slices.push(start..python::strip_end(text).len().max(start));
    slices
}

/// Calls `found` with the last candidate of each word, from left to right.
fn for_each_candidate(text: &str, mut found: impl FnMut(Candidate)) {
    let bytes = text.as_bytes();
    let mut previous: Option<Candidate> = None;
    let mut previous_word = 0..0;
    for mark in memchr3_iter(b'.', b'?', b'!', bytes) {
        let Some(after) = what_follows(text, mark + 1) else { continue };
        // The search for the start of the word looks back to the previous mark only, as NLTK's does; white space that
        // opens the text belongs to the first word.
        let gap = &bytes[previous_word.end..mark];
        let word = match gap.iter().rposition(|byte| matches!(byte, b' ' | b'\t'..=b'\r')) {
            Some(space) if space > 0 => previous_word.end + space + 1,
            _ => previous_word.start,
        };
        if let Some(candidate) = previous.filter(|_| previous_word.end <= word) {
            found(candidate);
        }
        previous = Some(Candidate { word, mark, after });
        previous_word = word..mark;
    }
    if let Some(candidate) = previous {
        found(candidate);
    }
}

/// What follows at `at`, if it makes a candidate of the mark before.
fn what_follows(text: &str, at: usize) -> Option<CandidateContext> {
    let first = text[at..].chars().next()?;
    if is_non_word(first) {
        return Some(CandidateContext::Punctuation);
    }
    if !python::is_space(first) {
        return None;
    }
    let rest = python::strip_start(&text[at..]);
    (!rest.is_empty()).then_some(CandidateContext::Word(text.len() - rest.len()))
}

/// Moves quotes and brackets that open a sentence but close the one before.
fn realign(text: &str, slices: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut sentences = Vec::with_capacity(slices.len());
    let mut moved = 0;
    for (index, slice) in slices.iter().enumerate() {
        let start = slice.start + moved;
        moved = 0;
        if let Some(following) = slices.get(index + 1) {
            let body = &text[following.clone()];
            let closers = body.bytes().take_while(|byte| b"\"')]}".contains(byte)).count();
            let rest = &body[closers..];
            let space = rest.len() - python::strip_start(rest).len();
            if closers > 0 && (rest.is_empty() || space > 0 || rest.starts_with("--")) {
                moved = closers + space;
                sentences.push(start..following.start + closers);
                continue;
            }
        }
        if start < slice.end {
            sentences.push(start..slice.end);
        }
    }
    sentences
}

/// A token of the words around a mark.
struct Token<'t> {
    text: &'t str,
    breaks: bool,
    abbreviation: bool,
    ellipsis: bool,
}

/// Whether some token of `context`, which has its full stop at `stop`, ends a sentence; the last token does not count.
fn breaks<'t>(context: &'t str, stop: usize, tokens: &mut Vec<Token<'t>>) -> bool {
    let (word, next) = (&context[..=stop], python::strip_start(&context[stop + 1..]));
    if is_plain(&word[..stop]) && is_plain(next) {
        // Two tokens, of which the first decides.
        let mut token = classify_token(word);
        reconsider(&mut token, &classify_token(next));
        return token.breaks;
    }
    tokens.clear();
    for line in context.split('\n') {
        tokenise(line, tokens);
    }
    for index in 1..tokens.len() {
        let (before, after) = tokens.split_at_mut(index);
        let (Some(token), Some(next)) = (before.last_mut(), after.first()) else { continue };
        reconsider(token, next);
        if token.breaks {
            return true;
        }
    }
    false
}

/// Whether `word` is made of ASCII letters and digits, so that it is one token.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Cuts a line into words and punctuation, with the first judgement of each.
fn tokenise<'t>(line: &'t str, tokens: &mut Vec<Token<'t>>) {
    let mut at = 0;
    while let Some(first) = line[at..].chars().next() {
        if python::is_space(first) {
            at += first.len_utf8();
            continue;
        }
        let end = if let Some(length) = run_length(&line[at..]) {
            at + length
        } else if may_start_word(first) {
            word_end(line, at + first.len_utf8())
        } else {
            at + first.len_utf8()
        };
        tokens.push(classify_token(&line[at..end]));
        at = end;
    }
}

/// End of a word whose first character ends at `at`.
fn word_end(line: &str, mut at: usize) -> usize {
    let ends = |rest: &str| {
        rest.chars().next().is_none_or(|c| python::is_space(c) || is_non_word(c)) || run_length(rest).is_some()
    };
    while let Some(character) = line[at..].chars().next() {
        let rest = &line[at..];
        if ends(rest) || (character == ',' && ends(&rest[1..])) {
            break;
        }
        at += character.len_utf8();
    }
    at
}

/// Length of the run of dashes, dots, or dots with spaces between them at the start of `rest`.
fn run_length(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let first = *bytes.first()?;
    if first != b'-' && first != b'.' {
        return None;
    }
    let run = bytes.iter().take_while(|&&byte| byte == first).count();
    if run >= 2 {
        return Some(run);
    }
    if first == b'-' {
        return None;
    }
    // At least three dots with one space after each but the last.
    let mut dots = 1;
    let mut end = 1;
    loop {
        let mut after = rest[end..].chars();
        match (after.next(), after.next()) {
            (Some(space), Some('.')) if python::is_space(space) => {
                dots += 1;
                end += space.len_utf8() + 1;
            }
            _ => break,
        }
    }
    (dots >= 3).then_some(end)
}

/// Characters that no word holds.
fn is_non_word(character: char) -> bool {
    matches!(character, ')' | '"' | ';' | '}' | ']' | '*' | ':' | '@' | '\'' | '(' | '{' | '[' | '!' | '?')
}

fn may_start_word(character: char) -> bool {
    !matches!(character, '(' | '"' | '`' | '{' | '[' | ':' | ';' | '&' | '#' | '*' | '@' | ')' | '}' | ']' | '-' | ',')
}

/// First judgement: by the token alone.
fn classify_token(text: &str) -> Token<'_> {
    let mut token = Token { text, breaks: false, abbreviation: false, ellipsis: false };
    if matches!(text, "." | "?" | "!") {
        token.breaks = true;
    } else if text.len() >= 2 && text.bytes().all(|byte| byte == b'.') {
        token.ellipsis = true;
    } else if let Some(stem) = text.strip_suffix('.').filter(|stem| !stem.ends_with('.')) {
        let stem = lower_case(stem);
        let last_part = stem.rsplit('-').next().unwrap_or(&stem);
        token.abbreviation = MODEL.abbreviations.contains(stem.as_ref()) || MODEL.abbreviations.contains(last_part);
        token.breaks = !token.abbreviation;
    }
    token
}

/// Second judgement: a token that ends in a full stop, in view of the next.
fn reconsider(token: &mut Token<'_>, next: &Token<'_>) {
    if !token.text.ends_with('.') {
        return;
    }
    let kind = kind(token.text, true);
    let next_kind = self::kind(next.text, next.breaks);
    if MODEL.together.get(kind.as_ref()).is_some_and(|words| words.contains(&next_kind.as_ref())) {
        token.breaks = false;
        return;
    }
    let initial = is_initial(token.text);
    let starts = starts_sentence(next.text, &next_kind);
    if (token.abbreviation || token.ellipsis) && !initial && starts == Some(true) {
        token.breaks = true;
        return;
    }
    if initial || kind == NUMBER {
        let perhaps_a_name = initial && starts.is_none() && begins(next.text, python::is_upper);
        if starts == Some(false) || perhaps_a_name {
            token.breaks = false;
        }
    }
}

/// Whether the spelling of a word says that it starts a sentence; `None` when it does not tell.
fn starts_sentence(text: &str, kind: &str) -> Option<bool> {
    if matches!(text, ";" | ":" | "," | "." | "!" | "?") {
        return Some(false);
    }
    if begins(text, python::is_upper) {
        let in_lower_case_elsewhere = MODEL.starters.contains(kind) || MODEL.openers.contains(kind);
        return in_lower_case_elsewhere.then_some(true);
    }
    (begins(text, python::is_lower) && !MODEL.openers.contains(kind)).then_some(false)
}

fn begins(text: &str, class: fn(char) -> bool) -> bool {
    text.chars().next().is_some_and(class)
}

/// One letter and a full stop. Anything of `\w` but decimal digits is a letter here.
fn is_initial(text: &str) -> bool {
    let mut characters = text.chars();
    let letter = characters.next().is_some_and(|c| python::is_word(c) && !python::is_decimal(c));
    letter && characters.as_str() == "."
}

/// The word as the model knows it: in lower case, numbers all alike, the final full stop removed if asked.
fn kind(text: &str, without_full_stop: bool) -> Cow<'_, str> {
    if is_number(text) {
        return Cow::Borrowed(NUMBER);
    }
    let without = match text.strip_suffix('.') {
        Some(stem) if without_full_stop && !stem.is_empty() => stem,
        _ => text,
    };
    lower_case(without)
}

/// `-?[.,]?\d[\d,.-]*\.?`, the whole token.
fn is_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let text = text.strip_prefix(['.', ',']).unwrap_or(text);
    let mut characters = text.chars();
    characters.next().is_some_and(python::is_decimal)
        && characters.all(|c| python::is_decimal(c) || matches!(c, ',' | '.' | '-'))
}

fn lower_case(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte >= 0x80 || byte.is_ascii_uppercase()) {
        Cow::Owned(python::lower(text))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(split("").is_empty());
        assert!(split(" \n ").is_empty());
    }

    #[test]
    fn capitals_after_numbers_break_and_initials_do_not() {
        assert_eq!(split("It was 1992. Denmark won."), ["It was 1992.", "Denmark won."]);
        assert_eq!(split("By J. Smith. Fine."), ["By J. Smith.", "Fine."]);
        assert_eq!(split("He met Dr. Jones. She left."), ["He met Dr. Jones.", "She left."]);
    }

    #[test]
    fn function_words_start_a_sentence_after_an_abbreviation() {
        assert_eq!(split("We moved to the U.S. The house is big."), ["We moved to the U.S.", "The house is big."]);
        assert_eq!(split("We met at the U.S. Embassy."), ["We met at the U.S. Embassy."]);
    }

    #[test]
    fn closing_quotes_stay_with_their_sentence() {
        assert_eq!(split("\"stop.\" he said. (really.) ok?"), ["\"stop.\"", "he said.", "(really.)", "ok?"]);
    }

    #[test]
    fn spaced_dots_are_one_token() {
        assert_eq!(run_length(". . . x"), Some(5));
        assert_eq!(run_length(". . x"), None);
        assert_eq!(run_length("--- x"), Some(3));
        assert_eq!(run_length("- x"), None);
    }

    #[test]
    fn numbers_have_one_kind() {
        for text in ["3", "3.", "-.5", "1,850.", "2019-20"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", "-", ".", "3rd", "a3", "--3"] {
            assert!(!is_number(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn sentences_are_in_order_and_lose_only_space(text in "[a-zA-Z0-9.?!,'\") \n—é-]{0,80}") {
            let mut end = 0;
            for span in sentences(&text) {
                prop_assert!(span.start >= end && span.end <= text.len());
                prop_assert!(text[end..span.start].chars().all(python::is_space));
                end = span.end;
            }
            prop_assert!(text[end..].chars().all(python::is_space));
        }
    }
}
