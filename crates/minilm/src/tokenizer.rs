//! [`Tokenizer`]: the `WordPiece` of uncased BERT, as the tokenizer of all-MiniLM-L6-v2 is set.
//!
//! Control characters are dropped, accents are stripped, everything is lower case; words end at white space, and every
//! sign of punctuation and every Chinese character is a word of its own. A word is cut greedily into the longest pieces
//! that the vocabulary knows; a word that cannot be cut, or has more than a hundred characters, is `[UNK]`. What stands
//! behind the 256th token is not read.
//!
//! Devlin, Chang, Lee, Toutanova: BERT, NAACL 2019. Token ids equal those of Hugging Face `tokenizers`.

use std::collections::HashMap;

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

/// Most tokens of a text, the first and the last mark included.
pub const MAX_TOKENS: usize = 256;

/// Most characters of a word that is looked up.
const LONGEST_WORD: usize = 100;

/// Marks that stand for themselves where a text holds them.
const SPECIAL_TOKENS: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/// Cuts texts into the tokens of a vocabulary.
#[derive(Debug, Clone)]
pub struct Tokenizer {
    /// Pieces that begin a word.
    beginnings: HashMap<String, u32>,
    /// Pieces that go on with one, without their `##`.
    continuations: HashMap<String, u32>,
    /// Bytes of the longest piece.
    longest_piece: usize,
    unknown: u32,
    first: u32,
    last: u32,
    marks: [u32; SPECIAL_TOKENS.len()],
}

impl Tokenizer {
    /// Reads a vocabulary of one piece a line. The reason where a mark is missing.
    pub fn new(vocabulary: &str) -> Result<Self, String> {
        let (mut beginnings, mut continuations) = (HashMap::new(), HashMap::new());
        let mut longest_piece = 0;
        for (number, line) in vocabulary.lines().enumerate() {
            let piece = line.trim_end();
            let id = u32::try_from(number).map_err(|_| "it has too many lines".to_owned())?;
            longest_piece = longest_piece.max(piece.len());
            match piece.strip_prefix("##").filter(|rest| !rest.is_empty()) {
                Some(rest) => continuations.insert(rest.to_owned(), id),
                None => beginnings.insert(piece.to_owned(), id),
            };
        }
        let mut marks = [0; SPECIAL_TOKENS.len()];
        for (id, mark) in marks.iter_mut().zip(SPECIAL_TOKENS) {
            *id = *beginnings.get(mark).ok_or_else(|| format!("it has no line `{mark}`"))?;
        }
        let [_, unknown, first, last, _] = marks;
        Ok(Self { beginnings, continuations, longest_piece, unknown, first, last, marks })
    }

    /// Pieces of the vocabulary: one more than the largest id.
    pub fn size(&self) -> usize {
        let ids = self.beginnings.values().chain(self.continuations.values());
        ids.max().map_or(0, |id| *id as usize + 1)
    }

    /// The tokens of a text between the marks of its beginning and its end, [`MAX_TOKENS`] at most.
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        let mut tokens = TokenBuilder { tokenizer: self, ids: vec![self.first], word: Word::default() };
        let mut rest = text;
        while !rest.is_empty() && !tokens.is_full() {
            let next =
                SPECIAL_TOKENS.iter().zip(self.marks).filter_map(|(mark, id)| Some((rest.find(mark)?, *mark, id)));
            let (end, mark, id) = match next.min_by_key(|(at, ..)| *at) {
                Some((at, mark, id)) => (at, mark, Some(id)),
                None => (rest.len(), "", None),
            };
            tokens.push_text(rest.get(..end).unwrap_or_default());
            tokens.push(id);
            rest = rest.get(end + mark.len()..).unwrap_or_default();
        }
        tokens.ids.truncate(MAX_TOKENS - 1);
        tokens.ids.push(self.last);
        tokens.ids
    }
}

/// Tokens of a text so far.
struct TokenBuilder<'a> {
    tokenizer: &'a Tokenizer,
    ids: Vec<u32>,
    word: Word,
}

/// A word that is being read.
#[derive(Default)]
struct Word {
    text: String,
    characters: usize,
}

impl TokenBuilder<'_> {
    fn is_full(&self) -> bool {
        self.ids.len() >= MAX_TOKENS - 1
    }

    fn push(&mut self, id: Option<u32>) {
        self.ids.extend(id);
    }

    /// The tokens of a text without marks.
    fn push_text(&mut self, text: &str) {
        let kept = text.chars().filter(|character| !is_dropped(*character));
        let bare = kept.nfd().filter(|character| category(*character) != GeneralCategory::NonspacingMark);
        for character in bare.flat_map(char::to_lowercase) {
            if character.is_whitespace() {
                self.end_word();
            } else if is_chinese(character) || is_punctuation(character) {
                self.end_word();
                self.letter(character);
                self.end_word();
            } else {
                self.letter(character);
            }
            if self.is_full() {
                return;
            }
        }
        self.end_word();
    }

    fn letter(&mut self, character: char) {
        self.word.characters += 1;
        if self.word.characters <= LONGEST_WORD {
            self.word.text.push(character);
        }
    }

    /// Cuts the word that was read into pieces.
    fn end_word(&mut self) {
        let Word { text, characters } = std::mem::take(&mut self.word);
        if characters == 0 {
            return;
        }
        let before = self.ids.len();
        if characters > LONGEST_WORD || !self.cut(&text) {
            self.ids.truncate(before);
            self.ids.push(self.tokenizer.unknown);
        }
    }

    /// Adds the pieces of a word; whether it could be cut to its end.
    fn cut(&mut self, word: &str) -> bool {
        let mut start = 0;
        while start < word.len() {
            let pieces = if start == 0 { &self.tokenizer.beginnings } else { &self.tokenizer.continuations };
            let mut end = word.floor_char_boundary(start + self.tokenizer.longest_piece);
            loop {
                if end <= start {
                    return false;
                }
                if let Some(id) = word.get(start..end).and_then(|piece| pieces.get(piece)) {
                    self.ids.push(*id);
                    break;
                }
                end = word.floor_char_boundary(end - 1);
            }
            start = end;
        }
        true
    }
}

fn category(character: char) -> GeneralCategory {
    get_general_category(character)
}

/// Whether a character is dropped before anything else: controls, formats, private and replacement characters. White
/// space that is also a control stays.
fn is_dropped(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => false,
        '\0' | '\u{fffd}' => true,
        _ => matches!(
            category(character),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::PrivateUse
                | GeneralCategory::Surrogate
        ),
    }
}

/// Characters of Chinese writing, as BERT's published code lists them.
fn is_chinese(character: char) -> bool {
    matches!(character,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2b73f}'
        | '\u{2b740}'..='\u{2b81f}' | '\u{2b820}'..='\u{2ceaf}' | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}

fn is_punctuation(character: char) -> bool {
    character.is_ascii_punctuation()
        || matches!(
            category(character),
            GeneralCategory::ConnectorPunctuation
                | GeneralCategory::DashPunctuation
                | GeneralCategory::OpenPunctuation
                | GeneralCategory::ClosePunctuation
                | GeneralCategory::InitialPunctuation
                | GeneralCategory::FinalPunctuation
                | GeneralCategory::OtherPunctuation
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokenizer() -> Tokenizer {
        Tokenizer::new("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able\ncafe\n.\nx\n##x\n温\n").unwrap()
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces() {
        let tokenizer = tokenizer();
        assert_eq!(tokenizer.tokens("unaffable Café."), [2, 5, 6, 7, 8, 9, 3]);
        assert_eq!(tokenizer.tokens("unknowable"), [2, 1, 3], "no part of an unknown word is kept");
        assert_eq!(tokenizer.tokens(""), [2, 3]);
        assert_eq!(tokenizer.size(), 13);
    }

    #[test]
    fn controls_chinese_and_marks_are_read_as_by_the_original() {
        let tokenizer = tokenizer();
        assert_eq!(tokenizer.tokens("u\u{200b}n\u{0}\tx温x"), [2, 5, 10, 12, 10, 3]);
        assert_eq!(tokenizer.tokens("x[MASK]x [mask]"), [2, 10, 4, 10, 1, 1, 1, 3]);
    }

    #[test]
    fn a_long_word_is_unknown_and_a_long_text_is_cut() {
        let tokenizer = tokenizer();
        assert_eq!(tokenizer.tokens(&"x".repeat(100)).len(), 102);
        assert_eq!(tokenizer.tokens(&"x".repeat(101)), [2, 1, 3]);
        let tokens = tokenizer.tokens(&"x ".repeat(10_000));
        assert_eq!((tokens.len(), tokens.last()), (MAX_TOKENS, Some(&3)));
        assert_eq!(tokenizer.tokens(&"[SEP]".repeat(1000)).len(), MAX_TOKENS);
    }

    #[test]
    fn a_vocabulary_without_its_marks_is_refused() {
        assert!(Tokenizer::new("a\nb\n").unwrap_err().contains("[PAD]"));
    }
}
