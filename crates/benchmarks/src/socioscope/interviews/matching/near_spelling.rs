//! Near spellings: how alike two canonical forms are, and when they must not be taken for one another.

use probare_text::distance::levenshtein_within;

use super::SurfaceTable;

/// Words that turn a value into its opposite.
const NEGATORS: [&str; 7] = ["not", "no", "never", "without", "non", "nor", "neither"];

/// 1 - Levenshtein / length of the longer one, over characters, for the words in the given or in sorted order,
/// whichever is better. 0 where the numbers or the negators differ, where the shorter one has fewer than 4 characters
/// and they are unequal, or where the similarity is below `threshold`.
pub fn similarity(left: &str, right: &str, threshold: f64) -> f64 {
    if left == right {
        return 1.0;
    }
    let lengths = (left.chars().count(), right.chars().count());
    let (shorter, longer) = (lengths.0.min(lengths.1), lengths.0.max(lengths.1));
    if shorter < 4 || numbers_and_negators(left) != numbers_and_negators(right) {
        return 0.0;
    }
    // One error more than the limit, since the product may come out just below a whole number.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and a length in memory")]
    let limit = ((1.0 - threshold.clamp(0.0, 1.0)) * longer as f64).floor() as usize + 1;
    let alike = |left: &str, right: &str| {
        levenshtein_within(left, right, limit).map_or(0.0, |distance| 1.0 - distance as f64 / longer as f64)
    };
    let best = alike(left, right).max(alike(&sorted(left), &sorted(right)));
    if best >= threshold { best } else { 0.0 }
}

/// The value nearest to an item, if it is near enough; of equally near ones the first.
pub(super) fn nearest_value(form: &str, table: &SurfaceTable, threshold: f64) -> Option<(usize, f64)> {
    if form.is_empty() {
        return None;
    }
    let mut best: Option<(usize, f64)> = None;
    for (index, value) in table.forms().iter().enumerate().filter(|(_, value)| !value.is_empty()) {
        probare_cancellation::count_steps(1);
        let similarity = similarity(form, value, threshold);
        if similarity >= threshold && similarity > 0.0 && best.is_none_or(|(_, known)| similarity > known) {
            best = Some((index, similarity));
        }
    }
    best
}

/// The numbers and negators of a form, in order.
fn numbers_and_negators(form: &str) -> Vec<&str> {
    let mut words: Vec<&str> = form
        .split(' ')
        .filter(|word| NEGATORS.contains(word) || word.contains(|character: char| character.is_numeric()))
        .collect();
    words.sort_unstable();
    words
}

fn sorted(form: &str) -> String {
    let mut words: Vec<&str> = form.split(' ').collect();
    words.sort_unstable();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_negators_and_short_words_are_not_near() {
        assert_eq!(similarity("in 2018", "in 2019", 0.85), 0.0);
        assert_eq!(similarity("employed", "not employed", 0.5), 0.0);
        assert_eq!(similarity("sun", "sum", 0.1), 0.0);
        assert_eq!(similarity("sun", "sun", 0.85), 1.0);
        assert_eq!(similarity("energy wind", "wind energy", 0.85), 1.0);
        assert!((similarity("wnd energy", "wind energy", 0.85) - 10.0 / 11.0).abs() < 1e-12);
        assert_eq!(similarity("winde nergy", "wind energy", 0.85), 0.0);
    }
}
