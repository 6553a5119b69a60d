//! The 45 broad semantic categories of WordNet (its lexicographer files), such as `noun.person` or `verb.emotion`.

use std::fmt;

use super::PartOfSpeech;

/// Names by number, as the manual page `lexnames(5WN)` of WordNet 3.0 assigns them.
const NAMES: [&str; 45] = [
    "adj.all",
    "adj.pert",
    "adv.all",
    "noun.Tops",
    "noun.act",
    "noun.animal",
    "noun.artifact",
    "noun.attribute",
    "noun.body",
    "noun.cognition",
    "noun.communication",
    "noun.event",
    "noun.feeling",
    "noun.food",
    "noun.group",
    "noun.location",
    "noun.motive",
    "noun.object",
    "noun.person",
    "noun.phenomenon",
    "noun.plant",
    "noun.possession",
    "noun.process",
    "noun.quantity",
    "noun.relation",
    "noun.shape",
    "noun.state",
    "noun.substance",
    "noun.time",
    "verb.body",
    "verb.change",
    "verb.cognition",
    "verb.communication",
    "verb.competition",
    "verb.consumption",
    "verb.contact",
    "verb.creation",
    "verb.emotion",
    "verb.motion",
    "verb.perception",
    "verb.possession",
    "verb.social",
    "verb.stative",
    "verb.weather",
    "adj.ppl",
];

/// Numbers of the files that hold adjectives, where satellites are found.
const ADJECTIVE_FILES: [u8; 3] = [0, 1, 44];

/// A lexicographer file of WordNet: the broad category a meaning belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Category(u8);

impl Category {
    /// The category of a lexicographer file number, if there is one.
    pub fn from_number(number: u8) -> Option<Self> {
        (usize::from(number) < NAMES.len()).then_some(Self(number))
    }

    /// The category of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        let number = NAMES.iter().position(|known| *known == name)?;
        u8::try_from(number).ok().map(Self)
    }

    /// WordNet's number for it, 0 to 44.
    pub fn number(self) -> u8 {
        self.0
    }

    /// WordNet's name for it: part of speech, dot, topic.
    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.0)]
    }

    /// The part of speech that all synsets of this category have.
    pub fn part_of_speech(self) -> PartOfSpeech {
        match self.0 {
            2 => PartOfSpeech::Adverb,
            3..=28 => PartOfSpeech::Noun,
            29..=43 => PartOfSpeech::Verb,
            _ => PartOfSpeech::Adjective,
        }
    }

    /// A six-bit code of category and satellite mark: satellites follow the 45 plain numbers. `None` for a satellite
    /// that is no adjective.
    pub(super) fn code(self, is_satellite: bool) -> Option<u8> {
        if !is_satellite {
            return Some(self.0);
        }
        (45..).zip(ADJECTIVE_FILES).find(|(_, file)| *file == self.0).map(|(code, _)| code)
    }

    /// Category and satellite mark of a code; `None` for codes that [`code`](Self::code) does not give.
    pub(super) fn from_code(code: u8) -> Option<(Self, bool)> {
        match code.checked_sub(45) {
            None => Some((Self(code), false)),
            Some(place) => ADJECTIVE_FILES.get(usize::from(place)).map(|file| (Self(*file), true)),
        }
    }
}

impl fmt::Debug for Category {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl fmt::Display for Category {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_agree_with_the_part_of_speech() {
        for (number, name) in (0..).zip(NAMES) {
            let category = Category::from_number(number).unwrap();
            assert_eq!(name.split('.').next(), Some(category.part_of_speech().file_suffix()));
            assert_eq!(Category::from_name(name), Some(category));
        }
        assert_eq!(Category::from_number(45), None);
        assert_eq!(Category::from_name("noun.unicorn"), None);
    }

    #[test]
    fn codes_lead_back_to_category_and_mark() {
        for number in 0..45 {
            let category = Category::from_number(number).unwrap();
            for is_satellite in [false, true] {
                if let Some(code) = category.code(is_satellite) {
                    assert!(code < 64);
                    assert_eq!(Category::from_code(code), Some((category, is_satellite)));
                } else {
                    assert!(is_satellite && category.part_of_speech() != PartOfSpeech::Adjective);
                }
            }
        }
        assert_eq!(Category::from_code(48), None);
    }
}
