//! [`Finding`]: what was found where, and the score of all findings of a text.

use std::collections::BTreeMap;
use std::ops::Range;

use probare_core::{Evidence, EvidenceKind, Field, Outcome, Score, ScoreError};

use crate::bounded_evidence::BoundedEvidence;

/// Something that the text gives away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::privacy) struct Finding {
    /// What kind of thing: the name of a part.
    pub kind: &'static str,
    /// Where.
    pub span: Range<usize>,
    /// What it is, in words.
    pub note: &'static str,
}

/// Characters of a finding that the evidence repeats: enough to know it again, too few to use it.
const SHOWN: usize = 6;

/// 1 where anything was found, else 0; the parts count by kind. Of findings that overlap the first in the text stands, and of
/// those that begin together the longest.
pub(in crate::privacy) fn score_findings(
    text: &str,
    mut findings: Vec<Finding>,
    allowed: &[String],
    kinds: &[&'static str],
) -> Result<Outcome, ScoreError> {
    findings.sort_by_key(|finding| (finding.span.start, std::cmp::Reverse(finding.span.end)));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut evidence, mut end, mut found) = (BoundedEvidence::default(), 0, 0_usize);
    for finding in findings {
        probare_cancellation::count_steps(1);
        let is_allowed = allowed.iter().any(|allowed| *allowed == text[finding.span.clone()]);
        if finding.span.start < end || is_allowed {
            continue;
        }
        end = finding.span.end;
        found += 1;
        *counts.entry(finding.kind).or_default() += 1;
        evidence.push(|| {
            let mut piece =
                Evidence::at(EvidenceKind::Matched, Field::Response, finding.span, text).with_note(finding.note);
            if let Some((cut, _)) = piece.text.char_indices().nth(SHOWN) {
                piece.text.truncate(cut);
                piece.cut = true;
            }
            piece
        });
    }
    let mut score = Score::from_bool(found > 0).labelled(if found > 0 { "found" } else { "none" });
    score = score.with_part("found", found as f64)?;
    for kind in kinds {
        score = score.with_part(*kind, counts.get(kind).copied().unwrap_or_default() as f64)?;
    }
    Ok(score.because(evidence.finish()).into())
}
