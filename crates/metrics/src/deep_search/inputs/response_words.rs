//! The words of a case's response, numbered once for all measures of the reference profile.

use std::cell::RefCell;
use std::rc::Rc;

use probare_core::{Sample, ScoreError};

use crate::deep_search::measures::{Vocabulary, Words};

/// The words of the response, and the vocabulary that numbers them and all that they are held against.
pub struct ResponseWords {
    /// In which other texts of the case can be read.
    pub vocabulary: RefCell<Vocabulary>,
    /// Those of the response.
    pub words: Words,
}

/// The words of the sample's response.
pub fn response_words(sample: Sample<'_>) -> Result<Rc<ResponseWords>, ScoreError> {
    let response = sample.response()?;
    Ok(sample.reading(0, || {
        let mut vocabulary = Vocabulary::default();
        let words = vocabulary.read(response);
        ResponseWords { vocabulary: RefCell::new(vocabulary), words }
    }))
}
