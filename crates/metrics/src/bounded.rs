//! Evidence that stays small: a score over a book must not carry the book.

use std::ops::Range;

use probare_core::{Evidence, EvidenceKind, Field};

/// Most pieces of evidence that a metric gives; the rest is counted in a note.
pub(crate) const MOST_PIECES: usize = 50;

/// Most bytes of a text that one piece shows.
const MOST_BYTES: usize = 200;

/// Collects evidence up to a limit. Pieces past it are counted without being made.
#[derive(Debug, Default)]
pub(crate) struct Bounded {
    pieces: Vec<Evidence>,
    left_out: usize,
}

impl Bounded {
    /// Adds a piece, or counts it where the limit is reached.
    pub fn push(&mut self, piece: impl FnOnce() -> Evidence) {
        if self.pieces.len() < MOST_PIECES {
            self.pieces.push(piece());
        } else {
            self.left_out += 1;
        }
    }

    /// The pieces, and a note on those that were left out.
    pub fn finish(mut self) -> Vec<Evidence> {
        if self.left_out > 0 {
            self.pieces.push(Evidence::note(format!("{} more pieces of evidence are left out", self.left_out)));
        }
        self.pieces
    }
}

/// Evidence at `span` of `whole`, cut to a length that a reader takes in; a note says where it was cut.
pub(crate) fn excerpt(kind: EvidenceKind, field: Field, span: Range<usize>, whole: &str) -> Evidence {
    let length = span.len();
    if length <= MOST_BYTES {
        return Evidence::at(kind, field, span, whole);
    }
    let end = whole.floor_char_boundary(span.start + MOST_BYTES);
    Evidence::at(kind, field, span.start..end, whole).with_note(format!("the beginning of {length} bytes"))
}

/// The beginning of a text for a note, with an ellipsis where it goes on.
pub(crate) fn beginning(text: &str) -> String {
    const MOST: usize = 60;
    if text.len() <= MOST {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(MOST)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fifty_first_piece_becomes_a_note() {
        let mut evidence = Bounded::default();
        for number in 0..53 {
            evidence.push(|| Evidence::missing(number.to_string()));
        }
        let pieces = evidence.finish();
        assert_eq!(pieces.len(), MOST_PIECES + 1);
        assert_eq!(pieces[MOST_PIECES].text, "3 more pieces of evidence are left out");
    }

    #[test]
    fn a_long_span_is_cut_at_a_character() {
        let text = "é".repeat(300);
        let piece = excerpt(EvidenceKind::Found, Field::Response, 0..600, &text);
        assert_eq!(piece.text.len(), 200);
        assert_eq!(piece.note.as_deref(), Some("the beginning of 600 bytes"));
        assert_eq!(beginning("short"), "short");
        assert!(beginning(&text).ends_with('…'));
    }
}
