//! Hedging and negation.

use super::roles::{VerbClause, is_amount};
use super::word_lists::{HEDGING_AUXILIARIES, HEDGING_MODIFIERS, HEDGING_VERBS, NEGATORS};
use crate::document::ParsedSentence;

/// Whether a clause is put forward with reserve: by an auxiliary, a modifier, or the verb that governs it.
pub(super) fn is_hedged(sentence: &ParsedSentence, clause: &VerbClause) -> bool {
    let is_modifier = HEDGING_MODIFIERS.contains(&sentence.tokens[clause.head].form.to_lowercase().as_str());
    if is_modifier || has_hedging_child(sentence, clause.head) {
        return true;
    }
    // "a likely winner" hedges nothing about winning, but "an estimated 40" does hedge the number.
    let is_hedged_amount = |object| is_amount(sentence, object) && has_hedging_child(sentence, object);
    if clause.object.is_some_and(is_hedged_amount) {
        return true;
    }
    let mut word = clause.head;
    for _ in 0..sentence.tokens.len() {
        let token = &sentence.tokens[word];
        let (Some(head), "xcomp" | "ccomp" | "csubj" | "advcl") = (token.head, token.relation) else { return false };
        // An adverbial clause is hedged by the verb it explains only if it is that verb's complement in disguise.
        if token.relation == "advcl" && !sentence.children(word).any(|child| sentence.tokens[child].lemma == "to") {
            return false;
        }
        let lemma = sentence.tokens[head].lemma.as_str();
        if HEDGING_VERBS.contains(&lemma) || HEDGING_MODIFIERS.contains(&lemma) || has_hedging_child(sentence, head) {
            return true;
        }
        word = head;
    }
    false
}

fn has_hedging_child(sentence: &ParsedSentence, head: usize) -> bool {
    sentence.children(head).any(|child| {
        let token = &sentence.tokens[child];
        let lower = token.form.to_lowercase();
        match token.relation {
            "aux" => {
                HEDGING_AUXILIARIES.contains(&token.lemma.as_str()) || HEDGING_AUXILIARIES.contains(&lower.as_str())
            }
            "advmod" | "amod" | "discourse" | "parataxis" | "dep" => {
                HEDGING_MODIFIERS.contains(&lower.as_str()) || HEDGING_VERBS.contains(&token.lemma.as_str())
            }
            _ => false,
        }
    })
}

/// Whether a clause is denied: "not", "n't", "never" with the verb or predicate, "no" with the object.
pub(super) fn is_negated(sentence: &ParsedSentence, clause: &VerbClause, object: usize) -> bool {
    let denies = |child: usize, words: &[&str]| words.contains(&sentence.tokens[child].form.to_lowercase().as_str());
    let head = sentence.children(clause.head).any(|child| denies(child, &NEGATORS));
    let verb = sentence.children(clause.verb).any(|child| denies(child, &NEGATORS));
    let object =
        sentence.children(object).any(|child| sentence.tokens[child].relation == "det" && denies(child, &["no"]));
    head || verb || object
}
