//! Where one claim of an answer ends and the next begins.

use std::ops::Range;

use memchr::{memchr2, memchr3};
use probare_text::python;

/// Words that end in a full stop without ending a claim.
const ABBREVIATIONS: [&str; 14] =
    ["e.g.", "i.e.", "u.s.", "u.k.", "dr.", "mr.", "mrs.", "ms.", "st.", "vs.", "etc.", "no.", "ca.", "approx."];

/// Marks that may follow the last full stop of a claim.
const CLOSING: [char; 6] = ['"', '\'', ')', ']', '”', '’'];
/// Marks that may stand before an abbreviation.
const OPENING: [char; 6] = ['(', '"', '\'', '[', '“', '‘'];

/// The bytes of each claim of `answer`, from its first word to its last.
///
/// Newlines and semicolons divide, and so does the end of a sentence: a word that ends in a full stop, an exclamation mark
/// or a question mark, closing marks apart, and is no abbreviation. Commas do not divide.
pub fn claim_spans(answer: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    // The part between two newlines or semicolons that is left to read, and where the next part begins.
    let (mut part, mut next) = (0..0, Some(0));
    std::iter::from_fn(move || {
        loop {
            probare_cancellation::count_steps(1);
            let start = part.end - python::strip_start(&answer[part.clone()]).len();
            if start < part.end {
                part.start = claim_end(&answer[..part.end], start);
                return Some(start..start + python::strip_end(&answer[start..part.start]).len());
            }
            let from = next?;
            let end = memchr2(b'\n', b';', &answer.as_bytes()[from..]).map(|length| from + length);
            next = end.map(|end| end + 1);
            part = from..end.unwrap_or(answer.len());
        }
    })
}

/// The end of the claim that starts at `start`, perhaps with white space before it.
fn claim_end(part: &str, start: usize) -> usize {
    let mut at = start;
    while let Some(found) = memchr3(b'.', b'!', b'?', &part.as_bytes()[at..]) {
        probare_cancellation::count_steps(1);
        at += found + 1;
        let rest = part[at..].trim_start_matches(CLOSING);
        let ends_word = rest.chars().next().is_none_or(python::is_space);
        if ends_word && !is_abbreviation(&part[start..at]) {
            return part.len() - rest.len();
        }
    }
    part.len()
}

/// Whether the last word of `text` is an abbreviation.
fn is_abbreviation(text: &str) -> bool {
    // Back to the space before the word, as long as all is ASCII.
    let stop = text.bytes().rposition(|byte| !byte.is_ascii() || python::is_space(char::from(byte)));
    let start = stop.map_or(0, |stop| stop + 1);
    if stop.is_none_or(|stop| text.as_bytes()[stop].is_ascii()) {
        let word = text[start..].trim_start_matches(OPENING);
        return ABBREVIATIONS.iter().any(|known| word.eq_ignore_ascii_case(known));
    }
    let word = text.rsplit(python::is_space).next().unwrap_or(text).trim_start_matches(OPENING);
    // The longest has seven characters, none of which takes more than three bytes in another case.
    word.len() <= 21 && ABBREVIATIONS.contains(&python::lower(word).as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn claims(answer: &str) -> Vec<&str> {
        claim_spans(answer).map(|span| &answer[span]).collect()
    }

    /// The definition word by word.
    fn plain_claims(answer: &str) -> Vec<String> {
        let mut claims = Vec::new();
        for segment in answer.split(['\n', ';']) {
            let mut words = Vec::new();
            for word in python::split(segment) {
                words.push(word);
                let bare = word.trim_end_matches(CLOSING);
                let plain = python::lower(bare.trim_start_matches(OPENING));
                if bare.ends_with(['.', '!', '?']) && !ABBREVIATIONS.contains(&plain.as_str()) {
                    claims.push(words.join(" "));
                    words.clear();
                }
            }
            if !words.is_empty() {
                claims.push(words.join(" "));
            }
        }
        claims
    }

    #[test]
    fn sentences_newlines_and_semicolons_divide() {
        assert_eq!(
            claims(
                "Shops (e.g. Sears) closed, etc. in the U.S. alone. \"Why?\" It grew\nStores adapted; retail changed."
            ),
            [
                "Shops (e.g. Sears) closed, etc. in the U.S. alone.",
                "\"Why?\"",
                "It grew",
                "Stores adapted",
                "retail changed."
            ]
        );
        assert_eq!(claims(" ;\n; "), [""; 0]);
        assert_eq!(claims("(U.S.) and 3.5 m"), ["(U.S.) and 3.5 m"]);
    }

    #[test]
    fn many_marks_before_an_abbreviation_do_not_hide_it() {
        let marks = "(".repeat(90);
        assert_eq!(claims(&format!("in {marks}e.g. Sears")).len(), 1);
        assert_eq!(claims(&format!("in x{marks}e.g. Sears")).len(), 2);
        assert_eq!(claims("in the u.\u{212a}. too").len(), 1);
    }

    proptest! {
        #[test]
        fn claims_are_those_of_the_definition(answer in "[a-ceEgnos.;\n \"é’“(\u{a0}!]{0,40}") {
            let joined = |span: Range<usize>| python::split(&answer[span]).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(claim_spans(&answer).map(joined).collect::<Vec<_>>(), plain_claims(&answer));
        }

        #[test]
        fn abbreviations_are_known_among_marks(words in "((e\\.g|no|U\\.S|mrs|x|İe)[.]{0,2}[’)]{0,1}[ \u{3000};(“]{1,2}){0,8}") {
            let joined = |span: Range<usize>| python::split(&words[span]).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(claim_spans(&words).map(joined).collect::<Vec<_>>(), plain_claims(&words));
        }
    }
}
