//! Configurations in YAML, read with words that a person who writes one understands.

use probare_models::without_keys;
use serde::de::DeserializeOwned;

/// What the reader says to programmers, and what it means for the file.
const MEANT: [(&str, &str); 5] = [
    ("cannot deserialize null into string; use Option<String>", "the value is empty, where a text is expected"),
    ("invalid type: unit value", "the value is empty"),
    ("expected mapping start", "names with their values are expected there (`name: value`)"),
    ("expected sequence start", "a list is expected there (`- item`, or `[item, item]`)"),
    ("expected scalar", "a single value is expected there"),
];

/// Reads a configuration; the reason where it cannot be read, without any key that may stand in it.
pub(crate) fn from_yaml<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    // Lines of the file around a mistake could show a key that was written there.
    let options = serde_saphyr::options! { with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let said = error.to_string();
        without_keys(&MEANT.iter().fold(said, |said, (words, meant)| said.replace(words, meant)))
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
        assert!(null.contains("the value is empty, where a text is expected") && null.contains("line 2"), "{null}");
        assert!(!null.contains("Option<"), "{null}");
        assert!(said("datasets: [a.jsonl]\n").contains("`name: value`"), "{}", said("datasets: [a.jsonl]\n"));
        assert!(said("metrics: 3\n").contains("a list is expected"), "{}", said("metrics: 3\n"));
    }
}
