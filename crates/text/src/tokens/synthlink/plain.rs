//! Texts of ASCII and a few marks, read a word at a time.
//!
//! [`Plain::fold`] goes once through a text, in blocks of 64 bytes, and notes in one bit for each byte whether a letter or
//! digit stands there. Where words begin and end then follows from counting bits, without a look at each letter.

use super::Packed;
use crate::bits::{BLOCK, bits};
use crate::runs::each_run_of_bits;

/// A text in lower case, and where its words stand.
#[derive(Debug, Default)]
pub(super) struct Plain {
    /// Letters in lower case, digits as they are, marks with [`MARK`]; what other bytes become does not matter. Zeros
    /// follow, so that the bytes of a short word can be taken together anywhere. What lies behind them is left from longer
    /// texts.
    bytes: Vec<u8>,
    /// For every byte one bit, the first one lowest, set for letters and digits; a zero follows.
    bits: Vec<u64>,
}

/// The bit that a byte has where it may be an apostrophe or a part of one, as all have that are not ASCII.
const MARK: u8 = 0x80;

impl Plain {
    /// Takes a text in place of the last one. Tells whether it is plain: ASCII but for quotation marks, dashes and the like
    /// (U+2000 to U+203F), none of which is a letter, so that lower-casing changes ASCII letters only and moves nothing.
    pub fn fold(&mut self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let (blocks, rest) = bytes.as_chunks();
        let end = (blocks.len() + 1) * BLOCK + Packed::LONGEST;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bits.clear();
        let (folded, behind) = self.bytes[..end].as_chunks_mut::<BLOCK>();
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        let mut is_plain = true;
        for (number, folded) in folded.iter_mut().enumerate() {
            let block = *blocks.get(number).unwrap_or(&last);
            self.bits.push(bits(&block, |byte| byte.is_ascii_alphanumeric()));
            for (folded, byte) in folded.iter_mut().zip(block) {
                let mark = if byte == b'\'' { MARK } else { 0 };
                // The bit that makes letters small. Digits have it.
                *folded = byte | 0x20 | mark;
            }
            let others = bits(&block, |byte| !byte.is_ascii());
            if others != 0 {
                is_plain &= has_marks_only(&bytes[number * BLOCK..], others);
            }
        }
        behind.fill(0);
        is_plain
    }

    /// Calls `take` with the start and the end of every run of letters and digits, in order.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it is done for every word, and its result goes through memory otherwise")]
    pub fn each_run(&self, take: impl FnMut(usize, usize)) {
        each_run_of_bits(self.bits.iter().copied(), take);
    }

    /// The text in lower case.
    #[inline]
    pub fn folded(&self) -> Folded<'_> {
        Folded { bytes: &self.bytes }
    }
}

/// A text in lower case. Runs are given by their start and their end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Folded<'p> {
    bytes: &'p [u8],
}

impl<'p> Folded<'p> {
    /// A run that is short and has no mark behind it.
    #[inline]
    pub fn usual(self, start: usize, end: usize) -> Option<Packed> {
        /// The bytes of a short run and the one behind it.
        const WINDOW: usize = Packed::LONGEST + 1;
        // There is always room for a window, so that one comparison is enough.
        let last = self.bytes.len().checked_sub(WINDOW)?;
        let window = if start <= last { self.bytes[start..].first_chunk::<WINDOW>()? } else { return None };
        let length = end - start;
        let mask = MASKS.get(length)?;
        if window[length] & MARK != 0 {
            return None;
        }
        Some(Packed::from_number(u128::from_le_bytes(*window.first_chunk()?) & mask))
    }

    /// Whether an apostrophe stands behind a run, or something that is not ASCII.
    pub fn is_at_mark(self, end: usize) -> bool {
        self.bytes.get(end).is_some_and(|byte| byte & MARK != 0)
    }

    /// The letters and digits of a run.
    pub fn text(self, start: usize, end: usize) -> &'p str {
        str::from_utf8(&self.bytes[start..end]).expect("a run is ASCII")
    }
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

/// Whether the characters that begin at these places are between U+2000 and U+203F. The places of their other bytes may be
/// there as well.
#[cold]
fn has_marks_only(bytes: &[u8], mut places: u64) -> bool {
    while places != 0 {
        let rest = &bytes[places.trailing_zeros() as usize..];
        if rest[0] >= 0xc0 && !rest.starts_with(&[0xe2, 0x80]) {
            return false;
        }
        places &= places - 1;
    }
    true
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
        plain.each_run(|start, end| {
            let (folded, run) = (plain.folded(), plain.folded().text(start, end));
            assert!(!folded.is_at_mark(end) || !text.is_char_boundary(end + 1) || text[end..].starts_with('\''));
            if run.len() < Packed::LONGEST && !folded.is_at_mark(end) {
                assert_eq!(folded.usual(start, end), Packed::new(run));
            } else {
                assert_eq!(folded.usual(start, end), None);
            }
            runs.push(run.to_owned());
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
