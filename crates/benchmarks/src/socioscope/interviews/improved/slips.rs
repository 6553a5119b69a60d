//! Slips of the pen: a word that is none, one or two letters away from a value.

use probare_text::wordnet::WordNet;
use rustc_hash::FxHashMap;

use super::opposites::are_opposites;

/// Letters below which no word is a slip, and from which two edits are allowed.
const SHORTEST: usize = 4;
const LONG: usize = 8;

/// Letters above which a written word is not compared.
const LONGEST: usize = 40;

/// Where values may stand with a slip in them, as value and first word, in the order of the values and then of the words.
/// All slips are among them, and few other places.
///
/// Two words that are so many edits apart become the same when each loses at most as many letters, so words are found by
/// what is left of them, however many values there are.
pub(super) fn possible_slips(words: &[&str], values: &[Vec<String>], wordnet: &WordNet) -> Vec<(usize, usize)> {
    let mut known: FxHashMap<String, Vec<(usize, usize)>> = FxHashMap::default();
    for (value, form) in values.iter().enumerate() {
        for (offset, word) in form.iter().enumerate() {
            for rest in deletion_variants(word) {
                known.entry(rest).or_default().push((value, offset));
            }
        }
    }
    let mut places = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !may_slip(word, wordnet) {
            continue;
        }
        for (value, offset) in deletion_variants(word).iter().filter_map(|rest| known.get(rest)).flatten() {
            places.extend(at.checked_sub(*offset).map(|first| (*value, first)));
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}

/// What is left of a word when it loses as many letters as edits may be allowed, or fewer.
fn deletion_variants(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    // A written word of the greatest length may have lost two letters.
    if letters.len() < SHORTEST || letters.len() > LONGEST + 2 {
        return Vec::new();
    }
    let without = |first: usize, second: usize| -> String {
        let letters_left = letters.iter().enumerate().filter(|(at, _)| *at != first && *at != second);
        letters_left.map(|(_, letter)| *letter).collect()
    };
    let mut rests = vec![word.to_owned()];
    for first in 0..letters.len() {
        rests.push(without(first, first));
        if letters.len() >= LONG {
            rests.extend((first + 1..letters.len()).map(|second| without(first, second)));
        }
    }
    rests.sort_unstable();
    rests.dedup();
    rests
}

/// Whether a word may be a slip at all. One that WordNet knows is meant as it is written.
fn may_slip(written: &str, wordnet: &WordNet) -> bool {
    written.chars().count() >= SHORTEST
        && !written.contains(char::is_numeric)
        && wordnet.parts_of_speech(written).is_empty()
}

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

/// Whether one word is the other with a slip in it.
fn word_slips(written: &str, value: &str, wordnet: &WordNet) -> bool {
    let (letters, value_letters) = (written.chars().count(), value.chars().count());
    let shorter = letters.min(value_letters);
    let allowed = if shorter >= LONG { 2 } else { 1 };
    // A swap of neighbours is one edit.
    shorter >= SHORTEST
        && letters <= LONGEST
        && letters.abs_diff(value_letters) <= allowed
        && may_slip(written, wordnet)
        && strsim::osa_distance(written, value) <= allowed
        && !are_opposites(written, value, wordnet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_slip_is_overlooked() {
        let wordnet = WordNet::embedded();
        let values: Vec<Vec<String>> =
            ["salmon", "optimistic", "copenhagen", "wind energy", "solar", "employment agency", "fish", "aquaculture"]
                .iter()
                .map(|value| value.split(' ').map(str::to_owned).collect())
                .collect();
        let text = "salomn optimstic kopenhagen wimd enregy solra employmnet agnecy fihs aquacultrue aqaculure windenergy \
                    salmon sollar optimisticc oppttimistic copnehaegn emplyoment agency xwind energy solarr";
        let words: Vec<&str> = text.split(' ').collect();
        let mut all = Vec::new();
        for (value, form) in values.iter().enumerate() {
            let form_words: Vec<&str> = form.iter().map(String::as_str).collect();
            for at in 0..=words.len() - form_words.len() {
                if is_slip(&words[at..at + form_words.len()], &form_words, wordnet) {
                    all.push((value, at));
                }
            }
        }
        let possible = possible_slips(&words, &values, wordnet);
        assert!(all.len() >= 12, "{all:?}");
        assert!(all.iter().all(|place| possible.contains(place)), "{all:?} {possible:?}");
        assert!(possible.is_sorted());
    }

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
