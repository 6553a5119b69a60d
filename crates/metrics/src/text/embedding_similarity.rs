//! How near the response is to another text in meaning, by the vectors of an embedding model.

use probare_core::{
    BackendAnswer, Evidence, EvidenceKind, Field, FieldSpan, Judge, JudgeAction, Outcome, Sample, Score, ScoreError,
    metric,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// Options of `embedding_similarity`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EmbeddingSimilarity {
    /// The model: `all-MiniLM-L6-v2`, computed on this machine, or `provider:model` of a server that gives vectors.
    pub model: String,
    /// What the response is held against: `reference`, `query` or `context`. Of several texts the nearest counts.
    pub against: ComparisonField,
}

/// A field that a response can be held against.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonField {
    /// The right answers.
    #[default]
    Reference,
    /// The question.
    Query,
    /// The passages.
    Context,
}

impl Default for EmbeddingSimilarity {
    fn default() -> Self {
        Self { model: "all-MiniLM-L6-v2".to_owned(), against: ComparisonField::default() }
    }
}

metric!(EmbeddingSimilarity as Judge {
    summary: "How close the response is to the reference in meaning, by an embedding model",
    range: (-1.0, 1.0),
    better: Higher,
    needs: [Response],
    identity: true,
    since: "0.2",
    version: 1,
    page: "embedding_similarity.md",
});

impl ComparisonField {
    const fn field(self) -> Field {
        match self {
            Self::Reference => Field::Reference,
            Self::Query => Field::Query,
            Self::Context => Field::Context,
        }
    }

    /// The texts of the field; none where the case has none.
    fn texts<'a>(self, sample: &Sample<'a>) -> Vec<&'a str> {
        if !sample.has(self.field()) {
            return Vec::new();
        }
        match self {
            Self::Reference => sample.references().map(|texts| texts.iter().map(String::as_str).collect()),
            Self::Query => sample.query().map(|text| vec![text]),
            Self::Context => {
                sample.context().map(|passages| passages.iter().map(|passage| passage.text.as_str()).collect())
            }
        }
        .unwrap_or_default()
    }

    /// Whether a place in the field says which of its texts is meant.
    const fn is_list(self) -> bool {
        !matches!(self, Self::Query)
    }
}

impl Judge for EmbeddingSimilarity {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let response = sample.response()?;
        let others = self.against.texts(&sample);
        if others.is_empty() {
            let field = self.against.field();
            return Ok(JudgeAction::Done(Outcome::not_applicable(format!("the case has no `{field}`"))));
        }
        let Some((own, vectors)) = answers.split_first() else {
            let texts = std::iter::once(response).chain(others).map(str::to_owned).collect();
            return Ok(JudgeAction::Embed { model: self.model.clone(), texts });
        };
        if vectors.len() != others.len() {
            let reason = format!("{} vectors came for {} texts", answers.len(), others.len() + 1);
            return Err(ScoreError::Internal { reason });
        }
        let own = own.vector()?;
        let mut best: Option<(usize, f64)> = None;
        for (index, vector) in vectors.iter().enumerate() {
            let value = cosine(own, vector.vector()?)?;
            if best.is_none_or(|(_, known)| value > known) {
                best = Some((index, value));
            }
        }
        let Some((index, value)) = best else {
            return Err(ScoreError::Internal { reason: "no vector came".into() });
        };
        Ok(JudgeAction::Done(Score::from_number(value)?.because(self.evidence(response, &others, index)).into()))
    }

    fn sole_embedding_model(&self) -> Option<&str> {
        Some(&self.model)
    }
}

impl EmbeddingSimilarity {
    /// Which two texts were compared.
    fn evidence(&self, response: &str, others: &[&str], index: usize) -> Vec<Evidence> {
        let field = self.against.field();
        let nearest = others.get(index).copied().unwrap_or_default();
        let place =
            FieldSpan { index: self.against.is_list().then_some(index), ..FieldSpan::new(field, 0..nearest.len()) };
        let compared = Evidence::at(EvidenceKind::Compared, Field::Response, 0..response.len(), response)
            .with_support(place)
            .with_note(match (self.against.is_list(), others.len()) {
                (true, 1) => format!("compared with `{field}[0]` by {}", self.model),
                (true, several) => format!("`{field}[{index}]` is the nearest of {several}, by {}", self.model),
                (false, _) => format!("compared with `{field}` by {}", self.model),
            });
        vec![compared]
    }
}

/// The cosine of the angle between two vectors. A vector of nothing but zeros has no direction.
fn cosine(left: &[f32], right: &[f32]) -> Result<f64, ScoreError> {
    let wrong = |reason: String| Err(ScoreError::other(probare_core::ErrorKind::Unparseable, reason));
    if left.len() != right.len() {
        return wrong(format!("the vectors have {} and {} numbers", left.len(), right.len()));
    }
    let product = |left: &[f32], right: &[f32]| -> f64 {
        left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
    };
    let squares = product(left, left) * product(right, right);
    if squares > 0.0 && squares.is_finite() {
        return Ok((product(left, right) / squares.sqrt()).clamp(-1.0, 1.0));
    }
    wrong("a vector of zeros has no direction".to_owned())
}

#[cfg(test)]
mod tests {
    use probare_core::{Case, Output};

    use super::*;

    #[test]
    fn the_response_and_all_others_are_embedded_and_the_nearest_counts() {
        let case =
            Case { response: Some(Output::new("a")), reference: Some(vec!["b".into(), "c".into()]), ..Case::default() };
        let metric = EmbeddingSimilarity::default();
        let JudgeAction::Embed { model, texts } = metric.next_action(Sample::from_case(&case), &[]).unwrap() else {
            panic!("no texts")
        };
        assert_eq!(
            (model.as_str(), texts.as_slice()),
            ("all-MiniLM-L6-v2", ["a", "b", "c"].map(String::from).as_slice())
        );
        let vectors = [[1.0, 0.0], [-1.0, 0.0], [3.0, 4.0]].map(|vector| BackendAnswer::Vector(vector.to_vec()));
        let JudgeAction::Done(outcome) = metric.next_action(Sample::from_case(&case), &vectors).unwrap() else {
            panic!("not done")
        };
        let score = outcome.score().unwrap();
        assert!((score.value.get() - 0.6).abs() < 1e-12);
        assert_eq!(score.evidence[0].support.as_ref().unwrap().index, Some(1));
        assert!(metric.next_action(Sample::from_case(&case), &vectors[..2]).is_err());
    }

    #[test]
    fn vectors_that_cannot_be_compared_are_an_error_and_no_score() {
        assert!(cosine(&[1.0], &[1.0, 2.0]).is_err());
        assert!(cosine(&[0.0, 0.0], &[1.0, 2.0]).is_err());
        assert_eq!(cosine(&[0.1, 0.7, 0.3], &[0.1, 0.7, 0.3]).unwrap(), 1.0);
    }
}
