//! Gold answers that are numbers: held against the numbers of the answer by value, with units converted and with the
//! rounding of everyday speech. What a number means is read by `probare_text::quantities`.

use probare_text::quantities::{Amount, AmountScale, AmountSense, MeasurementUnit, amounts};

/// Years and times of day are never rounded.
const YEAR: &str = "year";
const TIME_OF_DAY: &str = "time of day";

/// A meaning of a number.
type Number = (AmountScale, f64, Option<&'static MeasurementUnit>);

/// The numbers of a text; a year is one of them, an ordinal is none. Shares in words count where `with_shares`.
pub(crate) fn numbers(text: &str, with_shares: bool) -> Vec<Amount> {
    let is_share = |amount: &Amount| {
        matches!(amount.senses[..], [AmountSense::Number { scale: AmountScale::Measure("share"), unit: None, .. }])
    };
    let mut found = amounts(text);
    found.retain(|amount| meanings(amount).next().is_some() && (with_shares || !is_share(amount)));
    found
}

/// What a number can mean.
fn meanings(amount: &Amount) -> impl Iterator<Item = Number> {
    amount.senses.iter().filter_map(|sense| match sense {
        AmountSense::Number { scale: AmountScale::Ordinal, .. } => None,
        AmountSense::Number { scale, value, unit } => Some((*scale, *value, *unit)),
        AmountSense::Date(fields) if fields.month.is_some() => None,
        AmountSense::Date(fields) => match (fields.year, fields.minute) {
            (Some(year), _) => Some((AmountScale::Measure(YEAR), f64::from(year), None)),
            (None, minute) => Some((AmountScale::Measure(TIME_OF_DAY), f64::from(minute?), None)),
        },
    })
}

/// Whether a number of the answer gives the number of the gold.
pub(crate) fn matches_reference(reference: &Amount, given: &Amount, is_rough: bool) -> bool {
    // A number that may be a year is not rounded: 1989 is not 1990.
    let is_year = |amount: &Amount| meanings(amount).any(|(scale, ..)| scale == AmountScale::Measure(YEAR));
    let is_exact = is_year(reference) || is_year(given);
    let is_met = |gold: Number, given: Number| is_same(gold, given, is_rough) && (!is_exact || gold.1 == given.1);
    meanings(reference).any(|gold| meanings(given).any(|given| is_met(gold, given)))
}

fn is_same(reference: Number, given: Number, is_rough: bool) -> bool {
    let base = |(_, value, unit): Number| unit.map_or(value, |unit| unit.to_base(value));
    let ((scale, value, unit), (other_scale, other_value, other_unit)) = (reference, given);
    let is_plain = |scale: AmountScale| matches!(scale, AmountScale::Count | AmountScale::Bare | AmountScale::Label);
    match (scale, other_scale) {
        (AmountScale::Measure(YEAR), AmountScale::Measure(YEAR) | AmountScale::Bare | AmountScale::Count)
        | (AmountScale::Bare | AmountScale::Count, AmountScale::Measure(YEAR))
        | (AmountScale::Measure(TIME_OF_DAY), AmountScale::Measure(TIME_OF_DAY)) => value == other_value,
        (AmountScale::Measure(YEAR | TIME_OF_DAY), _) | (_, AmountScale::Measure(YEAR | TIME_OF_DAY)) => false,
        (AmountScale::Measure("share"), other) if is_plain(other) => {
            other_value <= 1.0 && is_near(base(reference), other_value)
        }
        (scale, AmountScale::Measure("share")) if is_plain(scale) => {
            value <= 1.0 && is_near(value, base(given)) || value == other_value
        }
        (AmountScale::Measure(dimension), AmountScale::Measure(other)) if dimension == other => {
            if unit == other_unit {
                is_rounded(value, other_value, true)
            } else if dimension == "temperature" {
                // A share of a temperature would be several degrees, or none.
                (base(reference) - base(given)).abs() <= 1.0
            } else {
                is_near(base(reference), base(given))
            }
        }
        (AmountScale::Money(_), AmountScale::Money(_)) => {
            scale.ratio(other_scale).is_some_and(|ratio| is_rounded(value * ratio, other_value, true))
        }
        (AmountScale::Money(_), other) | (other, AmountScale::Money(_)) if is_plain(other) => {
            is_rounded(value, other_value, true)
        }
        // A number that does not say of what takes the unit of the other.
        (scale, other)
            if is_plain(scale) && is_plain(other) || scale == AmountScale::Bare || other == AmountScale::Bare =>
        {
            is_rounded(value, other_value, is_rough)
        }
        _ => false,
    }
}

/// Whether two values differ by conversion and rounding only: by 1 % at most.
fn is_near(left: f64, right: f64) -> bool {
    (left - right).abs() <= 0.01 * left.abs().max(right.abs())
}

/// Whether one value is the other as people round it: the shorter is what the longer becomes at its last digit, and
/// they lie within 2 % of each other, within 5 % from a hundred thousand. Small counts are exact.
fn is_rounded(reference: f64, given: f64, is_rough: bool) -> bool {
    if (reference - given).abs() <= 1e-9 * reference.abs().max(given.abs()) {
        return true;
    }
    let is_count = reference.fract() == 0.0 && given.fract() == 0.0;
    if is_count && !is_rough && reference.abs().max(given.abs()) < 1_000.0 {
        return false;
    }
    let share = (reference - given).abs() / reference.abs().max(given.abs());
    let limit = if reference.abs() >= 100_000.0 { 0.05 } else { 0.02 };
    share <= limit && (rounds_to(reference, given) || rounds_to(given, reference))
}

/// Whether `exact`, cut to as many significant digits as `round` shows, is `round`.
fn rounds_to(exact: f64, round: f64) -> bool {
    (1..=4).any(|digits| {
        let magnitude = round.abs().log10().floor();
        let step = 10_f64.powf(magnitude + 1.0 - f64::from(digits));
        let is_multiple = ((round / step).round() * step - round).abs() <= 1e-9 * round.abs();
        is_multiple && (exact - round).abs() <= step / 2.0 * 1.000_001
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of the shares in a text.
    fn shares(text: &str) -> Vec<f64> {
        let numbers = numbers(text, true);
        let shares = numbers.iter().flat_map(meanings).filter(|(scale, ..)| *scale == AmountScale::Measure("share"));
        shares.map(|(_, value, _)| value).collect()
    }

    #[test]
    fn shares_are_read_from_words() {
        for (text, expected) in [
            ("half of them", 0.5),
            ("about a third", 1.0 / 3.0),
            ("1 in 4", 0.25),
            ("two out of five people", 0.4),
            ("three quarters", 0.75),
        ] {
            assert!(shares(text).iter().any(|value| (value - expected).abs() < 1e-9), "{text}");
        }
        assert!(shares("in 1969 the third man").is_empty());
    }

    #[test]
    fn values_meet_across_units_and_rounding() {
        for (gold, given, expected) in [
            ("8,849 metres", "8,850 m", true),
            ("8,849 metres", "8,611 metres", false),
            ("384,400 km", "384,400 miles", false),
            ("384,400 km", "384 thousand kilometres", true),
            ("21,196 km", "21,000 kilometres", true),
            ("1.609", "1.6", true),
            ("453.6", "454 g", true),
            ("453.6", "500 grams", false),
            ("£4.65 billion", "4.7 billion pounds", true),
            ("£4.65 billion", "£4.65 million", false),
            ("1 kilogram", "1,000 grams", true),
            ("75%", "75 per cent", true),
            ("71%", "70 %", true),
            ("71%", "75 %", false),
            ("40%", "two fifths", true),
            ("1,440", "1,400", false),
            ("206", "208", false),
            ("nine", "9", true),
            ("27", "27 years", true),
            ("about 380,000", "0.38 million", true),
            ("32 °F", "0 degrees Fahrenheit", false),
            ("11 kilometres", "11,000 feet", false),
            ("0.5 kWh", "500 Wh", true),
            ("2.4 GHz", "2,400 MHz", true),
            ("1.2 bar", "1,200 mbar", true),
            ("1.2 bar", "12 mbar", false),
            ("10 lb", "10 pounds", true),
            ("CHF 40", "40 francs", true),
            ("27 members", "27 kg", false),
            ("1989", "1990", false),
            ("1989", "1989", true),
            ("18:00", "6 pm", true),
            ("10:00", "10 am", true),
            ("9.30 am", "half past nine in the morning", true),
            ("9.30 am", "9.30 pm", false),
        ] {
            let (golds, givens) = (numbers(gold, true), numbers(given, true));
            assert_eq!(matches_reference(&golds[0], &givens[0], false), expected, "{gold}, {given}");
        }
    }
}
