//! Which number or date of a source bears out one of an answer.
//!
//! What an answer says is a list of intervals on scales: its value, and around it what conversion, rounding, "about" and "more
//! than" allow. [`AmountIndex`] keeps a source sorted by scale, unit and value, so that each interval is one search, however many
//! numbers there are.

use std::cell::RefCell;
use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;

use super::amount::{Amount, AmountQualifier, AmountScale, AmountSense};
use super::currencies;
use crate::dates::DateFields;

/// How a number or date is borne out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SupportKind {
    /// By the same value.
    Same,
    /// By the same value in another unit or notation.
    Converted,
    /// By what the calendar says: a weekday, a decade.
    Implied,
    /// By a value that it is rounded from.
    Rounded,
    /// By a value within its bound: *over 50*.
    Bounded,
}

/// How far a number may be from what "more than" and "nearly" say.
const BOUND_TOLERANCE: f64 = 0.25;

/// How far a number may be from what it is rounded from without a word.
const ROUNDING_TOLERANCE: f64 = 0.02;

/// How far it may be with "about".
const ABOUT_TOLERANCE: f64 = 0.2;

/// Where a number of an answer may lie.
struct TargetRange {
    scale: AmountScale,
    values: RangeInclusive<f64>,
    how: SupportKind,
    /// Its unit. What has the same one was not converted.
    unit: &'static str,
}

/// The numbers of a scale and unit, by value, then by place.
#[derive(Debug)]
struct ScaleGroup {
    scale: AmountScale,
    unit: &'static str,
    values: Vec<(f64, usize)>,
}

/// Dates by the fields that were asked for.
type ByFields = FxHashMap<DateFields, usize>;

/// The numbers and dates of a source, for look-up.
#[derive(Debug, Default)]
pub struct AmountIndex {
    groups: Vec<ScaleGroup>,
    dates: Vec<(DateFields, usize)>,
    projected: RefCell<FxHashMap<u16, ByFields>>,
}

impl AmountIndex {
    /// Sorts amounts; places are their numbers.
    pub fn new<'a>(amounts: impl IntoIterator<Item = &'a Amount>) -> Self {
        let mut groups: FxHashMap<(AmountScale, &'static str), Vec<(f64, usize)>> = FxHashMap::default();
        let mut index = Self::default();
        for (place, amount) in amounts.into_iter().enumerate() {
            probare_cancellation::count_steps(1);
            for sense in &amount.senses {
                let (scale, value, unit) = match sense {
                    AmountSense::Number { scale, value, unit } => (*scale, *value, unit.map_or("", |unit| unit.symbol)),
                    AmountSense::Date(fields) => {
                        index.dates.push((fields.clone(), place));
                        continue;
                    }
                };
                let key = if scale == AmountScale::Label { AmountScale::Ordinal } else { scale };
                groups.entry((key, unit)).or_default().push((sense.base().unwrap_or(value), place));
                if matches!(scale, AmountScale::Money(_))
                    || matches!(scale, AmountScale::Measure(what) if what != "share")
                {
                    groups.entry((AmountScale::Written, "")).or_default().push((value, place));
                }
            }
        }
        index.groups = groups.into_iter().map(|((scale, unit), values)| ScaleGroup { scale, unit, values }).collect();
        index.groups.sort_by_key(|group| (group.scale, group.unit));
        for group in &mut index.groups {
            group.values.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
        }
        index
    }

    /// The first place that bears out what is said, by the plainest way there is.
    pub fn find(&self, stated: &Amount) -> Option<(usize, SupportKind)> {
        let targets = target_ranges(stated);
        let of = |is_same: bool| {
            let alike = targets.iter().filter(move |target| (target.how == SupportKind::Same) == is_same);
            alike.filter_map(|target| self.search(target)).min_by_key(|(place, how)| (*how, *place))
        };
        of(true).or_else(|| self.date(stated)).or_else(|| of(false))
    }

    fn search(&self, target: &TargetRange) -> Option<(usize, SupportKind)> {
        let from = self.groups.partition_point(|group| group.scale < target.scale);
        let groups = self.groups[from..].iter().take_while(|group| group.scale == target.scale);
        let found = groups.filter_map(|group| {
            let how = match (target.how, group.unit == target.unit) {
                (SupportKind::Converted, true) => return None,
                (SupportKind::Same, false) => SupportKind::Converted,
                (how, _) => how,
            };
            let first = group.values.partition_point(|(value, _)| value < target.values.start());
            let (_, place) = group.values.get(first).filter(|(value, _)| value <= target.values.end())?;
            Some((*place, how))
        });
        found.min_by_key(|(place, how)| (*how, *place))
    }

    /// The first date that says all that a date says, or implies it.
    fn date(&self, stated: &Amount) -> Option<(usize, SupportKind)> {
        let stated_fields = stated.senses.iter().filter_map(|sense| match sense {
            AmountSense::Date(fields) => Some(fields),
            AmountSense::Number { .. } => None,
        });
        let place = stated_fields.clone().filter_map(|fields| self.projection(fields)).min()?;
        let is_said = |(had, at): &(DateFields, usize)| {
            *at == place && stated_fields.clone().any(|stated_fields| had.has_all_of(stated_fields))
        };
        let from = self.dates.partition_point(|(_, at)| *at < place);
        let is_said = self.dates[from..].iter().take_while(|(_, at)| *at == place).any(is_said);
        Some((place, if is_said { SupportKind::Same } else { SupportKind::Implied }))
    }

    /// The first date that has the fields of another one with equal values. For each set of fields a table is made once.
    fn projection(&self, stated: &DateFields) -> Option<usize> {
        let mut projected = self.projected.borrow_mut();
        let table = projected.entry(stated.mask()).or_insert_with(|| {
            let mut table = ByFields::default();
            for (fields, place) in &self.dates {
                probare_cancellation::count_steps(1);
                for implied in fields.with_implied() {
                    if let Some(fields) = implied.only(stated.mask()) {
                        table.entry(fields).or_insert(*place);
                    }
                }
            }
            table
        });
        table.get(stated).copied()
    }
}

/// The value of a source in the unit of an answer, as it is written: `4.989 km`. Nothing where they have the same unit or none.
pub fn converted_value(had: &Amount, stated: &Amount) -> Option<String> {
    stated.senses.iter().find_map(|sense| {
        let AmountSense::Number { scale, unit: Some(unit), .. } = sense else { return None };
        let is_other = |sense: &&AmountSense| matches!(sense, AmountSense::Number { scale: other, unit: from, .. } if other == scale && *from != Some(*unit));
        let value = unit.from_base(had.senses.iter().find(is_other)?.base()?);
        let shown = format!("{:.*}", usize::from(digit_step(value, 4) < 1.0) * 3, value);
        let shown = if shown.contains('.') { shown.trim_end_matches('0').trim_end_matches('.') } else { &shown };
        Some(format!("{shown} {}", unit.symbol))
    })
}

/// Where the value of an amount may lie.
fn target_ranges(stated: &Amount) -> Vec<TargetRange> {
    let mut all = Vec::new();
    for sense in &stated.senses {
        let AmountSense::Number { scale, value, unit } = *sense else { continue };
        let scales: Vec<(AmountScale, f64)> = match scale {
            AmountScale::Count => vec![(AmountScale::Count, 1.0), (AmountScale::Bare, 1.0)],
            AmountScale::Bare => [AmountScale::Bare, AmountScale::Count, AmountScale::Written, AmountScale::Ordinal]
                .map(|scale| (scale, 1.0))
                .to_vec(),
            AmountScale::Label => vec![(AmountScale::Ordinal, 1.0), (AmountScale::Bare, 1.0)],
            AmountScale::Money(code) => {
                let codes = currencies::equivalent_codes(code)
                    .into_iter()
                    .map(|(code, factor)| (AmountScale::Money(code), factor));
                codes.chain([(AmountScale::Bare, 1.0)]).collect()
            }
            AmountScale::Measure("share") | AmountScale::Ordinal | AmountScale::Written => vec![(scale, 1.0)],
            AmountScale::Measure(_) => vec![(scale, 1.0), (AmountScale::Bare, 1.0)],
        };
        for (scale, factor) in scales {
            // A measure has a base unit; on other scales a number counts as it is written.
            let unit = unit.filter(|_| matches!(scale, AmountScale::Measure(_)));
            let mut want = |low: f64, high: f64, how: SupportKind| {
                let base = |value: f64| unit.map_or(value * factor, |unit| unit.to_base(value));
                let (low, high) = (base(low.min(high)), base(low.max(high)));
                let slack = 1e-9 * low.abs().max(high.abs());
                let values = low - slack..=high + slack;
                all.push(TargetRange { scale, values, how, unit: unit.map_or("", |unit| unit.symbol) });
            };
            want(value, value, SupportKind::Same);
            let (reach, how) = match stated.approach {
                AmountQualifier::Exact => {
                    ((stated.step / 2.0).min(ROUNDING_TOLERANCE * value.abs()), SupportKind::Rounded)
                }
                AmountQualifier::About => (
                    (digit_step(value, stated.digits.min(2)) / 2.0).min(ABOUT_TOLERANCE * value.abs()),
                    SupportKind::Rounded,
                ),
                AmountQualifier::Over => {
                    want(value, value * (1.0 + BOUND_TOLERANCE), SupportKind::Bounded);
                    continue;
                }
                AmountQualifier::Under => {
                    want(value * (1.0 - BOUND_TOLERANCE), value, SupportKind::Bounded);
                    continue;
                }
            };
            want(value - reach, value + reach, how);
            if unit.is_some() && stated.approach == AmountQualifier::Exact {
                let reach = digit_step(value, stated.digits.max(2)) / 2.0;
                want(value - reach, value + reach, SupportKind::Converted);
            }
        }
    }
    all
}

/// What one more in the last of so many significant digits of a value is.
fn digit_step(value: f64, digits: i32) -> f64 {
    if value == 0.0 { 0.0 } else { 10_f64.powf(value.abs().log10().floor() - f64::from(digits) + 1.0) }
}

/// Whether `stated` is `exact` rounded to so many significant digits.
pub(super) fn is_rounded(exact: f64, stated: f64, digits: i32) -> bool {
    (exact - stated).abs() <= digit_step(stated, digits) / 2.0 * (1.0 + 1e-9)
}

#[cfg(test)]
mod tests {
    use super::super::{amounts, stated_amounts};
    use super::*;

    fn how(source: &str, stated: &str) -> Option<SupportKind> {
        AmountIndex::new(&amounts(source)).find(&stated_amounts(stated)[0]).map(|(_, how)| how)
    }

    #[test]
    fn numbers_are_borne_out_within_their_kind() {
        for (source, stated, expected) in [
            ("16 players", "sixteen players", Some(SupportKind::Same)),
            ("16 players", "4 players", None),
            ("16 players", "25 %", None),
            ("10 am", "10 %", None),
            ("the old quarter", "four", None),
            ("9 am", "9 pm", None),
            ("noon", "midnight", None),
            ("8 minutes", "and then 8", Some(SupportKind::Same)),
            ("8 minutes", "8 tablets", None),
            ("the second day", "day 2", Some(SupportKind::Same)),
            ("she placed 302nd", "ranked 302", Some(SupportKind::Same)),
            ("the third player", "3 players", None),
            ("a quarter", "25 %", Some(SupportKind::Converted)),
            ("0.5 kWh", "500 Wh", Some(SupportKind::Converted)),
            ("3.1 miles", "5 km", Some(SupportKind::Converted)),
            ("160 km/h", "100 mph", Some(SupportKind::Converted)),
            ("40 grams", "40 kg", None),
            ("40 francs", "CHF 40", Some(SupportKind::Same)),
            ("250 cents", "$2.50", Some(SupportKind::Same)),
            ("€40", "$40", None),
            ("150", "$150", Some(SupportKind::Same)),
            ("150 members", "$150", None),
            ("49,700", "50,000", None),
            ("49,700", "about 50,000", Some(SupportKind::Rounded)),
            ("2,487,312", "2.5 million", Some(SupportKind::Rounded)),
            ("1,140", "over 1,000", Some(SupportKind::Bounded)),
            ("990", "over 1,000", None),
            ("296", "nearly 300", Some(SupportKind::Bounded)),
            ("16 November 2026", "Monday", Some(SupportKind::Implied)),
            ("16 November 2026", "Tuesday", None),
            ("in 1994", "the 1990s", Some(SupportKind::Implied)),
            ("in 1347", "the 14th century", Some(SupportKind::Implied)),
            ("15 March 2016", "March 2016", Some(SupportKind::Same)),
            ("March 2016", "15 March 2016", None),
        ] {
            assert_eq!(how(source, stated), expected, "{stated} from {source}");
        }
    }

    #[test]
    fn a_value_is_shown_in_the_unit_of_the_other() {
        let shown = |source: &str, stated: &str| converted_value(&amounts(source)[0], &stated_amounts(stated)[0]);
        assert_eq!(shown("3.1 miles", "5 km").as_deref(), Some("4.989 km"));
        assert_eq!(shown("0.5 kWh", "500 Wh").as_deref(), Some("500 Wh"));
        assert_eq!((shown("5 km", "5 km"), shown("5 members", "5 km")), (None, None));
    }
}
