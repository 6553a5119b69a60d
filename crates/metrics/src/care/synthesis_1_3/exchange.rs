//! [`SupportExchange`]: a message and a reply, folded and searched once for all checkers.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use probare_core::{Sample, ScoreError};

use crate::care::closeness::{Opening, similarity};
use crate::care::lexicon::{Lexicon, LexiconHit, PhraseGroup};

use super::empathy::ReplyContent;

/// A text in which curly apostrophes and the back-tick are straight ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoldedText {
    pub text: String,
    /// Places in it at which the text as given has a sign of two more bytes.
    shortened: Vec<usize>,
}

impl FoldedText {
    /// Folds a text.
    pub fn new(given: &str) -> Self {
        let mut folded = Self { text: String::with_capacity(given.len()), shortened: Vec::new() };
        for character in given.chars() {
            match character {
                '\u{2018}' | '\u{2019}' => {
                    folded.shortened.push(folded.text.len());
                    folded.text.push('\'');
                }
                '`' => folded.text.push('\''),
                other => folded.text.push(other),
            }
        }
        folded
    }

    /// Where a span of the folded text stands in the text as given.
    pub fn original_span(&self, span: Range<usize>) -> Range<usize> {
        let place = |at: usize| at + 2 * self.shortened.partition_point(|place| *place < at);
        place(span.start)..place(span.end)
    }
}

/// A phrase that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhraseHit {
    /// Id of its family.
    pub family: String,
    /// What the family is evidence of, in a few words.
    pub meaning: String,
    /// The matched text, folded.
    pub text: String,
    /// Its bytes in the folded text.
    pub span: Range<usize>,
}

impl From<LexiconHit<'_>> for PhraseHit {
    fn from(hit: LexiconHit<'_>) -> Self {
        let span = hit.span();
        Self { family: hit.family.to_owned(), meaning: hit.meaning.to_owned(), text: hit.text.to_owned(), span }
    }
}

/// The texts of hits, in order.
pub(super) fn texts(hits: &[PhraseHit]) -> Vec<String> {
    hits.iter().map(|hit| hit.text.clone()).collect()
}

/// A message and a reply, folded, with the phrases of the lexicon in them.
#[derive(Debug, Clone, PartialEq)]
pub struct SupportExchange {
    /// The user's message.
    pub user: FoldedText,
    pub reply: FoldedText,
    /// The first two sentences of the reply.
    pub opening: String,
    /// Similarity of message and reply, unrounded.
    pub similarity: f64,
    /// Signs in the message that the user is vulnerable.
    pub vulnerabilities: Vec<PhraseHit>,
    hits: [Vec<PhraseHit>; 7],
    /// What both of the newer checks read of it, once one of them asks.
    content: OnceCell<ReplyContent>,
}

/// The groups that are looked for in replies.
const IN_REPLY: [PhraseGroup; 7] = [
    PhraseGroup::Positive,
    PhraseGroup::Directive,
    PhraseGroup::MindReading,
    PhraseGroup::Guarantee,
    PhraseGroup::Acknowledgement,
    PhraseGroup::FollowUp,
    PhraseGroup::Pivot,
];

impl SupportExchange {
    /// Reads an exchange by a lexicon.
    pub fn new(user: &str, reply: &str, lexicon: &Lexicon) -> Self {
        let (user, reply) = (FoldedText::new(user), FoldedText::new(reply));
        let opening = Opening::from_reply(&reply.text);
        let groups = IN_REPLY.map(|group| {
            let is_of_opening = group == PhraseGroup::Acknowledgement;
            (group, if is_of_opening { opening.end } else { reply.text.len() })
        });
        let found = lexicon.search(&reply.text, &groups);
        let hits = IN_REPLY.map(|group| {
            lexicon.hits(&reply.text, &found).in_group(group).into_iter().map(PhraseHit::from).collect::<Vec<_>>()
        });
        let found = lexicon.search(&user.text, &[(PhraseGroup::Vulnerability, user.text.len())]);
        let vulnerabilities = lexicon.hits(&user.text, &found).in_group(PhraseGroup::Vulnerability);
        let vulnerabilities = vulnerabilities.into_iter().map(PhraseHit::from).collect();
        let (similarity, opening) = (similarity(&user.text, &reply.text), opening.text().into_owned());
        Self { user, reply, opening, similarity, vulnerabilities, hits, content: OnceCell::new() }
    }

    /// The exchange of a sample, read once for each lexicon. A message that is missing is an empty one.
    pub fn for_sample(sample: Sample<'_>, lexicon: &Lexicon) -> Result<Rc<Self>, ScoreError> {
        let reply = sample.response()?;
        let user = sample.query().unwrap_or_default();
        Ok(sample.cached(lexicon.fingerprint(), || Self::new(user, reply, lexicon)))
    }

    /// Words and templates of both texts.
    pub(super) fn content(&self) -> &ReplyContent {
        self.content.get_or_init(|| ReplyContent::new(&self.user.text, &self.reply.text))
    }

    /// The phrases of a group in the reply, in the order of their families.
    pub fn in_reply(&self, group: PhraseGroup) -> &[PhraseHit] {
        let at = IN_REPLY.iter().position(|known| *known == group);
        at.map_or(&[], |at| self.hits[at].as_slice())
    }

    /// Texts of claims about minds and the future, each once.
    pub fn reassurances(&self) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for hit in self.in_reply(PhraseGroup::MindReading).iter().chain(self.in_reply(PhraseGroup::Guarantee)) {
            if !texts.contains(&hit.text) {
                texts.push(hit.text.clone());
            }
        }
        texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_lead_back_to_the_text_as_given() {
        let given = "I\u{2019}m sure: you`re, you\u{2018}re fine";
        let folded = FoldedText::new(given);
        assert_eq!(folded.text, "I'm sure: you're, you're fine");
        for words in ["sure", "you're", "fine", "I'm"] {
            let at = folded.text.rfind(words).unwrap();
            let span = folded.original_span(at..at + words.len());
            assert_eq!(FoldedText::new(&given[span]).text, words);
        }
    }
}
