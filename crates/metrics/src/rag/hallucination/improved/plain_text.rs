//! A text as one would type it: without the marks of a tokeniser ("has n't", "$ 10, 000") and without references to passages.
//!
//! The result has the length of the original: what moves together leaves its spaces behind it, what is taken out is blank. So places in
//! one are places in the other.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// What stands apart in tokenised text: endings of contractions and possessives, groups of thousands, currency signs and the dashes of
/// ranges; also dots as separators of thousands where there are two of them, so that they cannot be decimal points.
static APART: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let parts = [
        r"(?P<ending>[A-Za-z] (?:n['’]t|['’](?:s|re|ve|ll|d|m))\b)",
        r"(?P<sum>[$€£] ?\d{1,3}(?:, \d{3})+\b|[$€£] \d[\d.,]*|\b\d{1,3}(?:, \d{3})*, 000\b)",
        r"(?P<range>\d -- \d+)",
        r"(?P<dots>\b\d{1,3}(?:\.\d{3}){2,}\b)",
    ];
    Regex::new(&parts.join("|")).ok()
});

/// What a passage is called where an answer refers to it by its number.
const PASSAGE: &str = "(?:passages?|documents?|sources?|contexts?|excerpts?|chunks?|articles?|texts?|references?)";

/// References: "(Passage 2)", "[3]", "according to passages 1 and 3,", "Passage 2 mentions that".
static REFERENCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let numbers = format!(r"#?\d+(?:(?:,? (?:and|or|&) |, ?| ?[-–] ?)(?:{PASSAGE} )?#?\d+)*");
    let named = format!("(?:the )?{PASSAGE} {numbers}");
    let told = r"(?:as )?(?:mentioned|stated|described|noted|indicated|listed|outlined|explained|found) (?:in|by)";
    let says =
        "mentions?|states?|says?|describes?|indicates?|explains?|notes?|suggests?|recommends?|provides?|defines?";
    let parts = [
        format!(
            r"[(\[] ?(?:see |from |source: |{told} |according to |based on )?{named}(?:,? [^()\[\]]{{0,24}})?[)\]]"
        ),
        r"\[\d{1,2}(?:, ?\d{1,2})*\]".to_owned(),
        format!(r",? ?\b(?:according to|based on|(?:is |are |was |were )?{told}|in|from|by|per) {named},?"),
        format!(r"\b{named}(?: (?:also |both )?(?:{says})(?: that)?)?"),
    ];
    Regex::new(&format!("(?i){}", parts.join("|"))).ok()
});

/// A passage that is called by its number.
static NUMBERED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!(r"(?i)\b{PASSAGE} #?\d")).ok());

/// Dots of an address of a network, and the greatest number between them.
const ADDRESS_DOTS: usize = 3;
const MOST_IN_ADDRESS: u32 = 255;

/// A text without the marks of a tokeniser.
pub(super) fn detokenised(text: &str) -> Cow<'_, str> {
    let Some(apart) = APART.as_ref() else { return Cow::Borrowed(text) };
    apart.replace_all(text, |found: &Captures<'_>| {
        let all = &found[0];
        if found.name("dots").is_some() {
            return if is_address(all) { all.to_owned() } else { all.replace('.', ",") };
        }
        let mut joined = all.replace("--", "-").replace(' ', "");
        joined.extend(std::iter::repeat_n(' ', all.len() - joined.len()));
        joined
    })
}

/// A response without references to the passages by number, unless its context has such numbers itself.
pub(super) fn without_references<'t>(text: &'t str, chunks: &[&str]) -> Cow<'t, str> {
    let (Some(reference), Some(numbered)) = (REFERENCE.as_ref(), NUMBERED.as_ref()) else {
        return Cow::Borrowed(text);
    };
    if !reference.is_match(text) || chunks.iter().any(|chunk| numbered.is_match(chunk)) {
        return Cow::Borrowed(text);
    }
    reference.replace_all(text, |found: &Captures<'_>| " ".repeat(found[0].len()))
}

fn is_address(text: &str) -> bool {
    text.matches('.').count() == ADDRESS_DOTS
        && text.split('.').all(|part| part.parse().is_ok_and(|number: u32| number <= MOST_IN_ADDRESS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_joined_and_places_stay() {
        for (text, expected) in [
            ("It has n't sold.", "It hasn't  sold."),
            ("They ca n’t say.", "They can’t  say."),
            ("the firm 's plan", "the firm's  plan"),
            ("$ 10, 000 a year", "$10,000   a year"),
            ("about 10, 000 people", "about 10,000  people"),
            ("$ 4.2 million", "$4.2  million"),
            ("in 2007 -- 08 .", "in 2007-08    ."),
            ("2.000.000 pesos", "2,000,000 pesos"),
            ("host 192.168.100.200 and 1.000 m", "host 192.168.100.200 and 1.000 m"),
            ("rooms 10, 200 and 300", "rooms 10, 200 and 300"),
            ("the teams' rooms", "the teams' rooms"),
        ] {
            assert_eq!(detokenised(text), expected);
            assert_eq!(expected.len(), text.len(), "{text}");
        }
        assert!(matches!(detokenised("It hasn't sold 10,000."), Cow::Borrowed(_)));
    }

    #[test]
    fn references_to_passages_are_blank() {
        let plain = |text: &str, chunks: &[&str]| without_references(text, chunks).trim().to_owned();
        assert_eq!(plain("It repels fleas (Passage 2, point 3).", &["Fleas."]).replace(' ', ""), "Itrepelsfleas.");
        assert_eq!(plain("According to passages 1 and 3, it rains.", &["Rain."]), "it rains.");
        assert_eq!(plain("Passage 2 mentions that it rains [2].", &["Rain."]).replace("  ", ""), "it rains.");
        assert_eq!(plain("See passage 2.", &["Passage 2 is closed."]), "See passage 2.");
        assert_eq!(plain("The passage costs 2 euros.", &["Rain."]), "The passage costs 2 euros.");
    }
}
