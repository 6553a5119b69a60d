//! [`ParsedAnswer`]: an answer as sentences that state something, or do not.

use std::borrow::Cow;
use std::ops::Range;

use probare_cancellation::count_steps;
use probare_english::{ParsedSentence as Parse, ParsedToken, Parser, Upos};
use probare_metrics::claim_spans::claim_spans;
use probare_text::tokens::{Tokens, synthlink};

use super::copying::copy_sources;
use super::meaning::{ContentWord, content_words, truncate_text};

/// What a sentence is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentenceStatus {
    /// It states something in words of its own.
    Statement,
    /// It has no verb, or is a list of words.
    Fragment,
    /// It stands word for word in the source of this index, in an answer that is largely copied.
    Copied(usize),
}

/// One sentence, or a part of one between semicolons.
#[derive(Debug)]
pub struct AnswerSentence {
    /// Bytes of the answer.
    pub span: Range<usize>,
    /// What it is worth.
    pub status: SentenceStatus,
    /// Its content words.
    pub words: Vec<ContentWord>,
    /// Its tokens with their tree.
    pub(super) parse: Parse,
}

/// A parsed answer.
#[derive(Debug)]
pub struct ParsedAnswer<'a> {
    text: Cow<'a, str>,
    tokens: Tokens,
    /// Source of each token that was copied.
    origins: Vec<Option<usize>>,
    /// Whether a third of the answer or more was copied. A sentence taken over here and there is a quotation.
    is_largely_copied: bool,
    /// Its sentences, in order.
    pub sentences: Vec<AnswerSentence>,
    /// Sources that are the answer over again and so bear nothing out.
    pub echoes: Vec<bool>,
}

impl<'a> ParsedAnswer<'a> {
    /// Parses an answer and looks for what it copied from its sources.
    pub fn new<S: AsRef<str>>(text: impl Into<Cow<'a, str>>, sources: &[S]) -> Self {
        let text = text.into();
        let tokens = synthlink::tokens(&text);
        let source_tokens: Vec<Tokens> =
            sources.iter().map(|source| synthlink::tokens(truncate_text(source.as_ref()))).collect();
        let origins = copy_sources(&tokens, &source_tokens);
        let echoes =
            source_tokens.iter().enumerate().map(|(index, source)| is_echo(&origins, index, source.len())).collect();
        let is_largely_copied = 3 * origins.iter().flatten().count() >= origins.len();
        let spans: Vec<Range<usize>> = claim_spans(truncate_text(&text)).collect();
        let mut answer = Self { text, tokens, origins, is_largely_copied, sentences: Vec::new(), echoes };
        let parser = Parser::english();
        let starts: Vec<usize> = answer.tokens.iter().map(|token| token.span.start).collect();
        let index_of = |at: usize| starts.partition_point(|start| *start < at);
        for span in spans {
            count_steps(1);
            // The parser may see several sentences where the published division sees one; they are judged together.
            let document = parser.parse(&answer.text[span.clone()]);
            let parse = Parse { tokens: join_tokens(document.sentences, span.start) };
            let status = answer.sentence_status(index_of(span.start)..index_of(span.end), &parse);
            let words = content_words(&parse.tokens);
            answer.sentences.push(AnswerSentence { span, status, words, parse });
        }
        answer
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The tokens of the whole answer.
    pub const fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// The tokens of its statements.
    pub fn stated_tokens(&self) -> Tokens {
        let spans: Vec<&Range<usize>> = self.statements().map(|sentence| &sentence.span).collect();
        let mut index = 0;
        let mut inside = Vec::with_capacity(self.tokens.len());
        for token in self.tokens.iter() {
            count_steps(1);
            while spans.get(index).is_some_and(|span| span.end <= token.span.start) {
                index += 1;
            }
            inside.push(spans.get(index).is_some_and(|span| span.contains(&token.span.start)));
        }
        let mut stated = self.tokens.clone();
        let mut next = inside.into_iter();
        stated.retain(|_| next.next().unwrap_or(false));
        stated
    }

    /// The sentences that count.
    pub fn statements(&self) -> impl Iterator<Item = &AnswerSentence> {
        self.sentences.iter().filter(|sentence| sentence.status == SentenceStatus::Statement)
    }

    /// What a sentence with these tokens is worth.
    fn sentence_status(&self, inside: Range<usize>, parse: &Parse) -> SentenceStatus {
        let origins = &self.origins[inside];
        let copied = origins.iter().flatten().count();
        // Four fifths: a changed word or a conjunction in front does not make a sentence one's own.
        if self.is_largely_copied && copied > 0 && 5 * copied >= 4 * origins.len() {
            return SentenceStatus::Copied(origins.iter().flatten().next().copied().unwrap_or(0));
        }
        if states_something(parse) { SentenceStatus::Statement } else { SentenceStatus::Fragment }
    }
}

/// Tokens of several sentences as one list, with spans and heads moved accordingly.
fn join_tokens(sentences: Vec<Parse>, offset: usize) -> Vec<ParsedToken> {
    let mut all: Vec<ParsedToken> = Vec::new();
    for sentence in sentences {
        let before = all.len();
        all.extend(sentence.tokens.into_iter().map(|mut token| {
            token.span = token.span.start + offset..token.span.end + offset;
            token.head = token.head.map(|head| head + before);
            token
        }));
    }
    all
}

/// Whether most of the answer was copied from this source and the source holds little else.
fn is_echo(origins: &[Option<usize>], source: usize, length: usize) -> bool {
    let copied = origins.iter().filter(|origin| **origin == Some(source)).count();
    copied > 0 && 5 * copied >= 4 * origins.len() && 4 * length <= 5 * origins.len()
}

/// A verb with something before it that can be its subject, in what is not a list of words.
///
/// The tree is not asked: on short sentences a wrong attachment is more frequent than a missing subject.
fn states_something(parse: &Parse) -> bool {
    let words = parse.tokens.iter().filter(|token| !matches!(token.upos, Upos::Punct | Upos::Sym)).count();
    let commas = parse.tokens.iter().filter(|token| token.form == ",").count();
    let binding = parse.tokens.iter().filter(|token| is_function_word(token)).count();
    // Running English binds its content words with small ones: one for each two, or one for a dozen in dense prose.
    let is_list = (words >= 6 && 20 * binding < words) || (3 * commas > words && 5 * binding < words);
    let mut rest = parse.tokens.iter();
    let has_subject =
        rest.any(|token| matches!(token.upos, Upos::Noun | Upos::Propn | Upos::Pron | Upos::Num | Upos::Verb));
    !is_list && has_subject && rest.any(is_predicate)
}

/// A verb or auxiliary of any form; what ends in `ed` is often one that the tagger takes for an adjective.
fn is_predicate(token: &ParsedToken) -> bool {
    matches!(token.upos, Upos::Verb | Upos::Aux) || (token.upos == Upos::Adj && token.form.ends_with("ed"))
}

fn is_function_word(token: &ParsedToken) -> bool {
    matches!(token.upos, Upos::Adp | Upos::Aux | Upos::Cconj | Upos::Det | Upos::Part | Upos::Pron | Upos::Sconj)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standings(text: &str, sources: &[&str]) -> Vec<SentenceStatus> {
        ParsedAnswer::new(text, sources).sentences.iter().map(|sentence| sentence.status).collect()
    }

    #[test]
    fn sentences_state_something_and_lists_do_not() {
        let text = "The canal of 1869 joined two seas. Salt lakes, fish, algae, native species, decline, widening. \
                    Fish moved north; the end of the barrier.";
        let expected =
            [SentenceStatus::Statement, SentenceStatus::Fragment, SentenceStatus::Statement, SentenceStatus::Fragment];
        assert_eq!(standings(text, &[]), expected);
    }

    #[test]
    fn a_copied_sentence_is_not_a_statement_of_ones_own() {
        let source = "The Haber process has made ammonia from nitrogen of the air on an industrial scale since 1913.";
        assert_eq!(standings(source, &[source]), [SentenceStatus::Copied(0)]);
        let answer = ParsedAnswer::new(source, &[source, "Ammonia is made by the Haber process."]);
        assert_eq!(answer.echoes, [true, false]);
        assert!(answer.stated_tokens().is_empty());
    }

    #[test]
    fn only_tokens_of_statements_are_stated() {
        let answer = ParsedAnswer::new("Keywords: press, ink. The press was new.", &[] as &[&str]);
        assert_eq!(answer.stated_tokens().texts().collect::<Vec<_>>(), ["the", "press", "was", "new"]);
        assert_eq!(answer.tokens().len(), 7);
    }
}
