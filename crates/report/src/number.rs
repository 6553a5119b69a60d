//! Numbers as people read them. Files for programs carry the unrounded value instead.

/// Four digits behind the point at most, without trailing zeros; very large and very small numbers in powers of ten.
pub fn rounded(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 {
        "0".to_owned()
    } else if !(1e-3..1e7).contains(&size) {
        format!("{number:.3e}")
    } else {
        let text = format!("{number:.4}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// As [`rounded`], but with all digits where rounding would hide on which side of `limit` the number lies.
pub fn rounded_against(number: f64, limit: f64) -> String {
    let short = rounded(number);
    let read: f64 = short.parse().unwrap_or(f64::NAN);
    if read.partial_cmp(&limit) == number.partial_cmp(&limit) { short } else { number.to_string() }
}

/// A share in percent: `90 %`, `33.33 %`.
pub fn percent(share: f64) -> String {
    // Two digits behind the point; the product alone would show what 0.07 times 100 lacks.
    let text = format!("{:.2}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Always three digits behind the point, for columns; very large and very small numbers in powers of ten.
pub fn three_decimals(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 || (5e-4..1e6).contains(&size) { format!("{number:.3}") } else { format!("{number:.2e}") }
}

/// The same with its sign.
pub fn signed(number: f64) -> String {
    let text = three_decimals(number);
    if number > 0.0 { format!("+{text}") } else { text }
}

/// Digits in groups of three: `1 234 567`, with a thin space that does not break.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (position, digit) in digits.chars().enumerate() {
        // Four digits stay together, as is the custom.
        if position > 0 && digits.len() > 4 && (digits.len() - position).is_multiple_of(3) {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 case`, `2 cases`.
pub fn count_with_noun(number: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", count(number), if number == 1 { singular } else { plural })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_but_not_misleading() {
        assert_eq!(rounded(0.75), "0.75");
        assert_eq!(rounded(1.0), "1");
        assert_eq!(rounded(0.0), "0");
        assert_eq!(rounded(1.0 / 3.0), "0.3333");
        assert_eq!(rounded(0.000_012_34), "1.234e-5");
        assert_eq!(rounded(-123_456_789.0), "-1.235e8");
        assert_eq!(rounded_against(0.699_99, 0.7), "0.69999");
        assert_eq!(rounded_against(0.7, 0.7), "0.7");
        assert_eq!(rounded_against(0.65, 0.7), "0.65");
        assert_eq!(three_decimals(0.5), "0.500");
        assert_eq!(three_decimals(0.000_2), "2.00e-4");
        assert_eq!((percent(0.07), percent(1.0), percent(2.0 / 3.0)), ("7 %".into(), "100 %".into(), "66.67 %".into()));
    }

    #[test]
    fn long_counts_are_grouped() {
        assert_eq!(count(0), "0");
        assert_eq!(count(1234), "1234");
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(count_with_noun(1, "case", "cases"), "1 case");
    }
}
