//! [`Words`]: the ASCII words of a text with their hashes, read once and used by the matcher and by the similarity.

use std::ops::Range;

use super::space::is_word_byte;

/// A maximal run of ASCII letters, digits and underscores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Hash of its letters in lower case; see [`EXACT`].
    pub hash: u64,
}

impl Word {
    /// Its bytes in the text.
    pub const fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// The words of a text.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// The words, in order.
    pub list: Vec<Word>,
    /// Whether any of them holds an underscore.
    pub underscore: bool,
}

impl Words {
    /// Reads a text.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut words = Self { list: Vec::with_capacity(bytes.len() / 5 + 4), underscore: false };
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            let mut hasher = Hasher::default();
            while let Some(letter) = bytes.get(at).map(|byte| LOWER[usize::from(*byte)])
                && letter != 0
            {
                words.underscore |= letter == b'_';
                hasher.push(letter);
                at += 1;
            }
            if at > start {
                words.list.push(Word { start, end: at, hash: hasher.finish() });
            }
            at += 1;
        }
        words
    }
}

/// The hash of a single word that is all word characters.
pub(super) fn hash(word: &str) -> u64 {
    let mut hasher = Hasher::default();
    word.bytes().for_each(|byte| hasher.push(byte.to_ascii_lowercase()));
    hasher.finish()
}

/// Words of up to this many bytes have a hash of their own: their bytes fit into it and are only mixed.
pub const EXACT: usize = 8;

/// Takes eight bytes at a time, so that most words are mixed once.
#[derive(Default)]
struct Hasher {
    block: u64,
    length: usize,
    state: u64,
}

impl Hasher {
    fn push(&mut self, byte: u8) {
        if self.length > 0 && self.length.is_multiple_of(EXACT) {
            self.state = mix(self.state ^ self.block).rotate_left(23);
            self.block = 0;
        }
        self.block = self.block << 8 | u64::from(byte);
        self.length += 1;
    }

    /// For a short word nothing but its block goes in, and mixing loses nothing.
    fn finish(self) -> u64 {
        mix(self.state ^ self.block)
    }
}

/// Spreads the bits; different numbers stay different.
const fn mix(number: u64) -> u64 {
    let number = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    number ^ (number >> 32)
}

/// Word characters in lower case, 0 for every other byte.
static LOWER: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if is_word_byte(byte) {
            table[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};

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
        assert_eq!(words.list[2].hash, hash("caf"));
    }

    #[test]
    fn letter_case_does_not_change_a_hash_and_length_does() {
        assert_eq!(Words::of("UNDERSTANDING").list[0].hash, hash("understanding"));
        assert_ne!(hash("a"), hash("aa"));
        assert_ne!(hash("abcdefgh"), hash("abcdefghi"));
    }
}
