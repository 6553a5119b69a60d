//! [`Words`]: the ASCII words of a text with their hashes, read once and used by the matcher and by the similarity.

use std::ops::Range;

use probare_text::runs::each_run;

use super::space::is_word_byte;

/// A maximal run of ASCII letters, digits and underscores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// First byte. (Half the room of a place: lists of words then stay within the quick paths of an allocator.)
    start: u32,
    /// One past the last byte.
    end: u32,
    /// Hash of its letters in lower case; see [`EXACT`].
    pub hash: u64,
}

impl Word {
    /// Its bytes in the text.
    #[inline]
    pub const fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether its hash may be that of another word as well.
    #[inline]
    pub const fn is_long(&self) -> bool {
        (self.end - self.start) as usize > EXACT
    }
}

/// The words of a text.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// The words, in order.
    pub list: Vec<Word>,
    /// Which of them there are, roughly.
    pub traces: Traces,
    /// Whether any of them holds an underscore.
    pub underscore: bool,
}

impl Words {
    /// Reads a text, up to its four thousand millionth byte.
    #[expect(clippy::cast_possible_truncation, reason = "places are below the limit of what is read")]
    pub fn of(text: &str) -> Self {
        let bytes = &text.as_bytes()[..text.len().min(u32::MAX as usize)];
        let mut list = Vec::with_capacity(bytes.len() / 5 + 4);
        let mut traces = Traces::default();
        each_run(bytes, is_word_byte, |start, end| {
            let hash = hash(bytes, start, end);
            traces.add(hash);
            list.push(Word { start: start as u32, end: end as u32, hash });
        });
        Self { list, traces, underscore: memchr::memchr(b'_', bytes).is_some() }
    }
}

/// The hash of a single word that is all word characters.
pub(super) fn hash_of(word: &str) -> u64 {
    hash(word.as_bytes(), 0, word.len())
}

/// Which words a text may hold: a bit for the hash of each. What is not there is surely absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traces([u64; 4]);

impl Traces {
    /// Adds a word.
    #[inline]
    pub const fn add(&mut self, hash: u64) {
        self.0[(hash >> 62) as usize] |= 1 << (hash >> 56 & 63);
    }

    /// Whether all of the others may be there too.
    #[inline]
    pub const fn may_hold(self, others: Self) -> bool {
        let [first, second, third, fourth] = self.0;
        let others = others.0;
        (others[0] & !first) | (others[1] & !second) | (others[2] & !third) | (others[3] & !fourth) == 0
    }
}

/// Words of up to this many bytes have a hash of their own: their bytes fit into it and are only mixed.
const EXACT: usize = 8;

/// The hash of the word at `start..end`, the same for small and capital letters.
#[inline]
fn hash(bytes: &[u8], start: usize, end: usize) -> u64 {
    let first = bytes.get(start..).and_then(|rest| rest.first_chunk());
    match (first, FIRST_BYTES.get(end - start)) {
        // For a short word nothing but its letters goes in, and mixing loses nothing.
        (Some(block), Some(mask)) => mix((u64::from_le_bytes(*block) | SMALL) & mask),
        _ => long_hash(bytes, start, end),
    }
}

/// The same for a word that may be long, or stand at the end of the text.
#[inline(never)]
fn long_hash(bytes: &[u8], mut start: usize, end: usize) -> u64 {
    let mut state = 0;
    while end - start > EXACT {
        state = mix(state ^ letters(bytes, start, EXACT)).rotate_left(23);
        start += EXACT;
    }
    mix(state ^ letters(bytes, start, end - start))
}

/// The bits that make capital letters small.
const SMALL: u64 = u64::from_ne_bytes([0x20; EXACT]);

/// Up to eight word characters in lower case, and zeros after them. The one bit that makes capitals small is set in
/// digits anyway, and makes an underscore a byte that no word has.
#[inline]
fn letters(bytes: &[u8], start: usize, length: usize) -> u64 {
    (block(bytes, start) | SMALL) & FIRST_BYTES[length.min(EXACT)]
}

/// Eight bytes of a text, the first one lowest; past its end stand zeros.
#[inline]
pub(super) fn block(bytes: &[u8], start: usize) -> u64 {
    let rest = bytes.get(start..).unwrap_or_default();
    match (rest.first_chunk(), bytes.last_chunk()) {
        (Some(block), _) => u64::from_le_bytes(*block),
        (None, Some(last)) if !rest.is_empty() => u64::from_le_bytes(*last) >> (8 * (EXACT - rest.len())),
        _ => rest.iter().rev().fold(0, |block, byte| block << 8 | u64::from(*byte)),
    }
}

/// All bits of the first so many bytes of a block.
const FIRST_BYTES: [u64; EXACT + 1] = {
    let mut masks = [0; EXACT + 1];
    let mut count = 1;
    while count <= EXACT {
        masks[count] = masks[count - 1] << 8 | 0xff;
        count += 1;
    }
    masks
};

/// Spreads the bits; different numbers stay different.
#[inline]
const fn mix(number: u64) -> u64 {
    let number = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    number ^ (number >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_ascii_runs() {
        let text = "I'm Café_5, été";
        let words = Words::of(text);
        let forms: Vec<&str> = words.list.iter().map(|word| &text[word.span()]).collect();
        assert_eq!(forms, ["I", "m", "Caf", "_5", "t"]);
        assert!(words.underscore);
        assert_eq!(words.list[2].hash, hash_of("caf"));
    }

    #[test]
    fn letter_case_does_not_change_a_hash_and_length_does() {
        assert_eq!(Words::of("UNDERSTANDING").list[0].hash, hash_of("understanding"));
        assert_eq!(Words::of("(AbcdefgH)").list[0].hash, hash_of("abcdefgh"));
        assert_ne!(hash_of("a"), hash_of("aa"));
        assert_ne!(hash_of("abcdefgh"), hash_of("abcdefghi"));
    }

    #[test]
    fn a_word_is_the_same_wherever_it_stands() {
        for before in 0..70 {
            let text = format!("{}Remarkable x_9", "-".repeat(before));
            let words = Words::of(&text);
            assert_eq!(words.list.len(), 2, "{before}");
            assert_eq!((words.list[0].span(), words.list[0].hash), (before..before + 10, hash_of("remarkable")));
            assert_eq!(words.list[1].hash, hash_of("x_9"));
        }
    }

    #[test]
    fn traces_tell_what_is_absent() {
        let words = Words::of("what it means to you");
        let traces = |word: &str| Words::of(word).traces;
        assert!(words.traces.may_hold(traces("means to you")));
        assert!(words.traces.may_hold(Traces::default()));
        assert!(!traces("what").may_hold(words.traces));
    }
}
