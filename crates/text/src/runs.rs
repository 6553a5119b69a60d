//! Runs of bytes of one kind, found without a loop over single bytes.
//!
//! Such a loop guesses wrong at the end of nearly every word, since words are short. Here 64 bytes are looked at together:
//! each becomes one bit, and where runs begin and end follows from counting bits.

use crate::bits::{BLOCK, byte_mask};

/// Calls `found` with the start and the end of every maximal run of bytes that are `inside`, in order. `inside` should be
/// a few comparisons, so that it can be worked out for many bytes at once.
#[inline]
pub fn for_each_run(bytes: &[u8], inside: impl Fn(u8) -> bool + Copy, found: impl FnMut(usize, usize)) {
    let (blocks, rest) = bytes.as_chunks();
    // What is missing behind the rest ends a run that reaches it.
    let blocks = blocks.iter().map(|block| byte_mask(block, inside));
    for_each_bit_run(blocks.chain(std::iter::once_with(|| partial_byte_mask(rest, inside))), found);
}

/// The same for bits that have been worked out, one for each byte, the first one lowest. A run that reaches the last bit
/// has no end and is not found.
#[inline(always)]
#[expect(clippy::inline_always, reason = "what is done with a run goes through memory otherwise")]
pub(crate) fn for_each_bit_run(blocks: impl Iterator<Item = u64>, mut found: impl FnMut(usize, usize)) {
    // Where the run starts that goes on from one block into the next, and whether there is one.
    let (mut open, mut goes_on) = (0, 0);
    for (number, here) in blocks.enumerate() {
        let place = |bits: u64| number * BLOCK + bits.trailing_zeros() as usize;
        let shifted = here << 1 | goes_on;
        let (mut starts, mut ends) = (here & !shifted, !here & shifted);
        if goes_on == 0 {
            open = place(starts);
            starts &= starts.wrapping_sub(1);
        }
        // Runs and gaps take turns, so every end belongs to the start before it.
        while ends != 0 {
            found(open, place(ends));
            ends &= ends - 1;
            open = place(starts);
            starts &= starts.wrapping_sub(1);
        }
        goes_on = here >> (BLOCK - 1);
    }
}

/// A bit for each byte that is `inside`, the first byte lowest; up to 64 bytes. Those that are missing are not.
#[inline]
fn partial_byte_mask(part: &[u8], inside: impl Fn(u8) -> bool) -> u64 {
    let mut block = [0; BLOCK];
    block[..part.len()].copy_from_slice(part);
    // Zeros stand for missing bytes, and may be of the kind that is looked for.
    byte_mask(&block, inside) & ((1 << part.len()) - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn runs(text: &str, inside: impl Fn(u8) -> bool + Copy) -> Vec<&str> {
        let mut runs = Vec::new();
        for_each_run(text.as_bytes(), inside, |start, end| runs.push(&text[start..end]));
        runs
    }

    #[test]
    fn runs_of_any_length_are_found_anywhere() {
        for length in 1..140 {
            for before in 0..66 {
                let text = format!("{}{}, ab", " ".repeat(before), "a".repeat(length));
                let found = runs(&text, |byte| byte.is_ascii_alphanumeric());
                assert_eq!(found, [&text[before..before + length], "ab"], "{length} after {before}");
            }
        }
        assert_eq!(runs("", |_| true), [""; 0]);
        for length in [1, 63, 64, 65, 128] {
            assert_eq!(runs(&"a".repeat(length), |_| true), ["a".repeat(length)]);
            assert_eq!(runs(&"a".repeat(length), |byte| byte == 0), [""; 0]);
        }
    }

    proptest! {
        #[test]
        fn runs_are_what_splitting_gives(text in "[ab \0]{0,200}") {
            let expected: Vec<&str> = text.split(' ').filter(|piece| !piece.is_empty()).collect();
            prop_assert_eq!(runs(&text, |byte| byte != b' '), expected);
        }
    }
}
