//! The kinds of pointers between synsets that the table keeps.

/// How one synset, or one word of it, is related to another.
///
/// Left out are the reverse directions (hyponyms) and whole and part, topic, region and usage, which no metric needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SynsetRelation {
    /// The more general meaning: car, motor vehicle.
    Hypernym,
    /// What a named thing is an instance of: Denmark, country.
    InstanceHypernym,
    /// The opposite; between words.
    Antonym,
    /// A word of the same family; between words: teach, teacher.
    Derivation,
    /// Similar meaning; between adjectives.
    Similar,
    /// Worth seeing too; between adjectives, or words of verbs.
    Also,
    /// What an adjective pertains to or an adverb is made from; between words: quickly, quick.
    Pertainym,
    /// The verb of a participle; between words.
    Participle,
    /// The noun an adjective gives a value of, or back.
    Attribute,
    /// What a verb entails: snore, sleep.
    Entailment,
    /// What a verb causes: kill, die.
    Cause,
    /// Verbs of one group of meanings.
    VerbGroup,
}

/// Relations with WordNet's pointer symbols. The place in this list is the code in the table.
const SYMBOLS: [(SynsetRelation, &str); 12] = [
    (SynsetRelation::Hypernym, "@"),
    (SynsetRelation::InstanceHypernym, "@i"),
    (SynsetRelation::Antonym, "!"),
    (SynsetRelation::Derivation, "+"),
    (SynsetRelation::Similar, "&"),
    (SynsetRelation::Also, "^"),
    (SynsetRelation::Pertainym, "\\"),
    (SynsetRelation::Participle, "<"),
    (SynsetRelation::Attribute, "="),
    (SynsetRelation::Entailment, "*"),
    (SynsetRelation::Cause, ">"),
    (SynsetRelation::VerbGroup, "$"),
];

impl SynsetRelation {
    /// The relation of a pointer symbol; `None` for those the table leaves out.
    pub(super) fn from_symbol(symbol: &str) -> Option<Self> {
        SYMBOLS.iter().find(|(_, known)| *known == symbol).map(|(relation, _)| *relation)
    }

    /// The four-bit code in the table.
    pub(super) fn code(self) -> u8 {
        self as u8
    }

    /// The relation of a code.
    pub(super) fn from_code(code: u8) -> Option<Self> {
        SYMBOLS.get(usize::from(code)).map(|(relation, _)| *relation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_symbols_lead_back_to_the_relation() {
        for (relation, symbol) in SYMBOLS {
            assert_eq!(SynsetRelation::from_code(relation.code()), Some(relation));
            assert_eq!(SynsetRelation::from_symbol(symbol), Some(relation));
        }
        assert_eq!(SynsetRelation::from_code(12), None);
        assert_eq!(SynsetRelation::from_symbol("~"), None);
    }
}
