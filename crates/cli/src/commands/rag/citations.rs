//! The citations of an answer, checked against the passages that the model was given.

use probare_metrics::interviews::quotations::{
    QuotationCounts, QuotationFinding, QuotationSource, check_citation, source_position,
};
use probare_report::escape;
use probare_retrieval::Hit;
use probare_retrieval::answer::CitedAnswer;
use serde_json::{Value as Json, json};

/// Characters of a quotation that are shown.
const SHOWN: usize = 200;

/// A citation with what was found.
pub struct CheckedCitation {
    citation: Json,
    finding: QuotationFinding,
    place: Option<QuoteLocation>,
}

/// Where the words stand, in the text of the document.
struct QuoteLocation {
    document: String,
    line: usize,
    start: usize,
    end: usize,
}

/// Checks all citations of an answer.
pub fn check_citations(answer: &CitedAnswer, hits: &[Hit]) -> Vec<CheckedCitation> {
    let sources: Vec<QuotationSource<'_>> = hits.iter().map(|hit| QuotationSource::new(hit.text.as_str())).collect();
    let sources: Vec<&QuotationSource<'_>> = sources.iter().collect();
    let missing = Json::Null;
    let one = |citation: &Json| {
        let cited = source_position(citation.get("source_index").unwrap_or(&missing), sources.len());
        let quote = citation.get("quote").unwrap_or(&missing);
        let finding = check_citation(quote, cited.map(|cited| sources[cited]), cited, &sources);
        let found = finding.span.clone().zip(cited.and_then(|cited| hits.get(cited)));
        let place = found.map(|(span, hit)| QuoteLocation {
            document: hit.document.clone(),
            line: hit.line + hit.text.get(..span.start).map_or(0, |before| before.matches('\n').count()),
            start: hit.span.start + span.start,
            end: hit.span.start + span.end,
        });
        CheckedCitation { citation: citation.clone(), finding, place }
    };
    answer.citations.iter().map(one).collect()
}

impl CheckedCitation {
    /// Two lines: verdict and place, and the words.
    pub fn line(&self, hits: &[Hit]) -> String {
        let place = match (&self.place, self.finding.found_in.and_then(|at| hits.get(at))) {
            (Some(place), _) => {
                format!(" in {}:{} (bytes {} to {})", place.document, place.line, place.start, place.end)
            }
            (None, Some(hit)) => format!(": the words are in {}, not in the passage that is cited", hit.id),
            _ => String::new(),
        };
        let index = self.citation.get("source_index").map(Json::to_string).unwrap_or_default();
        let quote = match self.citation.get("quote") {
            Some(Json::String(quote)) => quote.clone(),
            other => other.map(Json::to_string).unwrap_or_default(),
        };
        let near =
            self.finding.near.as_ref().map(|near| format!("      {}\n", escape::terminal(&near.difference.to_line())));
        format!(
            "  [{}] {}{}\n      {}\n{}",
            escape::terminal(&index),
            self.finding.status.name(),
            escape::terminal(&place),
            escape::terminal(&escape::excerpt(&quote, SHOWN)),
            near.unwrap_or_default(),
        )
    }

    /// The same in JSON.
    pub fn to_json(&self, hits: &[Hit]) -> Json {
        let place = self.place.as_ref();
        json!({
            "source_index": self.citation.get("source_index"),
            "quote": self.citation.get("quote"),
            "status": self.finding.status.name(),
            "document": place.map(|place| &place.document),
            "line": place.map(|place| place.line),
            "start": place.map(|place| place.start),
            "end": place.map(|place| place.end),
            "similarity": self.finding.similarity,
            "found_in": self.finding.found_in.and_then(|at| hits.get(at)).map(|hit| &hit.id),
        })
    }
}

/// How many citations stand word for word where they are said to, and how many do typography aside.
pub fn existence(checked: &[CheckedCitation]) -> QuotationCounts {
    let findings: Vec<QuotationFinding> = checked.iter().map(|checked| checked.finding.clone()).collect();
    QuotationCounts::from_findings(&findings)
}
