//! The analysis of a case's texts that all its metrics share.

use std::rc::Rc;

use probare_core::{Sample, ScoreError};
use probare_english::text_analysis::TextAnalysis;

/// Tells the analyses of a case apart.
const RESPONSE: u64 = 0;
const QUERY: u64 = 1;

/// The response, read once for all metrics of the case.
pub(crate) fn response_analysis(sample: Sample<'_>) -> Result<Rc<TextAnalysis>, ScoreError> {
    let response = sample.response()?;
    Ok(sample.cached(RESPONSE, || TextAnalysis::new(response)))
}

/// The user's message, read once for all metrics of the case; empty where there is none.
pub(crate) fn query_analysis(sample: Sample<'_>) -> Rc<TextAnalysis> {
    sample.cached(QUERY, || TextAnalysis::new(sample.case.query.as_deref().unwrap_or_default()))
}
