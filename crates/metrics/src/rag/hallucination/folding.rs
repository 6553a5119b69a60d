//! Words as claims compare them: lower-cased, possessives cut off, plurals led back to the singular.

use std::ops::Range;

use probare_cancellation::count_steps;
use probare_text::python;
use probare_text::wordnet::{PartOfSpeech, WordNet};

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoldedWord {
    /// Lower-cased, with an apostrophe inside where it has one.
    pub lower: String,
    /// The singular, where the word can be a plural; else the same.
    pub folded: String,
    /// Where it stands.
    pub span: Range<usize>,
}

/// The words of a text: runs of letters and digits, with the apostrophes between them.
pub(crate) fn folded_words(text: &str) -> Vec<FoldedWord> {
    let mut words = Vec::new();
    for_each_word(text, |lower, span| words.push(FoldedWord { folded: singular(&lower), lower, span }));
    words
}

/// Calls `found` with each word of a text, lower-cased, and its place.
pub(crate) fn for_each_word(text: &str, mut found: impl FnMut(String, Range<usize>)) {
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        if !python::is_word(character) {
            at += character.len_utf8();
            continue;
        }
        count_steps(8);
        let end = word_end(text, at);
        let span = at..at + without_possessive(&text[at..end]).len();
        let mut lower = python::lower(&text[span.clone()]);
        if lower.contains('’') {
            lower = lower.replace('’', "'");
        }
        found(lower, span);
        at = end;
    }
}

/// Where the word that starts at `at` ends. An apostrophe belongs to it when a letter follows.
fn word_end(text: &str, start: usize) -> usize {
    let mut at = start;
    let mut characters = text[start..].chars().peekable();
    while let Some(character) = characters.next() {
        count_steps(1);
        let goes_on = python::is_word(character)
            || (matches!(character, '\'' | '’') && characters.peek().is_some_and(|next| python::is_alpha(*next)));
        if !goes_on {
            break;
        }
        at += character.len_utf8();
    }
    at
}

fn without_possessive(word: &str) -> &str {
    ["'s", "’s", "'S", "’S"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word)
}

/// Plurals without an s.
const IRREGULAR: [(&str, &str); 24] = [
    ("alumni", "alumnus"),
    ("bacteria", "bacterium"),
    ("brethren", "brother"),
    ("businessmen", "businessman"),
    ("cacti", "cactus"),
    ("children", "child"),
    ("chairmen", "chairman"),
    ("criteria", "criterion"),
    ("feet", "foot"),
    ("fishermen", "fisherman"),
    ("fungi", "fungus"),
    ("geese", "goose"),
    ("grandchildren", "grandchild"),
    ("lice", "louse"),
    ("men", "man"),
    ("mice", "mouse"),
    ("nuclei", "nucleus"),
    ("oxen", "ox"),
    ("phenomena", "phenomenon"),
    ("stimuli", "stimulus"),
    ("strata", "stratum"),
    ("teeth", "tooth"),
    ("women", "woman"),
    ("workmen", "workman"),
];

/// The singular of a lower-cased word, as far as a noun it could be has one. Both sides of a comparison go through
/// here, so a fold that is no English word does no harm.
pub(crate) fn singular(word: &str) -> String {
    if !word.ends_with('s') {
        let irregular = IRREGULAR.iter().find(|(plural, _)| *plural == word);
        return irregular.map_or(word, |(_, singular)| singular).to_owned();
    }
    // The word itself comes first where it is a lemma (`glasses`); what it may be a plural of comes last.
    if let Some(base) = WordNet::embedded().base_forms(word, PartOfSpeech::Noun).pop() {
        return base;
    }
    by_ending(word)
}

/// For words that WordNet does not know: names, and nouns younger than it.
fn by_ending(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    if let Some(stem) = word.strip_suffix("es")
        && ["s", "x", "z", "ch", "sh"].iter().any(|ending| stem.ends_with(ending))
    {
        return stem.to_owned();
    }
    let is_plural = word.len() > 3 && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    word.strip_suffix('s').filter(|_| is_plural).unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_meet_their_singular() {
        for (plural, one) in [
            ("workers", "worker"),
            ("prizes", "prize"),
            ("companies", "company"),
            ("startups", "startup"),
            ("women", "woman"),
            ("analyses", "analysis"),
            ("glasses", "glass"),
            ("buses", "bus"),
            ("skyscanners", "skyscanner"),
        ] {
            assert_eq!(singular(plural), singular(one), "{plural}");
        }
        assert_eq!(singular("celsius"), "celsius");
    }

    #[test]
    fn possessives_are_cut_off_and_negations_kept() {
        let found = folded_words("Google’s plan didn't suit Siemens' board: x'");
        let lowered: Vec<&str> = found.iter().map(|word| word.lower.as_str()).collect();
        assert_eq!(lowered, ["google", "plan", "didn't", "suit", "siemens", "board", "x"]);
        assert_eq!(found[0].span, 0..6);
    }
}
