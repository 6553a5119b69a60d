//! "A similar name exists": the nearest known name to one that is not known.

/// The known name nearest to `name`, if it is near enough to be a slip of the fingers; else one that has it as one of its
/// words: `f1` for `token_f1`.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lowered = name.to_lowercase();
    let limit = lowered.chars().count() / 3 + 1;
    let known: Vec<&str> = known.into_iter().collect();
    let slip = known
        .iter()
        .copied()
        .map(|candidate| (edit_distance(&lowered, &candidate.to_lowercase()), candidate))
        .filter(|(steps, _)| *steps <= limit)
        .min_by_key(|(steps, _)| *steps)
        .map(|(_, candidate)| candidate);
    let is_word = |candidate: &&str| candidate.split(['_', '-']).any(|word| word.eq_ignore_ascii_case(&lowered));
    slip.or_else(|| known.iter().copied().filter(is_word).min_by_key(|candidate| candidate.len()))
}

/// Insertions, deletions, replacements and swaps of neighbours between two short names.
fn edit_distance(left: &str, right: &str) -> usize {
    let [left, right] = [left, right].map(|name| name.chars().take(64).collect::<String>());
    strsim::osa_distance(&left, &right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_a_different_word_is_not() {
        let known = ["token_f1", "rouge_l", "bleu"];
        assert_eq!(closest("token_f2", known), Some("token_f1"));
        assert_eq!(closest("Rogue_l", known), Some("rouge_l"));
        assert_eq!(closest("f1", known), Some("token_f1"));
        assert_eq!(closest("perplexity", known), None);
        assert_eq!(closest("", []), None);
    }
}
