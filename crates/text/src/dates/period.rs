//! Decades, centuries and quarters.

use super::fields::DateFields;
use super::month::{is_ordinal_ending, ordinal_words};
use super::reader::{DateMatch, DateReader};
use super::year;
use crate::terms::TermSequence;

/// Reads `the 1990s`, `the '90s`, `19th century`, `3rd quarter of 2021`, `2021 Q3`, `3Q 2021`.
pub(super) fn read_digits(reader: &DateReader<'_, '_>, at: usize, floor: usize) -> Option<DateMatch> {
    let terms = reader.terms;
    let (number, digits) = terms.plain_digits(at)?;
    if let Some(end) = plural_end(terms, at + 1).filter(|_| number.is_multiple_of(10)) {
        return read_decade(reader, at, floor, (number, digits), end);
    }
    if is_ordinal_ending(terms, at + 1) {
        return read_numbered(reader, at, floor, u8::try_from(number).ok()?, at + 2);
    }
    if terms.is_glued(at + 1) && terms.text(at + 1) == "Q" && (1..=4).contains(&number) {
        return Some(quarter_with_year(terms, u8::try_from(number).ok()?, at, at + 2));
    }
    // `2021 Q3`
    let year = year::value(terms, at)?;
    let found = read_quarter_letter(reader, at + 1).filter(|found| found.fields.year.is_none())?;
    Some(DateMatch::new(DateFields { year: Some(year), ..found.fields }, at, found.end))
}

/// Reads `third quarter of 2021` and `nineteenth century`.
pub(super) fn read_ordinal(reader: &DateReader<'_, '_>, at: usize, floor: usize) -> Option<DateMatch> {
    let (number, end) = ordinal_words(reader.terms, at)?;
    read_numbered(reader, at, floor, number, end)
}

/// Reads `Q3 2021`.
pub(super) fn read_quarter_letter(reader: &DateReader<'_, '_>, at: usize) -> Option<DateMatch> {
    let terms = reader.terms;
    if terms.text(at) != "Q" || !terms.is_glued(at + 1) {
        return None;
    }
    let (quarter, _) =
        terms.plain_digits(at + 1).filter(|&(quarter, digits)| digits == 1 && (1..=4).contains(&quarter))?;
    Some(quarter_with_year(terms, u8::try_from(quarter).ok()?, at, at + 2))
}

/// Reads `the nineties`; without an article it may be a temperature or an age.
pub(super) fn read_decade_word(reader: &DateReader<'_, '_>, at: usize, floor: usize, decade: u8) -> Option<DateMatch> {
    let first = reader.with_modifier(at, floor);
    let with_article = reader.with_article(first, floor);
    if with_article == first && !reader.is_alone {
        return None;
    }
    Some(two_digit_decade(i32::from(decade), with_article, at + 1))
}

fn read_decade(
    reader: &DateReader<'_, '_>,
    at: usize,
    floor: usize,
    (number, digits): (u64, u8),
    end: usize,
) -> Option<DateMatch> {
    let terms = reader.terms;
    let number = i32::try_from(number).ok()?;
    let is_quote = |before: &usize| matches!(terms.symbol(*before), Some('\'' | '’' | '‘'));
    let quote = TermSequence::before(at, floor).filter(is_quote).filter(|_| terms.is_glued(at));
    let modified = reader.with_modifier(quote.unwrap_or(at), floor);
    let first = reader.with_article(modified, floor);
    match digits {
        4 => Some(DateMatch::new(DateFields { decade: Some(number), ..DateFields::default() }, first, end)),
        2 if quote.is_some() || first < modified => Some(two_digit_decade(number, first, end)),
        _ => None,
    }
}

/// A decade of the last century or, as the alternative, of this one.
fn two_digit_decade(number: i32, first: usize, end: usize) -> DateMatch {
    let decade = |decade: i32| DateFields { decade: Some(decade), ..DateFields::default() };
    let other = (number <= 20).then(|| decade(2000 + number));
    DateMatch { fields: decade(1900 + number), other, first, end }
}

/// The term behind the `s` of `1990s` or `1990's`.
fn plural_end(terms: &TermSequence<'_>, at: usize) -> Option<usize> {
    if !terms.is_glued(at) {
        return None;
    }
    if terms.text(at) == "s" {
        return Some(at + 1);
    }
    let has_apostrophe = matches!(terms.symbol(at), Some('\'' | '’')) && terms.is_glued(at + 1);
    (has_apostrophe && terms.text(at + 1) == "s").then_some(at + 2)
}

/// What the ordinal that ends before `end` numbers: a century or a quarter.
fn read_numbered(reader: &DateReader<'_, '_>, at: usize, floor: usize, number: u8, end: usize) -> Option<DateMatch> {
    let terms = reader.terms;
    let is_tied = terms.is_tying_hyphen(end);
    let noun = end + usize::from(is_tied);
    if terms.is_any_word(noun, "century centuries") {
        let modified = reader.with_modifier(at, floor);
        // `the 19th-century mill`: the article belongs to the mill.
        let first = if is_tied { modified } else { reader.with_article(modified, floor) };
        let is_before = matches!(terms.text(noun + 1), "BC" | "BCE");
        let century = i32::from(number) * if is_before { -1 } else { 1 };
        let fields = DateFields { century: Some(century), ..DateFields::default() };
        return Some(DateMatch::new(fields, first, noun + 1 + usize::from(is_before)));
    }
    // `third quarter-final`, `fourth quarterly report` are none.
    let is_quarter = !is_tied && terms.is_word(noun, "quarter") && !terms.is_tying_hyphen(noun + 1);
    if !is_quarter || !(1..=4).contains(&number) {
        return None;
    }
    let found = quarter_with_year(terms, number, at, noun + 1);
    Some(DateMatch { first: reader.with_article(at, floor), ..found })
}

/// A quarter with the year behind it, if there is one.
fn quarter_with_year(terms: &TermSequence<'_>, quarter: u8, first: usize, end: usize) -> DateMatch {
    let mut year_at = end;
    for word in ["of", "fiscal", "year", "FY"] {
        year_at += usize::from(terms.is_word(year_at, word));
    }
    let is_joint = terms.symbol(end) == Some(',') || terms.is_tying_hyphen(end);
    year_at += usize::from(is_joint && year_at == end);
    let (year, end) = match year::value(terms, year_at) {
        Some(year) if !year::is_continued(terms, year_at + 1) => (Some(year), year_at + 1),
        _ => (None, end),
    };
    DateMatch::new(DateFields { quarter: Some(quarter), year, ..DateFields::default() }, first, end)
}
