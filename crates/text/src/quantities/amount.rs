//! What the numbers and dates of a text mean: each place with its kind, its unit and how exactly it is put.
//!
//! One place may have more than one sense: `15.30` is a number and a time, `9:15` is in the morning or in the evening, `until 9`
//! may be either, and `10` in `10 to 15 kg` is a weight. Numbers of different [`AmountScale`]s are never equal.

use std::ops::Range;

use super::{MeasurementUnit, Quantity, QuantityKind, currencies, is_close};
use crate::anchor_scan::{ScanPurpose, scan_terms};
use crate::dates::reader::DateReader;
use crate::dates::year::YearSense;
use crate::dates::{Date, DateFields, DateMeaning};
use crate::number_words::small_number;
use crate::stopwords;
use crate::terms::{TermSequence, WordClass};

/// What a number is measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AmountScale {
    /// A number of things that are named: *4 players*.
    Count,
    /// A number that does not say of what; it may be of anything that was said before: *then 8*.
    Bare,
    /// A place in an order: *third*.
    Ordinal,
    /// The number of something that is numbered: *gate 7*. It stands for an ordinal.
    Label,
    /// Money, by its currency.
    Money(&'static str),
    /// A measure, by its dimension: shares and lengths of time are among them.
    Measure(&'static str),
    /// Any measure or amount of money, by the number that is written: what a bare number may stand for.
    Written,
}

impl AmountScale {
    /// What one of a currency is in another one that may be the same, or a hundredth of it; nothing for what cannot be compared.
    pub fn ratio(self, other: Self) -> Option<f64> {
        let (Self::Money(code), Self::Money(other)) = (self, other) else { return (self == other).then_some(1.0) };
        currencies::equivalent_codes(code).into_iter().find(|(known, _)| *known == other).map(|(_, ratio)| ratio)
    }
}

/// A meaning of a number or date.
#[derive(Debug, Clone, PartialEq)]
pub enum AmountSense {
    /// A number.
    Number {
        /// What it is measured on.
        scale: AmountScale,
        /// Its value in its unit.
        value: f64,
        /// Its unit; nothing for a number of things, money, and a share in words.
        unit: Option<&'static MeasurementUnit>,
    },
    /// A date or a time of day.
    Date(DateFields),
}

impl AmountSense {
    /// The word for its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Number { scale, .. } => match scale {
                AmountScale::Count => "count",
                AmountScale::Bare | AmountScale::Written => "number",
                AmountScale::Ordinal | AmountScale::Label => "ordinal",
                AmountScale::Money(_) => "money",
                AmountScale::Measure("time" | "night") => "duration",
                AmountScale::Measure("share") => "share",
                AmountScale::Measure(_) => "measure",
            },
            Self::Date(fields) if fields.minute.is_some() && fields.year.is_none() => "time of day",
            Self::Date(_) => "date",
        }
    }

    /// The value in the base unit.
    pub(super) fn base(&self) -> Option<f64> {
        match self {
            Self::Number { value, unit, .. } => Some(unit.map_or(*value, |unit| unit.to_base(*value))),
            Self::Date(_) => None,
        }
    }

    /// Whether both say the same, to one part in 10⁹: a measure in whatever unit, money in one currency. A number that does not say
    /// of what may be of anything but a share.
    pub fn is_same(&self, other: &Self) -> bool {
        let (Self::Number { scale, value, .. }, Self::Number { scale: known, value: had, .. }) = (self, other) else {
            return self == other;
        };
        match (*scale, *known) {
            (AmountScale::Money(_), AmountScale::Money(_)) => {
                scale.ratio(*known).is_some_and(|ratio| is_close(value * ratio, *had))
            }
            (AmountScale::Measure(one), AmountScale::Measure(another)) => {
                one == another && self.base().zip(other.base()).is_some_and(|(left, right)| is_close(left, right))
            }
            (AmountScale::Measure("share"), _) | (_, AmountScale::Measure("share")) => false,
            (AmountScale::Ordinal | AmountScale::Label, AmountScale::Ordinal | AmountScale::Label)
            | (AmountScale::Bare | AmountScale::Written, _)
            | (_, AmountScale::Bare | AmountScale::Written) => is_close(*value, *had),
            (left, right) => left == right && is_close(*value, *had),
        }
    }

    /// Whether both are of one kind, so that one of them can be wrong.
    pub fn is_comparable(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number { scale: left, unit, .. }, Self::Number { scale: right, unit: other, .. }) => {
                match (left, right) {
                    // Seldom is what lasts 14 days told in years.
                    (AmountScale::Measure("time"), AmountScale::Measure("time")) => {
                        unit.is_some_and(MeasurementUnit::is_calendar_unit)
                            == other.is_some_and(MeasurementUnit::is_calendar_unit)
                    }
                    (AmountScale::Money(_), AmountScale::Money(_))
                    | (AmountScale::Count | AmountScale::Bare, AmountScale::Count | AmountScale::Bare)
                    | (AmountScale::Ordinal | AmountScale::Label, AmountScale::Ordinal | AmountScale::Label) => true,
                    (left, right) => left == right,
                }
            }
            (Self::Date(left), Self::Date(right)) => left.shares_field(right),
            _ => false,
        }
    }
}

/// How a number is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AmountQualifier {
    /// As it is.
    Exact,
    /// "about": rounded.
    About,
    /// "more than": the source has somewhat more.
    Over,
    /// "nearly": the source has somewhat less.
    Under,
}

/// A number or date of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    /// Its bytes.
    pub span: Range<usize>,
    /// What it can mean, the likeliest first; never empty.
    pub senses: Vec<AmountSense>,
    /// How it is put.
    pub approach: AmountQualifier,
    /// Significant digits as written: `5` has one, `3.10` three, `50,000` one.
    pub digits: i32,
    /// What one more in the last written digit is: 100,000 in `2.5 million`. 0 for numbers in words.
    pub step: f64,
}

impl Amount {
    /// The words of the amount in the text it was read from.
    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.span.clone()).unwrap_or_default()
    }

    /// The likeliest sense.
    pub fn sense(&self) -> &AmountSense {
        &self.senses[0]
    }

    /// Whether both are of one kind, so that one of them can be wrong.
    pub fn is_comparable(&self, other: &Self) -> bool {
        self.sense().is_comparable(other.sense())
    }
}

/// What a source says: all that its numbers and dates can mean, in order. Ordinals and shares in words are among them.
pub fn amounts(text: &str) -> Vec<Amount> {
    read(text, ScanPurpose::Evidence)
}

/// What an answer states in numbers and dates, in order.
pub fn stated_amounts(text: &str) -> Vec<Amount> {
    read(text, ScanPurpose::Anchors)
}

fn read(text: &str, purpose: ScanPurpose) -> Vec<Amount> {
    let terms = TermSequence::improved(text);
    let scan = scan_terms(&terms, purpose);
    let place = AmountReader { text, terms: &terms, reader: DateReader::new(&terms) };
    let mut found: Vec<(Range<usize>, Vec<AmountSense>)> = Vec::new();
    found.extend(scan.quantities.iter().map(|quantity| (quantity.span.clone(), place.number(quantity))));
    found.extend(scan.dates.iter().map(|date| (date.span.clone(), place.date(date))));
    if purpose == ScanPurpose::Evidence {
        place.read_number_words(&mut found);
    }
    found.sort_by_key(|(span, _)| (span.start, span.end));
    let mut amounts: Vec<Amount> = Vec::with_capacity(found.len());
    for (span, senses) in found {
        probare_cancellation::count_steps(1);
        match amounts.last_mut() {
            Some(last) if last.span == span => last.senses.extend(senses),
            _ => amounts.push(place.amount(span, senses)),
        }
    }
    amounts.retain(|amount| !amount.senses.is_empty());
    place.ranges(&mut amounts);
    for amount in &mut amounts {
        // What has a unit, or gets it from the other end of a range, is not a number without one.
        let has_unit = |sense: &AmountSense| {
            rank(sense) == 0 && *sense != plain(AmountScale::Measure("share"), sense.base().unwrap_or(0.0))
        };
        if amount.senses.iter().any(has_unit) {
            amount.senses.retain(|sense| {
                !matches!(sense, AmountSense::Number { scale: AmountScale::Bare | AmountScale::Count, .. })
            });
        }
        amount.senses.sort_by_key(rank);
        amount.senses.dedup();
    }
    amounts
}

/// The order of senses: what has a unit is likelier than a plain number, that than a date or time, an ordinal last.
fn rank(sense: &AmountSense) -> u8 {
    match sense {
        AmountSense::Number { scale: AmountScale::Measure(_) | AmountScale::Money(_), .. } => 0,
        AmountSense::Number { scale: AmountScale::Count | AmountScale::Bare | AmountScale::Label, .. } => 1,
        AmountSense::Date(fields) if fields.minute.is_some() => 3,
        AmountSense::Date(_) => 2,
        AmountSense::Number { .. } => 4,
    }
}

/// A number without a unit.
fn plain(scale: AmountScale, value: f64) -> AmountSense {
    AmountSense::Number { scale, value, unit: None }
}

/// A number of a unit; a symbol that the table lacks is a dimension of its own.
fn measurement(symbol: &'static str, value: f64) -> AmountSense {
    let unit = MeasurementUnit::from_symbol(symbol);
    AmountSense::Number { scale: AmountScale::Measure(unit.map_or(symbol, |unit| unit.dimension)), value, unit }
}

/// A time of day; before one in the afternoon it may be either half of the day, unless that is said.
fn clock(minute: u16, half: Option<Half>) -> Vec<AmountSense> {
    let at = |minute: u16| AmountSense::Date(DateFields { minute: Some(minute), ..DateFields::default() });
    let (morning, evening) = (minute % 720, minute % 720 + 720);
    match half {
        _ if minute >= 780 => vec![at(minute % 1440)],
        Some(Half::Said) => vec![at(minute)],
        Some(Half::Morning) => vec![at(morning)],
        Some(Half::Evening) => vec![at(evening)],
        Some(Half::Night) => vec![at(if morning < 360 { morning } else { evening })],
        None if minute == 0 => vec![at(0)],
        None => vec![at(minute), at(if minute >= 720 { morning } else { evening })],
    }
}

/// How the half of the day is told.
#[derive(Clone, Copy)]
enum Half {
    /// With the time itself: am, pm, 09:00, noon.
    Said,
    Morning,
    Evening,
    Night,
}

/// Nouns whose things are numbered.
const LABEL_NOUNS: &str = "act article box bus chapter class day episode figure floor gate grade group lesson level line no \
    number page part phase platform question room round route row season seat section stage step table \
    terminal track type unit version volume week zone";

/// Words before a number that may be a time of day.
const BEFORE_TIME: &str = "after at before between by from since till until";

/// Words behind a number that do not name what it counts, beside the stop words.
const NO_NOUN: &str = "ago altogether apart daily degree degrees earlier later per plus sharp times today weekly";

/// Looks around the numbers of a text.
struct AmountReader<'a, 't> {
    text: &'t str,
    terms: &'a TermSequence<'t>,
    reader: DateReader<'a, 't>,
}

impl AmountReader<'_, '_> {
    /// Whether the term names what a number before it counts.
    fn is_noun(&self, at: usize) -> bool {
        matches!(self.terms.word(at), Some(WordClass::Other | WordClass::QuarterWord | WordClass::Half))
            && self.terms.is_spaced(at)
            && !self.terms.is_any_word(at, NO_NOUN)
            && !stopwords::nltk().contains(&self.terms.text(at).to_lowercase())
    }

    /// Whether a noun in the plural stands there.
    fn is_plural(&self, at: usize) -> bool {
        self.is_noun(at) && self.terms.text(at).ends_with('s')
    }

    fn is_before(&self, at: usize, words: &str) -> bool {
        at.checked_sub(1).is_some_and(|before| self.terms.is_any_word(before, words))
    }

    /// The half of the day that is told with a time or behind it.
    fn half(&self, span: &Range<usize>) -> Option<Half> {
        let text = self.text[span.clone()].to_ascii_lowercase();
        let is_word = ["noon", "midday", "midnight"].iter().any(|word| text.contains(word));
        if text.starts_with('0') || text.trim_end_matches('.').ends_with('m') || is_word {
            return Some(Half::Said);
        }
        let behind = self.terms.index_at(span.end);
        let is_long = self.terms.is_word(behind, "in") && self.terms.is_word(behind + 1, "the");
        let word = behind + 1 + usize::from(is_long);
        match self.terms.text(word) {
            "morning" => Some(Half::Morning),
            "afternoon" | "evening" => Some(Half::Evening),
            "night" => Some(Half::Night),
            _ => None,
        }
    }

    /// The senses of a quantity.
    fn number(&self, quantity: &Quantity) -> Vec<AmountSense> {
        let value = quantity.value;
        match quantity.kind {
            QuantityKind::Money { currency } if currency == currencies::POUND => {
                vec![plain(AmountScale::Money(currency), value), measurement("lb", value)]
            }
            QuantityKind::Money { currency } => vec![plain(AmountScale::Money(currency), value)],
            QuantityKind::Percent => vec![measurement("%", value)],
            QuantityKind::Measure { unit } | QuantityKind::Duration { unit, .. } => vec![measurement(unit, value)],
            QuantityKind::Cardinal => self.cardinal(quantity),
        }
    }

    /// The senses of a number without a unit.
    fn cardinal(&self, quantity: &Quantity) -> Vec<AmountSense> {
        let (at, end, value) =
            (self.terms.index_at(quantity.span.start), self.terms.index_at(quantity.span.end), quantity.value);
        let year = self.reader.lone_year(at);
        if year == YearSense::Certain {
            return Vec::new();
        }
        let is_noun = self.is_noun(end);
        let is_label = value.fract() == 0.0 && self.is_before(at, LABEL_NOUNS);
        let scale = if is_label {
            AmountScale::Label
        } else if is_noun {
            AmountScale::Count
        } else {
            AmountScale::Bare
        };
        let mut senses = vec![plain(scale, value)];
        if year == YearSense::Possible
            && let Some(found) = self.reader.year(at, at)
        {
            senses.push(AmountSense::Date(found.fields));
        }
        if value > 0.0 && value < 1.0 {
            senses.push(plain(AmountScale::Measure("share"), value));
        }
        let half = self.half(&quantity.span);
        if scale != AmountScale::Label && !self.is_plural(end) && (self.is_before(at, BEFORE_TIME) || half.is_some()) {
            senses.extend(hour(value).into_iter().flat_map(|minute| clock(minute, half)));
        }
        if !is_noun && let Some(minute) = dotted_time(quantity.text(self.text)) {
            senses.extend(clock(minute, half));
        }
        senses
    }

    /// The senses of a date.
    fn date(&self, date: &Date) -> Vec<AmountSense> {
        match &date.meaning {
            DateMeaning::Duration(quantity) => self.number(quantity),
            DateMeaning::Calendar { fields, other } => match fields.minute {
                Some(minute) if *fields == (DateFields { minute: fields.minute, ..DateFields::default() }) => {
                    clock(minute, self.half(&date.span))
                }
                _ => std::iter::once(fields).chain(other).cloned().map(AmountSense::Date).collect(),
            },
        }
    }

    /// Ordinals, and shares that are told in words: *half*, *a third*, *1 in 4*, *two out of five*.
    fn read_number_words(&self, found: &mut Vec<(Range<usize>, Vec<AmountSense>)>) {
        let terms = self.terms;
        let count = |at: usize| {
            let word = || small_number(&terms.text(at).to_ascii_lowercase()).map(f64::from);
            terms
                .plain_digits(at)
                .map(|(value, _)| value as f64)
                .or_else(word)
                .filter(|value| (1.0..=1000.0).contains(value))
        };
        let before = |at: usize| at.checked_sub(1 + usize::from(at > 0 && terms.is_tying_hyphen(at - 1)));
        for at in 0..terms.len() {
            probare_cancellation::count_steps(1);
            let Some(class) = terms.word(at) else {
                // `3rd`
                if terms.is_glued(at + 1)
                    && matches!(terms.text(at + 1), "st" | "nd" | "rd" | "th")
                    && let Some(value) = count(at)
                {
                    found.push((terms.span(at, at + 2), vec![plain(AmountScale::Ordinal, value)]));
                }
                continue;
            };
            let text = terms.text(at);
            let part = match class {
                WordClass::Half if !terms.is_word(at + 1, "past") => Some((0.5, 1)),
                WordClass::QuarterWord => Some((0.25, 1)),
                WordClass::Number(word) if word.is_ordinal => {
                    let value = count(at).unwrap_or_default();
                    let tens = before(at).filter(|_| terms.is_tying_hyphen(at.saturating_sub(1))).and_then(count);
                    let value = value + tens.filter(|tens| *tens >= 20.0).unwrap_or_default();
                    if value > 0.0 {
                        found.push((terms.span(at, at + 1), vec![plain(AmountScale::Ordinal, value)]));
                    }
                    (value > 2.0).then_some((1.0 / value, 1))
                }
                WordClass::Other => match text {
                    "quarters" => Some((0.25, 1)),
                    "thirds" | "fourths" | "fifths" | "sixths" | "eighths" | "tenths" => {
                        small_number(&text[..text.len() - 1]).map(|value| (1.0 / f64::from(value), 1))
                    }
                    "in" => count(at + 1).map(|whole| (1.0 / whole, 2)),
                    "out" if terms.is_word(at + 1, "of") => count(at + 2).map(|whole| (1.0 / whole, 3)),
                    _ => None,
                },
                _ => None,
            };
            let Some((part, length)) = part else { continue };
            let (times, first) = match before(at) {
                Some(before) if terms.word(before) == Some(WordClass::Article) => (Some(1.0), before),
                Some(before) => (count(before), before),
                None => (None, at),
            };
            let (times, first) = if class == WordClass::Half { (Some(1.0), at) } else { (times, first) };
            if let Some(times) = times.filter(|times| times * part < 1.0) {
                found.push((terms.span(first, at + length), vec![plain(AmountScale::Measure("share"), times * part)]));
            }
        }
    }

    /// An amount with what its digits and the words around it say.
    fn amount(&self, span: Range<usize>, senses: Vec<AmountSense>) -> Amount {
        let text = &self.text[span.clone()];
        let value = senses.iter().find_map(|sense| match sense {
            AmountSense::Number { value, .. } => Some(value.abs()),
            AmountSense::Date(_) => None,
        });
        let approach = self.qualifier(self.terms.index_at(span.start), self.terms.index_at(span.end));
        Amount {
            approach,
            digits: significant_digits(text),
            step: value.map_or(0.0, |value| step(text, value)),
            span,
            senses,
        }
    }

    /// What the words around a number say of it.
    fn qualifier(&self, at: usize, end: usize) -> AmountQualifier {
        let terms = self.terms;
        let is = |back: usize, words: &str| at.checked_sub(back).is_some_and(|at| terms.is_any_word(at, words));
        let or = |words: &str| terms.is_word(end, "or") && terms.is_any_word(end + 1, words);
        if is(1, "about around roughly approximately circa some ca approx") || or("so") {
            AmountQualifier::About
        } else if is(1, "over above")
            || is(1, "than") && is(2, "more greater higher longer")
            || is(1, "least") && is(2, "at")
            || or("more over longer")
        {
            AmountQualifier::Over
        } else if is(1, "nearly almost under below")
            || is(1, "than") && is(2, "less fewer lower shorter")
            || is(1, "most") && is(2, "at")
            || is(1, "to") && is(2, "up")
            || or("less fewer under")
        {
            AmountQualifier::Under
        } else {
            AmountQualifier::Exact
        }
    }

    /// Gives both ends of a range what one of them says: the unit (*18 to 21 °C*, *€10–15*), or that it is a time (*9 to 16*).
    fn ranges(&self, amounts: &mut [Amount]) {
        for index in 1..amounts.len() {
            probare_cancellation::count_steps(1);
            let (before, here) = amounts.split_at_mut(index);
            let (first, second) = (&mut before[index - 1], &mut here[0]);
            let between = self.text.get(first.span.end..second.span.start).unwrap_or_default().trim();
            if !matches!(between, "to" | "-" | "\u{2013}" | "/" | "and" | "or") {
                continue;
            }
            let unitless = |amount: &Amount| match amount.sense() {
                AmountSense::Number {
                    scale: AmountScale::Bare | AmountScale::Count | AmountScale::Label,
                    value,
                    ..
                } if amount.senses.iter().all(|sense| rank(sense) > 0) => Some(*value),
                _ => None,
            };
            let lent = |amount: &Amount| amount.senses.iter().find(|sense| rank(sense) == 0).cloned();
            let is_time = |amount: &Amount| amount.senses.iter().any(|sense| sense.kind() == "time of day");
            match (unitless(first), unitless(second), lent(first), lent(second)) {
                (Some(value), None, _, Some(AmountSense::Number { scale, unit, .. })) => {
                    first.senses.insert(0, AmountSense::Number { scale, value, unit });
                }
                (
                    None,
                    Some(value),
                    Some(AmountSense::Number { scale: scale @ AmountScale::Money(_), unit, .. }),
                    _,
                ) => {
                    second.senses.insert(0, AmountSense::Number { scale, value, unit });
                }
                (Some(value), other, ..)
                    if is_time(second) || other.is_some() && !matches!(between, "and" | "or" | "/") =>
                {
                    let hours = [Some(value), other].map(|value| value.and_then(hour));
                    if !matches!(hours, [None, _])
                        && (other.is_none() || hours[1].is_some())
                        && !self.is_plural(self.terms.index_at(second.span.end))
                    {
                        for (amount, minute) in [(first, hours[0]), (second, hours[1])] {
                            amount.senses.extend(minute.into_iter().flat_map(|minute| clock(minute, None)));
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// The minutes since midnight of a full hour.
fn hour(value: f64) -> Option<u16> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number up to 24")]
    ((0.0..=24.0).contains(&value) && value.fract() == 0.0).then(|| value as u16 * 60)
}

/// The time of day that a number with a point is: `15.30`.
fn dotted_time(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once('.')?;
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !(1..=2).contains(&hour.len()) || minute.len() != 2 || !is_number(hour) || !is_number(minute) {
        return None;
    }
    let (hour, minute) = (hour.parse::<u16>().ok()?, minute.parse::<u16>().ok()?);
    (hour <= 24 && minute < 60).then_some(60 * hour + minute)
}

/// The significant digits of a number as it is written.
fn significant_digits(text: &str) -> i32 {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_start_matches('0');
    let significant = if text.contains('.') { digits } else { digits.trim_end_matches('0') };
    i32::try_from(significant.len().clamp(1, 15)).unwrap_or(1)
}

/// What one more in the last written digit of a number is.
fn step(text: &str, value: f64) -> f64 {
    let digits: String = text
        .chars()
        .skip_while(|character| !character.is_ascii_digit())
        .take_while(|character| character.is_ascii_digit() || matches!(character, '.' | ','))
        .filter(|character| *character != ',')
        .collect();
    let digits = digits.trim_end_matches('.');
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    match digits.parse::<f64>() {
        Ok(written) if written > 0.0 => 10_f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX)) * (value / written),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(&str, &'static str)> {
        amounts(text).iter().map(|amount| (amount.text(text), amount.sense().kind())).collect()
    }

    #[test]
    fn each_number_has_its_kind() {
        for (text, expected) in [
            ("16 players", ("16", "count")),
            ("and then 8", ("8", "number")),
            ("Employees: 9,000", ("9,000", "number")),
            ("gate 7 is shut", ("7", "ordinal")),
            ("the number 12 bus", ("12", "ordinal")),
            ("6 degrees", ("6", "number")),
            ("142 night-shift nurses", ("142", "count")),
            ("the third storm", ("third", "ordinal")),
            ("on the 3rd try", ("3rd", "ordinal")),
            ("a third of them", ("a third", "share")),
            ("25 %", ("25 %", "share")),
            ("half of it", ("half", "share")),
            ("$150", ("$150", "money")),
            ("900 mbar", ("900 mbar", "measure")),
            ("six weeks", ("six weeks", "duration")),
            ("at 9 am", ("9 am", "time of day")),
            ("on 12 May", ("12 May", "date")),
            ("since 1998", ("1998", "date")),
            ("in Q3 2021", ("Q3 2021", "date")),
        ] {
            assert!(kinds(text).contains(&expected), "{text}: {:?}", kinds(text));
        }
        assert_eq!(kinds("the old quarter"), []);
    }

    #[test]
    fn a_time_may_be_in_either_half_of_the_day_unless_that_is_said() {
        let minutes = |text: &str| -> Vec<u16> {
            let senses = amounts(text).into_iter().flat_map(|amount| amount.senses);
            senses
                .filter_map(|sense| if let AmountSense::Date(fields) = sense { fields.minute } else { None })
                .collect()
        };
        for (text, expected) in [
            ("9 pm", &[1260][..]),
            ("9:15", &[555, 1275]),
            ("09:15", &[555]),
            ("17:45", &[1065]),
            ("noon", &[720]),
            ("midnight", &[0]),
            ("until 4", &[240, 960]),
            ("at 15.30", &[930]),
            ("seven in the evening", &[1140]),
            ("half past seven", &[450, 1170]),
            ("five past two", &[125, 845]),
            ("five past two in the afternoon", &[845]),
            ("twenty-five minutes past 6", &[385, 1105]),
            ("10 past two pm", &[850]),
            ("ten minutes after four at night", &[250]),
            ("ten to nine pm", &[1250]),
            ("twenty to one o'clock", &[760, 40]),
            ("We meet at ten to nine.", &[530, 1250]),
            // Perhaps the hours of a range, but not minutes before an hour.
            ("They won five to two.", &[300, 1020, 120, 840]),
            ("It takes ten to twelve people.", &[600, 1320, 720, 0]),
            ("wait at five to ten locations", &[300, 1020]),
            ("the five past presidents", &[]),
            ("ten minutes to two hours", &[]),
            ("9 to 16", &[540, 1260, 960]),
            ("at 16 sites", &[]),
            ("lots 4417 to 4421", &[]),
            ("with 4", &[]),
        ] {
            assert_eq!(minutes(text), expected, "{text}");
        }
    }

    #[test]
    fn what_two_say_is_the_same_within_their_kind() {
        let is_same = |left: &str, right: &str| amounts(left)[0].sense().is_same(amounts(right)[0].sense());
        for (left, right) in [
            ("9 pm", "21:00"),
            ("500 g", "0.5 kg"),
            ("$40", "40 dollars"),
            ("250 cents", "$2.50"),
            ("two guests", "2 people"),
            ("and then 8", "8 minutes"),
            ("gate 7", "the seventh"),
        ] {
            assert!(is_same(left, right) && is_same(right, left), "{left}, {right}");
        }
        for (left, right) in [
            ("9 am", "9 pm"),
            ("$40", "€40"),
            ("40 g", "40 kg"),
            ("2 guests", "$2"),
            ("and then 8", "8 %"),
            ("9 am", "9 g"),
        ] {
            assert!(!is_same(left, right) && !is_same(right, left), "{left}, {right}");
        }
    }

    #[test]
    fn both_ends_of_a_range_have_its_unit() {
        for text in ["18 to 21 °C", "€10–15", "5-7 days", "3 to 4 million euros"] {
            let found = amounts(text);
            assert!(found.len() == 2 && found[0].is_comparable(&found[1]), "{text}: {found:?}");
        }
        let found = amounts("Keep them at 18 to 21 °C, and water 3 times.");
        assert_eq!(found[2].sense().kind(), "number");
    }

    #[test]
    fn days_are_not_held_against_years() {
        let are_comparable = |left: &str, right: &str| amounts(left)[0].is_comparable(&amounts(right)[0]);
        assert!(are_comparable("14 days", "two weeks") && are_comparable("18 months", "two years"));
        assert!(!are_comparable("14 days", "two years") && !are_comparable("14 days", "14 nights"));
    }

    #[test]
    fn words_around_a_number_say_how_exact_it_is() {
        for (text, expected) in [
            ("about 50", AmountQualifier::About),
            ("50 or so", AmountQualifier::About),
            ("more than $50", AmountQualifier::Over),
            ("at least 50", AmountQualifier::Over),
            ("50 or more", AmountQualifier::Over),
            ("up to 50", AmountQualifier::Under),
            ("nearly 50", AmountQualifier::Under),
            ("than 50", AmountQualifier::Exact),
        ] {
            assert_eq!(stated_amounts(text)[0].approach, expected, "{text}");
        }
        let digits = |text: &str| (stated_amounts(text)[0].digits, stated_amounts(text)[0].step);
        assert_eq!([digits("50,000"), digits("3.10 km"), digits("$2.5 million")], [(1, 1.0), (3, 0.01), (2, 1e5)]);
    }
}
