//! Claims that nobody can make: assertions about the future and about other minds.

use probare_text::quantities::MeasurementUnit;
use rustc_hash::FxHashSet;

use super::classes::{CareClass, care_classes};
use super::findings::RuleFinding;
use super::request::{RequestKind, RequestTopic, UserRequest};
use super::tagged_text::{AnalysisSentence, AnalysisToken, LexicalRole, Scope, TaggedText};

use super::phrase_matches::{PhraseCategory, PhraseEffect, PhraseMatch, matches_in_sentence};

/// What is found in a reply.
#[derive(Debug, Default)]
pub(in crate::care) struct UnverifiableClaims {
    /// About minds.
    pub minds: Vec<RuleFinding>,
    /// About the future.
    pub futures: Vec<RuleFinding>,
}

/// What is found in a reply, given the user's message.
pub(super) fn find_claims(
    reply: &TaggedText,
    found: &[PhraseMatch],
    user: &TaggedText,
    request: &UserRequest,
) -> UnverifiableClaims {
    let mut claims = UnverifiableClaims::default();
    if request.kind == RequestKind::Text {
        return claims;
    }
    let plain = request.wants_instructions() && request.distress.is_empty();
    let spoken = UserWords::from_message(user);
    // What becomes of a thing that was asked about can be known.
    let known = if plain && request.topic == RequestTopic::Task { Some(PhraseCategory::Outcome) } else { None };
    phrases(reply, found, known, &mut claims);
    for (number, sentence) in reply.sentences.iter().enumerate() {
        if sentence.is_question() || sentence.is_item() {
            continue;
        }
        let pressing =
            matches_in_sentence(found, number).iter().filter(|found| found.category == PhraseCategory::Pressure);
        let decides = pressing.clone().any(|found| found.has(PhraseEffect::Decides));
        let closes = pressing.into_iter().any(|found| found.has(PhraseEffect::Closes));
        find_future_claims(reply, sentence, (plain, decides, closes), request, &mut claims.futures);
        if !plain {
            find_mind_claims(reply, &spoken, sentence, &mut claims.minds);
        }
    }
    for list in [&mut claims.minds, &mut claims.futures] {
        list.sort_by_key(|finding| finding.span.start);
        list.dedup_by(|later, earlier| later.span.start < earlier.span.end);
    }
    claims
}

/// Whether a sentence speaks of a future or of somebody who is neither the user nor the speaker.
fn concerns_the_unknown(reply: &TaggedText, sentence: &AnalysisSentence) -> bool {
    let words = || sentence.tokens.clone().filter(|&token| !reply.tokens[token].is_quoted);
    let foretells = words().any(|token| {
        let word = reply.word(token);
        matches!(word, "will" | "won't" | "gonna" | "can" | "going" | "never" | "always" | "soon")
            || word.ends_with("'ll")
    });
    let of_others = words().any(|token| {
        reply.has_class(token, CareClass::Person)
            || matches!(reply.word(token), "he" | "she" | "they" | "he's" | "she's" | "they're" | "everyone" | "nobody")
    });
    let supposes = words().any(|token| matches!(reply.word(token), "might" | "could" | "may"));
    (foretells || of_others) && !supposes
}

fn phrases(reply: &TaggedText, found: &[PhraseMatch], known: Option<PhraseCategory>, claims: &mut UnverifiableClaims) {
    for wording in found {
        probare_cancellation::count_steps(1);
        if !matches!(wording.category, PhraseCategory::Certainty | PhraseCategory::Outcome | PhraseCategory::Mind)
            || known == Some(wording.category)
        {
            continue;
        }
        let sentence = &reply.sentences[wording.sentence];
        let scope = Scope::new(reply, sentence, wording.first);
        let tail = matches!(wording.category, PhraseCategory::Certainty);
        if scope.is_denied() || scope.is_reported() || scope.is_disclaimed() {
            continue;
        }
        if sentence.is_question() && !wording.has(PhraseEffect::HoldsInQuestions) {
            continue;
        }
        if !tail
            && (scope.is_hedged_up_to(wording.first)
                || scope.is_opinion()
                || scope.is_dependent()
                || scope.is_conditional())
        {
            continue;
        }
        // Being sure claims nothing by itself; what it is about must be a future or another mind.
        if tail && !wording.has(PhraseEffect::NamesItsClaim) && !concerns_the_unknown(reply, sentence) {
            continue;
        }
        // "For lots of people it gets easier" is said of people, not of the user.
        let is_general = (sentence.tokens.start..wording.first).any(|token| reply.word(token) == "people");
        if wording.category == PhraseCategory::Outcome && is_general {
            continue;
        }
        let before = wording.first.checked_sub(1).map_or("", |token| reply.word(token));
        // "The choice is yours" leaves it to the user.
        if wording.category == PhraseCategory::Outcome
            && matches!(before, "choice" | "decision" | "call" | "say" | "pace" | "timing")
        {
            continue;
        }
        let finding = wording.to_finding(reply);
        if wording.category == PhraseCategory::Mind || wording.has(PhraseEffect::ReadsMinds) {
            &mut claims.minds
        } else {
            &mut claims.futures
        }
        .push(finding);
    }
}

/// The token after `at` that is no adverb.
fn skip_adverbs(reply: &TaggedText, mut at: usize) -> usize {
    while reply.has_class(at, CareClass::Adverb) {
        probare_cancellation::count_steps(1);
        at += 1;
    }
    at
}

/// Subjects with `will` or `going to`; whether the request is plain and whether the sentence decides for the user or closes
/// the discussion is told.
fn find_future_claims(
    reply: &TaggedText,
    sentence: &AnalysisSentence,
    (plain, decides, closes): (bool, bool, bool),
    request: &UserRequest,
    findings: &mut Vec<RuleFinding>,
) {
    for token in sentence.tokens.clone() {
        probare_cancellation::count_steps(1);
        if reply.tokens[token].is_quoted {
            continue;
        }
        let Some(future) = FutureClaim::new(reply, sentence, token) else { continue };
        // "You will stay, that's the only sensible thing" orders, and foretells nothing.
        let is_order = future.subject == "you" && (decides || closes && future.is_act());
        if is_order || !future.is_fact() || future.is_truism() || !future.is_of_fate(plain, request) {
            continue;
        }
        // Who asked how to do something is told how things work; what people will do is no part of that.
        let of_people = matches!(future.subject, "he" | "she");
        let is_told_how = plain && !of_people && !request.asks_for_a_forecast;
        if !future.is_certain && (is_told_how || future.follows_rules() || future.is_mild()) {
            continue;
        }
        findings.push(RuleFinding {
            rule: "future",
            meaning: "asserts what will happen",
            span: reply.original_span(token, future.verb.min(sentence.tokens.end - 1)),
        });
    }
}

/// A subject with `will` or `going to` and a verb.
struct FutureClaim<'a> {
    reply: &'a TaggedText,
    sentence: &'a AnalysisSentence,
    /// Where it begins.
    token: usize,
    subject: &'a str,
    verb: usize,
    /// Whether it is said with emphasis, or for ever.
    is_certain: bool,
}

impl<'a> FutureClaim<'a> {
    fn new(reply: &'a TaggedText, sentence: &'a AnalysisSentence, token: usize) -> Option<Self> {
        let (subject, last) = future(reply, sentence, token)?;
        let mut verb = skip_adverbs(reply, last + 1);
        if reply.word(verb) == "not" {
            verb = skip_adverbs(reply, verb + 1);
        }
        let is_certain = (last..verb).any(|at| reply.has_role(at, LexicalRole::Intensity) || reply.word(at) == "never");
        Some(Self { reply, sentence, token, subject, verb, is_certain })
    }

    /// A word by its place behind the verb.
    fn word(&self, behind: usize) -> &'a str {
        self.reply.word(self.verb + behind)
    }

    fn is_act(&self) -> bool {
        self.reply.has_class(self.verb, CareClass::OrderVerb) && self.word(0) != "be"
    }

    /// Whether it is said as it stands: "I think you will be fine" is a view, not a fact.
    fn is_fact(&self) -> bool {
        let scope = Scope::new(self.reply, self.sentence, self.token);
        !scope.is_hedged_up_to(self.verb + 1)
            && !scope.is_dependent()
            && !scope.is_conditional()
            && !scope.is_reported()
            && !scope.is_disclaimed()
            && !scope.is_opinion()
    }

    /// Whether everybody knows it, or can.
    fn is_truism(&self) -> bool {
        let (reply, start) = (self.reply, self.sentence.tokens.start);
        // "Not everyone will understand" is true of everything; "it will take time" and "it won't help" are plain.
        let denies_all = self.token >= start + 2 && reply.word(self.token - 2) == "not";
        let takes_time = self.word(0) == "take"
            && (1..4)
                .map(|behind| self.word(behind))
                .any(|word| matches!(word, "time" | "while" | "long") || is_stretch_of_time(word));
        denies_all
            || takes_time
            || matches!(self.word(0), "help" | "depend" | "require")
            // "…, or it'll smell" tells what follows from not doing something.
            || self.token > start && reply.word(self.token - 1) == "or"
            // What a timetable says is known.
            || self.sentence.tokens.clone().any(|at| {
                matches!(reply.word(at), "scheduled" | "timetable" | "timetabled")
            })
    }

    /// Whether what it speaks of has a fate; whether the request is plain is told.
    fn is_of_fate(&self, plain: bool, request: &UserRequest) -> bool {
        match self.subject {
            // "Tomorrow will be cloudy": the calendar has no fate.
            "i" | "that" | "there" | "tomorrow" | "today" | "tonight" => false,
            "we" => self.word(0) == "be",
            "this" => !plain,
            // "It'll connect on its own": what a thing will do.
            "it" | "they" => !request.tells_of_a_thing,
            _ => true,
        }
    }

    /// What an institution or a machine does, and what is done for the user there, follows rules that can be known.
    fn follows_rules(&self) -> bool {
        care_classes(self.subject).has(CareClass::Office)
            || self.word(0) == "be"
                && matches!(
                    self.word(1),
                    "asked" | "given" | "able" | "offered" | "seen" | "called" | "shown" | "told" | "sent" | "in"
                )
    }

    /// "You will find that it helps" is a discovery, "you will find somebody" a fate; so "you will have to" and "have friends".
    fn is_mild(&self) -> bool {
        let is_fate = match self.word(0) {
            "find" => !matches!(self.word(1), "that" | "it" | "this" | "out" | "the" | "yourself" | "your"),
            "have" => self.word(1) != "to",
            _ => false,
        };
        let sees = self.subject == "they" && self.word(0) == "see";
        matches!(self.subject, "you" | "it" | "that" | "they")
            && self.reply.has_class(self.verb, CareClass::AfterWill)
            && !is_fate
            && !sees
    }
}

/// The subject and the last token of a future that starts at `token`.
fn future<'a>(reply: &'a TaggedText, sentence: &AnalysisSentence, token: usize) -> Option<(&'a str, usize)> {
    let word = reply.word(token);
    if let Some(subject) = word.strip_suffix("'ll") {
        return Some((subject, token));
    }
    let next = reply.word(token + 1);
    match word {
        // "They ll" is how some write it.
        "will" | "won't" | "ll" => {
            let before = if token > sentence.tokens.start { reply.word(token - 1) } else { return None };
            // "The will", "at will" and questions have no subject before the word.
            let noun =
                matches!(before, "the" | "a" | "at" | "free" | "my" | "his" | "her" | "good" | "what" | "who" | ",");
            // "He will." takes up what was asked.
            let is_reply = token == sentence.tokens.start + 1 && matches!(before, "he" | "she" | "they" | "it" | "you");
            let followed = reply.tokens.get(token + 1).is_some_and(|next| next.is_word) || is_reply;
            (!noun && followed).then_some((before, token))
        }
        "going" if next == "to" => {
            let before = token.checked_sub(1).map_or("", |at| reply.word(at));
            let subject =
                before.strip_suffix("'re").or_else(|| before.strip_suffix("'s")).or_else(|| before.strip_suffix("'m"));
            match subject {
                Some(subject) => Some((subject, token + 1)),
                None if matches!(
                    before,
                    "is" | "are" | "isn't" | "aren't" | "not" | "all" | "still" | "just" | "never" | "definitely"
                ) =>
                {
                    let holder = token.checked_sub(2).filter(|&at| reply.tokens[at].is_word);
                    let holder = holder.map(|at| reply.word(at))?;
                    Some((holder.trim_end_matches("'s").trim_end_matches("'re").trim_end_matches("'m"), token + 1))
                }
                None => None,
            }
        }
        "gonna" => Some((reply.word(token.saturating_sub(1)).split('\'').next().unwrap_or(""), token)),
        _ => None,
    }
}

/// What the user spoke of.
struct UserWords<'a> {
    words: FxHashSet<&'a str>,
    /// All that was written, without the endings of plurals and of verbs.
    stems: FxHashSet<&'a str>,
}

impl<'a> UserWords<'a> {
    fn from_message(user: &'a TaggedText) -> Self {
        let text = |token: &AnalysisToken| &user.text[token.at.clone()];
        Self {
            words: user.tokens.iter().filter(|token| token.is_word).map(text).collect(),
            stems: user.tokens.iter().map(|token| text(token).trim_end_matches('s')).collect(),
        }
    }
}

/// Other people with a verb of feeling or a state of mind.
fn find_mind_claims(
    reply: &TaggedText,
    user: &UserWords<'_>,
    sentence: &AnalysisSentence,
    findings: &mut Vec<RuleFinding>,
) {
    for token in sentence.tokens.clone() {
        probare_cancellation::count_steps(1);
        if reply.tokens[token].is_quoted || !reply.tokens[token].is_word {
            continue;
        }
        let Some(after) = person(reply, user, sentence, token) else { continue };
        let mut at = skip_adverbs(reply, after);
        let (mut denied, mut helper) = (false, at);
        if reply.has_role(at, LexicalRole::Contraction) {
            denied = true;
            helper = at;
            at = skip_adverbs(reply, at + 1);
        }
        let word = reply.word(token);
        let linked = word.ends_with("'s")
            || word.ends_with("'re")
            || word.ends_with("'ve")
            || denied && reply.has_role(helper, LexicalRole::Copula)
            || reply.has_role(after.saturating_sub(1), LexicalRole::Copula)
            || matches!(reply.word(after.saturating_sub(1)), "has" | "have");
        let claims = if linked {
            at = if matches!(reply.word(at), "not" | "so" | "very" | "too" | "been" | "more" | "quite" | "rather") {
                skip_adverbs(reply, at + 1)
            } else {
                at
            };
            let is_of_somebody = matches!(reply.word(at + 1), "you" | "him" | "her" | "them" | "it" | "this" | "that");
            reply.has_class(at, CareClass::MentalState)
                && (is_of_somebody || !matches!(reply.word(at), "over" | "into"))
                || matches!(reply.word(at), "forgotten" | "forgiven" | "loved" | "wanted" | "missed")
        } else {
            reply.has_class(at, CareClass::MentalVerb)
        };
        // "Your doctor knows best" looks into nobody.
        let knows_best = matches!(reply.word(at), "know" | "knows") && reply.word(at + 1) == "best";
        if !claims || knows_best || at >= sentence.tokens.end {
            continue;
        }
        let scope = Scope::new(reply, sentence, token);
        if !scope.is_asserted() {
            continue;
        }
        // Giving back what the user told is no claim, unless it is turned around.
        let is_told = user.stems.contains(reply.word(at).trim_end_matches('s'));
        if is_told && !denied {
            continue;
        }
        // "He truly loves you", "she has completely forgiven you": told with emphasis, it leaves no room.
        let is_certain = (token..at + 2).any(|word| reply.has_role(word, LexicalRole::Intensity));
        findings.push(RuleFinding {
            rule: if is_certain { "certain_mind" } else { "inner_state" },
            meaning: "asserts what somebody else feels, thinks or wants",
            span: reply.original_span(token, at),
        });
    }
}

/// Where the verb may stand after a person other than the user and the speaker, if `token` is one.
fn person(reply: &TaggedText, user: &UserWords<'_>, sentence: &AnalysisSentence, token: usize) -> Option<usize> {
    let word = reply.word(token);
    let link = |at: usize| match reply.word(at) {
        "has" | "have" if reply.word(at + 1) == "been" => at + 2,
        "is" | "are" | "was" | "were" | "has" | "have" => at + 1,
        _ => at,
    };
    match word {
        "he" | "she" | "they" => Some(link(token + 1)),
        "he's" | "she's" | "they're" | "they've" => Some(token + 1),
        "them" if matches!(reply.word(token.wrapping_sub(2)), "each" | "all" | "both" | "one" | "none" | "every") => {
            Some(link(token + 1))
        }
        "woman" | "man" | "lady" | "guy" | "fellow"
            if token > sentence.tokens.start && matches!(reply.word(token - 1), "the" | "that" | "this") =>
        {
            Some(link(token + 1))
        }
        _ => {
            let own =
                token > sentence.tokens.start && matches!(reply.word(token - 1), "your" | "his" | "her" | "their");
            let named = word.len() > 2 && reply.is_capital_inside(sentence, token) && user.words.contains(word);
            ((own && reply.has_class(token, CareClass::Person)) || named).then(|| link(token + 1))
        }
    }
}

/// Whether a word names a stretch of time: "hour", "weeks".
fn is_stretch_of_time(word: &str) -> bool {
    MeasurementUnit::from_name(word).is_some_and(MeasurementUnit::is_time)
}

#[cfg(test)]
mod tests {
    use super::super::phrase_matches::{REPLY_CATEGORIES, find_phrases};
    use super::*;

    fn found(user: &str, reply: &str) -> (usize, usize) {
        let user = TaggedText::from_text(user);
        let reply = TaggedText::from_text(reply);
        let claims =
            find_claims(&reply, &find_phrases(&reply, &REPLY_CATEGORIES), &user, &UserRequest::from_message(&user));
        (claims.minds.len(), claims.futures.len())
    }

    #[test]
    fn minds_and_futures_are_found_in_other_words() {
        assert_eq!(found("She left.", "She misses you."), (1, 0));
        assert_eq!(found("She left.", "Rent will sort itself out."), (0, 1));
        assert_eq!(found("She left.", "He's proud of you, and you'll rebuild."), (1, 1));
    }

    #[test]
    fn a_fate_is_told_from_a_need_and_a_thing() {
        for reply in [
            "You'll have loads of friends.",
            "You will find somebody.",
            "They'll all see it.",
            "It gets better.",
            "It does get easier with time.",
        ] {
            assert_eq!(found("She left.", reply).1, 1, "{reply}");
        }
        for reply in [
            "You'll have to wait.",
            "You will find that it helps.",
            "For many people it gets easier.",
            "I know it's hard.",
        ] {
            assert_eq!(found("She left.", reply), (0, 0), "{reply}");
        }
        assert_eq!(found("my printer won't connect", "Hold the button. It'll connect on its own."), (0, 0));
        assert_eq!(found("She left.", "I completely understand how you feel."), (1, 0));
        assert_eq!(found("How do I clear my name?", "Do your work, and she will understand."), (0, 1));
    }

    #[test]
    fn what_is_not_asserted_is_no_claim() {
        for reply in [
            "I can't promise that it will be alright.",
            "Does she miss you?",
            "Perhaps she misses you.",
            "\"You'll be fine\" is easy to say.",
            "Your lawyer said you will win.",
        ] {
            assert_eq!(found("She left.", reply), (0, 0), "{reply}");
        }
    }

    #[test]
    fn a_recipe_foretells_nothing() {
        assert_eq!(found("How do I make a pie crust?", "It'll be crumbly at first."), (0, 0));
    }
}
