//! What the words around a number say of it: how exact it is, by how much something was multiplied, that it was worked out.

use std::ops::Range;

use super::super::folding::words;
use super::conversion::Approach;

/// How exact the words before a number are.
pub(super) fn approach(response: &str, start: usize) -> Approach {
    let from = response.floor_char_boundary(start.saturating_sub(40));
    let before = words(response.get(from..start).unwrap_or_default());
    let before: Vec<&str> = before.iter().map(|word| word.lower.as_str()).collect();
    Approach::of(&before)
}

/// Bytes around a number in which its reckoning is told.
const AROUND: usize = 80;

/// By how much the words around a number tell to multiply or divide: by the month and by the year, double and half.
pub(super) fn factors(response: &str, span: &Range<usize>) -> Vec<f64> {
    let from = response.floor_char_boundary(span.start.saturating_sub(AROUND));
    let to = response.floor_char_boundary(response.len().min(span.end + AROUND));
    let around = words(response.get(from..to).unwrap_or_default());
    let has = |test: fn(&str) -> bool| around.iter().any(|word| test(&word.lower));
    let by_month = has(|word| matches!(word, "month" | "monthly" | "year" | "yearly" | "annual" | "annually"));
    let by_half = has(|word| matches!(word, "double" | "doubled" | "twice" | "half" | "halve" | "halved"));
    let by_week = has(|word| matches!(word, "week" | "weeks" | "weekly"));
    [(by_month, 12.0), (by_half, 2.0), (by_week, 7.0)]
        .into_iter()
        .filter_map(|(is_told, factor)| is_told.then_some(factor))
        .collect()
}

/// Whether the words around a number tell that it was worked out: *in total*, *each*, *dropped by*.
pub(super) fn reckons(response: &str, span: &Range<usize>) -> bool {
    let from = response.floor_char_boundary(span.start.saturating_sub(AROUND / 2));
    let to = response.floor_char_boundary(response.len().min(span.end + AROUND / 2));
    let around = words(response.get(from..to).unwrap_or_default());
    let before = |at: usize| at.checked_sub(1).map_or("", |before| around[before].lower.as_str());
    around.iter().enumerate().any(|(at, word)| match word.lower.as_str() {
        "all" => before(at) == "in",
        "by" => before(at).ends_with("ed") || is_change(before(at)),
        word => tells_of_reckoning(word),
    })
}

fn tells_of_reckoning(word: &str) -> bool {
    const TOTALS: [&str; 19] = [
        "total",
        "totals",
        "altogether",
        "together",
        "combined",
        "each",
        "apart",
        "difference",
        "sum",
        "per",
        "extra",
        "remaining",
        "come",
        "comes",
        "adds",
        "make",
        "makes",
        "average",
        "still",
    ];
    const COMPARED: [&str; 15] = [
        "more", "less", "fewer", "later", "earlier", "longer", "shorter", "slower", "faster", "dearer", "cheaper",
        "ahead", "behind", "older", "younger",
    ];
    TOTALS.contains(&word) || COMPARED.contains(&word)
}

fn is_change(word: &str) -> bool {
    matches!(word, "fell" | "rose" | "grew" | "up" | "down" | "fall" | "rise" | "grow" | "cut" | "shrank" | "went")
}
