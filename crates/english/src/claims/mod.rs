//! Claims: who did what, as far as a sentence states it.
//!
//! A claim is a subject, an assertive verb and an object. The definitions come from labels in the tradition of Stanford
//! dependencies (`dobj`, `attr`, `acomp`, `prep`/`pobj`, `nsubjpass`, `agent`); here they are read off Universal
//! Dependencies: `attr` and `acomp` are predicates with a `cop`, the object of a preposition is an `obl` with a `case`.
//! Passives with an agent are turned round, relative pronouns are replaced by what they refer to, and joined verbs share
//! their subject.

mod component;
mod modality;
mod roles;
mod word_lists;

use crate::document::{ParsedSentence, ParsedText};
pub use component::ClaimComponent;
use component::component;
pub use word_lists::ASSERTIVE_VERBS;

/// Which verbs make claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerbFilter {
    /// Those with one of these lemmas.
    Listed(Vec<String>),
    /// Every finite verb.
    AnyFinite,
}

/// What counts as a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimOptions {
    /// Which verbs make claims.
    pub verbs: VerbFilter,
    /// Whether hedged statements ("may cost", "probably won") are kept, marked as `hedged`.
    pub keep_hedged: bool,
    /// Whether joined subjects and objects ("bought A and B") make a claim each; otherwise the first stands for all.
    pub split_coordination: bool,
}

impl ClaimOptions {
    /// The thirteen assertive verbs, no hedged statements, one claim a verb.
    pub fn published() -> Self {
        Self {
            verbs: VerbFilter::Listed(ASSERTIVE_VERBS.map(str::to_owned).to_vec()),
            keep_hedged: false,
            split_coordination: false,
        }
    }

    /// Any finite verb, every member of a coordination; hedged statements are still no claims.
    pub fn improved() -> Self {
        Self { verbs: VerbFilter::AnyFinite, keep_hedged: false, split_coordination: true }
    }
}

impl Default for ClaimOptions {
    fn default() -> Self {
        Self::published()
    }
}

/// One statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Who or what. For a passive with an agent, the agent.
    pub subject: ClaimComponent,
    /// The verb as written; for "is located" the participle.
    pub verb: ClaimComponent,
    /// Lemma of the verb.
    pub lemma: String,
    /// What is said of the subject: object, predicate, or object of a preposition.
    pub object: ClaimComponent,
    /// "not", "never", "no" before the object.
    pub negated: bool,
    /// "may", "seems to", "probably" and the like.
    pub hedged: bool,
    /// The verb is a passive, turned round or not.
    pub passive: bool,
    /// Index of the sentence in the document.
    pub sentence: usize,
}

/// The claims of a document, in the order of their verbs.
pub fn claims(document: &ParsedText, options: &ClaimOptions) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (number, sentence) in document.sentences.iter().enumerate() {
        for verb in 0..sentence.tokens.len() {
            push_verb_claims(sentence, number, verb, options, &mut claims);
        }
    }
    claims
}

fn push_verb_claims(
    sentence: &ParsedSentence,
    number: usize,
    verb: usize,
    options: &ClaimOptions,
    claims: &mut Vec<Claim>,
) {
    let Some(clause) = roles::clause(sentence, verb) else { return };
    let is_wanted = match &options.verbs {
        VerbFilter::Listed(lemmas) => lemmas.contains(&clause.lemma),
        VerbFilter::AnyFinite => roles::is_finite(sentence, &clause),
    };
    if !is_wanted {
        return;
    }
    let hedged = modality::is_hedged(sentence, &clause);
    if hedged && !options.keep_hedged {
        return;
    }
    let (Some(subject), Some(object)) = (clause.subject, clause.object) else { return };
    let members =
        |first: usize| {
            let mut members = vec![first];
            if options.split_coordination {
                members.extend(sentence.children(first).filter(|&child| {
                    sentence.tokens[child].relation == "conj" && !roles::is_clause_head(sentence, child)
                }));
            }
            members
        };
    for subject in members(subject) {
        for object in members(object) {
            claims.push(Claim {
                subject: component(sentence, subject),
                verb: component::verb(sentence, verb),
                lemma: clause.lemma.clone(),
                object: component(sentence, object),
                negated: modality::is_negated(sentence, &clause, object),
                hedged,
                passive: clause.passive,
                sentence: number,
            });
        }
    }
}
