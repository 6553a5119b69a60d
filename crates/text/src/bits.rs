//! One bit for each of 64 bytes: what a loop over bytes would ask of each is asked of all, and bits are counted afterwards.

/// Bytes that are looked at together.
pub const BLOCK: usize = u64::BITS as usize;

/// A bit for each byte for which `is` holds, the first byte lowest. `is` should be a few comparisons, so that it can be
/// worked out for many bytes at once.
#[inline(always)]
#[expect(clippy::inline_always, reason = "the comparisons become vector instructions only together with the loop")]
pub fn byte_mask(block: &[u8; BLOCK], is: impl Fn(u8) -> bool) -> u64 {
    let mut flags = [0; BLOCK];
    for (flag, byte) in flags.iter_mut().zip(block) {
        *flag = if is(*byte) { u8::MAX } else { 0 };
    }
    highest(&flags)
}

/// The highest bit of each byte.
#[inline(always)]
#[expect(clippy::inline_always, reason = "the flags stay in registers")]
fn highest(flags: &[u8; BLOCK]) -> u64 {
    let (parts, _) = flags.as_chunks();
    parts.iter().rev().fold(0, |bits, part| bits << 8 | highest_of_eight(u64::from_le_bytes(*part)))
}

/// The same for eight bytes. The product moves the bit of byte `n` from `8n` to `56 + n`; no two bits meet on the way.
const fn highest_of_eight(bytes: u64) -> u64 {
    (bytes >> 7 & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_byte_has_its_bit(block in proptest::collection::vec(any::<u8>(), BLOCK), limit: u8) {
            let block: [u8; BLOCK] = block.try_into().unwrap();
            let found = byte_mask(&block, |byte| byte < limit);
            for (at, byte) in block.iter().enumerate() {
                prop_assert_eq!(found >> at & 1 == 1, *byte < limit);
            }
        }
    }
}
