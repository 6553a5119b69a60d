//! How surely the response answers an open question as one of the references does.

use probare_core::{
    Evidence, EvidenceKind, Field, FieldSpan, LabelThreshold, Metric, Outcome, Sample, ScaleCutoff, Score, ScoreError,
    ShippedThresholds, metric,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::matching::verdict::{AnswerVerdict, combined_value, judge_answer};
use crate::bounded_evidence::{BoundedEvidence, truncate_for_note};

/// Options of `answer_match`: there are none.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AnswerMatch {}

/// From where on a value is a label. Half of the natural answers by question, and half of the written pairs, chose them.
static THRESHOLDS: ShippedThresholds = ShippedThresholds {
    name: "answers-2026-11",
    date: "2026-11-18",
    calibrated_on: "2,550 answers of five systems to 510 questions of Natural Questions with people's verdicts (EVOUNA), and 759 written minimal pairs",
    held_out_on: "2,634 answers of the same systems to 527 other questions",
    held_out_cases: 2_634,
    labels: &[
        LabelThreshold { label: "right", when: ScaleCutoff::AtLeast(0.55), decided: 1_439, right: 1_407 },
        LabelThreshold { label: "wrong", when: ScaleCutoff::AtMost(0.1), decided: 504, right: 475 },
    ],
};

metric!(AnswerMatch as Pure {
    summary: "How surely the response gives a right answer to an open question, as a reader would judge it",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    identity: true,
    whole: |parts| Some(combined_value(parts.get("matched")?, parts.get("doubt")?, parts.get("open")?)),
    thresholds: &THRESHOLDS,
    since: "0.1",
    version: 11,
    page: "answer_match.md",
});

/// The label of a value.
pub(crate) fn label(value: f64) -> &'static str {
    THRESHOLDS.label(value)
}

impl Metric for AnswerMatch {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let (response, references) = (sample.response()?, sample.references()?);
        // Without a question the answer is compared all the same; the question only sharpens the judgement.
        let query = sample.case.query.as_deref().unwrap_or_default();
        let Some(verdict) = judge_answer(query, references, response) else {
            return Err(ScoreError::MissingField(Field::Reference));
        };
        let score = Score::from_number(verdict.value())?
            .labelled(label(verdict.value()))
            .with_part("matched", verdict.matched)?
            .with_part("doubt", verdict.doubt)?
            .with_part("open", verdict.open)?;
        Ok(score.because(verdict_evidence(&verdict, response, references)).into())
    }
}

/// One sentence on the verdict, then the places it rests on.
pub(crate) fn verdict_evidence(verdict: &AnswerVerdict, response: &str, references: &[String]) -> Vec<Evidence> {
    let reference = references.get(verdict.reference).map_or("", String::as_str);
    let mut evidence = BoundedEvidence::default();
    evidence.push(|| Evidence::note(sentence(verdict, reference, references.len())));
    for (span, way) in &verdict.matches {
        let support = FieldSpan::in_item(Field::Reference, verdict.reference, 0..reference.len());
        evidence.push(|| {
            Evidence::at(EvidenceKind::Matched, Field::Response, span.clone(), response)
                .with_note(way.name())
                .with_support(support)
        });
    }
    for (span, against) in &verdict.rejections {
        evidence.push(|| {
            Evidence::at(EvidenceKind::Compared, Field::Response, span.clone(), response).with_note(against.name())
        });
    }
    if verdict.matches.is_empty() && verdict.matched == 0.0 {
        evidence.push(|| Evidence::missing(truncate_for_note(reference)));
    }
    evidence.finish()
}

fn sentence(verdict: &AnswerVerdict, reference: &str, count: usize) -> String {
    let reference = truncate_for_note(reference);
    let which = if count > 1 {
        format!("`{reference}` (reference[{}] of {count})", verdict.reference)
    } else {
        format!("`{reference}`")
    };
    let against = verdict.rejections.first().map(|(_, against)| against.name());
    let why = match (verdict.matches.first(), against) {
        (Some((_, way)), None) => format!("{which} is given by {}", way.name()),
        (Some((_, way)), Some(against)) => format!("{which} is given by {}; doubtful: {against}", way.name()),
        (None, Some(against)) => format!("{which} is not given: {against}"),
        (None, None) if verdict.matched > 0.0 => format!("nothing is asked beyond {which}"),
        (None, None) => format!("{which} is not given"),
    };
    format!("{}: {why}", label(verdict.value()))
}
