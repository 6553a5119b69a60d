//! [`PackedMap`]: short words, packed into numbers, to their places in a vocabulary.

use probare_text::tokens::synthlink::{Packed, UNKNOWN};

use super::vocabulary::WordId;

/// A table with open addressing: the place of a word follows from its number, and a word whose place is taken stands in the
/// next one that is free.
///
/// Nearly all the time of the measures goes into finding words, and here a word that is known costs one multiplication
/// and, as a rule, one comparison. That is also why this is no map of the standard library. It begins small, since a metric
/// makes one for each case.
#[derive(Debug)]
pub(super) struct PackedMap {
    /// The length is a power of two, and at least half of the places are free, so that a search ends.
    places: Vec<Place>,
    count: usize,
}

/// A word and its id.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// No word where the place is free.
    word: Packed,
    id: WordId,
}

impl Place {
    const FREE: Self = Self { word: Packed::NONE, id: UNKNOWN };
}

/// Places of the first table.
const FIRST_PLACES: usize = 256;

impl Default for PackedMap {
    fn default() -> Self {
        Self { places: vec![Place::FREE; FIRST_PLACES], count: 0 }
    }
}

impl PackedMap {
    /// The id of a word, or [`UNKNOWN`].
    pub fn get(&self, word: Packed) -> WordId {
        find(&self.places, word)
    }

    /// Where words are looked for, with [`find`].
    #[inline]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Adds a word that is not there.
    pub fn insert(&mut self, word: Packed, id: WordId) {
        if 2 * (self.count + 1) > self.places.len() {
            let larger = vec![Place::FREE; 4 * self.places.len()];
            for place in std::mem::replace(&mut self.places, larger) {
                if !place.word.is_none() {
                    self.put(place);
                }
            }
        }
        self.put(Place { word, id });
        self.count += 1;
    }

    fn put(&mut self, place: Place) {
        let last = self.places.len() - 1;
        let mut at = first_place(place.word) & last;
        while !self.places[at].word.is_none() {
            at = (at + 1) & last;
        }
        self.places[at] = place;
    }
}

/// The id of a word, or [`UNKNOWN`].
#[inline]
pub(super) fn find(places: &[Place], word: Packed) -> WordId {
    let at = first_place(word) & places.len().wrapping_sub(1);
    match places.get(at) {
        Some(found) if found.word == word => found.id,
        _ => find_behind(places, at, word),
    }
}

/// The id of a word that does not stand at its first place.
#[inline(never)]
fn find_behind(places: &[Place], mut at: usize, word: Packed) -> WordId {
    while let Some(found) = places.get(at) {
        // A free place has no id.
        if found.word == word || found.word.is_none() {
            return found.id;
        }
        at = (at + 1) & (places.len() - 1);
    }
    UNKNOWN
}

/// Where the search for a word begins, in a table without an end.
#[inline]
const fn first_place(word: Packed) -> usize {
    (word.mixed() >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_again_after_the_table_has_grown() {
        let word = |number: u32| Packed::new(&format!("{number:x}word{number}")).unwrap();
        let mut map = PackedMap::default();
        assert_eq!(map.get(word(7)), UNKNOWN);
        for number in 0..20_000 {
            map.insert(word(number), number);
        }
        assert!((0..20_000).all(|number| map.get(word(number)) == number));
        assert_eq!(map.get(word(20_000)), UNKNOWN);
        assert!(2 * map.count <= map.places.len());
    }
}
