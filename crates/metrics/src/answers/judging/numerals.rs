//! Small whole numbers as single words: digits, number words, ordinals, Roman numerals.
//!
//! They number kings, wars and chapters, so `George VI`, `George the Sixth` and `George 6` meet here. Larger numbers with
//! units are read by `probare_text::quantities`.

use super::words::Word;

const UNITS: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

const ORDINALS: [&str; 20] = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];

const TENS: [(&str, &str); 8] = [
    ("twenty", "twentieth"),
    ("thirty", "thirtieth"),
    ("forty", "fortieth"),
    ("fifty", "fiftieth"),
    ("sixty", "sixtieth"),
    ("seventy", "seventieth"),
    ("eighty", "eightieth"),
    ("ninety", "ninetieth"),
];

/// The number that a single word is.
pub(crate) fn value(word: &Word) -> Option<u32> {
    if word.starts_with_digit() {
        let digits = word.text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let ending = &word.text[digits.len()..];
        return if matches!(ending, "" | "st" | "nd" | "rd" | "th") { digits.parse().ok() } else { None };
    }
    spelled(&word.text).or_else(|| if word.is_upper { roman(&word.text) } else { None })
}

fn spelled(word: &str) -> Option<u32> {
    let place = |list: &[&str]| list.iter().position(|known| *known == word);
    let tens =
        || TENS.iter().position(|(cardinal, ordinal)| *cardinal == word || *ordinal == word).map(|at| at * 10 + 20);
    let found = place(&UNITS).or_else(|| place(&ORDINALS)).or_else(tens)?;
    u32::try_from(found).ok()
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
    use super::super::words::words;
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
            assert_eq!(value(&words(text)[0]), expected, "{text}");
        }
    }
}
