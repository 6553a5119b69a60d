//! Numbers of variable length in bytes: the alphabet in which the table is written.
//!
//! Every reading step answers `None` at the end of the bytes, so that a damaged table cannot lead outside of them.

/// Reads from the front of a byte slice.
#[derive(Debug, Clone, Copy)]
pub(super) struct VarintReader<'a> {
    rest: &'a [u8],
}

impl<'a> VarintReader<'a> {
    /// A reader of `bytes`, at their beginning.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next byte.
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// The next `length` bytes.
    pub(super) fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    /// A number in groups of seven bits, least first; the high bit says that another group follows.
    pub(super) fn number(&mut self) -> Option<u32> {
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A number with its sign in the lowest bit.
    pub(super) fn signed(&mut self) -> Option<i64> {
        let folded = i64::from(self.number()?);
        Some(if folded & 1 == 0 { folded >> 1 } else { -(folded >> 1) - 1 })
    }

    /// Two numbers that are mostly below 15 and then share one byte.
    pub(super) fn pair(&mut self) -> Option<(usize, usize)> {
        let byte = self.byte()?;
        let mut widened = |nibble: u8| -> Option<usize> {
            let beyond = if nibble == 15 { self.number()? } else { 0 };
            usize::try_from(beyond).ok()?.checked_add(usize::from(nibble))
        };
        let first = widened(byte >> 4)?;
        let second = widened(byte & 15)?;
        Some((first, second))
    }

    /// Passes over `count` numbers, signed or not.
    pub(super) fn skip_numbers(&mut self, count: u32) -> Option<()> {
        for _ in 0..count {
            while self.byte()? >= 0x80 {}
        }
        Some(())
    }
}

/// Writes what [`VarintReader::number`] reads.
pub(super) fn write_number(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push((value & 0x7f) as u8);
}

/// Writes what [`VarintReader::signed`] reads: the way from `base` to `value`, both below 2³⁰ as all counts of the table are.
pub(super) fn write_difference(bytes: &mut Vec<u8>, value: u32, base: u32) {
    let folded = if value >= base { (value - base) << 1 } else { ((base - value - 1) << 1) | 1 };
    write_number(bytes, folded);
}

/// Writes what [`VarintReader::pair`] reads.
pub(super) fn write_pair(bytes: &mut Vec<u8>, first: u32, second: u32) {
    let nibble = |value: u32| u8::try_from(value).map_or(15, |value| value.min(15));
    bytes.push(nibble(first) << 4 | nibble(second));
    for value in [first, second] {
        if let Some(beyond) = value.checked_sub(15) {
            write_number(bytes, beyond);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back_to_themselves() {
        for value in [0, 1, 127, 128, 16_383, 16_384, 117_658, (1 << 30) - 1, u32::MAX] {
            let mut bytes = Vec::new();
            write_number(&mut bytes, value);
            assert_eq!(VarintReader::new(&bytes).number(), Some(value));
            assert!(VarintReader::new(&bytes[..bytes.len() - 1]).number().is_none());
        }
    }

    #[test]
    fn differences_keep_their_sign() {
        for (value, base) in [(5, 5), (5, 6), (6, 5), (0, 117_658), (117_658, 0)] {
            let mut bytes = Vec::new();
            write_difference(&mut bytes, value, base);
            assert_eq!(VarintReader::new(&bytes).signed(), Some(i64::from(value) - i64::from(base)));
        }
    }

    #[test]
    fn pairs_take_one_byte_when_small() {
        for (first, second, length) in [(0, 0, 1), (14, 14, 1), (15, 3, 2), (3, 200, 3), (15, 15, 3)] {
            let mut bytes = Vec::new();
            write_pair(&mut bytes, first, second);
            assert_eq!(bytes.len(), length);
            assert_eq!(VarintReader::new(&bytes).pair(), Some((first as usize, second as usize)));
        }
    }

    #[test]
    fn a_number_without_an_end_is_refused() {
        assert_eq!(VarintReader::new(&[0xff; 9]).number(), None);
        assert_eq!(VarintReader::new(&[0xff; 9]).pair(), None);
    }
}
