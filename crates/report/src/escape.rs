//! The one place where text of others is made safe for a format.
//!
//! Whatever a model, a file or a judge said is data. Every renderer, and the command line, passes it through one of
//! these functions before it reaches a terminal, a page, a spreadsheet or a parser. Characters that a reader would not
//! see, or that would change what a reader sees, are shown by their code, such as `\u{202e}`.

use std::borrow::Cow;

/// For one line on a terminal: nothing in the result can move the cursor, change colours or reorder the line.
///
/// Control characters (C0, C1, ESC, DEL), bidirectional controls and characters without width are shown by their code;
/// line breaks and tabs become `\n`, `\r`, `\t`, so that one text stays on one line.
pub fn terminal(text: &str) -> Cow<'_, str> {
    rewrite(text, |character, _, _| match character {
        '\n' => Some("\\n".into()),
        '\r' => Some("\\r".into()),
        '\t' => Some("\\t".into()),
        other => hidden_code(other),
    })
}

/// For several lines on a terminal: as [`terminal`], but line breaks stay and a tab becomes four spaces. No line is one that the
/// runner of GitHub takes for a command (`::error …`, `##[error]…`): such a line begins with a backslash.
pub fn terminal_lines(text: &str) -> Cow<'_, str> {
    rewrite(text, |character, before, after| match character {
        '\n' => None,
        '\t' => Some("    ".into()),
        ':' | '#' if is_command(character, before, after) => Some(format!("\\{character}").into()),
        other => hidden_code(other),
    })
}

/// Whether a command of GitHub's runner begins here, behind nothing but spaces.
fn is_command(character: char, before: &str, after: &str) -> bool {
    let starts = if character == ':' { after.starts_with(':') } else { after.starts_with("#[") };
    let line = before.trim_end_matches(|character: char| character != '\n' && character.is_whitespace());
    starts && (line.is_empty() || line.ends_with('\n'))
}

/// For HTML, as text or inside a quoted attribute.
///
/// Line breaks and tabs stay. Joiners and direction marks stay too, because several scripts and emoji need them and the
/// page isolates every text; overrides, controls and characters without width are shown by their code.
pub fn html(text: &str) -> Cow<'_, str> {
    rewrite(text, |character, _, _| match character {
        '&' => Some("&amp;".into()),
        '<' => Some("&lt;".into()),
        '>' => Some("&gt;".into()),
        '"' => Some("&quot;".into()),
        '\'' => Some("&#39;".into()),
        '\r' => Some("&#13;".into()),
        '\n' | '\t' | '\u{200c}'..='\u{200f}' | '\u{61c}' | '\u{ad}' => None,
        other => hidden_code(other),
    })
}

/// The characters, from and to, that [`html`] shows by their code: what a script that shows texts has to show as well.
pub(crate) const HTML_HIDDEN: [(u32, u32); 14] = [
    (0x00, 0x08),
    (0x0b, 0x0c),
    (0x0e, 0x1f),
    (0x7f, 0x9f),
    (0x115f, 0x1160),
    (0x180e, 0x180e),
    (0x200b, 0x200b),
    (0x2028, 0x202e),
    (0x2060, 0x206f),
    (0x3164, 0x3164),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff9, 0xfffb),
    (0xfffe, 0xffff),
];

/// The first and the last of the tag characters, which [`html`] shows by their code too.
pub(crate) const TAG_CHARACTERS: (u32, u32) = (0xe0000, 0xe007f);

/// For JSON inside a `<script>` element that is data: nothing in it can end the element or open a comment, and what a reader
/// would not see is written by its code. The text must be JSON; as JSON it stays the same.
pub fn script_json(json: &str) -> Cow<'_, str> {
    rewrite(json, |character, _, _| match character {
        '<' | '>' | '&' => Some(format!("\\u{:04x}", u32::from(character)).into()),
        // Spaces between JSON tokens are not text.
        '\n' | '\r' | '\t' => None,
        other if hidden_code(other).is_some() => {
            let mut units = [0; 2];
            let codes: Vec<String> =
                other.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect();
            Some(codes.concat().into())
        }
        _ => None,
    })
}

/// For XML 1.0, as text or inside a quoted attribute. Line breaks and tabs become references, so that a parser gives
/// them back unchanged; characters that XML cannot hold are shown by their code.
pub fn xml(text: &str) -> Cow<'_, str> {
    rewrite(text, |character, _, _| match character {
        '&' => Some("&amp;".into()),
        '<' => Some("&lt;".into()),
        '>' => Some("&gt;".into()),
        '"' => Some("&quot;".into()),
        '\'' => Some("&apos;".into()),
        '\n' => Some("&#10;".into()),
        '\r' => Some("&#13;".into()),
        '\t' => Some("&#9;".into()),
        other if other.is_control() || matches!(other, '\u{fffe}' | '\u{ffff}') => Some(code(other).into()),
        _ => None,
    })
}

/// For Markdown inside a line or a table cell: no markup, link, image, code or raw HTML comes out of it, and it stays on
/// one line.
pub fn markdown(text: &str) -> Cow<'_, str> {
    rewrite(text, |character, before, after| match character {
        '&' => Some("&amp;".into()),
        '<' => Some("&lt;".into()),
        '>' => Some("&gt;".into()),
        '\n' | '\r' | '\t' => Some(" ".into()),
        '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '#' | '|' | '~' | '!' | '$' | '@' => {
            Some(format!("\\{character}").into())
        }
        // Bare addresses would become links: `mail@…` above, `https://…` and `www.…` here.
        ':' if after.starts_with("//") => Some("\\:".into()),
        '.' if before.as_bytes().last_chunk::<3>().is_some_and(|last| last.eq_ignore_ascii_case(b"www")) => {
            Some("\\.".into())
        }
        other => hidden_code(other),
    })
}

/// A text as a part of an address: everything but plain letters, digits and `-._~` is written by its bytes.
pub fn address(text: &str) -> String {
    let mut address = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            address.push_str(&format!("%{byte:02X}"));
        }
    }
    address
}

/// For one cell of a CSV file: quoted where needed, and never read as a formula.
///
/// A cell that starts with `=`, `+`, `-`, `@` (also in their full-width forms), a tab or a line break gets an apostrophe
/// in front, unless it is a plain number.
pub fn csv(text: &str) -> Cow<'_, str> {
    let neutral: Cow<'_, str> =
        if starts_as_formula(text) && !is_number(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) };
    // A semicolon or a tab separates cells in some locales and programs, so they are quoted like a comma.
    if neutral.contains(['"', ',', ';', '\t', '\n', '\r', '\'']) || neutral.trim() != neutral {
        Cow::Owned(format!("\"{}\"", neutral.replace('"', "\"\"")))
    } else {
        neutral
    }
}

/// The text that a cell of a CSV file which [`csv`] wrote stands for, once its quotation marks are gone.
pub fn from_csv(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if starts_as_formula(text) && !is_number(text) => text,
        _ => cell,
    }
}

/// The first `limit` characters on one line, with `…` where something was cut. Not an escape: apply one afterwards.
///
/// Runs of spaces and line breaks become one space: an excerpt is for recognising a text, not for reading it.
pub fn excerpt(text: &str, limit: usize) -> String {
    let mut short = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        if length > 0 {
            short.push(' ');
            length += 1;
        }
        for character in word.chars() {
            if length >= limit {
                short.truncate(short.trim_end().len());
                short.push('…');
                return short;
            }
            short.push(character);
            length += 1;
        }
    }
    short
}

/// Whether a spreadsheet might take the text for a formula.
fn starts_as_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'])
}

/// Whether the text is a number and nothing else, such as `-5` or `+1.5e3`.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'))
        && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The code of a character that a reader would not see or that changes what a reader sees: controls, bidirectional
/// controls, zero width, invisible fillers, separators of lines, and the tag characters in which a text can be hidden.
fn hidden_code(character: char) -> Option<Cow<'static, str>> {
    is_hidden(character).then(|| code(character).into())
}

/// Whether a character is shown by its code.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

fn code(character: char) -> String {
    format!("\\u{{{:x}}}", u32::from(character))
}

/// Copies `text` with replacements. `replacement` sees each character with all text before and after it; the text is
/// copied only when something was replaced.
fn rewrite(text: &str, replacement: impl Fn(char, &str, &str) -> Option<Cow<'static, str>>) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept_from = 0;
    for (at, character) in text.char_indices() {
        let next = at + character.len_utf8();
        if let Some(replacement) = replacement(character, &text[..at], &text[next..]) {
            out.push_str(&text[kept_from..at]);
            out.push_str(&replacement);
            kept_from = next;
        }
    }
    if kept_from == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[kept_from..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_terminal_sees_no_control_and_no_reordering() {
        assert_eq!(terminal("\u{1b}[31mred\u{1b}[0m"), "\\u{1b}[31mred\\u{1b}[0m");
        assert_eq!(terminal("a\u{202e}b\u{200b}c\u{9b}d"), "a\\u{202e}b\\u{200b}c\\u{9b}d");
        assert_eq!(terminal("line\nnext\tcell\r"), "line\\nnext\\tcell\\r");
        assert_eq!(terminal_lines("line\nnext\tcell"), "line\nnext    cell");
        assert!(matches!(terminal("plain é 語"), Cow::Borrowed(_)));
    }

    #[test]
    fn no_line_is_a_command_of_githubs_runner() {
        let forged = "a ::b\n::error title=x::y\n \t::stop-commands::z\n##[error]w\n# ok\nstd::vec";
        let safe = "a ::b\n\\::error title=x::y\n     \\::stop-commands::z\n\\##[error]w\n# ok\nstd::vec";
        assert_eq!(terminal_lines(forged), safe);
        assert_eq!(terminal_lines("::error::x"), "\\::error::x");
    }

    #[test]
    fn html_stays_text() {
        assert_eq!(html("<script>\"'&"), "&lt;script&gt;&quot;&#39;&amp;");
        assert_eq!(html("a\u{202e}b\u{0}"), "a\\u{202e}b\\u{0}");
        assert_eq!(html("👩\u{200d}🔬\nnext"), "👩\u{200d}🔬\nnext");
    }

    #[test]
    fn formulas_are_neutralised_and_numbers_are_not() {
        assert_eq!(csv("=cmd|' /C calc'!A0"), "\"'=cmd|' /C calc'!A0\"");
        assert_eq!(csv("@SUM(A1)"), "\"'@SUM(A1)\"");
        assert_eq!(csv("\t=1"), "\"'\t=1\"");
        assert_eq!(csv("-5.5e3"), "-5.5e3");
        assert_eq!(csv("-5+2"), "\"'-5+2\"");
        assert_eq!(csv("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv("plain"), "plain");
    }

    #[test]
    fn xml_holds_no_forbidden_character() {
        assert_eq!(xml("\u{0}<a b='\n'>\u{fffe}"), "\\u{0}&lt;a b=&apos;&#10;&apos;&gt;\\u{fffe}");
    }

    #[test]
    fn markdown_has_no_markup_and_one_line() {
        assert_eq!(markdown("`a|b`\n<b>[x](http://y)"), "\\`a\\|b\\` &lt;b&gt;\\[x\\]\\(http\\://y\\)");
        assert_eq!(markdown("www.example.org"), "www\\.example.org");
    }

    #[test]
    fn an_excerpt_is_cut_between_characters() {
        assert_eq!(excerpt("  two\n words ", 20), "two words");
        assert_eq!(excerpt("größer", 3), "grö…");
        assert_eq!(excerpt("one two", 4), "one…");
        assert_eq!(excerpt("", 0), "");
    }

    #[test]
    fn a_script_is_told_what_the_page_hides() {
        let hidden = |code: u32| {
            HTML_HIDDEN.iter().chain([&TAG_CHARACTERS]).any(|(first, last)| (*first..=*last).contains(&code))
        };
        for character in '\0'..=char::MAX {
            let shown = html(&character.to_string()).starts_with('\\') && character != '\\';
            assert_eq!(hidden(u32::from(character)), shown, "{character:?}");
        }
    }

    proptest! {
        #[test]
        fn json_in_a_script_stays_the_same_json_and_ends_nothing(text in any::<String>()) {
            let text = format!("{text}</script><!--\u{2028}\u{e0041}");
            let json = serde_json::to_string(&text).unwrap();
            let safe = script_json(&json);
            let dangerous = ['<', '>', '&', '\u{2028}', '\u{202e}', '\u{e0041}'];
            prop_assert!(!safe.contains(dangerous));
            prop_assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), text);
        }

        #[test]
        fn no_escape_lets_a_dangerous_character_through(text in any::<String>()) {
            let shown = terminal(&text);
            prop_assert!(!shown.chars().any(char::is_control));
            prop_assert!(!terminal_lines(&text).chars().any(|c| c.is_control() && c != '\n'));
            let dangerous = ['<', '>', '"', '\'', '\u{202e}', '\u{1b}'];
            prop_assert!(!html(&text).contains(dangerous));
            prop_assert!(!markdown(&text).contains(['<', '>', '\n', '\r']));
        }

        #[test]
        fn xml_gives_back_all_but_what_it_cannot_hold(text in "[^\u{0}-\u{8}\u{b}\u{c}\u{e}-\u{1f}\u{7f}-\u{9f}\u{fffe}\u{ffff}]*") {
            let document = format!("<a b=\"{0}\">{0}</a>", xml(&text));
            let parsed = roxmltree::Document::parse(&document).unwrap();
            prop_assert_eq!(parsed.root_element().attribute("b"), Some(text.as_str()));
            prop_assert_eq!(parsed.root_element().text().unwrap_or(""), text.as_str());
        }

        #[test]
        fn any_text_is_well_formed_xml(text in any::<String>()) {
            let document = format!("<a b=\"{0}\">{0}</a>", xml(&text));
            prop_assert!(roxmltree::Document::parse(&document).is_ok());
        }

        #[test]
        fn csv_reads_back_and_never_starts_a_formula(text in any::<String>()) {
            let line = format!("{},end\n", csv(&text));
            let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
            let record = reader.records().next().unwrap().unwrap();
            let cell = &record[0];
            prop_assert!(cell == text || cell.strip_prefix('\'') == Some(text.as_str()));
            // Of a text and the same text with an apostrophe before it, a cell cannot tell one from the other.
            let is_ambiguous = text.strip_prefix('\'').is_some_and(starts_as_formula);
            prop_assert!(from_csv(cell) == text || is_ambiguous);
            prop_assert!(!starts_as_formula(cell) || is_number(cell));
            prop_assert_eq!(&record[1], "end");
        }
    }
}
