//! The closed lists of English words that the judgement rests on, from `data/answers/words.yaml`.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Deserializer};

/// The lists of the file, which says of each what its words are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordLists {
    #[serde(deserialize_with = "word_set")]
    function_words: FxHashSet<String>,
    #[serde(deserialize_with = "word_set")]
    titles: FxHashSet<String>,
    #[serde(deserialize_with = "word_set")]
    class_nouns: FxHashSet<String>,
    #[serde(deserialize_with = "word_set")]
    particles: FxHashSet<String>,
    #[serde(deserialize_with = "word_set")]
    abbreviated: FxHashSet<String>,
    #[serde(deserialize_with = "word_set")]
    yes_no_openings: FxHashSet<String>,
    #[serde(deserialize_with = "word_set")]
    times: FxHashSet<String>,
    #[serde(deserialize_with = "word_set")]
    sizes: FxHashSet<String>,
    #[serde(deserialize_with = "word_set")]
    numbers: FxHashSet<String>,
    abbreviations: FxHashMap<String, String>,
    first_names: FxHashMap<String, String>,
}

fn word_set<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FxHashSet<String>, D::Error> {
    Ok(String::deserialize(deserializer)?.split_whitespace().map(str::to_owned).collect())
}

static LISTS: LazyLock<WordLists> = LazyLock::new(|| {
    serde_saphyr::from_str(include_str!("../../../data/answers/words.yaml")).expect("a test reads the words")
});

/// Whether a folded word carries no content of its own.
pub(crate) fn is_function_word(word: &str) -> bool {
    LISTS.function_words.contains(word)
}

/// Whether it is a title, a rank or a profession that may stand beside a name.
pub(crate) fn is_title(word: &str) -> bool {
    LISTS.titles.contains(word)
}

/// Whether it names a class of things, as `river` does.
pub(crate) fn is_class_noun(word: &str) -> bool {
    LISTS.class_nouns.contains(word)
}

/// Whether it is a small word inside names, as `van` is.
pub(crate) fn is_particle(word: &str) -> bool {
    LISTS.particles.contains(word)
}

/// Whether a full stop behind it ends no sentence.
pub(crate) fn is_abbreviated(word: &str) -> bool {
    LISTS.abbreviated.contains(word)
}

/// Whether a question that begins with it asks for yes or no.
pub(crate) fn opens_yes_no_question(word: &str) -> bool {
    LISTS.yes_no_openings.contains(word)
}

/// Whether a question for it, as for the `year`, asks for a point in time.
pub(crate) fn is_time(word: &str) -> bool {
    LISTS.times.contains(word)
}

/// Whether a question how `many`, `tall` or the like asks for a number.
pub(crate) fn is_size(word: &str) -> bool {
    LISTS.sizes.contains(word)
}

/// Whether a question for it, as for the `height`, asks for a number.
pub(crate) fn is_number(word: &str) -> bool {
    LISTS.numbers.contains(word)
}

/// Letters of the longest abbreviation that has a long form.
pub(crate) const LONGEST_ABBREVIATION: usize = 6;

/// The long form of an abbreviation, or the word itself.
pub(crate) fn long_form(word: &str) -> &str {
    LISTS.abbreviations.get(word).map_or(word, String::as_str)
}

/// The full form of a short first name, or the word itself.
pub(crate) fn full_first_name(word: &str) -> &str {
    LISTS.first_names.get(word).map_or(word, String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_stay_what_they_are() {
        assert_eq!(long_form("mt"), "mount");
        assert_eq!(long_form("paris"), "paris");
        assert_eq!(full_first_name("bob"), "robert");
        assert_eq!(LISTS.abbreviations.keys().map(String::len).max(), Some(LONGEST_ABBREVIATION));
        assert!(is_function_word("the") && !is_function_word("river"));
    }
}
