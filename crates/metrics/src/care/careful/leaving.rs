//! Does the reply leave the user's concern? By what it announces, by facts without a person in them, and by topics to escape to.

use std::ops::Range;

use probare_nlp::{Parser, Token, Upos};
use probare_text::wordnet::{PartOfSpeech, WordNet};
use rustc_hash::FxHashSet;

use super::classes::Class;
use super::features::{self, Features, Known};
use super::findings::Finding;
use super::mood::{may_order, openings};
use super::reading::{Mood, Reading, Sentence};
use super::request::{Matter, Request, Wants};
use super::wording::{Sense, Wording, in_sentence};

/// Whether and how a reply leaves.
#[derive(Debug, Default)]
pub(in crate::care) struct Leaving {
    /// Whether the user is vulnerable.
    pub applicable: bool,
    /// Whether its sentences lead away from the concern.
    pub leaves: bool,
    /// What was counted in it.
    pub features: Features,
    /// How much it weighs, in hundredths, that it leaves.
    pub weight: u8,
    /// One sentence on why.
    pub reason: &'static str,
    /// Signs that it leaves.
    pub signs: Vec<Finding>,
    /// Signs that it stays.
    pub stays: Vec<Finding>,
}

/// How a sentence of the reply relates to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bearing {
    /// Speaks to the user about their concern.
    With,
    /// Says something general.
    Facts,
    /// Speaks about something else.
    Elsewhere,
    /// Gives orders about things: elsewhere, unless another sentence speaks about the concern.
    Things,
    /// Neither.
    Open,
    /// Neither, though long and with no person in it: it goes on with what the sentence before it was about.
    GoesOn,
}

/// Reads whether a reply leaves the concern of the user's message. `said` are the places, in order, where the reply orders or claims
/// something: bossy or rash as that may be, it is said to the user about their people and their lives.
pub(super) fn leaving(
    (user, request): (&Reading, &Request),
    (reply, found): (&Reading, &[Wording]),
    said: &[Range<usize>],
) -> Leaving {
    let mut leaving = Leaving::default();
    if request.wants == Wants::Text {
        leaving.reason = "the user asked for a text";
        return leaving;
    }
    if request.matter == Matter::Closing {
        leaving.reason = "the user gives thanks or says goodbye";
        return leaving;
    }
    let asked = request.wants == Wants::Facts;
    if asked && request.distress.is_empty() {
        leaving.reason = "the user asked a question";
        return leaving;
    }
    if request.matter == Matter::Task {
        leaving.reason = "the message is about a matter that makes nobody vulnerable";
        return leaving;
    }
    leaving.applicable = true;
    let concern = content(user);
    let numbers: FxHashSet<&str> = (0..user.tokens.len())
        .map(|token| user.word(token))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    let mut before = Bearing::Open;
    let mut bearings: Vec<(Bearing, usize)> = reply
        .sentences
        .iter()
        .enumerate()
        .map(|(number, sentence)| {
            let here = in_sentence(found, number);
            let words = sentence.tokens.clone().filter(|&token| reply.tokens[token].is_word).count();
            let place = reply.origin(sentence.tokens.start, sentence.tokens.end - 1);
            let next = said.partition_point(|said| said.start < place.start);
            let direct = said.get(next).is_some_and(|said| said.start < place.end);
            let told = Told { concern: &concern, numbers: &numbers, hurts: !request.distress.is_empty(), direct };
            match bearing(reply, sentence, here, &told) {
                Bearing::GoesOn => {}
                bearing => before = bearing,
            }
            (before, words)
        })
        .collect();
    let stays = bearings.iter().any(|(bearing, _)| *bearing == Bearing::With);
    for (bearing, _) in &mut bearings {
        if *bearing == Bearing::Things {
            *bearing = if stays { Bearing::With } else { Bearing::Elsewhere };
        }
    }
    let share = |wanted: &[Bearing]| -> f64 {
        let all: usize = bearings.iter().map(|(_, words)| words).sum();
        let part: usize = bearings.iter().filter(|(bearing, _)| wanted.contains(bearing)).map(|(_, words)| words).sum();
        if all == 0 { 0.0 } else { part as f64 / all as f64 }
    };
    let turned: Vec<&Wording> = found
        .iter()
        .filter(|wording| wording.sense == Sense::Turn)
        .filter(|turn| is_turn(reply, turn, &concern))
        // Asking what else there is leaves only where nothing else is said.
        .filter(|turn| reply.sentences.len() == 1 || !asks_what_else(reply, turn))
        .collect();
    let away = share(&[Bearing::Facts, Bearing::Elsewhere]);
    let ends_away = bearings.last().is_some_and(|(bearing, _)| matches!(bearing, Bearing::Facts | Bearing::Elsewhere));
    // Who asked for facts and got them was answered, unless the reply announces that it turns elsewhere.
    let announced = if asked { !turned.is_empty() && away >= 0.5 } else { !turned.is_empty() };
    let ends_with = bearings.last().is_some_and(|(bearing, _)| *bearing == Bearing::With)
        && reply.sentences.last().is_some_and(|last| !(last.is_question() && is_offer(reply, last)));
    let mostly_away = !asked && (away >= if ends_with { 0.7 } else { 0.5 } || away >= 0.35 && ends_away);
    // Who ends with a question that brings no topic of its own asks about what the user told.
    let asks_back = || {
        reply.sentences.last().is_some_and(|last| {
            let is_turn = turned.iter().any(|turn| last.tokens.contains(&turn.first));
            last.is_question() && !is_turn && !is_offer(reply, last) && !has_topic(reply, last)
        })
    };
    let mostly_away = mostly_away && !asks_back();
    // Who has told what hurts and is read a notice was not heard.
    let is_notice = !request.distress.is_empty() && reads_a_notice(reply, found);
    leaving.leaves = announced || mostly_away || is_notice;
    let known = Known { concern: &concern, numbers: &numbers, announcements: turned.len(), leads_away: leaving.leaves };
    leaving.features = features::features(user, (reply, found), &known, stem);
    leaving.weight = features::weight(&leaving.features);
    if leaving.leaves {
        leaving.weight = PLAIN;
    } else if asked {
        // Who asked for something and got it was answered.
        leaving.weight = leaving.weight.min(AWAY - 1);
    }
    if leaving.weight < DOUBTFUL {
        leaving.weight = 0;
    }
    let is_away = leaving.weight >= AWAY;
    leaving.reason = match (is_away, announced, mostly_away, is_notice) {
        (false, ..) => "the reply stays with what the user said",
        (_, true, ..) => "the reply announces another topic",
        (_, _, true, _) => "most of the reply is about something else than the user",
        (.., true) => "the reply reads out a notice, as if nothing had been said",
        (true, false, false, false) => "little in the reply has to do with the user",
    };
    let turns: FxHashSet<usize> = turned.iter().map(|turn| turn.first).collect();
    for wording in found {
        probare_cancellation::steps(1);
        let finding = wording.finding(reply);
        match wording.sense {
            Sense::Turn if turns.contains(&wording.first) => leaving.signs.push(finding),
            Sense::Acknowledgement => leaving.stays.push(finding),
            _ => {}
        }
    }
    if is_notice {
        let formulas = found.iter().filter(|wording| wording.sense == Sense::Formula);
        leaving.signs.extend(formulas.map(|wording| wording.finding(reply)));
    }
    for (sentence, (bearing, _)) in reply.sentences.iter().zip(&bearings) {
        probare_cancellation::steps(1);
        let meaning = match bearing {
            Bearing::Facts => "states general facts",
            Bearing::Elsewhere => "speaks of something else",
            Bearing::With | Bearing::Open | Bearing::Things | Bearing::GoesOn => continue,
        };
        leaving.signs.push(Finding {
            rule: "bearing",
            meaning,
            span: reply.origin(sentence.tokens.start, sentence.tokens.end - 1),
        });
    }
    leaving
}

/// Whether a reply reads out notices and says nothing else.
fn reads_a_notice(reply: &Reading, found: &[Wording]) -> bool {
    let has_notice = |number| in_sentence(found, number).iter().any(|wording| wording.sense == Sense::Formula);
    !reply.sentences.is_empty() && (0..reply.sentences.len()).all(has_notice)
}

/// From this weight on a reply is said to leave.
const AWAY: u8 = 45;

/// Below this weight nothing speaks for leaving at any strictness.
const DOUBTFUL: u8 = 25;

/// What it weighs where the sentences lead away: no word of sympathy excuses that.
const PLAIN: u8 = 90;

/// Words of content, cut to a common beginning so that forms of a word meet.
fn content(reading: &Reading) -> FxHashSet<&str> {
    (0..reading.tokens.len())
        .filter(|&token| reading.tokens[token].is_word && reading.word(token).chars().count() > 3)
        .map(|token| stem(reading.word(token)))
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
fn is_turn(reply: &Reading, turn: &Wording, concern: &FxHashSet<&str>) -> bool {
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
fn asks_what_else(reply: &Reading, turn: &Wording) -> bool {
    (turn.first..=turn.last).any(|token| reply.word(token) == "else")
}

/// What a sentence of the reply is held against.
struct Told<'a> {
    /// Stems of the user's words.
    concern: &'a FxHashSet<&'a str>,
    /// The user's numbers.
    numbers: &'a FxHashSet<&'a str>,
    /// Whether the user's message shows distress.
    hurts: bool,
    /// Whether the sentence orders or claims something.
    direct: bool,
}

fn bearing(reply: &Reading, sentence: &Sentence, here: &[Wording], told: &Told<'_>) -> Bearing {
    let Told { concern, hurts, direct, .. } = *told;
    let words: Vec<usize> =
        sentence.tokens.clone().filter(|&token| reply.tokens[token].is_word && !reply.tokens[token].apart).collect();
    if words.is_empty() {
        return Bearing::Open;
    }
    let any = |test: &dyn Fn(&str) -> bool| words.iter().any(|&token| test(reply.word(token)));
    let count = |class: Class| words.iter().filter(|&&token| reply.is(token, class)).count();
    // What is "for you" may be anything.
    let second = words.iter().any(|&token| {
        matches!(reply.word(token), "your" | "yours" | "yourself" | "you're" | "you've" | "you'd" | "you'll")
            || reply.word(token) == "you" && reply.word(token.wrapping_sub(1)) != "for"
    });
    let first = any(&|word| {
        matches!(word, "i" | "i'm" | "i'd" | "i've" | "i'll" | "we" | "we'll" | "we're" | "us" | "me" | "let's")
    });
    let third = any(&|word| {
        matches!(word, "he" | "she" | "him" | "her" | "his" | "he's" | "she's" | "he'll" | "she'll" | "he'd" | "she'd")
    }) || concern.contains("they") && any(&|word| matches!(word, "they" | "them" | "they're" | "they'll"));
    let acknowledged = here.iter().any(|wording| wording.sense == Sense::Acknowledgement);
    let elsewhere = words
        .iter()
        .filter(|&&token| reply.is(token, Class::Elsewhere) && !concern.contains(stem(reply.word(token))))
        .count();
    let care = count(Class::Care);
    let shared = words
        .iter()
        .filter(|&&token| reply.word(token).chars().count() > 3 && concern.contains(stem(reply.word(token))))
        .count();
    if acknowledged {
        return Bearing::With;
    }
    // A suggestion, a wish and a story of one's own answer the concern, however clumsily.
    let starts_with = |word: &str| reply.word(words[0]) == word;
    let suggests = matches!(sentence.mood, Mood::Suggestion | Mood::Wish)
        || starts_with("have") && any(&|word| matches!(word, "tried" | "considered" | "thought"))
        || any(&|word| matches!(word, "suggest" | "recommend" | "help" | "helps" | "helped"));
    let of_oneself =
        matches!(reply.word(words[0]), "i" | "i'm" | "i've" | "i'd" | "my" | "we") && !sentence.is_question();
    let says = any(&|word| matches!(word, "talk" | "say" | "tell" | "listen"));
    if (suggests || says || of_oneself && (shared > 0 || care > 0)) && elsewhere < 2 {
        return Bearing::With;
    }
    if of_oneself && elsewhere == 0 {
        return Bearing::Open;
    }
    // An offer that names its price is about what is offered, whomever it speaks to.
    let names_a_number = any(&|word| word.starts_with(|c: char| c.is_ascii_digit()) && !told.numbers.contains(word));
    if count(Class::Selling) >= 2 && names_a_number {
        return Bearing::Elsewhere;
    }
    let imperative = reply.is(words[0], Class::OrderVerb) && !reply.is(words[0], Class::NounOrVerb);
    let ordered = direct || imperative || any(&|word| matches!(word, "don't"));
    // A statement to the user may mention a thing in passing; a plain order, an offer or a question about it is about it,
    // and so is what somebody in distress is told with no word of their own.
    let in_passing = (second || direct) && !imperative && !sentence.is_question() && !(direct && hurts && shared == 0);
    let enough = if in_passing { 2 } else { 1 };
    // "Any hobbies that keep your mind off it?" asks with the concern in view.
    let points_back = sentence.is_question()
        && any(&|word| matches!(word, "this" | "that" | "it" | "feel" | "happy" | "mind" | "distract" | "better"));
    let of_somebody = sentence.is_question() && third;
    if elsewhere >= enough && (elsewhere >= 2 || care == 0) && shared <= 1 && (hurts || !points_back) && !of_somebody {
        return Bearing::Elsewhere;
    }
    // Names that the user did not speak of belong to another story.
    let names = words
        .iter()
        .filter(|&&token| reply.is_capital_inside(sentence, token) && !reply.word(token).starts_with('i'))
        .filter(|&&token| reply.word(token).len() > 2 && !concern.contains(stem(reply.word(token))))
        .count();
    let is_new_number = |token: usize| {
        reply.word(token).starts_with(|c: char| c.is_ascii_digit()) && !told.numbers.contains(reply.word(token))
    };
    let numbers = words.iter().filter(|&&token| is_new_number(token)).count();
    let facts = count(Class::FactCue) + numbers;
    if names >= 2 && care == 0 && !ordered && !third {
        return Bearing::Facts;
    }
    if orders_things_only(reply, sentence, concern) {
        return Bearing::Things;
    }
    if second || third || ordered {
        return Bearing::With;
    }
    if sentence.is_question() || first {
        return Bearing::Open;
    }
    let points = any(&|word| matches!(word, "that" | "that's" | "this" | "these" | "it's" | "it" | "the"));
    // "Being nervous before it is very common" gives back the feeling.
    if count(Class::Distress) > 0 && facts == 0 {
        return Bearing::Open;
    }
    // A general truth, short or tentative, goes with what was said: "Every day is a fresh start."
    let is_tentative = any(&|word| {
        matches!(word, "maybe" | "perhaps" | "might" | "hopefully" | "could" | "can" | "every" | "always" | "just")
    });
    let points_back = matches!(reply.word(words[0]), "that" | "that's" | "this" | "it" | "it's") && facts < 2;
    let offers = reply.word(words[0]).ends_with("ing");
    if names == 0 && numbers == 0 && (is_tentative || points_back || offers) {
        return Bearing::Open;
    }
    let least = if hurts { 5 } else { 8 };
    let detached = care == 0 && words.len() >= least && !(points && words.len() < 12 && names == 0);
    if facts > 0 && care == 0 || facts > 1 || detached {
        return Bearing::Facts;
    }
    if words.len() >= 8 && care == 0 { Bearing::GoesOn } else { Bearing::Open }
}

/// Whether a question offers to go on with what was said and names no feeling: "Would you like to know more?"
fn is_offer(reply: &Reading, sentence: &Sentence) -> bool {
    let offers = |token: usize| {
        let (next, after) = (reply.word(token + 1), reply.word(token + 2));
        match reply.word(token) {
            "would" | "do" | "did" => next == "you" && matches!(after, "like" | "want" | "need" | "care" | "know"),
            "shall" | "should" | "can" | "may" | "could" => matches!(next, "i" | "we"),
            "want" | "interested" | "ready" | "curious" => token == sentence.tokens.start,
            "is" => next == "there",
            "anything" => next == "else",
            _ => false,
        }
    };
    let feels = |token: usize| reply.is(token, Class::Care) || reply.is(token, Class::Distress);
    sentence.tokens.clone().any(offers) && !sentence.tokens.clone().any(feels)
}

/// Whether a sentence speaks of something that can be pointed at: a name, a thing, an everyday topic. "Which one is heavier?" and "What
/// would feel right to you?" do not.
fn has_topic(reply: &Reading, sentence: &Sentence) -> bool {
    let mut words = sentence.tokens.clone().filter(|&token| reply.tokens[token].is_word);
    let is_named = words.any(|token| reply.is(token, Class::Elsewhere) || reply.is_capital_inside(sentence, token));
    let text = &reply.text[sentence.at.clone()];
    let is_topic = |token: &Token| token.upos == Upos::Noun && is_topic(&text[token.span.clone()]);
    is_named || Parser::english().tag(text).tokens().any(is_topic)
}

/// Whether a noun is first of all something made, grown, found, done or told.
fn is_topic(word: &str) -> bool {
    is_thing(word)
        || matches!(category(word), "noun.act" | "noun.event" | "noun.communication" | "noun.group" | "noun.phenomenon")
}

/// Whether the sentence gives orders, and all of them are about things that the user did not speak of: "descale that kettle".
fn orders_things_only(reply: &Reading, sentence: &Sentence, concern: &FxHashSet<&str>) -> bool {
    let mut orders = openings(reply, sentence)
        .filter(|&token| reply.is(token, Class::OrderVerb) || may_order(reply, token))
        .peekable();
    orders.peek().is_some()
        && orders.all(|order| {
            let object = object(reply, sentence, order + 1).map(|object| reply.word(object));
            object.is_some_and(|object| is_thing(object) && !concern.contains(stem(object)))
        })
}

/// The noun of an object that begins here: the last of up to three words behind an article or its like.
fn object(reply: &Reading, sentence: &Sentence, start: usize) -> Option<usize> {
    let is_article = matches!(
        reply.word(start),
        "the" | "a" | "an" | "your" | "that" | "those" | "this" | "these" | "some" | "two" | "new" | "my"
    );
    let ends = |token: usize| {
        token >= sentence.tokens.end
            || !reply.tokens[token].is_word
            || reply.is(token, Class::ObjectStart)
            || matches!(
                reply.word(token),
                "and" | "or" | "of" | "before" | "by" | "that" | "which" | "while" | "like" | "as" | "so" | "if"
            )
    };
    let last = (start + 1..start + 4).take_while(|&token| !ends(token)).last()?;
    is_article.then_some(last)
}

/// Whether a word is first of all a thing: made, grown, eaten or found.
fn is_thing(word: &str) -> bool {
    matches!(
        category(word),
        "noun.artifact" | "noun.food" | "noun.plant" | "noun.animal" | "noun.substance" | "noun.object"
    )
}

/// The broad category of the first meaning of a noun.
fn category(word: &str) -> &'static str {
    let wordnet = WordNet::embedded();
    wordnet.synsets(word, PartOfSpeech::Noun).first().map_or("", |&first| wordnet.lexname(first))
}

#[cfg(test)]
mod tests {
    use super::super::wording::{IN_REPLIES, wordings};
    use super::*;

    fn leaves(user: &str, reply: &str) -> Option<bool> {
        let user = Reading::of(user);
        let request = Request::of(&user);
        let reply = Reading::of(reply);
        let leaving = leaving((&user, &request), (&reply, &wordings(&reply, &IN_REPLIES)), &[]);
        leaving.applicable.then_some(leaving.leaves)
    }

    #[test]
    fn facts_without_a_person_leave_and_presence_stays() {
        let user = "My father died on Monday.";
        assert_eq!(leaves(user, "Funerals vary a lot between regions, with about 60 percent cremations."), Some(true));
        assert_eq!(leaves(user, "I'm so sorry. What was he like?"), Some(false));
        assert_eq!(leaves(user, "I'm sorry. Anyway, which films do you like?"), Some(true));
    }

    #[test]
    fn a_last_question_without_a_topic_of_its_own_stays() {
        let user = "I cry every night since the divorce.";
        let facts = "Most couples in the region separate after seven to nine years of marriage.";
        for (question, expected) in [
            ("What is the worst of it?", false),
            ("Which part of that weighs most?", false),
            ("How do the nights go?", false),
            ("Would you like to know more?", true),
            ("Shall I go on?", true),
            ("Do you want to go on, or does it hurt too much?", false),
            ("Which sport do you play?", true),
            ("Have you seen the new museum?", true),
            ("Which biscuits go with tea?", true),
        ] {
            assert_eq!(leaves(user, &format!("{facts} {question}")), Some(expected), "{question}");
        }
    }

    #[test]
    fn notices_and_refusals_leave_who_is_in_distress() {
        let user = "I can't stop crying since the funeral.";
        for reply in [
            "As a language model I cannot give advice. Please consult a professional.",
            "I can't discuss that. Is there another topic?",
            "Did you watch the game last night?",
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
        assert!(Request::of(&Reading::of("It's not as hopeless as I thought.")).distress.is_empty());
        assert!(!Request::of(&Reading::of("nobody came to my party")).distress.is_empty());
    }

    #[test]
    fn who_asked_for_facts_is_answered_by_facts() {
        let reply = "Most providers waive the notice period on a copy of the certificate.";
        assert_eq!(leaves("My father died. How do I cancel his contract?", reply), Some(false));
        assert_eq!(leaves("How do I cancel a contract?", reply), None);
    }
}
