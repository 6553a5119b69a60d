//! Stretches of an answer that stand word for word in a source.

use probare_text::tokens::Tokens;
use rustc_hash::{FxHashMap, FxHashSet};

/// Words in a row from which a coincidence is a copy. Formulae and long names stay below it.
pub const COPIED_RUN: usize = 12;

/// For each token of the answer, the source it was copied from, if it stands in a run of [`COPIED_RUN`] tokens or more.
pub fn copy_sources(answer: &Tokens, sources: &[Tokens]) -> Vec<Option<usize>> {
    let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
    for token in answer.texts() {
        probare_cancellation::count_steps(1);
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX - 1);
        numbers.entry(token).or_insert(next);
    }
    let numbered = |tokens: &Tokens| -> Vec<u32> {
        tokens.texts().map(|token| numbers.get(token).copied().unwrap_or(u32::MAX)).collect()
    };
    let words = numbered(answer);
    let mut origin = vec![None; words.len()];
    for (index, source) in sources.iter().enumerate() {
        let source = numbered(source);
        let runs: FxHashSet<&[u32]> = source.windows(COPIED_RUN).collect();
        for (start, run) in words.windows(COPIED_RUN).enumerate() {
            probare_cancellation::count_steps(1);
            if runs.contains(run) {
                for place in &mut origin[start..start + COPIED_RUN] {
                    place.get_or_insert(index);
                }
            }
        }
    }
    origin
}

#[cfg(test)]
mod tests {
    use probare_text::tokens::synthlink::tokens;

    use super::*;

    #[test]
    fn twelve_words_in_a_row_are_a_copy_and_eleven_are_not() {
        let source = tokens("one two three four five six seven eight nine ten eleven twelve thirteen");
        let copied = |answer: &str| copy_sources(&tokens(answer), std::slice::from_ref(&source));
        let found = copied("Yes: two three four five six seven eight nine ten eleven twelve thirteen, no.");
        assert_eq!(found.iter().filter(|origin| origin.is_some()).count(), 12);
        assert_eq!((found[0], found[1], found[13]), (None, Some(0), None));
        assert!(copied("two three four five six seven eight nine ten eleven twelve").iter().all(Option::is_none));
    }

    #[test]
    fn words_that_the_answer_lacks_are_no_run() {
        let source = tokens(&"unknown ".repeat(40));
        assert!(copy_sources(&tokens(&"word ".repeat(20)), &[source]).iter().all(Option::is_none));
        assert!(copy_sources(&tokens(""), &[]).is_empty());
    }
}
