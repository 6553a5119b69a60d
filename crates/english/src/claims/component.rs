//! The words of a claim: which part of a phrase stands for it.

use std::ops::Range;

use crate::Span;
use crate::document::ParsedSentence;
use crate::labels::Upos;

/// A part of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimComponent {
    /// For a common noun its head, for a proper name the whole name, for an amount or a date all of it.
    pub text: String,
    /// Where that is: a byte range of the text as given.
    pub span: Span,
    /// Index of the head word in the sentence.
    pub head: usize,
    /// Token indices of the whole phrase, without what introduces it (preposition, article) and without clauses that
    /// follow; a caller with a better notion of amounts and dates may widen the text within it.
    pub phrase: Range<usize>,
}

/// The verb as it stands.
pub(super) fn verb(sentence: &ParsedSentence, word: usize) -> ClaimComponent {
    let token = &sentence.tokens[word];
    ClaimComponent { text: token.form.clone(), span: token.span.clone(), head: word, phrase: word..word + 1 }
}

/// The component of a phrase, given its head.
pub(super) fn component(sentence: &ParsedSentence, head: usize) -> ClaimComponent {
    // "Q3 2021", "page 12": a number right behind a noun is its name.
    let is_numbered =
        sentence.tokens.get(head + 1).is_some_and(|next| next.upos == Upos::Num && next.head == Some(head));
    let words = match sentence.tokens[head].upos {
        Upos::Propn | Upos::Num | Upos::Sym => name(sentence, head),
        _ if is_numbered => head..head + 2,
        _ => head..head + 1,
    };
    let span = sentence.tokens[words.start].span.start..sentence.tokens[words.end - 1].span.end;
    ClaimComponent { text: joined_words(sentence, words), span, head, phrase: phrase(sentence, head) }
}

/// The words of a range with white space where the text has some.
fn joined_words(sentence: &ParsedSentence, words: Range<usize>) -> String {
    let mut text = String::new();
    let mut end = None;
    for token in &sentence.tokens[words] {
        if end.is_some_and(|end| end < token.span.start) {
            text.push(' ');
        }
        text.push_str(&token.form);
        end = Some(token.span.end);
    }
    text
}

/// The unbroken run of words around the head that belong to a name, an amount or a date.
fn name(sentence: &ParsedSentence, head: usize) -> Range<usize> {
    let belongs = |word: usize| {
        let token = &sentence.tokens[word];
        let is_part = matches!(
            token.relation,
            "flat" | "compound" | "nummod" | "nmod:unmarked" | "nmod:desc" | "fixed" | "goeswith" | "punct" | "amod"
        );
        let is_name = matches!(token.upos, Upos::Propn | Upos::Num | Upos::Sym) || token.form == "-";
        is_part && (is_name || token.relation == "compound") && is_below(sentence, word, head)
    };
    let mut range = head..head + 1;
    while range.start > 0 && belongs(range.start - 1) {
        range.start -= 1;
    }
    while range.end < sentence.tokens.len() && belongs(range.end) {
        range.end += 1;
    }
    range
}

/// Whether one word depends on another, directly or not.
fn is_below(sentence: &ParsedSentence, mut word: usize, ancestor: usize) -> bool {
    for _ in 0..sentence.tokens.len() {
        match sentence.tokens[word].head {
            Some(head) if head == ancestor => return true,
            Some(head) => word = head,
            None => return false,
        }
    }
    false
}

/// All words below the head on its left and right, up to the first gap, without introducing and clausal parts.
fn phrase(sentence: &ParsedSentence, head: usize) -> Range<usize> {
    let inside = |word: usize| {
        // Up to the child of the head through which the word hangs on it.
        let mut child = word;
        for _ in 0..sentence.tokens.len() {
            match sentence.tokens[child].head {
                Some(next) if next == head => {
                    return !matches!(
                        sentence.tokens[child].relation,
                        "case"
                            | "det"
                            | "cop"
                            | "nsubj"
                            | "nsubj:pass"
                            | "nsubj:outer"
                            | "aux"
                            | "mark"
                            | "cc"
                            | "conj"
                            | "acl"
                            | "acl:relcl"
                            | "appos"
                            | "advcl"
                            | "advmod"
                            | "parataxis"
                            | "punct"
                    );
                }
                Some(next) => child = next,
                None => return false,
            }
        }
        false
    };
    let mut range = head..head + 1;
    while range.start > 0 && inside(range.start - 1) {
        range.start -= 1;
    }
    while range.end < sentence.tokens.len() && inside(range.end) {
        range.end += 1;
    }
    range
}
