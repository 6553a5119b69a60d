//! Quotations and code: somebody else's words.

use std::ops::Range;

/// The ranges of quotations and code, in order and without overlap. A quotation mark without its counterpart in the same
/// line sets nothing apart.
pub(super) fn set_apart(text: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(offset) = next_mark(&text[at..]) {
        let start = at + offset;
        let rest = &text[start..];
        let end = match rest.strip_prefix("```") {
            Some(code) => Some(code.find("```").map_or(text.len(), |close| start + 3 + close + 3)),
            None => closing(rest).map(|length| start + length),
        };
        match end {
            Some(end) => {
                ranges.push(start..end);
                at = end;
            }
            None => at = start + rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    ranges
}

/// Most texts are ASCII, where two of the marks can stand: only a byte beyond it is decoded.
fn next_mark(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| matches!(byte, b'`' | b'"' | 0xc2 | 0xe2)) {
        at += found;
        if text[at..].starts_with(['`', '"', '“', '„', '«', '‘']) {
            return Some(at);
        }
        at += text[at..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// Length of the quotation or code that opens a text, up to and with its closing mark.
fn closing(rest: &str) -> Option<usize> {
    let mut characters = rest.chars();
    let open = characters.next()?;
    let inner = characters.as_str();
    let line = inner.split('\n').next().unwrap_or(inner);
    let close = match open {
        '`' => line.find('`').map(|at| at + 1),
        '"' => line.find(['"', '”']).map(|at| at + mark_length(line, at)),
        '“' | '„' => line.find(['”', '"', '“']).map(|at| at + mark_length(line, at)),
        '«' => line.find('»').map(|at| at + mark_length(line, at)),
        // An apostrophe within a word closes nothing.
        '‘' => line
            .match_indices('’')
            .find(|(at, mark)| !line[at + mark.len()..].starts_with(char::is_alphanumeric))
            .map(|(at, mark)| at + mark.len()),
        _ => None,
    };
    close.map(|length| open.len_utf8() + length)
}

fn mark_length(line: &str, at: usize) -> usize {
    line[at..].chars().next().map_or(0, char::len_utf8)
}
