//! The door to the crate: a model and what can be done with it.

use std::sync::OnceLock;

use crate::analysis::{Analyzer, Depth, Mending};
use crate::document::{Document, Sentence};
use crate::model::Model;
use crate::{ModelError, Span, sentences, tokenize};

/// The model of this crate; see `MODEL_CARD.md` beside it.
static ENGLISH: &[u8] = include_bytes!("../model/english.bin");

/// Tagger, lemmatiser and dependency parser.
#[derive(Debug)]
pub struct Parser {
    model: Model,
}

impl Parser {
    /// The English parser that comes with the program. It is loaded at the first call; later calls cost nothing.
    pub fn english() -> &'static Self {
        static PARSER: OnceLock<Parser> = OnceLock::new();
        PARSER.get_or_init(|| Self::from_bytes(ENGLISH).expect("a test reads the model that is part of the program"))
    }

    /// Reads a model from the bytes of its file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        Model::read(bytes).map(Self::from)
    }

    /// Splits, tags, lemmatises and parses a text. Any text will do; one without words has no sentences.
    pub fn parse(&self, text: &str) -> Document {
        self.analyze(text, Depth::Tree, Mending::Mended)
    }

    /// As [`parse`](Self::parse), by the weights of the model alone, without what is known to be amiss in them: the reading
    /// that published numbers rest on.
    pub fn parse_by_weights(&self, text: &str) -> Document {
        self.analyze(text, Depth::Tree, Mending::ByWeights)
    }

    /// As [`parse`](Self::parse), but stops before the trees: several times as fast when only tags or lemmas are
    /// needed.
    pub fn tag(&self, text: &str) -> Document {
        self.analyze(text, Depth::Tags, Mending::Mended)
    }

    fn analyze(&self, text: &str, depth: Depth, mending: Mending) -> Document {
        let tokens = tokenize::tokens(text);
        let mut analyzer = Analyzer::new(&self.model, depth, mending);
        let mut words: Vec<(&str, Span)> = Vec::new();
        let sentences = sentences::sentences(text, &tokens)
            .into_iter()
            .map(|range| {
                words.clear();
                words.extend(tokens[range].iter().map(|span| (&text[span.clone()], span.clone())));
                analyzer.sentence(&words)
            })
            .collect();
        Document { sentences }
    }

    /// Parses a sentence that is already cut into words. Spans refer to the words joined by single spaces. Words beyond
    /// the 65,534th are left out.
    pub fn parse_words(&self, words: &[&str]) -> Sentence {
        let mut start = 0;
        let placed: Vec<(&str, Span)> = words
            .iter()
            .take(usize::from(u16::MAX) - 1)
            .map(|word| {
                let span = start..start + word.len();
                start = span.end + 1;
                (*word, span)
            })
            .collect();
        Analyzer::new(&self.model, Depth::Tree, Mending::Mended).sentence(&placed)
    }
}

impl From<Model> for Parser {
    fn from(model: Model) -> Self {
        Self { model }
    }
}
