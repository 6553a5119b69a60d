//! Orders by mood: clauses that open with a plain verb and neither invite nor comfort.

use std::cell::LazyCell;

use super::classes::CareClass;
use super::findings::RuleFinding;
use super::phrase_matches::opens_gently;
use super::syntax::{SentenceSyntax, clause_openings, is_verb, may_be_order};
use super::tagged_text::{AnalysisSentence, BlockKind, Scope, TaggedText};

/// Clauses in the imperative that neither invite nor comfort.
pub(super) fn find_imperatives(reply: &TaggedText, sentence: &AnalysisSentence, findings: &mut Vec<RuleFinding>) {
    let is_tip = is_tip_list(reply, sentence);
    if sentence.is_question() || is_tip || is_offered(reply, sentence) || reply.word(sentence.tokens.start) == "or" {
        return;
    }
    // Where life is in danger an order is right.
    if sentence.tokens.clone().any(|token| reply.has_class(token, CareClass::Emergency)) {
        return;
    }
    let mut starts = vec![sentence.tokens.start];
    for token in sentence.tokens.clone() {
        probare_cancellation::count_steps(1);
        match reply.word(token) {
            "," | ";" | "-" => starts.push(token + 1),
            // After a colon stands an order or an explanation of what was said before it.
            ":" if token - sentence.tokens.start <= 6 => starts.push(token + 1),
            _ => {}
        }
    }
    let mood = LazyCell::new(|| SentenceSyntax::for_sentence(reply, sentence));
    for start in starts {
        probare_cancellation::count_steps(1);
        if let Some((first, last)) = imperative(reply, sentence, start)
            && (start == sentence.tokens.start || !is_joined(reply, start, first) || mood.is_imperative(reply, first))
        {
            findings.push(RuleFinding {
                rule: "imperative",
                meaning: "gives an order",
                span: reply.original_span(first, last),
            });
        }
    }
    // A tree takes as long as everything else together, and a second order changes nothing.
    if !findings.is_empty() {
        return;
    }
    let unlisted = clause_openings(reply, sentence).find(|&token| {
        may_be_order(reply, token)
            && !is_for_the_speaker(reply, token)
            && !is_gentle(reply, sentence, token)
            && !Scope::new(reply, sentence, token).is_reported()
            && mood.is_imperative(reply, token)
    });
    if let Some(first) = unlisted {
        let last = (first + 2).min(sentence.tokens.end - 1);
        findings.push(RuleFinding {
            rule: "imperative",
            meaning: "gives an order",
            span: reply.original_span(first, last),
        });
    }
}

/// Whether the user's own ease or wish is the condition: "start in the middle if it's easier". That is an offer.
fn is_offered(reply: &TaggedText, sentence: &AnalysisSentence) -> bool {
    sentence.tokens.clone().filter(|&token| reply.word(token) == "if").any(|at| {
        let (next, after) = (reply.word(at + 1), reply.word(at + 2));
        match next {
            "you" => matches!(after, "want" | "like" | "wish" | "prefer" | "can" | "feel" | "need"),
            "you'd" => matches!(after, "like" | "rather" | "prefer"),
            "it's" | "that's" => matches!(after, "easier" | "better" | "ok" | "okay" | "possible"),
            "it" | "that" => matches!(after, "helps" | "feels" | "suits" | "works"),
            _ => false,
        }
    })
}

/// Whether a clause is joined to the one before it, so that its verb may belong to a subject there: "I can stay, or leave it".
fn is_joined(reply: &TaggedText, start: usize, verb: usize) -> bool {
    (start..verb).any(|token| matches!(reply.word(token), "and" | "or"))
}

/// Whether the sentence hands out a list of tips, which are no orders.
fn is_tip_list(reply: &TaggedText, sentence: &AnalysisSentence) -> bool {
    let text = &reply.text[sentence.at.clone()];
    sentence.block != BlockKind::Prose && text.contains('|') || text.starts_with("here are ") && text.contains(':')
}

/// First and last token of the order that opens at `start`, if there is one.
fn imperative(reply: &TaggedText, sentence: &AnalysisSentence, start: usize) -> Option<(usize, usize)> {
    let end = sentence.tokens.end;
    let after_comma = start > sentence.tokens.start;
    let mut at = start;
    // "No, leave it" has an opener, "no hurry" a noun.
    let is_noun = |at: usize| reply.word(at) == "no" && is_word(reply, at + 1);
    while at < end
        && (reply.has_class(at, CareClass::OrderOpener) && !is_noun(at)
            || !reply.tokens[at].is_word && reply.word(at) != "\"")
    {
        at += 1;
    }
    if at >= end || reply.tokens[at].is_quoted || reply.is_wish(at) {
        return None;
    }
    let scope = Scope::new(reply, sentence, at);
    if scope.is_reported() {
        return None;
    }
    let (word, next) = (reply.word(at), reply.word(at + 1));
    if is_for_the_speaker(reply, at) {
        return None;
    }
    // "So do I" has a subject, "never know" has lost it, "please do" agrees.
    let is_formula = match word {
        "do" => matches!(next, "i" | "we" | "they" | "he" | "she" | "you") || !is_word(reply, at + 1),
        "never" => matches!(next, "know" | "mind"),
        _ => false,
    };
    if is_formula {
        return None;
    }
    if matches!(word, "don't" | "never") || word == "do" && next == "not" {
        let verb = if word == "do" { at + 2 } else { at + 1 };
        let verb = if matches!(reply.word(verb), "ever" | "you") { verb + 1 } else { verb };
        let comforts = reply.has_class(verb, CareClass::Comfort) || reply.word(verb + 1) == "yourself";
        // "Never speak to her": a word that may be a noun needs its object.
        let is_act = !reply.has_class(verb, CareClass::NounOrVerb) || reply.has_class(verb + 1, CareClass::ObjectStart);
        let forbids = !comforts
            && !encourages(reply, verb)
            && base_verb(reply, verb)
            && (word != "never" || !after_comma && is_act);
        return forbids.then_some((at, verb));
    }
    let unlisted = !after_comma && matches!(next, "your" | "yourself" | "him" | "her" | "them" | "it") && is_verb(word);
    if !(reply.has_class(at, CareClass::OrderVerb) || unlisted) || is_gentle(reply, sentence, at) {
        return None;
    }
    if reply.has_class(at + 1, CareClass::Finite) {
        return None;
    }
    // After a comma a bare verb may belong to a list or a relative clause; there it needs an object.
    let alone = at + 1 >= end || !is_word(reply, at + 1);
    let needs_object = reply.has_class(at, CareClass::NounOrVerb) || after_comma;
    if needs_object && !alone && !reply.has_class(at + 1, CareClass::ObjectStart) {
        return None;
    }
    if alone && sentence.tokens.len() > 3 {
        return None;
    }
    Some((at, (at + 2).min(end - 1)))
}

/// "Send me the log", "follow us": what is to be done for the speaker leaves the user's life alone.
fn is_for_the_speaker(reply: &TaggedText, verb: usize) -> bool {
    matches!(reply.word(verb + 1), "me" | "us")
}

fn is_word(reply: &TaggedText, token: usize) -> bool {
    reply.tokens.get(token).is_some_and(|token| token.is_word)
}

fn base_verb(reply: &TaggedText, at: usize) -> bool {
    reply.has_class(at, CareClass::OrderVerb) || is_verb(reply.word(at))
}

/// Whether what is not to be done is to lose heart: "don't be afraid", "don't give up", "don't let it get to you".
fn encourages(reply: &TaggedText, verb: usize) -> bool {
    let next = reply.word(verb + 1);
    match reply.word(verb) {
        "be" => matches!(next, "afraid" | "scared" | "discouraged" | "hard" | "ashamed" | "sorry" | "shy" | "sad"),
        "lose" | "loose" => true,
        "give" => next == "up",
        // "Don't let it win" heartens, "don't let him in" forbids.
        "let" => !(verb + 2..verb + 6)
            .any(|token| matches!(reply.word(token), "go" | "in" | "near" | "back" | "out" | "know")),
        // "Don't feel bad" comforts, "don't feel anything" forbids.
        "feel" => !matches!(next, "about" | "anything" | "nothing" | "it"),
        _ => false,
    }
}

/// Openings that invite, comfort, or only keep the talk going.
fn is_gentle(reply: &TaggedText, sentence: &AnalysisSentence, at: usize) -> bool {
    reply.is_wish(at) || opens_gently(reply, sentence, at)
}
