//! Whether the response answers an open question as one of the references does.

use probare_core::{Evidence, EvidenceKind, Field, Metric, Outcome, Place, Sample, Score, ScoreError, UNSURE, metric};
use schemars::JsonSchema;
use serde::Deserialize;

use super::judging::verdict::{Verdict, judge};
use crate::bounded::{Bounded, beginning};

/// Options of `answer_match`: there are none.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AnswerMatch {}

metric!(AnswerMatch as Pure {
    summary: "Whether the response gives a right answer to an open question, as a reader would judge it",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    identity: true,
    whole: |parts| {
        let is_met = parts.get("coverage")? >= parts.get("needed")?;
        Some(f64::from(is_met && parts.get("contradiction")? == 0.0))
    },
    since: "0.1",
    version: 9,
    page: "answer_match.md",
});

impl Metric for AnswerMatch {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let (response, references) = (sample.response()?, sample.references()?);
        // Without a question the answer is compared all the same; the question only sharpens the judgement.
        let query = sample.case.query.as_deref().unwrap_or_default();
        let Some(verdict) = judge(query, references, response) else {
            return Err(ScoreError::MissingField(Field::Reference));
        };
        let score = Score::from_bool(verdict.is_right)
            .labelled(if verdict.ground.shows() { word(&verdict) } else { UNSURE })
            .with_part("coverage", verdict.coverage)?
            .with_part("needed", verdict.needed)?
            .with_part("contradiction", f64::from(verdict.is_contradicted()))?;
        Ok(score.because(evidence(&verdict, response, references)).into())
    }
}

/// One sentence on the verdict, then the places it rests on.
pub(crate) fn evidence(verdict: &Verdict, response: &str, references: &[String]) -> Vec<Evidence> {
    let gold = references.get(verdict.gold).map_or("", String::as_str);
    let mut evidence = Bounded::default();
    evidence.push(|| Evidence::note(sentence(verdict, gold, references.len())));
    for (span, way) in &verdict.met {
        let support = Place::in_item(Field::Reference, verdict.gold, 0..gold.len());
        evidence.push(|| {
            Evidence::at(EvidenceKind::Found, Field::Response, span.clone(), response)
                .with_note(way.name())
                .with_support(support)
        });
    }
    for (span, against) in &verdict.against {
        evidence.push(|| {
            Evidence::at(EvidenceKind::Compared, Field::Response, span.clone(), response).with_note(against.name())
        });
    }
    if verdict.met.is_empty() && !verdict.is_right {
        evidence.push(|| Evidence::missing(beginning(gold)));
    }
    evidence.finish()
}

/// What the answer is.
fn word(verdict: &Verdict) -> &'static str {
    if verdict.is_right { "right" } else { "wrong" }
}

fn sentence(verdict: &Verdict, gold: &str, count: usize) -> String {
    let gold = beginning(gold);
    let which =
        if count > 1 { format!("`{gold}` (reference[{}] of {count})", verdict.gold) } else { format!("`{gold}`") };
    let why = match (verdict.is_right, verdict.met.first(), verdict.against.first()) {
        (true, Some((_, way)), _) => format!("{which} is given by {}", way.name()),
        (true, None, _) => format!("nothing is asked beyond {which}"),
        (false, _, Some((_, against))) => {
            format!("for {which} there is a mention that does not count, {}", against.name())
        }
        (false, _, None) if verdict.coverage > 0.0 => {
            format!(
                "only {:.0} % of {which} is given, {:.0} % are needed",
                verdict.coverage * 100.0,
                verdict.needed * 100.0
            )
        }
        (false, _, None) => format!("{which} is not given"),
    };
    let likely = if verdict.ground.shows() { "" } else { "unsure, likely " };
    format!("{likely}{}: {why}", word(verdict))
}
