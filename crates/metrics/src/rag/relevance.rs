//! How far the response speaks of what was asked: term weights and words in common with the query.

use std::rc::Rc;

use probare_core::{Evidence, EvidenceKind, Field, FieldSpan, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_text::sets::SetOverlap;
use probare_text::tfidf::TermPair;
use probare_text::tokens::whitespace;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bounded_evidence::BoundedEvidence;

/// Options of `relevance`: none.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Relevance {}

metric!(Relevance as Pure {
    summary: "Mean of the tf-idf cosine and the Jaccard index of query and response",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Query, Response],
    whole: |parts| Some(combined(parts.get("cosine"), parts.get("jaccard"))),
    since: "0.1",
    version: 1,
    page: "relevance.md",
});

/// What two texts have in common.
#[derive(Debug, Clone)]
pub struct RelevanceComparison {
    /// Cosine of the term weights; nothing where neither text has a term, or one text is empty.
    pub cosine: Option<f64>,
    /// Shared words by all words; nothing where one text is empty.
    pub jaccard: Option<f64>,
    /// The terms behind the cosine, the query on the left; nothing where one text is empty.
    pub terms: Option<TermPair>,
}

impl RelevanceComparison {
    /// The mean of both; 0 where one of them does not exist.
    pub fn value(&self) -> f64 {
        combined(self.cosine, self.jaccard)
    }
}

/// Compares a query with a response.
pub fn compare(query: &str, response: &str) -> RelevanceComparison {
    if query.is_empty() || response.is_empty() {
        return RelevanceComparison { cosine: None, jaccard: None, terms: None };
    }
    let terms = TermPair::new(query, response);
    let (left, right) = (whitespace::lower_words(query), whitespace::lower_words(response));
    let jaccard = SetOverlap::new(left.texts(), right.texts()).jaccard();
    // Rounding can carry the cosine of equal directions past 1.
    let cosine = terms.cosine().map(|cosine| cosine.min(1.0));
    RelevanceComparison { cosine, jaccard: Some(jaccard), terms: Some(terms) }
}

/// The comparison of query and response of a sample, made once for all who ask.
pub fn sample_comparison(sample: Sample<'_>) -> Result<Rc<RelevanceComparison>, ScoreError> {
    let (query, response) = (sample.query()?, sample.response()?);
    Ok(sample.cached(0, || compare(query, response)))
}

fn combined(cosine: Option<f64>, jaccard: Option<f64>) -> f64 {
    match (cosine, jaccard) {
        (Some(cosine), Some(jaccard)) => f64::midpoint(cosine, jaccard),
        _ => 0.0,
    }
}

impl Metric for Relevance {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let (query, response) = (sample.query()?, sample.response()?);
        let comparison = sample_comparison(sample)?;
        let mut score = Score::from_number(comparison.value())?;
        if let Some(cosine) = comparison.cosine {
            score = score.with_part("cosine", cosine)?;
        }
        if let Some(jaccard) = comparison.jaccard {
            score = score.with_part("jaccard", jaccard)?;
        }
        let evidence = match &comparison.terms {
            None => vec![Evidence::note(format!(
                "empty_{}: there is nothing to compare",
                if query.is_empty() { "query" } else { "response" }
            ))],
            Some(terms) if terms.is_empty() => {
                vec![Evidence::note(
                    "empty_vocabulary: neither text holds a word of two letters that is no stop word, so the value is 0 \
                     by definition",
                )]
            }
            Some(terms) => term_evidence(terms, query, response),
        };
        Ok(score.because(evidence).into())
    }
}

/// The terms of the query: first what both texts hold, the heaviest first, then what the response lacks.
fn term_evidence(pair: &TermPair, query: &str, response: &str) -> Vec<Evidence> {
    let mut shared = Vec::new();
    let mut missing = Vec::new();
    // Terms of the query come first, so the rest belongs to the response alone.
    for term in pair.terms().take_while(|term| term.left > 0) {
        probare_cancellation::count_steps(1);
        match (&term.left_span, &term.right_span) {
            (Some(query_span), Some(answered)) => {
                shared.push((term.contribution(), query_span.clone(), answered.clone()));
            }
            (Some(query_span), None) => missing.push(query_span.clone()),
            (None, _) => {}
        }
    }
    // Stable, so equal weights keep the order of the query.
    shared.sort_by(|left, right| right.0.total_cmp(&left.0));
    let mut evidence = BoundedEvidence::default();
    for (weight, query_span, answered) in shared {
        probare_cancellation::count_steps(1);
        evidence.push(|| {
            let place = FieldSpan::new(Field::Query, query_span);
            Evidence::at(EvidenceKind::Matched, Field::Response, answered, response)
                .with_note(format!("adds {weight:.4} to the cosine"))
                .with_support(place)
        });
    }
    for query_span in missing {
        probare_cancellation::count_steps(1);
        evidence.push(|| Evidence::at(EvidenceKind::Missing, Field::Query, query_span, query));
    }
    evidence.finish()
}

#[cfg(test)]
mod tests {
    use probare_core::{Case, Output};

    use super::*;

    fn score(query: &str, response: &str) -> Score {
        let case = Case { query: Some(query.into()), response: Some(Output::new(response)), ..Case::default() };
        match Relevance::default().score(Sample::from_case(&case)) {
            Ok(Outcome::Scored(score)) => score,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn shared_terms_come_with_their_weight_and_missing_ones_with_their_place() {
        let score = score("Where is the old harbour?", "The harbour is south.");
        assert_eq!(score.evidence[0].text, "harbour");
        assert!(score.evidence[0].note.as_deref().is_some_and(|note| note.starts_with("adds 0.")));
        assert_eq!(score.evidence[0].support.as_ref().map(|place| (place.start, place.end)), Some((17, 24)));
        let missing: Vec<_> = score.evidence[1..].iter().map(|piece| (piece.kind, piece.text.as_str())).collect();
        assert_eq!(missing, [(EvidenceKind::Missing, "old")]);
    }

    #[test]
    fn an_empty_vocabulary_is_told_from_irrelevance() {
        let score = score("Is it?", "It is.");
        assert_eq!(score.value.get(), 0.0);
        assert!(score.evidence[0].text.starts_with("empty_vocabulary"));
        assert_eq!(score.parts.get("cosine"), None);
        assert!(score.parts.get("jaccard").is_some());
    }

    #[test]
    fn a_blank_text_is_not_an_empty_one() {
        assert!(score("harbour", "").evidence[0].text.starts_with("empty_response"));
        assert_eq!(score("harbour", " ").parts.get("jaccard"), Some(0.0));
    }
}
