//! Names and signs of units, folded to one symbol each. Nothing is converted: a mile stays a mile.

use crate::terms::{Terms, WordClass};

/// A unit and whether it measures time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) symbol: &'static str,
    pub(super) is_time: bool,
}

const fn unit(symbol: &'static str) -> Unit {
    Unit { symbol, is_time: false }
}

const fn time(symbol: &'static str) -> Unit {
    Unit { symbol, is_time: true }
}

/// Reads the unit that starts at term `at`; returns it with the term behind it.
pub(super) fn read(terms: &Terms<'_>, at: usize) -> Option<(Unit, usize)> {
    if let Some(symbol) = terms.symbol(at) {
        return read_degrees(terms, at, symbol);
    }
    terms.word(at)?;
    if terms.is_any_word(at, &["square", "sq", "cubic", "cu"]) {
        return read_power(terms, at);
    }
    let text = terms.text(at);
    let base = match symbol_unit(text) {
        // One letter behind a space is as likely a name: `5 A`, `7 N`.
        Some(_) if terms.is_spaced(at) && matches!(text, "A" | "N" | "J" | "K") => None,
        // `1990s` is a decade.
        Some(_) if text == "s" && terms.is_glued(at) && is_decade(terms, at) => None,
        found => found,
    };
    let base = base.or_else(|| name_unit(text))?;
    Some(read_compound(terms, at, base))
}

/// Whether the digits before `at` are the first year of a decade.
fn is_decade(terms: &Terms<'_>, at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|before| terms.whole(before))
        .is_some_and(|(year, digits)| digits == 4 && (1000..2200).contains(&year) && year.is_multiple_of(10))
}

/// The unit of a duration when the term names one: `hour`, `days`.
pub(super) fn time_unit(word: &str) -> Option<&'static str> {
    name_unit(word).filter(|unit| unit.is_time).map(|unit| unit.symbol)
}

/// `°C` and `°F`.
fn read_degrees(terms: &Terms<'_>, at: usize, symbol: char) -> Option<(Unit, usize)> {
    match symbol {
        '℃' => Some((unit("°C"), at + 1)),
        '℉' => Some((unit("°F"), at + 1)),
        '°' | 'º' => match terms.text(at + 1) {
            "C" => Some((unit("°C"), at + 2)),
            "F" => Some((unit("°F"), at + 2)),
            _ => None,
        },
        '″' => Some((unit("in"), at + 1)),
        _ => None,
    }
}

/// The scale that `degrees` at `at` names: `degrees Celsius`. The words are no part of an anchor.
pub(super) fn degrees_scale(terms: &Terms<'_>, at: usize) -> Option<&'static str> {
    if !terms.is_any_word(at, &["degrees", "degree"]) {
        return None;
    }
    match terms.text(at + 1) {
        "Celsius" | "celsius" | "centigrade" | "C" => Some("°C"),
        "Fahrenheit" | "fahrenheit" | "F" => Some("°F"),
        _ => None,
    }
}

/// `square metres`, `sq. km`, `cubic feet`.
fn read_power(terms: &Terms<'_>, at: usize) -> Option<(Unit, usize)> {
    let is_square = terms.is_any_word(at, &["square", "sq"]);
    let dot = usize::from(terms.symbol(at + 1) == Some('.') && terms.is_glued(at + 1));
    let base_at = at + 1 + dot;
    terms.word(base_at)?;
    let text = terms.text(base_at);
    let base = symbol_unit(text).or_else(|| name_unit(text))?;
    Some((unit(powered(base.symbol, is_square)?), base_at + 1))
}

fn powered(symbol: &str, is_square: bool) -> Option<&'static str> {
    Some(match (symbol, is_square) {
        ("mm", true) => "mm²",
        ("cm", true) => "cm²",
        ("m", true) => "m²",
        ("km", true) => "km²",
        ("in", true) => "in²",
        ("ft", true) => "ft²",
        ("yd", true) => "yd²",
        ("mi", true) => "mi²",
        ("mm", false) => "mm³",
        ("cm", false) => "cm³",
        ("m", false) => "m³",
        ("km", false) => "km³",
        ("in", false) => "in³",
        ("ft", false) => "ft³",
        ("yd", false) => "yd³",
        _ => return None,
    })
}

/// What may follow a base unit: a power, an hour of energy, a time that makes it a speed.
fn read_compound(terms: &Terms<'_>, at: usize, base: Unit) -> (Unit, usize) {
    let next = at + 1;
    if terms.is_glued(next) {
        let square = match (terms.symbol(next), terms.whole(next)) {
            (Some('²'), _) | (_, Some((2, 1))) => Some(true),
            (Some('³'), _) | (_, Some((3, 1))) => Some(false),
            _ => None,
        };
        if let Some(symbol) = square.and_then(|is_square| powered(base.symbol, is_square)) {
            return (unit(symbol), next + 1);
        }
        if terms.symbol(next) == Some('/')
            && terms.is_glued(next + 1)
            && let Some(symbol) = speed(base.symbol, terms.text(next + 1))
        {
            return (unit(symbol), next + 2);
        }
    }
    let hour_at = next + usize::from(terms.is_tying_hyphen(next));
    if let Some(symbol) = energy(base.symbol).filter(|_| terms.is_any_word(hour_at, &["hours", "hour"])) {
        return (unit(symbol), hour_at + 1);
    }
    if terms.is_any_word(next, &["per", "an"])
        && let Some(symbol) = speed(base.symbol, terms.text(next + 1))
    {
        return (unit(symbol), next + 2);
    }
    (base, next)
}

fn speed(length: &str, time: &str) -> Option<&'static str> {
    let time = name_unit(time).or_else(|| symbol_unit(time))?.symbol;
    Some(match (length, time) {
        ("km", "h") => "km/h",
        ("mi", "h") => "mi/h",
        ("m", "s") => "m/s",
        ("km", "s") => "km/s",
        ("ft", "s") => "ft/s",
        _ => return None,
    })
}

fn energy(power: &str) -> Option<&'static str> {
    Some(match power {
        "W" => "Wh",
        "kW" => "kWh",
        "MW" => "MWh",
        "GW" => "GWh",
        "TW" => "TWh",
        _ => return None,
    })
}

/// Signs of units, in which case matters: `MW` is not `mW`.
fn symbol_unit(text: &str) -> Option<Unit> {
    Some(match text {
        "nm" => unit("nm"),
        "µm" | "μm" => unit("µm"),
        "mm" => unit("mm"),
        "cm" => unit("cm"),
        "dm" => unit("dm"),
        "m" => unit("m"),
        "km" | "KM" | "Km" => unit("km"),
        "ft" => unit("ft"),
        "yd" | "yds" => unit("yd"),
        "mi" => unit("mi"),
        "nmi" => unit("nmi"),
        "µg" | "μg" | "mcg" => unit("µg"),
        "mg" => unit("mg"),
        "g" => unit("g"),
        "kg" | "KG" | "Kg" | "kgs" => unit("kg"),
        "t" => unit("t"),
        "oz" => unit("oz"),
        "lb" | "lbs" => unit("lb"),
        "ml" | "mL" => unit("ml"),
        "cl" | "cL" => unit("cl"),
        "dl" | "dL" => unit("dl"),
        "l" | "L" => unit("l"),
        "gal" => unit("gal"),
        "ha" => unit("ha"),
        "W" => unit("W"),
        "mW" => unit("mW"),
        "kW" | "KW" => unit("kW"),
        "MW" => unit("MW"),
        "GW" => unit("GW"),
        "TW" => unit("TW"),
        "Wh" => unit("Wh"),
        "kWh" | "kwh" | "KWh" => unit("kWh"),
        "MWh" => unit("MWh"),
        "GWh" => unit("GWh"),
        "TWh" => unit("TWh"),
        "V" => unit("V"),
        "kV" => unit("kV"),
        "mV" => unit("mV"),
        "A" => unit("A"),
        "mA" => unit("mA"),
        "mAh" => unit("mAh"),
        "J" => unit("J"),
        "kJ" => unit("kJ"),
        "MJ" => unit("MJ"),
        "N" => unit("N"),
        "kN" => unit("kN"),
        "Pa" => unit("Pa"),
        "hPa" => unit("hPa"),
        "kPa" => unit("kPa"),
        "MPa" => unit("MPa"),
        "psi" => unit("psi"),
        "cal" => unit("cal"),
        "kcal" => unit("kcal"),
        "K" => unit("K"),
        "Hz" => unit("Hz"),
        "kHz" => unit("kHz"),
        "MHz" => unit("MHz"),
        "GHz" => unit("GHz"),
        "dB" => unit("dB"),
        "KB" | "kB" => unit("kB"),
        "MB" => unit("MB"),
        "GB" => unit("GB"),
        "TB" => unit("TB"),
        "PB" => unit("PB"),
        "Mbps" => unit("Mbps"),
        "Gbps" => unit("Gbps"),
        "ppm" => unit("ppm"),
        "ppb" => unit("ppb"),
        "hp" => unit("hp"),
        "mph" | "MPH" => unit("mi/h"),
        "kmh" | "kph" => unit("km/h"),
        "kt" | "kts" => unit("kn"),
        "rpm" | "RPM" => unit("rpm"),
        "bp" | "bps" => unit("bp"),
        "ms" => time("ms"),
        "s" | "sec" | "secs" => time("s"),
        "min" | "mins" => time("min"),
        "h" | "hr" | "hrs" => time("h"),
        "wk" | "wks" => time("week"),
        "yr" | "yrs" => time("year"),
        _ => return None,
    })
}

/// Names of units in any case, singular and plural, British and American.
fn name_unit(text: &str) -> Option<Unit> {
    /// The longest name, `milliseconds` and `nanoseconds` among them.
    const LONGEST: usize = 13;
    let mut lowered = [0u8; LONGEST];
    let lowered = lowered.get_mut(..text.len())?;
    lowered.copy_from_slice(text.as_bytes());
    lowered.make_ascii_lowercase();
    let name = std::str::from_utf8(lowered).ok()?;
    if let Some(found) = irregular_name_unit(name) {
        return Some(found);
    }
    let singular = name.strip_suffix('s').unwrap_or(name);
    Some(match singular {
        "nanometre" | "nanometer" => unit("nm"),
        "micrometre" | "micrometer" | "micron" => unit("µm"),
        "millimetre" | "millimeter" => unit("mm"),
        "centimetre" | "centimeter" => unit("cm"),
        "metre" | "meter" => unit("m"),
        "kilometre" | "kilometer" => unit("km"),
        "yard" => unit("yd"),
        "mile" => unit("mi"),
        "acre" => unit("acre"),
        "hectare" => unit("ha"),
        "microgram" => unit("µg"),
        "milligram" => unit("mg"),
        "gram" | "gramme" => unit("g"),
        "kilogram" | "kilogramme" | "kilo" => unit("kg"),
        "tonne" | "ton" => unit("t"),
        "ounce" => unit("oz"),
        "millilitre" | "milliliter" => unit("ml"),
        "centilitre" | "centiliter" => unit("cl"),
        "decilitre" | "deciliter" => unit("dl"),
        "litre" | "liter" => unit("l"),
        "gallon" => unit("gal"),
        "pint" => unit("pt"),
        "barrel" => unit("bbl"),
        "watt" => unit("W"),
        "milliwatt" => unit("mW"),
        "kilowatt" => unit("kW"),
        "megawatt" => unit("MW"),
        "gigawatt" => unit("GW"),
        "terawatt" => unit("TW"),
        "volt" => unit("V"),
        "kilovolt" => unit("kV"),
        "ampere" | "amp" => unit("A"),
        "joule" => unit("J"),
        "kilojoule" => unit("kJ"),
        "megajoule" => unit("MJ"),
        "newton" => unit("N"),
        "pascal" => unit("Pa"),
        "calorie" => unit("cal"),
        "kilocalorie" => unit("kcal"),
        "kelvin" => unit("K"),
        "decibel" => unit("dB"),
        "kilobyte" => unit("kB"),
        "megabyte" => unit("MB"),
        "gigabyte" => unit("GB"),
        "terabyte" => unit("TB"),
        "petabyte" => unit("PB"),
        "knot" => unit("kn"),
        "carat" => unit("ct"),
        "millisecond" => time("ms"),
        "second" => time("s"),
        "minute" => time("min"),
        "hour" => time("h"),
        "day" => time("day"),
        "night" => time("night"),
        "week" => time("week"),
        "fortnight" => time("fortnight"),
        "month" => time("month"),
        "year" => time("year"),
        "decade" => time("decade"),
        _ => return None,
    })
}

/// Names whose plural is not the singular with an `s`, or that have none.
fn irregular_name_unit(name: &str) -> Option<Unit> {
    Some(match name {
        "foot" | "feet" => unit("ft"),
        "inch" | "inches" => unit("in"),
        "hertz" => unit("Hz"),
        "kilohertz" => unit("kHz"),
        "megahertz" => unit("MHz"),
        "gigahertz" => unit("GHz"),
        "horsepower" => unit("hp"),
        "century" | "centuries" => time("century"),
        _ => return None,
    })
}

/// Whether the term is a word that names a unit of time: used where a number is only implied.
pub(super) fn time_unit_at(terms: &Terms<'_>, at: usize) -> Option<&'static str> {
    match terms.word(at)? {
        // `second` is in the table of ordinals.
        WordClass::Other | WordClass::Number(_) => time_unit(terms.text(at)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(text: &str) -> Option<(&'static str, usize)> {
        read(&Terms::new(text), 0).map(|(unit, end)| (unit.symbol, end))
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
        for text in ["members", "degrees", "in", "a", "per", "mw", "°", "M", ""] {
            assert_eq!(symbol(text), None, "{text}");
        }
    }
}
