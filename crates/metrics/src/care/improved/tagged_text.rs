//! [`TaggedText`]: a text as the rules of this family see it: the shared analysis, with the classes of words that only they know.

use std::ops::Deref;
use std::rc::Rc;

pub(super) use probare_english::lexicon::LexicalRole;
use probare_english::text_analysis;
pub(super) use probare_english::text_analysis::{AnalysisSentence, AnalysisToken, BlockKind, Mood, Scope};

use super::classes::{CareClass, CareClasses, care_classes};

/// A text that has been read.
#[derive(Debug, Clone, Default)]
pub(super) struct TaggedText {
    text: Rc<text_analysis::TextAnalysis>,
    /// The classes of each token.
    classes: Vec<CareClasses>,
}

impl TaggedText {
    /// Reads a text.
    #[cfg(test)]
    pub(super) fn from_text(original: &str) -> Self {
        Self::from(Rc::new(text_analysis::TextAnalysis::new(original)))
    }
}

impl From<Rc<text_analysis::TextAnalysis>> for TaggedText {
    fn from(text: Rc<text_analysis::TextAnalysis>) -> Self {
        let classes = (0..text.tokens.len()).map(|token| care_classes(text.word(token))).collect();
        Self { text, classes }
    }
}

impl TaggedText {
    /// Whether the token is of this class.
    #[inline]
    pub(super) fn has_class(&self, token: usize, class: CareClass) -> bool {
        self.classes.get(token).is_some_and(|classes| classes.has(class))
    }

    /// Whether any token is of this class.
    pub(super) fn contains_class(&self, class: CareClass) -> bool {
        self.classes.iter().any(|classes| classes.has(class))
    }
}

impl Deref for TaggedText {
    type Target = text_analysis::TextAnalysis;

    fn deref(&self) -> &text_analysis::TextAnalysis {
        &self.text
    }
}
