//! What the words around a number say of it: by how much something was multiplied, that it was worked out.

use std::ops::Range;

use probare_text::quantities::arithmetic::Factor;

use super::super::folding::folded_words;

/// Bytes around a number in which its reckoning is told.
const AROUND: usize = 80;

/// By how much the words around a number tell to multiply or divide: by the month and by the year, double and half.
pub(super) fn factors(response: &str, span: &Range<usize>) -> Vec<Factor> {
    let from = response.floor_char_boundary(span.start.saturating_sub(AROUND));
    let to = response.floor_char_boundary(response.len().min(span.end + AROUND));
    // Its own unit multiplies nothing.
    let around = [from..span.start, span.end..to].map(|part| folded_words(response.get(part).unwrap_or_default()));
    let factor = |by: f64, of_things: bool| Factor { by, of_things };
    let stated = around.iter().flatten().filter_map(|word| match word.lower.as_str() {
        "month" | "monthly" | "year" | "yearly" | "annual" | "annually" => Some(factor(12.0, false)),
        "double" | "doubled" | "twice" | "half" | "halve" | "halved" => Some(factor(2.0, true)),
        "triple" | "tripled" | "trebled" | "thrice" => Some(factor(3.0, true)),
        "week" | "weeks" | "weekly" => Some(factor(7.0, false)),
        _ => None,
    });
    let mut factors: Vec<Factor> = stated.collect();
    factors.sort_by(|left, right| right.by.total_cmp(&left.by));
    factors.dedup();
    factors
}

/// Whether the words around a number tell that it was worked out: *in total*, *each*, *dropped by*.
pub(super) fn tells_calculation(response: &str, span: &Range<usize>) -> bool {
    let from = response.floor_char_boundary(span.start.saturating_sub(AROUND / 2));
    let to = response.floor_char_boundary(response.len().min(span.end + AROUND / 2));
    let around = folded_words(response.get(from..to).unwrap_or_default());
    let before = |at: usize| at.checked_sub(1).map_or("", |before| around[before].lower.as_str());
    around.iter().enumerate().any(|(at, word)| match word.lower.as_str() {
        "all" => before(at) == "in",
        "by" => before(at).ends_with("ed") || is_change(before(at)),
        word => is_calculation_word(word),
    })
}

fn is_calculation_word(word: &str) -> bool {
    "total totals altogether together combined each apart difference sum per extra remaining come comes adds make makes \
        average still more less fewer later earlier longer shorter slower faster dearer cheaper ahead behind older younger"
        .split(' ')
        .any(|known| known == word)
}

fn is_change(word: &str) -> bool {
    matches!(word, "fell" | "rose" | "grew" | "up" | "down" | "fall" | "rise" | "grow" | "cut" | "shrank" | "went")
}
