//! A text under global substitutions that keeps track of where its characters came from.
//!
//! Several published tokenizers rewrite the text with one regular expression after the other and split the result on
//! white space. Each rule sees what the rules before it left, inserted spaces included. Here the text is a list of
//! glyphs, characters that know their place; an inserted space has none.

use std::ops::Range;

use crate::python;

use super::Tokens;

/// A character of the text being rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Glyph {
    pub(super) character: char,
    /// Bytes of the given text it stands for.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it stands for other characters of the text than itself.
    pub(super) rewritten: bool,
}

impl Glyph {
    /// An inserted space.
    pub(super) const SPACE: Self = Self { character: ' ', start: 0, end: 0, rewritten: false };

    /// What stands for the glyphs from `first` to `last`.
    pub(super) fn replacing(character: char, first: Self, last: Self) -> Self {
        Self { character, start: first.start, end: last.end, rewritten: true }
    }
}

/// A text under substitutions.
#[derive(Debug, Clone, Default)]
pub(super) struct RewriteBuffer {
    pub(super) glyphs: Vec<Glyph>,
    /// Where a substitution writes; kept to be used again.
    output: Vec<Glyph>,
}

impl RewriteBuffer {
    /// Starts with the bytes `span` of `text`.
    pub(super) fn start(&mut self, text: &str, span: Range<usize>) {
        let offset = span.start;
        self.glyphs.clear();
        self.glyphs.extend(text[span].char_indices().map(|(at, character)| Glyph {
            character,
            start: offset + at,
            end: offset + at + character.len_utf8(),
            rewritten: false,
        }));
    }

    /// Runs one global substitution. `rule` looks at the glyphs from a position on; it either writes a replacement and
    /// says how many glyphs it consumed, or says 0 and the glyph is copied.
    pub(super) fn substitute(&mut self, mut rule: impl FnMut(&[Glyph], usize, &mut Vec<Glyph>) -> usize) {
        self.output.clear();
        let mut at = 0;
        while at < self.glyphs.len() {
            let consumed = rule(&self.glyphs, at, &mut self.output);
            if consumed == 0 {
                self.output.push(self.glyphs[at]);
            }
            at += consumed.max(1);
        }
        std::mem::swap(&mut self.glyphs, &mut self.output);
    }

    /// Whether one of `characters` is left in the text.
    pub(super) fn contains_any(&self, characters: &[char]) -> bool {
        self.glyphs.iter().any(|glyph| characters.contains(&glyph.character))
    }

    /// What stands between white space; some of it may be empty.
    pub(super) fn words(&self) -> impl Iterator<Item = &[Glyph]> {
        self.glyphs.split(|glyph| python::is_space(glyph.character))
    }

    /// The words as tokens.
    pub(super) fn tokens(&self) -> Tokens {
        let mut tokens = Tokens::default();
        for word in self.words() {
            push(&mut tokens, word);
        }
        tokens
    }
}

/// Adds the token that `word` spells, if it is not empty.
pub(super) fn push(tokens: &mut Tokens, word: &[Glyph]) {
    if let (Some(first), Some(last)) = (word.first(), word.last()) {
        let text: String = word.iter().map(|glyph| glyph.character).collect();
        tokens.push(&text, first.start..last.end);
    }
}

/// Writes `glyphs` with a space on both sides; gives how many they are.
pub(super) fn pad(glyphs: &[Glyph], output: &mut Vec<Glyph>) -> usize {
    output.push(Glyph::SPACE);
    output.extend_from_slice(glyphs);
    output.push(Glyph::SPACE);
    glyphs.len()
}

/// Whether `glyphs` start with `text`.
pub(super) fn starts_with(glyphs: &[Glyph], text: &str) -> bool {
    let mut glyphs = glyphs.iter();
    text.chars().all(|character| glyphs.next().is_some_and(|glyph| glyph.character == character))
}
