//! A sorted list of strings in which each entry is written as its difference from the one before.
//!
//! Neighbours in an alphabetical list of lemmas share half of their letters. Within a block of eight an entry keeps
//! only how many bytes it shares with its predecessor and, encoded, the bytes that follow; the first of a block is
//! whole, so that blocks can be searched by halving. The first eight bytes of each block stand apart in a list of their
//! own: most of the search stays in that short list and never touches the entries.

use std::cmp::Ordering;

use super::reader::{VarintReader, write_pair};
use super::records::{RecordWriter, Records};
use super::symbols::{self, Symbols};

/// Entries in a block: more saves bytes, fewer saves time.
pub(super) const ENTRIES_PER_BLOCK: u32 = 8;

/// How many bytes of a block's first string the list of heads keeps.
pub(super) const HEAD: usize = 8;

/// Strings in ascending byte order, each known by its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dictionary<'a> {
    /// The entries in their blocks.
    pub(super) entries: Records<'a>,
    /// How many strings there are.
    pub(super) count: u32,
    /// The first bytes of each block, [`HEAD`] each.
    pub(super) heads: &'a [u8],
    /// What the bytes of an entry stand for.
    pub(super) symbols: Symbols<'a>,
}

impl<'a> Dictionary<'a> {
    /// The place of `name`, if it is in the list.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        let name = name.as_bytes();
        let block = self.last_block_up_to(name)?;
        let first = u32::try_from(block).ok()?.checked_mul(ENTRIES_PER_BLOCK)?;
        let mut reader = self.entries.block(block)?;
        // How many leading bytes of `name` the previous entry, which is smaller than `name`, has in common with it.
        let mut matched = 0;
        for number in first..self.count.min(first.checked_add(ENTRIES_PER_BLOCK)?) {
            let (shared, suffix) = entry(&mut reader)?;
            match shared.cmp(&matched) {
                // Differs from `name` where its predecessor does.
                Ordering::Greater => continue,
                // Greater than its predecessor at a byte where that one agrees with `name`: past it.
                Ordering::Less => return None,
                Ordering::Equal => {}
            }
            let (common, order) = self.compare(suffix, name.get(matched..)?);
            matched += common;
            match order {
                Ordering::Less => {}
                Ordering::Equal => return Some(number),
                Ordering::Greater => return None,
            }
        }
        None
    }

    /// The string at a place; empty beyond the end.
    pub(super) fn get(&self, number: u32) -> String {
        let mut name = Vec::new();
        if number < self.count
            && let Some((mut reader, before)) = self.entries.block_of(number)
        {
            for _ in 0..=before {
                let Some((shared, suffix)) = entry(&mut reader) else { break };
                name.truncate(shared);
                self.symbols.strings(suffix).for_each(|string| name.extend_from_slice(string));
            }
        }
        String::from_utf8(name).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// The last block whose first string is not greater than `name`.
    fn last_block_up_to(&self, name: &[u8]) -> Option<usize> {
        // As numbers with the first byte highest, which are in the same order.
        let target = u64::from_be_bytes(head(name));
        let heads = self.heads.as_chunks::<HEAD>().0;
        let mut low = heads.partition_point(|head| u64::from_be_bytes(*head) < target);
        let mut high = low + heads[low..].iter().take_while(|head| u64::from_be_bytes(**head) == target).count();
        while low < high {
            let middle = low.midpoint(high);
            let (_, first) = entry(&mut self.entries.block(middle)?)?;
            if self.compare(first, name).1 == Ordering::Greater {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low.checked_sub(1)
    }

    /// How many leading bytes encoded bytes have in common with others, and which side is greater.
    fn compare(&self, encoded: &'a [u8], name: &[u8]) -> (usize, Ordering) {
        let mut common = 0;
        for string in self.symbols.strings(encoded) {
            for byte in string {
                match name.get(common) {
                    Some(other) if other == byte => common += 1,
                    Some(other) => return (common, byte.cmp(other)),
                    None => return (common, Ordering::Greater),
                }
            }
        }
        (common, common.cmp(&name.len()))
    }
}

/// The first bytes of a name, with zeros behind a short one. Names are never in another order than their heads.
fn head(name: &[u8]) -> [u8; HEAD] {
    std::array::from_fn(|place| name.get(place).copied().unwrap_or(0))
}

/// Reads one entry: the length it shares with the one before, and the rest of it, encoded.
fn entry<'a>(reader: &mut VarintReader<'a>) -> Option<(usize, &'a [u8])> {
    let (shared, length) = reader.pair()?;
    Some((shared, reader.bytes(length)?))
}

/// Splits strings, which come in ascending order, into the length that each shares with the one before in its block and
/// the rest of it.
pub(super) fn differences<'a>(names: &[&'a str]) -> Vec<(usize, &'a [u8])> {
    let mut previous: &[u8] = &[];
    let mut split = |(place, name): (u32, &&'a str)| {
        let name = name.as_bytes();
        let both = previous.iter().zip(name);
        let opens_block = place.is_multiple_of(ENTRIES_PER_BLOCK);
        let shared = if opens_block { 0 } else { both.take_while(|(left, right)| left == right).count() };
        previous = name;
        (shared, &name[shared..])
    };
    (0..).zip(names).map(&mut split).collect()
}

/// Writes the list of heads: one for each block.
pub(super) fn write_heads(names: &[&str]) -> Vec<u8> {
    names.iter().step_by(ENTRIES_PER_BLOCK as usize).flat_map(|name| head(name.as_bytes())).collect()
}

/// Writes the entries of a dictionary, encoded with the strings of `slots`.
pub(super) fn write(differences: &[(usize, &[u8])], slots: &[u8]) -> RecordWriter {
    let mut writer = RecordWriter::new(ENTRIES_PER_BLOCK);
    for (shared, suffix) in differences {
        writer.begin();
        let encoded = symbols::encode(slots, suffix);
        let length = |bytes: usize| u32::try_from(bytes).expect("a lemma is shorter than four gigabytes");
        write_pair(&mut writer.bytes, length(*shared), length(encoded.len()));
        writer.bytes.extend(encoded);
    }
    writer
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn finds_what_is_in_the_list_and_nothing_else(
            names in proptest::collection::btree_set("[a-cé_]{1,20}", 0..80),
            others in proptest::collection::vec("[a-dé_]{0,6}", 20),
        ) {
            check(&names, &others)?;
        }
    }

    fn check(names: &BTreeSet<String>, others: &[String]) -> Result<(), TestCaseError> {
        let listed: Vec<&str> = names.iter().map(String::as_str).collect();
        let differences = differences(&listed);
        let slots = symbols::learn(differences.iter().map(|(_, suffix)| *suffix));
        let writer = write(&differences, &slots);
        let entries = Records { offsets: &writer.offsets, bytes: &writer.bytes, per_block: ENTRIES_PER_BLOCK };
        let count = u32::try_from(names.len()).unwrap();
        let heads = write_heads(&listed);
        let dictionary = Dictionary { entries, count, heads: &heads, symbols: Symbols { slots: &slots } };
        for (number, name) in (0..).zip(names) {
            prop_assert_eq!(dictionary.find(name), Some(number));
            prop_assert_eq!(&dictionary.get(number), name);
        }
        for other in others {
            prop_assert_eq!(dictionary.find(other).is_some(), names.contains(other));
        }
        prop_assert_eq!(dictionary.get(dictionary.count), "");
        Ok(())
    }
}
