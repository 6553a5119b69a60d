//! What a parse gives back: a document of sentences of tokens.

use crate::Span;
use crate::labels::Upos;

/// A word or a mark of punctuation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedToken {
    /// Where it stands: a byte range of the text as given.
    pub span: Span,
    /// The characters of that range.
    pub form: String,
    /// Dictionary form.
    pub lemma: String,
    /// Universal part of speech.
    pub upos: Upos,
    /// Penn Treebank tag.
    pub xpos: &'static str,
    /// Index, in the same sentence, of the word it depends on; `None` for the root, and for every word that was
    /// tagged but not parsed.
    pub head: Option<usize>,
    /// Relation to the head (Universal Dependencies); `root` for the root, `_` when not parsed.
    pub relation: &'static str,
}

/// A sentence: at least one token, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedSentence {
    pub tokens: Vec<ParsedToken>,
}

impl ParsedSentence {
    /// The byte range from its first to its last token.
    pub fn span(&self) -> Span {
        match (self.tokens.first(), self.tokens.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end,
            _ => 0..0,
        }
    }

    /// Index of the root, if the sentence was parsed.
    pub fn root(&self) -> Option<usize> {
        self.tokens.iter().position(|token| token.relation == "root")
    }

    /// Indices of the words that depend on a word, in order.
    pub fn children(&self, head: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.tokens.iter().enumerate().filter(move |(_, token)| token.head == Some(head)).map(|(index, _)| index)
    }

    /// The first child with one of these relations.
    pub fn child(&self, head: usize, relations: &[&str]) -> Option<usize> {
        self.children(head).find(|&child| relations.contains(&self.tokens[child].relation))
    }
}

/// An analysed text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedText {
    /// Its sentences, in order.
    pub sentences: Vec<ParsedSentence>,
}

impl ParsedText {
    /// All tokens of all sentences.
    pub fn tokens(&self) -> impl Iterator<Item = &ParsedToken> {
        self.sentences.iter().flat_map(|sentence| &sentence.tokens)
    }
}
