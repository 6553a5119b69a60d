//! Relations between words rather than meanings: opposites and word families.

use std::collections::BTreeSet;

use super::entries::Lemma;
use super::net::key;
use super::recent::{self, Question};
use super::{PartOfSpeech, SynsetRelation, WordNet};

impl WordNet {
    /// The direct opposites of a word or its base forms in all meanings, sorted by code point.
    pub fn antonyms(&self, word: &str) -> Vec<String> {
        recent::answer(self, Question::Antonyms, word, || {
            self.names(&self.word_pointers(word, &[SynsetRelation::Antonym]))
        })
    }

    /// The words of the same family in other meanings or parts of speech, sorted by code point: for `quickly` the
    /// adjective it is made from, for `teach` the teacher, the teaching.
    pub fn derived_words(&self, word: &str) -> Vec<String> {
        const RELATIONS: [SynsetRelation; 3] =
            [SynsetRelation::Derivation, SynsetRelation::Pertainym, SynsetRelation::Participle];
        recent::answer(self, Question::DerivedWords, word, || self.names(&self.word_pointers(word, &RELATIONS)))
    }

    /// Whether one word, or a base form of it, is a direct opposite of the other in some meaning. The order does not
    /// matter; a word that WordNet does not know is nobody's opposite.
    pub fn is_antonym(&self, left: &str, right: &str) -> bool {
        self.points_to(left, right) || self.points_to(right, left)
    }

    fn points_to(&self, from: &str, to: &str) -> bool {
        let opposites = self.word_pointers(from, &[SynsetRelation::Antonym]);
        if opposites.is_empty() {
            return false;
        }
        let key = key(to);
        let form = self.form(&key);
        PartOfSpeech::ALL
            .into_iter()
            .any(|part| form.base_lemmas(part).iter().any(|lemma| opposites.contains(&(part, *lemma))))
    }

    /// Where pointers of these relations lead from the word itself, in all meanings of its base forms.
    fn word_pointers(&self, word: &str, relations: &[SynsetRelation]) -> BTreeSet<(PartOfSpeech, Lemma)> {
        let key = key(word);
        let form = self.form(&key);
        let mut targets = BTreeSet::new();
        for part in PartOfSpeech::ALL {
            for lemma in form.base_lemmas(part) {
                for sense in self.senses_of(lemma, part) {
                    let Some(record) = self.record(sense.synset) else { continue };
                    for pointer in record.pointers.iter().filter(|pointer| relations.contains(&pointer.relation)) {
                        let Some((here, there)) = pointer.words else { continue };
                        if record.words.get(here).is_none_or(|word| word.lemma != lemma) {
                            continue;
                        }
                        if let Some(target) = self.record(pointer.target)
                            && let Some(word) = target.words.get(there)
                        {
                            targets.insert((target.category.part_of_speech(), word.lemma));
                        }
                    }
                }
            }
        }
        targets
    }

    fn names(&self, words: &BTreeSet<(PartOfSpeech, Lemma)>) -> Vec<String> {
        let names: BTreeSet<String> = words.iter().map(|(_, lemma)| self.lemma_name(*lemma)).collect();
        names.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_are_direct_and_know_inflected_forms() {
        let wordnet = WordNet::embedded();
        assert_eq!(wordnet.antonyms("happy"), ["unhappy"]);
        assert_eq!(wordnet.antonyms("hotter"), ["cold"]);
        assert!(wordnet.is_antonym("increased", "decrease"));
        assert!(wordnet.is_antonym("decrease", "increased"));
        assert!(!wordnet.is_antonym("hot", "warm"));
        assert!(!wordnet.is_antonym("xyzzyq", "hot"));
        assert_eq!(wordnet.antonyms("bicycle"), Vec::<String>::new());
    }

    #[test]
    fn families_cross_parts_of_speech() {
        let wordnet = WordNet::embedded();
        assert_eq!(wordnet.derived_words("quickly"), ["quick"]);
        assert_eq!(wordnet.derived_words("teacher"), ["teach", "teachership"]);
        assert!(wordnet.derived_words("teach").contains(&"teacher".to_owned()));
    }
}
