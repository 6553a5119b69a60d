//! Short strings that are so frequent in lemmas that one byte stands for each: `tion`, `_of_`, `idae`.
//!
//! Lemmas are nearly all ASCII, so the upper half of the byte values is free to name such strings. They are learned
//! when the table is built, by joining the most frequent pair of neighbours over and over (byte-pair encoding).

use std::cmp::Reverse;

/// Bytes of a slot: the length of the string, then the string.
const SLOT: usize = 8;
/// How long a string can be.
const LONGEST: usize = SLOT - 1;
/// The first byte value that names a string.
const FIRST_CODE: u8 = 0x80;
/// How many strings there are room for.
const CODES: usize = 0x80;
/// Announces that the next byte stands for itself, for the rare name with other letters than those of ASCII.
const LITERAL: u8 = 0;

/// The strings by their code, as they lie in the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Symbols<'a> {
    /// One slot for each code.
    pub(super) slots: &'a [u8],
}

impl<'a> Symbols<'a> {
    /// What encoded bytes stand for, string by string.
    pub(super) fn strings(self, encoded: &'a [u8]) -> Strings<'a> {
        Strings { symbols: self, encoded }
    }

    fn string(self, code: u8) -> &'a [u8] {
        let slot = usize::from(code.saturating_sub(FIRST_CODE)) * SLOT;
        let Some((length, string)) = self.slots.get(slot..slot + SLOT).and_then(<[u8]>::split_first) else {
            return &[];
        };
        string.get(..usize::from(*length)).unwrap_or(string)
    }
}

/// Walks over the strings that encoded bytes stand for.
#[derive(Debug, Clone)]
pub(super) struct Strings<'a> {
    symbols: Symbols<'a>,
    encoded: &'a [u8],
}

impl<'a> Iterator for Strings<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let (first, rest) = self.encoded.split_first()?;
        self.encoded = rest;
        match *first {
            LITERAL => {
                let (literal, rest) = rest.split_at_checked(1)?;
                self.encoded = rest;
                Some(literal)
            }
            code if code >= FIRST_CODE => Some(self.symbols.string(code)),
            _ => Some(std::slice::from_ref(first)),
        }
    }
}

/// Learns the strings from those that are to be encoded and gives their slots.
pub(super) fn learn<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut strings: Vec<Vec<u8>> = (0..FIRST_CODE).map(|byte| vec![byte]).collect();
    // Other letters than those of ASCII end a text: they are written as literals and cannot be part of a string.
    let mut texts: Vec<Vec<u8>> =
        texts.flat_map(|text| text.split(|byte| !byte.is_ascii())).map(<[u8]>::to_vec).collect();
    for code in (FIRST_CODE..=u8::MAX).take(CODES) {
        let Some((left, right)) = most_frequent_pair(&texts, &strings) else { break };
        strings.push([strings[usize::from(left)].as_slice(), &strings[usize::from(right)]].concat());
        for text in &mut texts {
            join(text, left, right, code);
        }
    }
    let mut slots = Vec::new();
    for string in &strings[usize::from(FIRST_CODE)..] {
        slots.push(u8::try_from(string.len()).expect("no string is longer than a slot"));
        slots.extend_from_slice(string);
        slots.resize(slots.len().next_multiple_of(SLOT), 0);
    }
    slots.resize(CODES * SLOT, 0);
    slots
}

/// The pair of neighbours that occurs most often and is short enough when joined; the lowest among equals.
fn most_frequent_pair(texts: &[Vec<u8>], strings: &[Vec<u8>]) -> Option<(u8, u8)> {
    let mut counts = vec![0_u32; 1 << 16];
    let mut repeated = Vec::new();
    for pair in texts.iter().flat_map(|text| text.windows(2)) {
        let pair = [pair[0], pair[1]];
        let count = &mut counts[usize::from(u16::from_be_bytes(pair))];
        *count += 1;
        if *count == 2 {
            repeated.push(pair);
        }
    }
    let length = |code: u8| strings.get(usize::from(code)).map_or(LONGEST, Vec::len);
    repeated
        .into_iter()
        .filter(|[left, right]| length(*left) + length(*right) <= LONGEST)
        .min_by_key(|pair| (Reverse(counts[usize::from(u16::from_be_bytes(*pair))]), *pair))
        .map(|[left, right]| (left, right))
}

/// Replaces a pair of neighbours by one code wherever it occurs.
fn join(text: &mut Vec<u8>, left: u8, right: u8, code: u8) {
    let mut written = 0;
    let mut read = 0;
    while let Some(byte) = text.get(read).copied() {
        let is_pair = byte == left && text.get(read + 1) == Some(&right);
        text[written] = if is_pair { code } else { byte };
        written += 1;
        read += if is_pair { 2 } else { 1 };
    }
    text.truncate(written);
}

/// Encodes a text with the fewest bytes that the strings of `slots` allow.
pub(super) fn encode(slots: &[u8], text: &[u8]) -> Vec<u8> {
    let symbols = Symbols { slots };
    // From the end to the front: the best first step at each place, and how many bytes it leads to.
    let mut steps: Vec<(usize, u8, usize)> = vec![(0, 0, 0); text.len() + 1];
    for place in (0..text.len()).rev() {
        let literal = if text[place].is_ascii() && text[place] != LITERAL { 1 } else { 2 };
        let mut best = (steps[place + 1].0 + literal, LITERAL, 1);
        for code in FIRST_CODE..=u8::MAX {
            let string = symbols.string(code);
            if !string.is_empty() && text[place..].starts_with(string) {
                best = best.min((steps[place + string.len()].0 + 1, code, string.len()));
            }
        }
        steps[place] = best;
    }
    let mut encoded = Vec::new();
    let mut place = 0;
    while place < text.len() {
        let (_, code, length) = steps[place];
        match text[place] {
            _ if code != LITERAL => encoded.push(code),
            byte if byte.is_ascii() && byte != LITERAL => encoded.push(byte),
            byte => encoded.extend([LITERAL, byte]),
        }
        place += length;
    }
    encoded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_frequent_gets_short() {
        let texts = ["nation", "station", "ration", "national"];
        let slots = learn(texts.iter().map(|text| text.as_bytes()));
        assert!(encode(&slots, b"ration").len() <= 2);
        assert_eq!(encode(&slots, b"xyz"), b"xyz");
        let encoded = encode(&slots, b"nationalize");
        assert_eq!(Symbols { slots: &slots }.strings(&encoded).collect::<Vec<_>>().concat(), b"nationalize");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn encoding_can_be_undone(
            texts in proptest::collection::vec("\\PC{0,12}|[abc]{0,12}", 0..30),
            other in "[abcé\0]{0,9}",
        ) {
            let slots = learn(texts.iter().map(String::as_bytes));
            prop_assert_eq!(slots.len(), CODES * SLOT);
            for text in texts.iter().chain([&other]) {
                let encoded = encode(&slots, text.as_bytes());
                let strings: Vec<&[u8]> = Symbols { slots: &slots }.strings(&encoded).collect();
                prop_assert_eq!(strings.concat(), text.as_bytes());
            }
        }
    }
}
