//! Holds a claim against the facts of the context.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use probare_nlp::{Document, Sentence};
use probare_text::dates;
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
use super::amounts;
use super::conversion::{self, Approach, significant_digits};
use super::facts::{Fact, Facts, words};
use super::meaning;
use super::roles::{Role, resolved};
use super::statements::RESERVE;

/// Verbs that say no more than that two things belong together.
const LIGHT: [&str; 10] =
    ["be", "have", "include", "contain", "feature", "comprise", "offer", "provide", "come", "hold"];

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

/// How two roles stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Same,
    /// They shut each other out by their meaning.
    Opposite,
    /// Different ones of the same sort.
    Rival,
    Unrelated,
}

/// How two verbs stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VerbRelation {
    Same,
    Opposite,
    Unrelated,
}

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
    pub context: &'a Context<'a>,
    pub facts: &'a Facts,
    pub alternatives: Alternatives,
}

impl Judge<'_> {
    /// What the context says of each claim; `subjects` are what pronouns in the sentences stand for.
    pub fn standings(
        &self,
        response: &str,
        document: &Document,
        claims: &[Extracted],
        subjects: &[Option<Role>],
    ) -> Vec<Standing> {
        let mut standings: Vec<Standing> = claims
            .iter()
            .map(|claim| match document.sentences.get(claim.sentence) {
                Some(sentence) => {
                    let before = subjects.get(claim.sentence).and_then(Option::as_ref);
                    self.standing(response, sentence, claim, before)
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

    /// What the context says of a claim; `before` is what a pronoun in its sentence stands for.
    fn standing(&self, response: &str, sentence: &Sentence, claim: &Extracted, before: Option<&Role>) -> Standing {
        let subject = Role::of(response, sentence, &claim.claim.subject, claim.statement.subject.clone());
        let subject = resolved(&subject, before);
        let object = Role::of(response, sentence, &claim.claim.object, claim.statement.object.clone());
        let is_negated = claim.statement.is_negated || object.is_denied;
        let asked = Asked { subject, lemma: &claim.claim.lemma, object: &object, is_negated };
        let (word, fact) = self.by_facts(&asked);
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
        self.by_sentences(&asked)
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
        let mut best = (Word::Nothing, None);
        for number in self.facts.with_words(heads.iter().map(String::as_str)) {
            let fact = &self.facts.list[number];
            let word = weigh(asked, fact);
            if rank(&word) > rank(&best.0) {
                best = (word, Some(fact));
            }
        }
        best
    }

    /// Falls back on the sentences of the context, with more verbs and nouns than the reference profile knows.
    fn by_sentences(&self, asked: &Asked<'_>) -> Standing {
        let mut nearest = Unsupported { lack: Lack::Object, nearest: None };
        let statement = |object: Component| Statement {
            subject: asked.subject.component.clone(),
            verb: widened_verb(asked.lemma),
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
        for sentence in &self.context.sentences {
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

/// What a fact says of a claim.
fn weigh(asked: &Asked<'_>, fact: &Fact) -> Word {
    let verbs = compare_verbs(asked.lemma, &fact.lemma);
    let is_copula = asked.lemma == "be" && fact.lemma == "be";
    let direct = weigh_roles(asked, verbs, (&fact.subject, &fact.object), fact);
    if direct != Word::Nothing || !is_copula {
        if direct == Word::Nothing && verbs == VerbRelation::Same && is_turned(asked, fact) {
            return Word::Against("the context has the roles the other way round");
        }
        return direct;
    }
    // "The capital is X" and "X is the capital" say the same.
    weigh_roles(asked, verbs, (&fact.object, &fact.subject), fact)
}

fn is_turned(asked: &Asked<'_>, fact: &Fact) -> bool {
    asked.lemma != "be"
        && !asked.object.component.is_amount()
        && VerbClass::of_lemma(asked.lemma).has_direction()
        && !asked.is_negated
        && !fact.is_negated
        && compare(asked.subject, &fact.object) == Relation::Same
        && compare(asked.object, &fact.subject) == Relation::Same
}

fn weigh_roles(asked: &Asked<'_>, verbs: VerbRelation, (subject, object): (&Role, &Role), fact: &Fact) -> Word {
    let subjects = if asked.subject.is_pronoun() { Relation::Same } else { compare(asked.subject, subject) };
    let objects = compare(asked.object, object);
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

/// Whether a number that stands with the object has another value in the fact.
fn is_disputed(said: &Quantity, had: &[Quantity], asked: &Asked<'_>) -> bool {
    let digits = significant_digits(&asked.object.component.text);
    let rivals: Vec<_> = had.iter().filter(|had| conversion::is_same_sort(had, said)).collect();
    !rivals.is_empty() && !rivals.iter().any(|had| conversion::bears_out(had, said, Approach::About, digits))
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

/// Compares what two roles speak of.
fn compare(asked: &Role, had: &Role) -> Relation {
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
            compare_words(asked, had)
        }
    }
}

fn compare_words(asked: &Role, had: &Role) -> Relation {
    if meaning::is_opposite_word(&asked.form, &had.form) || meaning::is_opposite_word(&asked.head, &had.head) {
        return Relation::Opposite;
    }
    if asked.head == had.head || (!asked.is_name && !had.is_name && meaning::is_synonym(&asked.head, &had.head)) {
        return if is_told_apart(&asked.modifiers, &had.modifiers) { Relation::Unrelated } else { Relation::Same };
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
