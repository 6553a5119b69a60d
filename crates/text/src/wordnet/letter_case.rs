//! How a name is written in capitals and small letters, apart from which letters they are.
//!
//! Lemmas are stored in lower case, because that is how they are looked up; a synset remembers with a few bits how its
//! words are spelled (`Denmark`, `genus_Canis`, `USA`).

use super::reader::{VarintReader, write_number};

/// The case pattern of a name whose words are joined by underscores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LetterCase {
    /// No capitals.
    Lower,
    /// Each word begins with a capital.
    EachWord,
    /// Only the first letter is a capital.
    First,
    /// Capitals at the characters whose bits are set.
    Mask(Vec<u8>),
}

impl LetterCase {
    /// The pattern that leads from `lower`, the lower case of `name`, back to it, if there is one.
    pub(super) fn from_spelling(name: &str, lower: &str) -> Option<Self> {
        let mut mask = vec![0; name.chars().count().div_ceil(8)];
        for (place, (left, right)) in name.chars().zip(lower.chars()).enumerate() {
            if left != right {
                mask[place / 8] |= 1 << (place % 8);
            }
        }
        while mask.last() == Some(&0) {
            mask.pop();
        }
        [Self::Lower, Self::EachWord, Self::First, Self::Mask(mask)].into_iter().find(|case| case.apply(lower) == name)
    }

    /// Writes `lower` with the capitals of this pattern.
    pub(super) fn apply(&self, lower: &str) -> String {
        let mut name = String::with_capacity(lower.len());
        let mut begins_word = true;
        for (place, letter) in lower.chars().enumerate() {
            let is_capital = match self {
                Self::Lower => false,
                Self::EachWord => begins_word,
                Self::First => place == 0,
                Self::Mask(mask) => mask.get(place / 8).is_some_and(|bits| bits & (1 << (place % 8)) != 0),
            };
            if is_capital {
                name.extend(letter.to_uppercase());
            } else {
                name.push(letter);
            }
            begins_word = letter == '_';
        }
        name
    }

    /// Two bits for the kind of pattern.
    pub(super) fn code(&self) -> u32 {
        match self {
            Self::Lower => 0,
            Self::EachWord => 1,
            Self::First => 2,
            Self::Mask(_) => 3,
        }
    }

    /// Writes what follows the code: a mask, or nothing.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        if let Self::Mask(mask) = self {
            write_number(bytes, u32::try_from(mask.len()).expect("a lemma is shorter than four gigabytes"));
            bytes.extend_from_slice(mask);
        }
    }

    /// Reads what follows the code.
    pub(super) fn read(code: u32, reader: &mut VarintReader<'_>) -> Option<Self> {
        Some(match code {
            0 => Self::Lower,
            1 => Self::EachWord,
            2 => Self::First,
            _ => {
                let length = usize::try_from(reader.number()?).ok()?;
                Self::Mask(reader.bytes(length)?.to_vec())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_their_capitals_back() {
        for (name, code) in
            [("car", 0), ("New_York", 1), ("Denmark", 1), ("Canis_lupus", 2), ("genus_Canis", 3), ("USA", 3)]
        {
            let lower = name.to_lowercase();
            let case = LetterCase::from_spelling(name, &lower).unwrap();
            assert_eq!(case.code(), code, "{name}");
            let mut bytes = Vec::new();
            case.write(&mut bytes);
            let read = LetterCase::read(code, &mut VarintReader::new(&bytes)).unwrap();
            assert_eq!(read.apply(&lower), name);
        }
    }

    #[test]
    fn a_letter_without_a_way_back_has_no_pattern() {
        assert_eq!(LetterCase::from_spelling("İ", "i̇"), None);
    }
}
