//! Words that name the same thing: forms of one word, words of one family, and what the lexicon lists together.

use probare_english::lexicon::{self, LexicalRole};
use probare_text::wordnet::{PartOfSpeech, WordNet};

/// The words that a word may be a form of, itself first.
pub(in super::super) fn lemmas(word: &str) -> Vec<String> {
    let mut found = vec![word.to_owned()];
    let wordnet = WordNet::embedded();
    for part in [PartOfSpeech::Noun, PartOfSpeech::Verb, PartOfSpeech::Adjective] {
        for form in wordnet.base_forms(word, part) {
            if !found.contains(&form) {
                found.push(form);
            }
        }
    }
    found
}

/// The first name of what the lexicon knows by this one, such as `phone` for `mobile`.
pub(in super::super) fn slot_name(word: &str) -> Option<&'static str> {
    lexicon::word_lemma(LexicalRole::Slot, word)
}

/// Whether two words name the same thing: they are forms of one word, of one family, or listed together.
pub(in super::super) fn is_related(left: &str, right: &str) -> bool {
    if left == right {
        return true;
    }
    if let (Some(one), Some(other)) = (slot_name(left), slot_name(right)) {
        return one == other;
    }
    let (left_forms, right_forms) = (lemmas(left), lemmas(right));
    let shares = |words: &[String], others: &[String]| words.iter().any(|word| others.contains(word));
    let derived = |word: &str| WordNet::embedded().derived_words(word);
    shares(&left_forms, &right_forms) || shares(&derived(left), &right_forms) || shares(&derived(right), &left_forms)
}

/// The words of a name of a tool or an argument: cut at marks and where a capital follows a small letter.
pub(in super::super) fn name_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut was_small = false;
    let mut is_open = false;
    for sign in name.chars() {
        if !sign.is_alphanumeric() {
            (is_open, was_small) = (false, false);
            continue;
        }
        if !is_open || sign.is_uppercase() && was_small {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(sign.to_lowercase());
        }
        (is_open, was_small) = (true, sign.is_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words() {
        assert_eq!(name_words("sendEmail"), ["send", "email"]);
        assert_eq!(name_words("calendar.create_event-v2"), ["calendar", "create", "event", "v2"]);
        assert_eq!(name_words("HTTPGet"), ["httpget"]);
        assert_eq!(name_words("_"), [""; 0]);
    }

    #[test]
    fn words_of_one_thing_are_related() {
        for (left, right) in [
            ("booking", "book"),
            ("allergies", "allergic"),
            ("mobile", "telephone"),
            ("guest", "people"),
            ("rooms", "room"),
        ] {
            assert!(is_related(left, right), "{left} {right}");
        }
        for (left, right) in [("room", "price"), ("adults", "children"), ("order", "customer")] {
            assert!(!is_related(left, right), "{left} {right}");
        }
    }
}
