//! Numbers that follow from others: a sum, a difference, a multiple, a share, the time between two dates.
//!
//! Who adds up what the context says invents nothing. Only numbers that fit together are tried (money with money, a length of
//! time with two times of day), and only those at hand: with enough numbers to choose from, anything follows.

use probare_text::dates::{Date, Meaning};
use probare_text::quantities::{Kind, Quantity};

use super::conversion::{self, Dimension};

/// What a number is a number of.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Of {
    Things,
    Money,
    Percent,
    Measure(Dimension),
    /// A year of the calendar.
    Year,
    /// Minutes since midnight.
    Clock,
}

/// A number with what it counts, in the base unit of its sort.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figure {
    of: Of,
    value: f64,
    /// The number as written: three in "three nights".
    written: f64,
}

/// Most numbers that a context may have to be at hand; with more of them nearly anything follows.
pub(super) const MOST_AT_HAND: usize = 24;

/// Greatest count that a response may assume: "for three nights".
const GREATEST_COUNT: f64 = 366.0;

/// Least number of things that a sum or a difference is looked for: small ones follow from anything.
const LEAST_SUM: f64 = 100.0;

/// A number at hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AtHand {
    pub figure: Figure,
    /// Where it comes from.
    pub from: Origin,
}

/// Where a number at hand comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The context.
    Context,
    /// The response, beside the number, borne out by the context.
    Response,
    /// The response, beside the number, as an assumption: it may count, and nothing else.
    Assumed,
}

impl Figure {
    /// A quantity.
    pub fn of_quantity(quantity: &Quantity) -> Self {
        let value = conversion::common(quantity);
        let of = match quantity.kind {
            Kind::Money { .. } => Of::Money,
            Kind::Percent | Kind::Measure { unit: "pp" } => Of::Percent,
            Kind::Cardinal => Of::Things,
            Kind::Measure { unit } | Kind::Duration { unit, .. } => {
                conversion::dimension(unit).map_or(Of::Things, Of::Measure)
            }
        };
        Self { of, value, written: quantity.value }
    }

    /// A length of time, a year or a time of day; nothing for other dates.
    pub fn of_date(date: &Date) -> Option<Self> {
        match &date.meaning {
            Meaning::Duration(quantity) => Some(Self::of_quantity(quantity)),
            Meaning::Calendar { fields, .. } => match (fields.minute, fields.year) {
                (Some(minute), _) => {
                    let value = f64::from(minute);
                    Some(Self { of: Of::Clock, value, written: value })
                }
                (None, Some(year)) => {
                    let value = f64::from(year);
                    Some(Self { of: Of::Year, value, written: value })
                }
                _ => None,
            },
        }
    }

    /// Whether a response may take it for granted in order to count: "for three nights", "two adults".
    pub fn may_count(&self) -> bool {
        matches!(self.of, Of::Things | Of::Measure(Dimension::Time | Dimension::LongTime))
            && self.written > 1.0
            && self.written <= GREATEST_COUNT
            && self.written.fract() == 0.0
    }

    /// Whether another one is written with the same number, whatever its unit.
    pub fn is_written_as(&self, other: &Self) -> bool {
        (self.written - other.written).abs() < 1e-9
    }

    /// The numbers at hand that it follows from: two of them, one of which is said beside it, or one taken so many times or
    /// divided by so much as `factors` say. It may be rounded to so many digits where it is a share, or is said to be rounded.
    pub fn follows(&self, hand: &[AtHand], factors: &[f64], digits: i32, is_rounded: bool) -> Option<[usize; 2]> {
        let result = Reckoned { said: self, digits, is_rounded };
        hand.iter().enumerate().filter(|(_, one)| one.from != Origin::Assumed).find_map(|(place, one)| {
            let is_measured = one.figure.of == self.of && matches!(self.of, Of::Money | Of::Measure(_));
            if is_measured && factors.iter().any(|factor| result.is_multiple(&one.figure, *factor)) {
                return Some([place, place]);
            }
            let partner = hand.iter().enumerate().find(|(other_place, other)| {
                let is_beside = one.from == Origin::Response || other.from != Origin::Context;
                *other_place != place
                    && is_beside
                    && (other.from != Origin::Assumed && result.is_of(&one.figure, &other.figure)
                        || one.from == Origin::Response
                            && other.from == Origin::Response
                            && result.is_small(&one.figure, &other.figure)
                        || result.is_counted(&one.figure, &other.figure))
            });
            partner.map(|(other, _)| [place, other])
        })
    }
}

/// A number that may be the result of a reckoning.
struct Reckoned<'a> {
    said: &'a Figure,
    digits: i32,
    is_rounded: bool,
}

impl Reckoned<'_> {
    fn is(&self, value: f64) -> bool {
        let said = self.said.value;
        let is_same = (value - said).abs() <= 1e-6 * said.abs().max(1e-6);
        is_same || self.is_rounded && conversion::is_rounded(value, said, self.digits.max(2))
    }

    /// A share has seldom an end, so it is rounded without a word.
    fn is_share(&self, value: f64) -> bool {
        self.is(value) || conversion::is_rounded(value, self.said.value, self.digits.max(2))
    }

    /// Whether it is a number so many times, or divided by so much.
    fn is_multiple(&self, one: &Figure, factor: f64) -> bool {
        factor > 1.0 && (self.is(one.value * factor) || self.is_share(one.value / factor))
    }

    /// Whether it is a number as many times as another one counts, or divided by it.
    fn is_counted(&self, one: &Figure, count: &Figure) -> bool {
        // "350,000 rupiah, so 70,000 each": the currency was said before.
        let fits = one.of == self.said.of || one.of == Of::Money && self.said.of == Of::Things;
        fits && matches!(one.of, Of::Money | Of::Measure(_))
            && count.may_count()
            && self.is_multiple(one, count.written)
    }

    /// Whether it is a small number of things and follows from two that are both said beside it: "ten sessions, six here, four there",
    /// "by five votes, 21 to 16", "twelve young in three litters of four".
    fn is_small(&self, one: &Figure, other: &Figure) -> bool {
        let results = [one.value + other.value, one.value - other.value, one.value * other.value];
        [self.said.of, one.of, other.of] == [Of::Things; 3] && results.into_iter().any(|result| self.is(result))
    }

    /// Whether it is the sum, the difference or the share of two numbers, or the time between them.
    fn is_of(&self, one: &Figure, other: &Figure) -> bool {
        let (left, right) = (one.value, other.value);
        let between = (left - right).abs();
        match (self.said.of, one.of, other.of) {
            (Of::Percent, left_of, right_of) if left_of == right_of && right != 0.0 => {
                let is_points = left_of == Of::Percent && (self.is(between) || self.is(left + right));
                is_points || self.is_share(100.0 * left / right) || self.is_share(100.0 * between / right)
            }
            (Of::Measure(Dimension::LongTime), Of::Year, Of::Year) => self.is(12.0 * between),
            (Of::Year, Of::Year, Of::Measure(Dimension::LongTime)) => {
                self.is(left + right / 12.0) || self.is(left - right / 12.0)
            }
            (Of::Measure(Dimension::Time), Of::Clock, Of::Clock) => {
                // Over midnight, the rest of the day; hours and minutes may be said one by one.
                [between, DAY - between].into_iter().any(|minutes| {
                    let hours = (minutes / 60.0).floor() * 60.0;
                    [minutes, hours, minutes - hours].into_iter().any(|part| part > 0.0 && self.is(60.0 * part))
                })
            }
            // "40 minutes from 11:00" arrives at 11:40.
            (Of::Clock, Of::Clock, Of::Measure(Dimension::Time)) => {
                let minutes = right / 60.0;
                [left + minutes, left - minutes].into_iter().any(|at| self.is(at.rem_euclid(DAY)))
            }
            // An age, before the birthday or after it.
            (Of::Things, Of::Year, Of::Year) => between <= OLDEST && (self.is(between) || self.is(between - 1.0)),
            (Of::Measure(Dimension::Area), Of::Measure(Dimension::Length), Of::Measure(Dimension::Length)) => {
                self.is(left * right)
            }
            // Interest, a discount, a price with a supplement in percent.
            (Of::Money, Of::Money, Of::Percent) => {
                [right, 100.0 - right, 100.0 + right].into_iter().any(|part| self.is(left * part / 100.0))
            }
            (Of::Things, Of::Money, Of::Money) => self.is(left + right) || self.is(between),
            (Of::Things, Of::Things, Of::Things) if self.said.value < LEAST_SUM => false,
            (of, left_of, right_of) if of == left_of && of == right_of && !matches!(of, Of::Year | Of::Clock) => {
                self.is(left + right) || self.is(between)
            }
            _ => false,
        }
    }
}

/// Greatest age.
const OLDEST: f64 = 120.0;

/// Minutes of a day.
const DAY: f64 = 1440.0;

#[cfg(test)]
mod tests {
    use probare_text::anchors::find_anchors;
    use probare_text::{dates, quantities};

    use super::*;

    fn figures(text: &str) -> Vec<Figure> {
        let of = |text: &str| {
            let date = dates::parse(text).as_ref().and_then(Figure::of_date);
            date.or_else(|| quantities::parse(text).as_ref().map(Figure::of_quantity))
        };
        find_anchors(text).iter().filter_map(|anchor| of(anchor.text(text))).collect()
    }

    fn follows(said: &str, context: &str, beside: &str) -> bool {
        let digits = conversion::significant_digits(said);
        let from = |text: &str, from: Origin| {
            figures(text).into_iter().map(move |figure| AtHand { figure, from }).collect::<Vec<_>>()
        };
        let hand = [from(context, Origin::Context), from(beside, Origin::Response)].concat();
        figures(said).iter().all(|figure| figure.follows(&hand, &[12.0], digits, false).is_some())
    }

    #[test]
    fn what_can_be_worked_out_follows() {
        assert!(follows("€36", "€12 a night", "three nights"));
        assert!(follows("£8,905.92", "£742.16 each month", ""));
        assert!(follows("62%", "frogs in 131 of 212 ponds", "131 of 212"));
        assert!(follows("39 years", "from 1924 to 1963", "in 1963"));
        assert!(follows("$11", "$29 and $18", "$29"));
        assert!(follows("six hours", "", "from 11:30 pm to 5:30 am"));
        assert!(follows("11:40", "it takes 40 minutes", "11:00"));
        assert!(follows("71", "from 1890 to 1961", "1961"));
        assert!(follows("5 square metres", "2 metres", "2.5 metres"));
        assert!(follows("2.5 percentage points", "6% and 3.5%", "6%"));
        assert!(follows("€120", "1.2 %", "€10,000"));
        assert!(follows("ten", "", "six here and four there"));
        assert!(follows("five", "", "21 to 16"));
    }

    #[test]
    fn what_cannot_does_not() {
        assert!(!follows("€62", "€18 a night and €16", "€18, two nights"));
        assert!(!follows("27%", "", "from €18.3 million to €15.1 million"));
        assert!(!follows("$11", "$29 and $18", ""), "nothing of it is said beside it");
        assert!(!follows("$75", "75% of 1924", "75%"));
    }
}
