//! The door to the crate: a model and what can be done with it.

use std::sync::OnceLock;

use crate::document::{ParsedSentence, ParsedText};
use crate::model::ParserModel;
use crate::sentence_analysis::{AnalysisDepth, Analyzer, TagCorrection};
use crate::{ModelFileError, Span, sentences, tokenize};

/// The model of this crate; see `MODEL_CARD.md` beside it.
static ENGLISH: &[u8] = include_bytes!("../model/english.bin");

/// Tagger, lemmatiser and dependency parser.
#[derive(Debug)]
pub struct Parser {
    model: ParserModel,
}

impl Parser {
    /// The English parser that comes with the program. It is loaded at the first call; later calls cost nothing.
    pub fn english() -> &'static Self {
        static PARSER: OnceLock<Parser> = OnceLock::new();
        PARSER.get_or_init(|| Self::from_bytes(ENGLISH).expect("a test reads the model that is part of the program"))
    }

    /// Reads a model from the bytes of its file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelFileError> {
        ParserModel::read(bytes).map(Self::from)
    }

    /// Splits, tags, lemmatises and parses a text. Any text will do; one without words has no sentences.
    pub fn parse(&self, text: &str) -> ParsedText {
        self.analyze(text, AnalysisDepth::Tree, TagCorrection::Enabled)
    }

    /// As [`parse`](Self::parse), by the weights of the model alone, without what is known to be amiss in them: the reading
    /// that published numbers rest on.
    pub fn parse_uncorrected(&self, text: &str) -> ParsedText {
        self.analyze(text, AnalysisDepth::Tree, TagCorrection::Disabled)
    }

    /// As [`parse`](Self::parse), but stops before the trees: several times as fast when only tags or lemmas are
    /// needed.
    pub fn tag(&self, text: &str) -> ParsedText {
        self.analyze(text, AnalysisDepth::Tags, TagCorrection::Enabled)
    }

    fn analyze(&self, text: &str, depth: AnalysisDepth, mending: TagCorrection) -> ParsedText {
        let tokens = tokenize::tokens(text);
        let mut analyzer = Analyzer::new(&self.model, depth, mending);
        let mut words: Vec<(&str, Span)> = Vec::new();
        let sentences = sentences::sentences(text, &tokens)
            .into_iter()
            .map(|range| {
                words.clear();
                words.extend(tokens[range].iter().map(|span| (&text[span.clone()], span.clone())));
                analyzer.analyze(&words)
            })
            .collect();
        ParsedText { sentences }
    }

    /// Parses a sentence that is already cut into words. Spans refer to the words joined by single spaces. Words beyond
    /// the 65,534th are left out.
    pub fn parse_words(&self, words: &[&str]) -> ParsedSentence {
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
        Analyzer::new(&self.model, AnalysisDepth::Tree, TagCorrection::Enabled).analyze(&placed)
    }
}

impl From<ParserModel> for Parser {
    fn from(model: ParserModel) -> Self {
        Self { model }
    }
}
