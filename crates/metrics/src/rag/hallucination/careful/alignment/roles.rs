//! Who does what to whom, by the tree of a sentence. What stands in another place may keep its role ("the plan was rejected by the
//! council"), and what keeps its place may lose it ("the council was rejected by the plan").

use probare_nlp::lexicon::{Sort, sorts};
use probare_nlp::reading::{Reading, Sentence};
use probare_nlp::{self as nlp, Parser, Upos};

use super::edits::{Doubt, Edit, Laid};
use super::units::Unit;

/// Tokens of the longest sentence whose tree is read. Of a longer one nothing is shown.
pub(super) const LONGEST: usize = 200;

/// What one unit is to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Whoever does what a verb says, or of whom something is stated.
    Subject,
    /// Whoever it is done to.
    Object,
    /// What says more about it: whose it is, how it is done.
    Modifier,
    /// A word of the same noun: *new* and *harbour* of *new harbour authority*.
    Part,
    /// Another noun for the same; which of the two stands first does not matter.
    Other,
}

/// A unit with its role to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Binding {
    governor: usize,
    dependent: usize,
    role: Role,
}

/// The bindings between the units of a sentence.
#[derive(Default)]
pub(super) struct Bindings(Vec<Binding>);

/// What the trees of both sides say about the roles of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Roles {
    /// Every binding between what stands elsewhere is one of the context.
    Kept,
    /// Subject and object have changed places: a unit of the sentence and one of the context.
    Exchanged(usize, usize),
    /// A subject is an object there, or the other way round.
    Turned(usize),
    /// Nothing is shown.
    Unknown,
}

impl Bindings {
    /// Those of a sentence, whose units begin with number `first`.
    pub(super) fn of(reading: &Reading, sentence: &Sentence, units: &[Unit<'_>], first: usize) -> Self {
        let (text, start) = text(reading, sentence);
        let unit_of = |at: usize| {
            let token = reading.token_at(start + at);
            let origin = reading.tokens.get(token)?.origin.start;
            let next = units.partition_point(|unit| unit.span.start <= origin);
            let index = next.checked_sub(1).filter(|&index| origin < units[index].span.end)?;
            // A word with hyphens is several units of one place.
            Some(first + units.partition_point(|unit| unit.span.start < units[index].span.start))
        };
        let mut bindings = Self(Vec::new());
        for tree in Parser::english().parse(&text).sentences {
            let places: Vec<Option<usize>> = tree.tokens.iter().map(|token| unit_of(token.span.start)).collect();
            for token in 0..tree.tokens.len() {
                probare_cancellation::steps(1);
                for (governor, dependent, role) in bound(&tree, token) {
                    let is_led = matches!(tree.tokens[dependent].relation, "obl" | "nmod");
                    if let Some((governor, dependent)) = places[governor].zip(places[dependent])
                        && governor != dependent
                        // "Rejected by 54 to 45" does not tell by whom.
                        && !(is_led && role == Role::Subject && units[dependent - first].value().is_some())
                    {
                        bindings.0.push(Binding { governor, dependent, role });
                    }
                }
            }
        }
        bindings
    }

    /// Adds those of another sentence.
    pub(super) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether two units are of one noun. Which one a tree puts at its head differs.
    fn is_one_noun(&self, one: usize, other: usize) -> bool {
        let is_part = |governor, dependent| {
            [Role::Part, Role::Other].iter().any(|&role| self.0.contains(&Binding { governor, dependent, role }))
        };
        is_part(one, other) || is_part(other, one)
    }

    fn has(&self, governor: usize, dependent: usize, role: Role) -> bool {
        let is_his = |binding: &Binding| {
            binding.governor == governor && binding.role == role && self.is_one_noun(binding.dependent, dependent)
        };
        self.0.contains(&Binding { governor, dependent, role })
            || match role {
                Role::Subject | Role::Object => self.0.iter().any(is_his),
                Role::Other => self.is_one_noun(governor, dependent),
                Role::Modifier | Role::Part => false,
            }
    }
}

/// The text of a sentence with the capitals that it was written with, and where it begins in the text of its reading.
fn text(reading: &Reading, sentence: &Sentence) -> (String, usize) {
    let start = sentence.at.start;
    let mut text = reading.text[sentence.at.clone()].to_owned();
    for token in &reading.tokens[sentence.tokens.clone()] {
        let first = token.at.start.checked_sub(start).filter(|_| token.is_capital || token.at.start == start);
        let letter = first.and_then(|at| text.get_mut(at..at + 1));
        letter.into_iter().for_each(str::make_ascii_uppercase);
    }
    (text, start)
}

/// The bindings of a word of a tree to the one that it depends on: governor, dependent, role.
fn bound(tree: &nlp::Sentence, token: usize) -> Vec<(usize, usize, Role)> {
    let word = &tree.tokens[token];
    let Some(head) = word.head else { return Vec::new() };
    if word.relation == "conj" {
        return joined(tree, token, head);
    }
    let role = match word.relation {
        "acl" | "amod" if word.xpos == "VBN" => return vec![(token, head, Role::Object)],
        "acl" | "amod" if word.xpos == "VBG" => return vec![(token, head, Role::Subject)],
        "acl:relcl" => {
            let relative = tree.children(token).find(|&child| tree.tokens[child].xpos.starts_with('W'));
            let role = relative.and_then(|relative| role(tree, relative, token));
            return role.map(|role| (token, head, role)).into_iter().collect();
        }
        _ => role(tree, token, head),
    };
    role.map(|role| (head, token, role)).into_iter().collect()
}

/// What is joined by *and* has the role of what it is joined to, and a verb its subject if it has none of its own.
fn joined(tree: &nlp::Sentence, token: usize, first: usize) -> Vec<(usize, usize, Role)> {
    let mut bound = Vec::new();
    if let Some(head) = tree.tokens[first].head
        && let Some(role) = role(tree, first, head)
    {
        bound.push((head, token, role));
    }
    let subjects = ["nsubj", "nsubj:pass", "csubj"];
    if tree.child(token, &subjects).is_none()
        && let Some(subject) = tree.child(first, &subjects)
        && tree.tokens[token].upos == Upos::Verb
    {
        bound.push((token, subject, if is_passive(tree, token) { Role::Object } else { Role::Subject }));
    }
    bound
}

/// The role of a word to the one that it depends on, where it does not lie in a preposition alone.
fn role(tree: &nlp::Sentence, token: usize, head: usize) -> Option<Role> {
    let case = || tree.child(token, &["case"]).map(|case| tree.tokens[case].lemma.as_str());
    match tree.tokens[token].relation {
        "nsubj" | "csubj" | "nsubj:outer" => Some(if is_passive(tree, head) { Role::Object } else { Role::Subject }),
        "nsubj:pass" | "csubj:pass" | "obj" => Some(Role::Object),
        "obl:agent" => Some(Role::Subject),
        "obl" | "nmod" if case() == Some("by") && is_passive(tree, head) => Some(Role::Subject),
        "nmod" if case() == Some("of") => Some(Role::Modifier),
        "nmod:poss" | "advmod" => Some(Role::Modifier),
        "compound" | "flat" | "amod" | "nummod" => Some(Role::Part),
        "appos" => Some(Role::Other),
        _ => None,
    }
}

/// Whether a verb is passive: helped by *be*, or a participle behind its noun.
fn is_passive(tree: &nlp::Sentence, verb: usize) -> bool {
    let word = &tree.tokens[verb];
    word.xpos == "VBN"
        && (tree.child(verb, &["aux:pass", "nsubj:pass"]).is_some()
            || word.relation == "acl"
            || word.relation == "conj" && word.head.is_some_and(|head| tree.child(head, &["aux:pass"]).is_some()))
}

/// Whether a form of *be* stands before it.
fn is_helped(unit: &Unit<'_>) -> bool {
    sorts(unit.lead).has(Sort::Copula)
}

/// Whether it may be told by it who did something.
fn is_agent(unit: &Unit<'_>) -> bool {
    unit.lead == "by" && unit.value().is_none()
}

impl Laid<'_> {
    /// Whether trees can tell more: all that harms is that words, or names, stand elsewhere, or a verb is passive on one side only.
    pub(super) fn asks_for_roles(&self, doubts: &[Doubt]) -> bool {
        let is_name = |doubt: &Doubt| doubt.said.is_some_and(|index| self.said[index].is_name());
        let is_turned = |doubt: &Doubt| match doubt.edit {
            Edit::Turned => true,
            Edit::Moved => is_name(doubt),
            _ => false,
        };
        doubts.iter().all(is_turned) && (!doubts.is_empty() || self.is_voiced())
    }

    /// Whether a verb is passive on one side only, or somebody is led by *by* there.
    fn is_voiced(&self) -> bool {
        let mut met = self.path.met.iter().zip(self.said).filter_map(|(at, unit)| Some((unit, self.had[(*at)?])));
        met.any(|(unit, had)| is_helped(unit) != is_helped(had) || is_agent(unit) != is_agent(had))
    }

    /// What two trees say about the roles: the bindings of the response and of the context, and what stands elsewhere. What is next to
    /// each other on both sides is bound there as it is here, except where a verb is passive on one side only.
    pub(super) fn roles(&self, said: &Bindings, had: &Bindings, doubts: &[Doubt]) -> Roles {
        let pieces = self.pieces();
        let piece = |index: usize| pieces.partition_point(|&(_, _, first, _)| first <= index);
        let is_apart = |binding: &Binding| piece(binding.governor) != piece(binding.dependent);
        let met = |binding: &Binding| {
            let (governor, dependent) = (self.path.met[binding.governor]?, self.path.met[binding.dependent]?);
            Some((governor, dependent, binding.role))
        };
        let both = || said.0.iter().filter_map(|binding| Some((binding, met(binding)?)));
        let is_core = |role: Role| matches!(role, Role::Subject | Role::Object);
        let other = |role: Role| if role == Role::Subject { Role::Object } else { Role::Subject };
        let is_turned = |(binding, (governor, dependent, role)): &(&Binding, (usize, usize, Role))| {
            let verb = &self.said[binding.governor];
            // "Said the minister" has its subject behind it.
            is_core(*role)
                && !verb.is_claim
                && (is_apart(binding) || is_helped(verb) != is_helped(self.had[*governor]))
                && !had.has(*governor, *dependent, *role)
                && had.has(*governor, *dependent, other(*role))
        };
        let mut turned = both().filter(is_turned);
        if let Some((binding, (governor, dependent, role))) = turned.next() {
            let is_mutual = sorts(self.said[binding.governor].word).has(Sort::Mutual);
            let is_partner = |there: &(usize, usize, Role)| there.0 == governor && there.2 == other(role);
            return match turned.find(|(_, there)| is_partner(there)) {
                Some(_) if !is_mutual => Roles::Exchanged(binding.dependent, dependent),
                _ => Roles::Turned(binding.dependent),
            };
        }
        let is_held = |(governor, dependent, role): (usize, usize, Role)| had.has(governor, dependent, role);
        // Whoever did it on one side has to be seen as the one who did it on the other.
        let is_unseen = |index: &usize| {
            let Some(at) = self.path.met[*index] else { return false };
            let is_seen = |(binding, there): (&Binding, (usize, usize, Role))| {
                let is_his = binding.dependent == *index || said.is_one_noun(binding.dependent, *index);
                is_his && binding.role == Role::Subject && is_held(there)
            };
            is_agent(&self.said[*index]) != is_agent(self.had[at]) && !both().any(is_seen)
        };
        if let Some(index) = (0..self.said.len()).find(is_unseen) {
            return Roles::Turned(index);
        }
        let apart: Vec<_> = both().filter(|(binding, _)| is_apart(binding)).collect();
        let is_bound = |number: usize| {
            let is_of = |binding: &Binding| piece(binding.governor) == number || piece(binding.dependent) == number;
            apart.iter().any(|(binding, there)| is_of(binding) && is_held(*there))
        };
        let is_shown = |doubt: &Doubt| {
            doubt.said.is_some_and(|index| {
                let before = self.path.met[..index].iter().rposition(Option::is_some);
                is_bound(piece(index)) || before.is_some_and(|before| is_bound(piece(before)))
            })
        };
        // A tree that lacks a binding says nothing; one that has another says otherwise.
        let is_other = |(governor, dependent, role): (usize, usize, Role)| {
            had.0.iter().any(|binding| {
                binding.role == role
                    && (binding.dependent == dependent || is_core(role) && binding.governor == governor)
            })
        };
        // Words go elsewhere for a reason: another voice. Else they are shuffled, and a tree of such a sentence says little.
        let is_kept = self.is_voiced()
            && apart.iter().all(|(_, there)| is_held(*there) || !is_other(*there))
            && doubts.iter().all(is_shown);
        if is_kept { Roles::Kept } else { Roles::Unknown }
    }
}
