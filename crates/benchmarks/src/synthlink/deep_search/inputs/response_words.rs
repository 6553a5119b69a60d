//! The words of a case's response, numbered once for all measures of the published profile.

use std::cell::RefCell;
use std::rc::Rc;

use probare_core::{Sample, ScoreError};

use crate::synthlink::deep_search::measures::{WordInterner, WordSequence};

/// With more words than this a vocabulary is no longer kept for the next case, so that memory stays flat.
const MOST_KEPT: usize = 1 << 14;

/// The words of the response, and the vocabulary that numbers them and all that they are held against.
pub struct ResponseWords {
    /// In which other texts of the case can be read.
    pub vocabulary: Rc<RefCell<WordInterner>>,
    /// Those of the response.
    pub words: WordSequence,
}

/// The words of the sample's response.
pub fn response_words(sample: Sample<'_>) -> Result<Rc<ResponseWords>, ScoreError> {
    let response = sample.response()?;
    Ok(sample.cached(0, || {
        let vocabulary = vocabulary(sample);
        let words = vocabulary.borrow_mut().read(response);
        ResponseWords { vocabulary, words }
    }))
}

/// The vocabulary of the worker: most words of a case were met in earlier ones. Which number a word has there is nobody's
/// concern; the words of one comparison are all read in the same vocabulary.
pub fn vocabulary(sample: Sample<'_>) -> Rc<RefCell<WordInterner>> {
    sample.with_scratch(|shared: &mut Rc<RefCell<WordInterner>>| {
        if shared.borrow().size() > MOST_KEPT {
            *shared = Rc::default();
        }
        Rc::clone(shared)
    })
}
