//! Numbers that say the same in other units, or roughly.

use probare_text::quantities::{Kind, Quantity, supports};

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dimension {
    Length,
    Area,
    Volume,
    Mass,
    Time,
    /// Months and years have no fixed number of days.
    LongTime,
    Speed,
    Energy,
    Power,
    Data,
    Temperature,
}

/// How a number of a response is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Approach {
    /// As it is.
    Exact,
    /// "about": rounded.
    About,
    /// "more than": the source has somewhat more.
    Over,
    /// "nearly": the source has somewhat less.
    Under,
}

/// How far a number may be from what "more than" and "nearly" say.
const STRETCH: f64 = 0.25;

impl Approach {
    /// Reads the words before a number, in lower case and in order.
    pub fn of(words: &[&str]) -> Self {
        match words {
            [.., "about" | "around" | "roughly" | "approximately" | "circa" | "some" | "ca"] => Self::About,
            [.., "more" | "greater" | "higher", "than"] | [.., "over" | "above"] | [.., "at", "least"] => Self::Over,
            [.., "less" | "fewer" | "lower", "than"] | [.., "nearly" | "almost" | "under" | "below"] => Self::Under,
            _ => Self::Exact,
        }
    }
}

/// Whether a number of a source bears out a number of a response once units are converted and rounding is allowed
/// for. `digits` are the significant digits that the response gives.
pub(super) fn bears_out(source: &Quantity, said: &Quantity, approach: Approach, digits: i32) -> bool {
    if approach == Approach::Exact && supports(source, said) {
        return true;
    }
    let Some((source_value, said_value, is_converted)) = comparable(source, said) else { return false };
    match approach {
        Approach::Exact => is_converted && is_rounded(source_value, said_value, digits.max(2)),
        Approach::About => is_rounded(source_value, said_value, digits.min(2)),
        Approach::Over => said_value <= source_value && source_value <= said_value * (1.0 + STRETCH),
        Approach::Under => said_value * (1.0 - STRETCH) <= source_value && source_value <= said_value,
    }
}

/// A value in a unit that all quantities of its sort have in common.
pub(super) fn common(quantity: &Quantity) -> f64 {
    match quantity.kind {
        Kind::Measure { unit } | Kind::Duration { unit, .. } => {
            in_base(unit, quantity.value).map_or(quantity.value, |(_, value)| value)
        }
        _ => quantity.value,
    }
}

/// Whether both numbers measure the same, so that one of them can be wrong.
pub(super) fn is_same_sort(left: &Quantity, right: &Quantity) -> bool {
    match (left.kind, right.kind) {
        (Kind::Money { .. }, Kind::Money { .. })
        | (Kind::Percent, Kind::Percent)
        | (Kind::Cardinal, Kind::Cardinal) => true,
        _ => comparable(left, right).is_some(),
    }
}

/// Both values in one unit, and whether a conversion was needed.
fn comparable(source: &Quantity, said: &Quantity) -> Option<(f64, f64, bool)> {
    match (source.kind, said.kind) {
        (Kind::Measure { unit: left }, Kind::Measure { unit: right })
        | (Kind::Duration { unit: left, .. }, Kind::Duration { unit: right, .. }) => {
            if left == right {
                return Some((source.value, said.value, false));
            }
            let ((left_dimension, source), (right_dimension, said)) =
                (in_base(left, source.value)?, in_base(right, said.value)?);
            (left_dimension == right_dimension).then_some((source, said, true))
        }
        (left, right) if left == right => Some((source.value, said.value, false)),
        // A bare number may be an amount of money whose currency was said before.
        (Kind::Cardinal, Kind::Money { .. }) | (Kind::Money { .. }, Kind::Cardinal) => {
            Some((source.value, said.value, false))
        }
        _ => None,
    }
}

/// Whether `said` is `exact` rounded to so many significant digits.
pub(super) fn is_rounded(exact: f64, said: f64, digits: i32) -> bool {
    if exact == 0.0 || said == 0.0 {
        return exact == said;
    }
    let magnitude = said.abs().log10().floor();
    let step = 10_f64.powf(magnitude - f64::from(digits) + 1.0);
    (exact - said).abs() <= step / 2.0 * (1.0 + 1e-9)
}

/// The significant digits of a number as it is written: `5` has one, `3.10` three, `50,000` one.
pub(super) fn significant_digits(text: &str) -> i32 {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_start_matches('0');
    let significant = if text.contains('.') { digits } else { digits.trim_end_matches('0') };
    i32::try_from(significant.len().clamp(1, 15)).unwrap_or(1)
}

/// What a unit measures, where it is known.
pub(super) fn dimension(unit: &str) -> Option<Dimension> {
    in_base(unit, 1.0).map(|(dimension, _)| dimension)
}

/// The value in the base unit of its dimension.
fn in_base(unit: &str, value: f64) -> Option<(Dimension, f64)> {
    use Dimension::{Area, Data, Energy, Length, LongTime, Mass, Power, Speed, Temperature, Time, Volume};
    let (dimension, factor) = match unit {
        "°F" => return Some((Temperature, (value - 32.0) / 1.8)),
        "°C" => (Temperature, 1.0),
        "mm" => (Length, 0.001),
        "cm" => (Length, 0.01),
        "m" => (Length, 1.0),
        "km" => (Length, 1000.0),
        "in" => (Length, 0.0254),
        "ft" => (Length, 0.3048),
        "yd" => (Length, 0.9144),
        "mi" => (Length, 1609.344),
        "nmi" => (Length, 1852.0),
        "cm²" => (Area, 1e-4),
        "m²" => (Area, 1.0),
        "km²" => (Area, 1e6),
        "ha" => (Area, 1e4),
        "ac" | "acre" => (Area, 4_046.856_422_4),
        "ft²" => (Area, 0.092_903_04),
        "mi²" => (Area, 2_589_988.110_336),
        "ml" => (Volume, 1e-6),
        "cl" => (Volume, 1e-5),
        "dl" => (Volume, 1e-4),
        "l" => (Volume, 1e-3),
        "m³" => (Volume, 1.0),
        "gal" => (Volume, 0.003_785_411_784),
        "mg" => (Mass, 1e-6),
        "g" => (Mass, 1e-3),
        "kg" => (Mass, 1.0),
        "t" => (Mass, 1000.0),
        "lb" => (Mass, 0.453_592_37),
        "oz" => (Mass, 0.028_349_523_125),
        "s" => (Time, 1.0),
        "min" => (Time, 60.0),
        "h" => (Time, 3600.0),
        "day" | "d" => (Time, 86_400.0),
        "week" => (Time, 604_800.0),
        "month" => (LongTime, 1.0),
        "year" => (LongTime, 12.0),
        "decade" => (LongTime, 120.0),
        "century" => (LongTime, 1200.0),
        "m/s" => (Speed, 1.0),
        "km/h" => (Speed, 1.0 / 3.6),
        "mi/h" => (Speed, 0.44704),
        "kWh" => (Energy, 1.0),
        "MWh" => (Energy, 1e3),
        "GWh" => (Energy, 1e6),
        "W" => (Power, 1.0),
        "kW" => (Power, 1e3),
        "MW" => (Power, 1e6),
        "GW" => (Power, 1e9),
        "kB" => (Data, 1e3),
        "MB" => (Data, 1e6),
        "GB" => (Data, 1e9),
        "TB" => (Data, 1e12),
        _ => return None,
    };
    Some((dimension, value * factor))
}

#[cfg(test)]
mod tests {
    use probare_text::quantities::parse;

    use super::*;

    fn holds(source: &str, said: &str, approach: Approach) -> bool {
        bears_out(&parse(source).unwrap(), &parse(said).unwrap(), approach, significant_digits(said))
    }

    #[test]
    fn units_are_converted_and_rounding_is_allowed_for() {
        for (source, said) in [
            ("3.1 miles", "5 kilometres"),
            ("2 tonnes", "2,000 kg"),
            ("2 cubic metres", "2,000 litres"),
            ("1.5 hours", "90 minutes"),
            ("14 days", "two weeks"),
            ("356 °F", "180 °C"),
        ] {
            assert!(holds(source, said, Approach::Exact), "{said} from {source}");
        }
        assert!(!holds("3.1 miles", "6 km", Approach::Exact) && !holds("40 grams", "40 kg", Approach::Exact));
        assert!(!holds("49,700", "50,000", Approach::Exact) && holds("49,700", "50,000", Approach::About));
        assert!(holds("1,140", "1,000", Approach::Over) && !holds("990", "1,000", Approach::Over));
        assert!(holds("296", "300", Approach::Under) && !holds("310", "300", Approach::Under));
    }

    #[test]
    fn words_before_a_number_say_how_exact_it_is() {
        assert_eq!(Approach::of(&["more", "than"]), Approach::Over);
        assert_eq!(Approach::of(&["with", "about"]), Approach::About);
        assert_eq!(Approach::of(&["than"]), Approach::Exact);
    }
}
