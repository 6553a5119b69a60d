//! [`Waiting`]: which phrases wait for which key.

use rustc_hash::FxHashMap;

/// Lists of phrases under keys, which are well mixed numbers.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    lists: FxHashMap<u64, Vec<usize>>,
    glance: Glance,
}

impl Waiting {
    /// Puts a phrase of a group under a key; once is enough.
    pub(super) fn add(&mut self, key: u64, group: usize, phrase: usize) {
        self.glance.0[Glance::place(key)] |= Groups::one(group).0;
        let list = self.lists.entry(key).or_default();
        if list.last() != Some(&phrase) {
            list.push(phrase);
        }
    }

    /// Whether a phrase of some groups may wait under the key. Says yes for a few keys under which there is none.
    #[inline]
    pub(super) const fn may_have(&self, key: u64, wanted: Groups) -> bool {
        self.glance.0[Glance::place(key)] & wanted.0 != 0
    }

    /// The phrases under a key, in order.
    #[inline]
    pub(super) fn under(&self, key: u64) -> &[usize] {
        self.lists.get(&key).map_or(&[], Vec::as_slice)
    }
}

/// The groups that are looked for: one bit for each. Groups past the sixteenth share bits, which costs a look at a list
/// and never a match.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Groups(u16);

impl Groups {
    /// A single group.
    pub(super) const fn one(group: usize) -> Self {
        Self(1 << (group % 16))
    }

    /// Those that have a limit above zero.
    pub(super) fn with_limits(limits: &[usize]) -> Self {
        let wanted = limits.iter().enumerate().filter(|(_, limit)| **limit > 0);
        wanted.fold(Self::default(), |groups, (group, _)| Self(groups.0 | Self::one(group).0))
    }
}

/// A look before the exact one: the groups of all keys that share their upper bits, in a table that stays near.
#[derive(Debug)]
struct Glance(Box<[u16; 1 << Self::BITS]>);

impl Glance {
    const BITS: u32 = 12;

    const fn place(key: u64) -> usize {
        (key >> (u64::BITS - Self::BITS)) as usize
    }
}

impl Default for Glance {
    fn default() -> Self {
        Self(Box::new([0; 1 << Self::BITS]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_keeps_its_list_and_shows_its_groups() {
        let mut waiting = Waiting::default();
        let keys: Vec<u64> = (1..1_000_u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        for (number, key) in keys.iter().enumerate() {
            waiting.add(*key, number, number);
            waiting.add(*key, number, number);
            waiting.add(*key, number, number + 1);
        }
        for (number, key) in keys.iter().enumerate() {
            assert_eq!(waiting.under(*key), [number, number + 1]);
            assert!(waiting.may_have(*key, Groups::one(number)));
            assert!(!waiting.may_have(*key, Groups::with_limits(&[0, 0])));
        }
        assert!(waiting.under(1).is_empty());
        assert!(!Waiting::default().may_have(7, Groups::with_limits(&[1; 16])));
    }
}
