//! What denies, and whether the words behind take the denial back: *not*, *never*, *no one*, *instead of*; but neither *not
//! only* nor *no doubt*.

use super::words::{Sort, is_contracted_denial, sorts};

/// How a word denies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// The clause that follows: *not*, *never*, *didn't*, *instead of*.
    Clause,
    /// The noun phrase that follows: *no*.
    Noun,
}

/// Words that take out what follows them, besides those that negate.
const EXCEPTING: [&str; 5] = ["except", "excluding", "excepting", "unlike", "minus"];

/// Verbs that deny what follows, by their first letters.
const EXCLUDING: [&str; 10] =
    ["lack", "refus", "reject", "deni", "deny", "avoid", "exclud", "omit", "abandon", "forgo"];

/// Pairs of words that deny.
const PAIRS: [(&str, &str); 9] = [
    ("instead", "of"),
    ("rather", "than"),
    ("far", "from"),
    ("apart", "from"),
    ("aside", "from"),
    ("other", "than"),
    ("yet", "to"),
    ("no", "longer"),
    ("no", "one"),
];

/// Words behind `not` that take the denial away.
const NOT_BUT: [&str; 4] = ["only", "just", "merely", "simply"];

/// Words behind `no` that do.
const NO_BUT: [&str; 4] = ["doubt", "question", "wonder", "surprise"];

/// How many words make up the denial that opens with `word`, with `next` right behind it, and what it denies. Words in lower
/// case, with their apostrophes or without.
///
/// ```
/// use probare_nlp::reading::{Denial, denial};
///
/// assert_eq!(denial("not", Some("a")), Some((1, Denial::Clause)));
/// assert_eq!(denial("not", Some("only")), None);
/// assert_eq!(denial("rather", Some("than")), Some((2, Denial::Clause)));
/// assert_eq!(denial("no", Some("work")), Some((1, Denial::Noun)));
/// ```
pub fn denial(word: &str, next: Option<&str>) -> Option<(usize, Denial)> {
    if PAIRS.iter().any(|(first, second)| *first == word && Some(*second) == next) {
        return Some((2, Denial::Clause));
    }
    let is_before = |list: &[&str]| next.is_some_and(|next| list.contains(&next));
    match word {
        "no" if is_before(&NO_BUT) => None,
        // What opens with `No,` denies what was asked, not the words behind it.
        "no" => next.map(|_| (1, Denial::Noun)),
        _ if EXCEPTING.contains(&word) => Some((1, Denial::Clause)),
        _ if sorts(word).has(Sort::Negating) || is_contracted_denial(word) => {
            let is_taken_back = (word == "not" || is_contracted_denial(word)) && is_before(&NOT_BUT);
            (!is_taken_back).then_some((1, Denial::Clause))
        }
        _ => None,
    }
}

/// Whether a word says of its subject that it is not there, or not any more.
fn is_gone(word: &str) -> bool {
    matches!(word, "missing" | "absent" | "cancelled" | "canceled" | "dropped" | "scrapped")
        || matches!(word, "banned" | "forbidden" | "prohibited")
        || word.len() > 5 && word.ends_with("-free")
}

/// Whether a word denies by its meaning: a verb as `lack` and `refuse`, what is `missing` or `dropped`, `fish-free`.
pub(super) fn denies_by_meaning(word: &str) -> bool {
    is_gone(word) || exclusion(word).is_some()
}

/// The beginning by which a word is a verb that denies what follows, as `lack` and `refuse` do.
pub fn exclusion(word: &str) -> Option<&'static str> {
    EXCLUDING.into_iter().find(|stem| word.starts_with(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_back_denies_nothing() {
        assert_eq!(denial("no", Some("doubt")), None);
        assert_eq!(denial("didn't", Some("just")), None);
        assert_eq!(denial("no", None), None, "a lone no answers");
        assert_eq!(denial("no", Some("longer")), Some((2, Denial::Clause)));
        assert_eq!(denial("wasnt", Some("seen")), Some((1, Denial::Clause)));
        assert_eq!(denial("except", None), Some((1, Denial::Clause)));
        assert_eq!(denial("river", Some("not")), None);
        assert_eq!(exclusion("refused"), Some("refus"));
        assert_eq!(exclusion("river"), None);
    }
}
