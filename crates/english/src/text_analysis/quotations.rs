//! Quotations and code: somebody else's words.

use std::ops::Range;

use probare_cancellation::count_steps;

/// The ranges of quotations and code, in order and without overlap. A quotation mark without its counterpart in the same
/// line sets nothing apart.
pub(super) fn quoted_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    let mut line_end = 0;
    // Marks that nothing closes in this line: nothing closes them further on in it either.
    let mut open: Vec<char> = Vec::new();
    while let Some(offset) = next_mark(&text[at..]) {
        count_steps(1);
        let start = at + offset;
        if start >= line_end {
            line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
            open.clear();
        }
        let rest = &text[start..line_end];
        let Some(mark) = rest.chars().next() else { break };
        let end = match text[start..].strip_prefix("```") {
            Some(code) => Some(code.find("```").map_or(text.len(), |close| start + 3 + close + 3)),
            None if open.contains(&mark) => None,
            None => closing(rest).map(|length| start + length),
        };
        if let Some(end) = end {
            ranges.push(start..end);
            at = end;
        } else {
            open.push(mark);
            at = start + mark.len_utf8();
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

/// Length of the quotation or code that opens a line, up to and with its closing mark.
fn closing(line: &str) -> Option<usize> {
    let mut characters = line.chars();
    let open = characters.next()?;
    let line = characters.as_str();
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
