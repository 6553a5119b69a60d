//! The hierarchy of meanings: what a meaning is a kind of, and how far two meanings are apart.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use super::{Relation, Synset, WordNet};

impl WordNet {
    /// The meanings that a relation leads to from a meaning or any of its words, in WordNet's order, each once.
    pub fn related(&self, synset: Synset, relation: Relation) -> Vec<Synset> {
        self.targets(synset, &[relation])
    }

    /// The next more general meanings of a noun or verb; for a name, what it is an instance of. Usually one, for other
    /// parts of speech none.
    pub fn hypernyms(&self, synset: Synset) -> Vec<Synset> {
        self.targets(synset, &[Relation::Hypernym, Relation::InstanceHypernym])
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

    /// The fewest steps from one meaning up to something both are a kind of, and down to the other. `None` when there
    /// is nothing: between parts of speech, among adjectives, between the many trees of verbs.
    pub fn path_distance(&self, left: Synset, right: Synset) -> Option<u32> {
        let right = self.ancestors(right);
        let left = self.ancestors(left);
        left.iter().filter_map(|(synset, steps)| right.get(synset).map(|others| steps + others)).min()
    }

    /// The most specific meaning that both are a kind of: the one with the longest way up to a root; among equals the
    /// one nearest to both.
    pub fn lowest_common_hypernym(&self, left: Synset, right: Synset) -> Option<Synset> {
        let right = self.ancestors(right);
        let mut common = self.ancestors(left);
        common.retain(|synset, steps| {
            right.get(synset).is_some_and(|others| {
                *steps += others;
                true
            })
        });
        let depths = self.depths(common.keys().copied());
        common
            .into_iter()
            .min_by_key(|(synset, distance)| (Reverse(depths.get(synset).copied()), *distance, *synset))
            .map(|(synset, _)| synset)
    }

    /// The most steps up to a meaning that has nothing above it; `None` for a meaning in or below a circle.
    pub fn depth(&self, synset: Synset) -> Option<u32> {
        self.depths(self.ancestors(synset).into_keys()).remove(&synset)
    }

    /// The depths of meanings that come together with everything above them.
    fn depths(&self, synsets: impl Iterator<Item = Synset>) -> BTreeMap<Synset, u32> {
        // From the roots down: a meaning gets its depth once all those right above it have theirs.
        let mut unknown_above = BTreeMap::new();
        let mut below: BTreeMap<Synset, Vec<Synset>> = BTreeMap::new();
        let mut depths = BTreeMap::new();
        let mut waiting = VecDeque::new();
        for synset in synsets {
            let above = self.hypernyms(synset);
            if above.is_empty() {
                depths.insert(synset, 0);
                waiting.push_back((synset, 0));
            }
            unknown_above.insert(synset, above.len());
            for up in above {
                below.entry(up).or_default().push(synset);
            }
        }
        while let Some((synset, depth)) = waiting.pop_front() {
            // Breadth first, so that the last of those above to be reached is the deepest.
            for down in below.remove(&synset).unwrap_or_default() {
                let Some(unknown) = unknown_above.get_mut(&down) else { continue };
                *unknown = unknown.saturating_sub(1);
                if *unknown == 0 {
                    depths.insert(down, depth + 1);
                    waiting.push_back((down, depth + 1));
                }
            }
        }
        depths
    }

    fn targets(&self, synset: Synset, relations: &[Relation]) -> Vec<Synset> {
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
    use crate::wordnet::PartOfSpeech::{self, Adjective, Noun, Verb};

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
        assert_eq!(name(wordnet.lowest_common_hypernym(dog, cat)).as_deref(), Some("carnivore.n.01"));
        assert_eq!(wordnet.path_distance(dog, cat), Some(4));
        assert_eq!(wordnet.path_distance(dog, dog), Some(0));
        assert_eq!(wordnet.lowest_common_hypernym(dog, dog), Some(dog));
        assert!(wordnet.is_kind_of(dog, first("animal", Noun)));
        assert!(!wordnet.is_kind_of(first("animal", Noun), dog));
    }

    #[test]
    fn names_are_instances() {
        let wordnet = WordNet::embedded();
        let above: Vec<_> = wordnet.hypernyms(first("Denmark", Noun)).into_iter().map(|up| name(Some(up))).collect();
        assert_eq!(above, [Some("scandinavian_country.n.01".to_owned())]);
    }

    #[test]
    fn meanings_without_a_common_root_have_no_distance() {
        let wordnet = WordNet::embedded();
        assert_eq!(wordnet.path_distance(first("dog", Noun), first("run", Verb)), None);
        assert_eq!(wordnet.lowest_common_hypernym(first("big", Adjective), first("small", Adjective)), None);
    }

    #[test]
    fn every_walk_upwards_ends_at_a_root() {
        let wordnet = WordNet::embedded();
        // No way up in WordNet 3.0 is longer than 19 steps.
        for synset in wordnet.all_synsets().step_by(41) {
            assert!(wordnet.depth(synset).is_some_and(|depth| depth <= 19), "{:?}", name(Some(synset)));
        }
    }

    #[test]
    fn adjectives_lead_to_similar_ones() {
        let wordnet = WordNet::embedded();
        let similar = wordnet.related(first("happy", Adjective), Relation::Similar);
        assert!(similar.iter().all(|synset| wordnet.is_satellite(*synset)) && similar.len() == 5);
    }
}
