//! The careful reading of the same predictions, beside the published numbers.

use probare_core::{BuildError, Outcome, Profile, Sample, ScoreError, Scorer};
use probare_metrics::registry;
use serde_json::json;

use super::cases::case;
use super::{Catalogue, MEASURES, Prediction, Row, Scores, Weights};

/// Id of the metric that has all five measures as parts.
const AGGREGATE: &str = "deep_search_aggregate";

/// The careful reading could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CarefulError {
    /// The metric refused its options.
    #[error("the careful reading cannot be set up")]
    Build(#[from] BuildError),
    /// A prediction could not be scored.
    #[error("the prediction for `{question}` cannot be scored")]
    Score {
        /// Id of the question.
        question: String,
        /// Why.
        #[source]
        source: ScoreError,
    },
}

/// The rows of `scores` again, each answered one by the careful reading.
pub fn careful_scores(
    catalogue: &Catalogue,
    predictions: &[Prediction<'_>],
    scores: &Scores,
    weights: Weights,
) -> Result<Scores, CarefulError> {
    let [f1, p_at_5, rqs, fcs, ie] = weights.list();
    let options = json!({"weights": {"f1": f1, "p_at_5": p_at_5, "rqs": rqs, "fcs": fcs, "ie": ie}});
    let definition = registry().get(AGGREGATE).expect("a test finds the metric in the registry");
    let metric = definition.build(options, Profile::Careful)?;
    let mut careful = scores.clone();
    for row in &mut careful.rows {
        let Some(prediction) = row.prediction else { continue };
        let question = &catalogue.questions()[row.question];
        let scored = score(&metric, Sample::of(&case(question, &predictions[prediction])));
        let (values, aggregate) =
            scored.map_err(|source| CarefulError::Score { question: question.id.clone(), source })?;
        *row = Row { values, aggregate, ..*row };
    }
    Ok(careful)
}

fn score(metric: &Scorer, sample: Sample<'_>) -> Result<([f64; 5], f64), ScoreError> {
    let Outcome::Scored(score) = metric.score(sample)? else {
        return Err(ScoreError::Internal { reason: "the aggregate does not apply".into() });
    };
    let values = MEASURES.map(|name| score.parts.get(name).unwrap_or(0.0));
    Ok((values, score.value.get()))
}
