//! [`Request`]: what the user's message asks for and tells, which decides how a reply is to be read.

use rustc_hash::FxHashSet;

use super::classes::{Class, classes};
use super::reading::{Reading, Sentence, Sort};
use super::wording::{Sense, Wording, in_sentence, wordings};

/// What the user's message asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Wants {
    /// Nothing in particular: it tells something.
    #[default]
    Nothing,
    /// Facts, instructions, tips or a distraction.
    Facts,
    /// A text to be written, translated, played or corrected: the reply's words are then not addressed to the user.
    Text,
}

/// What the user's message is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Matter {
    /// Somebody's life.
    #[default]
    Life,
    /// Thanks or a goodbye: the concern is closed.
    Closing,
    /// A matter that makes nobody vulnerable: code, cooking, a trip.
    Task,
}

/// What the user's message asks for and shows.
#[derive(Debug, Clone, Default)]
pub(super) struct Request {
    pub wants: Wants,
    pub matter: Matter,
    /// It weighs whether to do something with the user's own life.
    pub weighs_a_decision: bool,
    /// It asks how something will turn out that has no timetable.
    pub asks_for_a_forecast: bool,
    /// It speaks of a thing and of nobody: "my laptop died", "the cake sank".
    pub tells_of_a_thing: bool,
    /// Tokens that show distress.
    pub distress: Vec<usize>,
}

impl Request {
    /// What a message asks for and shows.
    pub(super) fn of(user: &Reading) -> Self {
        const SENSES: [Sense; 7] = [
            Sense::Decision,
            Sense::Hurt,
            Sense::WantsText,
            Sense::WantsFacts,
            Sense::Rhetorical,
            Sense::Forecast,
            Sense::Harmless,
        ];
        let mut found = wordings(user, &SENSES);
        // "What should I say?" asks for advice, "should I go?" weighs.
        let is_asked = |token: usize| token.checked_sub(1).is_some_and(|before| user.is(before, Class::QuestionWord));
        found.retain(|wording| wording.sense != Sense::Decision || !is_asked(wording.first));
        let distress = distress(user, &found);
        let has = |sense: Sense| found.iter().any(|wording| wording.sense == sense);
        let mut request = Self { weighs_a_decision: has(Sense::Decision), distress, ..Self::default() };
        for (number, sentence) in user.sentences.iter().enumerate() {
            probare_cancellation::steps(1);
            let here = |sense: Sense| in_sentence(&found, number).iter().any(|wording| wording.sense == sense);
            if asks_for_text(user, sentence) || here(Sense::WantsText) {
                request.wants = Wants::Text;
            }
            let asks = here(Sense::WantsFacts) || asks_for_facts(user, sentence);
            if asks && !here(Sense::Rhetorical) && request.wants == Wants::Nothing {
                request.wants = Wants::Facts;
            }
            request.asks_for_a_forecast |= asks && here(Sense::Forecast);
        }
        let any = |class: Class| (0..user.tokens.len()).any(|token| user.is(token, class));
        request.tells_of_a_thing =
            request.distress.is_empty() && (has(Sense::Harmless) || any(Class::Task) && !any(Class::Person));
        request.matter = if closes(user, &request.distress) {
            Matter::Closing
        } else if !request.distress.is_empty() {
            Matter::Life
        } else if request.tells_of_a_thing || !speaks_of_people(user) {
            Matter::Task
        } else {
            Matter::Life
        };
        request
    }

    /// Whether instructions are what the user asked for.
    pub(super) fn wants_instructions(&self) -> bool {
        self.wants == Wants::Facts && !self.weighs_a_decision
    }
}

/// The first word.
fn first_word(user: &Reading, sentence: &Sentence) -> usize {
    let mut start = sentence.tokens.start;
    while start + 1 < sentence.tokens.end && !user.tokens[start].is_word {
        probare_cancellation::steps(1);
        start += 1;
    }
    start
}

fn asks_for_text(user: &Reading, sentence: &Sentence) -> bool {
    user.is(first_word(user, sentence), Class::TextVerb)
}

fn asks_for_facts(user: &Reading, sentence: &Sentence) -> bool {
    let start = first_word(user, sentence);
    let (word, next) = (user.word(start), user.word(start + 1));
    if user.is(start, Class::FactVerb)
        || user.word(sentence.tokens.start) == "please"
        || word == "any" && sentence.is_question()
    {
        return true;
    }
    let speaks_of_self =
        sentence.tokens.clone().any(|token| matches!(user.word(token), "i" | "i'm" | "i've" | "my" | "me"));
    if user.is(start, Class::QuestionWord) && (sentence.is_question() || !speaks_of_self || word == "how") {
        return true;
    }
    // "Can I tell you something?", "Are you there?" and "Do you think he is gone?" want an ear, not an answer.
    if sentence.is_question() && user.is(start, Class::YesNo) {
        return !matches!(next, "i" | "me" | "you");
    }
    // "…, which model lasts longest?"
    sentence.is_question()
        && sentence.tokens.clone().skip(1).any(|token| {
            user.is(token, Class::QuestionWord)
                && matches!(user.word(token - 1), "," | "-" | ":" | ";" | "but" | "and" | "so" | "or")
        })
}

/// Whether the last two sentences of the message give thanks or say goodbye and show no distress.
fn closes(user: &Reading, distress: &[usize]) -> bool {
    let from = user.sentences.len().saturating_sub(2);
    let Some(start) = user.sentences.get(from).map(|sentence| sentence.tokens.start) else { return false };
    let thanks = (start..user.tokens.len()).any(|token| {
        matches!(user.word(token), "thanks" | "bye" | "goodbye" | "goodnight" | "appreciate" | "appreciated")
            || user.word(token) == "thank" && user.word(token + 1) == "you"
    });
    let is_better = (start..user.tokens.len()).any(|token| {
        matches!(user.word(token), "feel" | "feeling") && (token + 1..token + 4).any(|next| user.word(next) == "better")
    });
    is_better || thanks && !distress.iter().any(|token| *token >= start)
}

/// Whether the message speaks of the user or of anybody at all.
fn speaks_of_people(user: &Reading) -> bool {
    (0..user.tokens.len()).any(|token| {
        user.is(token, Class::Person)
            || classes(user.word(token).split('\'').next().unwrap_or_default()).has(Class::Pronoun)
    })
}

/// Whether a word is denied right before it: "not as hopeless", "I'm not worried".
fn is_taken_back(user: &Reading, token: usize) -> bool {
    let is_not = |at: usize| user.is_sort(at, Sort::Contraction) && user.is_sort(at, Sort::Copula);
    let mut before = token;
    while before > 0 && matches!(user.word(before - 1), "as" | "so" | "that" | "really" | "too" | "very" | "even") {
        probare_cancellation::steps(1);
        before -= 1;
    }
    before > 0 && (user.word(before - 1) == "not" || is_not(before - 1))
}

/// The tokens that show distress, less those in a harmless figure of speech. What dies, breaks or fails where a message speaks of a
/// thing and of nobody is the thing.
fn distress(user: &Reading, found: &[Wording]) -> Vec<usize> {
    let figures = found.iter().filter(|wording| wording.sense == Sense::Harmless);
    let harmless: FxHashSet<usize> = figures.flat_map(|wording| wording.first..=wording.last).collect();
    let words = (0..user.tokens.len())
        .filter(|&token| user.is(token, Class::Distress) && !harmless.contains(&token) && !is_taken_back(user, token));
    let phrases = found.iter().filter(|wording| wording.sense == Sense::Hurt).map(|wording| wording.first);
    let mut tokens: Vec<usize> = words.chain(phrases).collect();
    tokens.sort_unstable();
    tokens.dedup();
    let any = |class: Class| (0..user.tokens.len()).any(|token| user.is(token, class));
    // Who failed or lost something is no thing.
    let is_of_the_user = |token: usize| {
        token
            .checked_sub(1)
            .is_some_and(|before| matches!(user.word(before), "i" | "i've" | "i'm" | "we" | "we've" | "just"))
    };
    let is_of_a_thing = |&token: &usize| !is_of_the_user(token) && user.is(token, Class::Breaking);
    if any(Class::Task) && !any(Class::Person) && tokens.iter().all(is_of_a_thing) {
        tokens.clear();
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(user: &str) -> Request {
        Request::of(&Reading::of(user))
    }

    #[test]
    fn texts_facts_and_telling_are_told_apart() {
        assert_eq!(request("Write a scene in which a mother says goodbye.").wants, Wants::Text);
        assert_eq!(request("How do I reset my router?").wants, Wants::Facts);
        assert_eq!(request("My phone died on the hike, which model lasts longest?").wants, Wants::Facts);
        assert_eq!(request("He left this morning.").wants, Wants::Nothing);
        assert_eq!(request("I'm scared. What if I don't wake up?").wants, Wants::Nothing);
    }

    #[test]
    fn a_decision_is_no_question_of_fact() {
        let request = request("Should I text him back or leave it?");
        assert!(request.weighs_a_decision);
        assert!(!request.wants_instructions());
    }

    #[test]
    fn what_a_thing_suffers_is_no_distress() {
        assert!(request("My sourdough starter is dead.").distress.is_empty());
        assert!(request("The update failed and the laptop is stuck.").distress.is_empty());
        assert!(!request("I failed the exam.").distress.is_empty());
        assert!(!request("I just lost my job at the bike shop.").distress.is_empty());
    }

    #[test]
    fn figures_of_speech_show_no_distress() {
        assert!(request("My phone battery died.").distress.is_empty());
        assert_eq!(request("My uncle died.").distress.len(), 1);
    }
}
