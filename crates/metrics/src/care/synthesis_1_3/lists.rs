//! The lists beside the lexicon: warm templates, filler words, ratings, support moves, disguised guarantees, command verbs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::care::phrases::{Phrase, PhraseContext, PhraseFamilies, PhraseMatcher, PlainPhrases};

const BUNDLED: &str = include_str!("../../../data/care/synthesis_1_3/empathy.yaml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListsFile {
    templates: BTreeMap<String, String>,
    filler: BTreeSet<String>,
    irregular_stems: BTreeMap<String, String>,
    concreteness: BTreeMap<String, f64>,
    support_moves: Vec<SupportMove>,
    guarantees: BTreeMap<String, String>,
    discourse_words: Vec<String>,
    command_verbs: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SupportMove {
    label: String,
    phrase: String,
}

/// The lists, ready for use.
pub(super) struct Lists {
    /// Warm stock phrases.
    pub(super) templates: PlainPhrases,
    /// Words that say nothing by themselves.
    pub(super) filler: BTreeSet<String>,
    /// Stems that no rule gives.
    pub(super) irregular_stems: BTreeMap<String, String>,
    /// Ratings from 1, abstract, to 5, concrete.
    pub(super) concreteness: BTreeMap<String, f64>,
    /// Words with which a clause may begin before its verb.
    pub(super) discourse_words: Vec<String>,
    /// Verbs that make a clause an order.
    pub(super) command_verbs: BTreeSet<String>,
    labels: Vec<String>,
    matcher: PhraseMatcher,
}

const MOVES: usize = 0;
const GUARANTEES: usize = 1;

impl Lists {
    fn read(text: &str) -> Result<Self, String> {
        let file: ListsFile = serde_saphyr::from_str(text).map_err(|error| error.to_string())?;
        let phrase = |text: &String| Phrase::parse(text).map_err(|error| error.to_string());
        let templates: Vec<Phrase> = file.templates.values().map(phrase).collect::<Result<_, _>>()?;
        let mut families = PhraseFamilies::default();
        let moves = file.support_moves.iter().map(|one| (MOVES, &one.phrase));
        for (group, text) in moves.chain(file.guarantees.values().map(|text| (GUARANTEES, text))) {
            let added = families.add(group, &[phrase(text)?], PhraseContext::default());
            added.map_err(|(_, problem)| format!("`{text}`: {problem}"))?;
        }
        Ok(Self {
            templates: PlainPhrases::new(&templates),
            filler: file.filler,
            irregular_stems: file.irregular_stems,
            concreteness: file.concreteness,
            discourse_words: file.discourse_words,
            command_verbs: file.command_verbs,
            labels: file.support_moves.into_iter().map(|one| one.label).collect(),
            matcher: families.matcher(),
        })
    }

    /// Labels of the support moves that a reply makes, in the order of the list.
    pub(super) fn support_moves(&self, reply: &str) -> Vec<String> {
        let found = self.matcher.find(reply, &[reply.len(), 0]);
        found.into_iter().map(|hit| self.labels[hit.family].clone()).collect()
    }

    /// Where a reply promises what sounds like a fact, in the order of the list.
    pub(super) fn guarantees(&self, reply: &str) -> Vec<Range<usize>> {
        self.matcher.find(reply, &[0, reply.len()]).into_iter().map(|hit| hit.span).collect()
    }
}

/// The bundled lists.
pub(super) fn lists() -> &'static Lists {
    static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::read(BUNDLED).expect("a test reads the bundled lists"));
    &LISTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_lists_are_read() {
        let lists = Lists::read(BUNDLED).unwrap();
        assert_eq!((lists.filler.len(), lists.concreteness.len(), lists.command_verbs.len()), (135, 49, 40));
        assert_eq!(
            lists.support_moves("It sounds like a lot. No wonder."),
            ["interpretation:sounds-like", "interpretation:no-wonder"]
        );
        assert_eq!(lists.guarantees("The research shows it.").first(), Some(&(0..18)));
    }
}
