//! Orders that no list has: a sentence in which a clause may open with a plain verb is parsed, and its tree decides.

use std::cell::OnceCell;

use probare_english::{self as nlp, ParsedText, ParsedToken, Parser, Upos};
use probare_text::wordnet::{PartOfSpeech, WordNet};

use super::classes::CareClass;
use super::tagged_text::{AnalysisSentence, TaggedText};

/// The tokens at which a clause of the sentence may open with an order: at its beginning, and behind a mark or a joining word.
/// What may stand before an order leaves its place open.
pub(super) fn clause_openings<'r>(
    reply: &'r TaggedText,
    sentence: &AnalysisSentence,
) -> impl Iterator<Item = usize> + use<'r> {
    let mut opens = true;
    sentence.tokens.clone().filter(move |&token| {
        let is_open = opens;
        opens = matches!(reply.word(token), "," | ";" | ":" | "-" | "and" | "then")
            || is_open && reply.has_class(token, CareClass::OrderOpener);
        is_open
    })
}

/// Whether a word may be a verb in the plain form with its object behind it: it has no ending of another form, is no small
/// word, and WordNet has it as a verb. Says yes for nouns too; only these sentences are worth a tree.
pub(super) fn may_be_order(reply: &TaggedText, at: usize) -> bool {
    let word = reply.word(at);
    reply.tokens.get(at).is_some_and(|token| token.is_word && !token.is_quoted)
        && reply.has_class(at + 1, CareClass::Object)
        && is_verb(word)
}

/// Whether a word may be a verb in the plain form.
pub(super) fn is_verb(word: &str) -> bool {
    is_plain_form(word) && WordNet::embedded().senses(word, PartOfSpeech::Verb).next().is_some()
}

/// Whether an unlisted word may be the plain form of a verb: it has no ending of another form and is no small word.
pub(super) fn is_plain_form(word: &str) -> bool {
    const SMALL: [&str; 52] = [
        "with", "for", "about", "through", "like", "than", "and", "before", "after", "since", "without", "because",
        "when", "while", "that", "what", "how", "not", "maybe", "perhaps", "from", "into", "over", "under", "behind",
        "beside", "near", "around", "toward", "towards", "against", "only", "even", "both", "half", "all", "may",
        "might", "can", "could", "will", "would", "does", "did", "was", "is", "are", "whatever", "where", "though",
        "although", "between",
    ];
    word.len() > 2
        && word.chars().all(|c| c.is_ascii_lowercase())
        && !SMALL.contains(&word)
        && !["ing", "ed", "ly"].iter().any(|ending| word.ends_with(ending))
        && (!word.ends_with('s') || word.ends_with("ss"))
}

/// The tags of a sentence of the reply and, where they leave a question, its tree.
pub(super) struct SentenceSyntax {
    text: String,
    tags: ParsedText,
    tree: OnceCell<ParsedText>,
    /// Where the sentence begins in the text.
    start: usize,
}

impl SentenceSyntax {
    pub(super) fn for_sentence(reply: &TaggedText, sentence: &AnalysisSentence) -> Self {
        // A sentence begins with a capital, as those did that the parser learnt from.
        let mut text = reply.text[sentence.at.clone()].to_owned();
        text.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
        Self { tags: Parser::english().tag(&text), text, tree: OnceCell::new(), start: sentence.at.start }
    }

    /// Whether the token is a verb in the imperative: in the plain form, at the head of the sentence or joined to such a verb,
    /// and without a subject or a helper.
    pub(super) fn is_imperative(&self, reply: &TaggedText, token: usize) -> bool {
        let Some(start) = reply.tokens.get(token).and_then(|token| token.at.start.checked_sub(self.start)) else {
            return false;
        };
        let is_here = |token: &ParsedToken| token.span.start == start;
        // Tags take a quarter of the time of a tree, and most words that may be verbs are none.
        if !self.tags.tokens().any(|token| is_here(token) && is_plain_verb(token)) {
            return false;
        }
        let tree = self.tree.get_or_init(|| Parser::english().parse(&self.text));
        tree.sentences.iter().any(|sentence| {
            let at = sentence.tokens.iter().position(is_here);
            at.is_some_and(|at| has_no_subject(sentence, at))
        })
    }
}

fn is_plain_verb(token: &ParsedToken) -> bool {
    token.upos == Upos::Verb && matches!(token.xpos, "VB" | "VBP")
}

/// Whether a plain verb, and each that it is joined to, up to the head of the sentence, has neither subject nor helper.
fn has_no_subject(sentence: &nlp::ParsedSentence, mut at: usize) -> bool {
    const LEADS: [&str; 8] = ["nsubj", "nsubj:pass", "csubj", "aux", "aux:pass", "mark", "cop", "expl"];
    // The way up ends: no tree is deeper than it has words.
    for _ in 0..sentence.tokens.len() {
        probare_cancellation::count_steps(1);
        let verb = &sentence.tokens[at];
        if !is_plain_verb(verb) || sentence.child(at, &LEADS).is_some() {
            return false;
        }
        match (verb.relation, verb.head) {
            ("root" | "parataxis", _) => return true,
            ("conj", Some(head)) => at = head,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a sentence that may order and do.
    fn orders(text: &str) -> Vec<String> {
        let reply = TaggedText::from_text(text);
        let sentence = &reply.sentences[0];
        let mood = SentenceSyntax::for_sentence(&reply, sentence);
        let tokens = sentence.tokens.clone();
        let found = tokens.filter(|&token| may_be_order(&reply, token) && mood.is_imperative(&reply, token));
        found.map(|token| reply.word(token).to_owned()).collect()
    }

    #[test]
    fn the_tree_tells_orders_from_other_plain_forms() {
        assert_eq!(orders("Chuck the packet and knead your own dough."), ["chuck", "knead"]);
        assert_eq!(orders("Sluice the carrier with vinegar."), ["sluice"]);
        assert_eq!(orders("Some people knead the dough by hand."), [""; 0]);
        assert_eq!(orders("We can go through it, or shelve the question."), [""; 0]);
        assert_eq!(orders("You might want to chuck the packet."), [""; 0]);
    }
}
