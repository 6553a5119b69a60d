//! [`PackedMap`]: short words, packed into numbers, to their places in a vocabulary.

use probare_text::tokens::synthlink::Packed;

use super::vocabulary::WordId;

/// A table with open addressing: the place of a word follows from its number, and a word whose place is taken stands in the
/// next one that is free.
///
/// Nearly all the time of the measures goes into finding words, and here a word that is known costs one multiplication
/// and, as a rule, one comparison. That is also why this is no map of the standard library.
#[derive(Debug, Default)]
pub(super) struct PackedMap {
    /// Words and their ids. The length is a power of two, and at least half of the places are free, so that a search ends.
    places: Vec<Option<(Packed, WordId)>>,
    count: usize,
}

/// Places of the first table.
const FIRST_PLACES: usize = 1024;

impl PackedMap {
    /// The id of a word.
    #[inline]
    pub fn get(&self, word: Packed) -> Option<WordId> {
        let mut place = self.first_place(word);
        loop {
            match self.places.get(place)? {
                Some((found, id)) if *found == word => return Some(*id),
                Some(_) => place = self.wrapped(place + 1),
                None => return None,
            }
        }
    }

    /// Adds a word that is not there.
    pub fn insert(&mut self, word: Packed, id: WordId) {
        if 2 * (self.count + 1) > self.places.len() {
            let places = (2 * self.places.len()).max(FIRST_PLACES);
            for (word, id) in std::mem::replace(&mut self.places, vec![None; places]).into_iter().flatten() {
                self.put(word, id);
            }
        }
        self.put(word, id);
        self.count += 1;
    }

    fn put(&mut self, word: Packed, id: WordId) {
        let mut place = self.first_place(word);
        while self.places[place].is_some() {
            place = self.wrapped(place + 1);
        }
        self.places[place] = Some((word, id));
    }

    /// Where the search for a word begins.
    #[inline]
    const fn first_place(&self, word: Packed) -> usize {
        self.wrapped((word.mixed() >> 32) as usize)
    }

    #[inline]
    const fn wrapped(&self, place: usize) -> usize {
        place & self.places.len().wrapping_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_again_after_the_table_has_grown() {
        let word = |number: u32| Packed::new(format!("{number:x}word{number}").as_bytes()).unwrap();
        let mut map = PackedMap::default();
        assert_eq!(map.get(word(7)), None);
        for number in 0..20_000 {
            map.insert(word(number), number);
        }
        assert!((0..20_000).all(|number| map.get(word(number)) == Some(number)));
        assert_eq!(map.get(word(20_000)), None);
        assert!(2 * map.count <= map.places.len());
    }
}
