//! The four parts of speech that WordNet knows, and small sets of them.

use std::fmt;

/// A part of speech of WordNet. Satellite adjectives are adjectives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartOfSpeech {
    /// Nouns, names included.
    Noun,
    /// Verbs.
    Verb,
    /// Adjectives, satellites included.
    Adjective,
    /// Adverbs.
    Adverb,
}

impl PartOfSpeech {
    /// All four, in the order of WordNet's own documentation.
    pub const ALL: [Self; 4] = [Self::Noun, Self::Verb, Self::Adjective, Self::Adverb];

    /// The letter that WordNet's files use: `n`, `v`, `a` or `r`.
    pub fn letter(self) -> char {
        match self {
            Self::Noun => 'n',
            Self::Verb => 'v',
            Self::Adjective => 'a',
            Self::Adverb => 'r',
        }
    }

    /// Reads WordNet's letter; `s`, a satellite, is an adjective.
    pub fn from_letter(letter: &str) -> Option<Self> {
        match letter {
            "n" => Some(Self::Noun),
            "v" => Some(Self::Verb),
            "a" | "s" => Some(Self::Adjective),
            "r" => Some(Self::Adverb),
            _ => None,
        }
    }

    /// The ending of the file names that hold this part of speech (`data.adj`).
    pub(super) fn file_suffix(self) -> &'static str {
        match self {
            Self::Noun => "noun",
            Self::Verb => "verb",
            Self::Adjective => "adj",
            Self::Adverb => "adv",
        }
    }

    /// The bit that stands for this part of speech in a set.
    pub(super) fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of parts of speech.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct PartsOfSpeech(u8);

impl PartsOfSpeech {
    /// The bits of a record's header; higher bits have other meanings and are dropped.
    pub(super) fn from_bits(bits: u8) -> Self {
        Self(bits & 0b1111)
    }

    /// Adds one part of speech.
    pub(super) fn insert(&mut self, part: PartOfSpeech) {
        self.0 |= part.bit();
    }

    /// Whether `part` is in the set.
    pub fn contains(self, part: PartOfSpeech) -> bool {
        self.0 & part.bit() != 0
    }

    /// Whether the set has no members, as for a word that WordNet does not know.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many members the set has.
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The members in the order of [`PartOfSpeech::ALL`].
    pub fn iter(self) -> impl Iterator<Item = PartOfSpeech> {
        PartOfSpeech::ALL.into_iter().filter(move |part| self.contains(*part))
    }
}

impl fmt::Debug for PartsOfSpeech {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_lead_back_to_their_part_of_speech() {
        for part in PartOfSpeech::ALL {
            assert_eq!(PartOfSpeech::from_letter(&part.letter().to_string()), Some(part));
        }
        assert_eq!(PartOfSpeech::from_letter("s"), Some(PartOfSpeech::Adjective));
        assert_eq!(PartOfSpeech::from_letter("x"), None);
    }

    #[test]
    fn a_set_lists_its_members_in_order() {
        let mut set = PartsOfSpeech::default();
        assert!(set.is_empty());
        set.insert(PartOfSpeech::Adverb);
        set.insert(PartOfSpeech::Noun);
        assert_eq!(format!("{set:?}"), "{Noun, Adverb}");
    }
}
