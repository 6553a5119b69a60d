//! Small whole numbers as single words: digits, number words, ordinals, Roman numerals.
//!
//! They number kings, wars and chapters, so `George VI`, `George the Sixth` and `George 6` meet here. Larger numbers with
//! units are read by `probare_text::quantities`.

use probare_text::number_words::small_number;

use super::words::AnswerWord;

/// The number that a single word is.
pub(crate) fn numeral_value(word: &AnswerWord) -> Option<u32> {
    if word.starts_with_digit() {
        let digits = word.text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let ending = &word.text[digits.len()..];
        return if matches!(ending, "" | "st" | "nd" | "rd" | "th") { digits.parse().ok() } else { None };
    }
    small_number(&word.text).or_else(|| if word.is_upper { roman(&word.text) } else { None })
}

/// The value of a Roman numeral below 40, in small letters.
fn roman(word: &str) -> Option<u32> {
    const TENS: [&str; 4] = ["", "x", "xx", "xxx"];
    const ONES: [&str; 10] = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"];
    if word.is_empty() || word.len() > 7 || !word.bytes().all(|letter| matches!(letter, b'i' | b'v' | b'x')) {
        return None;
    }
    (1..40_u32).find(|number| {
        let (tens, ones) = (TENS[(number / 10) as usize], ONES[(number % 10) as usize]);
        word.len() == tens.len() + ones.len() && word.starts_with(tens) && word.ends_with(ones)
    })
}

#[cfg(test)]
mod tests {
    use super::super::words::answer_words;
    use super::*;

    #[test]
    fn kings_are_numbered_in_many_ways() {
        for (text, expected) in [
            ("VI", Some(6)),
            ("sixth", Some(6)),
            ("6th", Some(6)),
            ("6", Some(6)),
            ("XXXIX", Some(39)),
            ("eightieth", Some(80)),
            ("vi", None),
            ("IIII", None),
            ("1960s", None),
            ("mix", None),
            ("99999999999", None),
        ] {
            assert_eq!(numeral_value(&answer_words(text)[0]), expected, "{text}");
        }
    }
}
