//! Whether a verdict is shown by the words of the answer, or only likely. An answer that has the gold is nearly always right, and one
//! that lacks it nearly always wrong; but nearly is not shown, and what is not shown is unsure.

use std::ops::Range;

use probare_nlp::lexicon::{Sort, Sorts, sorts};
use probare_text::porter::stem;

use super::answer::Way;
use super::likeness::Likeness;
use super::objections::Scene;
use super::phrase::is_article;
use super::question::is_content;
use super::verdict::{Against, Verdict};
use super::words::{AnswerWord, words};

/// Most words of an answer in which it can be shown that the gold is given.
const LONGEST: usize = 200;

/// What a verdict rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ground {
    /// The answer is the gold, in the words of the question.
    Bare,
    /// A part of a sentence is, and nothing around it takes anything back.
    Part,
    /// A sentence says it that takes up the question, with other words but no other answer.
    Restated,
    /// The gold stands among other words.
    Among,
    /// The words are alike, not the same.
    Alike,
    /// A word speaks against the mention.
    Objection,
    /// Another number or date stands there, or somebody else of that name.
    Other,
    /// Yes or no is said.
    Said,
    /// Yes or no follows from a statement.
    Stated,
    /// The answer declines to give one.
    Declined,
    /// A list lacks items, and the answer has nothing else.
    Lacking,
    /// The gold is not there.
    Absent,
}

impl Ground {
    /// Whether it shows the verdict.
    pub const fn shows(self) -> bool {
        !matches!(self, Self::Among | Self::Alike | Self::Stated | Self::Absent)
    }
}

impl Scene<'_> {
    /// What a verdict rests on.
    pub fn ground(&self, verdict: &Verdict, gold: &str) -> Ground {
        if let Some(is_said) = verdict.is_said {
            return if is_said { Ground::Said } else { Ground::Stated };
        }
        if verdict.is_right { self.right_ground(verdict, gold) } else { self.wrong_ground(verdict) }
    }

    fn right_ground(&self, verdict: &Verdict, gold: &str) -> Ground {
        if self.words().len() > LONGEST {
            return Ground::Among;
        }
        let mentions: Vec<Range<usize>> = verdict.met.iter().map(|(bytes, _)| self.answer.words_in(bytes)).collect();
        if verdict.met.iter().any(|(_, way)| !self.is_whole(*way, verdict, gold)) {
            return Ground::Alike;
        }
        let is_mention = |at: usize| mentions.iter().any(|mention| mention.contains(&at));
        let all = 0..self.words().len();
        let is_plain = |mut range: Range<usize>| range.all(|at| is_mention(at) || self.is_plain(at));
        let is_free = all.clone().all(|at| is_mention(at) || !self.turns(at));
        if !is_free || !mentions.iter().all(|mention| self.is_in_place(mention)) {
            return Ground::Among;
        }
        if is_plain(all.clone()) {
            return Ground::Bare;
        }
        // What else a list names may be one too many.
        let [mention] = &mentions[..] else { return Ground::Among };
        let part = self.part(mention);
        let is_opening = part.start == 0 || self.answer.sentence(mention.start) == all;
        if is_opening && is_plain(part) && !self.question.asks_for_several() {
            return Ground::Part;
        }
        let segment = self.segment(mention);
        let asked = self.question.words.iter().filter(|word| is_content(word)).count();
        let taken_up = segment.filter(|at| !is_mention(*at) && self.is_of_question(*at)).count();
        let is_only =
            all.clone().all(|at| is_mention(at) || !self.is_candidate(at) && !self.words()[at].starts_with_digit());
        if is_only && taken_up > 0 && 2 * taken_up >= asked && self.answer.sentence(mention.start) == all {
            return Ground::Restated;
        }
        Ground::Among
    }

    /// Whether a gold was met word by word, in a form that leaves no doubt.
    fn is_whole(&self, way: Way, verdict: &Verdict, gold: &str) -> bool {
        match way {
            Way::Words(Likeness::Sound | Likeness::Family | Likeness::Synonym | Likeness::Spelling) => false,
            Way::Words(_) => {
                let gold = words(gold);
                let counts = |word: &&AnswerWord| is_content(word) && !self.question.holds(word);
                let met = verdict.met.iter().flat_map(|(bytes, _)| self.answer.words_in(bytes));
                let given = met.filter(|at| counts(&&self.words()[*at])).count();
                let is_there = |word: &AnswerWord| {
                    is_article(&word.text) || self.words().iter().any(|given| given.text == word.text)
                };
                let is_other_form = !matches!(way, Way::Words(Likeness::Same)) && verdict.coverage > 0.99;
                (is_other_form || gold.iter().all(is_there)) && given <= gold.iter().filter(counts).count()
            }
            _ => verdict.coverage >= verdict.needed,
        }
    }

    fn is_of_question(&self, at: usize) -> bool {
        is_content(&self.words()[at]) && self.question.holds(&self.words()[at])
    }

    fn wrong_ground(&self, verdict: &Verdict) -> Ground {
        match verdict.against.first() {
            Some((_, Against::OtherNumber | Against::OtherDate | Against::OtherBearer)) => return Ground::Other,
            Some(_) => return Ground::Objection,
            None => {}
        }
        let is_all =
            |holds: &dyn Fn(usize) -> bool| self.words().len() <= LONGEST && (0..self.words().len()).all(holds);
        if !self.words().is_empty() && is_all(&|at| self.answer.is_declined(&(at..at + 1))) {
            return Ground::Declined;
        }
        let is_mention = |at: usize| verdict.met.iter().any(|(bytes, _)| self.answer.words_in(bytes).contains(&at));
        let is_lacking =
            !verdict.met.is_empty() && is_all(&|at| is_mention(at) || self.is_plain(at) && !self.turns(at));
        if is_lacking { Ground::Lacking } else { Ground::Absent }
    }

    /// Whether a word adds nothing to the question: one of its own, or one without content.
    fn is_plain(&self, at: usize) -> bool {
        let word = &self.words()[at];
        !is_content(word) || self.question.holds(word) || sorts(&word.text).has(Sort::Filler)
    }

    /// Whether a word may take back, put off or leave open what is said.
    fn turns(&self, at: usize) -> bool {
        const TURNING: Sorts = Sorts::of(&[
            Sort::Absence,
            Sort::Condition,
            Sort::Contraction,
            Sort::Denial,
            Sort::Doubt,
            Sort::Exception,
            Sort::Falsehood,
            Sort::Former,
            Sort::FormerNoun,
            Sort::Negation,
            Sort::NounNegation,
            Sort::Turning,
        ]);
        let word = self.word(at);
        sorts(word).has_any(TURNING) && !self.question.has_any(&[word])
            || matches!(word, "or" | "only")
            || [Sort::Former, Sort::Ending, Sort::Exception, Sort::Omission]
                .iter()
                .any(|sort| self.reads(at, *sort).is_some())
    }

    /// Whether the mention stands where what is asked for would stand: before the verb whose subject is asked for, or behind *by*.
    fn is_in_place(&self, mention: &Range<usize>) -> bool {
        let Some(verb) = self.question.agent_verb() else { return true };
        let part = self.part(mention);
        let Some(at) = part.clone().find(|at| !mention.contains(at) && stem(self.word(*at)) == stem(verb)) else {
            return true;
        };
        mention.end <= at && self.word(at + 1) != "by" || (at..mention.start).any(|at| self.word(at) == "by")
    }
}
