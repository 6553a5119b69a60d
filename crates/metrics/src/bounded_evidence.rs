//! Evidence that stays small: a score over a book must not carry the book.

use probare_core::{Evidence, Sample};

/// Most pieces of evidence that a metric gives; the rest is counted in a note.
pub const MOST_PIECES: usize = 50;

/// Collects evidence up to a limit. Pieces past it are counted without being made.
#[derive(Debug, Default)]
pub struct BoundedEvidence {
    pieces: Vec<Evidence>,
    omitted: usize,
    is_unwanted: bool,
}

impl BoundedEvidence {
    /// Collects nothing where the run wants no evidence.
    pub fn for_sample(sample: &Sample<'_>) -> Self {
        Self { is_unwanted: !sample.wants_evidence(), ..Self::default() }
    }

    /// Whether pieces are collected; who makes many need not look for them otherwise.
    pub const fn is_wanted(&self) -> bool {
        !self.is_unwanted
    }

    /// Adds a piece, or counts it where the limit is reached.
    pub fn push(&mut self, piece: impl FnOnce() -> Evidence) {
        if self.is_unwanted {
            return;
        }
        if self.pieces.len() < MOST_PIECES {
            self.pieces.push(piece());
        } else {
            self.omitted += 1;
        }
    }

    /// The pieces, and a note on those that were left out.
    pub fn finish(mut self) -> Vec<Evidence> {
        if self.omitted > 0 {
            self.pieces.push(Evidence::note(format!("{} more pieces of evidence are omitted", self.omitted)));
        }
        self.pieces
    }
}

/// The beginning of a text for a note, up to the end of a word, with an ellipsis where it goes on.
pub fn truncate_for_note(text: &str) -> String {
    const MOST: usize = 60;
    if text.len() <= MOST {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MOST);
    let mut whole = end;
    while whole > 0 && is_inside_token(text, whole) {
        probare_cancellation::count_steps(1);
        whole = text.floor_char_boundary(whole - 1);
    }
    // A word that is longer than all that is shown has no better place to be cut.
    format!("{}…", &text[..if whole == 0 { end } else { whole }])
}

/// Whether a cut at this byte would go through a word or a number: `199|8`, `2.|5`, `wo|rd`.
pub(crate) fn is_inside_token(text: &str, at: usize) -> bool {
    let (Some(before), Some(after)) = (text[..at].chars().next_back(), text[at..].chars().next()) else {
        return false;
    };
    if is_word_character(before) && is_word_character(after) {
        return true;
    }
    let is_joint = |character| matches!(character, '.' | ',');
    let digit = |character: Option<char>| character.is_some_and(|character| character.is_ascii_digit());
    let second_before = || text[..at].chars().rev().nth(1);
    let second_after = || text[at..].chars().nth(1);
    (digit(Some(before)) && is_joint(after) && digit(second_after()))
        || (is_joint(before) && digit(Some(after)) && digit(second_before()))
}

/// Whether a character is part of a word with its neighbours. What is written without spaces is a word by itself.
fn is_word_character(character: char) -> bool {
    let is_mark = matches!(character, '\u{300}'..='\u{36f}' | '_');
    let stands_alone =
        matches!(character, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    (character.is_alphanumeric() && !stands_alone) || is_mark
}

#[cfg(test)]
mod tests {
    use probare_core::{EvidenceKind, Field};

    use super::*;

    #[test]
    fn the_fifty_first_piece_becomes_a_note() {
        let mut evidence = BoundedEvidence::default();
        for number in 0..53 {
            evidence.push(|| Evidence::missing(number.to_string()));
        }
        let pieces = evidence.finish();
        assert_eq!(pieces.len(), MOST_PIECES + 1);
        assert_eq!(pieces[MOST_PIECES].text, "3 more pieces of evidence are omitted");
    }

    #[test]
    fn a_long_span_is_whole() {
        let text = "é".repeat(300);
        let piece = Evidence::at(EvidenceKind::Matched, Field::Response, 0..600, &text);
        assert_eq!((piece.text.len(), piece.cut), (200, true));
        assert_eq!(piece.place.unwrap().end, 600);
    }

    #[test]
    fn a_beginning_ends_with_a_word() {
        assert_eq!(truncate_for_note("short"), "short");
        assert!(truncate_for_note(&"é".repeat(300)).ends_with("é…"));
        let text = format!("{} 1,998.25 and more", "x".repeat(52));
        assert_eq!(truncate_for_note(&text), format!("{} …", "x".repeat(52)));
    }
}
