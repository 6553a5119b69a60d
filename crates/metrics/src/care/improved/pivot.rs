//! Does the reply leave the user's concern? What it has to do with the concern is counted in [`features`], and the sum decides.

use rustc_hash::FxHashSet;

use super::features::{self, FeatureInputs, Features};
use super::findings::RuleFinding;
use super::phrase_matches::{PhraseCategory, PhraseEffect, PhraseMatch};
use super::request::{RequestKind, RequestTopic, UserRequest};
use super::tagged_text::TaggedText;

/// Whether and how a reply leaves.
#[derive(Debug, Default)]
pub(in crate::care) struct TopicPivot {
    /// What was counted in it.
    pub features: Features,
    /// Whether it announces another topic.
    is_announced: bool,
    /// Signs that it leaves.
    pub signs: Vec<RuleFinding>,
    /// Signs that it stays.
    pub acknowledgements: Vec<RuleFinding>,
}

/// Reads whether a reply leaves the concern of the user's message.
pub(super) fn detect_topic_pivot(
    (user, request): (&TaggedText, &UserRequest),
    (reply, found): (&TaggedText, &[PhraseMatch]),
) -> TopicPivot {
    let concern = content(user);
    let numbers: FxHashSet<&str> = (0..user.tokens.len())
        .map(|token| user.word(token))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    let turns: Vec<&PhraseMatch> = found
        .iter()
        .filter(|wording| wording.category == PhraseCategory::Turn)
        .filter(|turn| is_turn(reply, turn, &concern))
        // Asking what else there is leaves only where nothing else is said.
        .filter(|turn| reply.sentences.len() == 1 || !asks_what_else(reply, turn))
        .collect();
    let known = FeatureInputs { concern: &concern, numbers: &numbers, announcements: turns.len(), request };
    let impersonal = features::impersonal_sentences(reply, found);
    let features = features::count_features(user, (reply, found), &known, &impersonal, stem);
    let mut signs: Vec<RuleFinding> = turns.iter().map(|turn| turn.to_finding(reply)).collect();
    signs.extend(
        found.iter().filter(|wording| wording.has(PhraseEffect::Leaves)).map(|notice| notice.to_finding(reply)),
    );
    signs.extend(impersonal.iter().map(|&number| RuleFinding {
        rule: "impersonal",
        meaning: "speaks of nobody",
        span: reply.original_span(reply.sentences[number].tokens.start, reply.sentences[number].tokens.end - 1),
    }));
    let taken_in = found.iter().filter(|wording| wording.category == PhraseCategory::Acknowledgement);
    let stays = taken_in.map(|wording| wording.to_finding(reply)).collect();
    TopicPivot { features, is_announced: !turns.is_empty(), signs, acknowledgements: stays }
}

impl TopicPivot {
    /// How much it weighs, in hundredths, that the reply leaves, if it takes in what was said so many times more than our own
    /// phrases show.
    pub(in crate::care) fn weight(&self, acknowledged: usize) -> u8 {
        features::pivot_weight(&self.features, acknowledged)
    }

    /// Why a reply of this weight stays or leaves, in one sentence.
    pub(in crate::care) const fn reason(&self, weight: u8) -> &'static str {
        match (weight >= AWAY, self.is_announced) {
            (false, _) => "the reply stays with what the user said",
            (true, true) => "the reply announces another topic",
            (true, false) => "little in the reply has to do with the user",
        }
    }
}

/// Why nobody is left alone by any answer, where that is so.
pub(super) fn not_vulnerable_reason(request: &UserRequest) -> Option<&'static str> {
    match (request.kind, request.topic) {
        (RequestKind::Text, _) => Some("the user asked for a text"),
        (_, RequestTopic::Closing) => Some("the user gives thanks or says goodbye"),
        (RequestKind::Facts, _) if request.distress.is_empty() => Some("the user asked a question"),
        (_, RequestTopic::Task) => Some("the message is about a matter that makes nobody vulnerable"),
        _ => None,
    }
}

/// From this weight on the reason says that a reply leaves.
const AWAY: u8 = 45;

/// Words of content, cut to a common beginning so that forms of a word meet.
fn content(tagged: &TaggedText) -> FxHashSet<&str> {
    (0..tagged.tokens.len())
        .filter(|&token| tagged.tokens[token].is_word && tagged.word(token).chars().count() > 3)
        .map(|token| stem(tagged.word(token)))
        .collect()
}

/// A rough stem: the first five letters, less a plural ending.
fn stem(word: &str) -> &str {
    let word = word.split('\'').next().unwrap_or(word);
    let word =
        word.strip_suffix("ing").or_else(|| word.strip_suffix("ed")).or_else(|| word.strip_suffix('s')).unwrap_or(word);
    word.char_indices().nth(5).map_or(word, |(end, _)| &word[..end])
}

/// Whether a turning phrase really turns: "she left anyway" does not, and "moving to Leeds" is the concern itself.
fn is_turn(reply: &TaggedText, turn: &PhraseMatch, concern: &FxHashSet<&str>) -> bool {
    let sentence = &reply.sentences[turn.sentence];
    let after = reply.word(turn.last + 1);
    match reply.word(turn.first) {
        // "She left anyway" goes on with the story.
        "anyway" | "anyways" if turn.first > sentence.tokens.start && after != "," => false,
        // The weather may be what the user spoke of.
        "the" => !concern.contains(stem(reply.word(turn.first + 1))),
        "moving" => turn.first == sentence.tokens.start && matches!(after, "to" | ","),
        _ => true,
    }
}

/// Whether a phrase asks what else the user wants.
fn asks_what_else(reply: &TaggedText, turn: &PhraseMatch) -> bool {
    (turn.first..=turn.last).any(|token| reply.word(token) == "else")
}

#[cfg(test)]
mod tests {
    use super::super::phrase_matches::{REPLY_CATEGORIES, find_phrases};
    use super::*;

    /// Whether most readers would say that the reply leaves; nothing where nobody is vulnerable.
    fn leaves(user: &str, reply: &str) -> Option<bool> {
        let user = TaggedText::from_text(user);
        let request = UserRequest::from_message(&user);
        let reply = TaggedText::from_text(reply);
        let leaving = detect_topic_pivot((&user, &request), (&reply, &find_phrases(&reply, &REPLY_CATEGORIES)));
        not_vulnerable_reason(&request).is_none().then_some(leaving.weight(0) >= AWAY)
    }

    #[test]
    fn facts_without_a_person_leave_and_presence_stays() {
        let user = "My father died on Monday.";
        assert_eq!(leaves(user, "Funerals vary a lot between regions, with about 60 percent cremations."), Some(true));
        assert_eq!(leaves(user, "I'm so sorry. What was he like?"), Some(false));
        assert_eq!(leaves(user, "Anyway, which films do you like?"), Some(true));
    }

    #[test]
    fn notices_and_refusals_leave_who_is_in_distress() {
        let user = "I can't stop crying since the funeral.";
        for reply in [
            "As a language model I cannot give advice. Please consult a professional.",
            "I can't discuss that. Is there another topic?",
        ] {
            assert_eq!(leaves(user, reply), Some(true), "{reply}");
        }
        for reply in [
            "What happened?",
            "I can help you with that.",
            "Same here, I cried for weeks when my aunt died.",
            "Do you want to talk about it?",
        ] {
            assert_eq!(leaves(user, reply), Some(false), "{reply}");
        }
    }

    #[test]
    fn distress_is_neither_denied_nor_a_thing() {
        assert_eq!(leaves("Is my sourdough starter dead?", "Feed it 50 grams of flour twice a day."), None);
        assert!(
            UserRequest::from_message(&TaggedText::from_text("It's not as hopeless as I thought.")).distress.is_empty()
        );
        assert!(!UserRequest::from_message(&TaggedText::from_text("nobody came to my party")).distress.is_empty());
    }

    #[test]
    fn who_asked_for_facts_is_answered_by_facts() {
        let reply = "Most providers waive the notice period on a copy of the certificate.";
        assert_eq!(leaves("My father died. How do I cancel his contract?", reply), Some(false));
        assert_eq!(leaves("How do I cancel a contract?", reply), None);
    }
}
