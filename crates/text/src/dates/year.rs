//! Years: with an era, of a fiscal year, and lone numbers that may be years.

use super::fields::DateFields;
use super::reader::{DateMatch, DateReader};
use crate::terms::{TermSequence, WordClass};

/// Whether a bare number of four digits is a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum YearSense {
    /// It is none.
    Never,
    /// It may be: enough for a source to bear out a year, not for an answer to have named one.
    Possible,
    /// Its neighbours, or its size, say that it is.
    Certain,
}

/// Words before a number of four digits that make it a year.
const BEFORE_YEAR: &str = "in since until till during circa ca year years early late mid before after of spring summer autumn \
    fall winter fiscal season pre post back throughout";

/// Words before it that speak of an amount.
const BEFORE_AMOUNT: &str = "about nearly over almost than only exactly total roughly approximately around costs cost number no \
    some under least most sold has have had seats holds employs with another totalling reached up";

/// Nouns in the plural that do not end in `s`.
const COUNTED: &str = "people men women children staff fish sheep feet mice points";

/// Words that end in `s` and are no plural nouns.
const NOT_COUNTED: &str = "was is has its this does as us his always perhaps besides towards across plus versus sales results \
    elections olympics saw marks sees thus less";

/// Says whether the bare number at `at` is a year.
pub(super) fn sense(terms: &TermSequence<'_>, at: usize) -> YearSense {
    let Some(year) = value(terms, at) else { return YearSense::Never };
    if is_continued(terms, at + 1) || !is_free_before(terms, at) {
        return YearSense::Never;
    }
    let before =
        at.checked_sub(1).map(|before| if terms.is_tying_hyphen(before) { before.saturating_sub(1) } else { before });
    let is_led = before.is_some_and(|before| terms.is_any_word(before, BEFORE_YEAR));
    let is_recent = (1900..=2099).contains(&year);
    if is_count(terms, at + 1) {
        let is_led_firmly = before.is_some_and(|before| terms.is_any_word(before, "in since during until the year"));
        return if is_led_firmly && is_recent { YearSense::Certain } else { YearSense::Possible };
    }
    let is_amount = before.is_some_and(|before| terms.is_any_word(before, BEFORE_AMOUNT));
    let is_certain = is_led || ((1700..=2099).contains(&year) && !is_amount);
    if is_certain { YearSense::Certain } else { YearSense::Possible }
}

/// The value of plain digits that can be a year.
pub(super) fn value(terms: &TermSequence<'_>, at: usize) -> Option<i32> {
    let (year, digits) = terms.plain_digits(at)?;
    (digits == 4 && (1000..=2199).contains(&year)).then(|| i32::try_from(year).ok())?
}

/// Whether what touches the digits from behind makes them part of something else.
pub(super) fn is_continued(terms: &TermSequence<'_>, at: usize) -> bool {
    terms.is_glued(at)
        && match terms.symbol(at) {
            Some('%' | '°' | ':' | '_' | '@' | '€' | '£' | '$') => true,
            Some('\'' | '’') => false,
            _ => terms.word(at).is_some(),
        }
}

/// Whether nothing touches the digits from the front but brackets, quotes and the dash of a range.
fn is_free_before(terms: &TermSequence<'_>, at: usize) -> bool {
    if !terms.is_glued(at) {
        return true;
    }
    let Some(before) = at.checked_sub(1) else { return true };
    match terms.symbol(before) {
        Some('(' | '[' | '"' | '“' | '‘' | '–' | '—') => true,
        // `1990-1995` and `mid-2015`, but not `F-2000`.
        Some('-' | '‐' | '‑' | '/') => before.checked_sub(1).is_some_and(|word| {
            terms.is_spaced(before) || terms.numeral(word).is_some() || !terms.is_capitalised(word)
        }),
        _ => false,
    }
}

/// Whether a plural noun follows, so that the number counts something.
fn is_count(terms: &TermSequence<'_>, at: usize) -> bool {
    if terms.word(at).is_none() || terms.is_capitalised(at) || terms.is_glued(at) {
        return false;
    }
    let text = terms.text(at);
    terms.is_any_word(at, COUNTED)
        || (text.len() > 3 && text.ends_with('s') && !text.ends_with("ss") && !terms.is_any_word(at, NOT_COUNTED))
        // `1800 new members`: one adjective between them.
        || (terms.is_any_word(at, "new paying active young local different full old"))
}

/// Reads `44 BC`, `AD 79`, `2015/16`.
pub(super) fn read_with_era(reader: &DateReader<'_, '_>, at: usize, floor: usize) -> Option<DateMatch> {
    let terms = reader.terms;
    let (number, digits) = terms.plain_digits(at)?;
    let number = i32::try_from(number).ok().filter(|_| digits <= 4)?;
    if let Some((is_before, end)) = era(terms, at + 1) {
        let year = Some(if is_before { -number } else { number });
        return Some(DateMatch::new(DateFields { year, ..DateFields::default() }, at, end));
    }
    if let Some(before) = TermSequence::before(at, floor)
        && matches!(terms.text(before), "AD" | "CE")
    {
        return Some(DateMatch::new(DateFields { year: Some(number), ..DateFields::default() }, before, at + 1));
    }
    let year = value(terms, at)?;
    let is_season = matches!(terms.symbol(at + 1), Some('/' | '-' | '–'))
        && terms.is_glued(at + 1)
        && terms.is_glued(at + 2)
        && terms
            .plain_digits(at + 2)
            .is_some_and(|(next, digits)| digits == 2 && i32::try_from(next) == Ok((year + 1) % 100));
    is_season.then(|| DateMatch::new(DateFields { year: Some(year), ..DateFields::default() }, at, at + 3))
}

/// Reads plain digits as a year.
pub(super) fn read_lone(reader: &DateReader<'_, '_>, at: usize, floor: usize) -> Option<DateMatch> {
    let year = value(reader.terms, at)?;
    let first = reader.with_modifier(at, floor);
    Some(DateMatch::new(DateFields { year: Some(year), ..DateFields::default() }, first, at + 1))
}

/// Reads `FY2021` and `FY 21`.
pub(super) fn read_fiscal(reader: &DateReader<'_, '_>, at: usize) -> Option<DateMatch> {
    let terms = reader.terms;
    if terms.text(at) != "FY" {
        return None;
    }
    let year = match terms.plain_digits(at + 1)? {
        (short, 2) => i32::try_from(short).ok()? + 2000,
        _ => value(terms, at + 1)?,
    };
    Some(DateMatch::new(DateFields { year: Some(year), ..DateFields::default() }, at, at + 2))
}

/// The era behind a number: whether it is before the common era, and the term behind.
fn era(terms: &TermSequence<'_>, at: usize) -> Option<(bool, usize)> {
    if !matches!(terms.word(at), Some(WordClass::Other)) {
        return None;
    }
    match terms.text(at) {
        "BC" | "BCE" => Some((true, at + 1)),
        "AD" | "CE" => Some((false, at + 1)),
        "B" if terms.symbol(at + 1) == Some('.') && terms.text(at + 2) == "C" && terms.is_glued(at + 2) => {
            Some((true, at + 3 + usize::from(terms.symbol(at + 3) == Some('.') && terms.is_glued(at + 3))))
        }
        _ => None,
    }
}
