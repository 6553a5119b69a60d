//! Characters by their Unicode names, as `\N{…}` has them in Python.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Names by front coding: see `data/character_names.py`, which writes the file.
static WRITTEN: &str = include_str!("../../data/character_names.txt");

/// The sign of a line that shares no letter with the one before.
const FIRST: u8 = b'!';

/// The sign of a line that says at which character the next one is.
const JUMP: char = '~';

/// Most letters of a name; longer ones are nobody's.
const LONGEST: usize = 100;

static NAMES: LazyLock<HashMap<String, char>> = LazyLock::new(|| {
    let mut names = HashMap::new();
    let (mut name, mut code) = (String::new(), 0);
    for line in WRITTEN.lines().skip(1) {
        if let Some(number) = line.strip_prefix(JUMP) {
            code = u32::from_str_radix(number, 16).unwrap_or_default();
            continue;
        }
        let Some((sign, rest)) = line.split_at_checked(1) else { continue };
        name.truncate(usize::from(sign.as_bytes()[0].saturating_sub(FIRST)));
        name.push_str(rest);
        if let Some(character) = char::from_u32(code) {
            names.insert(name.clone(), character);
        }
        code += 1;
    }
    names
});

/// Blocks of Chinese characters whose names are their numbers.
const UNIFIED: [(u32, u32); 8] = [
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B738),
    (0x2B740, 0x2B81D),
    (0x2B820, 0x2CEA1),
    (0x2CEB0, 0x2EBE0),
    (0x30000, 0x3134A),
];

/// Sounds that the names of Hangul syllables are put together from: first consonant, vowel, last consonant.
const LEADING: [&str; 19] =
    ["G", "GG", "N", "D", "DD", "R", "M", "B", "BB", "S", "SS", "", "J", "JJ", "C", "K", "T", "P", "H"];
const VOWELS: [&str; 21] = [
    "A", "AE", "YA", "YAE", "EO", "E", "YEO", "YE", "O", "WA", "WAE", "OE", "YO", "U", "WEO", "WE", "WI", "YU", "EU",
    "YI", "I",
];
const TRAILING: [&str; 28] = [
    "", "G", "GG", "GS", "N", "NJ", "NH", "D", "L", "LG", "LM", "LB", "LS", "LT", "LP", "LH", "M", "B", "BS", "S",
    "SS", "NG", "J", "C", "K", "T", "P", "H",
];

/// The character of this name or alias, in any case of letters; nothing where there is none.
pub fn character(name: &str) -> Option<char> {
    if name.len() > LONGEST {
        return None;
    }
    let name = name.to_ascii_uppercase();
    if let Some(digits) = name.strip_prefix("CJK UNIFIED IDEOGRAPH-") {
        let code = u32::from_str_radix(digits, 16).ok()?;
        let is_known = UNIFIED.iter().any(|(first, last)| (*first..=*last).contains(&code));
        // A number is written in one way alone.
        return (is_known && digits == format!("{code:X}")).then(|| char::from_u32(code))?;
    }
    if let Some(sounds) = name.strip_prefix("HANGUL SYLLABLE ") {
        return syllable(sounds);
    }
    NAMES.get(&name).copied()
}

/// The longest first consonant and then the longest vowel that fit, as Python takes them; the rest is the last consonant.
fn syllable(sounds: &str) -> Option<char> {
    let longest = |list: &[&str], text: &str| {
        let fits = list.iter().enumerate().filter(|(_, sound)| text.starts_with(**sound));
        fits.max_by_key(|(_, sound)| sound.len()).map(|(at, sound)| (at, sound.len()))
    };
    let (first, width) = longest(&LEADING, sounds)?;
    let rest = &sounds[width..];
    let (vowel, width) = longest(&VOWELS, rest)?;
    let last = TRAILING.iter().position(|sound| *sound == &rest[width..])?;
    char::from_u32(u32::try_from(0xAC00 + (first * VOWELS.len() + vowel) * TRAILING.len() + last).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_the_names_that_python_knows() {
        for (name, expected) in [
            ("GREEK SMALL LETTER BETA", 'β'),
            ("greek Small letter beta", 'β'),
            ("SPACE", ' '),
            ("MICRO SIGN", 'µ'),
            ("DEGREE SIGN", '°'),
            ("RIGHTWARDS ARROW", '→'),
            ("BOX DRAWINGS VERTICAL SINGLE AND HORIZONTAL DOUBLE", '╪'),
            ("MATHEMATICAL BOLD CAPITAL A", '𝐀'),
            ("LINE FEED", '\n'),
            ("LF", '\n'),
            ("ZERO WIDTH SPACE", '\u{200b}'),
            ("CJK UNIFIED IDEOGRAPH-4E2D", '中'),
            ("HANGUL SYLLABLE HAN", '한'),
            ("HANGUL SYLLABLE A", '아'),
            ("HANGUL SYLLABLE GGWELH", '꿿'),
        ] {
            assert_eq!(character(name), Some(expected), "{name}");
        }
        for name in
            ["", "GREEK SMALL LETTER", "GREEK  SMALL LETTER BETA", "CJK UNIFIED IDEOGRAPH-04E2D", "HANGUL SYLLABLE X"]
        {
            assert_eq!(character(name), None, "{name}");
        }
    }
}
