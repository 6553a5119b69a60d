//! Who is subject and who is object of a verb.

use super::word_lists::{PARTICIPLES, STATES};
use crate::document::ParsedSentence;
use crate::labels::Upos;

/// A verb with its roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VerbClause {
    /// The word that carries subject, auxiliaries and modifiers in the tree: the verb itself, or the predicate of a
    /// copula.
    pub(super) head: usize,
    pub(super) verb: usize,
    pub(super) lemma: String,
    pub(super) subject: Option<usize>,
    pub(super) object: Option<usize>,
    pub(super) passive: bool,
}

/// The clause of a word, if it is a verb that can assert something. Purely auxiliary verbs belong to another's clause.
pub(super) fn clause(sentence: &ParsedSentence, verb: usize) -> Option<VerbClause> {
    let token = &sentence.tokens[verb];
    match token.relation {
        "cop" => copula(sentence, verb, token.head?),
        "aux:pass" => state_clause(sentence, verb, token.head?),
        "aux" | "mark" | "case" | "amod" | "compound" => None,
        _ if token.upos == Upos::Verb || token.upos == Upos::Aux => lexical_clause(sentence, verb, token.lemma.clone()),
        _ => adjectival_participle(sentence, verb),
    }
}

/// "is" with a predicate: noun, adjective, or what follows a preposition.
fn copula(sentence: &ParsedSentence, verb: usize, head: usize) -> Option<VerbClause> {
    let predicate = &sentence.tokens[head];
    if participle_lemma(sentence, head).is_some() {
        // "is located in": the participle is the verb.
        return None;
    }
    let is_prepositional = sentence.child(head, &["case"]).is_some();
    let object = match predicate.upos {
        Upos::Verb | Upos::Aux if !is_state(sentence, head) => None,
        // The tagger cannot tell every participle from an adjective; the ending can.
        Upos::Adj if predicate.form.to_lowercase().ends_with("ed") && !is_state(sentence, head) => None,
        Upos::Adv | Upos::Sconj | Upos::Punct if !is_prepositional => None,
        _ => Some(head),
    };
    let subject = subject(sentence, head, &["nsubj", "nsubj:outer", "nsubj:pass"]);
    Some(VerbClause {
        head,
        verb,
        lemma: sentence.tokens[verb].lemma.clone(),
        subject: subject.map(|word| antecedent(sentence, head, word)),
        object: object.filter(|&object| !is_question_word(sentence, object)),
        passive: false,
    })
}

/// "is closed", drawn as a passive.
fn state_clause(sentence: &ParsedSentence, verb: usize, head: usize) -> Option<VerbClause> {
    if !is_state(sentence, head) || sentence.child(head, &["obl:agent"]).is_some() {
        return None;
    }
    Some(VerbClause {
        head,
        verb,
        lemma: sentence.tokens[verb].lemma.clone(),
        subject: subject(sentence, head, &["nsubj:pass", "nsubj"]),
        object: Some(head),
        passive: false,
    })
}

/// Whether a participle names a state; those with "un" always do ("unchanged").
fn is_state(sentence: &ParsedSentence, word: usize) -> bool {
    let form = sentence.tokens[word].form.to_lowercase();
    STATES.contains(&form.as_str()) || (form.starts_with("un") && form.ends_with("ed"))
}

/// A full verb, active or passive.
fn lexical_clause(sentence: &ParsedSentence, verb: usize, lemma: String) -> Option<VerbClause> {
    let token = &sentence.tokens[verb];
    let is_participle = token.xpos == "VBN";
    let has_passive_mark = sentence.child(verb, &["aux:pass", "nsubj:pass", "csubj:pass"]).is_some();
    let modifies = matches!(token.relation, "acl" | "acl:relcl");
    let agent = agent(sentence, verb);
    let passive = has_passive_mark || (is_participle && (token.relation == "acl" || inherits_passive(sentence, verb)));
    if sentence.child(verb, &["expl"]).is_some_and(|word| is_form(sentence, word, "there")) {
        return None;
    }
    let mut own = subject(sentence, verb, &["nsubj:pass", "nsubj", "nsubj:outer"]);
    if own.is_none() && token.relation == "conj" {
        own = inherited_subject(sentence, verb);
    }
    if own.is_none() && token.relation == "acl" && (is_participle || token.xpos == "VBG") {
        own = token.head;
    }
    let own = own.map(|word| if modifies { antecedent(sentence, verb, word) } else { word });
    let direct = direct_object(sentence, verb).or_else(|| gap(sentence, verb, own));
    let (subject, object) = match (passive, agent) {
        (true, Some(agent)) => (Some(agent), own),
        _ => (own, direct.or_else(|| prepositional_object(sentence, verb))),
    };
    let is_statement = |word: &usize| !is_question_word(sentence, *word);
    Some(VerbClause {
        head: verb,
        verb,
        lemma,
        subject: subject.filter(is_statement),
        object: object.filter(is_statement),
        passive,
    })
}

/// "located" as an adjective with a copula is still the verb of its clause.
fn adjectival_participle(sentence: &ParsedSentence, word: usize) -> Option<VerbClause> {
    let lemma = participle_lemma(sentence, word)?;
    sentence.child(word, &["cop", "aux:pass"])?;
    let mut clause = lexical_clause(sentence, word, lemma.to_owned())?;
    clause.passive = true;
    Some(clause)
}

/// The verb behind a participle that was tagged as an adjective.
fn participle_lemma(sentence: &ParsedSentence, word: usize) -> Option<&'static str> {
    let token = &sentence.tokens[word];
    let form = token.form.to_lowercase();
    let is_candidate = matches!(token.upos, Upos::Adj | Upos::Verb);
    PARTICIPLES.iter().find(|(participle, _)| is_candidate && *participle == form).map(|(_, lemma)| *lemma)
}

/// The first child with one of these relations, in the order of the relations, or the "it" of "it is clear".
fn subject(sentence: &ParsedSentence, head: usize, relations: &[&str]) -> Option<usize> {
    relations
        .iter()
        .find_map(|relation| sentence.child(head, &[relation]))
        .or_else(|| sentence.child(head, &["expl"]).filter(|&word| is_form(sentence, word, "it")))
}

/// The subject of the verb that this one is joined to, however long the chain.
fn inherited_subject(sentence: &ParsedSentence, verb: usize) -> Option<usize> {
    let mut word = verb;
    // Bounded by the length, because a tree has no longer chain.
    for _ in 0..sentence.tokens.len() {
        if sentence.tokens[word].relation != "conj" {
            return None;
        }
        word = sentence.tokens[word].head?;
        if let Some(subject) = subject(sentence, word, &["nsubj:pass", "nsubj"]) {
            return Some(subject);
        }
    }
    None
}

/// "was bought and sold": the second participle has no auxiliary of its own.
fn inherits_passive(sentence: &ParsedSentence, verb: usize) -> bool {
    let token = &sentence.tokens[verb];
    token.relation == "conj"
        && sentence.child(verb, &["aux", "nsubj"]).is_none()
        && token.head.is_some_and(|head| sentence.child(head, &["aux:pass"]).is_some())
}

/// A relative pronoun stands for the word that its clause modifies.
fn antecedent(sentence: &ParsedSentence, clause_head: usize, word: usize) -> usize {
    let clause = &sentence.tokens[clause_head];
    if clause.relation == "acl:relcl" && is_relative(sentence, word) { clause.head.unwrap_or(word) } else { word }
}

fn is_relative(sentence: &ParsedSentence, word: usize) -> bool {
    matches!(sentence.tokens[word].xpos, "WDT" | "WP")
}

/// "the startup (that) Siemens acquired": the object is the word that the clause modifies.
fn gap(sentence: &ParsedSentence, verb: usize, subject: Option<usize>) -> Option<usize> {
    let token = &sentence.tokens[verb];
    let is_gapped = token.relation == "acl:relcl" && subject.is_some() && subject != token.head;
    if is_gapped { token.head } else { None }
}

/// The last direct object; a price may have been drawn as a measure.
fn direct_object(sentence: &ParsedSentence, verb: usize) -> Option<usize> {
    let object = sentence.children(verb).rfind(|&child| sentence.tokens[child].relation == "obj");
    let object = object.map(|word| antecedent(sentence, verb, word));
    object.or_else(|| {
        sentence.children(verb).find(|&child| {
            let token = &sentence.tokens[child];
            child > verb && token.relation == "obl:unmarked" && is_amount(sentence, child)
        })
    })
}

/// A number, a currency sign, or a noun that a number counts.
pub(super) fn is_amount(sentence: &ParsedSentence, word: usize) -> bool {
    matches!(sentence.tokens[word].upos, Upos::Num | Upos::Sym) || sentence.child(word, &["nummod"]).is_some()
}

/// What follows the first preposition that belongs to the verb.
fn prepositional_object(sentence: &ParsedSentence, verb: usize) -> Option<usize> {
    sentence.children(verb).find(|&child| {
        matches!(sentence.tokens[child].relation, "obl" | "obl:agent") && sentence.child(child, &["case"]).is_some()
    })
}

/// Who does what a passive says: a "by" phrase that is not a place or a time.
fn agent(sentence: &ParsedSentence, verb: usize) -> Option<usize> {
    sentence.children(verb).find(|&child| {
        let token = &sentence.tokens[child];
        let has_by = || sentence.children(child).any(|word| is_form(sentence, word, "by"));
        let is_actor = !matches!(token.upos, Upos::Num | Upos::Sym);
        is_actor && (token.relation == "obl:agent" || (token.relation == "obl" && has_by())) && has_by()
    })
}

fn is_form(sentence: &ParsedSentence, word: usize, form: &str) -> bool {
    sentence.tokens[word].form.eq_ignore_ascii_case(form)
}

/// A question asks and does not claim.
fn is_question_word(sentence: &ParsedSentence, word: usize) -> bool {
    matches!(sentence.tokens[word].xpos, "WP" | "WDT" | "WRB")
}

/// Whether a verb, or the auxiliary before it, is finite.
pub(super) fn is_finite(sentence: &ParsedSentence, clause: &VerbClause) -> bool {
    let finite = |word: usize| matches!(sentence.tokens[word].xpos, "VBD" | "VBZ" | "VBP" | "MD");
    finite(clause.verb)
        || sentence
            .children(clause.head)
            .any(|child| matches!(sentence.tokens[child].relation, "aux" | "aux:pass" | "cop") && finite(child))
        || sentence.tokens[clause.verb].relation == "conj"
        // Past tense and participle look alike; with a subject and no auxiliary it is the past tense.
        || (sentence.tokens[clause.verb].xpos == "VBN" && sentence.child(clause.head, &["nsubj"]).is_some())
}

/// Whether a word heads a clause of its own: it has a subject or a copula, or is a verb.
pub(super) fn is_clause_head(sentence: &ParsedSentence, word: usize) -> bool {
    sentence.tokens[word].upos == Upos::Verb || sentence.child(word, &["nsubj", "nsubj:pass", "cop"]).is_some()
}
