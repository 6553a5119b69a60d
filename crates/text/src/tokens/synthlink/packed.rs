//! [`Packed`]: a short word as a number.

/// The bytes of a word of at most sixteen bytes, as two numbers that tell it from all other words: comparing them takes no
/// look at any text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packed {
    /// The first eight bytes, the first one lowest. No word has only zeros there.
    low: u64,
    /// The others.
    high: u64,
}

impl Packed {
    /// What stands for no word.
    pub const NONE: Self = Self { low: 0, high: 0 };

    /// Bytes of the longest word.
    pub const LONGEST: usize = size_of::<u128>();

    /// This word; nothing where it is empty, long, or has a zero in it.
    pub fn new(word: &str) -> Option<Self> {
        let mut room = [0; Self::LONGEST];
        room.get_mut(..word.len())?.copy_from_slice(word.as_bytes());
        if word.is_empty() || word.contains('\0') { None } else { Some(Self::from_number(u128::from_le_bytes(room))) }
    }

    /// The word whose bytes are those of a number, the first one lowest.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the two halves hold all bits")]
    pub(super) const fn from_number(number: u128) -> Self {
        Self { low: number as u64, high: (number >> 64) as u64 }
    }

    /// Whether it stands for no word.
    #[inline]
    pub const fn is_none(self) -> bool {
        self.low == 0
    }

    /// A number whose upper bits depend on all bytes.
    #[inline]
    pub const fn mixed(self) -> u64 {
        /// An odd number without a pattern: 2^64 divided by the golden ratio.
        const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
        // Turned by no whole number of bytes, so that letters of both halves do not meet.
        (self.low ^ self.high.rotate_left(29)).wrapping_mul(MULTIPLIER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_have_numbers_of_their_own() {
        let words = ["a", "b", "aa", "aaaaaaaa", "aaaaaaaab", "aaaaaaaabaaaaaaa", "é"];
        let packed: Vec<Packed> = words.iter().filter_map(|word| Packed::new(word)).collect();
        assert_eq!(packed.len(), words.len());
        for (at, one) in packed.iter().enumerate() {
            assert!(packed[..at].iter().all(|other| other != one && other.mixed() != one.mixed()));
        }
    }

    #[test]
    fn empty_and_long_words_have_none() {
        assert_eq!(Packed::new(""), None);
        assert_eq!(Packed::new(&"a".repeat(17)), None);
        assert_eq!(Packed::new("a\0"), None);
    }
}
