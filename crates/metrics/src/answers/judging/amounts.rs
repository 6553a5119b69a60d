//! Gold answers that are numbers: held against the numbers of the answer by value, with units converted and with the
//! rounding of everyday speech. What a number means is read by `probare_text::quantities`.

use probare_text::quantities::{Amount, Scale, Sense, Unit, amounts};

/// A meaning of a number.
type Number = (Scale, f64, Option<&'static Unit>);

/// The numbers of a text; a year is one of them, an ordinal is none. Shares in words count where `with_shares`.
pub(crate) fn numbers(text: &str, with_shares: bool) -> Vec<Amount> {
    let is_share = |amount: &Amount| {
        matches!(amount.senses[..], [Sense::Number { scale: Scale::Measure("share"), unit: None, .. }])
    };
    let mut found = amounts(text);
    found.retain(|amount| meanings(amount).next().is_some() && (with_shares || !is_share(amount)));
    found
}

/// What a number can mean.
fn meanings(amount: &Amount) -> impl Iterator<Item = Number> {
    amount.senses.iter().filter_map(|sense| match sense {
        Sense::Number { scale: Scale::Ordinal, .. } => None,
        Sense::Number { scale, value, unit } => Some((*scale, *value, *unit)),
        Sense::Date(fields) if fields.month.is_some() => None,
        Sense::Date(fields) => Some((Scale::Bare, f64::from(fields.year?), None)),
    })
}

/// The value of a number as it is written.
pub(crate) fn value(amount: &Amount) -> f64 {
    meanings(amount).next().map_or(0.0, |(_, value, _)| value)
}

/// Whether a number is a share.
pub(crate) fn is_share(amount: &Amount) -> bool {
    meanings(amount).any(|(scale, ..)| scale == Scale::Measure("share"))
}

/// Whether a number of the answer gives the number of the gold.
pub(crate) fn is_given(gold: &Amount, given: &Amount, is_rough: bool) -> bool {
    meanings(gold).any(|gold| meanings(given).any(|given| is_same(gold, given, is_rough)))
}

fn is_same(gold: Number, given: Number, is_rough: bool) -> bool {
    let base = |(_, value, unit): Number| unit.map_or(value, |unit| unit.to_base(value));
    let ((scale, value, unit), (other_scale, other_value, other_unit)) = (gold, given);
    let is_plain = |scale: Scale| matches!(scale, Scale::Count | Scale::Bare | Scale::Label);
    match (scale, other_scale) {
        (Scale::Measure("share"), other) if is_plain(other) => other_value <= 1.0 && is_near(base(gold), other_value),
        (scale, Scale::Measure("share")) if is_plain(scale) => {
            value <= 1.0 && is_near(value, base(given)) || value == other_value
        }
        (Scale::Measure(dimension), Scale::Measure(other)) if dimension == other => {
            if unit == other_unit {
                is_rounded(value, other_value, true)
            } else if dimension == "temperature" {
                // A share of a temperature would be several degrees, or none.
                (base(gold) - base(given)).abs() <= 1.0
            } else {
                is_near(base(gold), base(given))
            }
        }
        (Scale::Money(_), Scale::Money(_)) => {
            scale.ratio(other_scale).is_some_and(|ratio| is_rounded(value * ratio, other_value, true))
        }
        (Scale::Money(_), other) | (other, Scale::Money(_)) if is_plain(other) => is_rounded(value, other_value, true),
        // A number that does not say of what takes the unit of the other.
        (scale, other) if is_plain(scale) && is_plain(other) || scale == Scale::Bare || other == Scale::Bare => {
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
fn is_rounded(gold: f64, given: f64, is_rough: bool) -> bool {
    if (gold - given).abs() <= 1e-9 * gold.abs().max(given.abs()) {
        return true;
    }
    let is_count = gold.fract() == 0.0 && given.fract() == 0.0;
    if is_count && !is_rough && gold.abs().max(given.abs()) < 1_000.0 {
        return false;
    }
    let share = (gold - given).abs() / gold.abs().max(given.abs());
    let limit = if gold.abs() >= 100_000.0 { 0.05 } else { 0.02 };
    share <= limit && (rounds_to(gold, given) || rounds_to(given, gold))
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

    #[test]
    fn shares_are_read_from_words() {
        for (text, expected) in [
            ("half of them", 0.5),
            ("about a third", 1.0 / 3.0),
            ("1 in 4", 0.25),
            ("two out of five people", 0.4),
            ("three quarters", 0.75),
        ] {
            let found = numbers(text, true);
            assert!(found.iter().any(|found| is_share(found) && (value(found) - expected).abs() < 1e-9), "{text}");
        }
        assert!(!numbers("in 1969 the third man", true).iter().any(is_share));
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
        ] {
            let (golds, givens) = (numbers(gold, true), numbers(given, true));
            assert_eq!(is_given(&golds[0], &givens[0], false), expected, "{gold}, {given}");
        }
    }
}
