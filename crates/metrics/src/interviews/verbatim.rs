//! Whether the quotations of an answer stand in the passages they are said to come from.

use std::fmt::Write as _;

use probare_core::{
    Citation, Evidence, EvidenceKind, Field, FieldSpan, Metric, Outcome, Passage, Profile, Sample, Score, ScoreError,
    metric,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::quotations::{QuotationFinding, QuotationStatus, Quotations};
use crate::bounded_evidence::{BoundedEvidence, truncate_for_note};

/// Options of `verbatim`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Verbatim {
    /// Which definition: letter by letter (`published`), or typography and marked omissions aside (`improved`).
    pub profile: Profile,
}

metric!(Verbatim as Pure {
    summary: "Share of the quotations that are in the passage that they cite",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Citations, Context],
    profiles: [Published, Improved],
    since: "0.1",
    version: 1,
    page: "verbatim.md",
});

impl Metric for Verbatim {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let (citations, context) = (sample.citations()?, sample.context()?);
        if citations.is_empty() {
            return Ok(Outcome::not_applicable("the answer quotes nothing"));
        }
        let quotations = Quotations::for_sample(sample);
        let existence = quotations.counts();
        let found = match self.profile {
            Profile::Published => existence.exact,
            Profile::Improved => quotations.faithful_count(),
        };
        let score = Score::ratio(found, existence.citations)?
            .with_part("citations", existence.citations as f64)?
            .with_part("exact", existence.exact as f64)?
            .with_part("normalised", existence.normalised as f64)?;
        let mut evidence = BoundedEvidence::default();
        for (index, finding) in quotations.findings.iter().enumerate() {
            evidence.push(|| piece(index, finding, citations, context));
        }
        Ok(score.because(evidence.finish()).into())
    }
}

fn piece(index: usize, finding: &QuotationFinding, citations: &[Citation], context: &[Passage]) -> Evidence {
    let quote = citations[index].quote.as_str();
    let kind = match finding.status {
        status if status.is_found() => EvidenceKind::Matched,
        QuotationStatus::WrongSource
        | QuotationStatus::Fuzzy
        | QuotationStatus::NumberMismatch
        | QuotationStatus::NotFound => EvidenceKind::Unsupported,
        _ => EvidenceKind::Note,
    };
    let mut note = finding.status.name().to_owned();
    if let Some(similarity) = finding.similarity.filter(|_| !finding.status.is_found()) {
        let _ = write!(note, ", similarity {similarity}");
    }
    if let Some(place) = finding.found_in {
        let _ = write!(note, "; it stands in `context[{place}]`");
    }
    if let Some(near) = &finding.near {
        let _ = write!(note, "; {}", beginning_of_difference(&near.difference.to_line()));
        if let Some(negation) = &near.difference.negation {
            let _ = write!(note, "; {negation}");
        }
    }
    if let Some(elsewhere) = &finding.other_transcript {
        let _ = write!(note, "; wrong_source: {}", truncate_for_note(&elsewhere.name));
        if let Some(near) = &elsewhere.near {
            let _ = write!(note, ", nearly: {}", beginning_of_difference(&near.difference.to_line()));
            if let Some(negation) = &near.difference.negation {
                let _ = write!(note, "; {negation}");
            }
        }
    }
    if finding.is_trivial {
        note.push_str("; too short to prove much");
    }
    let support = finding.source.and_then(|place| {
        let span = finding.span.clone().or_else(|| finding.near.as_ref().map(|near| near.span.clone()))?;
        context.get(place)?.text.get(span.clone())?;
        Some(FieldSpan::in_item(Field::Context, place, span))
    });
    let evidence = match quote {
        Some(quote) if !quote.is_empty() => {
            let end = quote.floor_char_boundary(quote.len().min(200));
            Evidence::at(kind, Field::Citations, 0..end, quote).in_item(index)
        }
        _ => Evidence::note(truncate_for_note(&citations[index].quote.to_string())),
    };
    let evidence = evidence.with_note(note);
    match support {
        Some(place) => evidence.with_support(place),
        None => evidence,
    }
}

/// A difference may be long; its first changes tell the most.
fn beginning_of_difference(line: &str) -> String {
    const MOST: usize = 240;
    if line.len() <= MOST { line.to_owned() } else { format!("{}…", &line[..line.floor_char_boundary(MOST)]) }
}
