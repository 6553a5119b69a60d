//! The bare value of a number: digits or words, fractions, scale words and suffixes.

use crate::number_words::{GrammarWord, NumberRank, NumberWord, read_run};
use crate::terms::{Numeral, NumeralShape, TermSequence, WordClass};

/// A value and the terms it takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Magnitude {
    pub(super) value: f64,
    pub(super) end: usize,
    /// The power of ten that a scale word or suffix multiplied by.
    pub(super) scale: f64,
    /// Whether this is the word `one` and nothing else, which may be a pronoun.
    pub(super) is_lone_one: bool,
}

/// What stands at a term that may begin a number.
pub(super) enum NumberStart {
    Number(Magnitude),
    /// Digits that mean no number, up to this term.
    Skip(usize),
    /// A numeral with commas in the wrong places.
    Malformed,
    Nothing,
}

/// Reads the value that starts at term `at`.
pub(super) fn read(terms: &TermSequence<'_>, at: usize, is_money: bool) -> NumberStart {
    if let Some(&numeral) = terms.numeral(at) {
        return read_numeral(terms, at, numeral, is_money);
    }
    match terms.word(at) {
        Some(WordClass::Number(_)) => read_words(terms, at),
        Some(WordClass::Half) => read_half(terms, at),
        Some(WordClass::Dozen) => NumberStart::Number(plain(12.0, at + 1)),
        _ => NumberStart::Nothing,
    }
}

fn plain(value: f64, end: usize) -> Magnitude {
    Magnitude { value, end, scale: 1.0, is_lone_one: false }
}

/// A value with the scale that stands at `end`.
pub(super) fn with_scale(terms: &TermSequence<'_>, value: f64, end: usize, is_money: bool) -> Magnitude {
    let mut magnitude = plain(value, end);
    apply_scale(terms, &mut magnitude, is_money);
    magnitude
}

fn read_numeral(terms: &TermSequence<'_>, at: usize, numeral: Numeral, is_money: bool) -> NumberStart {
    match numeral.shape {
        NumeralShape::Malformed => return NumberStart::Malformed,
        NumeralShape::Dotted => return NumberStart::Skip(at + 1),
        NumeralShape::Whole | NumeralShape::Grouped | NumeralShape::Decimal => {}
    }
    let next = at + 1;
    if terms.is_glued(next) {
        if terms.word(next).is_some()
            && matches!(terms.text(next), "st" | "nd" | "rd" | "th" | "ST" | "ND" | "RD" | "TH")
        {
            return NumberStart::Skip(next + 1);
        }
        if terms.symbol(next) == Some('/') && terms.is_glued(next + 1) {
            return read_fraction(terms, at);
        }
    }
    let mut magnitude = with_scale(terms, numeral.value, next, is_money);
    apply_half(terms, &mut magnitude);
    NumberStart::Number(magnitude)
}

/// `1/2`; a year and the next one (`2015/16`), and `24/7`, are no numbers.
fn read_fraction(terms: &TermSequence<'_>, at: usize) -> NumberStart {
    let Some((denominator, _)) = terms.plain_digits(at + 2) else { return skip_or_plain(terms, at) };
    let is_longer = terms.symbol(at + 3) == Some('/') && terms.is_glued(at + 3);
    match terms.plain_digits(at) {
        Some((numerator, digits)) if denominator > numerator && digits < 4 && !is_longer => {
            NumberStart::Number(with_scale(terms, numerator as f64 / denominator as f64, at + 3, false))
        }
        _ => NumberStart::Skip(at + 3),
    }
}

/// A number before a stroke and something that is not a number: `5/week`.
fn skip_or_plain(terms: &TermSequence<'_>, at: usize) -> NumberStart {
    match terms.numeral(at) {
        Some(numeral) if terms.numeral(at + 2).is_none() => NumberStart::Number(plain(numeral.value, at + 1)),
        _ => NumberStart::Skip(at + 3),
    }
}

/// Applies the scale behind digits: `2.5 million`, `3 hundred thousand`, `€300k`, `2 dozen`.
fn apply_scale(terms: &TermSequence<'_>, magnitude: &mut Magnitude, is_money: bool) {
    let mut at = magnitude.end;
    if let Some(exponent) = suffix_exponent(terms, at, is_money) {
        magnitude.scale = 10f64.powi(exponent);
        magnitude.end += 1;
    }
    if terms.word(at) == Some(WordClass::Dozen) {
        magnitude.scale = 12.0;
        magnitude.end += 1;
    }
    loop {
        at = magnitude.end + usize::from(terms.is_tying_hyphen(magnitude.end));
        let exponent = match terms.word(at) {
            Some(WordClass::Number(NumberWord { rank: NumberRank::Hundred, is_ordinal: false }))
                if magnitude.scale == 1.0 =>
            {
                2
            }
            Some(WordClass::Number(NumberWord { rank: NumberRank::Scale(exponent), is_ordinal: false }))
                if magnitude.scale <= 100.0 =>
            {
                i32::from(exponent)
            }
            _ => break,
        };
        magnitude.scale *= 10f64.powi(exponent);
        magnitude.end = at + 1;
    }
    magnitude.value *= magnitude.scale;
}

/// The power of ten of a suffix such as `k` or `bn`. A small `m` is a metre unless the number is money.
fn suffix_exponent(terms: &TermSequence<'_>, at: usize, is_money: bool) -> Option<i32> {
    terms.word(at)?;
    let is_glued = terms.is_glued(at);
    // A sign before another number belongs to that one: `5m $5`.
    let sign_behind = || is_sign(terms, at + 1) && terms.numeral(at + 2).is_none();
    let may_be_money = || is_money || super::currencies::read_name(terms, at + 1).is_some() || sign_behind();
    match terms.text(at) {
        "bn" | "Bn" | "BN" | "bln" => Some(9),
        "mn" | "Mn" | "mln" | "Mio" | "mio" | "MM" => Some(6),
        "tn" | "trn" => Some(12),
        "k" | "K" if is_glued || is_money => Some(3),
        "M" if is_glued || is_money => Some(6),
        "m" if may_be_money() => Some(6),
        "b" | "B" if is_glued || is_money => Some(9),
        "T" if is_money => Some(12),
        _ => None,
    }
}

fn is_sign(terms: &TermSequence<'_>, at: usize) -> bool {
    terms.symbol(at).is_some_and(|symbol| super::currencies::from_sign(symbol).is_some())
}

/// `two and a half`.
fn apply_half(terms: &TermSequence<'_>, magnitude: &mut Magnitude) {
    let at = magnitude.end;
    let and_a_half = terms.word(at) == Some(WordClass::And)
        && terms.word(at + 1) == Some(WordClass::Article)
        && terms.word(at + 2) == Some(WordClass::Half);
    if and_a_half && magnitude.scale == 1.0 && magnitude.value.fract() == 0.0 {
        magnitude.value += 0.5;
        magnitude.end = at + 3;
        magnitude.is_lone_one = false;
        apply_scale(terms, magnitude, false);
    }
}

fn read_words(terms: &TermSequence<'_>, at: usize) -> NumberStart {
    // The words of the run with the hyphens between them left out; none is longer than this.
    const MOST: usize = 24;
    let mut places = [0usize; MOST];
    let mut count = 0;
    let mut next = at;
    while count < MOST {
        let is_number_word = matches!(terms.word(next), Some(WordClass::Number(_)));
        if !is_number_word && !matches!(terms.word(next), Some(WordClass::And | WordClass::Point) if count > 0) {
            break;
        }
        places[count] = next;
        count += 1;
        next += 1;
        if terms.is_tying_hyphen(next) && matches!(terms.word(next + 1), Some(WordClass::Number(_))) {
            next += 1;
        }
    }
    let piece_at = |index: usize| match places[..count].get(index).and_then(|&place| terms.word(place)) {
        Some(WordClass::Number(word)) => GrammarWord::Number(word),
        Some(WordClass::And) => GrammarWord::And,
        Some(WordClass::Point) => GrammarWord::Point,
        _ => GrammarWord::Other,
    };
    let Some(run) = read_run(piece_at) else { return NumberStart::Nothing };
    let end = places[run.length - 1] + 1;
    if run.is_ordinal {
        return NumberStart::Skip(end);
    }
    let mut magnitude = plain(run.value(), end);
    if let Some(denominator) = denominator(terms, end) {
        let width = 1 + usize::from(terms.is_tying_hyphen(end));
        return NumberStart::Number(plain(magnitude.value / denominator, end + width));
    }
    if terms.word(end) == Some(WordClass::Dozen) {
        magnitude = Magnitude { value: magnitude.value * 12.0, scale: 12.0, end: end + 1, ..magnitude };
    }
    magnitude.is_lone_one = run.length == 1 && run.integer == 1 && magnitude.end == end;
    if run.integer < 1000 && run.exponent == 0 {
        apply_half(terms, &mut magnitude);
    } else {
        magnitude.scale = 1000.0;
    }
    NumberStart::Number(magnitude)
}

/// The denominator of a fraction in words: the `thirds` of `two-thirds` or `two thirds`, the `third` of `one-third`.
fn denominator(terms: &TermSequence<'_>, end: usize) -> Option<f64> {
    let is_tied = terms.is_tying_hyphen(end);
    let at = end + usize::from(is_tied);
    terms.word(at)?;
    let text = terms.text(at).to_ascii_lowercase();
    let plural = match text.as_str() {
        "halves" => Some(2.0),
        "thirds" => Some(3.0),
        "quarters" | "fourths" => Some(4.0),
        "fifths" => Some(5.0),
        "sixths" => Some(6.0),
        "eighths" => Some(8.0),
        "tenths" => Some(10.0),
        "hundredths" => Some(100.0),
        _ => None,
    };
    plural.or_else(|| {
        is_tied.then_some(match text.as_str() {
            "half" => 2.0,
            "third" => 3.0,
            "quarter" | "fourth" => 4.0,
            "fifth" => 5.0,
            "sixth" => 6.0,
            "eighth" => 8.0,
            "tenth" => 10.0,
            _ => return None,
        })
    })
}

/// `half a million`, `half an hour`; `half` by itself is not a number.
fn read_half(terms: &TermSequence<'_>, at: usize) -> NumberStart {
    if terms.word(at + 1) != Some(WordClass::Article) {
        return NumberStart::Nothing;
    }
    let mut magnitude = plain(0.5, at + 2);
    apply_scale(terms, &mut magnitude, false);
    let is_time = super::units::time_unit_at(terms, magnitude.end).is_some();
    if magnitude.scale > 1.0 || is_time { NumberStart::Number(magnitude) } else { NumberStart::Nothing }
}
