//! A read-only map from 32-bit keys to 32-bit values, laid out in key order.
//!
//! A key's home grows with the key, so a table filled in key order is written front to back: building one with a million
//! entries takes a few milliseconds, which is what makes loading the model cheap. Looking up reads one cache line.

use crate::ModelFileError;
use crate::bytes::ByteReader;
use crate::bytes::ByteWriter;

/// Value of an empty slot; a stored value is never this.
pub const EMPTY: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u32,
    value: u32,
}

/// No key is larger than that of an empty slot, so that a search along ascending keys ends there.
const FREE: Slot = Slot { key: u32::MAX, value: EMPTY };

/// See the module's documentation.
#[derive(Debug, Clone, Default)]
pub struct KeyIndex {
    slots: Vec<Slot>,
    homes: u32,
}

impl KeyIndex {
    /// Builds the table. Keys come in strictly ascending order, values are below `u32::MAX`.
    pub fn from_sorted(count: usize, entries: impl Iterator<Item = (u32, u32)>) -> Self {
        // Two thirds full: small enough to stay in the cache, and keys in order end a vain search early.
        let homes = u32::try_from(count + count / 2 + 1).unwrap_or(u32::MAX);
        let slots = Vec::with_capacity(homes as usize + 16);
        let mut index = Self { slots, homes };
        for (key, value) in entries {
            let place = index.home_place(key).max(index.slots.len());
            index.slots.resize(place, FREE);
            index.slots.push(Slot { key, value });
        }
        index
    }

    /// Where a key would be if no smaller one was in its way.
    #[inline]
    fn home_place(&self, key: u32) -> usize {
        ((u64::from(key) * u64::from(self.homes)) >> 32) as usize
    }

    /// The slot at a place.
    #[inline]
    fn slot(&self, place: usize) -> Slot {
        self.slots.get(place).copied().unwrap_or(FREE)
    }

    /// One place further if the slot there has a smaller key.
    #[inline]
    fn onward(&self, key: u32, place: usize) -> usize {
        place + usize::from(self.slot(place).key < key)
    }

    /// The first slot from a place on whose key is not smaller. Keys ascend along the table.
    #[inline]
    fn not_below(&self, key: u32, mut place: usize) -> Slot {
        loop {
            let slot = self.slot(place);
            if slot.key >= key {
                return slot;
            }
            place += 1;
        }
    }

    /// The value of a key.
    #[inline]
    pub fn get(&self, key: u32) -> Option<u32> {
        let slot = self.not_below(key, self.home_place(key));
        (slot.key == key && slot.value != EMPTY).then_some(slot.value)
    }

    /// Calls `visit` with the value of each of up to [`BATCH`] keys, in order, and with [`EMPTY`] for a key that is not
    /// there. All homes are read before any is looked at: the processor then waits for many places of a large table at
    /// once instead of one after the other.
    #[inline]
    pub fn for_each_value(&self, keys: &[u32], mut visit: impl FnMut(u32)) {
        let mut places = [0; BATCH];
        for (place, &key) in places.iter_mut().zip(keys) {
            *place = self.onward(key, self.home_place(key));
        }
        for (&place, &key) in places.iter().zip(keys) {
            // Most keys are at their home or behind one or two others: these steps cost less than a branch that is
            // guessed wrong.
            let slot = self.not_below(key, self.onward(key, place));
            visit(if slot.key == key { slot.value } else { EMPTY });
        }
    }
}

/// How many keys are looked up together at most.
pub const BATCH: usize = 32;

/// Writes ascending keys as differences, which are small numbers.
pub fn write_keys(writer: &mut ByteWriter, keys: impl ExactSizeIterator<Item = u32>) {
    writer.count(keys.len());
    let mut previous = 0;
    for key in keys {
        writer.number(u64::from(key - previous));
        previous = key;
    }
}

/// Reads what [`write_keys`] wrote.
pub fn read_keys(reader: &mut ByteReader<'_>) -> Result<Vec<u32>, ModelFileError> {
    let unordered = || ModelFileError::Damaged("feature keys are not in ascending order".to_owned());
    let count = reader.count()?;
    let mut keys = Vec::with_capacity(count);
    let mut previous: u32 = 0;
    for position in 0..count {
        let step = reader.small()?;
        if step == 0 && position > 0 {
            return Err(unordered());
        }
        previous = previous.checked_add(step).ok_or_else(unordered)?;
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
        let index = KeyIndex::from_sorted(keys.len(), keys.iter().zip(0..).map(|(&key, value)| (key, value)));
        for (&key, value) in keys.iter().zip(0..) {
            assert_eq!(index.get(key), Some(value));
        }
        assert_eq!(index.get(1), None);
        assert_eq!(index.get(u32::MAX - 2), None);
        assert_eq!(KeyIndex::default().get(7), None);
        let mut found = Vec::new();
        index.for_each_value(&[keys[3], 1, keys[999], u32::MAX], |value| found.push(value));
        assert_eq!(found, [3, EMPTY, 999, 1001]);
        KeyIndex::default().for_each_value(&[7, u32::MAX], |value| assert_eq!(value, EMPTY));
    }

    #[test]
    fn keys_survive_the_disk() {
        let keys = [0, 1, 500, u32::MAX];
        let mut writer = ByteWriter::default();
        write_keys(&mut writer, keys.iter().copied());
        let bytes = writer.finish();
        assert_eq!(read_keys(&mut ByteReader::new(&bytes)).unwrap(), keys);
    }
}
