//! How verbs and roles stand to each other: the same, opposite, rivals, or unrelated.

use std::cell::RefCell;
use std::rc::Rc;

use probare_text::dates;
use rustc_hash::FxHashMap;

use super::super::component::{Component, Reading};
use super::super::verbs::VerbClass;
use super::amounts;
use super::conversion::{self, Approach, significant_digits};
use super::meaning;
use super::roles::Role;

/// Verbs that say no more than that two things belong together.
const LIGHT: [&str; 10] =
    ["be", "have", "include", "contain", "feature", "comprise", "offer", "provide", "come", "hold"];

/// How two roles stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Same,
    /// They shut each other out by their meaning.
    Opposite,
    /// Different ones of the same sort.
    Rival,
    Unrelated,
}

/// How two verbs stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VerbRelation {
    Same,
    Opposite,
    Unrelated,
}

/// How verbs and words stand to each other, looked up once for each pair: a dictionary takes its time.
#[derive(Debug, Default)]
pub(super) struct Relations {
    verbs: RefCell<FxHashMap<String, Rc<[VerbRelation]>>>,
    words: RefCell<FxHashMap<(Side, Side), Relation>>,
}

/// What a role is compared by, but for its modifiers: its form, its head, whether it is a name.
type Side = (String, String, bool);

impl Relations {
    /// How a verb stands to each of these, which are the same every time.
    pub fn of_verb(&self, asked: &str, lemmas: &[String]) -> Rc<[VerbRelation]> {
        if let Some(known) = self.verbs.borrow().get(asked) {
            return Rc::clone(known);
        }
        let found: Rc<[VerbRelation]> = lemmas.iter().map(|had| compare_verbs(asked, had)).collect();
        self.verbs.borrow_mut().insert(asked.to_owned(), Rc::clone(&found));
        found
    }

    /// How two words stand to each other, whatever stands with them.
    fn of_words(&self, asked: &Role, had: &Role) -> Relation {
        let side = |role: &Role| (role.form.clone(), role.head.clone(), role.is_name);
        *self.words.borrow_mut().entry((side(asked), side(had))).or_insert_with(|| compare_words(asked, had))
    }

    /// Compares what two roles speak of.
    pub fn compare(&self, asked: &Role, had: &Role) -> Relation {
        match (&asked.component.reading, &had.component.reading) {
            (Reading::Amount { .. }, Reading::Amount { .. }) => compare_amounts(&asked.component, &had.component),
            (Reading::Amount { .. }, _) | (_, Reading::Amount { .. }) => Relation::Unrelated,
            (Reading::Words(asked_words), Reading::Words(had_words)) => {
                if asked.is_name && had.is_name {
                    let (short, long) = if asked_words.len() <= had_words.len() {
                        (asked_words, had_words)
                    } else {
                        (had_words, asked_words)
                    };
                    let is_part = !short.is_empty() && short.iter().all(|word| long.contains(word));
                    return if is_part { Relation::Same } else { Relation::Rival };
                }
                match self.of_words(asked, had) {
                    Relation::Same if is_told_apart(&asked.modifiers, &had.modifiers) => Relation::Unrelated,
                    relation => relation,
                }
            }
        }
    }
}

/// How two words stand to each other, as a dictionary knows them.
fn compare_words(asked: &Role, had: &Role) -> Relation {
    if meaning::is_opposite_word(&asked.form, &had.form) || meaning::is_opposite_word(&asked.head, &had.head) {
        return Relation::Opposite;
    }
    if asked.head == had.head || (!asked.is_name && !had.is_name && meaning::is_synonym(&asked.head, &had.head)) {
        return Relation::Same;
    }
    if meaning::is_rival_quality(&asked.head, &had.head) { Relation::Rival } else { Relation::Unrelated }
}

/// Whether both have something that tells them from others, and it is not the same: the old mill, the new mill.
fn is_told_apart(asked: &[String], had: &[String]) -> bool {
    !asked.is_empty()
        && !had.is_empty()
        && !asked.iter().any(|word| had.iter().any(|other| word == other || meaning::is_synonym(word, other)))
}

fn compare_amounts(asked: &Component, had: &Component) -> Relation {
    let (Reading::Amount { quantity: said, date: said_date }, Reading::Amount { quantity: found, date: found_date }) =
        (&asked.reading, &had.reading)
    else {
        return Relation::Unrelated;
    };
    let digits = significant_digits(&asked.text);
    let same_date =
        said_date.as_ref().zip(found_date.as_ref()).is_some_and(|(said, found)| dates::supports(found, said));
    let same_number = said
        .as_ref()
        .zip(found.as_ref())
        .is_some_and(|(said, found)| conversion::bears_out(found, said, Approach::Exact, digits));
    if same_date || same_number {
        return Relation::Same;
    }
    let rival_date = said_date
        .as_ref()
        .zip(found_date.as_ref())
        .is_some_and(|(said, found)| amounts::is_same_sort_of_date(said, found));
    let rival_number =
        said.as_ref().zip(found.as_ref()).is_some_and(|(said, found)| conversion::is_same_sort(found, said));
    if rival_date || rival_number { Relation::Rival } else { Relation::Unrelated }
}

fn compare_verbs(asked: &str, had: &str) -> VerbRelation {
    if meaning::is_opposite_verb(asked, had) {
        VerbRelation::Opposite
    } else if VerbClass::of_lemma(asked).lemmas().iter().any(|lemma| lemma == had)
        || (LIGHT.contains(&asked) && LIGHT.contains(&had))
        || meaning::is_paraphrase(asked, had)
    {
        VerbRelation::Same
    } else {
        VerbRelation::Unrelated
    }
}
