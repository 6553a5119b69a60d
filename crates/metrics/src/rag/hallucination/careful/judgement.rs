//! Holds a claim against the facts of the context.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use probare_nlp::{Document, Sentence};
use probare_text::quantities::{self, Quantity};
use probare_text::wordnet::WordNet;
use rustc_hash::FxHashMap;

use super::super::claim_support::{Lack, Statement, Unsupported, verbs};
use super::super::component::{Component, Reading};
use super::super::context::Context;
use super::super::examination::{lack_reason, source_of};
use super::super::extraction::Extracted;
use super::super::finding::Standing;
use super::super::folding::singular;
use super::super::verbs::VerbClass;
use super::conversion::{self, Approach, significant_digits};
use super::facts::{Fact, Facts, words};
use super::meaning;
use super::relations::{Relation, Relations, VerbRelation};
use super::roles::{Role, resolved};
use super::statements::RESERVE;

/// Verbs of which something has one object only: where it is, what it costs, what it is.
const ONE_OBJECT: [&str; 16] = [
    "be", "locate", "situate", "base", "lie", "stand", "cost", "bear", "die", "live", "make", "weigh", "found",
    "close", "open", "take",
];

/// Verbs of which something has one subject only: who founded it, who won it.
const ONE_SUBJECT: [&str; 22] = [
    "acquire",
    "author",
    "be",
    "build",
    "buy",
    "compose",
    "create",
    "design",
    "direct",
    "discover",
    "establish",
    "found",
    "invent",
    "launch",
    "lead",
    "own",
    "paint",
    "publish",
    "purchase",
    "start",
    "win",
    "write",
];

/// Why a claim about one of which the context knows another is contradicted.
const ANOTHER_SUBJECT: &str = "the context says it of another one";

/// What a fact says of a claim; later ones weigh more.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    Nothing,
    Reserved,
    Against(&'static str),
    For,
}

/// A claim of the response, with its roles.
struct Asked<'a> {
    subject: &'a Role,
    lemma: &'a str,
    object: &'a Role,
    is_negated: bool,
}

/// Judges the claims of a response.
pub(super) struct Judge<'a> {
    context: &'a Context<'a>,
    facts: &'a Facts,
    alternatives: Alternatives,
    relations: Relations,
}

/// Claims by their texts, with what the context says of them.
type Told = FxHashMap<(String, String, String), Vec<(Role, Role, bool, Standing)>>;

impl<'a> Judge<'a> {
    /// Judges by these facts of a context.
    pub fn new(context: &'a Context<'a>, facts: &'a Facts) -> Self {
        Self { context, facts, alternatives: Alternatives::default(), relations: Relations::default() }
    }

    /// What the context says of each claim; `subjects` are what pronouns in the sentences stand for.
    pub fn standings(
        &self,
        response: &str,
        document: &Document,
        claims: &[Extracted],
        subjects: &[Option<Role>],
    ) -> Vec<Standing> {
        let mut told = Told::default();
        let mut standings: Vec<Standing> = claims
            .iter()
            .map(|claim| match document.sentences.get(claim.sentence) {
                Some(sentence) => {
                    let before = subjects.get(claim.sentence).and_then(Option::as_ref);
                    self.standing(&mut told, response, sentence, claim, before)
                }
                None => Standing::Unsupported { reason: Cow::Borrowed("the claim has no sentence") },
            })
            .collect();
        // "A and B built it" when the context names A alone: that B did is not excluded.
        let verb = |claim: &Extracted| claim.claim.verb.span.start;
        let held: BTreeSet<usize> = claims
            .iter()
            .zip(&standings)
            .filter(|(_, standing)| matches!(standing, Standing::Supported { .. }))
            .map(|(claim, _)| verb(claim))
            .collect();
        for (claim, standing) in claims.iter().zip(&mut standings) {
            if held.contains(&verb(claim))
                && let Standing::Contradicted { reason, .. } = standing
                && reason == ANOTHER_SUBJECT
            {
                *standing = Standing::Unsupported { reason: Cow::Borrowed("the context says it of the others alone") };
            }
        }
        standings
    }

    /// What the context says of a claim; `before` is what a pronoun in its sentence stands for. The same claim again, as
    /// in a long list, has the same answer.
    fn standing(
        &self,
        told: &mut Told,
        response: &str,
        sentence: &Sentence,
        claim: &Extracted,
        before: Option<&Role>,
    ) -> Standing {
        let subject = Role::of(response, sentence, &claim.claim.subject, claim.statement.subject.clone());
        let subject = resolved(&subject, before);
        let object = Role::of(response, sentence, &claim.claim.object, claim.statement.object.clone());
        let is_negated = claim.statement.is_negated || object.is_denied;
        let texts = (subject.component.text.clone(), claim.claim.lemma.clone(), object.component.text.clone());
        let alike = told.entry(texts).or_default();
        let known = alike.iter().find(|(known_subject, known_object, known_negated, _)| {
            known_subject == subject && *known_object == object && *known_negated == is_negated
        });
        if let Some((_, _, _, standing)) = known {
            return standing.clone();
        }
        let standing = self.judged(&Asked { subject, lemma: &claim.claim.lemma, object: &object, is_negated });
        alike.push((subject.clone(), object.clone(), is_negated, standing.clone()));
        standing
    }

    fn judged(&self, asked: &Asked<'_>) -> Standing {
        let (word, fact) = self.by_facts(asked);
        match (word, fact) {
            (Word::For, Some(fact)) => {
                return Standing::Supported { source: source_of(self.context, fact.sentence), note: None };
            }
            (Word::Against(reason), Some(fact)) => {
                let source = source_of(self.context, fact.sentence);
                return Standing::Contradicted { reason: Cow::Borrowed(reason), source };
            }
            (Word::Reserved, Some(_)) => return reserved(),
            _ => {}
        }
        self.by_sentences(asked)
    }

    /// The weightiest word of all facts that share subject or object with the claim.
    fn by_facts(&self, asked: &Asked<'_>) -> (Word, Option<&Fact>) {
        let mut heads: Vec<String> = Vec::new();
        for role in [asked.subject, asked.object] {
            heads.extend(words(&role.component).iter().cloned());
            if !role.is_name && !role.component.is_amount() {
                heads.extend(self.alternatives.of(&role.head).iter().cloned());
            }
        }
        let verbs = self.relations.of_verb(asked.lemma, &self.facts.lemmas);
        let mut best = (Word::Nothing, None);
        // A fact with an unrelated verb says nothing.
        let is_related = |fact: &Fact| verbs[fact.lemma] != VerbRelation::Unrelated;
        for number in self.facts.with_words(heads.iter().map(String::as_str), is_related) {
            let fact = &self.facts.list[number];
            let word = self.weigh(asked, verbs[fact.lemma], fact);
            if rank(&word) > rank(&best.0) {
                best = (word, Some(fact));
            }
            if best.0 == Word::For {
                // Nothing weighs more, and of equals the first counts.
                break;
            }
        }
        best
    }

    /// Falls back on the sentences of the context, with more verbs and nouns than the reference profile knows.
    fn by_sentences(&self, asked: &Asked<'_>) -> Standing {
        let mut nearest = Unsupported { lack: Lack::Object, nearest: None };
        let verb = widened_verb(asked.lemma);
        let statement = |object: Component| Statement {
            subject: asked.subject.component.clone(),
            verb: verb.clone(),
            object,
            is_negated: asked.is_negated,
        };
        let mut objects = vec![asked.object.component.clone()];
        if !asked.object.is_name && !asked.object.component.is_amount() {
            let others = self.alternatives.of(&asked.object.head);
            objects.extend(others.iter().take(8).map(|word| Component::words(word)));
        }
        objects.extend(self.converted(&asked.object.component));
        for object in objects {
            match statement(object).support(self.context) {
                Ok(sentence) if self.is_reserved(sentence) => return reserved(),
                Ok(sentence) => {
                    return Standing::Supported { source: source_of(self.context, sentence), note: None };
                }
                Err(unsupported) if unsupported.lack > nearest.lack => nearest = unsupported,
                Err(_) => {}
            }
        }
        let reason = lack_reason(&statement(asked.object.component.clone()), nearest.lack);
        match (nearest.lack, nearest.nearest) {
            (Lack::Polarity, Some(sentence)) if self.has_verb(asked.lemma, sentence) => {
                Standing::Contradicted { reason: reason.into(), source: source_of(self.context, sentence) }
            }
            _ => Standing::Unsupported { reason: reason.into() },
        }
    }

    /// Whether a sentence is put with reserve.
    fn is_reserved(&self, sentence: usize) -> bool {
        let words = &self.context.sentences[sentence].words;
        words.iter().any(|word| RESERVE.contains(&self.context.vocabulary.lower(word.word)))
    }

    /// The numbers of the context that say the same in another unit.
    fn converted(&self, object: &Component) -> Vec<Component> {
        let Reading::Amount { quantity: Some(said), .. } = &object.reading else { return Vec::new() };
        let digits = significant_digits(&object.text);
        let mut found = Vec::new();
        for sentence in self.context.with_amounts().iter().map(|&index| &self.context.sentences[index]) {
            let chunk = self.context.chunks[sentence.chunk];
            let same = self.context.amounts(sentence).quantities.iter().filter(|had| {
                !quantities::supports(had, said) && conversion::bears_out(had, said, Approach::Exact, digits)
            });
            found.extend(same.map(|had| Component::amount(had.text(chunk))));
        }
        found
    }

    fn has_verb(&self, lemma: &str, sentence: usize) -> bool {
        let class = widened_verb(lemma);
        class.is_be() || !verbs(self.context, &self.context.sentences[sentence], &class).is_empty()
    }
}

fn reserved() -> Standing {
    Standing::Unsupported { reason: Cow::Borrowed("the context says so with reserve only") }
}

fn rank(word: &Word) -> u8 {
    match word {
        Word::Nothing => 0,
        Word::Reserved => 1,
        Word::Against(_) => 2,
        Word::For => 3,
    }
}

/// Words that mean the same, looked up once for each.
#[derive(Debug, Default)]
pub(super) struct Alternatives(RefCell<FxHashMap<String, Rc<[String]>>>);

impl Alternatives {
    /// Nouns and adjectives that mean the same, in the singular.
    fn of(&self, head: &str) -> Rc<[String]> {
        if let Some(known) = self.0.borrow().get(head) {
            return Rc::clone(known);
        }
        let synonyms = WordNet::embedded().synonyms(head);
        let found: Rc<[String]> =
            synonyms.iter().filter(|word| meaning::is_synonym(head, word)).map(|word| singular(word)).collect();
        self.0.borrow_mut().insert(head.to_owned(), Rc::clone(&found));
        found
    }
}

fn widened_verb(lemma: &str) -> VerbClass {
    VerbClass::of_lemma(lemma).widened(meaning::is_paraphrase)
}

impl Judge<'_> {
    /// What a fact says of a claim.
    fn weigh(&self, asked: &Asked<'_>, verbs: VerbRelation, fact: &Fact) -> Word {
        let is_copula = asked.lemma == "be" && self.facts.lemmas[fact.lemma] == "be";
        let direct = self.weigh_roles(asked, verbs, (&fact.subject, &fact.object), fact);
        if direct != Word::Nothing || !is_copula {
            if direct == Word::Nothing && verbs == VerbRelation::Same && self.is_turned(asked, fact) {
                return Word::Against("the context has the roles the other way round");
            }
            return direct;
        }
        // "The capital is X" and "X is the capital" say the same.
        self.weigh_roles(asked, verbs, (&fact.object, &fact.subject), fact)
    }

    fn is_turned(&self, asked: &Asked<'_>, fact: &Fact) -> bool {
        asked.lemma != "be"
            && !asked.object.component.is_amount()
            && VerbClass::of_lemma(asked.lemma).has_direction()
            && !asked.is_negated
            && !fact.is_negated
            && self.relations.compare(asked.subject, &fact.object) == Relation::Same
            && self.relations.compare(asked.object, &fact.subject) == Relation::Same
    }

    fn weigh_roles(
        &self,
        asked: &Asked<'_>,
        verbs: VerbRelation,
        (subject, object): (&Role, &Role),
        fact: &Fact,
    ) -> Word {
        let subjects =
            if asked.subject.is_pronoun() { Relation::Same } else { self.relations.compare(asked.subject, subject) };
        if !matches!(subjects, Relation::Same | Relation::Rival) {
            // Then it makes no difference what the objects are.
            return Word::Nothing;
        }
        let objects = self.relations.compare(asked.object, object);
        match (subjects, verbs, objects) {
            (Relation::Same, VerbRelation::Same | VerbRelation::Opposite, Relation::Same | Relation::Opposite) => {
                let turns = usize::from(asked.is_negated != fact.is_negated)
                    + usize::from(verbs == VerbRelation::Opposite)
                    + usize::from(objects == Relation::Opposite);
                if turns % 2 == 1 {
                    return Word::Against(match (verbs, objects) {
                        (VerbRelation::Opposite, _) => "the context has the opposite verb",
                        (_, Relation::Opposite) => "the context has the opposite word",
                        _ if asked.is_negated => "the context affirms what is denied here",
                        _ => "the context denies it",
                    });
                }
                if asked.object.quantities.iter().any(|said| is_disputed(said, &object.quantities, asked)) {
                    return Word::Against("the context has another number");
                }
                if fact.is_hedged { Word::Reserved } else { Word::For }
            }
            (Relation::Same, VerbRelation::Same, Relation::Rival) if !asked.is_negated && !fact.is_negated => {
                if asked.object.component.is_amount() {
                    Word::Against("the context has another value")
                } else if ONE_OBJECT.contains(&asked.lemma) {
                    Word::Against("the context names another one")
                } else {
                    Word::Nothing
                }
            }
            (Relation::Rival, VerbRelation::Same, Relation::Same)
                if !asked.is_negated && !fact.is_negated && ONE_SUBJECT.contains(&asked.lemma) =>
            {
                Word::Against(ANOTHER_SUBJECT)
            }
            _ => Word::Nothing,
        }
    }
}

/// Whether a number that stands with the object has another value in the fact.
fn is_disputed(said: &Quantity, had: &[Quantity], asked: &Asked<'_>) -> bool {
    let digits = significant_digits(&asked.object.component.text);
    let rivals: Vec<_> = had.iter().filter(|had| conversion::is_same_sort(had, said)).collect();
    !rivals.is_empty() && !rivals.iter().any(|had| conversion::bears_out(had, said, Approach::About, digits))
}
