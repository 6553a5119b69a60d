//! Term weights and word sets against golden vectors of scikit-learn.

use probare_testing::{close, golden, number, same, text};
use probare_text::sets::SetOverlap;
use probare_text::tfidf::TermPair;
use probare_text::tokens::whitespace;

const TOLERANCE: f64 = 1e-9;

#[test]
fn golden_cosine_and_jaccard() {
    golden("rag_metrics", "relevance.jsonl", |case| {
        let (query, response) = (text(case, "query")?, text(case, "response")?);
        // With one text empty nothing was computed.
        if query.is_empty() || response.is_empty() {
            return Ok(());
        }
        let cosine = TermPair::new(query, response).cosine();
        match cosine {
            Some(cosine) => close("cosine", number(case, "cosine")?, cosine, TOLERANCE)?,
            None => same("cosine of an empty vocabulary", &case["cosine"], &serde_json::Value::Null)?,
        }
        let (left, right) = (whitespace::lower_words(query), whitespace::lower_words(response));
        let jaccard = SetOverlap::new(left.texts(), right.texts()).jaccard();
        close("jaccard", number(case, "jaccard")?, jaccard, TOLERANCE)?;
        let relevance = cosine.map_or(0.0, |cosine| f64::midpoint(cosine, jaccard));
        close("relevance", number(case, "relevance")?, relevance, TOLERANCE)
    });
}
