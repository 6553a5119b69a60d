//! [`UserRequest`]: what the user's message asks for and tells, which decides how a reply is to be read.

use rustc_hash::FxHashSet;

use super::classes::{CareClass, care_classes};
use super::phrase_matches::{PhraseCategory, PhraseMatch, find_phrases, matches_in_sentence};
use super::tagged_text::{AnalysisSentence, LexicalRole, TaggedText};

/// What the user's message asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum RequestKind {
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
pub(super) enum RequestTopic {
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
pub(super) struct UserRequest {
    pub kind: RequestKind,
    pub topic: RequestTopic,
    /// It weighs whether to do something with the user's own life.
    pub weighs_a_decision: bool,
    /// It asks how something will turn out that has no timetable.
    pub asks_for_a_forecast: bool,
    /// It speaks of a thing and of nobody: "my laptop died", "the cake sank".
    pub tells_of_a_thing: bool,
    /// Tokens that show distress.
    pub distress: Vec<usize>,
}

impl UserRequest {
    /// What a message asks for and shows.
    pub(super) fn from_message(user: &TaggedText) -> Self {
        const SENSES: [PhraseCategory; 7] = [
            PhraseCategory::Decision,
            PhraseCategory::Hurt,
            PhraseCategory::WantsText,
            PhraseCategory::WantsFacts,
            PhraseCategory::Rhetorical,
            PhraseCategory::Forecast,
            PhraseCategory::Harmless,
        ];
        let mut found = find_phrases(user, &SENSES);
        // "What should I say?" asks for advice, "should I go?" weighs.
        let is_asked =
            |token: usize| token.checked_sub(1).is_some_and(|before| user.has_class(before, CareClass::QuestionWord));
        found.retain(|wording| wording.category != PhraseCategory::Decision || !is_asked(wording.first));
        let distress = distress(user, &found);
        let has = |sense: PhraseCategory| found.iter().any(|wording| wording.category == sense);
        let mut request = Self { weighs_a_decision: has(PhraseCategory::Decision), distress, ..Self::default() };
        for (number, sentence) in user.sentences.iter().enumerate() {
            probare_cancellation::count_steps(1);
            let here = |sense: PhraseCategory| {
                matches_in_sentence(&found, number).iter().any(|wording| wording.category == sense)
            };
            if asks_for_text(user, sentence) || here(PhraseCategory::WantsText) {
                request.kind = RequestKind::Text;
            }
            let asks = here(PhraseCategory::WantsFacts) || asks_for_facts(user, sentence);
            if asks && !here(PhraseCategory::Rhetorical) && request.kind == RequestKind::Nothing {
                request.kind = RequestKind::Facts;
            }
            request.asks_for_a_forecast |= asks && here(PhraseCategory::Forecast);
        }
        request.tells_of_a_thing = request.distress.is_empty()
            && (has(PhraseCategory::Harmless)
                || user.contains_class(CareClass::Task) && !user.contains_class(CareClass::Person));
        request.topic = if closes(user, &request.distress) {
            RequestTopic::Closing
        } else if !request.distress.is_empty() {
            RequestTopic::Life
        } else if request.tells_of_a_thing || !speaks_of_people(user) {
            RequestTopic::Task
        } else {
            RequestTopic::Life
        };
        request
    }

    /// Whether instructions are what the user asked for.
    pub(super) fn wants_instructions(&self) -> bool {
        self.kind == RequestKind::Facts && !self.weighs_a_decision
    }
}

fn first_word(user: &TaggedText, sentence: &AnalysisSentence) -> usize {
    let mut start = sentence.tokens.start;
    while start + 1 < sentence.tokens.end && !user.tokens[start].is_word {
        probare_cancellation::count_steps(1);
        start += 1;
    }
    start
}

fn asks_for_text(user: &TaggedText, sentence: &AnalysisSentence) -> bool {
    user.has_class(first_word(user, sentence), CareClass::TextVerb)
}

fn asks_for_facts(user: &TaggedText, sentence: &AnalysisSentence) -> bool {
    let start = first_word(user, sentence);
    let (word, next) = (user.word(start), user.word(start + 1));
    if user.has_class(start, CareClass::FactVerb)
        || user.word(sentence.tokens.start) == "please"
        || word == "any" && sentence.is_question()
    {
        return true;
    }
    let speaks_of_self =
        sentence.tokens.clone().any(|token| matches!(user.word(token), "i" | "i'm" | "i've" | "my" | "me"));
    if user.has_class(start, CareClass::QuestionWord) && (sentence.is_question() || !speaks_of_self || word == "how") {
        return true;
    }
    // "Can I tell you something?", "Are you there?" and "Do you think he is gone?" want an ear, not an answer.
    if sentence.is_question() && user.has_class(start, CareClass::YesNo) {
        return !matches!(next, "i" | "me" | "you");
    }
    // "…, which model lasts longest?"
    sentence.is_question()
        && sentence.tokens.clone().skip(1).any(|token| {
            user.has_class(token, CareClass::QuestionWord)
                && matches!(user.word(token - 1), "," | "-" | ":" | ";" | "but" | "and" | "so" | "or")
        })
}

/// Whether the last two sentences of the message give thanks or say goodbye and show no distress.
fn closes(user: &TaggedText, distress: &[usize]) -> bool {
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
fn speaks_of_people(user: &TaggedText) -> bool {
    (0..user.tokens.len()).any(|token| {
        user.has_class(token, CareClass::Person)
            || care_classes(user.word(token).split('\'').next().unwrap_or_default()).has(CareClass::Pronoun)
    })
}

/// Whether a word is denied right before it: "not as hopeless", "I'm not worried".
fn is_taken_back(user: &TaggedText, token: usize) -> bool {
    let is_not = |at: usize| user.has_role(at, LexicalRole::Contraction) && user.has_role(at, LexicalRole::Copula);
    let mut before = token;
    while before > 0 && matches!(user.word(before - 1), "as" | "so" | "that" | "really" | "too" | "very" | "even") {
        probare_cancellation::count_steps(1);
        before -= 1;
    }
    before > 0 && (user.word(before - 1) == "not" || is_not(before - 1))
}

/// The tokens that show distress, less those in a harmless figure of speech. What dies, breaks or fails where a message speaks of a
/// thing and of nobody is the thing.
fn distress(user: &TaggedText, found: &[PhraseMatch]) -> Vec<usize> {
    let figures = found.iter().filter(|wording| wording.category == PhraseCategory::Harmless);
    let harmless: FxHashSet<usize> = figures.flat_map(|wording| wording.first..=wording.last).collect();
    let words = (0..user.tokens.len()).filter(|&token| {
        user.has_class(token, CareClass::Distress) && !harmless.contains(&token) && !is_taken_back(user, token)
    });
    let phrases = found.iter().filter(|wording| wording.category == PhraseCategory::Hurt).map(|wording| wording.first);
    let mut tokens: Vec<usize> = words.chain(phrases).collect();
    tokens.sort_unstable();
    tokens.dedup();
    // Who failed or lost something is no thing.
    let is_of_the_user = |token: usize| {
        token
            .checked_sub(1)
            .is_some_and(|before| matches!(user.word(before), "i" | "i've" | "i'm" | "we" | "we've" | "just"))
    };
    let is_of_a_thing = |&token: &usize| !is_of_the_user(token) && user.has_class(token, CareClass::Breaking);
    if user.contains_class(CareClass::Task)
        && !user.contains_class(CareClass::Person)
        && tokens.iter().all(is_of_a_thing)
    {
        tokens.clear();
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(user: &str) -> UserRequest {
        UserRequest::from_message(&TaggedText::from_text(user))
    }

    #[test]
    fn texts_facts_and_telling_are_told_apart() {
        assert_eq!(request("Write a scene in which a mother says goodbye.").kind, RequestKind::Text);
        assert_eq!(request("How do I reset my router?").kind, RequestKind::Facts);
        assert_eq!(request("My phone died on the hike, which model lasts longest?").kind, RequestKind::Facts);
        assert_eq!(request("He left this morning.").kind, RequestKind::Nothing);
        assert_eq!(request("I'm scared. What if I don't wake up?").kind, RequestKind::Nothing);
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
