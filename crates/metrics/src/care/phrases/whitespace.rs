//! White space and line ends as JavaScript's patterns know them, since the published definitions lean on both.

/// White space: the space separators of Unicode, the ASCII controls from tab to return, the line and paragraph separators
/// and the byte order mark; not the next-line control.
#[inline]
pub const fn is_js_whitespace(character: char) -> bool {
    matches!(
        character,
        '\t'..='\r'
            | ' '
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
            | '\u{feff}'
    )
}
