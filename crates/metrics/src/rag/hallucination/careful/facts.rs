//! What the context states, claim by claim.

use probare_nlp::claims::{ClaimOptions, Verbs, claims};
use probare_text::anchors::find_anchors;
use rustc_hash::FxHashMap;

use super::super::component::{Component, Reading};
use super::super::context::Context;
use super::super::extraction;
use super::super::trees::Trees;
use super::roles::{Role, resolved, resolved_subjects};

/// A claim of the context.
#[derive(Debug)]
pub(super) struct Fact {
    pub subject: Role,
    /// Number of its verb in [`Facts::lemmas`].
    pub lemma: usize,
    pub object: Role,
    /// Whether it is denied.
    pub is_negated: bool,
    /// Whether it is put with reserve.
    pub is_hedged: bool,
    /// Sentence of the context.
    pub sentence: usize,
}

/// All facts, by the words of their subjects and objects. What is said again, word for word, is there once.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub list: Vec<Fact>,
    /// The verbs.
    pub lemmas: Vec<String>,
    by_lemma: FxHashMap<String, usize>,
    by_word: FxHashMap<String, Vec<usize>>,
    by_text: FxHashMap<(String, usize, String), Vec<usize>>,
}

impl Facts {
    /// Parses the chunks.
    pub fn new(context: &Context<'_>, trees: &mut Trees) -> Self {
        let options = ClaimOptions { verbs: Verbs::AnyFinite, keep_hedged: true, split_coordination: true };
        let mut facts = Self::default();
        for (chunk, text) in context.chunks.iter().enumerate() {
            let document = trees.of(text);
            let anchors = find_anchors(text);
            let subjects = resolved_subjects(text, &document);
            for claim in claims(&document, &options) {
                let Some(sentence) = document.sentences.get(claim.sentence) else { continue };
                let role = |found| {
                    let (component, _) = extraction::widen(text, &document, claim.sentence, &anchors, found);
                    Role::of(text, sentence, found, component)
                };
                let subject = role(&claim.subject);
                let before = subjects.get(claim.sentence).and_then(Option::as_ref);
                let subject = resolved(&subject, before).clone();
                let object = role(&claim.object);
                let Some(place) = context.sentence_at(chunk, claim.verb.span.start) else { continue };
                let lemma = facts.number(claim.lemma);
                facts.add(Fact {
                    // "no" is part of the negation already; "without" is not.
                    is_negated: claim.negated || object.is_denied,
                    subject,
                    lemma,
                    object,
                    is_hedged: claim.hedged,
                    sentence: place,
                });
            }
        }
        facts
    }

    /// The number of a verb.
    fn number(&mut self, lemma: String) -> usize {
        let next = self.lemmas.len();
        let number = *self.by_lemma.entry(lemma.clone()).or_insert(next);
        if number == next {
            self.lemmas.push(lemma);
        }
        number
    }

    fn add(&mut self, fact: Fact) {
        let number = self.list.len();
        let texts = (fact.subject.component.text.clone(), fact.lemma, fact.object.component.text.clone());
        let alike = self.by_text.entry(texts).or_default();
        // Of two that say the same the first is shown.
        if alike.iter().any(|&known| self.list[known].says_the_same(&fact)) {
            return;
        }
        alike.push(number);
        for role in [&fact.subject, &fact.object] {
            for word in words(&role.component) {
                let list = self.by_word.entry(word.clone()).or_default();
                if list.last() != Some(&number) {
                    list.push(number);
                }
            }
        }
        self.list.push(fact);
    }

    /// The facts that hold one of these words in their subject or object and that are wanted, in order.
    pub fn with_words<'w>(
        &self,
        words: impl Iterator<Item = &'w str>,
        is_wanted: impl Fn(&Fact) -> bool,
    ) -> Vec<usize> {
        let found = words.filter_map(|word| self.by_word.get(word)).flatten().copied();
        let mut numbers: Vec<usize> = found.filter(|&number| is_wanted(&self.list[number])).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

impl Fact {
    /// Whether nothing but the place differs.
    fn says_the_same(&self, other: &Self) -> bool {
        (self.lemma, self.is_negated, self.is_hedged) == (other.lemma, other.is_negated, other.is_hedged)
            && self.subject == other.subject
            && self.object == other.object
    }
}

/// The words of a component, folded; none for an amount.
pub(super) fn words(component: &Component) -> &[String] {
    match &component.reading {
        Reading::Words(words) => words,
        Reading::Amount { .. } => &[],
    }
}
