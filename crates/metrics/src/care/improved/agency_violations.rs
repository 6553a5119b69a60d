//! Orders, pressure and belittling in a reply: what takes the choice from the user.

use probare_text::wordnet::{PartOfSpeech, WordNet};
use rustc_hash::FxHashSet;

use super::classes::CareClass;
use super::findings::RuleFinding;
use super::imperatives::find_imperatives;
use super::request::{RequestKind, UserRequest};
use super::syntax::is_plain_form;
use super::tagged_text::{AnalysisSentence, LexicalRole, Scope, TaggedText};

use super::phrase_matches::{PhraseCategory, PhraseEffect, PhraseMatch};

/// What is found in a reply to a message.
pub(super) fn find_agency_violations(
    (user, request): (&TaggedText, &UserRequest),
    reply: &TaggedText,
    found: &[PhraseMatch],
) -> Vec<RuleFinding> {
    if request.kind == RequestKind::Text {
        return Vec::new();
    }
    // Who tells of a cake that sank or a printer that prints nothing is told how to mend it.
    // Who weighs a decision is not, whatever it is about.
    let instructed = request.wants_instructions() || request.tells_of_a_thing && !request.weighs_a_decision;
    // Where life is in danger an order is right, and so are those that go with it.
    let is_rescue = reply.contains_class(CareClass::Rescue);
    let wishes = wish_words(user);
    let mut findings = Vec::new();
    let mut offers_a_list = false;
    for sentence in &reply.sentences {
        // What is announced as tips, ideas or things that helped others is an offer, item by item.
        if !sentence.is_item() {
            offers_a_list = announces_a_list(reply, sentence);
        }
        // How a program is handled is not the user's life.
        let is_handling = sentence.tokens.clone().any(|token| reply.has_class(token, CareClass::Handling));
        if instructed {
            find_partings(reply, sentence, &mut findings);
        }
        if !(instructed || is_handling || offers_a_list && sentence.is_item()) {
            obligations(reply, sentence, &mut findings);
            if !is_rescue {
                find_imperatives(reply, sentence, &mut findings);
            }
        }
        find_acts((user, &wishes), reply, sentence, &mut findings);
        traits(reply, sentence, &mut findings);
    }
    for wording in
        found.iter().filter(|found| matches!(found.category, PhraseCategory::Pressure | PhraseCategory::Belittling))
    {
        probare_cancellation::count_steps(1);
        // Who asked how to do something asked neither to be made small nor to be overruled.
        let harsh = wording.category == PhraseCategory::Belittling && !wording.has(PhraseEffect::Mild);
        let overrules = wording.has(PhraseEffect::Overrules) && !request.tells_of_a_thing;
        if (harsh || overrules || !instructed) && counts(reply, wording) {
            findings.push(wording.to_finding(reply));
        }
    }
    findings.sort_by_key(|finding| finding.span.start);
    findings
}

/// Whether a sentence announces a list of what may be done.
fn announces_a_list(reply: &TaggedText, sentence: &AnalysisSentence) -> bool {
    sentence.tokens.clone().any(|token| {
        matches!(
            reply.word(token),
            "tips" | "ideas" | "things" | "ways" | "options" | "suggestions" | "resources" | "strategies"
        )
    })
}

/// Whether a phrase is said by the reply itself and not denied.
fn counts(reply: &TaggedText, wording: &PhraseMatch) -> bool {
    let sentence = &reply.sentences[wording.sentence];
    let scope = Scope::new(reply, sentence, wording.first);
    if scope.is_denied() || scope.is_reported() || scope.is_disclaimed() {
        return false;
    }
    let asks_why = wording.has(PhraseEffect::AsksWhy) && reply.word(wording.first) == "why";
    if sentence.is_question() && wording.category == PhraseCategory::Pressure && !asks_why {
        return false;
    }
    // "What helps me calm down" and "the last time you visited" press nobody: an order opens its clause.
    let is_order = wording.has(PhraseEffect::OpensClause);
    if is_order && !opens_clause(reply, wording.first) && !reply.has_class(wording.first - 1, CareClass::OrderOpener) {
        return false;
    }
    // "Too soft for one, too hard for the other" speaks of opinions, not of the user.
    let addressed = sentence.tokens.clone().any(|token| {
        matches!(
            reply.word(token),
            "you" | "your" | "you're" | "you've" | "yourself" | "don't" | "be" | "stop" | "quit"
        )
    });
    if wording.has(PhraseEffect::Addressed) && !addressed {
        return false;
    }
    if wording.has(PhraseEffect::NoFeeling)
        && (wording.first..=wording.last + 3).any(|token| reply.word(token) == "feel")
    {
        return false;
    }
    true
}

/// `you` with an obligation: should, must, ought to, need to, have to.
fn obligations(reply: &TaggedText, sentence: &AnalysisSentence, findings: &mut Vec<RuleFinding>) {
    if sentence.is_question() {
        return;
    }
    for you in sentence.tokens.clone() {
        probare_cancellation::count_steps(1);
        if reply.tokens[you].is_quoted || !matches!(reply.word(you), "you" | "you've") {
            continue;
        }
        let mut at = you + 1;
        while at < sentence.tokens.end && reply.has_class(at, CareClass::ObligationAdverb) {
            at += 1;
        }
        let Some(last) = obligation(reply, you, at) else { continue };
        let no_obligation = you > sentence.tokens.start && reply.has_class(you - 1, CareClass::NoObligation);
        let scope = Scope::new(reply, sentence, you);
        if no_obligation || scope.is_denied() || scope.is_reported() || scope.is_disclaimed() {
            continue;
        }
        // "I think you should" and "maybe you should" put a view forward; "something you need to say" asks for nothing;
        // "you have to do what is best for you" leaves it to the user.
        if scope.is_softened() || modifies_a_noun(reply, sentence, you) || leaves_the_choice(reply, sentence, last) {
            continue;
        }
        let is_firm = !matches!(reply.word(at), "should" | "shouldn't" | "ought");
        findings.push(RuleFinding {
            rule: if is_firm { "obligation" } else { "advice" },
            meaning: if is_firm { "tells the user what they have to do" } else { "tells the user what they should do" },
            span: reply.original_span(you, last),
        });
    }
}

/// The last token of the obligation at `at`, if there is one.
fn obligation(reply: &TaggedText, you: usize, at: usize) -> Option<usize> {
    let (word, next) = (reply.word(at), reply.word(at + 1));
    match word {
        "should" | "shouldn't" => {
            let after = if matches!(next, "be" | "not" | "probably") { at + 2 } else { at + 1 };
            // "You shouldn't feel guilty" comforts, "you should try it" suggests.
            let comforts =
                word == "shouldn't" && matches!(next, "feel" | "blame" | "beat" | "worry" | "apologise" | "apologize");
            let suggests = matches!(next, "try" | "look" | "check" | "consider" | "treat");
            (!comforts && !suggests && !reply.has_class(after, CareClass::AfterShould)).then_some(at)
        }
        "must" if next == "not" => Some(at + 1),
        "must" => {
            let firm = next == "be"
                && matches!(reply.word(at + 2), "realistic" | "strong" | "sensible" | "careful" | "firm" | "patient");
            (firm || !reply.has_class(at + 1, CareClass::Guessed)).then_some(at)
        }
        "mustn't" | "ought" | "gotta" => Some(at),
        "need" | "have" if next == "to" && reply.word(you) == "you" => Some(at + 1),
        "got" if next == "to" => Some(at + 1),
        // "You are to ring him", and not "how close you are to it".
        "are" if next == "to" && is_plain_form(reply.word(at + 2)) && opens_clause(reply, you) => Some(at + 1),
        _ => None,
    }
}

/// Whether nothing but a mark or a joining word stands before a token.
fn opens_clause(reply: &TaggedText, token: usize) -> bool {
    token == 0 || !reply.tokens[token - 1].is_word || matches!(reply.word(token - 1), "and" | "so" | "then" | "but")
}

/// Whether a noun stands right before `you`, so that what follows belongs to it: "something you need to get off your chest".
fn modifies_a_noun(reply: &TaggedText, sentence: &AnalysisSentence, you: usize) -> bool {
    let Some(before) = you.checked_sub(1).filter(|&before| before >= sentence.tokens.start) else { return false };
    let is_small = reply.has_role(before, LexicalRole::Function)
        && !matches!(reply.word(before), "something" | "anything" | "one");
    // "At some point you need to": the noun belongs to what opens the clause.
    let opening = Scope::new(reply, sentence, you).clause_start();
    let is_led =
        matches!(reply.word(opening), "at" | "in" | "on" | "for" | "by" | "after" | "before" | "from" | "with")
            && you - opening <= 5;
    reply.tokens[before].is_word
        && !is_small
        && !is_led
        && !reply.has_class(before, CareClass::OrderOpener)
        && !reply.has_class(before, CareClass::Adverb)
        && !reply.word(before).ends_with("ly")
}

/// Whether what has to be done is what the user finds best.
fn leaves_the_choice(reply: &TaggedText, sentence: &AnalysisSentence, last: usize) -> bool {
    (last + 1..sentence.tokens.end.min(last + 10)).any(|token| {
        matches!(reply.word(token), "best" | "right" | "good" | "comfortable")
            && reply.word(token + 1) == "for"
            && matches!(reply.word(token + 2), "you" | "yourself")
    })
}

/// All words of a message that tells a wish; none of any other message.
fn wish_words(user: &TaggedText) -> FxHashSet<&str> {
    let is_wish = |token: usize| {
        probare_cancellation::count_steps(1);
        let before = token.checked_sub(1).map_or("", |before| user.word(before));
        match user.word(token) {
            "want" | "prefer" | "decided" => true,
            "like" | "rather" => matches!(before, "i'd" | "would" | "we'd"),
            _ => false,
        }
    };
    let words = || (0..user.tokens.len()).map(|token| user.word(token)).collect();
    if (0..user.tokens.len()).any(is_wish) { words() } else { FxHashSet::default() }
}

/// An order to part with somebody: "leave him", "you need to leave her". Whoever asked how to do something did not ask for that.
fn find_partings(reply: &TaggedText, sentence: &AnalysisSentence, findings: &mut Vec<RuleFinding>) {
    // "Leave him for three minutes" parts nobody.
    let parts = |token: usize| {
        let last = if reply.word(token + 1) == "your" { token + 2 } else { token + 1 };
        let is_of_somebody =
            matches!(reply.word(last), "him" | "her" | "them") || reply.has_class(last, CareClass::Person);
        let ends = !reply.tokens.get(last + 1).is_some_and(|next| next.is_word);
        reply.has_class(token, CareClass::Parting) && is_of_somebody && ends
    };
    if sentence.tokens.clone().any(parts) {
        obligations(reply, sentence, findings);
        find_imperatives(reply, sentence, findings);
    }
}

/// What the speaker did to the user's own affairs and nobody had asked for: "I have cancelled it for you".
fn find_acts(
    (user, wishes): (&TaggedText, &FxHashSet<&str>),
    reply: &TaggedText,
    sentence: &AnalysisSentence,
    findings: &mut Vec<RuleFinding>,
) {
    if sentence.is_question() {
        return;
    }
    for token in sentence.tokens.clone() {
        probare_cancellation::count_steps(1);
        let is_act = reply.has_class(token, CareClass::Deciding) && !reply.tokens[token].is_quoted;
        let Some(who) = is_act.then(|| actor_position(reply, sentence, token)).flatten() else { continue };
        let scope = Scope::new(reply, sentence, who);
        let is_said = !scope.is_denied() && !scope.is_reported() && !scope.is_conditional() && !scope.is_disclaimed();
        if is_said && is_of_the_user(wishes, reply, sentence, token) && !was_asked_for(user, reply.word(token)) {
            let meaning = "decides in the user's place by doing it";
            findings.push(RuleFinding { rule: "act", meaning, span: reply.original_span(who, token) });
        }
    }
}

/// Where somebody is said to have done what the verb at a token says: "I", "we have already", "I've gone ahead and".
fn actor_position(reply: &TaggedText, sentence: &AnalysisSentence, verb: usize) -> Option<usize> {
    let from = sentence.tokens.start.max(verb.saturating_sub(5));
    let who = (from..verb).rev().find(|&token| matches!(reply.word(token), "i" | "we" | "i've" | "we've"))?;
    let between = |token: usize| {
        reply.has_class(token, CareClass::Adverb)
            || matches!(
                reply.word(token),
                "have" | "already" | "also" | "just" | "gone" | "went" | "ahead" | "and" | "therefore"
            )
    };
    (who + 1..verb).all(between).then_some(who)
}

/// Whether what was done is somebody's own: the clause speaks of the user, or of what was spoken of.
fn is_of_the_user(wishes: &FxHashSet<&str>, reply: &TaggedText, sentence: &AnalysisSentence, verb: usize) -> bool {
    let end = (verb + 1..sentence.tokens.end)
        .find(|&token| matches!(reply.word(token), ";" | ":" | "-" | "because" | "so" | "but"))
        .unwrap_or(sentence.tokens.end);
    // "I'd like to switch, the form is half filled in": the form belongs to a wish of the user's.
    let was_spoken_of = |token: usize| {
        matches!(reply.word(token - 1), "the" | "your")
            && !reply.has_role(token, LexicalRole::Function)
            && wishes.contains(reply.word(token))
    };
    (verb + 1..end.min(verb + 14)).any(|token| {
        matches!(reply.word(token), "you" | "your" | "you're" | "yourself" | "it" | "them" | "him" | "her" | "that")
            || was_spoken_of(token)
    })
}

/// Whether the message speaks of doing that: then it is not the speaker who decides.
fn was_asked_for(user: &TaggedText, verb: &str) -> bool {
    let net = WordNet::embedded();
    let bases = net.base_forms(verb, PartOfSpeech::Verb);
    (0..user.tokens.len()).any(|token| {
        let word = user.word(token);
        bases.iter().any(|base| base == word || net.base_forms(word, PartOfSpeech::Verb).contains(base))
    })
}

/// Belittling traits in a sentence that speaks of the user.
fn traits(reply: &TaggedText, sentence: &AnalysisSentence, findings: &mut Vec<RuleFinding>) {
    let speaks_of_the_user = sentence.tokens.clone().any(|token| {
        matches!(reply.word(token), "you" | "your" | "you're" | "you've" | "you'd" | "yourself")
            && !reply.tokens[token].is_quoted
    });
    // "Keeping a shrine is childish": what the user does is named without the user.
    let names_a_deed = reply.word(sentence.tokens.start).ends_with("ing");
    if !(speaks_of_the_user || names_a_deed) || sentence.is_question() {
        return;
    }
    for token in sentence.tokens.clone() {
        probare_cancellation::count_steps(1);
        if !reply.has_class(token, CareClass::Trait) || reply.tokens[token].is_quoted {
            continue;
        }
        let scope = Scope::new(reply, sentence, token);
        // "Feeling stupid", "calling yourself lazy" and "nothing weak about it" give back or take back the word.
        let given_back = (token.saturating_sub(4).max(sentence.tokens.start)..token)
            .any(|before| reply.has_class(before, CareClass::GivesBack));
        // "These crazy times": the word belongs to another.
        let of_another = reply.tokens.get(token + 1).is_some_and(|next| next.is_word)
            && token + 1 < sentence.tokens.end
            && matches!(
                reply.word(token + 1),
                "time" | "times" | "year" | "world" | "day" | "days" | "thing" | "things"
            );
        if !given_back
            && !of_another
            && !scope.is_denied()
            && !scope.is_reported()
            && !scope.is_disclaimed()
            && !scope.is_conditional()
        {
            findings.push(RuleFinding {
                rule: "trait",
                meaning: "ascribes a weakness to the user",
                span: reply.original_span(token, token),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::phrase_matches::{REPLY_CATEGORIES, find_phrases};
    use super::*;

    fn rules(user: &str, reply: &str) -> Vec<&'static str> {
        let (user, reply) = (TaggedText::from_text(user), TaggedText::from_text(reply));
        let request = UserRequest::from_message(&user);
        find_agency_violations((&user, &request), &reply, &find_phrases(&reply, &REPLY_CATEGORIES))
            .into_iter()
            .map(|finding| finding.rule)
            .collect()
    }

    #[test]
    fn orders_are_found_by_obligation_and_by_mood() {
        assert_eq!(rules("He hit me.", "You really must leave."), ["obligation"]);
        assert_eq!(rules("He hit me.", "I hear you. Pack a bag and go."), ["imperative"]);
        assert_eq!(rules("He hit me.", "Don’t go back."), ["imperative"]);
    }

    #[test]
    fn formulas_comfort_and_help_in_danger_are_no_orders() {
        for reply in [
            "So do I!",
            "Never know, it may work out.",
            "Please do.",
            "Don't ever feel like a failure.",
            "Don't beat yourself up.",
            "Don't lose your confidence.",
            "Don't let one bad week define you.",
            "Keep it up!",
            "Sleep well, talk tomorrow!",
            "No hurry.",
            "Call an ambulance and keep her warm.",
            "Press quit when you are done.",
            "Some things that helped others:\n\n- Write it down\n- Call a friend",
        ] {
            assert!(rules("He hit me.", reply).is_empty(), "{reply}");
        }
        for reply in [
            "Talk to him about it.",
            "Don't let him in.",
            "At some point you need to grow up.",
            "OK friend, leave him.",
        ] {
            assert!(!rules("He hit me.", reply).is_empty(), "{reply}");
        }
    }

    #[test]
    fn who_asks_for_advice_or_tells_of_a_thing_is_told_what_to_do() {
        let reply = "Take it apart and let it dry.";
        for user in [
            "What should I do with it?",
            "any ideas pls",
            "The cake sank.",
            "my printer won't connect",
            "what should i write in the card",
        ] {
            assert!(rules(user, reply).is_empty(), "{user}");
        }
        for user in ["Should I leave him?", "Are you there?", "It is very difficult."] {
            assert!(!rules(user, reply).is_empty(), "{user}");
        }
    }

    #[test]
    fn quoted_denied_and_reported_orders_are_none() {
        for reply in [
            "“You must leave” is a hard thing to hear.",
            "You don't have to leave tonight.",
            "Your sister says you should leave.",
            "Do you feel that you have to leave?",
            "You must be exhausted.",
            "Tell me more, and take your time.",
        ] {
            assert!(rules("He hit me.", reply).is_empty(), "{reply}");
        }
    }

    #[test]
    fn instructions_are_fine_where_they_were_asked_for() {
        let reply = "You need to stop the server first. Then run the command.";
        assert!(rules("How do I update the server?", reply).is_empty());
        assert!(!rules("I feel stuck.", reply).is_empty());
    }

    #[test]
    fn belittling_counts_everywhere() {
        assert!(!rules("How do I update the server?", "You're being lazy.").is_empty());
        assert!(rules("I feel lazy.", "Feeling lazy is not being lazy.").is_empty());
    }
}
