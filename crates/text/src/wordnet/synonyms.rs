//! Synonyms without regard to meaning: all words that share some synset with a word.

use std::collections::BTreeSet;

use super::net::key;
use super::{PartOfSpeech, WordNet};

impl WordNet {
    /// All words that share a meaning with `value` or its base forms in any part of speech, in lower case, without the
    /// value itself, sorted by code point.
    ///
    /// No sense is chosen: `car` gives `machine` as well as `gondola`. A collocation is looked up as a whole.
    pub fn synonyms(&self, value: &str) -> Vec<String> {
        let key = key(value);
        let form = self.form(&key);
        let mut lemmas = BTreeSet::new();
        for part in PartOfSpeech::ALL {
            for synset in form.synsets(part) {
                lemmas.extend(self.words_of(synset).iter().map(|word| word.lemma));
            }
        }
        if let Some(own) = form.lemma() {
            lemmas.remove(&own);
        }
        let mut names: Vec<String> = lemmas.into_iter().map(|lemma| self.lemma_name(lemma)).collect();
        // Lemmas are in order with underscores, which stand elsewhere among the letters than spaces do.
        names.sort_unstable();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_the_kind_of_space_do_not_matter() {
        let wordnet = WordNet::embedded();
        assert_eq!(wordnet.synonyms("ice cream"), ["icecream"]);
        assert_eq!(wordnet.synonyms(" Ice_Cream\n"), ["icecream"]);
    }

    #[test]
    fn unknown_and_empty_words_have_none() {
        let wordnet = WordNet::embedded();
        for word in ["", " ", "_", "xyzzyq", "HavHøst", "\u{130}", "\0"] {
            assert_eq!(wordnet.synonyms(word), Vec::<String>::new(), "{word:?}");
        }
    }
}
