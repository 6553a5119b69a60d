//! Configurations in YAML, read with words that a person who writes one understands.

use probare_models::without_keys;
use serde::de::DeserializeOwned;

/// What the reader says to programmers, and what it means for the file.
const MEANT: [(&str, &str); 5] = [
    ("cannot deserialize null into string; use Option<String>", EMPTY),
    ("invalid type: unit value", EMPTY),
    ("expected mapping start", "expected names with values (`name: value`)"),
    ("expected sequence start", "expected a list (`- item`, or `[item, item]`)"),
    ("expected scalar", "expected a single value"),
];

/// What is said of a key without a value.
const EMPTY: &str = "a value is empty";

/// `` `name` is empty (line 17) `` in place of what the reader says about a key without a value; nothing where its line does
/// not show the key.
fn empty_value(said: &str, text: &str) -> Option<String> {
    let behind = said.contains(EMPTY).then(|| said.split("line ").nth(1)).flatten()?;
    let digits = behind.find(|character: char| !character.is_ascii_digit()).unwrap_or(behind.len());
    let number: usize = behind[..digits].parse().ok()?;
    let lines: Vec<&str> = text.lines().collect();
    // The place of a value that is not there may be the line behind its key.
    let (line, key) = [number, number.saturating_sub(1)].into_iter().find_map(|number| {
        let line = lines.get(number.checked_sub(1)?)?;
        let (key, rest) = line.trim_start_matches([' ', '-']).split_once(':')?;
        let value = rest.split('#').next().unwrap_or_default().trim();
        let is_empty = matches!(value, "" | "~" | "null");
        (is_empty && !key.is_empty()).then_some((number, key))
    })?;
    Some(format!("`{key}` is empty (line {line}); write a value behind the colon, or leave the line out"))
}

/// Reads a configuration; the reason where it cannot be read, without any key that may stand in it.
pub fn from_yaml<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    // Lines of the file around a mistake could show a key that was written there.
    let options = serde_saphyr::options! { with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let said = error.to_string();
        let said = MEANT.iter().fold(said, |said, (words, meant)| said.replace(words, meant));
        without_keys(&empty_value(&said, text).unwrap_or(said))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    #[test]
    fn mistakes_are_told_in_words_for_people() {
        let said = |text: &str| from_yaml::<Config>(text).unwrap_err();
        let null = said("models:\n  - name:\n");
        assert_eq!(null, "`name` is empty (line 2); write a value behind the colon, or leave the line out");
        let number = said("models:\n  - name: a\nrun:\n  seed: # later\n  concurrency: many\n");
        assert!(!number.contains("unit value"), "{number}");
        assert!(!null.contains("Option<"), "{null}");
        assert!(said("datasets: [a.jsonl]\n").contains("`name: value`"), "{}", said("datasets: [a.jsonl]\n"));
        assert!(said("metrics: 3\n").contains("expected a list"), "{}", said("metrics: 3\n"));
    }
}
