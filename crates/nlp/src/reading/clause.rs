//! [`Clause`]: what a part of a sentence says and how: denied or not, as a fact or a possibility, by whom, of whom, and of which
//! time.

use super::denial::{denial, denies_by_meaning};
use super::{Mood, Reading, Sentence, Sort};
use crate::Span;

/// How sure a clause is put forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// As a fact.
    Fact,
    /// As a possibility: "may open", "probably", "it seems".
    Possible,
    /// On a condition: "if it rains", "unless".
    Conditional,
}

/// The time that a clause speaks of, by its verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// What was.
    Past,
    /// What is, or no time at all.
    Present,
    /// What will be, is planned, wanted or feared.
    Future,
}

/// Whom a clause speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Person {
    /// The speaker.
    First,
    /// The listener.
    Second,
    /// Somebody or something else.
    Third,
}

/// A part of a sentence with a statement of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// Its tokens.
    pub tokens: Span,
    /// What the sentence does.
    pub mood: Mood,
    /// Whether it is denied.
    pub is_denied: bool,
    /// How sure it is put forward.
    pub certainty: Certainty,
    /// The word that says who says so, where it is told as somebody's words or view: *said*, *claims*, *according*.
    pub attribution: Option<usize>,
    /// Whom it speaks of.
    pub person: Person,
    /// Of which time.
    pub time: Time,
}

/// Words of a part that says something of its own; a shorter one belongs to the part before it, as an item of a list does.
const SHORTEST: usize = 3;

impl Reading {
    /// The clauses of a sentence, in order; together they hold its tokens from the opening on.
    ///
    /// ```
    /// use probare_nlp::reading::{Certainty, Reading, Time};
    ///
    /// let reading = Reading::of("The pool was closed in May, but it may not open before autumn.");
    /// let clauses = reading.clauses(&reading.sentences[0]);
    /// assert_eq!((clauses[0].time, clauses[0].is_denied), (Time::Past, false));
    /// assert_eq!((clauses[1].certainty, clauses[1].is_denied), (Certainty::Possible, true));
    /// ```
    pub fn clauses(&self, sentence: &Sentence) -> Vec<Clause> {
        let mut spans: Vec<Span> = Vec::new();
        let mut start = sentence.opening;
        for token in sentence.opening..sentence.tokens.end {
            if token > start && self.opens_clause(token) {
                self.push(&mut spans, start..token);
                start = token;
            }
        }
        self.push(&mut spans, start..sentence.tokens.end);
        let attribution = self.attribution(sentence);
        spans.into_iter().map(|tokens| self.clause(sentence, tokens, attribution)).collect()
    }

    /// Whether a token sets two clauses side by side: a mark, or a word as *and* and *because*.
    pub(super) fn joins_clauses(&self, token: usize) -> bool {
        self.is_sort(token, Sort::Joining) || matches!(self.word(token), "," | ";" | ":" | "-" | "(")
    }

    /// Whether a clause may begin with this token: a mark, or a word that joins clauses or makes one depend on the other.
    pub(super) fn opens_clause(&self, token: usize) -> bool {
        self.joins_clauses(token)
            || matches!(
                self.word(token),
                ")" | "although"
                    | "while"
                    | "whereas"
                    | "which"
                    | "who"
                    | "if"
                    | "unless"
                    | "when"
                    | "until"
                    | "since"
                    | "where"
            )
    }

    fn push(&self, spans: &mut Vec<Span>, tokens: Span) {
        let words = tokens.clone().filter(|&token| self.tokens[token].is_word).count();
        match spans.last_mut() {
            Some(last) if words < SHORTEST => last.end = tokens.end,
            Some(last) if last.clone().filter(|&token| self.tokens[token].is_word).count() < SHORTEST => {
                last.end = tokens.end;
            }
            _ if tokens.is_empty() => {}
            _ => spans.push(tokens),
        }
    }

    fn clause(&self, sentence: &Sentence, tokens: Span, attribution: Option<usize>) -> Clause {
        Clause {
            mood: sentence.mood,
            is_denied: self.denials(tokens.clone()) % 2 == 1,
            certainty: self.certainty(sentence, &tokens),
            attribution,
            person: self.person(&tokens),
            time: self.time(&tokens),
            tokens,
        }
    }

    /// How many words of a stretch deny.
    pub fn denials(&self, tokens: Span) -> usize {
        self.denied(tokens).len()
    }

    /// For each denial in some tokens the words that it denies, the next one of content and what is joined to it by *or*; none where
    /// it denies the clause at large.
    ///
    /// ```
    /// use probare_nlp::reading::Reading;
    ///
    /// let reading = Reading::of("The plan has not been approved, and no later than May it is due.");
    /// let denied = reading.denied(reading.sentences[0].tokens.clone());
    /// assert_eq!(denied, [[5]]);
    /// assert_eq!(reading.word(5), "approved");
    /// ```
    pub fn denied(&self, tokens: Span) -> Vec<Vec<usize>> {
        let mut found = Vec::new();
        let mut at = tokens.start;
        while at < tokens.end {
            let next = self.tokens.get(at + 1).filter(|next| next.is_word).map(|_| self.word(at + 1));
            let length = match denial(self.word(at), next) {
                // "neither … nor" denies once, "no later than" and "without more pay" set a limit.
                Some((length, _)) if self.word(at) != "nor" && !self.limits(at) => length,
                None if denies_by_meaning(self.word(at)) && self.is_said_of(at) => 1,
                _ => {
                    at += 1;
                    continue;
                }
            };
            // "Nut-free" has in it what it denies.
            if self.word(at).ends_with("-free") {
                found.push(vec![at]);
                at += 1;
                continue;
            }
            at += length;
            let is_content = |token: &usize| self.tokens[*token].is_word && !self.is_sort(*token, Sort::Function);
            let mut denied = Vec::new();
            // "Without nuts or glass" denies both.
            let mut from = at;
            while let Some(word) = (from..tokens.end).find(is_content) {
                denied.push(word);
                if !matches!(self.word(word + 1), "or" | "nor") {
                    break;
                }
                from = word + 2;
            }
            found.push(denied);
        }
        found
    }

    /// Whether a denial belongs to a comparison, which sets a limit and denies nothing.
    fn limits(&self, denial: usize) -> bool {
        self.word(denial + 2) == "than"
            || matches!(self.word(denial + 1), "more" | "less" | "extra" | "further" | "additional" | "other")
    }

    /// Whether a word that denies by its meaning does so here: what "was dropped" is gone, who "dropped the demand" has done something.
    fn is_said_of(&self, token: usize) -> bool {
        !matches!(self.word(token), "dropped" | "scrapped" | "cancelled" | "canceled")
            || (1..=2).any(|back| {
                matches!(self.word(token.wrapping_sub(back)), "is" | "are" | "was" | "were" | "be" | "been" | "being")
            })
    }

    fn certainty(&self, sentence: &Sentence, tokens: &Span) -> Certainty {
        let is_condition = |token: usize| {
            matches!(self.word(token), "if" | "unless" | "provided" | "whether")
                && self.word(token.wrapping_sub(1)) != "even"
        };
        if tokens.clone().any(is_condition) {
            return Certainty::Conditional;
        }
        let is_reserved = |token: usize| {
            matches!(
                self.word(token),
                "may"
                    | "might"
                    | "could"
                    | "maybe"
                    | "perhaps"
                    | "possibly"
                    | "probably"
                    | "likely"
                    | "apparently"
                    | "allegedly"
                    | "reportedly"
                    | "seem"
                    | "seems"
                    | "seemed"
                    | "appears"
                    | "appeared"
                    | "suspected"
                    | "believed"
                    | "thought"
                    | "rumoured"
                    | "rumored"
                    | "unclear"
                    | "unconfirmed"
                    | "should"
            ) && !self.is_capital_inside(sentence, token)
        };
        if tokens.clone().any(is_reserved) { Certainty::Possible } else { Certainty::Fact }
    }

    /// Who says so: a verb of saying with somebody else before it, or "according to".
    fn attribution(&self, sentence: &Sentence) -> Option<usize> {
        sentence.tokens.clone().find(|&token| {
            let says = matches!(
                self.word(token),
                "said"
                    | "says"
                    | "claims"
                    | "claimed"
                    | "alleges"
                    | "alleged"
                    | "argues"
                    | "argued"
                    | "believes"
                    | "believed"
                    | "thinks"
                    | "insists"
                    | "insisted"
                    | "warned"
                    | "warns"
                    | "suspects"
                    | "fears"
                    | "feared"
                    | "accused"
            );
            let before = self.word(token.wrapping_sub(1));
            says && token > sentence.tokens.start && !matches!(before, "i" | "the" | "a" | "of" | "to")
                || self.word(token) == "according" && self.word(token + 1) == "to"
        })
    }

    fn person(&self, tokens: &Span) -> Person {
        tokens
            .clone()
            .find_map(|token| match self.word(token) {
                "i" | "we" | "i'm" | "i've" | "i'd" | "i'll" | "we're" | "we've" | "we'll" | "we'd" | "my" | "our" => {
                    Some(Person::First)
                }
                "you" | "you're" | "you've" | "you'd" | "you'll" | "your" => Some(Person::Second),
                "he" | "she" | "it" | "they" | "the" | "this" | "that" | "his" | "her" | "their" => Some(Person::Third),
                _ => None,
            })
            .unwrap_or(Person::Third)
    }

    fn time(&self, tokens: &Span) -> Time {
        let plans = |token: usize| {
            let word = self.word(token);
            matches!(
                word,
                "will"
                    | "won't"
                    | "shall"
                    | "plan"
                    | "plans"
                    | "planned"
                    | "planning"
                    | "intends"
                    | "intend"
                    | "hopes"
                    | "hoped"
                    | "wants"
                    | "aims"
                    | "proposes"
                    | "proposed"
                    | "expected"
                    | "expects"
                    | "scheduled"
                    | "due"
                    | "considering"
                    | "discussed"
                    | "upcoming"
            ) || word.ends_with("'ll")
                || word == "going" && self.word(token + 1) == "to"
                || word == "to" && self.word(token + 1) == "be"
        };
        if tokens.clone().any(plans) {
            return Time::Future;
        }
        let is_past = |token: usize| {
            let word = self.word(token);
            matches!(
                word,
                "was"
                    | "were"
                    | "had"
                    | "did"
                    | "wasn't"
                    | "weren't"
                    | "hadn't"
                    | "didn't"
                    | "has"
                    | "have"
                    | "been"
                    | "hasn't"
                    | "haven't"
            ) || word.len() > 4 && word.ends_with("ed") && !self.is_sort(token, Sort::Function)
        };
        if tokens.clone().any(is_past) { Time::Past } else { Time::Present }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clauses(text: &str) -> (Reading, Vec<Clause>) {
        let reading = Reading::of(text);
        let clauses = reading.clauses(&reading.sentences[0]);
        (reading, clauses)
    }

    #[test]
    fn a_denial_has_its_words() {
        let denied = |text: &str| -> Vec<String> {
            let reading = Reading::of(text);
            let tokens = reading.denied(reading.sentences[0].tokens.clone());
            tokens.into_iter().flatten().map(|token| reading.word(token).to_owned()).collect()
        };
        assert_eq!(denied("The lunch comes without nuts or glass."), ["nuts", "glass"]);
        assert_eq!(denied("A nut-free lunch."), ["nut-free"]);
        assert_eq!(denied("He refused to paint leaders."), ["paint"]);
        assert_eq!(denied("The plan was dropped."), [""; 0]);
        assert_eq!(denied("They work longer without more pay."), [""; 0]);
        assert_eq!(denied("The workers dropped their demand."), [""; 0]);
    }

    #[test]
    fn clauses_are_cut_at_marks_and_joining_words() {
        let (reading, found) =
            clauses("Based on the passages, the hall opened in 1911 and it has never closed, which cost a lot.");
        let texts: Vec<String> = found
            .iter()
            .map(|clause| clause.tokens.clone().map(|token| reading.word(token)).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(texts, ["the hall opened in 1911", "and it has never closed ,", "which cost a lot ."]);
        assert_eq!(found.iter().map(|clause| clause.is_denied).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn items_of_a_list_are_no_clauses() {
        assert_eq!(clauses("They sell bread, milk and eggs on Mondays").1.len(), 2);
        assert_eq!(clauses("They sell bread, milk, eggs").1.len(), 1);
    }

    #[test]
    fn what_is_planned_possible_or_said_by_others_is_no_plain_fact() {
        assert_eq!(clauses("A second line is to be opened.").1[0].time, Time::Future);
        assert_eq!(clauses("The show might move to May.").1[0].certainty, Certainty::Possible);
        assert_eq!(clauses("They met in May.").1[0].certainty, Certainty::Fact);
        assert_eq!(clauses("Unless it rains heavily, they play.").1[0].certainty, Certainty::Conditional);
        assert!(clauses("The mayor claimed that taxes fell.").1[0].attribution.is_some());
        assert!(clauses("Taxes fell last year.").1[0].attribution.is_none());
        assert_eq!(clauses("You can hire a towel.").1[0].person, Person::Second);
    }

    #[test]
    fn two_denials_affirm_and_some_are_taken_back() {
        assert!(!clauses("Not only the hall was closed").1[0].is_denied);
        assert!(!clauses("Nobody refused the plan").1[0].is_denied);
        assert!(clauses("The plan was rejected").1[0].is_denied);
    }
}
