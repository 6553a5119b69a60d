//! [`Packed`]: a short word as a number.

use std::num::NonZeroU64;

/// The bytes of a word of at most sixteen bytes, as two numbers that tell it from all other words: comparing them takes no
/// look at any text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packed {
    /// The first eight bytes, the first one lowest.
    low: NonZeroU64,
    /// The others.
    high: u64,
}

impl Packed {
    /// Bytes of the longest word.
    pub const LONGEST: usize = size_of::<u128>();

    /// The word of these bytes; nothing where it is empty, long, or has a zero in it.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let mut room = [0; Self::LONGEST];
        room.get_mut(..bytes.len())?.copy_from_slice(bytes);
        if bytes.contains(&0) { None } else { Self::from_number(u128::from_le_bytes(room)) }
    }

    /// The word whose bytes are those of a number, the first one lowest.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the two halves hold all bits")]
    pub(super) fn from_number(number: u128) -> Option<Self> {
        NonZeroU64::new(number as u64).map(|low| Self { low, high: (number >> 64) as u64 })
    }

    /// A number in which every bit depends on all bytes, the upper bits most.
    #[inline]
    pub const fn mixed(self) -> u64 {
        /// An odd number without a pattern: 2^64 divided by the golden ratio.
        const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
        (self.low.get() ^ self.high.rotate_left(32).wrapping_mul(MULTIPLIER)).wrapping_mul(MULTIPLIER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_have_numbers_of_their_own() {
        let words = ["a", "b", "aa", "aaaaaaaa", "aaaaaaaab", "aaaaaaaabaaaaaaa", "é"];
        let packed: Vec<Packed> = words.iter().filter_map(|word| Packed::new(word.as_bytes())).collect();
        assert_eq!(packed.len(), words.len());
        for (at, one) in packed.iter().enumerate() {
            assert!(packed[..at].iter().all(|other| other != one && other.mixed() != one.mixed()));
        }
    }

    #[test]
    fn empty_and_long_words_have_none() {
        assert_eq!(Packed::new(b""), None);
        assert_eq!(Packed::new(&[b'a'; 17]), None);
        assert_eq!(Packed::new(b"a\0"), None);
    }
}
