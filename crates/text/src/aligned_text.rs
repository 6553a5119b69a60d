//! A changed text in which every character leads back to the text as given.
//!
//! Comparisons need a normalised text, evidence needs spans of the original. [`AlignedText`] is both: each step (lower-case,
//! decompose, delete, replace, collapse) takes the text one form further and keeps, for every character, the bytes of
//! the original that it came from. Steps chain in any order; the way back always ends at the original.
//!
//! ```
//! use probare_text::aligned_text::AlignedText;
//!
//! let text = "The  CAFÉ — open";
//! let plain = AlignedText::new(text).nfkd().delete(|c| c == '\u{301}').lowercase().collapse_whitespace();
//! assert_eq!(plain.text(), "the cafe — open");
//! let at = plain.text().find("cafe").unwrap();
//! assert_eq!(&text[plain.original_span(at..at + 4)], "CAFÉ");
//! ```

use std::ops::Range;

use unicode_normalization::char::{canonical_combining_class, decompose_canonical, decompose_compatible};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::python;

/// A text and, for each of its characters, the byte range of the original it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AlignedText {
    text: String,
    pieces: Vec<Piece>,
    original_length: usize,
}

/// One character of the text: where it starts here, and what it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    at: usize,
    start: usize,
    end: usize,
}

/// A character together with its neighbours and the bytes of the original it stands for.
#[derive(Debug, Clone, Copy)]
struct Source {
    character: char,
    start: usize,
    end: usize,
}

impl AlignedText {
    /// The text unchanged.
    pub fn new(text: &str) -> Self {
        probare_cancellation::count_steps(text.len());
        let pieces = text
            .char_indices()
            .map(|(at, character)| Piece { at, start: at, end: at + character.len_utf8() })
            .collect();
        Self { text: text.to_owned(), pieces, original_length: text.len() }
    }

    /// The text in its present form.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text in its present form, without the way back.
    pub fn into_text(self) -> String {
        self.text
    }

    /// The smallest byte range of the original that holds everything `range` of the present text came from.
    ///
    /// Characters that `range` only touches count whole. An empty range gives the empty range at the place where its
    /// next character came from, or at the end of the original.
    pub fn original_span(&self, range: Range<usize>) -> Range<usize> {
        let first = self.pieces.partition_point(|piece| piece.at <= range.start).saturating_sub(1);
        if range.start >= range.end || range.start >= self.text.len() {
            let at = match self.pieces.get(first) {
                Some(piece) if range.start < self.text.len() => piece.start,
                Some(piece) => piece.end,
                None => self.original_length,
            };
            return at..at;
        }
        let last = self.pieces.partition_point(|piece| piece.at < range.end);
        let touched = &self.pieces[first..last];
        // Canonical reordering may have swapped neighbours, so both ends are looked for.
        let start = touched.iter().map(|piece| piece.start).min().unwrap_or(self.original_length);
        let end = touched.iter().map(|piece| piece.end).max().unwrap_or(self.original_length);
        start..end
    }

    /// Replaces each character for which `change` returns a text by that text.
    #[must_use]
    pub fn replace<'r>(&self, mut change: impl FnMut(char) -> Option<&'r str>) -> Self {
        self.rebuild(|source, out| match change(source.character) {
            Some(text) => out.push_str(text, source),
            None => out.push(source.character, source),
        })
    }

    /// Replaces each character for which `change` returns a text, with the characters before and after it in view.
    #[must_use]
    pub fn replace_between<'r>(&self, mut change: impl FnMut(Option<char>, char, &str) -> Option<&'r str>) -> Self {
        let mut before = None;
        let mut at = 0;
        self.rebuild(|source, out| {
            at += source.character.len_utf8();
            match change(before, source.character, &self.text[at..]) {
                Some(text) => out.push_str(text, source),
                None => out.push(source.character, source),
            }
            before = Some(source.character);
        })
    }

    /// Maps each character to another.
    #[must_use]
    pub fn map(&self, mut change: impl FnMut(char) -> char) -> Self {
        self.rebuild(|source, out| out.push(change(source.character), source))
    }

    /// Deletes the characters for which `is_unwanted` holds.
    #[must_use]
    pub fn delete(&self, mut is_unwanted: impl FnMut(char) -> bool) -> Self {
        self.rebuild(|source, out| {
            if !is_unwanted(source.character) {
                out.push(source.character, source);
            }
        })
    }

    /// Lower-cases as Python does, final sigma included.
    #[must_use]
    pub fn lowercase(&self) -> Self {
        let lowered = python::lower(&self.text);
        let mut lowered = lowered.chars();
        self.rebuild(|source, out| {
            // One character gives one, with a single exception.
            let count = if source.character == 'İ' { 2 } else { 1 };
            for character in lowered.by_ref().take(count) {
                out.push(character, source);
            }
        })
    }

    /// Compatibility decomposition (NFKD): each part of a decomposed character leads back to the whole character.
    #[must_use]
    pub fn nfkd(&self) -> Self {
        if self.text.is_ascii() {
            return self.clone();
        }
        let mut decomposed: Vec<Source> = Vec::with_capacity(self.text.len());
        for source in self.sources() {
            if source.character.is_ascii() {
                decomposed.push(source);
            } else {
                decompose_compatible(source.character, |character| decomposed.push(Source { character, ..source }));
            }
        }
        // Marks behind one base stand in the order of their classes; the sort is stable, as Unicode demands.
        for marks in decomposed.chunk_by_mut(|left, right| is_mark(left.character) && is_mark(right.character)) {
            marks.sort_by_key(|source| canonical_combining_class(source.character));
        }
        let mut out = Builder::for_text(self.text.len(), self.original_length);
        for source in decomposed {
            out.push(source.character, source);
        }
        out.finish()
    }

    /// Canonical composition (NFC): a composed character leads back to all that it was composed of.
    #[must_use]
    pub fn nfc(&self) -> Self {
        if is_nfc_quick(self.text.chars()) == IsNormalized::Yes {
            return self.clone();
        }
        let sources: Vec<Source> = self.sources().collect();
        let mut out = Builder::for_text(self.text.len(), self.original_length);
        for group in sources.chunk_by(|_, next| !starts_composition_group(next.character)) {
            let composed: Vec<char> = group.iter().map(|source| source.character).nfc().collect();
            if composed.iter().eq(group.iter().map(|source| &source.character)) {
                for &source in group {
                    out.push(source.character, source);
                }
            } else {
                let start = group.iter().map(|source| source.start).min().unwrap_or(0);
                let end = group.iter().map(|source| source.end).max().unwrap_or(start);
                for character in composed {
                    out.push(character, Source { character, start, end });
                }
            }
        }
        out.finish()
    }

    /// Makes each run of white space (as Python sees it) one space and drops it at both ends.
    #[must_use]
    pub fn collapse_whitespace(&self) -> Self {
        let mut pending: Option<Source> = None;
        let mut is_empty = true;
        self.rebuild(|source, out| {
            if python::is_space(source.character) {
                pending = match pending {
                    Some(space) => Some(Source { end: space.end.max(source.end), ..space }),
                    None if is_empty => None,
                    None => Some(source),
                };
                return;
            }
            if let Some(space) = pending.take() {
                out.push(' ', space);
            }
            is_empty = false;
            out.push(source.character, source);
        })
    }

    /// Drops characters for which `is_unwanted` holds from both ends.
    #[must_use]
    pub fn trim(&self, mut is_unwanted: impl FnMut(char) -> bool) -> Self {
        let trimmed = self.text.trim_matches(&mut is_unwanted);
        // `trim_matches` returns a part of `self.text`; leading characters are what the start was trimmed by.
        let from = self.text.len() - self.text.trim_start_matches(&mut is_unwanted).len();
        self.slice(from..from + trimmed.len())
    }

    /// Replaces ranges of the present text, given in order and without overlap, each leading back as a whole.
    ///
    /// Ranges that overlap an earlier one, or do not lie on character boundaries, are left out.
    #[must_use]
    pub fn replace_ranges(&self, replacements: &[(Range<usize>, String)]) -> Self {
        let mut out = Builder::for_text(self.text.len(), self.original_length);
        let mut sources = self.sources().peekable();
        let mut at = 0;
        for (range, replacement) in replacements {
            let is_sound = range.start >= at && range.start < range.end && self.text.get(range.clone()).is_some();
            if !is_sound {
                continue;
            }
            while at < range.start {
                let Some(source) = sources.next() else { break };
                at += source.character.len_utf8();
                out.push(source.character, source);
            }
            let original = self.original_span(range.clone());
            for character in replacement.chars() {
                out.push(character, Source { character, start: original.start, end: original.end });
            }
            while at < range.end {
                let Some(source) = sources.next() else { break };
                at += source.character.len_utf8();
            }
        }
        for source in sources {
            out.push(source.character, source);
        }
        out.finish()
    }

    /// The part of the present text in `range`; empty when that does not lie on character boundaries.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let mut out = Builder::for_text(range.len(), self.original_length);
        let slice = self.text.get(range.clone()).unwrap_or_default();
        let first = self.pieces.partition_point(|piece| piece.at < range.start);
        for (character, piece) in slice.chars().zip(self.pieces.iter().skip(first)) {
            out.push(character, Source { character, start: piece.start, end: piece.end });
        }
        out.finish()
    }

    fn sources(&self) -> impl Iterator<Item = Source> {
        self.text.chars().zip(&self.pieces).map(|(character, piece)| Source {
            character,
            start: piece.start,
            end: piece.end,
        })
    }

    fn rebuild(&self, mut step: impl FnMut(Source, &mut Builder)) -> Self {
        let mut out = Builder::for_text(self.text.len(), self.original_length);
        for source in self.sources() {
            step(source, &mut out);
        }
        out.finish()
    }
}

/// Whether canonical ordering may move this character.
fn is_mark(character: char) -> bool {
    character >= '\u{300}' && canonical_combining_class(character) != 0
}

/// Whether no composition can reach across the boundary before this character.
fn starts_composition_group(character: char) -> bool {
    if character < '\u{300}' {
        return true;
    }
    let mut first = None;
    decompose_canonical(character, |part| {
        first.get_or_insert(part);
    });
    let first = first.unwrap_or(character);
    canonical_combining_class(first) == 0 && is_nfc_quick(std::iter::once(first)) == IsNormalized::Yes
}

/// Collects characters and what they came from.
struct Builder {
    text: String,
    pieces: Vec<Piece>,
    original_length: usize,
}

impl Builder {
    fn for_text(length: usize, original_length: usize) -> Self {
        Self { text: String::with_capacity(length), pieces: Vec::with_capacity(length), original_length }
    }

    fn push(&mut self, character: char, source: Source) {
        self.pieces.push(Piece { at: self.text.len(), start: source.start, end: source.end });
        self.text.push(character);
    }

    fn push_str(&mut self, text: &str, source: Source) {
        for character in text.chars() {
            self.push(character, source);
        }
    }

    fn finish(self) -> AlignedText {
        probare_cancellation::count_steps(self.pieces.len());
        AlignedText { text: self.text, pieces: self.pieces, original_length: self.original_length }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn source<'t>(text: &'t str, aligned: &AlignedText, part: &str) -> &'t str {
        let at = aligned.text().find(part).expect("the part is in the changed text");
        &text[aligned.original_span(at..at + part.len())]
    }

    #[test]
    fn composed_characters_lead_back_to_all_their_parts() {
        let text = "cafe\u{301} bar";
        let composed = AlignedText::new(text).nfc();
        assert_eq!(composed.text(), "café bar");
        assert_eq!(source(text, &composed, "é"), "e\u{301}");
        assert_eq!(source(text, &composed, "f"), "f");
    }

    #[test]
    fn decomposed_marks_are_reordered_and_still_lead_back() {
        let text = "q\u{307}\u{323}ﬁ";
        let decomposed = AlignedText::new(text).nfkd();
        assert_eq!(decomposed.text(), "q\u{323}\u{307}fi");
        assert_eq!(source(text, &decomposed, "\u{323}"), "\u{323}");
        assert_eq!(source(text, &decomposed, "f"), "ﬁ");
    }

    #[test]
    fn hangul_syllables_compose_across_starters() {
        let text = "\u{1112}\u{1161}\u{11ab}!";
        let composed = AlignedText::new(text).nfc();
        assert_eq!(composed.text(), "한!");
        assert_eq!(source(text, &composed, "한"), "\u{1112}\u{1161}\u{11ab}");
    }

    #[test]
    fn ranges_are_replaced_as_a_whole() {
        let text = "one TWO three";
        let changed = AlignedText::new(text).lowercase().replace_ranges(&[(4..7, "2".into()), (8..13, "33".into())]);
        assert_eq!(changed.text(), "one 2 33");
        assert_eq!(source(text, &changed, "2"), "TWO");
        assert_eq!(source(text, &changed, "33"), "three");
    }

    #[test]
    fn empty_ranges_have_a_place() {
        let aligned = AlignedText::new("  ab ").collapse_whitespace();
        assert_eq!(aligned.original_span(0..0), 2..2);
        assert_eq!(aligned.original_span(2..2), 4..4);
        assert_eq!(aligned.original_span(99..120), 4..4);
        assert_eq!(AlignedText::new("").original_span(0..5), 0..0);
    }

    proptest! {
        #[test]
        fn forms_agree_with_the_plain_ones(text in "\\PC{0,40}") {
            let aligned = AlignedText::new(&text);
            let nfc: String = text.nfc().collect();
            let nfkd: String = text.nfkd().collect();
            let lowered = python::lower(&text);
            prop_assert_eq!(aligned.nfc().into_text(), nfc);
            prop_assert_eq!(aligned.nfkd().into_text(), nfkd);
            prop_assert_eq!(aligned.lowercase().into_text(), lowered);
            prop_assert_eq!(aligned.collapse_whitespace().into_text(), python::split(&text).collect::<Vec<_>>().join(" "));
        }

        #[test]
        fn spans_lie_on_boundaries_of_the_original(text in any::<String>(), start in 0usize..60, length in 0usize..60) {
            let changed = AlignedText::new(&text).nfkd().lowercase().collapse_whitespace().nfc();
            let span = changed.original_span(start..start + length);
            prop_assert!(span.start <= span.end && text.get(span).is_some());
        }
    }
}
