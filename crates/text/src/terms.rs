//! The terms that numbers and dates in running text are made of: numerals, words, single symbols.
//!
//! One pass over the bytes cuts a text into terms; the few words that can begin a number or a date are known by a table,
//! everything else is looked at only next to those. Digits and letters that touch are two terms, the second one *glued*.

mod lexicon;
mod numeral;

use std::ops::Range;

pub(crate) use lexicon::WordClass;
pub(crate) use numeral::{Numeral, NumeralShape};

/// What a term is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TermKind {
    Numeral(Numeral),
    Word(WordClass),
    Symbol(char),
}

/// A term and where it stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Term {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether white space (or the start of the text) comes before.
    pub(crate) is_spaced: bool,
    pub(crate) kind: TermKind,
}

/// The terms of one text, in order.
#[derive(Debug)]
pub(crate) struct TermSequence<'t> {
    text: &'t str,
    all: Vec<Term>,
    is_improved: bool,
}

impl<'t> TermSequence<'t> {
    /// Cuts `text` into terms. Addresses of web pages and of mail are left out: their digits count for nothing.
    pub(crate) fn new(text: &'t str) -> Self {
        probare_cancellation::count_steps(text.len());
        let bytes = text.as_bytes();
        let mut terms = Vec::with_capacity(text.len() / 5 + 4);
        let mut at = 0;
        let mut is_spaced = true;
        while at < bytes.len() {
            let byte = bytes[at];
            if byte.is_ascii_whitespace() {
                is_spaced = true;
                at += 1;
                continue;
            }
            let start = at;
            let kind = if byte.is_ascii_digit() {
                let numeral = Numeral::scan(text, start);
                at = numeral.1;
                TermKind::Numeral(numeral.0)
            } else if byte.is_ascii_alphabetic() {
                at = word_end(text, start);
                if is_address(bytes, at) {
                    at = next_space(bytes, at);
                    is_spaced = true;
                    continue;
                }
                TermKind::Word(lexicon::class(&text[start..at]))
            } else {
                let character = text[start..].chars().next().expect("a byte of the text is left");
                at += character.len_utf8();
                if byte >= 0x80 && character.is_whitespace() {
                    is_spaced = true;
                    continue;
                }
                if let Some(value) = numeral::vulgar_fraction(character) {
                    TermKind::Numeral(Numeral::fraction(value))
                } else if character.is_alphabetic() {
                    at = word_end(text, start);
                    TermKind::Word(WordClass::Other)
                } else {
                    TermKind::Symbol(character)
                }
            };
            terms.push(Term { start, end: at, is_spaced, kind });
            is_spaced = false;
        }
        Self { text, all: terms, is_improved: false }
    }

    /// The same for the improved definition, which knows units that the published one does not.
    pub(crate) fn improved(text: &'t str) -> Self {
        Self { is_improved: true, ..Self::new(text) }
    }

    pub(crate) fn is_improved(&self) -> bool {
        self.is_improved
    }

    /// The first term that starts at this byte or behind it.
    pub(crate) fn index_at(&self, byte: usize) -> usize {
        self.all.partition_point(|term| term.start < byte)
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Term> {
        self.all.get(at)
    }

    /// The term before `at`, unless it stands before `floor`.
    pub(crate) fn before(at: usize, floor: usize) -> Option<usize> {
        at.checked_sub(1).filter(|&before| before >= floor)
    }

    /// The text of the term; empty behind the end.
    pub(crate) fn text(&self, at: usize) -> &'t str {
        self.all.get(at).map_or("", |term| &self.text[term.start..term.end])
    }

    /// Byte range of the terms from `first` up to `end`, which is not included.
    pub(crate) fn span(&self, first: usize, end: usize) -> Range<usize> {
        let start = self.all.get(first).map_or(self.text.len(), |term| term.start);
        let last = end.checked_sub(1).and_then(|last| self.all.get(last)).map_or(start, |term| term.end);
        start..last.max(start)
    }

    /// Whether the term follows its neighbour without space.
    pub(crate) fn is_glued(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|term| !term.is_spaced)
    }

    pub(crate) fn is_spaced(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|term| term.is_spaced)
    }

    pub(crate) fn numeral(&self, at: usize) -> Option<&Numeral> {
        match self.all.get(at) {
            Some(Term { kind: TermKind::Numeral(numeral), .. }) => Some(numeral),
            _ => None,
        }
    }

    /// The numeral when it is plain digits (no comma, no point), with its value.
    pub(crate) fn plain_digits(&self, at: usize) -> Option<(u64, u8)> {
        self.numeral(at).filter(|numeral| numeral.shape == NumeralShape::Whole).and_then(Numeral::plain_digits)
    }

    pub(crate) fn word(&self, at: usize) -> Option<WordClass> {
        match self.all.get(at) {
            Some(Term { kind: TermKind::Word(class), .. }) => Some(*class),
            _ => None,
        }
    }

    pub(crate) fn symbol(&self, at: usize) -> Option<char> {
        match self.all.get(at) {
            Some(Term { kind: TermKind::Symbol(character), .. }) => Some(*character),
            _ => None,
        }
    }

    /// Whether the term is this word, in any case. `word` is lower-case ASCII.
    pub(crate) fn is_word(&self, at: usize, word: &str) -> bool {
        self.word(at).is_some() && self.text(at).eq_ignore_ascii_case(word)
    }

    /// Whether the term is one of these words, in any case; `words` has blanks between them.
    pub(crate) fn is_any_word(&self, at: usize, words: &str) -> bool {
        self.word(at).is_some() && words.split_ascii_whitespace().any(|word| self.text(at).eq_ignore_ascii_case(word))
    }

    pub(crate) fn is_capitalised(&self, at: usize) -> bool {
        self.text(at).chars().next().is_some_and(char::is_uppercase)
    }

    /// Whether the term opens a sentence: the text starts here, or a full stop, mark or line end comes before.
    pub(crate) fn starts_sentence(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        if let Some('.' | '!' | '?' | ':' | '•' | '*' | '"' | '“' | '(') = self.symbol(before) {
            return true;
        }
        match (self.all.get(before), self.all.get(at)) {
            (Some(before), Some(here)) => self.text[before.end..here.start].contains('\n'),
            _ => false,
        }
    }

    /// Whether a hyphen or dash stands here.
    pub(crate) fn is_dash(&self, at: usize) -> bool {
        matches!(self.symbol(at), Some('-' | '‐' | '‑' | '–' | '—' | '−'))
    }

    /// Whether a hyphen ties the term before it to the one after it.
    pub(crate) fn is_tying_hyphen(&self, at: usize) -> bool {
        matches!(self.symbol(at), Some('-' | '‐' | '‑')) && self.is_glued(at) && self.is_glued(at + 1)
    }
}

/// Where the word that starts at `start` ends: letters only.
fn word_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < bytes.len() {
        if bytes[at].is_ascii_alphabetic() {
            at += 1;
        } else if bytes[at] < 0x80 {
            break;
        } else {
            let character = text[at..].chars().next().expect("a byte of the text is left");
            if !character.is_alphabetic() {
                break;
            }
            at += character.len_utf8();
        }
    }
    at
}

/// Whether the word that ends at `end` begins an address: `https://`, `www.`, `name@`.
fn is_address(bytes: &[u8], end: usize) -> bool {
    let rest = &bytes[end..];
    rest.starts_with(b"://")
        || (rest.first() == Some(&b'@') && rest.get(1).is_some_and(u8::is_ascii_alphanumeric))
        || (rest.first() == Some(&b'.')
            && rest.get(1).is_some_and(u8::is_ascii_alphanumeric)
            && end >= 3
            && bytes[end - 3..end].eq_ignore_ascii_case(b"www"))
}

fn next_space(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(u8::is_ascii_whitespace).map_or(bytes.len(), |ahead| from + ahead)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        let terms = TermSequence::new(text);
        (0..terms.len()).map(|at| terms.text(at)).collect()
    }

    #[test]
    fn letters_digits_and_signs_are_apart() {
        assert_eq!(texts("€2.5bn, 450kg; Q3–café"), ["€", "2.5", "bn", ",", "450", "kg", ";", "Q", "3", "–", "café"]);
    }

    #[test]
    fn addresses_hold_no_terms() {
        assert_eq!(texts("see https://a.b/2019/05 or www.x2.org, me@7.dk now"), ["see", "or", "now"]);
    }

    #[test]
    fn space_of_any_kind_separates() {
        let terms = TermSequence::new("5\u{a0}km 7km");
        assert!(terms.is_spaced(1) && !terms.is_glued(1));
        assert!(terms.is_glued(3));
    }
}
