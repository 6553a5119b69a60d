//! Classes of words, from `data/care/careful_words.yaml`, and chat spellings.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// A class of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Class {
    /// Opens an order at the beginning of a clause.
    OrderVerb,
    /// A noun or an adjective as often as a verb.
    NounOrVerb,
    /// Opens an invitation or a comfort in the imperative.
    GentleVerb,
    /// Follows an order.
    ObjectStart,
    /// A finite verb or an auxiliary.
    Finite,
    /// Makes a statement a possibility.
    Hedge,
    /// Feeling, thinking, wanting.
    MentalVerb,
    /// A state of mind after `be`.
    MentalState,
    /// A future time.
    FutureTime,
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
}

impl Class {
    const ALL: [(&'static str, Self); 17] = [
        ("order_verb", Self::OrderVerb),
        ("noun_or_verb", Self::NounOrVerb),
        ("gentle_verb", Self::GentleVerb),
        ("object_start", Self::ObjectStart),
        ("finite", Self::Finite),
        ("hedge", Self::Hedge),
        ("mental_verb", Self::MentalVerb),
        ("mental_state", Self::MentalState),
        ("future_time", Self::FutureTime),
        ("distress", Self::Distress),
        ("care", Self::Care),
        ("elsewhere", Self::Elsewhere),
        ("fact_cue", Self::FactCue),
        ("trait", Self::Trait),
        ("task", Self::Task),
        ("office", Self::Office),
        ("person", Self::Person),
    ];
}

/// A set of classes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Classes(u32);

impl Classes {
    pub(super) const fn has(self, class: Class) -> bool {
        self.0 & (1 << class as u8) != 0
    }
}

/// What is known of a word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    /// Its classes.
    pub classes: Classes,
    /// What it stands for where it is a chat spelling.
    pub stands_for: Option<&'static str>,
}

/// Chat spellings and what they stand for.
const CHAT: [(&str, &str); 27] = [
    ("u", "you"),
    ("ur", "you're"),
    ("r", "are"),
    ("im", "i'm"),
    ("ive", "i've"),
    ("idk", "i don't know"),
    ("dont", "don't"),
    ("doesnt", "doesn't"),
    ("didnt", "didn't"),
    ("cant", "can't"),
    ("cannot", "can't"),
    ("wont", "won't"),
    ("isnt", "isn't"),
    ("arent", "aren't"),
    ("wasnt", "wasn't"),
    ("shouldnt", "shouldn't"),
    ("wouldnt", "wouldn't"),
    ("couldnt", "couldn't"),
    ("youre", "you're"),
    ("youll", "you'll"),
    ("youve", "you've"),
    ("theyre", "they're"),
    ("theyll", "they'll"),
    ("shes", "she's"),
    ("thats", "that's"),
    ("ya", "you"),
    ("everythings", "everything's"),
];

static TABLE: LazyLock<FxHashMap<String, Known>> = LazyLock::new(|| {
    let lists: BTreeMap<String, String> = serde_saphyr::from_str(include_str!("../../../data/care/careful_words.yaml"))
        .expect("a test reads the word classes");
    let mut table: FxHashMap<String, Known> = FxHashMap::default();
    for (name, class) in Class::ALL {
        for word in lists.get(name).map(String::as_str).unwrap_or_default().split_whitespace() {
            table.entry(word.to_owned()).or_default().classes.0 |= 1 << class as u8;
        }
    }
    for (short, long) in CHAT {
        table.entry(short.to_owned()).or_default().stands_for = Some(long);
    }
    table
});

/// What is known of a word in lower case.
pub(super) fn known(word: &str) -> Known {
    TABLE.get(word).copied().unwrap_or_default()
}

/// The classes of a word in lower case.
pub(super) fn classes(word: &str) -> Classes {
    known(word).classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_words_and_every_list_a_class() {
        let lists: BTreeMap<String, String> =
            serde_saphyr::from_str(include_str!("../../../data/care/careful_words.yaml")).unwrap();
        for (name, class) in Class::ALL {
            let first = lists[name].split_whitespace().next().unwrap();
            assert!(classes(first).has(class), "{name}");
        }
        assert_eq!(lists.len(), Class::ALL.len());
    }
}
