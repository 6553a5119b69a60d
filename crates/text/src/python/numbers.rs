//! How Python rounds and prints floating-point numbers.

/// `round(value, digits)`: to the nearest multiple of 10^-digits, halves to even, decided on the exact binary value.
///
/// So 2.675 becomes 2.67, because the number stored lies below the half. Infinities and NaN come back as they are.
pub fn round(value: f64, digits: i32) -> f64 {
    if !value.is_finite() {
        return value;
    }
    // The same bounds as CPython: beyond them nothing changes, or nothing is left.
    if digits > 323 {
        return value;
    }
    if digits < -308 {
        return 0.0_f64.copysign(value);
    }
    match usize::try_from(digits) {
        // Formatting rounds the exact value half to even, and parsing is exact to the last bit.
        Ok(digits) => format!("{value:.digits$}").parse().unwrap_or(value),
        Err(_) => round_to_powers_of_ten(value, digits.unsigned_abs() as usize),
    }
}

/// Rounds to a multiple of 10^`zeros`, from the exact decimal digits of the value.
fn round_to_powers_of_ten(value: f64, zeros: usize) -> f64 {
    // 1,074 decimals are enough to write any double exactly.
    let exact = format!("{:.1074}", value.abs());
    let (whole, fraction) = exact.split_once('.').unwrap_or((&exact, ""));
    let padded = format!("{whole:0>width$}", width = zeros + 1);
    let (leading, cut) = padded.split_at(padded.len() - zeros);
    let half = format!("5{}", "0".repeat(zeros - 1));
    let beyond_half = cut > half.as_str() || (cut == half && fraction.bytes().any(|digit| digit != b'0'));
    let odd = leading.bytes().last().is_some_and(|digit| digit % 2 == 1);
    let up = beyond_half || (cut == half && odd);
    let mut digits: Vec<u8> = leading.bytes().collect();
    if up {
        let nines = digits.iter().rev().take_while(|&&digit| digit == b'9').count();
        let keep = digits.len() - nines;
        digits[keep..].fill(b'0');
        match keep.checked_sub(1) {
            Some(last) => digits[last] += 1,
            None => digits.insert(0, b'1'),
        }
    }
    let leading = String::from_utf8(digits).expect("only ASCII digits were written");
    let rounded: f64 = format!("{leading}e{zeros}").parse().unwrap_or(value);
    rounded.copysign(value)
}

/// `float(text)`: a number with space around it, a sign, an exponent, underscores between digits, digits of any script;
/// `inf`, `infinity` and `nan` in any case. Nothing where Python raises.
pub fn float(text: &str) -> Option<f64> {
    let mut plain = String::with_capacity(text.len());
    let characters: Vec<char> = super::strip(text).chars().collect();
    for (at, character) in characters.iter().enumerate() {
        if let Some(digit) = decimal_digit(*character) {
            plain.push(digit);
        } else if *character == '_' {
            let is_digit = |at: Option<usize>| {
                at.and_then(|at| characters.get(at)).is_some_and(|near| decimal_digit(*near).is_some())
            };
            if !is_digit(at.checked_sub(1)) || !is_digit(Some(at + 1)) {
                return None;
            }
        } else if character.is_ascii() {
            plain.push(*character);
        } else {
            return None;
        }
    }
    plain.parse().ok()
}

/// The ASCII digit of a decimal digit of any script: these stand in tens, from nought to nine.
fn decimal_digit(character: char) -> Option<char> {
    if character.is_ascii() {
        return character.is_ascii_digit().then_some(character);
    }
    let code = u32::from(character);
    let after = super::tables::DECIMAL.partition_point(|&boundary| boundary <= code);
    let start = super::tables::DECIMAL.get(after.checked_sub(1)?).filter(|_| after % 2 == 1)?;
    char::from_digit((code - start) % 10, 10)
}

/// `f"{value:.{digits}f}"`.
pub fn fixed(value: f64, digits: usize) -> String {
    if value.is_nan() { "nan".to_owned() } else { format!("{value:.digits$}") }
}

/// `repr` of a float: the shortest digits that read back as the same number, always recognisable as a float.
pub fn repr_float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = shortest(value);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // Python changes to the exponent outside of 1e-4 ..= 1e16.
    if (-4..16).contains(&exponent) {
        return plain(mantissa, exponent);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

/// Writes `mantissa` times ten to the `exponent` without an exponent and with at least one decimal.
fn plain(mantissa: &str, exponent: i32) -> String {
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |mantissa| ("-", mantissa));
    let digits = mantissa.replace('.', "");
    let Ok(exponent) = usize::try_from(exponent) else {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    };
    let padded = format!("{digits:0<width$}", width = exponent + 2);
    let (whole, decimals) = padded.split_at(exponent + 1);
    format!("{sign}{whole}.{decimals}")
}

/// The shortest digits that read back, in the form `d.ddde0`. Of two that are as short Python takes the nearer one, and
/// the even one if the value lies halfway; Rust leaves that open.
fn shortest(value: f64) -> String {
    let short = format!("{value:e}");
    let Some((mantissa, _)) = short.split_once('e') else { return short };
    let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let nearest = format!("{value:.decimals$e}");
    if nearest.parse() == Ok(value) { nearest } else { short }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn halves_go_to_the_even_neighbour_of_the_stored_value() {
        assert_eq!(round(0.5, 0), 0.0);
        assert_eq!(round(1.5, 0), 2.0);
        assert_eq!(round(2.5, 0), 2.0);
        assert_eq!(round(0.125, 2), 0.12);
        assert_eq!(round(0.375, 2), 0.38);
        assert_eq!(round(2.675, 2), 2.67);
        assert_eq!(round(1.005, 2), 1.0);
        assert_eq!(round(-2.5, 0), -2.0);
        assert!(round(-0.2, 0).is_sign_negative());
    }

    #[test]
    fn negative_digits_round_to_tens() {
        assert_eq!(round(1250.0, -2), 1200.0);
        assert_eq!(round(1350.0, -2), 1400.0);
        assert_eq!(round(1_250.000_000_001, -2), 1300.0);
        assert_eq!(round(-99.5, -1), -100.0);
        assert_eq!(round(4.9, -1), 0.0);
        assert_eq!(round(5.0, -1), 0.0);
        assert_eq!(round(15.0, -1), 20.0);
        assert_eq!(round(f64::MAX, -400), 0.0);
        assert_eq!(round(1e300, 400), 1e300);
    }

    #[test]
    fn floats_print_as_in_python() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1e16, "1e+16"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (1.797_693_134_862_315_7e308, "1.7976931348623157e+308"),
            (5e-324, "5e-324"),
            (123_456_789.123, "123456789.123"),
            (2_920_620_740_041_185.0 / 4.0, "730155185010296.2"),
            (-0.001_25, "-0.00125"),
            (100.0, "100.0"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(repr_float(value), text);
        }
        assert_eq!(fixed(0.5, 4), "0.5000");
        assert_eq!(fixed(2.5, 0), "2");
        assert_eq!(fixed(f64::NAN, 2), "nan");
    }

    #[test]
    fn floats_are_read_as_in_python() {
        for (text, value) in [
            (" 7 ", 7.0),
            ("1_000", 1000.0),
            ("٧", 7.0),
            ("𝟟.5", 7.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("-Infinity", f64::NEG_INFINITY),
            ("1e3", 1000.0),
        ] {
            assert_eq!(float(text), Some(value), "{text}");
        }
        assert!(float("nAn").is_some_and(f64::is_nan));
        for text in ["", "1,000", "25%", "0x1F", "\u{2212}1", "1__0", "_1", "1_", "1_.5", "1 2", "."] {
            assert_eq!(float(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn printed_floats_read_back(value in any::<f64>().prop_filter("finite", |value| value.is_finite())) {
            prop_assert_eq!(repr_float(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
        }

        #[test]
        fn rounding_never_panics(value in any::<f64>(), digits in -400_i32..400) {
            let rounded = round(value, digits);
            prop_assert_eq!(rounded.is_nan(), value.is_nan());
        }
    }
}
