//! Cosine of the counts of words and of pairs of neighbouring words.

use probare_core::Sample;
use probare_text::runs::for_each_run;
use rustc_hash::FxHashMap;

/// Similarity of two texts: the cosine of their counts of lower-cased ASCII words and pairs of words, between 0 and 1. A word such as
/// `new_york` equals the pair of `new` and `york`.
pub fn similarity(left: &str, right: &str) -> f64 {
    let mut counts: FxHashMap<String, [u64; 2]> = FxHashMap::default();
    count(left, 0, &mut counts);
    count(right, 1, &mut counts);
    let (mut dot, mut lengths) = (0, [0; 2]);
    for [left, right] in counts.into_values() {
        dot += left * right;
        lengths[0] += left * left;
        lengths[1] += right * right;
    }
    if lengths.contains(&0) {
        return 0.0;
    }
    dot as f64 / ((lengths[0] as f64).sqrt() * (lengths[1] as f64).sqrt())
}

/// To two decimals, halves up, as reports show it.
pub fn round_similarity(similarity: f64) -> f64 {
    (similarity * 100.0 + 0.5).floor() / 100.0
}

/// [`similarity`] of the message and the reply of a sample.
struct Similarity(f64);

/// [`similarity`] of the message and the reply of a sample; computed once.
pub(in crate::care) fn sample_similarity(sample: Sample<'_>, user: &str, reply: &str) -> f64 {
    sample.cached(0, || Similarity(similarity(user, reply))).0
}

/// Counts the words and pairs of a text on one side.
fn count(text: &str, side: usize, counts: &mut FxHashMap<String, [u64; 2]>) {
    // The full lower-casing of Unicode: two letters outside ASCII become ASCII there, the dotted capital I and the Kelvin sign.
    let lower = text.to_lowercase();
    let mut pair = String::new();
    let mut add = |term: &str| {
        if let Some(known) = counts.get_mut(term) {
            known[side] += 1;
        } else {
            let mut fresh = [0; 2];
            fresh[side] = 1;
            counts.insert(term.to_owned(), fresh);
        }
    };
    for_each_run(
        lower.as_bytes(),
        |byte| byte.is_ascii_alphanumeric() || byte == b'_',
        |start, end| {
            probare_cancellation::count_steps(1);
            let word = &lower[start..end];
            if !pair.is_empty() {
                pair.push('_');
                pair.push_str(word);
                add(&pair);
            }
            add(word);
            pair.clear();
            pair.push_str(word);
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_pairs_count() {
        // a b, a_b against a c, a_c: one of three terms is shared.
        assert!((similarity("a b", "A c") - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(similarity("", "a"), 0.0);
        assert_eq!(similarity("日本", "a"), 0.0);
        assert!((similarity("café İ K", "caf i k") - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_word_with_an_underscore_may_be_a_pair() {
        // new, york, new_york against new_york: one shared term of three and one.
        assert!((similarity("new york", "new_york") - 1.0 / 3.0_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn reports_round_halves_up() {
        assert_eq!(round_similarity(0.445), 0.45);
        assert_eq!(round_similarity(0.4449), 0.44);
        assert_eq!(round_similarity(1.0), 1.0);
    }
}
