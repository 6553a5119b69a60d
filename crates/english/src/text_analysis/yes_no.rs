//! [`YesNoAnswer`]: whether an answer says yes or no, by its opening, by a short reply, or by what it states.
//!
//! One reader for all who ask. Its words and expressions are those of the [`lexicon`](crate::lexicon).

use std::ops::Range;

use probare_text::porter::stem;
use rustc_hash::FxHashSet;

use super::analysis::TextAnalysis;
use super::denial::{denial, denies_by_meaning};
use crate::lexicon::{LexicalRole, Opposites, expression_length, lexical_roles, word_lemma};

/// What an answer says to a question that asks for a yes or a no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YesNoAnswer {
    /// Yes (`true`), no, or neither.
    pub sense: Option<bool>,
    /// The bytes of the text that decided; what follows them is the reason. Nothing where no single word decides.
    pub marker: Option<Range<usize>>,
    /// Why, in a few words for the reader.
    pub why: &'static str,
    /// Whether it is said: by words for yes or no, by a denial, or by a statement that takes up the verb of the question. What only
    /// follows from another statement, if it does, is not said.
    pub is_said: bool,
}

impl YesNoAnswer {
    /// Who stays undecided says so.
    const fn undecided(why: &'static str) -> Self {
        Self { sense: None, marker: None, why, is_said: true }
    }
}

/// What stands before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClauseGap {
    /// Nothing but spaces, a hyphen or quotation marks.
    Nothing,
    Comma,
    /// The end of a clause or of a sentence.
    Clause,
    /// A question mark: what stood before was asked, not said.
    Question,
}

const STATEMENT_DENIES: &str = "its statement denies";

/// Most words of an answer that are read: whoever has not said yes or no by then has not.
const MOST_WORDS: usize = 200;

impl TextAnalysis {
    /// Whether the text, as an answer, says yes or no, with the question in view where there is one.
    ///
    /// ```
    /// use probare_english::text_analysis::TextAnalysis;
    ///
    /// let read = |text| TextAnalysis::new(text).yes_or_no(None).sense;
    /// assert_eq!(read("Well, yes, although rarely."), Some(true));
    /// assert_eq!(read("Absolutely not."), Some(false));
    /// assert_eq!(read("No doubt they did."), Some(true));
    /// assert_eq!(read("He did not; an uncle taught him."), Some(false));
    /// assert_eq!(read("Yes and no."), None);
    /// ```
    pub fn yes_or_no(&self, question: Option<&Self>) -> YesNoAnswer {
        let words = self.words_with_gaps();
        // An echo of the question says nothing: "Difficult? Absolutely."
        let echo = words.iter().skip(1).position(|(_, gap)| *gap == ClauseGap::Question).map_or(0, |at| at + 1);
        let mut answer = AnswerWords { analysis: self, words: &words[echo..] };
        if answer.words.is_empty() {
            return YesNoAnswer::undecided("nothing is said");
        }
        answer = answer.skip(answer.introduction());
        loop {
            if let Some(decided) = answer.opening() {
                return decided;
            }
            match answer.filler() {
                0 => break,
                length => answer = answer.skip(length),
            }
        }
        let is_open = (0..answer.words.len()).any(|at| answer.expression_length(LexicalRole::Undecided, at).is_some());
        if answer.words.is_empty() || is_open {
            return YesNoAnswer::undecided("stays undecided");
        }
        answer.closing().or_else(|| answer.short_reply()).unwrap_or_else(|| answer.statement(question))
    }

    /// The words with what stands before each.
    fn words_with_gaps(&self) -> Vec<(usize, ClauseGap)> {
        let mut words: Vec<(usize, ClauseGap)> = Vec::new();
        for sentence in &self.sentences {
            let mut gap = match words.last() {
                None => ClauseGap::Nothing,
                Some((last, _)) if self.word(last + 1) == "?" => ClauseGap::Question,
                Some(_) => ClauseGap::Clause,
            };
            for token in sentence.tokens.clone().take(MOST_WORDS) {
                if self.tokens[token].is_word {
                    words.push((token, gap));
                    gap = ClauseGap::Nothing;
                } else {
                    gap = gap.max(match self.word(token) {
                        "?" => ClauseGap::Question,
                        "," => ClauseGap::Comma,
                        ";" | ":" | "-" | "." | "!" | "(" | ")" | "[" | "]" | "|" | "…" => ClauseGap::Clause,
                        _ => ClauseGap::Nothing,
                    });
                }
            }
            if words.len() >= MOST_WORDS {
                break;
            }
        }
        words
    }

    /// The stems of its words of content.
    fn content_stems(&self) -> FxHashSet<String> {
        let is_content = |&token: &usize| self.tokens[token].is_word && !self.has_role(token, LexicalRole::Function);
        (0..self.tokens.len()).filter(is_content).map(|token| stem(self.word(token))).collect()
    }
}

/// The words of an answer from some place on.
#[derive(Clone, Copy)]
struct AnswerWords<'r> {
    analysis: &'r TextAnalysis,
    words: &'r [(usize, ClauseGap)],
}

impl<'r> AnswerWords<'r> {
    fn skip(self, at: usize) -> Self {
        Self { words: &self.words[at.min(self.words.len())..], ..self }
    }

    fn word(&self, at: usize) -> &'r str {
        self.words.get(at).map_or("", |(token, _)| self.analysis.word(*token))
    }

    /// What stands before a word; the end of the answer ends a clause.
    fn gap(&self, at: usize) -> ClauseGap {
        self.words.get(at).map_or(ClauseGap::Clause, |(_, gap)| *gap)
    }

    /// Length of the expression of a sort at a word; commas in it do not matter.
    fn expression_length(&self, sort: LexicalRole, at: usize) -> Option<usize> {
        expression_length(sort, |ahead| {
            let is_near = (at + 1..=at + ahead).all(|at| self.gap(at) <= ClauseGap::Comma);
            if is_near { self.word(at + ahead) } else { "" }
        })
    }

    fn verdict(&self, sense: bool, words: usize, why: &'static str) -> YesNoAnswer {
        let token = |at: usize| self.words[at].0;
        let marker = Some(self.analysis.original_span(token(0), token(words - 1)));
        YesNoAnswer { sense: Some(sense), marker, why, is_said: true }
    }

    /// "The short answer is" and the like.
    fn introduction(&self) -> usize {
        match (0..4).find(|&at| self.word(at) == "answer") {
            Some(at) if self.word(at + 1) == "is" => at + 2,
            Some(at) if self.word(at + 1) == "would" && self.word(at + 2) == "be" => at + 3,
            _ => 0,
        }
    }

    /// Length of what opens an answer and says nothing by itself: a word on the list, an adverb before a comma.
    fn filler(&self) -> usize {
        let is_adverb = self.word(0).len() > 4 && self.word(0).ends_with("ly");
        let listed = self.expression_length(LexicalRole::Filler, 0).max(self.expression_length(LexicalRole::Assent, 0));
        listed.unwrap_or_else(|| usize::from(is_adverb && self.gap(1) == ClauseGap::Comma))
    }

    /// What the opening words decide.
    fn opening(&self) -> Option<YesNoAnswer> {
        if self.expression_length(LexicalRole::Both, 0).is_some() {
            return Some(YesNoAnswer::undecided("says both yes and no"));
        }
        let clause = (1..self.words.len()).find(|&at| self.gap(at) >= ClauseGap::Clause).unwrap_or(self.words.len());
        if (0..clause).any(|at| self.expression_length(LexicalRole::Undecided, at).is_some()) {
            return Some(YesNoAnswer::undecided("stays undecided"));
        }
        let why = "by its opening words";
        let ends = |length: &usize| self.gap(*length) > ClauseGap::Nothing;
        // "Obviously not.", "I think so.", "Probably not, since …"
        let frame = self.filler();
        if frame > 0 && self.gap(frame) == ClauseGap::Nothing && ends(&(frame + 1)) {
            match self.word(frame) {
                "not" => return Some(self.verdict(false, frame + 1, why)),
                "so" => return Some(self.verdict(true, frame + 1, why)),
                _ => {}
            }
        }
        let is_whole = self.words.len() == 1;
        let bare = |sort: LexicalRole| self.expression_length(sort, 0).filter(|_| is_whole);
        let yes = self
            .expression_length(LexicalRole::Yes, 0)
            .max(self.expression_length(LexicalRole::Assent, 0).filter(ends))
            .max(bare(LexicalRole::BareYes));
        let no = self
            .expression_length(LexicalRole::No, 0)
            .max(self.expression_length(LexicalRole::Refusal, 0).filter(ends))
            .max(bare(LexicalRole::BareNo));
        match (yes, no) {
            (Some(yes), no) if Some(yes) > no => Some(self.verdict(true, yes, why)),
            // "No witnesses are needed" denies a noun, which need not be what was asked.
            (_, Some(no)) => Some(YesNoAnswer {
                is_said: self.word(0) != "no" || no > 1 || ends(&no),
                ..self.verdict(false, no, why)
            }),
            _ => None,
        }
    }

    /// A yes or no at the very end: "…, so no.", "…, so it is."
    fn closing(&self) -> Option<YesNoAnswer> {
        let start = (1..self.words.len()).rev().find(|&at| self.gap(at) > ClauseGap::Nothing)?;
        let concludes = matches!(self.word(start), "so" | "then" | "and");
        let last = self.skip(start + usize::from(concludes));
        let is_whole = |sort: LexicalRole| last.expression_length(sort, 0) == Some(last.words.len());
        let replied =
            || last.short_reply().filter(|_| concludes && last.words.len() <= 3).and_then(|reply| reply.sense);
        let sense = match (is_whole(LexicalRole::Yes), is_whole(LexicalRole::No)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => replied(),
        };
        // What follows a marker is the reason; here the reason came first, so there is no marker.
        sense.map(|sense| YesNoAnswer { sense: Some(sense), marker: None, why: "by its last words", is_said: true })
    }

    /// "He did", "They do not": a pronoun and a verb that takes up the question.
    fn short_reply(&self) -> Option<YesNoAnswer> {
        if !lexical_roles(self.word(0)).has(LexicalRole::Subject) || self.gap(1) > ClauseGap::Nothing {
            return None;
        }
        let (verb, why) = (lexical_roles(self.word(1)), "by a short reply");
        let is_not = self.word(2) == "not" && self.gap(2) == ClauseGap::Nothing;
        let length = 2 + usize::from(is_not);
        let is_reply = verb.has(LexicalRole::Contraction) || verb.has(LexicalRole::Helping);
        let is_denied = is_not != verb.has(LexicalRole::Contraction);
        (is_reply && self.gap(length) > ClauseGap::Nothing).then(|| self.verdict(!is_denied, length, why))
    }

    /// What a statement says about the question: its main clause denies by a negation or by the opposite of a word of the question,
    /// or a later one denies what was asked; otherwise it affirms.
    fn statement(&self, question: Option<&TextAnalysis>) -> YesNoAnswer {
        let ends = |at: &usize| self.gap(*at) >= ClauseGap::Clause;
        let mut clauses: Vec<Range<usize>> = Vec::new();
        let mut start = 0;
        for end in (1..self.words.len()).filter(ends).chain([self.words.len()]) {
            clauses.push(start..end);
            start = end;
        }
        let first = self.main_part(&clauses[0]);
        if first.len() < 2 {
            return YesNoAnswer { is_said: false, ..YesNoAnswer::undecided("says neither yes nor no") };
        }
        let stated = |sense: bool, why: &'static str, is_said: bool| YesNoAnswer {
            sense: Some(sense),
            marker: None,
            why,
            is_said,
        };
        let is_said = question.is_some_and(|question| self.takes_up(&first, question));
        let (denies, why) = self.denies(first, question);
        if denies {
            return stated(false, why, is_said || why != STATEMENT_DENIES);
        }
        // "It lies in France; it is not a part of Spain."
        let later =
            clauses[1..].iter().filter(|clause| question.is_some() && self.speaks_of((*clause).clone(), question));
        let turned = later.map(|clause| self.denies(clause.clone(), question)).find(|(denies, _)| *denies);
        match turned {
            Some((_, why)) => stated(false, why, true),
            None => stated(true, why, is_said),
        }
    }

    /// Whether some words take up what was asked: all that the question says, its first words apart, or its last word and another.
    fn takes_up(&self, words: &Range<usize>, question: &TextAnalysis) -> bool {
        let question_words: Vec<String> = (0..question.tokens.len())
            .filter(|&token| question.tokens[token].is_word && !question.has_role(token, LexicalRole::Function))
            .map(|token| stem(question.word(token)))
            .collect();
        let answer_stems: FxHashSet<String> = words.clone().map(|at| stem(self.word(at))).collect();
        let met = question_words.iter().filter(|word| answer_stems.contains(*word)).count();
        let limits = |at: usize| {
            lexical_roles(self.word(at)).has(LexicalRole::Condition)
                || matches!(self.word(at), "only" | "until" | "before")
        };
        met > 0 && 2 * met >= question_words.len() && !words.clone().any(limits)
    }

    /// Whether some words take up the question; any do where there is none.
    fn speaks_of(&self, mut words: Range<usize>, question: Option<&TextAnalysis>) -> bool {
        let Some(question) = question else { return true };
        let question_stems = question.content_stems();
        words.any(|at| question_stems.contains(&stem(self.word(at))))
    }

    /// A clause up to where it only explains itself.
    fn main_part(&self, clause: &Range<usize>) -> Range<usize> {
        // "Since 2006" tells a time.
        let is_number = |at: usize| self.word(at).starts_with(|first: char| first.is_ascii_digit());
        let explains = |at: &usize| {
            lexical_roles(self.word(*at)).has(LexicalRole::Explaining) && self.word(*at) != "as" && !is_number(at + 1)
        };
        let end = (clause.start + 2..clause.end).find(explains).unwrap_or(clause.end);
        clause.start..end
    }

    /// Whether some words deny what was asked, and how: a denial of a denial, or of the opposite, affirms.
    fn denies(&self, clause: Range<usize>, question: Option<&TextAnalysis>) -> (bool, &'static str) {
        // "Nothing at all, nobody came" denies once: what follows a comma says it again.
        let comma = (clause.start + 1..clause.end).find(|&at| self.gap(at) == ClauseGap::Comma).unwrap_or(clause.end);
        let is_false =
            |mut words: Range<usize>| words.any(|at| lexical_roles(self.word(at)).has(LexicalRole::Falsehood));
        let is_said = || self.speaks_of(comma..clause.end, question) || is_false(comma..clause.end);
        let negations = match self.negations(&(clause.start..comma), question) {
            0 if is_said() => self.negations(&(comma..clause.end), question),
            some => some,
        };
        let turned =
            question.is_some_and(|question| self.has_ended(&clause, question) || self.says_opposite(clause, question));
        let why = match (negations > 0, turned) {
            (_, true) => "it says the opposite of what was asked",
            (true, false) => STATEMENT_DENIES,
            (false, false) => "its statement affirms",
        };
        ((negations + usize::from(turned)) % 2 == 1, why)
    }

    fn negations(&self, words: &Range<usize>, question: Option<&TextAnalysis>) -> usize {
        let near = |at: usize, ahead: isize| {
            let there = at.wrapping_add_signed(ahead);
            if words.contains(&there) { self.word(there) } else { "" }
        };
        let is_asked = |predicate: &dyn Fn(&str) -> bool| {
            question.is_some_and(|question| (0..question.tokens.len()).any(|token| predicate(question.word(token))))
        };
        let counts = |at: &usize| {
            let word = self.word(*at);
            // A verb of the question denies nothing: "Did they refuse?" "They refused."
            let verb = |word: &str| word_lemma(LexicalRole::Denial, word);
            denial(|ahead| near(*at, ahead.cast_signed())).is_some()
                || denies_by_meaning(|ahead| near(*at, ahead))
                    && !is_asked(&|question_word| {
                        question_word == word || verb(question_word).is_some() && verb(question_word) == verb(word)
                    })
                || lexical_roles(word).has(LexicalRole::Falsehood) && !is_asked(&|question_word| question_word == word)
        };
        words.clone().filter(counts).count()
    }

    /// Whether a clause says the opposite of a word of the question that it does not take up.
    fn says_opposite(&self, clause: Range<usize>, question: &TextAnalysis) -> bool {
        let clause_words: Vec<&str> = clause.clone().map(|at| self.word(at)).collect();
        let question_words: Vec<&str> = (0..question.tokens.len())
            .filter(|&token| question.tokens[token].is_word && !clause_words.contains(&question.word(token)))
            .map(|token| question.word(token))
            .collect();
        let opposites = Opposites::from_words(&question_words);
        (0..clause_words.len()).any(|at| {
            opposites.opposite_length(|ahead| clause_words.get(at + ahead).copied().unwrap_or_default()).is_some()
        })
    }

    /// Whether a clause tells of what was so, where it is asked what is: "She used to, until it closed."
    fn has_ended(&self, clause: &Range<usize>, question: &TextAnalysis) -> bool {
        let opening = (0..question.tokens.len()).find(|&token| question.tokens[token].is_word);
        let is_present = opening.is_some_and(|token| {
            matches!(
                question.word(token),
                "is" | "are" | "does" | "do" | "has" | "have" | "isn't" | "aren't" | "doesn't" | "don't"
            )
        });
        let is_past = |at: usize| matches!(self.word(at), "was" | "were" | "had" | "used" | "did");
        is_present
            && clause
                .clone()
                .any(|at| self.expression_length(LexicalRole::Former, at).is_some() && self.word(at) != "no")
            && clause.clone().any(is_past)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<bool> {
        TextAnalysis::new(text).yes_or_no(None).sense
    }

    #[test]
    fn hedged_openings_still_decide() {
        for text in [
            "Well, yes",
            "Sadly, yes.",
            "No doubt they did",
            "It is true that they left",
            "Not only did he, he signed",
            "I would say so, yes.",
            "Difficult? Absolutely.",
            "He did, from twelve on",
            "The short answer is: ja",
            "To my knowledge, yes",
            "Nothing suggests otherwise: it was published",
            "There was one, in 2009.",
            "Obviously they did.",
        ] {
            assert_eq!(read(text), Some(true), "{text}");
        }
        for text in [
            "He did not; an uncle did",
            "They don't.",
            "It was never published",
            "I wouldn't say so",
            "Not yet.",
            "It closes in winter, so no.",
            "There weren't any accidents",
            "Hardly any of them leave",
            "Far from it",
            "They say nobody from the council ever asked them",
            "She has no plans to move",
            "No.",
            "Nej, de kun",
            "Obviously they did not.",
            "I'm afraid not.",
        ] {
            assert_eq!(read(text), Some(false), "{text}");
        }
        for text in ["maybe", "Yes and no", "", "?", "It depends on the year", "The transcript does not say"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn the_question_decides_with_the_answer() {
        let read = |question: &str, answer: &str| {
            TextAnalysis::new(answer).yes_or_no(Some(&TextAnalysis::new(question))).sense
        };
        assert_eq!(read("Did the price increase?", "It has decreased a lot."), Some(false));
        assert_eq!(read("Is the house large?", "It's not small."), Some(true));
        assert_eq!(read("Did they refuse the offer?", "They refused it."), Some(true));
        assert_eq!(read("Did they take the offer?", "They refused it."), Some(false));
        assert_eq!(read("Is it in Spain?", "It lies in France; it is not a part of Spain."), Some(false));
        assert_eq!(read("Is 371 divisible by 7?", "371 = 7 × 53, no remainder."), Some(true));
        assert_eq!(read("Is it a planet?", "It has been a dwarf since 2006 and is no longer a planet."), Some(false));
        assert_eq!(read("Did he die on Elba?", "He died on Saint Helena, so the statement is false."), Some(false));
        assert_eq!(read("Do they sell cake?", "They sell bread, not cake."), Some(false));
        assert_eq!(read("Is it low?", "It lies far down, so it is."), Some(true));
        assert_eq!(read("Is Denise in?", "Denise is in the denim shop."), Some(true));
    }

    #[test]
    fn the_marker_ends_where_the_reason_begins() {
        let text = "Well, yes: it is tradition";
        let marker = TextAnalysis::new(text).yes_or_no(None).marker.unwrap();
        assert_eq!(&text[marker], "yes");
    }
}
