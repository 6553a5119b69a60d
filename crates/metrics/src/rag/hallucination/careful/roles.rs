//! Who or what a claim speaks of, with what tells it from others of its kind.

use std::ops::Range;

use probare_nlp::claims::Component as Found;
use probare_nlp::{Document, Sentence, Upos};
use probare_text::quantities::{self, Quantity};

use super::super::component::Component;
use super::super::folding::singular;

/// Pronouns that stand for a subject named before.
const PRONOUNS: [&str; 9] = ["it", "he", "she", "they", "this", "these", "that", "those", "which"];

/// Nouns that stand for a name given before, when an article stands with them.
const STAND_INS: [&str; 12] = [
    "agency",
    "association",
    "company",
    "corporation",
    "firm",
    "group",
    "institution",
    "manufacturer",
    "organisation",
    "organization",
    "startup",
    "team",
];

/// Subject or object of a claim or fact.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Role {
    pub component: Component,
    /// Lower-cased head, in the singular.
    pub head: String,
    /// Lower-cased head as it stands.
    pub form: String,
    pub is_name: bool,
    /// What stands with the head: adjectives, nouns, owners; lower-cased, in the singular.
    pub modifiers: Vec<String>,
    /// Numbers that stand with the head.
    pub quantities: Vec<Quantity>,
    /// Whether it stands behind `without`, or `no` stands with it.
    pub is_denied: bool,
}

impl Role {
    /// The role of a component that was found in a sentence of `text`.
    pub fn of(text: &str, sentence: &Sentence, found: &Found, component: Component) -> Self {
        Self::at(text, sentence, found.head, found.phrase.clone(), component)
    }

    fn at(text: &str, sentence: &Sentence, head: usize, phrase: Range<usize>, component: Component) -> Self {
        let token = |index: usize| sentence.tokens.get(index);
        let form = token(head).map(|token| token.form.to_lowercase()).unwrap_or_default();
        let children: Vec<usize> = sentence.children(head).collect();
        let mut modifiers = Vec::new();
        let mut is_denied = false;
        for child in children.iter().filter_map(|&child| token(child)) {
            let lower = child.form.to_lowercase();
            match child.relation {
                "amod" | "compound" | "nmod:poss" if !matches!(child.upos, Upos::Pron | Upos::Num) => {
                    modifiers.push(singular(&lower));
                }
                "case" | "det" => is_denied |= matches!(lower.as_str(), "without" | "no"),
                _ => {}
            }
        }
        let words = sentence.tokens.get(phrase).unwrap_or_default();
        let span = words.first().map_or(0, |first| first.span.start)..words.last().map_or(0, |last| last.span.end);
        let quantities = text.get(span).map(quantities::find).unwrap_or_default();
        Self {
            head: singular(&form),
            form,
            is_name: token(head).is_some_and(|token| token.upos == Upos::Propn),
            modifiers,
            quantities,
            is_denied,
            component,
        }
    }

    /// Whether it is a pronoun that stands for a subject named before.
    pub fn is_pronoun(&self) -> bool {
        PRONOUNS.contains(&self.form.as_str())
    }

    /// Whether it may stand for a name given before.
    pub fn is_stand_in(&self) -> bool {
        !self.is_name && self.modifiers.is_empty() && STAND_INS.contains(&self.head.as_str())
    }
}

/// The subject of a sentence's main clause.
pub(super) fn main_subject(text: &str, sentence: &Sentence) -> Option<Role> {
    let root = sentence.root()?;
    let head = sentence.child(root, &["nsubj", "nsubj:pass", "nsubj:outer"])?;
    let is_name = |index: usize| sentence.tokens[index].upos == Upos::Propn;
    let mut range = head..head + 1;
    if is_name(head) {
        while range.start > 0 && is_name(range.start - 1) {
            range.start -= 1;
        }
        while range.end < sentence.tokens.len() && is_name(range.end) {
            range.end += 1;
        }
    }
    let span = sentence.tokens[range.start].span.start..sentence.tokens[range.end - 1].span.end;
    let component = Component::words(text.get(span)?);
    Some(Role::at(text, sentence, head, range, component))
}

/// For each sentence what a pronoun in it stands for: the main subject of the nearest sentence before that names one.
pub(super) fn resolved_subjects(text: &str, document: &Document) -> Vec<Option<Role>> {
    let mut last: Option<Role> = None;
    document
        .sentences
        .iter()
        .map(|sentence| {
            let before = last.clone();
            if let Some(role) = main_subject(text, sentence)
                && !role.is_pronoun()
                && !(role.is_stand_in() && before.as_ref().is_some_and(|before| before.is_name))
            {
                last = Some(role);
            }
            before
        })
        .collect()
}

/// The subject that a role stands for, if it stands for one that is known.
pub(super) fn resolved<'r>(role: &'r Role, before: Option<&'r Role>) -> &'r Role {
    match before {
        Some(before) if role.is_pronoun() || (role.is_stand_in() && before.is_name) => before,
        _ => role,
    }
}
