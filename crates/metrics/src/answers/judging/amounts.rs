//! Gold answers that are numbers: held against the numbers of the answer by value, with units converted and with the
//! rounding of everyday speech.

use probare_text::quantities::{Kind, Quantity, supports};

use super::numerals::value;
use super::words::AnswerWord;

/// Whether a number of the answer gives the number of the gold.
pub(crate) fn is_given(gold: &Quantity, given: &Quantity, is_rough: bool) -> bool {
    match (gold.kind, given.kind) {
        (Kind::Percent, Kind::Cardinal) => given.value <= 1.0 && is_near(gold.value / 100.0, given.value),
        (Kind::Cardinal, Kind::Percent) => {
            (gold.value <= 1.0 && is_near(gold.value, given.value / 100.0)) || gold.value == given.value
        }
        (Kind::Money { .. }, kind) | (kind, Kind::Money { .. }) => {
            // `pounds` are money or a weight: `supports` knows which units may be the same.
            let same_value = Quantity { value: gold.value, ..given.clone() };
            (kind == Kind::Cardinal || supports(gold, &same_value)) && is_rounded(gold.value, given.value, true)
        }
        _ => match (base(gold), base(given)) {
            (Some((dimension, value)), Some((other, other_value))) => {
                dimension == other
                    && if unit(gold.kind) == unit(given.kind) {
                        is_rounded(gold.value, given.value, true)
                    } else if dimension == "temperature" {
                        // On the absolute scale a share would be several degrees.
                        (value - other_value).abs() <= 1.0
                    } else {
                        is_near(value, other_value)
                    }
            }
            (None, None) if unit(gold.kind) == unit(given.kind) => {
                is_rounded(gold.value, given.value, is_rough || gold.kind == Kind::Percent)
            }
            // A number without a unit takes that of the other.
            _ if gold.kind == Kind::Cardinal || given.kind == Kind::Cardinal => {
                is_rounded(gold.value, given.value, is_rough)
            }
            _ => false,
        },
    }
}

fn unit(kind: Kind) -> &'static str {
    match kind {
        Kind::Measure { unit } | Kind::Duration { unit, .. } => unit,
        Kind::Percent => "%",
        Kind::Money { currency } => currency,
        Kind::Cardinal => "",
    }
}

/// The shares that a text names without a number that `quantities` reads: `half`, `a third`, `1 in 4`, `two out of three`.
pub(crate) fn shares(words: &[AnswerWord]) -> Vec<Quantity> {
    let text = |at: usize| words.get(at).map_or("", |word: &AnswerWord| word.text.as_str());
    let count = |at: usize| words.get(at).and_then(value).filter(|number| *number > 0).map(f64::from);
    let mut found = Vec::new();
    for at in 0..words.len() {
        probare_cancellation::steps(1);
        let ratio = match text(at) {
            "half" => Some((0.5, 1)),
            "third" | "thirds" => Some((1.0 / 3.0, 1)),
            "quarter" | "quarters" => Some((0.25, 1)),
            "fifth" => Some((0.2, 1)),
            "tenth" => Some((0.1, 1)),
            "in" => count(at + 1).map(|whole| (1.0 / whole, 2)),
            "out" if text(at + 1) == "of" => count(at + 2).map(|whole| (1.0 / whole, 3)),
            _ => None,
        };
        let Some((part, length)) = ratio else { continue };
        let (times, start) = match at.checked_sub(1).map(|before| (text(before), before)) {
            Some(("a", before)) => (Some(1.0), before),
            Some((_, before)) => (count(before), before),
            None => (None, at),
        };
        let times = if text(at) == "half" { Some(1.0) } else { times };
        if let Some(times) = times.filter(|times| times * part <= 1.0)
            && let (Some(first), Some(last)) = (words.get(start), words.get(at + length - 1))
        {
            found.push(Quantity { kind: Kind::Cardinal, value: times * part, span: first.span.start..last.span.end });
        }
    }
    found
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

/// The dimension of a quantity and its value in the base unit of that dimension.
fn base(quantity: &Quantity) -> Option<(&'static str, f64)> {
    let (dimension, factor) = match unit(quantity.kind) {
        "nm" => ("length", 1e-9),
        "µm" => ("length", 1e-6),
        "mm" => ("length", 1e-3),
        "cm" => ("length", 0.01),
        "dm" => ("length", 0.1),
        "m" => ("length", 1.0),
        "km" => ("length", 1_000.0),
        "in" => ("length", 0.0254),
        "ft" => ("length", 0.3048),
        "yd" => ("length", 0.9144),
        "mi" => ("length", 1_609.344),
        "nmi" => ("length", 1_852.0),
        "mg" => ("mass", 1e-6),
        "g" => ("mass", 1e-3),
        "kg" => ("mass", 1.0),
        "t" => ("mass", 1_000.0),
        "oz" => ("mass", 0.028_349_5),
        "lb" => ("mass", 0.453_592),
        "ml" => ("volume", 1e-3),
        "cl" => ("volume", 0.01),
        "dl" => ("volume", 0.1),
        "l" => ("volume", 1.0),
        "gal" => ("volume", 3.785_41),
        "pt" => ("volume", 0.473_176),
        "m²" => ("area", 1.0),
        "km²" => ("area", 1e6),
        "ha" => ("area", 1e4),
        "acre" => ("area", 4_046.86),
        "mi²" => ("area", 2_589_988.0),
        "ft²" => ("area", 0.092_903),
        "m/s" => ("speed", 1.0),
        "km/s" => ("speed", 1_000.0),
        "km/h" => ("speed", 1.0 / 3.6),
        "mi/h" => ("speed", 0.447_04),
        "mi/s" => ("speed", 1_609.344),
        "ft/s" => ("speed", 0.3048),
        "kn" => ("speed", 0.514_444),
        "°C" => return Some(("temperature", quantity.value + 273.15)),
        "°F" => return Some(("temperature", (quantity.value - 32.0) / 1.8 + 273.15)),
        "K" => return Some(("temperature", quantity.value)),
        "ms" => ("time", 1e-3),
        "s" => ("time", 1.0),
        "min" => ("time", 60.0),
        "h" => ("time", 3_600.0),
        "day" | "night" => ("time", 86_400.0),
        "week" => ("time", 604_800.0),
        "fortnight" => ("time", 1_209_600.0),
        "month" => ("time", 2_629_746.0),
        "year" => ("time", 31_556_952.0),
        "decade" => ("time", 315_569_520.0),
        "century" => ("time", 3_155_695_200.0),
        _ => return None,
    };
    Some((dimension, quantity.value * factor))
}

#[cfg(test)]
mod tests {
    use probare_text::quantities::find;

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
            let found = shares(&super::super::words::words(text));
            assert!((found[0].value - expected).abs() < 1e-9, "{text}");
        }
        assert!(shares(&super::super::words::words("in 1969 the third man")).is_empty());
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
        ] {
            let (gold_amount, given_amount) = (&find(gold)[0], &find(given)[0]);
            assert_eq!(is_given(gold_amount, given_amount, false), expected, "{gold}, {given}");
        }
    }
}
