//! Numbers spelled in English, as num2words 0.5.14 spells them.
//!
//! Groups of three digits are joined by commas, a last group under a hundred by `and`; scales go up to the centillion.
//! One deliberate difference: num2words drops the sign of numbers between -1 and 0, here it stays.

/// Numbers of this many digits in the integer part and fewer can be spelled.
const MOST_DIGITS: usize = 306;

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

const TENS: [&str; 10] = ["", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// Latin stems of the first ten powers of a thousand beyond `thousand`.
const FIRST_SCALES: [&str; 10] = ["m", "b", "tr", "quadr", "quint", "sext", "sept", "oct", "non", "dec"];

/// Latin stems of every tenth power from `decillion` on.
const TENTH_SCALES: [&str; 10] =
    ["dec", "vigint", "trigint", "quadragint", "quinquagint", "sexagint", "septuagint", "octogint", "nonagint", "cent"];

/// Latin prefixes between them.
const SCALE_PREFIXES: [&str; 10] = ["", "un", "duo", "tre", "quattuor", "quin", "sex", "sept", "octo", "novem"];

/// The words of a decimal number such as `-1234.5` or `1e21`: `minus one thousand, two hundred and thirty-four point five`.
///
/// Zeros at the end of the decimals are not spoken. `None` when the text is no decimal number or has more than 306 digits
/// before the point or after it.
///
/// ```
/// use probare_text::number_words::cardinal;
///
/// assert_eq!(cardinal("1001").as_deref(), Some("one thousand and one"));
/// assert_eq!(cardinal("-2.05").as_deref(), Some("minus two point zero five"));
/// ```
pub fn cardinal(number: &str) -> Option<String> {
    let decimal = Decimal::read(number)?;
    let mut words = String::new();
    if decimal.is_negative {
        words.push_str("minus ");
    }
    words.push_str(&integer_words(&decimal.integer));
    if !decimal.fraction.is_empty() {
        words.push_str(" point");
        for digit in &decimal.fraction {
            words.push(' ');
            words.push_str(SMALL[usize::from(*digit)]);
        }
    }
    Some(words)
}

/// The ordinal of a whole number that is not negative: `twenty-first`. `None` for anything else.
pub fn ordinal(number: &str) -> Option<String> {
    let decimal = Decimal::read(number)?;
    if decimal.is_negative || !decimal.fraction.is_empty() {
        return None;
    }
    let words = integer_words(&decimal.integer);
    let last = words.rfind([' ', '-']).map_or(0, |at| at + 1);
    let (start, word) = words.split_at(last);
    let nth = match word {
        "one" => "first".to_owned(),
        "two" => "second".to_owned(),
        "three" => "third".to_owned(),
        "five" => "fifth".to_owned(),
        "eight" => "eighth".to_owned(),
        "nine" => "ninth".to_owned(),
        "twelve" => "twelfth".to_owned(),
        _ => match word.strip_suffix('y') {
            Some(stem) => format!("{stem}ieth"),
            None => format!("{word}th"),
        },
    };
    Some(format!("{start}{nth}"))
}

/// A decimal number as digits.
struct Decimal {
    is_negative: bool,
    /// Without leading zeros; at least one digit.
    integer: Vec<u8>,
    /// Without trailing zeros; may be empty.
    fraction: Vec<u8>,
}

impl Decimal {
    fn read(number: &str) -> Option<Self> {
        let number = number.trim();
        let (is_negative, number) = match number.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, number.strip_prefix('+').unwrap_or(number)),
        };
        let (mantissa, exponent) = match number.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (number, 0),
        };
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: Vec<u8> = [integer, fraction].concat().into_bytes();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let mut digits: Vec<u8> = digits.iter().map(|byte| byte - b'0').collect();
        let limit = i64::try_from(MOST_DIGITS).ok()?;
        let mut point = i64::try_from(integer.len()).ok()? + i64::from(exponent);
        // Zeros in front do not count towards the limit.
        let zeros = digits.iter().take_while(|&&digit| digit == 0).count().min(digits.len() - 1);
        digits.drain(..zeros);
        point -= i64::try_from(zeros).ok()?;
        if digits.iter().all(|&digit| digit == 0) {
            return Some(Self { is_negative: false, integer: vec![0], fraction: Vec::new() });
        }
        if point.abs() > limit {
            return None;
        }
        if point <= 0 {
            let missing = usize::try_from(1 - point).ok()?;
            digits.splice(0..0, std::iter::repeat_n(0, missing));
            point = 1;
        }
        let point = usize::try_from(point).ok()?;
        if digits.len() < point {
            digits.resize(point, 0);
        }
        let mut fraction = digits.split_off(point);
        while fraction.last() == Some(&0) {
            fraction.pop();
        }
        (fraction.len() <= MOST_DIGITS).then_some(Self { is_negative, integer: digits, fraction })
    }
}

fn integer_words(digits: &[u8]) -> String {
    let mut words = String::new();
    let mut at = 0;
    while at < digits.len() {
        let remaining = digits.len() - at;
        let width = if remaining.is_multiple_of(3) { 3 } else { remaining % 3 };
        let group = digits[at..at + width].iter().fold(0u16, |value, &digit| value * 10 + u16::from(digit));
        at += width;
        let power = (digits.len() - at) / 3;
        if group == 0 && digits.len() > 1 {
            continue;
        }
        if !words.is_empty() {
            words.push_str(if power == 0 && group < 100 { " and " } else { ", " });
        }
        push_group(&mut words, group);
        if power > 0 {
            words.push(' ');
            words.push_str(&scale_name(power));
        }
    }
    words
}

fn push_group(words: &mut String, group: u16) {
    let (hundreds, rest) = (usize::from(group / 100), usize::from(group % 100));
    if hundreds > 0 {
        words.push_str(SMALL[hundreds]);
        words.push_str(" hundred");
        if rest > 0 {
            words.push_str(" and ");
        }
    }
    if rest >= 20 {
        words.push_str(TENS[rest / 10]);
        if !rest.is_multiple_of(10) {
            words.push('-');
            words.push_str(SMALL[rest % 10]);
        }
    } else if rest > 0 || hundreds == 0 {
        words.push_str(SMALL[rest]);
    }
}

/// The name of the power of a thousand; `power` is at most 101, which [`MOST_DIGITS`] ensures.
fn scale_name(power: usize) -> String {
    match power {
        0 => String::new(),
        1 => "thousand".to_owned(),
        2..=11 => format!("{}illion", FIRST_SCALES[power - 2]),
        _ => {
            let rank = power - 1;
            format!("{}{}illion", SCALE_PREFIXES[rank % 10], TENTH_SCALES[rank / 10 - 1])
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn large_numbers_have_latin_names() {
        let power = |exponent: usize| cardinal(&format!("1{}", "0".repeat(exponent)));
        assert_eq!(power(21).as_deref(), Some("one sextillion"));
        assert_eq!(power(33).as_deref(), Some("one decillion"));
        assert_eq!(power(48).as_deref(), Some("one quindecillion"));
        assert_eq!(power(300).as_deref(), Some("one novemnonagintillion"));
        assert_eq!(power(303).as_deref(), Some("one centillion"));
        assert_eq!(power(306), None);
        assert_eq!(cardinal("1000000000000000000000005").as_deref(), Some("one septillion and five"));
    }

    #[test]
    fn exponents_and_zeros_are_understood() {
        assert_eq!(cardinal("1e+16").as_deref(), Some("ten quadrillion"));
        assert_eq!(cardinal("1.5e-05").as_deref(), Some("zero point zero zero zero zero one five"));
        assert_eq!(cardinal("5.0").as_deref(), Some("five"));
        assert_eq!(cardinal("012.50").as_deref(), Some("twelve point five"));
        assert_eq!(cardinal("-0.5").as_deref(), Some("minus zero point five"));
        assert_eq!(cardinal("-0").as_deref(), Some("zero"));
    }

    #[test]
    fn what_is_no_number_has_no_words() {
        for text in ["", "-", "1.2.3", "abc", "1e", "1e999999999", "1e-999999999", "٣", "."] {
            assert_eq!(cardinal(text), None, "{text}");
        }
        assert_eq!(ordinal("-1"), None);
        assert_eq!(ordinal("1.5"), None);
        assert_eq!(ordinal("0").as_deref(), Some("zeroth"));
    }

    proptest! {
        #[test]
        fn any_text_is_answered(text in "[-+0-9eE.]{0,12}|\\PC{0,8}") {
            cardinal(&text);
            ordinal(&text);
        }
    }
}
