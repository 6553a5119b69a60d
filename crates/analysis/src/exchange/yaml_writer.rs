//! [`to_yaml`]: a value as YAML in blocks, for configurations that people go on writing.

use serde_json::Value as Json;

/// Words that YAML takes for something else than a text.
const RESERVED: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];

/// The value as YAML, with a line break at its end.
pub(super) fn to_yaml(value: &Json) -> String {
    let mut text = String::new();
    write_block(value, 0, &mut text);
    text
}

fn write_block(value: &Json, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Json::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                out.push_str(&format!("{pad}{}:", scalar(&Json::String(key.clone()))));
                write_value(value, indent, out);
            }
        }
        Json::Array(items) if !items.is_empty() => {
            for item in items {
                let mut inner = String::new();
                write_block(item, indent + 2, &mut inner);
                out.push_str(&format!("{pad}- {}", inner.get(indent + 2..).unwrap_or_default()));
            }
        }
        other => out.push_str(&format!("{pad}{}\n", scalar(other))),
    }
}

fn write_value(value: &Json, indent: usize, out: &mut String) {
    match value {
        Json::Object(map) if !map.is_empty() => {
            out.push('\n');
            write_block(value, indent + 2, out);
        }
        Json::Array(items) if !items.is_empty() => {
            out.push('\n');
            write_block(value, indent + 2, out);
        }
        other => out.push_str(&format!(" {}\n", scalar(other))),
    }
}

/// A text of letters, digits and `_` as it is; everything else as JSON, which YAML reads as well.
fn scalar(value: &Json) -> String {
    match value {
        Json::String(text)
            if text.starts_with(|first: char| first.is_ascii_alphabetic())
                && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
                && !RESERVED.contains(&text.to_ascii_lowercase().as_str()) =>
        {
            text.clone()
        }
        other => escape_hidden(&other.to_string()),
    }
}

/// Spells out characters that JSON may hold as they are and YAML may not.
fn escape_hidden(json: &str) -> String {
    let is_hidden = |character: char| {
        character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    json.chars().fold(String::with_capacity(json.len()), |mut text, character| {
        if is_hidden(character) {
            text.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            text.push(character);
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use probare_engine::yaml::from_yaml;

    #[test]
    fn blocks_are_indented_and_texts_quoted_where_they_have_to_be() {
        let value = json!({
            "metrics": [{"id": "openai_grader", "options": {"grader": {"type": "string_check", "input": "{{ a }}"}}}],
            "judges": ["on", "gpt_4"], "none": [], "size": 1.5, "two": [[1, 2], []],
        });
        let expected = "metrics:\n  - id: openai_grader\n    options:\n      grader:\n        type: string_check\n        input: \"{{ a }}\"\n\
                        judges:\n  - \"on\"\n  - gpt_4\nnone: []\nsize: 1.5\ntwo:\n  - - 1\n    - 2\n  - []\n";
        assert_eq!(to_yaml(&value), expected);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let texts = [
            "",
            " ",
            "a",
            "yes",
            "No",
            "null",
            "~",
            "1.5",
            "0x1f",
            "a: b",
            "# no remark",
            "- item",
            "line\nbreak",
            "tab\there",
            "quote \" and \\",
            "{{ item.x }}",
            "@file",
            "é – 漢字 😀",
            "\u{7f}\u{feff}\u{2028}",
            "'single'",
            "*alias",
            "&anchor",
            "!tag",
        ];
        for text in texts {
            let value = json!({text: [{"a": text, "b": [1.25, null, true]}, text], "z": {"n": {"c": text}}});
            let read: Json = from_yaml(&to_yaml(&value)).unwrap();
            assert_eq!(read, value, "{text:?}");
        }
    }
}
