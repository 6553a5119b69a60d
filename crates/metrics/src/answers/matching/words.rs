//! Words of a short text in the form in which they are compared, each with its bytes and with what stands before it.
//!
//! Case, accents, inner apostrophes and possessive endings go, thousands commas too; `U.S.` is one word and `J. K.` are
//! two. What is lost in folding and matters later is kept beside the word: capitals, and whether a comma, a clause or a
//! sentence ended before it.

use std::ops::Range;

use probare_text::normalise::normalise;

/// What separates a word from the one before, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WordGap {
    /// A hyphen or nothing.
    Joint,
    /// White space.
    Space,
    /// A comma.
    Comma,
    /// A semicolon, colon, dash or bracket.
    Clause,
    /// The end of a sentence.
    Sentence,
}

/// One word.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a word, each asked for by itself")]
pub(crate) struct AnswerWord {
    /// Folded form.
    pub text: String,
    /// Bytes in the text as given.
    pub span: Range<usize>,
    /// What stands before it; `Sentence` for the first word.
    pub gap: WordGap,
    /// Whether it starts with a capital.
    pub is_capitalised: bool,
    /// Whether all its letters are capitals.
    pub is_upper: bool,
    /// Whether it stands in round brackets.
    pub is_bracketed: bool,
    /// Whether letters with full stops were joined.
    pub is_dotted: bool,
}

impl AnswerWord {
    /// Whether it is a number in digits, perhaps with an ending (`5th`, `1960s`).
    pub fn starts_with_digit(&self) -> bool {
        self.text.as_bytes().first().is_some_and(u8::is_ascii_digit)
    }

    /// Whether it could be a part of a name where it stands: a capital that the start of a sentence does not explain.
    pub fn is_name_like(&self) -> bool {
        self.is_capitalised && !super::lexicon::is_function_word(&self.text)
    }
}

/// The words of a text, in order.
pub(crate) fn answer_words(text: &str) -> Vec<AnswerWord> {
    let mut reader =
        Reader { text, at: 0, gap: WordGap::Sentence, depth: 0, found: Vec::with_capacity(text.len() / 5 + 1) };
    while let Some(character) = reader.peek() {
        probare_cancellation::count_steps(1);
        if is_letter(character) {
            reader.word();
        } else {
            reader.separator(character);
        }
    }
    reader.found
}

fn is_letter(character: char) -> bool {
    character.is_alphanumeric() && !is_apostrophe(character)
}

/// Apostrophes, the Hawaiian letter among them, which most writers leave out.
fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '’' | '‘' | 'ʼ' | 'ʻ' | '´' | '`')
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    gap: WordGap,
    depth: u32,
    found: Vec<AnswerWord>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn widen(&mut self, gap: WordGap) {
        self.gap = self.gap.max(gap);
    }

    fn separator(&mut self, character: char) {
        let start = self.at;
        self.at += character.len_utf8();
        match character {
            '%' => self.push("percent".into(), start, false),
            '&' => self.push("and".into(), start, false),
            ',' => self.widen(WordGap::Comma),
            '(' => {
                self.depth += 1;
                self.widen(WordGap::Clause);
            }
            ')' => {
                self.depth = self.depth.saturating_sub(1);
                self.widen(WordGap::Clause);
            }
            ';' | ':' | '—' | '–' | '…' | '[' | ']' | '|' => self.widen(WordGap::Clause),
            '?' | '!' | '\n' | '。' => self.widen(WordGap::Sentence),
            '.' if self.ends_sentence() => self.widen(WordGap::Sentence),
            '.' if self.rest().starts_with("..") => self.widen(WordGap::Clause),
            '-' | '‐' | '‑' | '/' => {}
            _ => self.widen(WordGap::Space),
        }
    }

    /// Whether the full stop just read ends a sentence: white space and then no small letter, or the end.
    fn ends_sentence(&self) -> bool {
        let is_abbreviation = self.found.last().is_some_and(|word| {
            word.span.end + 1 == self.at
                && (word.is_dotted
                    || (word.text.len() == 1 && word.is_upper)
                    || super::lexicon::is_abbreviated(&word.text))
        });
        let mut after = self.rest().chars();
        !is_abbreviation
            && match after.next() {
                None => true,
                Some(next) if next.is_whitespace() => {
                    !after.find(|character| !character.is_whitespace()).is_some_and(char::is_lowercase)
                }
                Some(next) => matches!(next, '"' | '”' | '’' | '[' | ')'),
            }
    }

    fn word(&mut self) {
        let start = self.at;
        let mut is_dotted = false;
        let mut letters = 0_usize;
        let mut before = ' ';
        let mut end = start;
        while let Some(character) = self.text[end..].chars().next() {
            probare_cancellation::count_steps(1);
            let next_at = end + character.len_utf8();
            let mut after = self.text[next_at..].chars();
            let (next, second) = (after.next(), after.next());
            let next_is_letter = next.is_some_and(is_letter);
            let goes_on = if is_letter(character) {
                letters += 1;
                true
            } else if is_apostrophe(character) {
                // What follows `'s` belongs to another word: the ending is dropped.
                let is_possessive = matches!(next, Some('s' | 'S')) && !second.is_some_and(is_letter);
                next_is_letter && !is_possessive
            } else if character == ',' {
                let digits = self.text[next_at..].bytes().take_while(u8::is_ascii_digit).count();
                before.is_ascii_digit() && digits == 3
            } else if character == '.' {
                let is_initial = letters == 1 && before.is_alphabetic() || is_dotted;
                let joins = is_initial && next.is_some_and(char::is_alphabetic) && !second.is_some_and(is_letter);
                is_dotted |= joins;
                joins || (before.is_ascii_digit() && next.is_some_and(|digit| digit.is_ascii_digit()))
            } else {
                is_mark(character)
            };
            if !goes_on {
                break;
            }
            before = character;
            end = next_at;
        }
        self.at = end;
        let folded = fold(&self.text[start..end]);
        let possessive = self.rest();
        let mut rest = possessive.chars();
        if rest.next().is_some_and(is_apostrophe) && matches!(rest.next(), Some('s' | 'S')) {
            self.at += possessive.len() - rest.as_str().len();
        }
        if folded.is_empty() {
            self.widen(WordGap::Space);
        } else {
            self.push(folded, start, is_dotted);
            if let Some(word) = self.found.last_mut() {
                word.span.end = end;
            }
        }
    }

    fn push(&mut self, text: String, start: usize, is_dotted: bool) {
        let source = &self.text[start..self.at];
        let mut letters = source.chars().filter(|character| character.is_alphabetic()).peekable();
        let is_capitalised = source.chars().next().is_some_and(char::is_uppercase);
        let is_upper = letters.peek().is_some() && letters.all(char::is_uppercase);
        let gap = if self.found.is_empty() { WordGap::Sentence } else { self.gap };
        let is_bracketed = self.depth > 0;
        self.found.push(AnswerWord {
            text,
            span: start..self.at,
            gap,
            is_capitalised,
            is_upper,
            is_bracketed,
            is_dotted,
        });
        self.gap = WordGap::Joint;
    }
}

fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

/// Lower case, no accents, no commas, no apostrophes.
fn fold(word: &str) -> String {
    if word.is_ascii() {
        let bytes = word.bytes().filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'.');
        let is_number = word.as_bytes().first().is_some_and(u8::is_ascii_digit);
        return bytes
            .filter(|byte| is_number || *byte != b'.')
            .map(|byte| char::from(byte.to_ascii_lowercase()))
            .collect();
    }
    let mut folded = normalise(word);
    folded.retain(|character| character != ' ' && !is_apostrophe(character));
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        answer_words(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn words_are_folded_and_lead_back() {
        let text = "The U.S. had 7,800 of Ibsen's cafés; J. K. O’Brien-Smith, 2.5%";
        let found = answer_words(text);
        let folded: Vec<&str> = found.iter().map(|word| word.text.as_str()).collect();
        let expected =
            ["the", "us", "had", "7800", "of", "ibsen", "cafes", "j", "k", "obrien", "smith", "2.5", "percent"];
        assert_eq!(folded, expected);
        assert_eq!(&text[found[6].span.clone()], "cafés");
        assert_eq!(&text[found[3].span.clone()], "7,800");
        assert_eq!(found[7].gap, WordGap::Clause);
        assert_eq!(found[10].gap, WordGap::Joint);
    }

    #[test]
    fn sentences_end_where_a_reader_sees_it() {
        let gaps = |text: &str| answer_words(text).iter().filter(|word| word.gap == WordGap::Sentence).count();
        assert_eq!(gaps("It was J. K. Rowling. She wrote it."), 2);
        assert_eq!(gaps("Dr. No went to St. Louis in the U.S. again"), 1);
        assert_eq!(gaps("Paris.\nOr not"), 2);
    }

    #[test]
    fn odd_texts_give_words_or_none() {
        assert!(texts("").is_empty());
        assert!(texts("… — '").is_empty());
        assert_eq!(texts("CO₂ Hawaiʻi Jason 's"), ["co2", "hawaii", "jason", "s"]);
        assert_eq!(texts("\u{1fd}ø"), ["aeo"]);
    }
}
