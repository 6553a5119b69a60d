//! Where an answer is cut: into segments for scanning, and finer into items for comparing spellings.

use std::ops::Range;

use probare_text::python::is_decimal;

/// The stretches between `,` `;` `|` and line breaks. A comma inside a number with thousands does not cut, nor does a
/// separator in `kept`.
pub fn segments(text: &str, inner_signs: &[char]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, character) in text.char_indices().filter(|(_, character)| matches!(character, ',' | ';' | '|' | '\n')) {
        probare_cancellation::count_steps(1);
        if inner_signs.contains(&character) || (character == ',' && is_inside_number(text, at)) {
            continue;
        }
        found.push(start..at);
        start = at + 1;
    }
    found.push(start..text.len());
    found
}

/// Whether the comma at `at` stands between a digit and exactly three digits.
fn is_inside_number(text: &str, at: usize) -> bool {
    let after = text[at + 1..].chars().take(4).take_while(|&character| is_decimal(character)).count();
    text[..at].chars().next_back().is_some_and(is_decimal) && after == 3
}

/// The segments, without bullets and numbering, cut also at `and`, `or`, `as well as`, `plus`, `&`, and at `/` where no
/// digit stands beside it.
pub fn items(text: &str, inner_signs: &[char]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for segment in segments(text, inner_signs) {
        probare_cancellation::count_steps(1);
        let segment = without_numbering(text, segment);
        let mut start = segment.start;
        let mut at = segment.start;
        while at < segment.end {
            probare_cancellation::count_steps(1);
            match conjunction(text, at, &segment) {
                Some(length) => {
                    found.push(start..at);
                    at += length;
                    start = at;
                }
                None => at += text[at..].chars().next().map_or(1, char::len_utf8),
            }
        }
        found.push(start..segment.end);
    }
    found.retain(|range| !text[range.clone()].trim().is_empty());
    found
}

/// The length of the conjunction that starts at `at`.
fn conjunction(text: &str, at: usize, segment: &Range<usize>) -> Option<usize> {
    let before = text[segment.start..at].chars().next_back();
    let rest = &text[at..segment.end];
    if rest.starts_with('&') {
        return Some(1);
    }
    if let Some(after) = rest.strip_prefix('/') {
        let is_digit = |neighbour: Option<char>| neighbour.is_some_and(is_decimal);
        return (!is_digit(before) && !is_digit(after.chars().next())).then_some(1);
    }
    if !before.is_none_or(char::is_whitespace) {
        return None;
    }
    ["as well as", "and", "or", "plus"].into_iter().find_map(|word| {
        let length = word.len();
        let is_word = rest.get(..length).is_some_and(|start| start.eq_ignore_ascii_case(word))
            && rest[length..].chars().next().is_none_or(char::is_whitespace);
        is_word.then_some(length)
    })
}

/// The range without a bullet, a number or a letter of a list at its start.
pub fn without_numbering(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = text[range.clone()].trim_start();
    let start = range.end - piece.len();
    let label = if piece.starts_with(['-', '*', '•', '–', '—', '·', '+']) {
        piece.chars().next().map_or(0, char::len_utf8)
    } else {
        let open = usize::from(piece.starts_with('('));
        let digits = piece[open..].bytes().take_while(u8::is_ascii_digit).count();
        let letters = usize::from(digits == 0 && piece[open..].starts_with(|first: char| first.is_ascii_alphabetic()));
        let closed = match piece.as_bytes().get(open + digits + letters) {
            Some(b')') => digits + letters > 0,
            Some(b'.') => digits > 0 && open == 0,
            _ => false,
        };
        if closed { open + digits + letters + 1 } else { 0 }
    };
    let rest = &piece[label..];
    if label == 0 || !rest.starts_with(char::is_whitespace) {
        return start..range.end;
    }
    range.end - rest.trim_start().len()..range.end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut<'a>(text: &'a str, ranges: &[Range<usize>]) -> Vec<&'a str> {
        ranges.iter().map(|range| text[range.clone()].trim()).collect()
    }

    #[test]
    fn thousands_and_kept_separators_do_not_cut() {
        let text = "1,250 boats, 3,50; x|y\nz";
        assert_eq!(cut(text, &segments(text, &[])), ["1,250 boats", "3", "50", "x", "y", "z"]);
        assert_eq!(cut("yes, partly", &segments("yes, partly", &[','])), ["yes, partly"]);
        assert_eq!(cut("", &segments("", &[])), [""]);
    }

    #[test]
    fn items_are_cut_at_conjunctions_and_lose_their_numbers() {
        let text = "1. Wind and sun\n- hydro/tidal & gas plus oil, 2018/2019 as well as Andorra or (b) ore";
        let expected = ["Wind", "sun", "hydro", "tidal", "gas", "oil", "2018/2019", "Andorra", "(b) ore"];
        assert_eq!(cut(text, &items(text, &[])), expected);
        assert_eq!(cut("(2) b", &items("(2) b", &[])), ["b"]);
        assert_eq!(cut("1.5 m", &items("1.5 m", &[])), ["1.5 m"]);
        assert_eq!(cut("-5", &items("-5", &[])), ["-5"]);
    }
}
