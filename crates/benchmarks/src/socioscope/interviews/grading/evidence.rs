//! The evidence behind a grade: what the answer names and why, what it lacks, what decided yes or no.

use probare_core::{Evidence, EvidenceKind, Field};
use probare_metrics::bounded_evidence::{BoundedEvidence, truncate_for_note};

use super::{Grade, GradeFlag};
use crate::socioscope::interviews::inputs::ValueWeights;
use crate::socioscope::interviews::matching::{Mention, MentionStatus};

/// The evidence of a grade of `response` to a question with these values, where it has any.
pub(crate) fn grade_evidence(grade: &Grade, weights: Option<&ValueWeights>, response: &str) -> Vec<Evidence> {
    let mut pieces = BoundedEvidence::default();
    if let Some(decision) = &grade.decision {
        let says = decision.polarity.map_or("neither yes nor no", |polarity| polarity.name());
        let note = format!("read as {says}: {}", decision.why);
        pieces.push(|| match &decision.span {
            Some(span) => Evidence::at(EvidenceKind::Matched, Field::Response, span.clone(), response).with_note(note),
            None => Evidence::note(note),
        });
    }
    for mention in &grade.mentions {
        pieces.push(|| mention_evidence(mention, grade, weights, response));
    }
    if let Some(weights) = weights {
        let is_open = |value: &usize| !grade.matched.contains(value) && weights.weight(*value) > 0.0;
        for value in (0..weights.len()).filter(is_open) {
            pieces.push(|| {
                let note = format!("worth {}", weights.weight(value));
                Evidence::missing(truncate_for_note(weights.value(value))).with_note(note)
            });
        }
    }
    for flag in &grade.flags {
        let text = match flag {
            GradeFlag::Blank => "nothing is answered",
            GradeFlag::Ambiguous => "one value is asked for and several are named; the first counts",
            GradeFlag::Everything => "everything on offer is named, so nothing is selected",
            GradeFlag::Undecided => continue,
        };
        pieces.push(|| Evidence::note(text));
    }
    pieces.finish()
}

fn mention_evidence(mention: &Mention, grade: &Grade, weights: Option<&ValueWeights>, response: &str) -> Evidence {
    let value = truncate_for_note(weights.map_or("", |weights| weights.value(mention.value)));
    let why = mention.reason.describe();
    let (kind, note) = match &mention.status {
        MentionStatus::Asserted if grade.matched.contains(&mention.value) => {
            (EvidenceKind::Matched, format!("names `{value}`: {why}"))
        }
        MentionStatus::Asserted => (EvidenceKind::Note, format!("names `{value}` ({why}), which does not count")),
        MentionStatus::Denied(word) => (EvidenceKind::Note, format!("names `{value}` ({why}), denied by `{word}`")),
        MentionStatus::OtherSense(sense) => (EvidenceKind::Note, format!("looks like `{value}`, but {sense}")),
    };
    Evidence::at(kind, Field::Response, mention.span.clone(), response).with_note(note)
}
