//! Share of the keywords of the query that the response contains.

use std::ops::Range;
use std::rc::Rc;

use probare_core::{Evidence, EvidenceKind, Field, FieldSpan, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_text::tokens::{Tokens, nltk};
use rustc_hash::{FxBuildHasher, FxHashMap};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bounded_evidence::BoundedEvidence;

/// Options of `completeness`: none.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Completeness {}

metric!(Completeness as Pure {
    summary: "Share of the keywords of the query that the response contains",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Query, Response],
    since: "0.1",
    version: 1,
    page: "completeness.md",
});

/// A keyword of the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyword {
    /// Its first place in the query.
    pub query_span: Range<usize>,
    /// Its first place in the response, if it is there.
    pub response_span: Option<Range<usize>>,
}

/// The keywords of a query and which of them a response holds.
#[derive(Debug, Clone, PartialEq)]
pub struct KeywordCoverage {
    /// Share of the keywords that were found; 1 without a keyword, 0 for an empty response.
    pub value: f64,
    /// The keywords, in the order of the query; none where one text is empty.
    pub keywords: Vec<Keyword>,
}

/// Looks for the keywords of a query in a response.
pub fn keyword_coverage(query: &str, response: &str) -> KeywordCoverage {
    // In this order: two empty texts are complete.
    if query.is_empty() {
        return KeywordCoverage { value: 1.0, keywords: Vec::new() };
    }
    if response.is_empty() {
        return KeywordCoverage { value: 0.0, keywords: Vec::new() };
    }
    let query_keywords = nltk::keywords(query);
    let keywords = find_keywords(&query_keywords, response);
    let found = keywords.iter().filter(|keyword| keyword.response_span.is_some()).count();
    let value = if keywords.is_empty() { 1.0 } else { found as f64 / keywords.len() as f64 };
    KeywordCoverage { value, keywords }
}

/// The keywords of a sample, looked for once for all who ask.
pub fn sample_coverage(sample: Sample<'_>) -> Result<Rc<KeywordCoverage>, ScoreError> {
    let (query, response) = (sample.query()?, sample.response()?);
    Ok(sample.cached(0, || keyword_coverage(query, response)))
}

/// Goes through the response once; its own keywords need not be collected.
fn find_keywords(query_keywords: &Tokens, response: &str) -> Vec<Keyword> {
    let mut keywords = Vec::with_capacity(query_keywords.len());
    let mut places = FxHashMap::with_capacity_and_hasher(query_keywords.len(), FxBuildHasher);
    for (index, keyword) in query_keywords.iter().enumerate() {
        probare_cancellation::count_steps(1);
        places.insert(keyword.text, index);
        keywords.push(Keyword { query_span: keyword.span, response_span: None });
    }
    if places.is_empty() {
        return keywords;
    }
    for word in nltk::lower_words(response).iter() {
        probare_cancellation::count_steps(1);
        if let Some(&index) = places.get(word.text) {
            keywords[index].response_span.get_or_insert(word.span);
        }
    }
    keywords
}

impl Metric for Completeness {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let (query, response) = (sample.query()?, sample.response()?);
        let coverage = sample_coverage(sample)?;
        let found = coverage.keywords.iter().filter(|keyword| keyword.response_span.is_some()).count();
        let score = Score::from_number(coverage.value)?
            .with_part("found", found as f64)?
            .with_part("keywords", coverage.keywords.len() as f64)?;
        let evidence = if query.is_empty() {
            vec![Evidence::note("the query is empty: nothing was asked for")]
        } else if response.is_empty() {
            vec![Evidence::note("the response is empty")]
        } else if coverage.keywords.is_empty() {
            vec![Evidence::note("the query has no keyword: only stop words, marks and words with marks inside")]
        } else {
            coverage_evidence(&coverage.keywords, query, response)
        };
        Ok(score.because(evidence).into())
    }
}

fn coverage_evidence(keywords: &[Keyword], query: &str, response: &str) -> Vec<Evidence> {
    let mut evidence = BoundedEvidence::default();
    for Keyword { query_span: word_span, response_span: answered } in keywords {
        probare_cancellation::count_steps(1);
        evidence.push(|| match answered {
            Some(span) => {
                let place = FieldSpan::new(Field::Query, word_span.clone());
                Evidence::at(EvidenceKind::Matched, Field::Response, span.clone(), response).with_support(place)
            }
            None => Evidence::at(EvidenceKind::Missing, Field::Query, word_span.clone(), query),
        });
    }
    evidence.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_lead_to_both_texts() {
        let coverage = keyword_coverage("Can the CLUB sell boats?", "No, the club does not.");
        assert_eq!(coverage.value, 1.0 / 3.0);
        assert_eq!(coverage.keywords[0], Keyword { query_span: 8..12, response_span: Some(8..12) });
        assert_eq!(coverage.keywords[1].response_span, None);
    }

    #[test]
    fn the_order_of_the_empty_cases_matters() {
        assert_eq!(keyword_coverage("", "").value, 1.0);
        assert_eq!(keyword_coverage("who is it", "").value, 0.0);
        assert_eq!(keyword_coverage("who is it", "me").value, 1.0);
    }
}
