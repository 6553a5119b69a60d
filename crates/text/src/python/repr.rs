//! `repr` of a string.

use std::fmt::Write;

use super::is_printable;

/// `repr(text)`: single quotes unless the text holds one and no double quote; unprintable characters escaped.
pub fn repr_str(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if character == quote => {
                out.push('\\');
                out.push(quote);
            }
            _ if is_printable(character) => out.push(character),
            _ => push_escape(&mut out, u32::from(character)),
        }
    }
    out.push(quote);
    out
}

/// The shortest of `\xHH`, `\uHHHH`, `\UHHHHHHHH` that can name the code.
fn push_escape(out: &mut String, code: u32) {
    let written = match code {
        0..=0xff => write!(out, "\\x{code:02x}"),
        0x100..=0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
    written.expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_follow_the_content() {
        assert_eq!(repr_str("it"), "'it'");
        assert_eq!(repr_str("it's"), "\"it's\"");
        assert_eq!(repr_str("\"it's\""), "'\"it\\'s\"'");
    }

    #[test]
    fn unprintable_characters_are_escaped() {
        assert_eq!(repr_str("a\\\n\t\r\0\x7f"), "'a\\\\\\n\\t\\r\\x00\\x7f'");
        assert_eq!(repr_str("é\u{a0}\u{ad}\u{200b}😀\u{e000}\u{10ffff}"), "'é\\xa0\\xad\\u200b😀\\ue000\\U0010ffff'");
    }
}
