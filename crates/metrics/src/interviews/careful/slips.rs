//! Slips of the pen: a word that is none, one or two letters away from a value.

use probare_text::wordnet::WordNet;

use super::opposites::are_opposites;

/// Whether the words of `written` are those of `value` with slips in them. Both are in canonical form with equally many
/// words; equal words are no slip.
pub(super) fn is_slip(written: &[&str], value: &[&str], wordnet: &WordNet) -> bool {
    let mut slips = 0;
    for (written, value) in written.iter().zip(value) {
        if written == value {
            continue;
        }
        if !word_slips(written, value, wordnet) {
            return false;
        }
        slips += 1;
    }
    slips > 0 && written.len() == value.len()
}

/// Whether one word is the other with a slip in it. A word that WordNet knows is meant as it is written.
fn word_slips(written: &str, value: &str, wordnet: &WordNet) -> bool {
    let shorter = written.chars().count().min(value.chars().count());
    if shorter < 4 || written.contains(char::is_numeric) || !wordnet.parts_of_speech(written).is_empty() {
        return false;
    }
    let allowed = if shorter >= 8 { 2 } else { 1 };
    edits_with_swaps(written, value, allowed) && !are_opposites(written, value, wordnet)
}

/// Whether two words are within `limit` insertions, deletions, replacements and swaps of neighbours.
fn edits_with_swaps(left: &str, right: &str, limit: usize) -> bool {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > limit || left.len() > 40 {
        return false;
    }
    let width = right.len() + 1;
    let mut table = vec![0_usize; (left.len() + 1) * width];
    for row in 0..=left.len() {
        for column in 0..width {
            let at = row * width + column;
            if row == 0 || column == 0 {
                table[at] = row + column;
                continue;
            }
            let replaced = table[at - width - 1] + usize::from(left[row - 1] != right[column - 1]);
            let mut best = replaced.min(table[at - width] + 1).min(table[at - 1] + 1);
            let is_swap =
                row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1];
            if is_swap {
                best = best.min(table[at - 2 * width - 2] + 1);
            }
            table[at] = best;
        }
    }
    table.last().is_some_and(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_are_none_are_slips() {
        let wordnet = WordNet::embedded();
        for (written, value) in [("salomn", "salmon"), ("optimstic", "optimistic"), ("kopenhagen", "copenhagen")] {
            assert!(is_slip(&[written], &[value], wordnet), "{written}");
        }
        for (written, value) in [("informal", "formal"), ("suburban", "urban"), ("winds", "wind"), ("sun", "sum")] {
            assert!(!is_slip(&[written], &[value], wordnet), "{written}");
        }
        assert!(is_slip(&["wimd", "energy"], &["wind", "energy"], wordnet));
        assert!(!is_slip(&["wind"], &["wind"], wordnet), "nothing slipped");
    }
}
