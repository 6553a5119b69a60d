//! Where two texts part: the evidence of every metric that compares them character by character.

use std::ops::Range;

use probare_core::{Evidence, EvidenceKind, Field, Place};

use crate::bounded::beginning;

/// Characters shown from the first difference on.
const SHOWN: usize = 40;

/// A text that is compared, and the way back to the field it came from.
pub(crate) struct Side<'a> {
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

/// Points at the first difference between the response and the reference of this index; `None` where they are equal.
pub(crate) fn first_difference(response: &Side<'_>, reference: &Side<'_>, index: usize) -> Option<Evidence> {
    if response.text == reference.text {
        return None;
    }
    let at = common_prefix(response.text, reference.text);
    let [span, expected] = [response, reference].map(|side| {
        let rest = &side.text[at..];
        let length = rest.char_indices().nth(SHOWN).map_or(rest.len(), |(length, _)| length);
        (side.original)(at..at + length)
    });
    let wanted = &reference.whole[expected.clone()];
    let note = if wanted.is_empty() {
        "the first difference: the reference has ended here".to_owned()
    } else {
        format!("the first difference: the reference goes on with `{}`", beginning(wanted))
    };
    let place = Place::in_item(Field::Reference, index, expected);
    Some(
        Evidence::at(EvidenceKind::Compared, Field::Response, span, response.whole).with_note(note).with_support(place),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(response: &str, reference: &str) -> Option<Evidence> {
        let same = |range: Range<usize>| range;
        let side = |text| Side { whole: text, text, original: &same };
        // The closure outlives both sides only when each is made here.
        first_difference(&side(response), &side(reference), 0)
    }

    #[test]
    fn the_first_difference_is_shown_on_both_sides() {
        let evidence = difference("the cät sat", "the cat sat").unwrap();
        assert_eq!(evidence.text, "ät sat");
        assert_eq!(evidence.note.unwrap(), "the first difference: the reference goes on with `at sat`");
        assert_eq!(evidence.support.unwrap().start, 5);
    }

    #[test]
    fn an_end_is_a_difference_too() {
        assert_eq!(difference("abc", "abc"), None);
        assert!(difference("abc", "ab").unwrap().note.unwrap().contains("has ended"));
        assert_eq!(difference("ab", "abc").unwrap().text, "");
        assert_eq!(difference("é", "è").unwrap().text, "é", "the bytes differ inside the character");
    }
}
