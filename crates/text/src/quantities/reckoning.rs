//! Numbers that follow from others: a sum, a difference, a multiple, a share, the time between two dates.
//!
//! Who adds up what a source says invents nothing. Only numbers that fit together are tried (money with money of the same
//! currency, a length of time with two times of day), and only those at hand: with enough numbers to choose from, anything follows.
//!
//! ```
//! use probare_text::quantities::{amounts, reckoning::{AtHand, Origin, follows}};
//!
//! let source = "Frogs were found in 131 of 212 ponds.";
//! let had = amounts(source);
//! let hand: Vec<AtHand<'_>> =
//!     had.iter().map(|amount| AtHand { amount, text: amount.text(source), from: Origin::Answer }).collect();
//! let said = &amounts("62 %")[0];
//! assert_eq!(follows(said, "62 %", &hand, &[]).unwrap().formula, "131 / 212 = 62 %");
//! ```

use super::Unit;
use super::amount::{Amount, Approach, Scale, Sense};
use super::index::is_rounded;

/// A number at hand.
#[derive(Debug, Clone, Copy)]
pub struct AtHand<'a> {
    /// The number.
    pub amount: &'a Amount,
    /// Its words.
    pub text: &'a str,
    /// Where it comes from.
    pub from: Origin,
}

/// Where a number at hand comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The source.
    Source,
    /// The answer, beside the number, borne out by the source.
    Answer,
    /// The answer, beside the number, as an assumption: it may count, and nothing else.
    Assumed,
}

/// A number that follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reckoned {
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
enum Of {
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
    of: Of,
    value: f64,
    /// The number as written: three in "three nights".
    written: f64,
    unit: Option<&'static Unit>,
    /// The year of a date that names one.
    year: Option<f64>,
}

impl Figure {
    fn of(amount: &Amount) -> Option<Self> {
        let sense = amount.sense();
        let dated = |of, value: f64, year: Option<i32>| {
            Some(Self { of, value, written: value, unit: None, year: year.map(f64::from) })
        };
        match sense {
            Sense::Number { scale, value, unit } => {
                let base = sense.base()?;
                let (of, base) = match scale {
                    Scale::Money(code) => (Of::Money(code), base),
                    Scale::Measure("share") => (Of::Share, base),
                    Scale::Measure("points") => (Of::Share, base / 100.0),
                    Scale::Measure(dimension) => (Of::Measure(dimension), base),
                    Scale::Count | Scale::Bare | Scale::Label | Scale::Ordinal | Scale::Written => (Of::Things, base),
                };
                Some(Self { of, value: base, written: *value, unit: *unit, year: None })
            }
            Sense::Date(fields) => match (fields.minute, fields.month, fields.day, fields.year) {
                (Some(minute), ..) => dated(Of::Clock, f64::from(minute), None),
                (None, Some(_), Some(_), year) => {
                    let fields = crate::dates::Fields { year: year.or(Some(2001)), ..fields.clone() };
                    dated(Of::Day, fields.days_since_epoch()? as f64, year)
                }
                (None, Some(month), None, year) => dated(Of::Month, f64::from(month), year),
                (None, None, None, Some(year)) => dated(Of::Year, f64::from(year), Some(year)),
                _ => None,
            },
        }
    }

    /// A date as its year alone, which is all that can be held against a year.
    fn as_year(&self) -> Self {
        self.year.map_or(*self, |year| Self { of: Of::Year, value: year, written: year, ..*self })
    }

    /// Whether a date is later than another one.
    fn is_later(&self, other: &Self) -> bool {
        let is_date = |of: Of| matches!(of, Of::Year | Of::Month | Of::Day);
        is_date(self.of) && is_date(other.of) && (self.year, self.value) > (other.year, other.value)
    }

    fn may_count(&self) -> bool {
        matches!(self.of, Of::Things | Of::Measure("time" | "night"))
            && self.written > 1.0
            && self.written <= GREATEST_COUNT
            && self.written.fract() == 0.0
    }
}

/// Whether an answer may take a number for granted in order to count: "for three nights", "two adults".
pub fn may_count(amount: &Amount) -> bool {
    Figure::of(amount).is_some_and(|figure| figure.may_count())
}

/// Whether two numbers are written with the same digits, whatever their unit.
pub fn is_written_alike(left: &Amount, right: &Amount) -> bool {
    let figures = Figure::of(left).zip(Figure::of(right));
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
pub fn follows(said: &Amount, text: &str, hand: &[AtHand<'_>], factors: &[Factor]) -> Option<Reckoned> {
    let result =
        Result { said: Figure::of(said)?, digits: said.digits.max(2), is_rounded: said.approach != Approach::Exact };
    let figures: Vec<Option<Figure>> = hand.iter().map(|at_hand| Figure::of(at_hand.amount)).collect();
    let all =
        || hand.iter().zip(&figures).enumerate().filter_map(|(place, (hand, figure))| Some((place, hand, (*figure)?)));
    all().filter(|(_, one, _)| one.from != Origin::Assumed).find_map(|(place, one, figure)| {
        let by = |factor: &Factor| result.by_factor(&figure, factor);
        if let Some(sign) = factors.iter().find_map(|factor| Some((by(factor)?, factor.by))) {
            return Some(Reckoned {
                from: [place, place],
                formula: format!("{} {} {} = {text}", one.text, sign.0, sign.1),
            });
        }
        all().filter(|(other, ..)| *other != place).find_map(|(other_place, other, other_figure)| {
            let is_beside = one.from == Origin::Answer || other.from != Origin::Source;
            let both = one.from == Origin::Answer && other.from == Origin::Answer;
            let sign = is_beside.then(|| {
                let of = || (other.from != Origin::Assumed).then(|| result.of(&figure, &other_figure)).flatten();
                let small = || both.then(|| result.small(&figure, &other_figure)).flatten();
                of().or_else(small).or_else(|| result.counted(&figure, &other_figure))
            });
            let sign = sign.flatten()?;
            let is_later = sign == "to" && figure.is_later(&other_figure);
            let (first, second) = if is_later { (other.text, one.text) } else { (one.text, other.text) };
            let formula = format!("{first} {sign} {second} = {text}");
            Some(Reckoned { from: [place, other_place], formula })
        })
    })
}

/// A number that may be the result of a reckoning.
struct Result {
    said: Figure,
    digits: i32,
    is_rounded: bool,
}

impl Result {
    fn is(&self, value: f64) -> bool {
        let said = self.said.value;
        (value - said).abs() <= 1e-6 * said.abs().max(1e-6) || self.is_rounded && self.rounds(value)
    }

    /// Whether it is the value as it would be written in this unit.
    fn rounds(&self, value: f64) -> bool {
        let value = self.said.unit.map_or(value, |unit| unit.from_base(value));
        is_rounded(value, if self.said.unit.is_some() { self.said.written } else { self.said.value }, self.digits)
    }

    /// A share has seldom an end, so it is rounded without a word.
    fn is_share(&self, value: f64) -> bool {
        self.is(value) || self.rounds(value)
    }

    /// The sign with which one of several values is the result.
    fn signed<const N: usize>(&self, values: [(&'static str, f64); N]) -> Option<&'static str> {
        values.into_iter().find(|(_, value)| self.is(*value)).map(|(sign, _)| sign)
    }

    /// Whether it is a number so many times, or divided by so much.
    fn multiple(&self, one: &Figure, factor: f64) -> Option<&'static str> {
        match factor > 1.0 {
            true if self.is(one.value * factor) => Some("×"),
            true if self.is_share(one.value / factor) => Some("/"),
            _ => None,
        }
    }

    fn by_factor(&self, one: &Figure, factor: &Factor) -> Option<&'static str> {
        let fits = one.of == self.said.of && (factor.of_things && one.of == Of::Things || is_measured(one.of));
        fits.then(|| self.multiple(one, factor.by)).flatten()
    }

    /// Whether it is a number as many times as another one counts, or divided by it.
    fn counted(&self, one: &Figure, count: &Figure) -> Option<&'static str> {
        // "350,000 rupiah, so 70,000 each": the currency was said before.
        let fits = one.of == self.said.of || matches!(one.of, Of::Money(_)) && self.said.of == Of::Things;
        (fits && is_measured(one.of) && count.may_count()).then(|| self.multiple(one, count.written)).flatten()
    }

    /// Whether it is a small number of things and follows from two that are both said beside it: "ten sessions, six here, four there",
    /// "by five votes, 21 to 16", "twelve young in three litters of four".
    fn small(&self, one: &Figure, other: &Figure) -> Option<&'static str> {
        let (left, right) = (one.value, other.value);
        let is_things = [self.said.of, one.of, other.of] == [Of::Things; 3];
        is_things.then(|| self.signed([("+", left + right), ("-", left - right), ("×", left * right)])).flatten()
    }

    /// Whether it is the sum, the difference or the share of two numbers, or the time between them.
    fn of(&self, one: &Figure, other: &Figure) -> Option<&'static str> {
        let is_year = one.of == Of::Year || other.of == Of::Year;
        let (one, other) = if is_year { (one.as_year(), other.as_year()) } else { (*one, *other) };
        let (left, right) = (one.value, other.value);
        let between = (left - right).abs();
        let years = one.year.zip(other.year);
        match (self.said.of, one.of, other.of) {
            (Of::Share, left_of, right_of) if left_of == right_of && right != 0.0 => {
                let points = || self.signed([("to", between), ("+", left + right)]);
                let points = (left_of == Of::Share).then(points).flatten();
                let share = || {
                    [("/", left / right), ("to", between / right)].into_iter().find(|(_, share)| self.is_share(*share))
                };
                points.or_else(|| share().map(|(sign, _)| sign))
            }
            (Of::Measure("time"), Of::Year, Of::Year) => {
                let year = Unit::of("year")?;
                self.signed([("to", year.to_base(between))])
            }
            (Of::Year, Of::Year, Of::Measure("time")) => {
                let years = Unit::of("year")?.from_base(right);
                self.signed([("+", left + years), ("-", left - years)])
            }
            // The first day counts or does not; nights are between days.
            (Of::Measure("time"), Of::Day, Of::Day) => {
                self.signed([("to", between * DAY_SECONDS), ("to", (between + 1.0) * DAY_SECONDS)])
            }
            // So do the first month and the last.
            (Of::Measure("time"), Of::Month, Of::Month) => {
                let months = (left - right + years.map_or(0.0, |(left, right)| 12.0 * (left - right))).abs();
                let month = Unit::of("month")?;
                self.signed([("to", month.to_base(months)), ("to", month.to_base(months + 1.0))])
            }
            (Of::Measure("night"), Of::Day, Of::Day) => self.signed([("to", between)]),
            (Of::Day, Of::Day, Of::Measure("time")) => {
                let days = right / DAY_SECONDS;
                self.signed([("+", left + days), ("-", left - days)]).filter(|_| days.fract() == 0.0)
            }
            (Of::Measure("time"), Of::Clock, Of::Clock) => {
                // Over midnight, the rest of the day; hours and minutes may be said one by one.
                let unit = self.said.unit.map_or("", |unit| unit.symbol);
                [between, DAY - between].into_iter().find_map(|minutes| {
                    let part = match unit {
                        "h" => (minutes / 60.0).floor() * 60.0,
                        "min" if minutes > 60.0 => minutes % 60.0,
                        _ => minutes,
                    };
                    self.signed([("to", 60.0 * minutes), ("to", 60.0 * part)])
                })
            }
            // "40 minutes from 11:00" arrives at 11:40.
            (Of::Clock, Of::Clock, Of::Measure("time")) => {
                let minutes = right / 60.0;
                self.signed([("+", (left + minutes).rem_euclid(DAY)), ("-", (left - minutes).rem_euclid(DAY))])
            }
            // An age, before the birthday or after it.
            (Of::Things, Of::Year, Of::Year) if between <= OLDEST => {
                self.signed([("to", between), ("to", between - 1.0)])
            }
            (Of::Things, Of::Day, Of::Day) if years.is_some() && between <= OLDEST * YEAR_DAYS => {
                self.signed([("to", (between / YEAR_DAYS).floor())])
            }
            (Of::Measure("area"), Of::Measure("length"), Of::Measure("length")) => self.signed([("×", left * right)]),
            // Interest, a discount, a price with a supplement in percent.
            (Of::Money(_), Of::Money(_), Of::Share) if one.of == self.said.of => {
                self.signed([("×", left * right), ("-", left * (1.0 - right)), ("+", left * (1.0 + right))])
            }
            (Of::Things, Of::Money(_), Of::Money(_)) => self.signed([("+", left + right), ("-", between)]),
            (Of::Things, Of::Things, Of::Things) if self.said.value < LEAST_SUM => None,
            (of, left_of, right_of)
                if of == left_of && of == right_of && !matches!(of, Of::Year | Of::Month | Of::Clock | Of::Day) =>
            {
                self.signed([("+", left + right), ("-", left - right)])
            }
            _ => None,
        }
    }
}

fn is_measured(of: Of) -> bool {
    matches!(of, Of::Money(_) | Of::Measure(_))
}

#[cfg(test)]
mod tests {
    use super::super::{amounts, stated};
    use super::*;

    fn formula(said: &str, source: &str, beside: &str) -> Option<String> {
        let (had, near) = (amounts(source), stated(beside));
        let had = had.iter().map(|amount| AtHand { amount, text: amount.text(source), from: Origin::Source });
        let near = near.iter().map(|amount| AtHand { amount, text: amount.text(beside), from: Origin::Answer });
        let hand: Vec<AtHand<'_>> = had.chain(near).collect();
        let factors = [Factor { by: 12.0, of_things: false }];
        let amounts = stated(said);
        follows(&amounts[0], amounts[0].text(said), &hand, &factors).map(|reckoned| reckoned.formula)
    }

    #[test]
    fn what_can_be_worked_out_follows_and_is_shown() {
        for (said, source, beside, expected) in [
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
            assert_eq!(formula(said, source, beside).as_deref(), Some(expected), "{said}");
        }
    }

    #[test]
    fn what_cannot_does_not() {
        for (said, source, beside) in [
            ("€62", "€18 a night and €16", "€18, two nights"),
            ("27%", "", "from €18.3 million to €15.1 million"),
            // Nothing of it is said beside it.
            ("$11", "$29 and $18", ""),
            ("$75", "75% of 1924", "75%"),
            ("$30", "€12", "$18"),
            ("five weeks", "from 3 May to 24 May", "3 May"),
        ] {
            assert_eq!(formula(said, source, beside), None, "{said}");
        }
    }
}
