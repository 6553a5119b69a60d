//! Mentions of the gold in a place that the question does not ask for: second to another candidate, in a contrast, on the
//! other side of a verb.

use std::ops::Range;

use probare_nlp::lexicon::{Sort, sorts};
use probare_text::porter::stem;

use super::objections::Scene;
use super::phrase::is_article;
use super::question::{Asked, is_content};
use super::words::Gap;

impl Scene<'_> {
    /// `Y, followed by X`, `Y is longer than X`, `Y came before X`, `Y beat X`, `Y did it, while X did not`.
    pub(super) fn second_place(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        const ORDER: [&str; 14] = [
            "second",
            "third",
            "next",
            "before",
            "after",
            "follow",
            "follows",
            "followed",
            "succeeded",
            "succeed",
            "preceded",
            "replaced",
            "replace",
            "than",
        ];
        const VICTORY: [&str; 8] = ["won", "win", "wins", "winner", "champion", "beat", "defeated", "defeat"];
        if self.question.has_any(&ORDER) {
            return None;
        }
        let start = self.with_modifiers(mention);
        if let Some(than) = self.reads_before(start, &["than"]) {
            let compared = than.checked_sub(1).map_or("", |at| self.word(at));
            let is_comparative = compared.ends_with("er") || matches!(self.word(than.wrapping_sub(2)), "more" | "less");
            if is_comparative {
                return Some(than..start);
            }
        }
        for cue in [&["ahead", "of"], &["followed", "by"]] {
            if let Some(at) = self.reads_before(start, cue) {
                return Some(at..start);
            }
        }
        if let Some(words) = self.rank_behind(mention) {
            return Some(words);
        }
        let head = self.candidate_before(mention)?;
        let previous = start.checked_sub(1)?;
        let is_cue = match self.word(previous) {
            "before" | "after" => {
                !matches!(self.word(previous.wrapping_sub(1)), "named" | "called" | "modelled" | "modeled")
            }
            "beat" | "defeated" | "beating" | "defeating" => self.question.has_any(&VICTORY),
            "succeeded" | "succeeding" | "replaced" | "replacing" | "whom" => true,
            _ => false,
        };
        if is_cue {
            return Some(previous..start);
        }
        let clause = self.answer.stretch(mention.start, Gap::Comma).start;
        let opens =
            matches!(self.word(clause), "while" | "whereas" | "although" | "though" | "even") && head.end <= clause;
        (opens && self.is_better_clause(&head, mention)).then_some(clause..clause + 1)
    }

    /// `X is second`, `X came next`, `X was the runner-up`.
    fn rank_behind(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        let mut at = mention.end;
        if self.words().get(at).is_none_or(|word| word.gap > Gap::Space) {
            return None;
        }
        for skipped in [
            &["is", "was", "comes", "came", "finished", "ranks", "ranked"][..],
            &["in", "a", "the", "only"],
            &["close"],
        ] {
            at += usize::from(skipped.contains(&self.word(at)));
        }
        let is_rank = matches!(self.word(at), "second" | "third" | "next" | "runner" | "behind");
        (is_rank && at > mention.end).then_some(mention.end..at + 1)
    }

    /// Whether the clause of another candidate has more of the question than that of the mention.
    fn is_better_clause(&self, head: &Range<usize>, mention: &Range<usize>) -> bool {
        let is_shared = |at: &usize| is_content(&self.words()[*at]) && self.question.holds(&self.words()[*at]);
        let theirs = self.answer.stretch(head.start, Gap::Comma);
        let mine = self.answer.stretch(mention.start, Gap::Comma);
        theirs != mine && theirs.filter(is_shared).count() > mine.filter(is_shared).count()
    }

    /// `Y was the Greek one, X being the Roman one`; `Y wrote it, with X as …`; `Y, the teacher of X, did it`.
    pub(super) fn contrast(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        if let Some(words) = self.other_agent(mention) {
            return Some(words);
        }
        let head = self.candidate_before(mention)?;
        if self.word(mention.end) == "being" {
            return Some(mention.end..mention.end + 1);
        }
        let opening = self.answer.sentence(mention.start).start;
        // The subject in front did what the question asks for.
        let verb_at = |at: usize, verb: &str| {
            self.words().get(at).is_some_and(|word| word.gap <= Gap::Space && stem(&word.text) == verb)
        };
        if let Some(verb) = self.question.subject_verb()
            && head.start == opening
            && verb_at(head.end, &verb)
            && !verb_at(mention.end, &verb)
            && !matches!(self.word(mention.start.wrapping_sub(1)), "by" | "and")
        {
            return Some(head.end..head.end + 1);
        }
        self.aside(mention, &head, opening)
    }

    /// What is said about the head behind a comma names others: `Y, the teacher of X`, `It was Y, near X`.
    fn aside(&self, mention: &Range<usize>, head: &Range<usize>, opening: usize) -> Option<Range<usize>> {
        let lead = if is_article(self.word(opening)) { opening + 1 } else { opening };
        let is_answer = head.start == lead || matches!(self.word(head.start.wrapping_sub(1)), "is" | "was" | "by");
        let is_closed = self.words().get(head.end).is_some_and(|word| word.gap == Gap::Comma);
        let modified = self.with_modifiers(mention);
        let previous = modified.checked_sub(1).filter(|previous| *previous >= head.end)?;
        let is_aside = match self.word(previous) {
            "near" | "with" | "against" | "alongside" | "beside" | "behind" | "for" => true,
            "of" => is_relation(self.word(previous.wrapping_sub(1))),
            "to" => matches!(self.word(previous.wrapping_sub(1)), "next" | "close"),
            _ => false,
        };
        (is_answer && is_closed && is_aside).then_some(previous..modified)
    }

    /// `It was written by Y about X`: somebody else did what the question asks for, and the gold did not.
    fn other_agent(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        let asked = self.question.subject_verb_forms()?;
        let verbs: Vec<usize> =
            (0..self.words().len().min(80)).filter(|at| asked.is_form(&self.words()[*at].text)).collect();
        let follows = |verb: usize| self.word(verb + 1) == "by";
        // Names joined by commas and `and` are one agent.
        let is_joined = |range: Range<usize>| {
            range.clone().all(|at| {
                self.is_candidate(at)
                    || matches!(self.word(at), "and" | "by" | "the" | "also" | "with" | "later")
                    || self.words()[at].is_capitalised
            })
        };
        let is_mine = |verb: usize| {
            let start = self.with_modifiers(mention);
            (mention.end <= verb && verb - mention.end <= 8)
                || (follows(verb) && verb < start && (start - verb <= 6 || is_joined(verb + 1..start)))
        };
        if verbs.iter().any(|verb| is_mine(*verb)) || self.word(mention.start.wrapping_sub(1)) == "by" {
            return None;
        }
        verbs.into_iter().find_map(|verb| {
            let is_agent_behind =
                follows(verb) && (verb + 2..verb + 6).any(|at| self.is_candidate(at) && !mention.contains(&at));
            let is_agent_before = verb > 0
                && self.is_candidate(verb - 1)
                && self.words()[verb].gap <= Gap::Space
                && !mention.contains(&(verb - 1));
            (is_agent_behind || is_agent_before).then_some(verb..verb + 1)
        })
    }

    /// `Hector killed X` where the killer of Hector is asked for; `the father of X` where the father is.
    pub(super) fn other_role(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        // `X's brother Y` names Y.
        let is_possessive = self.answer.is_possessive(mention.end.wrapping_sub(1));
        if is_possessive && is_relation(self.word(mention.end)) && self.question.asked == Asked::Person {
            return Some(mention.end..mention.end + 1);
        }
        let start = self.with_modifiers(mention);
        let previous = start.checked_sub(1)?;
        let before = self.word(previous.wrapping_sub(1));
        if self.word(previous) == "to" && matches!(before, "lost" | "loses") {
            return self.question.has_any(&["lost", "lose", "loser", "loses"]).then_some(previous - 1..start);
        }
        if self.word(previous) == "of" && is_relation(before) {
            return self.question.holds_pair(before, "of").then_some(previous - 1..start);
        }
        let verb = self.question.agent_verb().filter(|verb| !sorts(verb).has(Sort::Mutual))?;
        let subject = self.words().get(previous.checked_sub(1)?)?;
        let is_agent = (start..mention.start).any(|at| self.word(at) == "by");
        let is_verb = !is_agent && stem(self.word(previous)) == stem(verb);
        (is_verb && self.question.holds(subject)).then_some(previous..start)
    }
}

/// Nouns for one side of a pair that is not the other side.
pub(super) fn is_relation(word: &str) -> bool {
    matches!(
        word,
        "father"
            | "mother"
            | "son"
            | "daughter"
            | "wife"
            | "husband"
            | "brother"
            | "sister"
            | "teacher"
            | "tutor"
            | "student"
            | "pupil"
            | "author"
            | "capital"
            | "king"
            | "queen"
            | "president"
            | "successor"
            | "predecessor"
            | "founder"
            | "parent"
            | "uncle"
            | "aunt"
            | "grandfather"
            | "grandmother"
            | "rival"
            | "friend"
    )
}
