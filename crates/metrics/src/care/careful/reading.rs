//! [`Reading`]: a text as the rules of this family see it: the shared reading, with the classes of words that only they know.

use std::ops::Deref;
use std::rc::Rc;

pub(super) use probare_nlp::lexicon::Sort;
use probare_nlp::reading;
pub(super) use probare_nlp::reading::{Block, Mood, Scope, Sentence, Token};

use super::classes::{Class, Classes, classes};

/// A text that has been read.
#[derive(Debug, Clone, Default)]
pub(super) struct Reading {
    text: Rc<reading::Reading>,
    /// The classes of each token.
    classes: Vec<Classes>,
}

impl Reading {
    /// Reads a text.
    #[cfg(test)]
    pub(super) fn of(original: &str) -> Self {
        Self::from(Rc::new(reading::Reading::of(original)))
    }
}

impl From<Rc<reading::Reading>> for Reading {
    fn from(text: Rc<reading::Reading>) -> Self {
        let classes = (0..text.tokens.len()).map(|token| classes(text.word(token))).collect();
        Self { text, classes }
    }
}

impl Reading {
    /// Whether the token is of this class.
    #[inline]
    pub(super) fn is(&self, token: usize, class: Class) -> bool {
        self.classes.get(token).is_some_and(|classes| classes.has(class))
    }
}

impl Deref for Reading {
    type Target = reading::Reading;

    fn deref(&self) -> &reading::Reading {
        &self.text
    }
}
