//! Finished acts that a text claims for its speaker: "I sent", "we have cancelled", "is booked", "fixed it and ran the tests".
//!
//! A claim is a clause with a verb in a finished form whose doer is the speaker, or nobody who is named. What is asked, denied,
//! supposed, promised or told of somebody else claims nothing.

use std::ops::Range;

use probare_nlp::lexicon::{self, Sort, Sorts};
use probare_nlp::reading::{Reading, Scope, Sentence, Token};
use probare_text::wordnet::{PartOfSpeech, WordNet};

/// A verb or noun for something that can be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Act {
    /// The verb in its plain form, with its particle behind it.
    pub verb: String,
    /// The first verb of its family in the lexicon, where it belongs to one.
    pub family: Option<&'static str>,
}

/// A claim that something was done.
#[derive(Debug, Clone)]
pub(in super::super) struct Claim {
    pub act: Act,
    /// Its tokens, from its subject to its end.
    pub tokens: Range<usize>,
    /// The verb.
    pub verb: usize,
    pub strength: Strength,
}

/// How much a claim says by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Strength {
    /// That the act was done.
    Act,
    /// A state that a change may have brought about: "is now at 11:30". Without a call for it, it claims nothing.
    State,
    /// What became of something, in words that no tool knows: "your vacation has been approved". It is no act of the speaker, but
    /// whoever tells it tells the details of the call behind it, and these can be wrong.
    Outcome,
}

/// The family of acts that a word in its plain form belongs to.
pub(in super::super) fn family(word: &str) -> Option<&'static str> {
    let words: Vec<&str> = word.split(' ').collect();
    let at = |ahead: usize| words.get(ahead).copied().unwrap_or_default();
    let length = lexicon::expression(Sort::Act, at)?;
    (length == words.len()).then(|| lexicon::lemma(Sort::Act, at)).flatten()
}

/// Families whose acts leave nothing behind: who says "I checked" may have looked with any tool.
pub(in super::super) fn is_looking(family: Option<&str>) -> bool {
    matches!(family, Some("search" | "read"))
}

/// Whether the words that say it do it.
fn is_wording(verb: &str) -> bool {
    lexicon::expression(Sort::Wording, |ahead| if ahead == 0 { verb } else { "" }).is_some()
}

/// What can be done with the tools of a case, and what was asked for.
pub(in super::super) trait Offer {
    /// Whether a tool or a call does this, or something of its family.
    fn has_tool(&self, act: &Act) -> bool;
    /// Whether the name of a tool holds this verb.
    fn names(&self, verb: &str) -> bool;
    /// Whether the user speaks of this.
    fn was_wanted(&self, act: &Act) -> bool;
}

/// Particles that make another verb.
const PARTICLES: [&str; 8] = ["up", "off", "on", "out", "in", "down", "through", "back"];

/// Words that may stand between a subject or a helping verb and its verb.
const BETWEEN: [&str; 14] = [
    "already",
    "now",
    "just",
    "also",
    "then",
    "successfully",
    "finally",
    "both",
    "gone",
    "ahead",
    "all",
    "since",
    "officially",
    "safely",
];

/// The claims of a text, in order.
pub(in super::super) fn claims(reading: &Reading, offer: &impl Offer) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    for sentence in reading.sentences.iter().filter(|sentence| !sentence.is_question()) {
        let from = claims.len();
        // The last verb with its doer, which a joined verb shares, whether it claims something or not.
        let mut before: Option<(usize, Frame)> = None;
        for token in sentence.tokens.clone() {
            probare_cancellation::steps(1);
            claims.extend(state_at(reading, sentence, token));
            let Some((verbs, frame)) = finished_at(reading, sentence, token, before) else { continue };
            before = Some((token, frame));
            claims.extend(claim_of(reading, sentence, token, &verbs, frame, offer));
        }
        // A claim ends where the next act begins.
        for at in (from + 1..claims.len()).filter(|at| claims[*at].strength != Strength::Outcome).collect::<Vec<_>>() {
            let next = claims[at].tokens.start.max(claims[at - 1].verb + 1);
            let end = &mut claims[at - 1].tokens.end;
            *end = (*end).min(next);
        }
        for claim in &mut claims[from..] {
            while claim.tokens.end > claim.verb + 1
                && (!reading.tokens[claim.tokens.end - 1].is_word
                    || reading.is_sort(claim.tokens.end - 1, Sort::Joining))
                && !matches!(reading.word(claim.tokens.end - 1), ")" | "\"" | "”" | "%")
            {
                claim.tokens.end -= 1;
            }
        }
    }
    claims
}

/// The verb in a finished form that stands here, by its plain forms, and who does it.
fn finished_at(
    reading: &Reading,
    sentence: &Sentence,
    token: usize,
    before: Option<(usize, Frame)>,
) -> Option<(Vec<String>, Frame)> {
    let found = reading.tokens.get(token).filter(|found| found.is_word && !found.apart)?;
    // A word with a capital inside of a sentence is a name.
    if found.is_capital && token > sentence.tokens.start && reading.tokens[token - 1].is_word {
        return None;
    }
    let verbs = finished(reading.word(token))?;
    // "I did the transfer" does something, "I did not" helps another verb.
    let is_helping = reading.is_sort(token, Sort::Helping) && !reading.is_sort(token + 1, Sort::Determiner);
    if is_helping {
        return None;
    }
    Some((verbs, frame(reading, sentence, token, before)?))
}

/// What a finished verb claims.
fn claim_of(
    reading: &Reading,
    sentence: &Sentence,
    token: usize,
    verbs: &[String],
    frame: Frame,
    offer: &impl Offer,
) -> Option<Claim> {
    let known = act(reading, sentence, token, verbs, frame, offer);
    let strength = if known.is_some() { Strength::Act } else { Strength::Outcome };
    let named = || Some(Act { verb: verbs.first().filter(|_| frame.is_passive())?.clone(), family: None });
    let act = known.or_else(named)?;
    let scope = Scope::new(reading, sentence, token);
    let is_told = scope.is_reported() && is_told(reading, sentence, token);
    if scope.is_denied() || scope.is_dependent() || scope.is_hedged_up_to(token) || is_told {
        return None;
    }
    let end = clause_end(reading, sentence, token);
    let is_offered = || strength == Strength::Outcome || offer.has_tool(&act) || offer.was_wanted(&act);
    if frame.is_passive() && (names_doer(reading, token + 1..end) || !is_offered()) {
        return None;
    }
    if is_wording(&act.verb) && !offer.has_tool(&act) {
        return None;
    }
    Some(Claim { act, tokens: frame.start()..end, verb: token, strength })
}

/// A state that came about just now: "is now at 11:30", "are now in your cart".
fn state_at(reading: &Reading, sentence: &Sentence, token: usize) -> Option<Claim> {
    let is_state = reading.word(token) == "now"
        && token > sentence.tokens.start
        && matches!(reading.word(token - 1), "is" | "are" | "it's" | "they're")
        && matches!(reading.word(token + 1), "at" | "in" | "on" | "for" | "under" | "from");
    let scope = Scope::new(reading, sentence, token);
    if !is_state || scope.is_denied() || scope.is_dependent() || scope.is_hedged_up_to(token) {
        return None;
    }
    let act = Act { verb: "change".to_owned(), family: family("change") };
    let (start, end) = (subject(reading, sentence, token - 1), clause_end(reading, sentence, token));
    Some(Claim { act, tokens: start..end, verb: token, strength: Strength::State })
}

/// Whether somebody is said to say it: a verb of saying stands before a clause, not as a noun before its number ("claim W-771").
fn is_told(reading: &Reading, sentence: &Sentence, verb: usize) -> bool {
    (sentence.tokens.start..verb).any(|at| {
        reading.is_sort(at, Sort::Saying)
            && (reading.is_any(at + 1, Sorts::of(&[Sort::Subject, Sort::Determiner])) || reading.word(at + 1) == "that")
    })
}

/// The plain forms of a verb in a finished form; nothing for other words.
fn finished(word: &str) -> Option<Vec<String>> {
    if word.ends_with("ing") || word.ends_with('s') && !word.ends_with("ss") {
        return None;
    }
    let forms = WordNet::embedded().base_forms(word, PartOfSpeech::Verb);
    let other: Vec<String> = forms.iter().filter(|form| *form != word).cloned().collect();
    if !other.is_empty() {
        return Some(other);
    }
    // "Set", "put" and "read" are their own past; a verb that no dictionary has follows the rule.
    if matches!(word, "set" | "put" | "read" | "cut" | "reset" | "shut" | "split") {
        return Some(vec![word.to_owned()]);
    }
    forms.is_empty().then(|| regular(word)).flatten()
}

/// The plain forms that a regular past may have.
fn regular(word: &str) -> Option<Vec<String>> {
    let stem = word.strip_suffix("ed").filter(|stem| stem.len() >= 3)?;
    Some(vec![stem.to_owned(), format!("{stem}e")])
}

/// Who does it.
#[derive(Debug, Clone, Copy)]
enum Frame {
    /// The speaker; the claim begins at this token.
    Active(usize),
    /// Nobody who is named.
    Passive(usize),
}

impl Frame {
    const fn start(self) -> usize {
        match self {
            Self::Active(start) | Self::Passive(start) => start,
        }
    }

    const fn is_passive(self) -> bool {
        matches!(self, Self::Passive(_))
    }
}

/// Who does what the verb at a place says, by the words before it.
fn frame(reading: &Reading, sentence: &Sentence, token: usize, before: Option<(usize, Frame)>) -> Option<Frame> {
    let start = sentence.tokens.start;
    let word = |at: Option<usize>| at.filter(|at| *at >= start).map_or("", |at| reading.word(at));
    let mut at = token.checked_sub(1);
    while BETWEEN.contains(&word(at)) || word(at) == "and" && word(at.and_then(|at| at.checked_sub(1))) == "ahead" {
        at = at.and_then(|at| at.checked_sub(1)).filter(|at| *at >= start);
    }
    let Some(left) = at.filter(|at| *at >= start) else {
        // "Booked the room for you."
        return opens_short(reading, token).then_some(Frame::Active(token));
    };
    let further = word(left.checked_sub(1));
    match word(Some(left)) {
        "i" | "we" | "i've" | "we've" => return Some(Frame::Active(left)),
        "have" if matches!(further, "i" | "we") => return Some(Frame::Active(left - 1)),
        "been" => {
            let mut helper = left.checked_sub(1);
            while BETWEEN.contains(&word(helper)) {
                helper = helper.and_then(|at| at.checked_sub(1));
            }
            let is_perfect = matches!(word(helper), "has" | "have" | "it's" | "that's");
            let modal = word(helper.and_then(|at| at.checked_sub(1)));
            let is_supposed = matches!(
                modal,
                "would" | "could" | "should" | "may" | "might" | "must" | "will" | "to" | "shall" | "can" | "i" | "we"
            );
            return (is_perfect && !is_supposed)
                .then(|| Frame::Passive(subject(reading, sentence, helper.unwrap_or(left))));
        }
        "is" | "are" | "was" | "were" | "it's" | "that's" | "they're" | "you're" => {
            let who = match word(Some(left)) {
                short @ ("it's" | "that's" | "they're" | "you're") => short,
                _ => further,
            };
            let is_person = matches!(who, "i" | "we" | "he" | "she" | "who");
            return (!is_person).then(|| Frame::Passive(subject(reading, sentence, left)));
        }
        _ => {}
    }
    // "Fixed the link and ran the tests": the second has the doer of the first.
    let (verb, doer) = before.filter(|(verb, _)| *verb < left)?;
    let is_joined = matches!(word(Some(left)), "and" | "," | "then" | "&")
        || matches!(word(Some(left)), "or") && matches!(further, ",");
    let subject_between = (verb + 1..left).any(|at| {
        reading.is_sort(at, Sort::Subject) || matches!(reading.word(at), "you" | ";" | ":" | "but" | "which" | "who")
    });
    let is_verb = !matches!(reading.word(token + 1), "" | "." | "," | "and")
        || doer.is_passive()
        || token + 2 >= sentence.tokens.end;
    if !is_joined || subject_between || !is_verb {
        return None;
    }
    Some(if doer.is_passive() { Frame::Passive(token) } else { Frame::Active(token) })
}

/// Whether a sentence that opens with a finished verb leaves out its speaker: what follows is what was done to.
fn opens_short(reading: &Reading, token: usize) -> bool {
    let is_plain = !matches!(reading.word(token), "set" | "put" | "read" | "cut" | "reset" | "shut" | "split");
    let next = reading.word(token + 1);
    let is_object = reading.is_sort(token + 1, Sort::Determiner)
        || matches!(next, "it" | "them" | "you" | "both" | "all" | ":" | "!" | ".")
        || reading.tokens.get(token + 1).is_some_and(|next| next.is_word && next.is_capital);
    is_plain && is_object
}

/// The token at which the subject of a passive begins.
fn subject(reading: &Reading, sentence: &Sentence, helper: usize) -> usize {
    let first = Scope::new(reading, sentence, helper).clause_start();
    (first..helper).find(|at| reading.tokens[*at].is_word).unwrap_or(first)
}

/// What is done: the verb with its particle, or what the noun says that a verb such as *make* carries out.
fn act(
    reading: &Reading,
    sentence: &Sentence,
    token: usize,
    verbs: &[String],
    frame: Frame,
    offer: &impl Offer,
) -> Option<Act> {
    // "Turned the lights off": the particle may follow what is turned off.
    let near = (token + 1..(token + 2).min(sentence.tokens.end)).find(|at| PARTICLES.contains(&reading.word(*at)));
    let far = (token + 2..(token + 6).min(sentence.tokens.end))
        .take_while(|at| reading.tokens[*at].is_word)
        .find(|at| matches!(reading.word(*at), "up" | "off" | "on" | "down") && !is_preposition(reading, *at));
    let particle = near.or(far).map(|at| reading.word(at));
    for verb in verbs {
        if let Some(particle) = particle {
            let whole = format!("{verb} {particle}");
            if let Some(family) = family(&whole) {
                return Some(Act { verb: whole, family: Some(family) });
            }
            if offer.names(&format!("{verb}{particle}")) {
                return Some(Act { verb: whole, family: None });
            }
        }
        if is_carrying(verb) {
            let end = clause_end(reading, sentence, token);
            let nouns = if frame.is_passive() { frame.start()..token } else { token + 1..end };
            if let Some(act) = named_act(reading, nouns) {
                return Some(act);
            }
            if !offer.names(verb) {
                continue;
            }
        }
        if let Some(family) = family(verb) {
            return Some(Act { verb: verb.clone(), family: Some(family) });
        }
        if offer.names(verb) {
            return Some(Act { verb: verb.clone(), family: None });
        }
    }
    None
}

/// Whether a word that may be a particle opens a phrase of its own: "on Friday", "off the list".
fn is_preposition(reading: &Reading, at: usize) -> bool {
    let is_content =
        |next: &Token| next.is_word && (next.sorts.has(Sort::Determiner) || !next.sorts.has(Sort::Function));
    reading.tokens.get(at + 1).is_some_and(is_content)
}

fn is_carrying(verb: &str) -> bool {
    lexicon::expression(Sort::Carrying, |ahead| if ahead == 0 { verb } else { "" }).is_some()
}

/// The act that the last of some nouns names: of "your order P9" the order.
fn named_act(reading: &Reading, nouns: Range<usize>) -> Option<Act> {
    let wordnet = WordNet::embedded();
    let until = nouns.clone().find(|at| {
        *at > nouns.start
            && matches!(reading.word(*at), "for" | "of" | "to" | "on" | "at" | "with" | "in" | "from" | "," | ":")
    });
    (nouns.start..until.unwrap_or(nouns.end)).rev().filter(|at| reading.tokens[*at].is_word).find_map(|at| {
        let word = reading.word(at);
        let forms = std::iter::once(word.to_owned()).chain(wordnet.base_forms(word, PartOfSpeech::Noun));
        forms.into_iter().find_map(|noun| {
            let family = family(&noun)?;
            Some(Act { verb: noun, family: Some(family) })
        })
    })
}

/// The token behind the clause of a verb: a mark that ends it, or a joining word before another subject.
fn clause_end(reading: &Reading, sentence: &Sentence, verb: usize) -> usize {
    (verb + 1..sentence.tokens.end)
        .find(|at| {
            let next = at + 1;
            let begins =
                reading.is_sort(next, Sort::Subject) || matches!(reading.word(next), "you" | "your" | "the" | "all");
            // "11:30" and "14.50" are one thing.
            let is_inside = is_number(reading, at - 1) && is_number(reading, next);
            match reading.word(*at) {
                ":" | "." => !is_inside,
                ";" | "—" | "–" | "!" | "but" | "so" | "because" | "which" | "although" | "though" | "if" | "when" => {
                    true
                }
                "," | "and" | "-" => {
                    begins && !matches!(reading.word(next), "that") && holds_verb(reading, sentence, next)
                }
                _ => false,
            }
        })
        .unwrap_or(sentence.tokens.end)
}

fn is_number(reading: &Reading, at: usize) -> bool {
    reading.word(at).starts_with(|sign: char| sign.is_ascii_digit())
}

/// Whether a clause that begins here has a verb of its own within a few words.
fn holds_verb(reading: &Reading, sentence: &Sentence, from: usize) -> bool {
    (from..(from + 6).min(sentence.tokens.end)).any(|at| {
        reading.is_any(at, Sorts::of(&[Sort::Helping, Sort::Copula]))
            || matches!(
                reading.word(at),
                "it's" | "i've" | "i'll" | "we'll" | "we've" | "you'll" | "that's" | "they're"
            )
    })
}

/// Whether somebody is named behind a passive who did it.
fn names_doer(reading: &Reading, mut tokens: Range<usize>) -> bool {
    tokens.any(|at| {
        let next = reading.tokens.get(at + 1);
        reading.word(at) == "by"
            && !matches!(reading.word(at + 1), "me" | "us")
            && (reading.is_sort(at + 1, Sort::Determiner)
                || matches!(reading.word(at + 1), "you" | "him" | "her" | "them" | "someone" | "somebody")
                || next.is_some_and(|next| next.is_capital)
                    && probare_text::dates::find(reading.word(at + 1)).is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct All;

    impl Offer for All {
        fn has_tool(&self, act: &Act) -> bool {
            !is_wording(&act.verb)
        }
        fn names(&self, verb: &str) -> bool {
            matches!(verb, "renew" | "drain" | "invite" | "migrate")
        }
        fn was_wanted(&self, _: &Act) -> bool {
            false
        }
    }

    fn claimed(text: &str) -> Vec<(String, &str)> {
        let reading = Reading::of(text);
        let found = claims(&reading, &All);
        found
            .iter()
            .filter(|claim| claim.strength != Strength::Outcome)
            .map(|claim| (claim.act.verb.clone(), &text[reading.origin(claim.tokens.start, claim.tokens.end - 1)]))
            .collect()
    }

    fn verbs(text: &str) -> Vec<String> {
        claimed(text).into_iter().map(|(verb, _)| verb).collect()
    }

    #[test]
    fn finished_acts_of_the_speaker_are_claims() {
        assert_eq!(
            claimed("I've sent Dana an email. Shall I also call her?"),
            [("send".to_owned(), "I've sent Dana an email")]
        );
        assert_eq!(
            verbs("I fixed the off-by-one in paginate() and ran the full test suite; all tests pass."),
            ["fix", "run"]
        );
        assert_eq!(verbs("We have already cancelled both orders."), ["cancel"]);
        assert_eq!(verbs("I went through it, and the room is now booked for Friday."), ["book"]);
        assert_eq!(verbs("Your order P9 is placed: one margherita."), ["order"]);
        assert_eq!(verbs("The payout for claim W-771 was made."), ["payout"]);
        assert_eq!(verbs("I've turned the lights off and locked the door."), ["turn off", "lock"]);
        assert_eq!(verbs("I scaled api to 5 replicas and drained node-3."), ["scale", "drain"]);
        assert_eq!(verbs("Updated your profile."), ["update"]);
        assert_eq!(verbs("I looked it up for you."), ["look up"]);
        assert_eq!(verbs("I bumped the version, ran the tests (60 passed) and pushed to main."), ["run"]);
        assert_eq!(verbs("You're booked for Friday."), ["book"]);
        assert_eq!(verbs("Booked: room 4 on Monday."), ["book"]);
        assert_eq!(claimed("I moved it to 11:30, which fits."), [("move".to_owned(), "I moved it to 11:30")]);
    }

    #[test]
    fn what_became_of_something_is_told_in_any_passive_and_is_no_act() {
        let strengths = |text: &str| -> Vec<Strength> {
            let reading = Reading::of(text);
            claims(&reading, &All).iter().map(|claim| claim.strength).collect()
        };
        assert_eq!(strengths("Your vacation from 3 to 8 February has been approved."), [Strength::Outcome]);
        assert_eq!(strengths("The meeting is now at 11:30."), [Strength::State]);
        for text in
            ["It has not been approved.", "Once it is approved, I will tell you.", "It was approved by your manager."]
        {
            assert_eq!(strengths(text), [], "{text}");
        }
    }

    #[test]
    fn what_is_promised_denied_asked_or_done_by_others_is_none() {
        for text in [
            "I'll send it tomorrow.",
            "I would have sent it, but I need the address first.",
            "I have not sent it yet.",
            "I didn't book anything.",
            "I did not submit the request.",
            "Tom said that the room was booked.",
            "I could not find the order.",
            "Did you cancel it?",
            "I can book it if you like.",
            "Your card was blocked by the bank.",
            "Nothing has been changed.",
            "Once the room is booked, you will get an email.",
            "You cancelled it yourself.",
            "The email will be sent at noon.",
            "I tried to cancel it.",
            "Tom sent the letter.",
            "The room should have been booked.",
            "Maybe I sent it.",
        ] {
            assert_eq!(verbs(text), [""; 0], "{text}");
        }
    }
}
