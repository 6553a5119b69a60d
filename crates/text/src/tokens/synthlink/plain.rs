//! Texts of ASCII and a few marks, read a word at a time.
//!
//! [`Plain::fold`] goes once through a text, in blocks of 64 bytes, and notes in one bit for each byte whether a letter or
//! digit stands there. Where words begin and end then follows from counting bits, without a look at each letter.

use super::Packed;
use crate::runs::each_run_of_bits;

/// A text in lower case, and where its words stand.
#[derive(Debug, Default)]
pub(super) struct Plain {
    /// Letters in lower case, digits as they are, [`MARK`] for apostrophes and all that is not ASCII, and a zero for every
    /// other byte. Zeros follow, so that the bytes of a short word can be taken together anywhere. What lies behind them is
    /// left from longer texts.
    bytes: Vec<u8>,
    /// For every byte one bit, the first one lowest, set for letters and digits; a zero follows.
    bits: Vec<u64>,
}

/// Letters and digits in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub start: usize,
    pub end: usize,
    /// Itself as a number, if it is short.
    pub packed: Option<Packed>,
    /// Whether an apostrophe stands behind it, or something that is not ASCII.
    pub at_mark: bool,
}

/// What stands for a byte that may be an apostrophe or a part of one.
const MARK: u8 = 1;

/// Bytes that are folded together.
const BLOCK: usize = u64::BITS as usize;
/// The lowest bit of every byte.
const LOWEST: u64 = u64::MAX / 0xff;
/// The highest bit of every byte.
const HIGHEST: u64 = LOWEST << 7;

impl Plain {
    /// Takes a text in place of the last one. Tells whether it is plain: ASCII but for quotation marks, dashes and the like
    /// (U+2000 to U+203F), none of which is a letter, so that lower-casing changes ASCII letters only and moves nothing.
    pub fn fold(&mut self, text: &str) -> bool {
        let blocks = text.len().div_ceil(BLOCK);
        let end = blocks * BLOCK + Packed::LONGEST;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bits.resize(blocks + 1, 0);
        let (head, rest) = self.bytes[..end].split_at_mut(text.len());
        head.copy_from_slice(text.as_bytes());
        rest.fill(0);
        let mut exceptions = [0; BLOCK];
        for (number, bits) in self.bits[..blocks].iter_mut().enumerate() {
            let rest = &mut self.bytes[number * BLOCK..];
            // With the byte behind the block, which is not folded yet.
            if let Some(pairs) = rest.first_chunk::<{ BLOCK + 1 }>()
                && !is_ascii(&pairs[..BLOCK])
            {
                for (at, exception) in exceptions.iter_mut().enumerate() {
                    *exception |= begins_other_character(pairs[at], pairs[at + 1]);
                }
            }
            if let Some(block) = rest.first_chunk_mut() {
                for byte in &mut *block {
                    *byte = folded(*byte);
                }
                *bits = bits_of(block);
            }
        }
        self.bits[blocks] = 0;
        exceptions == [0; BLOCK]
    }

    /// Calls `take` with every run, in order.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it is done for every word, and its result goes through memory otherwise")]
    pub fn each_run(&self, mut take: impl FnMut(Run)) {
        each_run_of_bits(self.bits.iter().copied(), |start, end| take(self.run(start, end)));
    }

    /// The run between two places.
    #[inline]
    fn run(&self, start: usize, end: usize) -> Run {
        let length = end - start;
        // The bytes of a short run and the one behind it.
        let window = self.bytes.get(start..).and_then(|bytes| bytes.first_chunk::<{ Packed::LONGEST + 1 }>());
        let (Some(mask), Some(window)) = (MASKS.get(length), window) else { return self.long_run(start, end) };
        let number = window.first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes));
        Run { start, end, packed: Packed::from_number(number & mask), at_mark: window[length] == MARK }
    }

    #[cold]
    fn long_run(&self, start: usize, end: usize) -> Run {
        let packed = Packed::new(&self.bytes[start..end]);
        Run { start, end, packed, at_mark: self.bytes.get(end) == Some(&MARK) }
    }

    /// The letters and digits between two places, which a run of this text has.
    pub fn run_text(&self, start: usize, end: usize) -> &str {
        str::from_utf8(&self.bytes[start..end]).expect("a run is ASCII")
    }
}

/// Whether all bytes are ASCII. All are looked at without a stop at the first that is not, since that takes many at once.
#[inline]
fn is_ascii(bytes: &[u8]) -> bool {
    bytes.iter().fold(0, |all, byte| all | byte).is_ascii()
}

/// For every number of bytes below the longest, the bits in them.
const MASKS: [u128; Packed::LONGEST] = {
    let mut masks = [0; Packed::LONGEST];
    let mut length = 0;
    while length < Packed::LONGEST {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

/// What the text has in place of a byte.
#[inline]
const fn folded(byte: u8) -> u8 {
    let small = byte | 0x20;
    let letter = if small.is_ascii_lowercase() { small } else { 0 };
    let kept = if byte.is_ascii_digit() { byte } else { letter };
    if byte == b'\'' || !byte.is_ascii() { MARK } else { kept }
}

/// For every byte of a block one bit: whether it is a letter or digit.
#[inline]
fn bits_of(block: &[u8; BLOCK]) -> u64 {
    /// Brings the lowest bits of eight bytes together in the highest byte of the product.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (numbers, _) = block.as_chunks();
    numbers.iter().fold(0, |bits, bytes| {
        // Digits and letters carry into the highest bit of their byte, and nothing carries beyond it.
        let flags = (u64::from_le_bytes(*bytes) + LOWEST * (0x80 - u64::from(b'0'))) & HIGHEST;
        bits >> 8 | (flags >> 7).wrapping_mul(GATHER) & 0xff << 56
    })
}

/// 1 where a character begins with these bytes that is neither ASCII nor between U+2000 and U+203F, and 0 elsewhere. A
/// number, because many of them are worked out together.
#[inline]
fn begins_other_character(first: u8, second: u8) -> u8 {
    u8::from(first >= 0xc0) & u8::from((first ^ 0xe2) | (second ^ 0x80) != 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The runs of a text, found byte by byte.
    fn plain_runs(text: &str) -> Vec<String> {
        let pieces = text.split(|character: char| !character.is_ascii_alphanumeric());
        pieces.filter(|piece| !piece.is_empty()).map(str::to_ascii_lowercase).collect()
    }

    fn runs(text: &str) -> Vec<String> {
        let mut plain = Plain::default();
        plain.fold("what was here before, and longer than the text that follows: ".repeat(3).as_str());
        plain.fold(text);
        let mut runs = Vec::new();
        plain.each_run(|run| {
            let bytes = plain.run_text(run.start, run.end);
            assert_eq!(run.packed, Packed::new(bytes.as_bytes()));
            runs.push(bytes.to_owned());
        });
        runs
    }

    #[test]
    fn runs_of_any_length_are_found_anywhere() {
        for length in 1..140 {
            let word = "aZ9".repeat(50)[..length].to_owned();
            for before in 0..66 {
                let text = format!("{}{word}, {word}", " ".repeat(before));
                assert_eq!(runs(&text), plain_runs(&text), "{length} after {before}");
            }
        }
        assert_eq!(runs(""), [""; 0]);
        assert_eq!(runs(" [`@{/:"), [""; 0]);
    }

    proptest! {
        #[test]
        fn runs_are_those_of_the_definition(text in "([a-cX-Z0-9]{0,20}[ ,.\u{2013}@\\[`{/:]{0,3}){0,30}") {
            prop_assert_eq!(runs(&text), plain_runs(&text));
        }
    }

    #[test]
    fn marks_are_plain_and_letters_beyond_ascii_are_not() {
        for (text, plain) in [
            ("", true),
            ("a plain text of more than sixteen bytes", true),
            ("\u{201c}a text – with marks\u{2026}\u{201d}", true),
            ("at the very end of some text: é", false),
            ("é", false),
            ("\u{2060}", false),
            (&format!("{}–", "a".repeat(63)), true),
            (&format!("{}\u{2060}", "a".repeat(63)), false),
            (&format!("{}é", "a".repeat(62)), false),
        ] {
            assert_eq!(Plain::default().fold(text), plain, "{text}");
        }
    }
}
