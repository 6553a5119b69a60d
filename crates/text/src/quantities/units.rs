//! Units by sign and name, with what they measure: the one table, made from `data/units.tsv`.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::table_rows::rows;
use crate::terms::{TermSequence, WordClass};

/// A unit: what it measures, and how its values become those of the base unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasurementUnit {
    /// Its symbol, by which units are told apart.
    pub symbol: &'static str,
    /// What it measures; values of one dimension can be converted into each other.
    pub dimension: &'static str,
    factor: f64,
    offset: f64,
    is_improved_only: bool,
}

impl MeasurementUnit {
    /// The unit of a symbol.
    pub fn from_symbol(symbol: &str) -> Option<&'static Self> {
        TABLE.symbols.get(symbol).copied()
    }

    /// The unit of a name in small letters, one or many of it.
    ///
    /// ```
    /// use probare_text::quantities::MeasurementUnit;
    ///
    /// assert!(MeasurementUnit::from_name("weeks").is_some_and(MeasurementUnit::is_time));
    /// assert!(MeasurementUnit::from_name("metre").is_some_and(|unit| !unit.is_time()));
    /// assert_eq!(MeasurementUnit::from_name("weekly"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<&'static Self> {
        TABLE.names.get(name).copied()
    }

    /// A value of this unit in the base unit of its dimension.
    pub fn to_base(&self, value: f64) -> f64 {
        (value + self.offset) * self.factor
    }

    /// A value of the base unit in this unit.
    pub fn from_base(&self, value: f64) -> f64 {
        value / self.factor - self.offset
    }

    /// Whether it is a month or a multiple of it, which have no fixed number of days.
    pub(super) fn is_calendar_unit(&self) -> bool {
        self.dimension == "time" && Self::from_symbol("month").is_some_and(|month| self.factor >= month.factor)
    }

    /// Whether it is a stretch of time.
    pub fn is_time(&self) -> bool {
        matches!(self.dimension, "time" | "night")
    }
}

/// The units by symbol, by sign, in which case matters (`MW` is not `mW`), and by name in small letters.
struct Table {
    symbols: FxHashMap<&'static str, &'static MeasurementUnit>,
    signs: FxHashMap<&'static str, &'static MeasurementUnit>,
    names: FxHashMap<String, &'static MeasurementUnit>,
}

static UNITS: LazyLock<Vec<(MeasurementUnit, [&str; 3])>> = LazyLock::new(|| {
    rows::<7>(include_str!("../../data/units.tsv"))
        .map(|[symbol, dimension, factor, profile, signs, names, forms]| {
            let (factor, offset) = factor.split_once(' ').unwrap_or((factor, "0"));
            let (over, under) = factor.split_once('/').unwrap_or((factor, "1"));
            let number = |text: &str| text.parse::<f64>().expect("the table holds numbers");
            let factor = number(over) / number(under);
            let unit = MeasurementUnit {
                symbol,
                dimension,
                factor,
                offset: number(offset),
                is_improved_only: profile == "improved",
            };
            (unit, [signs, names, forms])
        })
        .collect()
});

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let (mut symbols, mut signs, mut names) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
    for (unit, [unit_signs, unit_names, forms]) in UNITS.iter() {
        symbols.entry(unit.symbol).or_insert(unit);
        signs.extend(unit_signs.split_whitespace().map(|sign| (sign, unit)));
        for name in unit_names.split_whitespace() {
            names.insert(name.to_owned(), unit);
            names.insert(format!("{name}s"), unit);
        }
        names.extend(forms.split_whitespace().map(|form| (form.to_owned(), unit)));
    }
    Table { symbols, signs, names }
});

/// A unit of the table, unless this reading does not know it.
fn supported_unit<'u>(terms: &TermSequence<'_>, unit: Option<&&'u MeasurementUnit>) -> Option<&'u MeasurementUnit> {
    unit.copied().filter(|unit| !unit.is_improved_only || terms.is_improved())
}

fn unit_by_symbol(terms: &TermSequence<'_>, symbol: &str) -> Option<&'static MeasurementUnit> {
    supported_unit(terms, TABLE.symbols.get(symbol))
}

fn unit_by_sign(terms: &TermSequence<'_>, text: &str) -> Option<&'static MeasurementUnit> {
    supported_unit(terms, TABLE.signs.get(text))
}

fn unit_by_name(terms: &TermSequence<'_>, text: &str) -> Option<&'static MeasurementUnit> {
    supported_unit(terms, TABLE.names.get(&text.to_ascii_lowercase()))
}

/// Reads the unit that starts at term `at`; returns it with the term behind it.
pub(super) fn read(terms: &TermSequence<'_>, at: usize) -> Option<(&'static MeasurementUnit, usize)> {
    if let Some(symbol) = terms.symbol(at) {
        return read_degrees(terms, at, symbol);
    }
    terms.word(at)?;
    if terms.is_any_word(at, "square sq cubic cu") {
        return read_power(terms, at);
    }
    let text = terms.text(at);
    let base = match unit_by_sign(terms, text) {
        // One letter behind a space is as likely a name: `5 A`, `7 N`.
        Some(_) if terms.is_spaced(at) && matches!(text, "A" | "N" | "J" | "K") => None,
        // `1990s` is a decade.
        Some(_) if text == "s" && terms.is_glued(at) && is_decade(terms, at) => None,
        found => found,
    };
    let base = base.or_else(|| unit_by_name(terms, text))?;
    let compound = read_compound(terms, at, base);
    // "142 night-shift nurses" are nurses.
    let is_part = terms.is_improved() && base.is_time() && terms.is_spaced(at) && terms.is_tying_hyphen(at + 1);
    compound.or((!is_part).then_some((base, at + 1)))
}

/// Whether the digits before `at` are the first year of a decade.
fn is_decade(terms: &TermSequence<'_>, at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|before| terms.plain_digits(before))
        .is_some_and(|(year, digits)| digits == 4 && (1000..2200).contains(&year) && year.is_multiple_of(10))
}

/// `°C` and `°F`.
fn read_degrees(terms: &TermSequence<'_>, at: usize, symbol: char) -> Option<(&'static MeasurementUnit, usize)> {
    let (symbol, width) = match (symbol, terms.text(at + 1)) {
        ('℃', _) => ("°C", 1),
        ('℉', _) => ("°F", 1),
        ('°' | 'º', "C") => ("°C", 2),
        ('°' | 'º', "F") => ("°F", 2),
        ('″', _) => ("in", 1),
        _ => return None,
    };
    Some((unit_by_symbol(terms, symbol)?, at + width))
}

/// The scale that `degrees` at `at` names: `degrees Celsius`. The words are no part of an anchor.
pub(super) fn degrees_scale(terms: &TermSequence<'_>, at: usize) -> Option<&'static str> {
    if !terms.is_any_word(at, "degrees degree") {
        return None;
    }
    match terms.text(at + 1) {
        "Celsius" | "celsius" | "centigrade" | "C" => Some("°C"),
        "Fahrenheit" | "fahrenheit" | "F" => Some("°F"),
        _ => None,
    }
}

/// `square metres`, `sq. km`, `cubic feet`.
fn read_power(terms: &TermSequence<'_>, at: usize) -> Option<(&'static MeasurementUnit, usize)> {
    let power = if terms.is_any_word(at, "square sq") { '²' } else { '³' };
    let dot = usize::from(terms.symbol(at + 1) == Some('.') && terms.is_glued(at + 1));
    let base_at = at + 1 + dot;
    terms.word(base_at)?;
    let text = terms.text(base_at);
    let base = unit_by_sign(terms, text).or_else(|| unit_by_name(terms, text))?;
    Some((unit_by_symbol(terms, &format!("{}{power}", base.symbol))?, base_at + 1))
}

/// What may follow a base unit: a power, an hour of energy, a time that makes it a speed. The whole is a unit if the table has its
/// symbol.
fn read_compound(
    terms: &TermSequence<'_>,
    at: usize,
    base: &MeasurementUnit,
) -> Option<(&'static MeasurementUnit, usize)> {
    let next = at + 1;
    if base.dimension == "length" && terms.is_glued(next) {
        let power = match (terms.symbol(next), terms.plain_digits(next)) {
            (Some('²'), _) | (_, Some((2, 1))) => Some('²'),
            (Some('³'), _) | (_, Some((3, 1))) => Some('³'),
            _ => None,
        };
        if let Some(unit) = power.and_then(|power| unit_by_symbol(terms, &format!("{}{power}", base.symbol))) {
            return Some((unit, next + 1));
        }
    }
    let hour_at = next + usize::from(terms.is_tying_hyphen(next));
    if base.dimension == "power" && terms.is_any_word(hour_at, "hours hour") {
        return Some((unit_by_symbol(terms, &format!("{}h", base.symbol))?, hour_at + 1));
    }
    let is_stroke = terms.symbol(next) == Some('/') && terms.is_glued(next) && terms.is_glued(next + 1);
    if base.dimension == "length" && (is_stroke || terms.is_any_word(next, "per an")) {
        let text = terms.text(next + 1);
        let time = unit_by_name(terms, text).or_else(|| unit_by_sign(terms, text))?;
        return Some((unit_by_symbol(terms, &format!("{}/{}", base.symbol, time.symbol))?, next + 2));
    }
    None
}

/// The unit of time that the term names, used where a number is only implied.
pub(super) fn time_unit_at(terms: &TermSequence<'_>, at: usize) -> Option<&'static str> {
    match terms.word(at)? {
        // `second` is in the table of ordinals.
        WordClass::Other | WordClass::Number(_) => {
            unit_by_name(terms, terms.text(at)).filter(|unit| unit.is_time()).map(|unit| unit.symbol)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(text: &str) -> Option<(&'static str, usize)> {
        read(&TermSequence::new(text), 0).map(|(unit, end)| (unit.symbol, end))
    }

    #[test]
    fn names_and_signs_fold_to_one_symbol() {
        for (text, expected) in [
            ("kilometres", "km"),
            ("Kilometers", "km"),
            ("km", "km"),
            ("feet", "ft"),
            ("tonnes", "t"),
            ("hrs", "h"),
            ("seconds", "s"),
            ("sq. km", "km²"),
            ("square metres", "m²"),
            ("m²", "m²"),
            ("m3", "m³"),
            ("km/h", "km/h"),
            ("miles per hour", "mi/h"),
            ("kilowatt-hours", "kWh"),
            ("megawatt hours", "MWh"),
            ("°C", "°C"),
            ("centuries", "century"),
        ] {
            assert_eq!(symbol(text).map(|found| found.0), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_words_are_no_units() {
        for text in ["members", "degrees", "in", "a", "per", "mw", "°", "M", "", "mbar", "bar", "Ah"] {
            assert_eq!(symbol(text), None, "{text}");
        }
        let careful = |text| read(&TermSequence::improved(text), 0).map(|(unit, _)| unit.symbol);
        assert_eq!(
            ["mbar", "bar", "millibars", "mW"].map(careful),
            [Some("mbar"), Some("bar"), Some("mbar"), Some("mW")]
        );
    }

    #[test]
    fn each_unit_of_the_table_is_written_once_and_converts_back() {
        let mut seen = rustc_hash::FxHashSet::default();
        for (unit, [signs, names, forms]) in UNITS.iter() {
            for word in [signs, names, forms].into_iter().flat_map(|words| words.split_whitespace()) {
                assert!(seen.insert(word), "`{word}` stands twice");
            }
            let back = unit.from_base(unit.to_base(12.5));
            assert!(unit.factor > 0.0 && (back - 12.5).abs() < 1e-9, "{}", unit.symbol);
        }
        let convert = |value, from: &str, to: &str| {
            MeasurementUnit::from_symbol(to)
                .unwrap()
                .from_base(MeasurementUnit::from_symbol(from).unwrap().to_base(value))
        };
        for (value, from, to, expected) in [
            (0.5, "kWh", "Wh", 500.0),
            (2.4, "GHz", "MHz", 2400.0),
            (1013.0, "hPa", "mbar", 1013.0),
            (212.0, "°F", "°C", 100.0),
            (0.0, "°C", "K", 273.15),
            (1.0, "year", "month", 12.0),
        ] {
            assert!((convert(value, from, to) - expected).abs() < 1e-9, "{value} {from} in {to}");
        }
    }
}
