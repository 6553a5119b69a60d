//! Where two texts part: the evidence of every metric that compares them character by character.

use std::ops::Range;

use probare_core::{Evidence, EvidenceKind, Field, FieldSpan};

use probare_text::distance::{Edit, EditKind};

use crate::bounded_evidence::{is_inside_token, truncate_for_note};

/// Characters shown from the first difference on.
const SHOWN: usize = 40;

/// A text that is compared, and the way back to the field it came from.
pub(crate) struct ComparedText<'a> {
    /// The field as given.
    pub whole: &'a str,
    /// The text that is compared: the field, perhaps lower-cased or trimmed.
    pub text: &'a str,
    /// The bytes of the field that a range of `text` stands for.
    pub original: &'a dyn Fn(Range<usize>) -> Range<usize>,
}

/// Length in bytes of the longest common beginning, at a character boundary of both.
pub(crate) fn common_prefix(left: &str, right: &str) -> usize {
    let bytes = left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count();
    // The bytes before a boundary are the same on both sides, so it is a boundary on both.
    left.floor_char_boundary(bytes)
}

/// The first place from `at` on that is inside no token.
fn token_end(text: &str, mut at: usize) -> usize {
    while at < text.len() && is_inside_token(text, at) {
        probare_cancellation::count_steps(1);
        at = text.ceil_char_boundary(at + 1);
    }
    at
}

/// An edit script of two texts in characters, widened so that every edit takes whole words and numbers; what stays is left
/// out. Edits that meet in a token become one.
pub(crate) fn widen_to_tokens(script: &[Edit], left: &str, right: &str) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    // Where the stretch that is being changed begins, on both sides, and whether anything in it is changed.
    let mut open = (0, 0);
    let mut is_changed = false;
    let mut close = |open: (usize, usize), left_end: usize, right_end: usize| {
        let kind = match (open.0 == left_end, open.1 == right_end) {
            (true, _) => EditKind::Insert,
            (_, true) => EditKind::Delete,
            _ => EditKind::Replace,
        };
        edits.push(Edit { kind, left: open.0..left_end, right: open.1..right_end });
    };
    for edit in script {
        probare_cancellation::count_steps(1);
        if edit.kind != EditKind::Keep {
            is_changed = true;
            continue;
        }
        // What stays is the same on both sides, so a place inside of it is between tokens on both or on neither; at its
        // ends that depends on what is changed there.
        let is_cut = |offset: &usize| {
            let (left_at, right_at) = (edit.left.start + offset, edit.right.start + offset);
            left.is_char_boundary(left_at) && !is_inside_token(left, left_at) && !is_inside_token(right, right_at)
        };
        let Some(first) = (0..=edit.left.len()).find(is_cut) else { continue };
        if is_changed {
            close(open, edit.left.start + first, edit.right.start + first);
        }
        let last = (first..=edit.left.len()).rev().find(is_cut).unwrap_or(first);
        open = (edit.left.start + last, edit.right.start + last);
        is_changed = false;
    }
    if is_changed {
        close(open, left.len(), right.len());
    }
    edits
}

/// Points at the first difference between the response and the reference of this index; `None` where they are equal.
pub(crate) fn first_difference(
    response: &ComparedText<'_>,
    reference: &ComparedText<'_>,
    index: usize,
) -> Option<Evidence> {
    if response.text == reference.text {
        return None;
    }
    let mut at = common_prefix(response.text, reference.text);
    // The word or number in which they part is shown from its start.
    while is_inside_token(response.text, at) || is_inside_token(reference.text, at) {
        probare_cancellation::count_steps(1);
        at = response.text.floor_char_boundary(at.saturating_sub(1));
    }
    let [span, expected] = [response, reference].map(|side| {
        let rest = &side.text[at..];
        let length = rest.char_indices().nth(SHOWN).map_or(rest.len(), |(length, _)| length);
        (side.original)(at..token_end(side.text, at + length))
    });
    let expected_text = &reference.whole[expected.clone()];
    let note = if expected_text.is_empty() {
        "the first difference: the reference has ended here".to_owned()
    } else {
        format!("the first difference: the reference goes on with `{}`", truncate_for_note(expected_text))
    };
    let place = FieldSpan::in_item(Field::Reference, index, expected);
    Some(
        Evidence::at(EvidenceKind::Compared, Field::Response, span, response.whole).with_note(note).with_support(place),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(response: &str, reference: &str) -> Option<Evidence> {
        let same = |range: Range<usize>| range;
        let side = |text| ComparedText { whole: text, text, original: &same };
        // The closure outlives both sides only when each is made here.
        first_difference(&side(response), &side(reference), 0)
    }

    #[test]
    fn the_first_difference_is_shown_on_both_sides() {
        let evidence = difference("the cät sat", "the cat sat").unwrap();
        assert_eq!(evidence.text, "cät sat");
        assert_eq!(evidence.note.unwrap(), "the first difference: the reference goes on with `cat sat`");
        assert_eq!(evidence.support.unwrap().start, 4);
    }

    #[test]
    fn an_end_is_a_difference_too() {
        assert_eq!(difference("abc", "abc"), None);
        assert!(difference("abc def", "abc").unwrap().note.unwrap().contains("has ended"));
        assert_eq!(difference("abc", "abc def").unwrap().text, "");
        assert_eq!(difference("ab", "abc").unwrap().text, "ab", "the word is another one");
        assert_eq!(difference("é", "è").unwrap().text, "é", "the bytes differ inside the character");
    }

    #[test]
    fn a_difference_holds_whole_words_and_numbers() {
        for (response, reference, shown) in [
            ("In 1998 it fell", "In 1989 it fell", "1998 it fell"),
            ("It costs 1,250.50 now", "It costs 1,250.75 now", "1,250.50 now"),
            ("It was 1998.", "It was 1999.", "1998."),
            ("東京都", "東京市", "都"),
        ] {
            assert_eq!(difference(response, reference).unwrap().text, shown);
        }
        let long = format!("a {} internationalisation ends", "x".repeat(34));
        assert!(difference(&long, "b").unwrap().text.ends_with("internationalisation"));
    }

    #[test]
    fn edits_are_widened_to_whole_tokens() {
        let widened = |left: &str, right: &str| -> Vec<(String, String)> {
            let script = probare_text::distance::edits(left, right);
            let of = |edit: Edit| (left[edit.left].to_owned(), right[edit.right].to_owned());
            widen_to_tokens(&script, left, right).into_iter().map(of).collect()
        };
        let pair = |left: &str, right: &str| (left.to_owned(), right.to_owned());
        assert_eq!(widened("born in 1998 here", "born in 1989 here"), [pair("1998", "1989")]);
        assert_eq!(widened("kitten", "sitting"), [pair("kitten", "sitting")]);
        assert_eq!(widened("the cat", "the big cat"), [pair("", "big ")]);
        assert_eq!(widened("a café, a bar", "a cafe, the bar"), [pair("café", "cafe"), pair("a", "the")]);
        assert_eq!(widened("3.25 m", "3.5 m"), [pair("3.25", "3.5")]);
        assert_eq!(widened("same", "same"), []);
    }
}
