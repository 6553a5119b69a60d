//! [`ReasonedVerdict`]: what a judge decides, and why; [`PanelTally`]: what the judges of a panel decide together.

use probare_core::{Evidence, Score, ScoreError};
use serde_json::{Map, Value as Json};

use super::{JudgePanel, JudgeReplies, JudgeReply, PanelVerdict, judge_evidence, read_verdict, text_field};
use crate::bounded_evidence::BoundedEvidence;

/// What a judge decides, and why. Two are the same where the verdicts are, whatever the words.
#[derive(Debug, Clone)]
pub struct ReasonedVerdict<T> {
    pub verdict: T,
    pub reason: String,
}

impl<T: PartialEq> PartialEq for ReasonedVerdict<T> {
    fn eq(&self, other: &Self) -> bool {
        self.verdict == other.verdict
    }
}

impl<T: PartialEq> ReasonedVerdict<T> {
    /// The verdict of a reply, which stands under `key`, with the `reason` beside it.
    pub fn read(
        reply: &JudgeReply<'_>,
        key: &str,
        read: impl Fn(&Map<String, Json>) -> Result<T, String>,
    ) -> Result<Self, String> {
        read_verdict(reply, key, &|object| {
            let reason = text_field(object, "reason").unwrap_or_default().to_owned();
            Ok(Self { verdict: read(object)?, reason })
        })
    }
}

/// What judges that were each asked one question decide together.
pub struct PanelTally {
    pub verdict: PanelVerdict,
    /// What each of them said.
    pub evidence: Vec<Evidence>,
    pub values: Vec<Result<f64, ScoreError>>,
}

impl JudgePanel {
    /// Counts verdicts; `shown` is the name of one and its value.
    pub fn tally<T>(
        &self,
        seats: &[JudgeReplies<ReasonedVerdict<T>>],
        shown: impl Fn(&T) -> (String, f64),
    ) -> Result<PanelTally, ScoreError> {
        let (mut values, mut evidence) = (Vec::new(), Vec::new());
        for (seat, replies) in seats.iter().enumerate() {
            match replies.verdicts.first() {
                Some(Ok(given)) => {
                    let (name, value) = shown(&given.verdict);
                    evidence.push(judge_evidence(format!("{}: {name}", self.name(seat)), &given.reason));
                    values.push(Ok(value));
                }
                Some(Err(error)) => {
                    evidence.push(self.missing_verdict(seat, error));
                    values.push(Err(error.clone()));
                }
                None => {}
            }
        }
        Ok(PanelTally { verdict: self.vote(&values)?, evidence, values })
    }

    /// Says which judges gave no verdict.
    pub fn add_missing_verdicts<T>(&self, seats: &[JudgeReplies<T>], evidence: &mut BoundedEvidence) {
        for (seat, replies) in seats.iter().enumerate() {
            for error in replies.verdicts.iter().filter_map(|verdict| verdict.as_ref().err()) {
                evidence.push(|| self.missing_verdict(seat, error));
            }
        }
    }

    fn missing_verdict(&self, seat: usize, error: &ScoreError) -> Evidence {
        judge_evidence(format!("{}: no verdict", self.name(seat)), &error.to_string())
    }
}

/// The score with the value of each judge as a part, where there are several.
pub fn with_judge_parts(mut score: Score, values: &[Result<f64, ScoreError>]) -> Result<Score, ScoreError> {
    if values.len() > 1 {
        for (seat, value) in values.iter().enumerate() {
            if let Ok(value) = value {
                score = score.with_part(format!("judge {}", seat + 1), *value)?;
            }
        }
    }
    Ok(score)
}

/// Whether all judges gave one and the same verdict.
pub fn all_agree<T: PartialEq>(seats: &[JudgeReplies<T>]) -> bool {
    let mut verdicts = seats.iter().flat_map(|seat| &seat.verdicts);
    let Some(Ok(first)) = verdicts.next() else { return false };
    verdicts.all(|verdict| verdict.as_ref().is_ok_and(|verdict| verdict == first))
}
