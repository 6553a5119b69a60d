//! Numbers that follow from others: a sum, a difference, a multiple, a share, the time between two dates.
//!
//! Who adds up what a source says invents nothing. Only numbers that fit together are tried (money with money of the same
//! currency, a length of time with two times of day), and only those at hand: with enough numbers to choose from, anything follows.
//!
//! ```
//! use probare_text::quantities::{amounts, arithmetic::{Operand, OperandOrigin, find_derivation}};
//!
//! let source = "Frogs were found in 131 of 212 ponds.";
//! let had = amounts(source);
//! let hand: Vec<Operand<'_>> =
//!     had.iter().map(|amount| Operand { amount, text: amount.text(source), from: OperandOrigin::Answer }).collect();
//! let said = &amounts("62 %")[0];
//! assert_eq!(find_derivation(said, "62 %", &hand, &[]).unwrap().formula, "131 / 212 = 62 %");
//! ```

use super::MeasurementUnit;
use super::amount::{Amount, AmountQualifier, AmountScale, AmountSense};
use super::index::is_rounded;

/// A number at hand.
#[derive(Debug, Clone, Copy)]
pub struct Operand<'a> {
    /// The number.
    pub amount: &'a Amount,
    /// Its words.
    pub text: &'a str,
    /// Where it comes from.
    pub from: OperandOrigin,
}

/// Where a number at hand comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandOrigin {
    /// The source.
    Source,
    /// The answer, beside the number, borne out by the source.
    Answer,
    /// The answer, beside the number, as an assumption: it may count, and nothing else.
    Assumed,
}

/// A number that follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedNumber {
    /// The numbers at hand that it follows from, twice the same where it is one.
    pub from: [usize; 2],
    /// How.
    pub formula: String,
}

/// Greatest count that an answer may assume: "for three nights".
const GREATEST_COUNT: f64 = 366.0;

/// Least number of things that a sum or a difference is looked for: small ones follow from anything.
const LEAST_SUM: f64 = 100.0;

/// Greatest age.
const OLDEST: f64 = 120.0;

/// Minutes, and seconds, of a day.
const DAY: f64 = 1440.0;
const DAY_SECONDS: f64 = 86_400.0;

/// Days of a year in the mean.
const YEAR_DAYS: f64 = 365.2425;

/// What a number is a number of.
#[derive(Debug, Clone, Copy, PartialEq)]
enum FigureKind {
    Things,
    Money(&'static str),
    Share,
    Measure(&'static str),
    /// A year of the calendar.
    Year,
    /// A day of the calendar; without a year, of a year that is no leap year.
    Day,
    /// A month of the calendar.
    Month,
    /// Minutes since midnight.
    Clock,
}

/// A number with what it counts, in the base unit of its sort.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Figure {
    of: FigureKind,
    value: f64,
    /// The number as written: three in "three nights".
    written: f64,
    unit: Option<&'static MeasurementUnit>,
    /// The year of a date that names one.
    year: Option<f64>,
}

impl Figure {
    fn from_amount(amount: &Amount) -> Option<Self> {
        let sense = amount.sense();
        let dated = |of, value: f64, year: Option<i32>| {
            Some(Self { of, value, written: value, unit: None, year: year.map(f64::from) })
        };
        match sense {
            AmountSense::Number { scale, value, unit } => {
                let base = sense.base()?;
                let (of, base) = match scale {
                    AmountScale::Money(code) => (FigureKind::Money(code), base),
                    AmountScale::Measure("share") => (FigureKind::Share, base),
                    AmountScale::Measure("points") => (FigureKind::Share, base / 100.0),
                    AmountScale::Measure(dimension) => (FigureKind::Measure(dimension), base),
                    AmountScale::Count
                    | AmountScale::Bare
                    | AmountScale::Label
                    | AmountScale::Ordinal
                    | AmountScale::Written => (FigureKind::Things, base),
                };
                Some(Self { of, value: base, written: *value, unit: *unit, year: None })
            }
            AmountSense::Date(fields) => match (fields.minute, fields.month, fields.day, fields.year) {
                (Some(minute), ..) => dated(FigureKind::Clock, f64::from(minute), None),
                (None, Some(_), Some(_), year) => {
                    let fields = crate::dates::DateFields { year: year.or(Some(2001)), ..fields.clone() };
                    dated(FigureKind::Day, fields.days_since_epoch()? as f64, year)
                }
                (None, Some(month), None, year) => dated(FigureKind::Month, f64::from(month), year),
                (None, None, None, Some(year)) => dated(FigureKind::Year, f64::from(year), Some(year)),
                _ => None,
            },
        }
    }

    /// A date as its year alone, which is all that can be held against a year.
    fn as_year(&self) -> Self {
        self.year.map_or(*self, |year| Self { of: FigureKind::Year, value: year, written: year, ..*self })
    }

    /// Whether a date is later than another one.
    fn is_later(&self, other: &Self) -> bool {
        let is_date = |of: FigureKind| matches!(of, FigureKind::Year | FigureKind::Month | FigureKind::Day);
        is_date(self.of) && is_date(other.of) && (self.year, self.value) > (other.year, other.value)
    }

    fn may_count(&self) -> bool {
        matches!(self.of, FigureKind::Things | FigureKind::Measure("time" | "night"))
            && self.written > 1.0
            && self.written <= GREATEST_COUNT
            && self.written.fract() == 0.0
    }
}

/// Whether an answer may take a number for granted in order to count: "for three nights", "two adults".
pub fn may_count(amount: &Amount) -> bool {
    Figure::from_amount(amount).is_some_and(|figure| figure.may_count())
}

/// Whether two numbers are written with the same digits, whatever their unit.
pub fn is_written_alike(left: &Amount, right: &Amount) -> bool {
    let figures = Figure::from_amount(left).zip(Figure::from_amount(right));
    figures.is_some_and(|(left, right)| (left.written - right.written).abs() < 1e-9)
}

/// By how much the words around a number tell to multiply or divide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor {
    /// 2 for *doubled*, 12 for *a year*.
    pub by: f64,
    /// Whether it is told of things too, not of money and measures alone.
    pub of_things: bool,
}

/// The numbers at hand that a number follows from: two of them, one of which is said beside it, or one taken so many times or
/// divided by so much as `factors` say. It may be rounded where it is a share, or is said to be rounded.
pub fn find_derivation(stated: &Amount, text: &str, hand: &[Operand<'_>], factors: &[Factor]) -> Option<DerivedNumber> {
    let result = TargetNumber {
        stated: Figure::from_amount(stated)?,
        digits: stated.digits.max(2),
        is_rounded: stated.approach != AmountQualifier::Exact,
    };
    let figures: Vec<Option<Figure>> = hand.iter().map(|at_hand| Figure::from_amount(at_hand.amount)).collect();
    let all =
        || hand.iter().zip(&figures).enumerate().filter_map(|(place, (hand, figure))| Some((place, hand, (*figure)?)));
    all().filter(|(_, one, _)| one.from != OperandOrigin::Assumed).find_map(|(place, one, figure)| {
        let by = |factor: &Factor| result.by_factor(&figure, factor);
        if let Some(sign) = factors.iter().find_map(|factor| Some((by(factor)?, factor.by))) {
            return Some(DerivedNumber {
                from: [place, place],
                formula: format!("{} {} {} = {text}", one.text, sign.0, sign.1),
            });
        }
        all().filter(|(other, ..)| *other != place).find_map(|(other_place, other, other_figure)| {
            let is_beside = one.from == OperandOrigin::Answer || other.from != OperandOrigin::Source;
            let both = one.from == OperandOrigin::Answer && other.from == OperandOrigin::Answer;
            let sign = is_beside.then(|| {
                let of = || {
                    (other.from != OperandOrigin::Assumed).then(|| result.relation(&figure, &other_figure)).flatten()
                };
                let small = || both.then(|| result.small_count_relation(&figure, &other_figure)).flatten();
                of().or_else(small).or_else(|| result.count_relation(&figure, &other_figure))
            });
            let sign = sign.flatten()?;
            let is_later = sign == "to" && figure.is_later(&other_figure);
            let (first, second) = if is_later { (other.text, one.text) } else { (one.text, other.text) };
            let formula = format!("{first} {sign} {second} = {text}");
            Some(DerivedNumber { from: [place, other_place], formula })
        })
    })
}

/// A number that may be the result of a reckoning.
struct TargetNumber {
    stated: Figure,
    digits: i32,
    is_rounded: bool,
}

impl TargetNumber {
    fn matches(&self, value: f64) -> bool {
        let stated = self.stated.value;
        (value - stated).abs() <= 1e-6 * stated.abs().max(1e-6) || self.is_rounded && self.rounds(value)
    }

    /// Whether it is the value as it would be written in this unit.
    fn rounds(&self, value: f64) -> bool {
        let value = self.stated.unit.map_or(value, |unit| unit.from_base(value));
        is_rounded(value, if self.stated.unit.is_some() { self.stated.written } else { self.stated.value }, self.digits)
    }

    /// A share has seldom an end, so it is rounded without a word.
    fn is_share(&self, value: f64) -> bool {
        self.matches(value) || self.rounds(value)
    }

    /// The sign with which one of several values is the result.
    fn matching_sign<const N: usize>(&self, values: [(&'static str, f64); N]) -> Option<&'static str> {
        values.into_iter().find(|(_, value)| self.matches(*value)).map(|(sign, _)| sign)
    }

    /// Whether it is a number so many times, or divided by so much.
    fn multiple(&self, one: &Figure, factor: f64) -> Option<&'static str> {
        match factor > 1.0 {
            true if self.matches(one.value * factor) => Some("×"),
            true if self.is_share(one.value / factor) => Some("/"),
            _ => None,
        }
    }

    fn by_factor(&self, one: &Figure, factor: &Factor) -> Option<&'static str> {
        let fits =
            one.of == self.stated.of && (factor.of_things && one.of == FigureKind::Things || is_measured(one.of));
        fits.then(|| self.multiple(one, factor.by)).flatten()
    }

    /// Whether it is a number as many times as another one counts, or divided by it.
    fn count_relation(&self, one: &Figure, count: &Figure) -> Option<&'static str> {
        // "350,000 rupiah, so 70,000 each": the currency was said before.
        let fits =
            one.of == self.stated.of || matches!(one.of, FigureKind::Money(_)) && self.stated.of == FigureKind::Things;
        (fits && is_measured(one.of) && count.may_count()).then(|| self.multiple(one, count.written)).flatten()
    }

    /// Whether it is a small number of things and follows from two that are both said beside it: "ten sessions, six here, four there",
    /// "by five votes, 21 to 16", "twelve young in three litters of four".
    fn small_count_relation(&self, one: &Figure, other: &Figure) -> Option<&'static str> {
        let (left, right) = (one.value, other.value);
        let is_things = [self.stated.of, one.of, other.of] == [FigureKind::Things; 3];
        is_things.then(|| self.matching_sign([("+", left + right), ("-", left - right), ("×", left * right)])).flatten()
    }

    /// Whether it is the sum, the difference or the share of two numbers, or the time between them.
    fn relation(&self, one: &Figure, other: &Figure) -> Option<&'static str> {
        let is_year = one.of == FigureKind::Year || other.of == FigureKind::Year;
        let (one, other) = if is_year { (one.as_year(), other.as_year()) } else { (*one, *other) };
        let (left, right) = (one.value, other.value);
        let between = (left - right).abs();
        let years = one.year.zip(other.year);
        match (self.stated.of, one.of, other.of) {
            (FigureKind::Share, left_of, right_of) if left_of == right_of && right != 0.0 => {
                let points = || self.matching_sign([("to", between), ("+", left + right)]);
                let points = (left_of == FigureKind::Share).then(points).flatten();
                let share = || {
                    [("/", left / right), ("to", between / right)].into_iter().find(|(_, share)| self.is_share(*share))
                };
                points.or_else(|| share().map(|(sign, _)| sign))
            }
            (FigureKind::Measure("time"), FigureKind::Year, FigureKind::Year) => {
                let year = MeasurementUnit::from_symbol("year")?;
                self.matching_sign([("to", year.to_base(between))])
            }
            (FigureKind::Year, FigureKind::Year, FigureKind::Measure("time")) => {
                let years = MeasurementUnit::from_symbol("year")?.from_base(right);
                self.matching_sign([("+", left + years), ("-", left - years)])
            }
            // The first day counts or does not; nights are between days.
            (FigureKind::Measure("time"), FigureKind::Day, FigureKind::Day) => {
                self.matching_sign([("to", between * DAY_SECONDS), ("to", (between + 1.0) * DAY_SECONDS)])
            }
            // So do the first month and the last.
            (FigureKind::Measure("time"), FigureKind::Month, FigureKind::Month) => {
                let months = (left - right + years.map_or(0.0, |(left, right)| 12.0 * (left - right))).abs();
                let month = MeasurementUnit::from_symbol("month")?;
                self.matching_sign([("to", month.to_base(months)), ("to", month.to_base(months + 1.0))])
            }
            (FigureKind::Measure("night"), FigureKind::Day, FigureKind::Day) => self.matching_sign([("to", between)]),
            (FigureKind::Day, FigureKind::Day, FigureKind::Measure("time")) => {
                let days = right / DAY_SECONDS;
                self.matching_sign([("+", left + days), ("-", left - days)]).filter(|_| days.fract() == 0.0)
            }
            (FigureKind::Measure("time"), FigureKind::Clock, FigureKind::Clock) => {
                // Over midnight, the rest of the day; hours and minutes may be said one by one.
                let unit = self.stated.unit.map_or("", |unit| unit.symbol);
                [between, DAY - between].into_iter().find_map(|minutes| {
                    let part = match unit {
                        "h" => (minutes / 60.0).floor() * 60.0,
                        "min" if minutes > 60.0 => minutes % 60.0,
                        _ => minutes,
                    };
                    self.matching_sign([("to", 60.0 * minutes), ("to", 60.0 * part)])
                })
            }
            // "40 minutes from 11:00" arrives at 11:40.
            (FigureKind::Clock, FigureKind::Clock, FigureKind::Measure("time")) => {
                let minutes = right / 60.0;
                self.matching_sign([("+", (left + minutes).rem_euclid(DAY)), ("-", (left - minutes).rem_euclid(DAY))])
            }
            // An age, before the birthday or after it.
            (FigureKind::Things, FigureKind::Year, FigureKind::Year) if between <= OLDEST => {
                self.matching_sign([("to", between), ("to", between - 1.0)])
            }
            (FigureKind::Things, FigureKind::Day, FigureKind::Day)
                if years.is_some() && between <= OLDEST * YEAR_DAYS =>
            {
                self.matching_sign([("to", (between / YEAR_DAYS).floor())])
            }
            (FigureKind::Measure("area"), FigureKind::Measure("length"), FigureKind::Measure("length")) => {
                self.matching_sign([("×", left * right)])
            }
            // Interest, a discount, a price with a supplement in percent.
            (FigureKind::Money(_), FigureKind::Money(_), FigureKind::Share) if one.of == self.stated.of => {
                self.matching_sign([("×", left * right), ("-", left * (1.0 - right)), ("+", left * (1.0 + right))])
            }
            (FigureKind::Things, FigureKind::Money(_), FigureKind::Money(_)) => {
                self.matching_sign([("+", left + right), ("-", between)])
            }
            (FigureKind::Things, FigureKind::Things, FigureKind::Things) if self.stated.value < LEAST_SUM => None,
            (of, left_of, right_of)
                if of == left_of
                    && of == right_of
                    && !matches!(of, FigureKind::Year | FigureKind::Month | FigureKind::Clock | FigureKind::Day) =>
            {
                self.matching_sign([("+", left + right), ("-", left - right)])
            }
            _ => None,
        }
    }
}

fn is_measured(of: FigureKind) -> bool {
    matches!(of, FigureKind::Money(_) | FigureKind::Measure(_))
}

#[cfg(test)]
mod tests {
    use super::super::{amounts, stated_amounts};
    use super::*;

    fn formula(stated: &str, source: &str, beside: &str) -> Option<String> {
        let (had, near) = (amounts(source), stated_amounts(beside));
        let had = had.iter().map(|amount| Operand { amount, text: amount.text(source), from: OperandOrigin::Source });
        let near = near.iter().map(|amount| Operand { amount, text: amount.text(beside), from: OperandOrigin::Answer });
        let hand: Vec<Operand<'_>> = had.chain(near).collect();
        let factors = [Factor { by: 12.0, of_things: false }];
        let amounts = stated_amounts(stated);
        find_derivation(&amounts[0], amounts[0].text(stated), &hand, &factors).map(|reckoned| reckoned.formula)
    }

    #[test]
    fn what_can_be_worked_out_follows_and_is_shown() {
        for (stated, source, beside, expected) in [
            ("€36", "€12 a night", "three nights", "€12 × three nights = €36"),
            ("£8,905.92", "£742.16 each month", "", "£742.16 × 12 = £8,905.92"),
            ("62%", "frogs in 131 of 212 ponds", "131 of 212", "131 / 212 = 62%"),
            ("39 years", "from 1924 to 1963", "in 1963", "1924 to 1963 = 39 years"),
            ("$11", "$29 and $18", "$29", "$29 - $18 = $11"),
            ("six hours", "", "from 11:30 pm to 5:30 am", "11:30 pm to 5:30 am = six hours"),
            ("11:40", "it takes 40 minutes", "11:00", "11:00 + 40 minutes = 11:40"),
            ("71", "from 1890 to 1961", "in 1961", "1890 to 1961 = 71"),
            ("5 square metres", "2 metres", "2.5 metres", "2 metres × 2.5 metres = 5 square metres"),
            ("2.5 percentage points", "6% and 3.5%", "6%", "3.5% to 6% = 2.5 percentage points"),
            ("€120", "1.2 %", "€10,000", "€10,000 × 1.2 % = €120"),
            ("ten", "", "six here and four there", "six + four = ten"),
            ("five", "", "21 to 16", "21 - 16 = five"),
            ("three weeks", "from 3 May to 24 May", "3 May", "3 May to 24 May = three weeks"),
            ("four nights", "28 June to 2 July", "28 June", "28 June to 2 July = four nights"),
            ("15 March", "it takes 5 days", "10 March", "10 March + 5 days = 15 March"),
            ("25", "born on 3 August 1871", "in 1896", "3 August 1871 to 1896 = 25"),
            ("24", "born on 3 August 1871", "on 2 May 1896", "3 August 1871 to 2 May 1896 = 24"),
            ("five months", "between April and August 2021", "in April", "April to August 2021 = five months"),
        ] {
            assert_eq!(formula(stated, source, beside).as_deref(), Some(expected), "{stated}");
        }
    }

    #[test]
    fn what_cannot_does_not() {
        for (stated, source, beside) in [
            ("€62", "€18 a night and €16", "€18, two nights"),
            ("27%", "", "from €18.3 million to €15.1 million"),
            // Nothing of it is said beside it.
            ("$11", "$29 and $18", ""),
            ("$75", "75% of 1924", "75%"),
            ("$30", "€12", "$18"),
            ("five weeks", "from 3 May to 24 May", "3 May"),
        ] {
            assert_eq!(formula(stated, source, beside), None, "{stated}");
        }
    }
}
