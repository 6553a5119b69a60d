//! The reading of a case's texts that all its metrics share.

use std::rc::Rc;

use probare_core::{Sample, ScoreError};
use probare_nlp::reading::Reading;

/// Tells the readings of a case apart.
const RESPONSE: u64 = 0;
const QUERY: u64 = 1;

/// The response, read once for all metrics of the case.
pub(crate) fn of_response(sample: Sample<'_>) -> Result<Rc<Reading>, ScoreError> {
    let response = sample.response()?;
    Ok(sample.reading(RESPONSE, || Reading::of(response)))
}

/// The user's message, read once for all metrics of the case; empty where there is none.
pub(crate) fn of_query(sample: Sample<'_>) -> Rc<Reading> {
    sample.reading(QUERY, || Reading::of(sample.case.query.as_deref().unwrap_or_default()))
}
