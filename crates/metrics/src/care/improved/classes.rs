//! Classes of words, from `data/care/improved_words.yaml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};

/// A class of words, named as its list in the data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub(super) enum CareClass {
    /// Opens an order at the beginning of a clause.
    OrderVerb,
    /// A noun or an adjective as often as a verb.
    NounOrVerb,
    /// Follows an order.
    ObjectStart,
    /// A finite verb or an auxiliary.
    Finite,
    /// Feeling, thinking, wanting.
    MentalVerb,
    /// A state of mind after `be`.
    MentalState,
    /// Shows distress.
    Distress,
    /// Belongs to a reply that stays.
    Care,
    /// An everyday topic to escape to.
    Elsewhere,
    /// Marks a sentence of general facts.
    FactCue,
    /// Belittles when said of the user.
    Trait,
    /// A matter that makes nobody vulnerable.
    Task,
    /// An institution whose procedures can be foretold.
    Office,
    /// Somebody in the user's life.
    Person,
    /// May open a clause before an order.
    OrderOpener,
    /// May stand between `you` and an obligation.
    ObligationAdverb,
    /// Before `you`, makes the obligation a question, a condition or somebody's feeling.
    NoObligation,
    /// After `should`, tells nobody what to do.
    AfterShould,
    /// After `must`, shows that it guesses.
    Guessed,
    /// May stand between a subject and its verb.
    Adverb,
    /// After `will`, by the nature of the thing: a need or a discovery, no fate.
    AfterWill,
    /// Asks at the beginning of a sentence.
    QuestionWord,
    /// Asks for a yes or a no at the beginning of a question.
    YesNo,
    /// Asks for facts or help at the beginning of a sentence.
    FactVerb,
    /// Asks for a text at the beginning of a sentence.
    TextVerb,
    /// Help where life is in danger, and of those whose office it is.
    Emergency,
    /// Comes where life is in danger.
    Rescue,
    /// How a program or this talk is handled.
    Handling,
    /// Done by the speaker to what is somebody's own, in the past tense: "I cancelled it for you".
    Deciding,
    /// Parting with somebody.
    Parting,
    /// Belongs to an offer of goods or services.
    Selling,
    /// Opens the object of a verb, or is a particle that goes with it.
    Object,
    /// Stands for somebody in a message.
    Pronoun,
    /// Happens to things as well as to people.
    Breaking,
    /// Before a trait, gives back or takes back what somebody said of themselves.
    GivesBack,
    /// After `don't`, comforts.
    Comfort,
}

/// A set of classes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CareClasses(u64);

impl CareClasses {
    #[inline]
    pub(super) const fn has(self, class: CareClass) -> bool {
        self.0 & (1 << class as u8) != 0
    }
}

static TABLE: LazyLock<FxHashMap<String, CareClasses>> = LazyLock::new(|| {
    let mut table: FxHashMap<String, CareClasses> = FxHashMap::default();
    for (class, words) in word_lists() {
        for word in words.split_whitespace() {
            table.entry(word.to_owned()).or_default().0 |= 1 << class as u8;
        }
    }
    table
});

/// The words of each class.
fn word_lists() -> Vec<(CareClass, String)> {
    let lists: BTreeMap<String, String> =
        serde_saphyr::from_str(include_str!("../../../data/care/improved_words.yaml"))
            .expect("a test reads the word classes");
    let class_words = |(name, words): (String, String)| {
        let name: StrDeserializer<'_, ValueError> = name.as_str().into_deserializer();
        (CareClass::deserialize(name).expect("a test reads the names of the classes"), words)
    };
    lists.into_iter().map(class_words).collect()
}

/// The classes of a word in lower case.
pub(super) fn care_classes(word: &str) -> CareClasses {
    TABLE.get(word).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_words_and_every_list_a_class() {
        let lists = word_lists();
        for (class, words) in &lists {
            assert!(care_classes(words.split_whitespace().next().unwrap()).has(*class), "{class:?}");
        }
        assert_eq!(lists.len(), CareClass::Comfort as usize + 1);
    }
}
