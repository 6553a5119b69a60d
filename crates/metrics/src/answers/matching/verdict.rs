//! The judgement: each reference is looked for, each mention has its doubts, and the best one is the value of the answer.

use std::ops::Range;

use super::answer::{AnswerText, MatchMethod};
use super::doubts::{AnswerContext, MentionDoubt};
use super::forms::reference_forms;
use super::question::OpenQuestion;
use super::reference_matcher::{ReferenceMatcher, open};

/// Most references that are looked for.
const MOST_REFERENCES: usize = 200;

/// What the judgement rests on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AnswerVerdict {
    /// Index of the reference that decided.
    pub reference: usize,
    /// How much of that reference was matched, and how surely.
    pub matched: f64,
    /// The share that doubts take away from it.
    pub doubt: f64,
    /// How likely an answer without the reference is right in other words.
    pub open: f64,
    /// Where it was matched: bytes of the answer and how.
    pub matches: Vec<(Range<usize>, MatchMethod)>,
    /// What speaks against it: bytes of the answer and why.
    pub rejections: Vec<(Range<usize>, Rejection)>,
}

/// What speaks against an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// The reference is mentioned, and may not count.
    Mention(MentionDoubt),
    /// Another number stands where the number should.
    OtherNumber,
    /// Another date stands where the date should.
    OtherDate,
    /// Somebody else of that surname.
    OtherBearer,
    /// The opposite of yes or no.
    Opposite,
    /// The answer says that it gives none.
    Declined,
}

impl Rejection {
    /// How the evidence calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mention(doubt) => doubt.name(),
            Self::OtherNumber => "another number",
            Self::OtherDate => "another date",
            Self::OtherBearer => "somebody else of that name",
            Self::Opposite => "the opposite",
            Self::Declined => "the answer declines to give one",
        }
    }
}

impl AnswerVerdict {
    /// A verdict on a reference that was not matched.
    pub const fn unmatched(reference: usize, open: f64) -> Self {
        Self { reference, matched: 0.0, doubt: 0.0, open, matches: Vec::new(), rejections: Vec::new() }
    }

    /// The same with something that speaks against it.
    #[must_use]
    pub fn with_rejection(mut self, bytes: Range<usize>, against: Rejection) -> Self {
        self.rejections.push((bytes, against));
        self
    }

    /// The value of the answer.
    pub fn value(&self) -> f64 {
        combined_value(self.matched, self.doubt, self.open)
    }

    /// Whether it is better than another: by what was matched; where nothing was, by what speaks against it most.
    fn is_better(&self, other: &Self) -> bool {
        let rank =
            |verdict: &Self| (combined_value(verdict.matched, verdict.doubt, 0.0), verdict.matched, -verdict.open);
        rank(self).partial_cmp(&rank(other)).is_some_and(std::cmp::Ordering::is_gt)
    }
}

/// The value of its parts: what was matched less the doubts, and the chance of a right answer in other words.
pub(crate) fn combined_value(matched: f64, doubt: f64, open: f64) -> f64 {
    (matched * (1.0 - doubt) + open).clamp(0.0, 1.0)
}

/// Judges an answer. `references` are alternatives: one suffices.
pub(crate) fn judge_answer(query: &str, references: &[String], response: &str) -> Option<AnswerVerdict> {
    let question = OpenQuestion::new(query);
    let answer = AnswerText::new(response, &question);
    let mut trial = ReferenceMatcher::new(AnswerContext { answer: &answer, question: &question });
    let mut best: Option<AnswerVerdict> = None;
    for (index, form) in reference_forms(references).take(MOST_REFERENCES) {
        let verdict = trial.match_reference(index, form);
        if best.as_ref().is_none_or(|known| verdict.is_better(known)) {
            best = Some(verdict);
        }
        if best.as_ref().is_some_and(|verdict| verdict.value() > 0.99) {
            break;
        }
    }
    let mut best = best?;
    if best.matched < 0.5 && answer.declines() {
        (best.matched, best.open) = (0.0, 0.0);
        best.rejections.push((0..response.len(), Rejection::Declined));
    } else if best.matched > 0.0 && best.doubt < 1.0 && best.value() < open::MENTIONED {
        best.open += open::MENTIONED - best.value();
    }
    Some(best)
}
