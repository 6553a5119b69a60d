//! Words as the published program compares them: tokens, content words and their stems, and what is copied from the message.

use std::collections::{BTreeMap, BTreeSet};

use probare_text::runs::for_each_run;

use super::lists::lists;

/// Neighbouring tokens that count as copied together.
const COPIED: usize = 3;

/// The tokens of a text: runs of ASCII letters, digits and `_` of the text in small letters.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let mut tokens = Vec::new();
    for_each_run(
        lower.as_bytes(),
        |byte| byte.is_ascii_alphanumeric() || byte == b'_',
        |start, end| {
            probare_cancellation::count_steps(1);
            tokens.push(lower[start..end].to_owned());
        },
    );
    tokens
}

/// Whether a token says nothing by itself.
pub(super) fn is_filler(token: &str) -> bool {
    lists().filler.contains(token)
}

/// Whether a token has content: at least three characters, and no filler.
pub(super) fn is_content(token: &str) -> bool {
    token.len() >= 3 && !is_filler(token)
}

/// Distinct content words, in order of first occurrence.
pub(super) fn content_words(tokens: &[String]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    tokens.iter().map(String::as_str).filter(|token| is_content(token) && seen.insert(*token)).collect()
}

/// The stem of a token by one rule, the first that applies.
pub(super) fn stem(token: &str) -> String {
    let length = token.len();
    if length <= 3 {
        return token.to_owned();
    }
    if let Some(singular) = lists().irregular_stems.get(token) {
        return singular.clone();
    }
    let without = |ending: &str| token.strip_suffix(ending).map(str::to_owned);
    if length > 4
        && let Some(base) = without("ies").or_else(|| without("ied"))
    {
        return base + "y";
    }
    if length > 5
        && let Some(base) = without("ing")
    {
        return base;
    }
    if length > 4
        && let Some(base) = without("ed")
    {
        return base;
    }
    if length > 4 && ["ses", "xes", "zes", "ches", "shes"].iter().any(|ending| token.ends_with(ending)) {
        return token[..length - 2].to_owned();
    }
    if token.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| token.ends_with(ending)) {
        return token[..length - 1].to_owned();
    }
    token.to_owned()
}

/// The stems of words.
pub(super) fn stems<'a>(words: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    words.into_iter().map(stem).collect()
}

/// For each token of a reply whether it is copied: inside three neighbouring tokens that stand in the message in this order.
pub(super) fn copied(reply: &[String], user: &[String]) -> Vec<bool> {
    let known: BTreeSet<&[String]> = user.windows(COPIED).collect();
    let mut copied = vec![false; reply.len()];
    for (at, window) in reply.windows(COPIED).enumerate() {
        probare_cancellation::count_steps(1);
        if known.contains(window) {
            copied[at..at + COPIED].fill(true);
        }
    }
    copied
}

/// The longest runs of copied tokens, each once, in the order of bytes.
pub(super) fn echoed_spans(reply: &[String], copied: &[bool]) -> Vec<String> {
    let mut spans: BTreeSet<String> = BTreeSet::new();
    let mut at = 0;
    for run in copied.chunk_by(|left, right| left == right) {
        if run[0] {
            spans.insert(reply[at..at + run.len()].join(" "));
        }
        at += run.len();
    }
    spans.into_iter().collect()
}

/// Words in the order in which ICU sorts English: `_` before digits before letters.
pub(super) fn collated(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let rank = |word: &str| -> Vec<u8> { word.bytes().map(|byte| if byte == b'_' { 0 } else { byte }).collect() };
    let sorted: BTreeMap<Vec<u8>, String> = words.into_iter().map(|word| (rank(&word), word)).collect();
    sorted.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rule_makes_a_stem() {
        for (token, expected) in [
            ("worries", "worry"),
            ("tried", "try"),
            ("lies", "lie"),
            ("going", "going"),
            ("walking", "walk"),
            ("needed", "need"),
            ("churches", "church"),
            ("buses", "bus"),
            ("glass", "glass"),
            ("virus", "virus"),
            ("cats", "cat"),
            ("children", "child"),
            ("men", "men"),
        ] {
            assert_eq!(stem(token), expected, "{token}");
        }
    }

    #[test]
    fn three_tokens_in_order_are_copied() {
        let [reply, user] = ["so my old dog died, my old dog", "My old dog died today"].map(tokens);
        let copied = copied(&reply, &user);
        assert_eq!(copied, [false, true, true, true, true, true, true, true]);
        assert_eq!(echoed_spans(&reply, &copied), ["my old dog died my old dog"]);
        assert_eq!(collated(["b", "_a", "a1", "1"].map(str::to_owned)), ["_a", "1", "a1", "b"]);
    }
}
