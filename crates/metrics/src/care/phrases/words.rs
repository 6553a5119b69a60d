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
    /// Hash of its letters in lower case.
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
        let mut words = Self { list: Vec::with_capacity(bytes.len() / 4), underscore: false };
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            let mut hash = SEED;
            while at < bytes.len() {
                let letter = LOWER[usize::from(bytes[at])];
                if letter == 0 {
                    break;
                }
                words.underscore |= letter == b'_';
                hash = mix(hash, letter);
                at += 1;
            }
            if at > start {
                words.list.push(Word { start, end: at, hash });
            }
            at += 1;
        }
        words
    }
}

/// The hash of a single word that is all word characters.
pub(super) fn hash(word: &str) -> u64 {
    word.bytes().fold(SEED, |hash, byte| mix(hash, byte.to_ascii_lowercase()))
}

const SEED: u64 = 0x243f_6a88_85a3_08d3;

/// One step of a multiplicative hash; equal hashes are always followed by a comparison of the bytes.
const fn mix(hash: u64, byte: u8) -> u64 {
    (hash.rotate_left(5) ^ byte as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
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
}
