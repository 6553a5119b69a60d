//! The hierarchy of meanings: what a meaning is a kind of.

use std::collections::{BTreeMap, VecDeque};

use super::{Synset, SynsetRelation, WordNet};

impl WordNet {
    /// The next more general meanings of a noun or verb; for a name, what it is an instance of. Usually one, for other
    /// parts of speech none.
    pub fn hypernyms(&self, synset: Synset) -> Vec<Synset> {
        self.targets(synset, &[SynsetRelation::Hypernym, SynsetRelation::InstanceHypernym])
    }

    /// A meaning and all that it is a kind of, with the number of steps to each.
    pub fn ancestors(&self, synset: Synset) -> BTreeMap<Synset, u32> {
        // A breadth-first walk that remembers where it was, because nothing in the files forbids a circle.
        let mut steps = BTreeMap::from([(synset, 0)]);
        let mut waiting = VecDeque::from([(synset, 0)]);
        while let Some((here, distance)) = waiting.pop_front() {
            for above in self.hypernyms(here) {
                steps.entry(above).or_insert_with(|| {
                    waiting.push_back((above, distance + 1));
                    distance + 1
                });
            }
        }
        steps
    }

    /// Whether `synset` is `general` or a kind of it.
    pub fn is_kind_of(&self, synset: Synset, general: Synset) -> bool {
        self.ancestors(synset).contains_key(&general)
    }

    fn targets(&self, synset: Synset, relations: &[SynsetRelation]) -> Vec<Synset> {
        let mut found = Vec::new();
        for pointer in self.pointers(synset) {
            if relations.contains(&pointer.relation) && !found.contains(&pointer.target) {
                found.push(pointer.target);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordnet::PartOfSpeech::{self, Noun};

    fn first(word: &str, part: PartOfSpeech) -> Synset {
        WordNet::embedded().synsets(word, part)[0]
    }

    fn name(synset: Option<Synset>) -> Option<String> {
        synset.and_then(|synset| WordNet::embedded().synset_name(synset))
    }

    #[test]
    fn dogs_and_cats_are_carnivores() {
        let wordnet = WordNet::embedded();
        let (dog, cat) = (first("dog", Noun), first("cat", Noun));
        let carnivore = first("carnivore", Noun);
        assert_eq!(
            (wordnet.ancestors(dog).get(&carnivore), wordnet.ancestors(cat).get(&carnivore)),
            (Some(&2), Some(&2))
        );
        assert!(wordnet.is_kind_of(dog, first("animal", Noun)));
        assert!(!wordnet.is_kind_of(first("animal", Noun), dog));
    }

    #[test]
    fn names_are_instances() {
        let wordnet = WordNet::embedded();
        let above: Vec<_> = wordnet.hypernyms(first("Denmark", Noun)).into_iter().map(|up| name(Some(up))).collect();
        assert_eq!(above, [Some("scandinavian_country.n.01".to_owned())]);
    }
}
