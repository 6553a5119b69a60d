//! The text that a JSON string stands for, and which characters of the string stand for each of its own.

use probare_text::aligned_text::AlignedText;

/// The content of a JSON string without its quotation marks, every character leading back to that content as written;
/// nothing where no character is escaped.
pub(super) fn unescaped(content: &str) -> Option<AlignedText> {
    let mut replacements = Vec::new();
    let mut at = 0;
    while let Some(found) = content[at..].find('\\') {
        let start = at + found;
        let (length, character) = escape(&content[start..]);
        let end = (start + length).min(content.len());
        replacements.push((start..end, character.to_string()));
        at = end;
    }
    (!replacements.is_empty()).then(|| AlignedText::new(content).replace_ranges(&replacements))
}

/// How many bytes an escape takes and what it stands for. Two halves of a character outside the first plane are one.
fn escape(text: &str) -> (usize, char) {
    let character = match text[1..].chars().next() {
        Some('n') => '\n',
        Some('t') => '\t',
        Some('r') => '\r',
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('u') => return unicode_escape(text),
        Some(other) => return (1 + other.len_utf8(), other),
        None => return (1, '\\'),
    };
    (2, character)
}

fn unicode_escape(text: &str) -> (usize, char) {
    let unit = |from: usize| text.get(from..from + 4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let Some(first) = unit(2) else { return (2, char::REPLACEMENT_CHARACTER) };
    if (0xd800..0xdc00).contains(&first)
        && text.get(6..8) == Some("\\u")
        && let Some(second) = unit(8).filter(|unit| (0xdc00..0xe000).contains(unit))
    {
        let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return (12, char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    (6, char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_lead_back_to_where_they_stand() {
        let content = r"caf\u00e9 \ud83d\ude00\n.";
        let plain = unescaped(content).unwrap();
        assert_eq!(plain.text(), "café 😀\n.");
        assert_eq!(&content[plain.original_span(3..5)], r"\u00e9");
        assert!(unescaped("plain").is_none());
        for odd in [r"\", r"\u12", r"\ud83d\u0041", r"\ud83d", "\\é"] {
            assert!(unescaped(odd).is_some(), "{odd}");
        }
    }
}
