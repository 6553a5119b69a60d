//! Words that look alike and mean the opposite.

use probare_english::lexicon::NEGATING_PREFIXES;
use probare_text::wordnet::WordNet;

/// Beginnings that turn a word around, and do not just deny it.
const CONTRARY_PREFIXES: [&str; 2] = ["anti", "mis"];

/// Whether one word is the other with a beginning that turns it around, or WordNet calls them opposites.
pub(super) fn are_opposites(left: &str, right: &str, wordnet: &WordNet) -> bool {
    let (short, long) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    let is_turned = |prefix: &str| long.strip_prefix(prefix) == Some(short) && short.len() > 2;
    NEGATING_PREFIXES.iter().chain(&CONTRARY_PREFIXES).any(|prefix| is_turned(prefix))
        || wordnet.is_antonym(left, right)
}

/// Single words that say `not` and the word: for `employed`, `unemployed`.
pub(super) fn negated_forms(word: &str, wordnet: &WordNet) -> Vec<String> {
    NEGATING_PREFIXES
        .iter()
        .map(|prefix| format!("{prefix}{word}"))
        .filter(|turned| !wordnet.parts_of_speech(turned).is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_are_known_by_beginning_and_by_wordnet() {
        let wordnet = WordNet::embedded();
        for (left, right) in
            [("formal", "informal"), ("illegal", "legal"), ("satisfied", "unsatisfied"), ("increase", "decrease")]
        {
            assert!(are_opposites(left, right, wordnet), "{left} {right}");
        }
        assert!(!are_opposites("mussel", "mussels", wordnet));
        assert_eq!(negated_forms("employed", wordnet), ["unemployed"]);
    }
}
