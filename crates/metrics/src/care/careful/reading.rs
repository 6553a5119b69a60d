//! [`Reading`]: a text as the `careful` rules see it: sentences of words in lower case, with straight apostrophes, single
//! spaces and written-out chat spellings, each word leading back to its bytes; quotations and code are set apart.

use std::ops::Range;

use super::classes::{Class, Classes, Known, known};

/// A word or a mark of punctuation.
#[derive(Debug, Clone)]
pub(super) struct Token {
    /// Its bytes in [`Reading::text`].
    pub at: Range<usize>,
    /// Its bytes in the text as given.
    pub origin: Range<usize>,
    /// What sort of word it is; nothing for punctuation.
    pub classes: Classes,
    /// Whether it is a word.
    pub is_word: bool,
    /// Whether it stands in a quotation or in code.
    pub apart: bool,
    /// Whether it begins with a capital.
    pub is_capital: bool,
}

/// A sentence, a heading or an item of a list.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    /// Its tokens.
    pub tokens: Range<usize>,
    /// Its bytes in [`Reading::text`].
    pub at: Range<usize>,
    /// Whether it ends in a question mark.
    pub is_question: bool,
    /// Whether it is an item of a list or a row of a table.
    pub is_item: bool,
}

/// A text that has been read.
#[derive(Debug, Clone, Default)]
pub(super) struct Reading {
    /// The normalised text, one sentence a line.
    pub text: String,
    pub tokens: Vec<Token>,
    pub sentences: Vec<Sentence>,
}

/// Most tokens of a sentence; a longer one is cut, so that no rule that looks around in it takes time beyond the length
/// of the text.
const LONGEST: usize = 200;

/// Abbreviations whose full stop ends no sentence; single letters are the last ones of "e.g." and "i.e.".
const ABBREVIATIONS: [&str; 9] = ["dr", "mr", "mrs", "ms", "vs", "g", "e", "st", "prof"];

impl Reading {
    /// Reads a text.
    pub(super) fn of(original: &str) -> Self {
        let apart = set_apart(original);
        // A word and its space take five bytes or six; grown by doubling, the lists would be copied time and again.
        let reading = Self {
            text: String::with_capacity(original.len() + 16),
            tokens: Vec::with_capacity(original.len() / 5 + 8),
            sentences: Vec::with_capacity(4),
        };
        let mut reader = Reader { reading, word: String::new(), first: 0, apart, passed: 0, item: false };
        reader.read(original);
        reader.reading
    }

    /// The word of a token, in its normalised form; the empty text past the end.
    #[inline]
    pub(super) fn word(&self, token: usize) -> &str {
        self.tokens.get(token).map_or("", |token| &self.text[token.at.clone()])
    }

    /// Whether the token is of one of these classes.
    #[inline]
    pub(super) fn is(&self, token: usize, class: Class) -> bool {
        self.tokens.get(token).is_some_and(|token| token.classes.has(class))
    }

    /// The bytes of the original from one token to another, both included.
    pub(super) fn origin(&self, from: usize, to: usize) -> Range<usize> {
        match (self.tokens.get(from), self.tokens.get(to)) {
            (Some(first), Some(last)) => first.origin.start..last.origin.end.max(first.origin.start),
            _ => 0..0,
        }
    }

    /// The token that holds or follows this byte of the normalised text.
    pub(super) fn token_at(&self, byte: usize) -> usize {
        self.tokens.partition_point(|token| token.at.end <= byte)
    }

    /// Whether a word inside a sentence is written with a capital, as names are.
    pub(super) fn is_capital_inside(&self, sentence: &Sentence, token: usize) -> bool {
        token > sentence.tokens.start && self.tokens[token].is_capital
    }
}

struct Reader {
    reading: Reading,
    /// The word that is being read, in its normalised form.
    word: String,
    /// First token of the sentence that is being read.
    first: usize,
    /// Quotations and code, in order.
    apart: Vec<Range<usize>>,
    /// How many of them have been passed.
    passed: usize,
    item: bool,
}

impl Reader {
    fn read(&mut self, original: &str) {
        let mut at = 0;
        let mut spaced = false;
        let mut line_start = true;
        while let Some(&byte) = original.as_bytes().get(at) {
            if byte == b' ' {
                spaced = true;
                at += 1;
                continue;
            }
            let Some(character) = original[at..].chars().next() else { break };
            let next = at + character.len_utf8();
            if character.is_alphanumeric() {
                let end = word_end(original, at);
                let begins_line = line_start;
                self.push_word(&original[at..end], at..end, spaced);
                spaced = false;
                line_start = false;
                at = end;
                if begins_line
                    && original[at..].starts_with(['.', ')'])
                    && original[..at].ends_with(|c: char| c.is_ascii_digit())
                {
                    // The number of a list item ends no sentence.
                    self.item = true;
                    at += 1;
                }
                continue;
            }
            if character == '\n' || character == '\r' || character == '\u{2028}' || character == '\u{2029}' {
                self.end_sentence(false);
                line_start = true;
                spaced = false;
            } else if character.is_whitespace() || character == '\u{feff}' {
                spaced = true;
            } else if matches!(character, '*' | '#' | '_' | '`' | '~' | '\u{200b}' | '\u{200d}') {
                // Marks of Markdown are no part of the wording.
            } else if line_start && matches!(character, '-' | '•' | '|' | '>') {
                self.item = true;
            } else {
                self.push(character, at..next, spaced);
                spaced = false;
                line_start = false;
                if matches!(character, '.' | '!' | '?' | '…') && self.ends_here(original, next, character) {
                    self.end_sentence(false);
                }
            }
            at = next;
        }
        self.end_sentence(true);
    }

    /// Whether a full stop, exclamation or question mark ends the sentence: what follows is a space, the end, or a closing
    /// mark, and what precedes is no abbreviation.
    fn ends_here(&self, original: &str, next: usize, character: char) -> bool {
        let follows = original[next..].chars().next();
        let closes = follows.is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '”' | '’' | '\'' | ')' | '*' | '»'));
        if !closes {
            return false;
        }
        let count = self.reading.tokens.len();
        character != '.' || count < 2 || !ABBREVIATIONS.contains(&self.reading.word(count - 2))
    }

    fn push_word(&mut self, written: &str, origin: Range<usize>, spaced: bool) {
        let mut word = std::mem::take(&mut self.word);
        word.clear();
        if written.is_ascii() {
            word.push_str(written);
            word.make_ascii_lowercase();
        } else {
            let plain = |c: char| if matches!(c, '’' | 'ʼ' | '‘') { '\'' } else { c };
            word.extend(written.chars().flat_map(char::to_lowercase).map(plain));
        }
        while word.ends_with('\'') {
            word.pop();
        }
        let Known { classes, stands_for } = known(&word);
        match stands_for {
            None => {
                let is_capital = written.starts_with(char::is_uppercase);
                self.push_text(&word, origin, spaced, Some((classes, is_capital)));
            }
            Some(long) => {
                for (number, part) in long.split(' ').enumerate() {
                    let classes = known(part).classes;
                    self.push_text(part, origin.clone(), spaced || number > 0, Some((classes, false)));
                }
            }
        }
        self.word = word;
    }

    fn push(&mut self, character: char, origin: Range<usize>, spaced: bool) {
        let plain = match character {
            '’' | 'ʼ' | '‘' => '\'',
            '“' | '”' | '„' | '«' | '»' => '"',
            '—' | '–' => '-',
            other => other,
        };
        let mut buffer = [0; 4];
        self.push_text(plain.encode_utf8(&mut buffer), origin, spaced, None);
    }

    /// Appends a token; of a word, its classes are given and whether it has a capital.
    fn push_text(&mut self, word: &str, origin: Range<usize>, spaced: bool, of_word: Option<(Classes, bool)>) {
        let reading = &mut self.reading;
        if spaced && reading.tokens.len() > self.first {
            reading.text.push(' ');
        }
        let start = reading.text.len();
        reading.text.push_str(word);
        while self.apart.get(self.passed).is_some_and(|range| range.end <= origin.start) {
            self.passed += 1;
        }
        let apart = self.apart.get(self.passed).is_some_and(|range| range.start <= origin.start);
        let is_word = of_word.is_some();
        let (classes, is_capital) = of_word.unwrap_or_default();
        let length = reading.tokens.len() - self.first;
        reading.tokens.push(Token { at: start..reading.text.len(), origin, classes, is_word, apart, is_capital });
        if length >= LONGEST {
            self.end_sentence(false);
        }
    }

    fn end_sentence(&mut self, last: bool) {
        let reading = &mut self.reading;
        let tokens = self.first..reading.tokens.len();
        let item = std::mem::take(&mut self.item);
        if tokens.is_empty() {
            return;
        }
        if !reading.tokens[tokens.clone()].iter().any(|token| token.is_word) && !reading.sentences.is_empty() {
            // A closing mark that stands alone belongs to the sentence before it.
            let end = reading.text.len();
            if let Some(sentence) = reading.sentences.last_mut() {
                sentence.tokens.end = tokens.end;
                sentence.at.end = end;
            }
        } else {
            let at = reading.tokens[tokens.start].at.start..reading.text.len();
            let is_question = reading.tokens[tokens.clone()]
                .iter()
                .rev()
                .find(|token| !token.is_word)
                .is_some_and(|token| &reading.text[token.at.clone()] == "?")
                && reading.text[at.clone()].trim_end_matches(['"', '\'', ')']).ends_with('?');
            reading.sentences.push(Sentence { tokens: tokens.clone(), at, is_question, is_item: item });
        }
        self.first = tokens.end;
        if !last {
            reading.text.push('\n');
        }
    }
}

/// Where the word ends that starts at `start`: letters and digits, apostrophes and hyphens between them, and a decimal
/// point or comma between digits.
fn word_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = start;
    loop {
        // Plain letters need no decoding.
        while bytes.get(end).is_some_and(u8::is_ascii_alphanumeric) {
            end += 1;
        }
        let mut characters = text[end..].chars();
        let Some(character) = characters.next() else { return end };
        let follows = |test: fn(char) -> bool| characters.as_str().starts_with(test);
        let joins = match character {
            '\'' | '’' | '-' => follows(char::is_alphanumeric),
            '.' | ',' => {
                text[start..end].ends_with(|c: char| c.is_ascii_digit()) && follows(|next| next.is_ascii_digit())
            }
            // The modifier letter apostrophe is a letter.
            letter => letter.is_alphanumeric(),
        };
        if !joins {
            return end;
        }
        end += character.len_utf8();
    }
}

/// The ranges of quotations and code, in order and without overlap. A quotation mark without its counterpart in the same
/// line sets nothing apart.
fn set_apart(text: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    // Most texts are ASCII, where two of the marks can stand.
    let ascii = text.is_ascii();
    let next_mark = |rest: &str| {
        if ascii {
            memchr::memchr2(b'`', b'"', rest.as_bytes())
        } else {
            rest.find(['`', '"', '“', '„', '«', '‘'])
        }
    };
    while let Some(offset) = next_mark(&text[at..]) {
        let start = at + offset;
        let rest = &text[start..];
        let end = match rest.strip_prefix("```") {
            Some(code) => Some(code.find("```").map_or(text.len(), |close| start + 3 + close + 3)),
            None => closing(rest).map(|length| start + length),
        };
        match end {
            Some(end) => {
                ranges.push(start..end);
                at = end;
            }
            None => at = start + rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    ranges
}

/// Length of the quotation or code that opens a text, up to and with its closing mark.
fn closing(rest: &str) -> Option<usize> {
    let mut characters = rest.chars();
    let open = characters.next()?;
    let inner = characters.as_str();
    let line = inner.split('\n').next().unwrap_or(inner);
    let close = match open {
        '`' => line.find('`').map(|at| at + 1),
        '"' => line.find(['"', '”']).map(|at| at + mark_length(line, at)),
        '“' | '„' => line.find(['”', '"', '“']).map(|at| at + mark_length(line, at)),
        '«' => line.find('»').map(|at| at + mark_length(line, at)),
        // An apostrophe within a word closes nothing.
        '‘' => line
            .match_indices('’')
            .find(|(at, mark)| !line[at + mark.len()..].starts_with(char::is_alphanumeric))
            .map(|(at, mark)| at + mark.len()),
        _ => None,
    };
    close.map(|length| open.len_utf8() + length)
}

fn mark_length(line: &str, at: usize) -> usize {
    line[at..].chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(text: &str) -> Vec<String> {
        let reading = Reading::of(text);
        reading.sentences.iter().map(|sentence| reading.text[sentence.at.clone()].trim().to_owned()).collect()
    }

    #[test]
    fn sentences_are_normalised() {
        assert_eq!(sentences("You’ll  be fine.\nDon't\tpanic!"), ["you'll be fine.", "don't panic!"]);
        assert_eq!(
            sentences("Dr. Who paid 3.50 e.g. twice. u dont know"),
            ["dr. who paid 3.50 e.g. twice.", "you don't know"]
        );
        assert_eq!(sentences("1. One\n2. Two"), ["1 one", "2 two"]);
        assert_eq!(sentences("**Bold** and `code`"), ["bold and code"]);
    }

    #[test]
    fn quotations_and_code_are_set_apart() {
        let reading = Reading::of("He said “you must” and \"go\". Run `rm you`, you. 5\" wide");
        let apart: Vec<&str> = (0..reading.tokens.len())
            .filter(|&token| reading.tokens[token].apart && reading.tokens[token].is_word)
            .map(|token| reading.word(token))
            .collect();
        assert_eq!(apart, ["you", "must", "go", "rm", "you"]);
    }

    #[test]
    fn tokens_lead_back_to_their_bytes() {
        let text = "É: “Ça va?” — YOU’RE";
        let reading = Reading::of(text);
        let last = reading.tokens.last().unwrap();
        assert_eq!(&text[last.origin.clone()], "YOU’RE");
        assert_eq!(reading.word(reading.tokens.len() - 1), "you're");
    }

    #[test]
    fn questions_are_seen() {
        let reading = Reading::of("Is it? No. \"Why?\" Well (really?)");
        let questions: Vec<bool> = reading.sentences.iter().map(|sentence| sentence.is_question).collect();
        assert_eq!(questions, [true, false, true, true]);
    }
}
