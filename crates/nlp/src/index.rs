//! A read-only map from 32-bit keys to 32-bit values, laid out in key order.
//!
//! A key's home grows with the key, so a table filled in key order is written front to back: building one with a million
//! entries takes a few milliseconds, which is what makes loading the model cheap. Looking up reads one cache line.

use crate::ModelError;
use crate::bytes::Reader;
#[cfg(any(test, feature = "train"))]
use crate::bytes::Writer;

/// Value of an empty slot; a stored value is never this.
const EMPTY: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u32,
    value: u32,
}

const FREE: Slot = Slot { key: 0, value: EMPTY };

/// See the module's documentation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    slots: Vec<Slot>,
    homes: u32,
    /// Says of most keys that they are not there, from memory that stays near the processor.
    filter: Filter,
}

/// One bit for every eight or more bits of a table: the key's bit is set if the key is there, and seldom otherwise.
#[derive(Debug, Clone, Default)]
struct Filter {
    /// A power of two of them, or none.
    bits: Vec<u64>,
}

impl Filter {
    /// Nothing is there yet; so many keys will come.
    fn new(keys: usize) -> Self {
        Self { bits: vec![0; (keys / 8 + 1).next_power_of_two()] }
    }

    /// Which word holds the bit of a key, and which bit it is. The middle of the key decides: its upper bits are the
    /// home, and neighbours in the table must not share their bits.
    #[inline]
    fn place(&self, key: u32) -> (usize, u32) {
        let word = (key as usize >> 6) & self.bits.len().wrapping_sub(1);
        (word, key & 63)
    }

    fn insert(&mut self, key: u32) {
        let (word, bit) = self.place(key);
        if let Some(bits) = self.bits.get_mut(word) {
            *bits |= 1 << bit;
        }
    }

    /// Whether a key may be there.
    #[inline]
    fn may_have(&self, key: u32) -> bool {
        let (word, bit) = self.place(key);
        self.bits.get(word).is_some_and(|bits| bits >> bit & 1 == 1)
    }
}

impl Index {
    /// Builds the table. Keys come in strictly ascending order, values are below `u32::MAX`.
    pub(crate) fn from_sorted(count: usize, entries: impl Iterator<Item = (u32, u32)>) -> Self {
        // Two thirds full: small enough to stay in the cache, and keys in order end a vain search early.
        let homes = u32::try_from(count + count / 2 + 1).unwrap_or(u32::MAX);
        let slots = Vec::with_capacity(homes as usize + 16);
        let mut index = Self { slots, homes, filter: Filter::new(count) };
        for (key, value) in entries {
            index.filter.insert(key);
            let place = index.home(key).max(index.slots.len());
            index.slots.resize(place, FREE);
            index.slots.push(Slot { key, value });
        }
        index
    }

    /// Where a key would be if no smaller one was in its way.
    #[inline]
    fn home(&self, key: u32) -> usize {
        ((u64::from(key) * u64::from(self.homes)) >> 32) as usize
    }

    /// The value of a key.
    #[inline]
    pub(crate) fn get(&self, key: u32) -> Option<u32> {
        let home = self.home(key);
        self.resolve(key, home, *self.slots.get(home)?)
    }

    /// The values of some keys that are there, in order, into `found`; returns how many. All homes are read before any
    /// is looked at: the processor then waits for many places of a large table at once instead of one after the other.
    #[inline]
    pub(crate) fn find_all(&self, keys: &[u32], found: &mut [u32; BATCH]) -> usize {
        let (mut likely, mut homes) = ([0; BATCH], [FREE; BATCH]);
        let mut likely_count = 0;
        for &key in keys.iter().take(BATCH) {
            // Written in any case and kept if it counts: a branch would be guessed wrong half the time.
            likely[likely_count] = key;
            likely_count += usize::from(self.filter.may_have(key));
        }
        let likely = &likely[..likely_count];
        for (slot, &key) in homes.iter_mut().zip(likely) {
            *slot = self.slots.get(self.home(key)).copied().unwrap_or(FREE);
        }
        let mut count = 0;
        for (slot, &key) in homes.iter().zip(likely) {
            if let Some(value) = self.resolve(key, self.home(key), *slot) {
                found[count] = value;
                count += 1;
            }
        }
        count
    }

    /// Goes on from a key's home to where the key is or is not.
    #[inline]
    fn resolve(&self, key: u32, home: usize, mut slot: Slot) -> Option<u32> {
        let mut place = home;
        // Keys ascend along the table, so a larger one ends the search as an empty slot does.
        while slot.value != EMPTY && slot.key <= key {
            if slot.key == key {
                return Some(slot.value);
            }
            place += 1;
            slot = *self.slots.get(place)?;
        }
        None
    }
}

/// How many keys are looked up together at most.
pub(crate) const BATCH: usize = 32;

/// Writes ascending keys as differences, which are small numbers.
#[cfg(any(test, feature = "train"))]
pub(crate) fn write_keys(writer: &mut Writer, keys: impl ExactSizeIterator<Item = u32>) {
    writer.count(keys.len());
    let mut previous = 0;
    for key in keys {
        writer.number(u64::from(key - previous));
        previous = key;
    }
}

/// Reads what [`write_keys`] wrote.
pub(crate) fn read_keys(reader: &mut Reader<'_>) -> Result<Vec<u32>, ModelError> {
    let count = reader.count()?;
    let mut keys = Vec::with_capacity(count);
    let mut previous: u32 = 0;
    for position in 0..count {
        let step = reader.small()?;
        if step == 0 && position > 0 {
            return Err(ModelError::UnorderedKeys);
        }
        previous = previous.checked_add(step).ok_or(ModelError::UnorderedKeys)?;
        keys.push(previous);
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_there_and_nothing_else() {
        let keys: Vec<u32> = (0..1000_u32).map(|number| number * 4_294_000).chain([u32::MAX - 1, u32::MAX]).collect();
        let index = Index::from_sorted(keys.len(), keys.iter().zip(0..).map(|(&key, value)| (key, value)));
        for (&key, value) in keys.iter().zip(0..) {
            assert_eq!(index.get(key), Some(value));
        }
        assert_eq!(index.get(1), None);
        assert_eq!(index.get(u32::MAX - 2), None);
        assert_eq!(Index::default().get(7), None);
        let mut found = [0; BATCH];
        assert_eq!(index.find_all(&[keys[3], 1, keys[999]], &mut found), 2);
        assert_eq!(found[..2], [3, 999]);
    }

    #[test]
    fn keys_survive_the_disk() {
        let keys = [0, 1, 500, u32::MAX];
        let mut writer = Writer::default();
        write_keys(&mut writer, keys.iter().copied());
        let bytes = writer.finish();
        assert_eq!(read_keys(&mut Reader::new(&bytes)).unwrap(), keys);
    }
}
