//! [`highlight`]: a text with marked places, as HTML.

use std::collections::BTreeSet;

use crate::escape;

/// Remarks that one place shows; further ones are counted.
const NOTES: usize = 4;

/// A place in a text that is to be marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Class in the style sheet: the name of an evidence kind, or `support`.
    pub kind: &'static str,
    /// What appears when the reader points at the place; as given, not escaped.
    pub note: String,
}

/// The text as escaped HTML with `<mark>` around the marked places.
///
/// Marks may overlap: the text is cut where any mark starts or ends, and a piece under several marks carries the kinds
/// and remarks of the first four, with the class `several` where the kinds differ. A mark outside the text or inside a
/// character is moved to the nearest place that is neither; an empty one is left out.
pub fn highlight(text: &str, marks: &[Mark]) -> String {
    let spans: Vec<(usize, usize, &Mark)> = marks
        .iter()
        .map(|mark| (text.floor_char_boundary(mark.start), text.floor_char_boundary(mark.end), mark))
        .filter(|(start, end, _)| start < end)
        .collect();
    // All places where something changes: ends before starts, so that neighbours do not count as overlapping.
    let mut changes: Vec<(usize, bool, usize)> = Vec::with_capacity(spans.len() * 2);
    for (number, (start, end, _)) in spans.iter().enumerate() {
        changes.push((*start, true, number));
        changes.push((*end, false, number));
    }
    changes.sort_unstable();

    let mut html = String::with_capacity(text.len() + spans.len() * 48);
    let mut active: BTreeSet<usize> = BTreeSet::new();
    let mut at = 0;
    for (place, starts, number) in changes {
        if place > at {
            push_piece(&mut html, &text[at..place], &active, &spans);
            at = place;
        }
        if starts {
            active.insert(number);
        } else {
            active.remove(&number);
        }
    }
    html.push_str(&escape::html(&text[at..]));
    html
}

fn push_piece(html: &mut String, piece: &str, active: &BTreeSet<usize>, spans: &[(usize, usize, &Mark)]) {
    if active.is_empty() {
        html.push_str(&escape::html(piece));
        return;
    }
    let marks = || active.iter().filter_map(|number| spans.get(*number)).map(|(_, _, mark)| *mark);
    let mut classes: Vec<&str> = Vec::new();
    let mut notes: Vec<&str> = Vec::new();
    for mark in marks().take(NOTES) {
        if !classes.contains(&mark.kind) {
            classes.push(mark.kind);
        }
        if !mark.note.is_empty() && !notes.contains(&mark.note.as_str()) {
            notes.push(&mark.note);
        }
    }
    let mut title = notes.join("\n");
    if active.len() > NOTES {
        title.push_str(&format!("\nand {} more", active.len() - NOTES));
    }
    if classes.len() > 1 {
        classes.push("several");
    }
    html.push_str(&format!(
        "<mark class=\"{}\" title=\"{}\">{}</mark>",
        escape::html(&classes.join(" ")),
        escape::html(&title),
        escape::html(piece)
    ));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mark(start: usize, end: usize, kind: &'static str) -> Mark {
        Mark { start, end, kind, note: format!("{kind} note") }
    }

    #[test]
    fn overlapping_marks_are_cut_into_pieces() {
        insta::assert_snapshot!(highlight("one two three", &[mark(0, 7, "found"), mark(4, 13, "unsupported")]), @r#"
        <mark class="found" title="found note">one </mark><mark class="found unsupported several" title="found note
        unsupported note">two</mark><mark class="unsupported" title="unsupported note"> three</mark>
        "#);
    }

    #[test]
    fn places_that_do_not_exist_are_moved_or_left_out() {
        assert_eq!(highlight("é", &[mark(1, 1, "found"), mark(7, 9, "found")]), "é");
        assert_eq!(highlight("é<", &[mark(1, 99, "x")]), "<mark class=\"x\" title=\"x note\">é&lt;</mark>");
        assert_eq!(highlight("", &[mark(0, 0, "x")]), "");
    }

    #[test]
    fn many_marks_on_one_place_stay_short() {
        let marks: Vec<Mark> =
            (0..3000).map(|number| Mark { note: format!("{number}"), ..mark(0, 6, "found") }).collect();
        let html = highlight("answer", &marks);
        assert!(html.len() < 200, "{html}");
        assert!(html.contains("and 2996 more"));
    }

    proptest! {
        #[test]
        fn the_text_is_all_there(text in "\\PC{0,40}", places in proptest::collection::vec((0usize..60, 0usize..60), 0..8)) {
            let marks: Vec<Mark> = places.iter().map(|(start, end)| mark(*start, *end, "found")).collect();
            let html = highlight(&text, &marks);
            let mut plain = String::new();
            let mut rest = html.as_str();
            while let Some((before, after)) = rest.split_once('<') {
                plain.push_str(before);
                rest = after.split_once('>').unwrap().1;
            }
            plain.push_str(rest);
            prop_assert_eq!(plain, escape::html(&text).into_owned());
        }
    }
}
