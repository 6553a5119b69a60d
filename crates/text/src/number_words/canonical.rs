//! The form in which digits and number words meet.

use std::ops::Range;

use super::grammar::{GrammarWord, NumberRank, NumberRun, NumberWord, read_run};
use crate::aligned_text::AlignedText;
use crate::normalise::{normalise, normalise_aligned};

/// The normalised text with each number in digits: `twenty-one` is `21`, `2.5 million` is `2500000`, `fifth` is `5th`.
///
/// ```
/// use probare_text::number_words::canonical;
///
/// assert_eq!(canonical("Two hundred and five boats, the twenty-first in 5.0 years"), "205 boats the 21st in 5 years");
/// ```
pub fn canonical(text: &str) -> String {
    let normal = normalise(text);
    let replacements = replacements(&normal);
    if replacements.is_empty() {
        return normal;
    }
    let mut out = String::with_capacity(normal.len());
    let mut at = 0;
    for (range, digits) in replacements {
        out.push_str(&normal[at..range.start]);
        out.push_str(&digits);
        at = range.end;
    }
    out.push_str(&normal[at..]);
    out
}

/// [`canonical`] with the way back to `text`.
pub fn canonical_aligned(text: &str) -> AlignedText {
    let normal = normalise_aligned(text);
    let replacements = replacements(normal.text());
    if replacements.is_empty() { normal } else { normal.replace_ranges(&replacements) }
}

/// The first cardinal number of the text, in words or digits; signs are not read. `None` without any.
///
/// As word2number for well-formed input, except that scales add up as they should (`two million five hundred thousand`)
/// and that numbers behind the first are left alone, where word2number would mix them in.
///
/// ```
/// use probare_text::number_words::to_number;
///
/// assert_eq!(to_number("I have twenty-three apples and two pears"), Some(23.0));
/// assert_eq!(to_number("no number here"), None);
/// ```
pub fn to_number(text: &str) -> Option<f64> {
    let normal = normalise(text);
    let words: Vec<&str> = normal.split(' ').collect();
    let cardinal_at = |at: usize| match grammar_word(words.get(at)) {
        GrammarWord::Number(NumberWord { is_ordinal: true, .. }) => GrammarWord::Other,
        piece => piece,
    };
    (0..words.len()).find_map(|start| {
        if let Some(number) = read_literal(&words, start) {
            return number.digits.parse().ok();
        }
        // `point five` has no integer part.
        if cardinal_at(start) == GrammarWord::Point {
            let zero = GrammarWord::Number(NumberWord { rank: NumberRank::Zero, is_ordinal: false });
            return read_run(|at| if at == 0 { zero } else { cardinal_at(start + at - 1) })
                .filter(|run| !run.decimals.is_empty())
                .map(|run| run.value());
        }
        read_run(|at| cardinal_at(start + at)).map(|run| run.value())
    })
}

fn grammar_word(word: Option<&&str>) -> GrammarWord {
    match word {
        Some(&"and") => GrammarWord::And,
        Some(&"point") => GrammarWord::Point,
        Some(word) => NumberWord::read(word).map_or(GrammarWord::Other, GrammarWord::Number),
        None => GrammarWord::Other,
    }
}

/// The byte ranges of a normalised text that hold numbers in another form than the canonical one, and that form.
fn replacements(normal: &str) -> Vec<(Range<usize>, String)> {
    let words: Vec<&str> = normal.split(' ').collect();
    let mut found = Vec::new();
    let mut at = 0;
    let mut offset = 0;
    while at < words.len() {
        probare_cancellation::count_steps(1);
        let number = read_literal(&words, at).or_else(|| {
            read_run(|ahead| grammar_word(words.get(at + ahead)))
                .map(|run| Literal { digits: run_digits(&run), length: run.length })
        });
        let length = number.as_ref().map_or(1, |number| number.length);
        let width = words[at..at + length].iter().map(|word| word.len()).sum::<usize>() + length - 1;
        if let Some(number) = number
            && normal[offset..offset + width] != number.digits
        {
            found.push((offset..offset + width, number.digits));
        }
        at += length;
        offset += width + 1;
    }
    found
}

/// A number in digits and how many words it takes.
struct Literal {
    digits: String,
    length: usize,
}

/// Reads digits with the hundred and scale words behind them, as in `2.5 million`.
fn read_literal(words: &[&str], at: usize) -> Option<Literal> {
    let word = words.get(at)?;
    let (integer, decimals) = word.split_once('.').unwrap_or((word, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if integer.is_empty() || !is_number(integer) || !is_number(decimals) {
        return None;
    }
    let mut exponent = 0;
    let mut length = 1;
    let mut is_ordinal = false;
    while let GrammarWord::Number(word) = grammar_word(words.get(at + length)) {
        exponent += match word.rank {
            NumberRank::Hundred if length == 1 => 2,
            NumberRank::Scale(scale) => usize::from(scale),
            _ => break,
        };
        length += 1;
        is_ordinal = word.is_ordinal;
        if is_ordinal || matches!(word.rank, NumberRank::Scale(_)) {
            break;
        }
    }
    let mut digits = shift_point(integer, decimals, exponent);
    if is_ordinal {
        digits.push_str(ordinal_suffix(&digits));
    }
    Some(Literal { digits, length })
}

fn run_digits(run: &NumberRun) -> String {
    let mut digits = shift_point(&run.integer.to_string(), &run.decimals, usize::from(run.exponent));
    if run.is_ordinal {
        digits.push_str(ordinal_suffix(&digits));
    }
    digits
}

/// The digits with the point moved to the right, without zeros that carry no value.
fn shift_point(integer: &str, decimals: &str, exponent: usize) -> String {
    let moved = exponent.min(decimals.len());
    let zeros = "0".repeat(exponent - moved);
    let whole = [integer, &decimals[..moved], &zeros].concat();
    let whole = whole.trim_start_matches('0');
    let rest = decimals[moved..].trim_end_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if rest.is_empty() { whole.to_owned() } else { format!("{whole}.{rest}") }
}

fn ordinal_suffix(digits: &str) -> &'static str {
    let is_teen = digits.len() > 1 && digits.as_bytes()[digits.len() - 2] == b'1';
    match digits.bytes().last() {
        Some(b'1') if !is_teen => "st",
        Some(b'2') if !is_teen => "nd",
        Some(b'3') if !is_teen => "rd",
        _ => "th",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{cardinal, ordinal};
    use super::*;

    #[test]
    fn ordinals_end_a_number() {
        assert_eq!(canonical("one hundred and first"), "101st");
        assert_eq!(canonical("the twelfth and the hundred and thirteenth"), "the 12th and the 113th");
        assert_eq!(canonical("twenty-first twenty second"), "21st 22nd");
        assert_eq!(canonical("2 millionth"), "2000000th");
    }

    #[test]
    fn digits_take_scale_words() {
        assert_eq!(canonical("2 hundred thousand"), "200000");
        assert_eq!(canonical("0.25 thousand and 1.23456789 million"), "250 and 1234567.89");
        assert_eq!(canonical("007 v2.0.1 3.4.5"), "7 v2.0.1 3.4.5");
    }

    #[test]
    fn numbers_lead_back_to_their_words() {
        let text = "Some Twenty–one cafés, 1,000.50 €";
        let aligned = canonical_aligned(text);
        assert_eq!(aligned.text(), "some 21 cafes 1000.5");
        assert_eq!(&text[aligned.original_span(5..7)], "Twenty–one");
        assert_eq!(&text[aligned.original_span(14..20)], "1,000.50");
    }

    #[test]
    fn the_first_number_is_read() {
        assert_eq!(to_number("point five"), Some(0.5));
        assert_eq!(to_number("the first 112 of two"), Some(112.0));
        assert_eq!(to_number("one two three"), Some(1.0));
        assert_eq!(to_number(""), None);
        assert_eq!(to_number("twenty fifth"), Some(20.0));
    }

    proptest! {
        #[test]
        fn spelled_numbers_are_read_back(number in 0u64..1_000_000_000_000_000) {
            let words = cardinal(&number.to_string()).expect("a number below the limit");
            prop_assert_eq!(canonical(&words), number.to_string());
            prop_assert_eq!(to_number(&words), Some(number as f64));
            let digits = number.to_string();
            let nth = ordinal(&digits).expect("a whole number");
            prop_assert_eq!(canonical(&nth), format!("{digits}{}", ordinal_suffix(&digits)));
        }

        #[test]
        fn both_ways_give_the_same_text(text in any::<String>()) {
            prop_assert_eq!(canonical_aligned(&text).into_text(), canonical(&text));
            to_number(&text);
        }

        #[test]
        fn number_words_in_any_order_are_read(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "one", "nine", "zero", "ten", "twenty", "hundred", "thousand", "million", "trillion", "and", "point",
                    "fifth", "thousandth", "3", "2.50", "x",
                ]),
                0..12,
            ),
        ) {
            let text = words.join(" ");
            prop_assert_eq!(canonical_aligned(&text).into_text(), canonical(&text));
        }
    }
}
