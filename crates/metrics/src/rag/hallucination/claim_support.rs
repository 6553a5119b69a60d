//! Whether a sentence of the context bears out a claim, and if none does, how near the nearest comes.

use std::ops::Range;

use super::component::ClaimComponent;
use super::context::{ContextSentence, IndexedContext, SearchTarget};
use super::verbs::{VerbClass, is_be};

/// A claim, ready to be looked for.
#[derive(Debug, Clone)]
pub(crate) struct ClaimStatement {
    pub subject: ClaimComponent,
    pub verb: VerbClass,
    pub object: ClaimComponent,
    pub is_negated: bool,
}

/// Why no sentence bears out a claim: how far the best sentence came. Later ones are nearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MissingPart {
    /// The object is nowhere.
    Object,
    /// The subject is nowhere.
    Subject,
    /// No sentence holds both.
    Together,
    /// A sentence holds both and says the opposite.
    Polarity,
    /// A sentence holds both with another verb.
    Verb,
    /// A sentence holds all three with the roles exchanged.
    Direction,
}

/// A claim without support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SupportFailure {
    pub reason: MissingPart,
    /// The sentence that comes nearest, where one holds subject and object.
    pub nearest: Option<usize>,
}

impl ClaimStatement {
    /// The claim of three texts: subject, verb as it stands, object.
    pub fn from_words([subject, verb, object]: [&str; 3], is_negated: bool) -> Self {
        Self {
            subject: ClaimComponent::from_text(subject),
            verb: VerbClass::of_form(verb),
            object: ClaimComponent::from_text(object),
            is_negated,
        }
    }

    /// The first sentence that bears out the claim. That a price is so much, a sentence bears out that says what costs so much.
    pub fn support(&self, context: &IndexedContext<'_>) -> Result<usize, SupportFailure> {
        let found = self.support_by_words(context);
        found.or_else(|lack| self.as_price().and_then(|cost| cost.support_by_words(context).ok()).ok_or(lack))
    }

    /// `The price is 50,000` as `it costs 50,000`; nothing for any other claim.
    fn as_price(&self) -> Option<Self> {
        let is_price = self.verb.is_be() && self.object.is_amount() && VerbClass::is_cost(&self.subject.text);
        is_price.then(|| Self {
            subject: ClaimComponent::from_text("it"),
            verb: VerbClass::of_lemma("cost"),
            object: self.object.clone(),
            is_negated: self.is_negated,
        })
    }

    fn support_by_words(&self, context: &IndexedContext<'_>) -> Result<usize, SupportFailure> {
        let Some(object) = context.search_target(&self.object) else {
            return Err(SupportFailure { reason: MissingPart::Object, nearest: None });
        };
        let subject = if self.subject.is_pronoun() {
            None
        } else {
            match context.search_target(&self.subject) {
                Some(sought) => Some(sought),
                None => return Err(SupportFailure { reason: MissingPart::Subject, nearest: None }),
            }
        };
        let mut nearest = SupportFailure { reason: MissingPart::Object, nearest: None };
        for index in context.candidates(&object) {
            probare_cancellation::count_steps(1);
            match self.check_sentence(context, index, subject.as_ref(), &object) {
                Ok(()) => return Ok(index),
                Err(lack) if lack > nearest.reason => {
                    let nearest_sentence = (lack > MissingPart::Together).then_some(index);
                    nearest = SupportFailure { reason: lack, nearest: nearest_sentence };
                }
                Err(_) => {}
            }
        }
        Err(nearest)
    }

    fn check_sentence(
        &self,
        context: &IndexedContext<'_>,
        index: usize,
        subject: Option<&SearchTarget<'_>>,
        object: &SearchTarget<'_>,
    ) -> Result<(), MissingPart> {
        let sentence = &context.sentences[index];
        let objects = context.occurrences(object, sentence);
        if objects.is_empty() {
            return Err(MissingPart::Object);
        }
        let subjects = subject.map(|sought| subjects(context, index, sought));
        if subjects.as_ref().is_some_and(Vec::is_empty) {
            return Err(MissingPart::Together);
        }
        if sentence.is_negated != self.is_negated {
            return Err(MissingPart::Polarity);
        }
        if self.verb.is_be() {
            return Ok(());
        }
        let verbs = verbs(context, sentence, &self.verb);
        if verbs.is_empty() {
            return Err(MissingPart::Verb);
        }
        if self.object.is_amount() || !self.verb.has_direction() {
            return Ok(());
        }
        let order = Order { context, sentence };
        let stands = verbs
            .iter()
            .any(|&verb| objects.iter().any(|object| order.is_claim_order(subjects.as_deref(), verb, object)));
        if stands { Ok(()) } else { Err(MissingPart::Direction) }
    }
}

/// Where the subject stands. A pronoun that opens the sentence stands for a subject of the sentence before.
fn subjects(context: &IndexedContext<'_>, index: usize, sought: &SearchTarget<'_>) -> Vec<Range<usize>> {
    let sentence = &context.sentences[index];
    let mut subjects = context.occurrences(sought, sentence);
    if sentence.continues
        && let Some(before) = context.before(index)
        && !context.occurrences(sought, &context.sentences[before]).is_empty()
    {
        subjects.push(0..1);
    }
    subjects
}

/// The words of a sentence that can be a form of the verb.
pub(crate) fn verbs(context: &IndexedContext<'_>, sentence: &ContextSentence, class: &VerbClass) -> Vec<usize> {
    let lower = |at: usize| sentence.words.get(at).map(|word| context.vocabulary.lower(word.word));
    (0..sentence.words.len())
        .filter(|&at| {
            let word = sentence.words[at].word;
            let before = at.checked_sub(1).and_then(lower);
            class.has_form(context.vocabulary.lower(word), context.vocabulary.bases(word), before)
        })
        .collect()
}

/// The order of words in a sentence.
struct Order<'a> {
    context: &'a IndexedContext<'a>,
    sentence: &'a ContextSentence,
}

impl Order<'_> {
    /// Whether subject, verb and object stand as an active or a passive clause has them. A subject that is not tested
    /// stands anywhere.
    fn is_claim_order(&self, subjects: Option<&[Range<usize>]>, verb: usize, object: &Range<usize>) -> bool {
        if object.start > verb {
            let is_turned = self.is_passive(verb) && self.has_by(verb + 1..object.start);
            return !is_turned && subjects.is_none_or(|list| list.iter().any(|subject| subject.end <= verb));
        }
        if object.end > verb {
            return false;
        }
        match subjects {
            Some(list) => list.iter().any(|subject| subject.start > verb && self.has_by(verb + 1..subject.start)),
            None => self.has_by(verb + 1..self.sentence.words.len()),
        }
    }

    /// Whether a form of `be` or `get` stands shortly before the verb, or `by` right behind it.
    fn is_passive(&self, verb: usize) -> bool {
        let is_auxiliary = |at: usize| is_be(self.lower(at)) || matches!(self.lower(at), "get" | "gets" | "got");
        (verb.saturating_sub(3)..verb).any(is_auxiliary) || self.lower(verb + 1) == "by"
    }

    fn has_by(&self, range: Range<usize>) -> bool {
        range.into_iter().any(|at| self.lower(at) == "by")
    }

    fn lower(&self, at: usize) -> &str {
        self.sentence.words.get(at).map_or("", |word| self.context.vocabulary.lower(word.word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(components: [&str; 3], is_negated: bool, context: &[&str]) -> Result<usize, MissingPart> {
        let statement = ClaimStatement::from_words(components, is_negated);
        statement.support(&IndexedContext::new(context)).map_err(|unsupported| unsupported.reason)
    }

    #[test]
    fn passives_count_with_their_agent() {
        let context = ["The startup was acquired by Siemens in 2011."];
        assert_eq!(found(["Siemens", "acquired", "startup"], false, &context), Ok(0));
        assert_eq!(found(["startup", "acquired", "Siemens"], false, &context), Err(MissingPart::Direction));
        assert_eq!(found(["It", "bought", "startup"], false, &context), Ok(0));
        assert_eq!(found(["Siemens", "sold", "startup"], false, &context), Err(MissingPart::Verb));
    }

    #[test]
    fn a_pronoun_at_the_start_stands_for_the_subject_before() {
        let context = ["The report was released. It contains forty tables. They are long.", "It contains maps."];
        assert_eq!(found(["report", "includes", "tables"], false, &context), Ok(1));
        assert_eq!(found(["report", "includes", "maps"], false, &context), Err(MissingPart::Together));
    }

    #[test]
    fn a_denial_needs_a_denial() {
        let context = ["Her notes contain no errors."];
        assert_eq!(found(["notes", "contain", "errors"], true, &context), Ok(0));
        assert_eq!(found(["notes", "contain", "errors"], false, &context), Err(MissingPart::Polarity));
        assert_eq!(found(["notes", "contain", "maps"], false, &context), Err(MissingPart::Object));
    }

    #[test]
    fn a_price_is_what_something_costs() {
        let context = ["The car costs 50,000. The van costs 60,000."];
        assert_eq!(found(["price", "is", "50,000"], false, &context), Ok(0));
        assert!(found(["price", "is", "60,000"], true, &context).is_err(), "nothing is denied");
        assert!(found(["price", "is", "70,000"], false, &context).is_err());
        assert!(found(["weight", "is", "50,000"], false, &context).is_err());
        assert!(found(["price", "is", "50,000"], false, &["The car weighs 50,000."]).is_err());
    }

    #[test]
    fn amounts_are_compared_by_value_within_the_sentence() {
        let context = ["The pass costs $150. Children pay 75 dollars."];
        assert_eq!(found(["pass", "costs", "150 dollars"], false, &context), Ok(0));
        assert_eq!(found(["pass", "costs", "$75"], false, &context), Err(MissingPart::Together));
    }
}
