//! [`PackedMap`]: short words, packed into numbers, to their places in a vocabulary.

use probare_text::tokens::synthlink::{Packed, UNKNOWN};
use rustc_hash::FxHashMap;

use super::vocabulary::WordId;

/// A table with open addressing: the place of a word follows from its number, and a word whose place is taken stands in the
/// next one that is free.
///
/// Nearly all the time of the measures goes into finding words, and here a word that is known costs one multiplication
/// and, as a rule, one comparison. That is also why this is no map of the standard library. The table has a fixed size, so
/// that no place needs to be checked; words that come when it is half full go into such a map.
#[derive(Debug)]
pub(super) struct PackedMap {
    places: Box<Places>,
    count: usize,
    others: FxHashMap<Packed, WordId>,
}

/// At least half of them are free, so that a search ends.
pub(super) type Places = [Place; PLACES];

const PLACES: usize = 1 << 14;

/// A word and its id.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// No word where the place is free.
    word: Packed,
    id: WordId,
}

impl Default for PackedMap {
    fn default() -> Self {
        let free = Place { word: Packed::default(), id: UNKNOWN };
        let places = vec![free; PLACES].try_into().expect("as many as were asked for");
        Self { places, count: 0, others: FxHashMap::default() }
    }
}

impl PackedMap {
    /// The id of a word, or [`UNKNOWN`].
    pub fn get(&self, word: Packed) -> WordId {
        match find(&self.places, word) {
            UNKNOWN => self.others.get(&word).copied().unwrap_or(UNKNOWN),
            id => id,
        }
    }

    /// The words that came first.
    #[inline]
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Adds a word that is not there.
    pub fn insert(&mut self, word: Packed, id: WordId) {
        if 2 * (self.count + 1) > PLACES {
            self.others.insert(word, id);
            return;
        }
        let mut place = first_place(word);
        while !self.places[place].word.is_none() {
            place = (place + 1) % PLACES;
        }
        self.places[place] = Place { word, id };
        self.count += 1;
    }
}

/// The id of a word, or [`UNKNOWN`].
#[inline]
pub(super) fn find(places: &Places, word: Packed) -> WordId {
    let place = first_place(word);
    let found = &places[place];
    if found.word == word { found.id } else { find_behind(places, place, word) }
}

/// The id of a word that does not stand at its first place.
#[inline(never)]
fn find_behind(places: &Places, mut place: usize, word: Packed) -> WordId {
    loop {
        let found = &places[place];
        // A free place has no id.
        if found.word == word || found.word.is_none() {
            return found.id;
        }
        place = (place + 1) % PLACES;
    }
}

/// Where the search for a word begins.
#[inline]
const fn first_place(word: Packed) -> usize {
    (word.mixed() >> 32) as usize % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_again_also_when_the_table_is_full() {
        let word = |number: u32| Packed::new(&format!("{number:x}word{number}")).unwrap();
        let mut map = PackedMap::default();
        assert_eq!(map.get(word(7)), UNKNOWN);
        for number in 0..20_000 {
            map.insert(word(number), number);
        }
        assert!((0..20_000).all(|number| map.get(word(number)) == number));
        assert_eq!(map.get(word(20_000)), UNKNOWN);
        assert_eq!((2 * map.count, map.others.len()), (PLACES, 20_000 - PLACES / 2));
    }
}
