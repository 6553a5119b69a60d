//! What denies, and whether the words behind take the denial back: *not*, *never*, *no one*, *instead of*; but neither *not
//! only* nor *no doubt*.

use crate::lexicon::{LexicalRole, LexicalRoles, lexical_roles, longest_match};

/// How a word denies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// The clause that follows: *not*, *never*, *didn't*, *instead of*.
    Clause,
    /// The noun phrase that follows: *no*.
    Noun,
}

/// Sorts that deny what follows, whatever verb or noun it goes with.
const FORMAL_DENIALS: LexicalRoles = LexicalRoles::from_roles(&[
    LexicalRole::Negation,
    LexicalRole::Contraction,
    LexicalRole::NounNegation,
    LexicalRole::Exception,
]);

/// How many words make up the denial that stands here, and what it denies. `word` gives the words from here on, in lower case, with
/// their apostrophes or without, and the empty text where none follows or something stands between.
///
/// ```
/// use probare_english::text_analysis::{Denial, denial};
///
/// let read = |text: &str| denial(|ahead| text.split(' ').nth(ahead).unwrap_or_default());
/// assert_eq!(read("not a"), Some((1, Denial::Clause)));
/// assert_eq!(read("not only"), None);
/// assert_eq!(read("rather than tea"), Some((2, Denial::Clause)));
/// assert_eq!(read("no work"), Some((1, Denial::Noun)));
/// ```
pub fn denial<'w>(word: impl Fn(usize) -> &'w str) -> Option<(usize, Denial)> {
    match longest_match(FORMAL_DENIALS, &word)? {
        // What opens with `No,` denies what was asked, not the words behind it.
        (LexicalRole::NounNegation, length) => (!word(length).is_empty()).then_some((length, Denial::Noun)),
        (_, length) => Some((length, Denial::Clause)),
    }
}

/// Whether a word denies by its meaning where it stands: a verb as *refuse*, what is *missing* or *was dropped*, *fish-free*. `word` gives
/// the words before it (below 0), itself and those behind it, as in [`denial`].
///
/// ```
/// use probare_english::text_analysis::denies_by_meaning;
///
/// let read = |text: &str, at: isize| {
///     let words: Vec<&str> = text.split(' ').collect();
///     denies_by_meaning(|ahead| usize::try_from(at + ahead).ok().and_then(|at| words.get(at)).copied().unwrap_or_default())
/// };
/// assert!(read("they abandoned the mine", 1));
/// assert!(!read("the abandoned mine", 1));
/// ```
pub fn denies_by_meaning<'w>(word: impl Fn(isize) -> &'w str) -> bool {
    let known = lexical_roles(word(0));
    let has = |ahead: isize, sort: LexicalRole| lexical_roles(word(ahead)).has(sort);
    // "The abandoned mine" and "the refuse is collected" have it as a part of what they speak of.
    let is_noun = || has(-1, LexicalRole::Determiner) || known.has(LexicalRole::Denial) && has(1, LexicalRole::Copula);
    (known.has(LexicalRole::Denial) || known.has(LexicalRole::Absence)) && !is_noun()
        || known.has(LexicalRole::Ended) && (has(-1, LexicalRole::Copula) || has(-2, LexicalRole::Copula))
        || word(0).strip_suffix("-free").is_some_and(|what| !what.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_back_denies_nothing() {
        let read = |text: &str| denial(|ahead| text.split(' ').nth(ahead).unwrap_or_default());
        assert_eq!(read("no doubt"), None);
        assert_eq!(read("didn't just"), None);
        assert_eq!(read("no"), None, "a lone no answers");
        assert_eq!(read("no longer"), Some((2, Denial::Clause)));
        assert_eq!(read("wasnt seen"), Some((1, Denial::Clause)));
        assert_eq!(read("except"), Some((1, Denial::Clause)));
        assert_eq!(read("river not"), None);
    }
}
