//! Currencies: signs, codes and names, folded to the ISO code where it is plain; made from `data/currencies.tsv`.
//!
//! Some names are shared. `kr` may be any of the Nordic crowns, and `pounds` may be money or weight; these keep a code of
//! their own in small letters, and [`is_same`] and [`equivalent_codes`] know what they can stand for.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::table_rows::rows;
use crate::number_words::NumberRank;
use crate::terms::{NumeralShape, TermSequence, WordClass};

/// A Nordic crown that does not say of which country.
const CROWN: &str = "kr";

/// Pounds in words: sterling unless something else is said.
pub(super) const POUND: &str = "pound";

/// A line of the table: code, general name, signs, letters before a dollar sign, short names, names, countries.
type Line = [&'static str; 7];

static LINES: LazyLock<Vec<Line>> = LazyLock::new(|| rows(include_str!("../../data/currencies.tsv")).collect());

/// Code by what is written: signs and short names as they are, names in small letters, letters before `$` with it.
static CODES_BY_SPELLING: LazyLock<FxHashMap<String, &'static str>> = LazyLock::new(|| {
    let mut written = FxHashMap::default();
    for [code, _, signs, prefixes, short, names, _] in LINES.iter() {
        let prefixes = prefixes.split_whitespace().map(|prefix| format!("{prefix}$"));
        let names = names.split_whitespace().map(|name| format!("{name}."));
        let others = signs.split_whitespace().chain(short.split_whitespace()).map(str::to_owned);
        written.extend(prefixes.chain(names).chain(others).map(|text| (text, *code)));
    }
    written
});

/// Whether two currencies can be the same, as the published definition has it.
pub(super) fn is_same(left: &str, right: &str) -> bool {
    left == right || can_be(left, right) || can_be(right, left)
}

fn can_be(general: &str, special: &str) -> bool {
    match general {
        CROWN => matches!(special, "DKK" | "NOK" | "SEK" | "ISK"),
        POUND => special == "GBP",
        _ => false,
    }
}

/// The codes under which an amount of money may stand, each with what one of `code` is there: a shared name stands for each of its
/// currencies, and a hundred cents are a dollar, a euro and the like.
pub(super) fn equivalent_codes(code: &'static str) -> Vec<(&'static str, f64)> {
    let general = LINES.iter().find(|line| line[0] == code).map_or("", |line| line[1]);
    let is_shared = |code: &str| code.starts_with(|first: char| first.is_ascii_lowercase());
    let hundredth = |code: &str, general: &str| match (code, general) {
        (POUND | "GBP", _) => "penny",
        ("EUR", _) | (_, "USD") => "cent",
        _ => "none",
    };
    let mut found = vec![(code, 1.0)];
    for &[other, other_general, ..] in LINES.iter().filter(|line| line[0] != code) {
        if !general.is_empty() && other_general == general && (is_shared(code) || is_shared(other)) {
            found.push((other, 1.0));
        } else if hundredth(other, other_general) == code {
            found.push((other, 0.01));
        } else if hundredth(code, general) == other {
            found.push((other, 100.0));
        }
    }
    found
}

/// Whether a currency can be a unit of weight: `pounds`.
pub(super) fn is_weight(currency: &str, unit: &str) -> bool {
    currency == POUND && unit == "lb"
}

/// The currency of a sign such as `€`.
pub(super) fn from_sign(sign: char) -> Option<&'static str> {
    // No letter is a sign.
    if sign.is_alphanumeric() { None } else { CODES_BY_SPELLING.get(sign.encode_utf8(&mut [0; 4]) as &str).copied() }
}

/// The dollar that letters before the sign name: `US$`, `A$`.
pub(super) fn from_dollar_prefix(letters: &str) -> Option<&'static str> {
    CODES_BY_SPELLING.get(&format!("{letters}$")).copied()
}

/// The currency of a code or short name that may stand before the number as well as behind it.
pub(super) fn from_code(text: &str) -> Option<&'static str> {
    CODES_BY_SPELLING.get(text).copied()
}

/// The currency of a name in any case.
fn from_name(text: &str) -> Option<&'static str> {
    CODES_BY_SPELLING.get(&format!("{}.", text.to_ascii_lowercase())).copied()
}

fn from_country(country: &str, general: &str) -> Option<&'static str> {
    let of_country = |line: &&Line| line[6].split_whitespace().any(|name| name.replace('_', " ") == country);
    LINES.iter().filter(of_country).find(|line| line[1] == general || line[0] == general).map(|line| line[0])
}

/// Reads the name or code of a currency behind a number; returns it with the term behind it.
pub(super) fn read_name(terms: &TermSequence<'_>, at: usize) -> Option<(&'static str, usize)> {
    terms.word(at)?;
    if let Some(code) = from_code(terms.text(at)) {
        return Some((code, at + 1));
    }
    if let Some(code) = from_name(terms.text(at)).filter(|code| *code != "KRW" || is_large(terms, at)) {
        let sterling = usize::from(code == POUND && terms.is_word(at + 1, "sterling"));
        return Some((if sterling == 1 { "GBP" } else { code }, at + 1 + sterling));
    }
    // `U.S. dollars`, `Danish kroner`.
    let (country, next) = read_country(terms, at)?;
    let general = from_name(terms.text(next))?;
    Some((from_country(&country, general)?, next + 1))
}

/// Whether a scale word or a grouped numeral comes before: `won` is a verb behind smaller numbers.
fn is_large(terms: &TermSequence<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    let is_scale =
        matches!(terms.word(before), Some(WordClass::Number(word)) if matches!(word.rank, NumberRank::Scale(_)));
    is_scale || terms.numeral(before).is_some_and(|numeral| numeral.shape == NumeralShape::Grouped)
}

/// The country that qualifies a currency: one word, or letters with dots.
fn read_country(terms: &TermSequence<'_>, at: usize) -> Option<(String, usize)> {
    if !terms.is_capitalised(at) {
        return None;
    }
    let mut country = terms.text(at).to_ascii_lowercase();
    let mut next = at + 1;
    while country.len() <= 2 && terms.symbol(next) == Some('.') && terms.is_glued(next) {
        next += 1;
        if terms.is_glued(next) && terms.text(next).len() == 1 {
            country.push_str(&terms.text(next).to_ascii_lowercase());
            next += 1;
        }
    }
    if country == "new" || country == "hong" {
        country = format!("{country} {}", terms.text(next).to_ascii_lowercase());
        next += 1;
    }
    Some((country, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(&'static str, usize)> {
        read_name(&TermSequence::new(text), 0)
    }

    #[test]
    fn names_codes_and_countries_are_read() {
        assert_eq!(read("dollars"), Some(("USD", 1)));
        assert_eq!(read("US dollars"), Some(("USD", 2)));
        assert_eq!(read("U.S. dollars"), Some(("USD", 5)));
        assert_eq!(read("Canadian dollars"), Some(("CAD", 2)));
        assert_eq!(read("New Zealand dollars"), Some(("NZD", 3)));
        assert_eq!(read("pounds sterling"), Some(("GBP", 2)));
        assert_eq!(read("Danish kroner"), Some(("DKK", 2)));
        assert_eq!(read("DKK"), Some(("DKK", 1)));
        assert_eq!(read("Danish members"), None);
    }

    #[test]
    fn shared_names_can_be_more_than_one() {
        assert!(is_same(CROWN, "NOK") && is_same("DKK", CROWN) && !is_same("DKK", "NOK"));
        assert!(is_same(POUND, "GBP") && is_weight(POUND, "lb"));
        let codes = |code| equivalent_codes(code).into_iter().map(|(code, _)| code).collect::<Vec<_>>();
        assert_eq!(codes("CHF"), ["CHF", "franc"]);
        assert_eq!(codes("kr"), ["kr", "DKK", "NOK", "SEK", "ISK"]);
        assert_eq!(codes("JPY"), ["JPY"]);
        assert!(
            equivalent_codes("EUR").contains(&("cent", 100.0)) && equivalent_codes("cent").contains(&("USD", 0.01))
        );
    }
}
