//! [`SocioscopeSummary`]: means per transcript, question type and model, each with its denominator.

use std::collections::BTreeMap;

use probare_metrics::interviews::quotations::QuotationStatus;
use serde_json::{Map, Value as Json, json};

use super::SocioscopeEvaluation;
use super::evaluate::AnswerResult;
use super::input::{Fixture, FixtureAnswer, QuestionPair};
use crate::socioscope::interviews::QuestionType;

/// The group of answers that name no transcript.
pub const UNKNOWN_SOURCE: &str = "(unknown)";

/// Values of one group, in input order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScoreGroup {
    /// The values that there are.
    pub values: Vec<f64>,
    /// How many answers have none.
    pub nulls: usize,
}

impl ScoreGroup {
    fn push(&mut self, value: Option<f64>) {
        match value {
            Some(value) => self.values.push(value),
            None => self.nulls += 1,
        }
    }

    /// Mean of the values; nothing without any. Summed in input order.
    pub fn mean(&self) -> Option<f64> {
        let sum = self.values.iter().fold(0.0, |sum, value| sum + value);
        (!self.values.is_empty()).then(|| sum / self.values.len() as f64)
    }

    /// Least value.
    pub fn min(&self) -> Option<f64> {
        self.values.iter().copied().reduce(f64::min)
    }

    /// Greatest value.
    pub fn max(&self) -> Option<f64> {
        self.values.iter().copied().reduce(f64::max)
    }

    /// Standard deviation with n - 1; nothing for fewer than two values.
    pub fn standard_deviation(&self) -> Option<f64> {
        probare_stats::standard_deviation(&self.values)
    }

    /// As JSON.
    pub fn to_json(&self) -> Json {
        json!({
            "mean": self.mean(),
            "n": self.values.len(),
            "nulls": self.nulls,
            "min": self.min(),
            "max": self.max(),
            "standard_deviation": self.standard_deviation(),
        })
    }
}

/// Means of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SocioscopeSummary {
    /// Scores of all answers.
    pub overall: ScoreGroup,
    /// Scores by transcript, in the order of code points.
    pub transcripts: BTreeMap<String, ScoreGroup>,
    /// Scores by question type, in the order of the documentation; unknown types behind.
    pub types: Vec<(String, ScoreGroup)>,
    /// Scores by model; empty where no answer names one.
    pub models: BTreeMap<String, ScoreGroup>,
    /// Existence scores of all answers.
    pub verbatim: ScoreGroup,
    /// Existence scores with typography and omissions forgiven.
    pub verbatim_normalised: ScoreGroup,
    /// Existence scores by transcript.
    pub verbatim_transcripts: BTreeMap<String, ScoreGroup>,
    /// Existence scores by model.
    pub verbatim_models: BTreeMap<String, ScoreGroup>,
    /// How many citations have which status.
    pub statuses: Vec<(QuotationStatus, usize)>,
    /// Questions without any citation.
    pub uncited: usize,
    pub questions: usize,
}

/// A score of an answer.
type ScoreSelector = fn(&AnswerResult) -> Option<f64>;

impl SocioscopeSummary {
    /// The means of the published definition.
    pub fn new(fixture: &Fixture, evaluation: &SocioscopeEvaluation) -> Self {
        Self::with_scores(fixture, evaluation, |answer| answer.grade.as_ref().map(|grade| grade.score))
    }

    /// The means of the improved definition.
    pub fn improved(fixture: &Fixture, evaluation: &SocioscopeEvaluation) -> Self {
        Self::with_scores(fixture, evaluation, |answer| answer.improved.as_ref().map(|grade| grade.score))
    }

    fn with_scores(fixture: &Fixture, evaluation: &SocioscopeEvaluation, score: ScoreSelector) -> Self {
        let mut summary = Self { questions: fixture.pairs.len(), ..Self::default() };
        let mut types: BTreeMap<usize, (String, ScoreGroup)> = BTreeMap::new();
        let mut statuses: BTreeMap<QuotationStatus, usize> = BTreeMap::new();
        for (pair, result) in fixture.pairs.iter().zip(&evaluation.pairs) {
            let place = QuestionType::ALL.iter().position(|kind| kind.name() == pair.kind);
            let group = match place {
                Some(place) => types.entry(place),
                // All unknown types stand together: a file of hostile names must not make a long table.
                None => types.entry(QuestionType::ALL.len()),
            };
            let name = place.map_or("(unknown type)", |place| QuestionType::ALL[place].name());
            let (_, group) = group.or_insert_with(|| (name.to_owned(), ScoreGroup::default()));
            for (answer, result) in pair.answers.iter().zip(&result.answers) {
                group.push(score(result));
                summary.add(answer, result, score(result));
                for finding in &result.findings {
                    *statuses.entry(finding.status).or_default() += 1;
                }
            }
            summary.uncited += usize::from(is_uncited(pair));
        }
        summary.types = types.into_values().collect();
        summary.statuses = statuses.into_iter().collect();
        summary
    }

    fn add(&mut self, answer: &FixtureAnswer, result: &AnswerResult, score: Option<f64>) {
        let source = answer.source.clone().unwrap_or_else(|| UNKNOWN_SOURCE.to_owned());
        self.overall.push(score);
        self.transcripts.entry(source.clone()).or_default().push(score);
        let existence = result.existence.score();
        self.verbatim.push(existence);
        self.verbatim_normalised.push(result.existence.score_normalised());
        self.verbatim_transcripts.entry(source).or_default().push(existence);
        if let Some(model) = &answer.model {
            self.models.entry(model.clone()).or_default().push(score);
            self.verbatim_models.entry(model.clone()).or_default().push(existence);
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> Json {
        let means = |groups: &BTreeMap<String, ScoreGroup>| -> Json {
            groups.iter().map(|(name, group)| (name.clone(), json!(group.mean()))).collect::<Map<_, _>>().into()
        };
        let details = |groups: &BTreeMap<String, ScoreGroup>| -> Json {
            groups.iter().map(|(name, group)| (name.clone(), group.to_json())).collect::<Map<_, _>>().into()
        };
        let types: Map<String, Json> = self.types.iter().map(|(name, group)| (name.clone(), group.to_json())).collect();
        let statuses: Map<String, Json> =
            self.statuses.iter().map(|(status, count)| (status.name().to_owned(), json!(count))).collect();
        json!({
            "questions": self.questions,
            "overall": self.overall.to_json(),
            "transcript_average": means(&self.transcripts),
            "verbatim_average": means(&self.verbatim_transcripts),
            "transcripts": details(&self.transcripts),
            "types": types,
            "models": details(&self.models),
            "verbatim": {
                "overall": self.verbatim.to_json(),
                "normalised": self.verbatim_normalised.to_json(),
                "transcripts": details(&self.verbatim_transcripts),
                "models": details(&self.verbatim_models),
                "statuses": statuses,
                "uncited": self.uncited,
            },
        })
    }
}

fn is_uncited(pair: &QuestionPair) -> bool {
    pair.answers.iter().all(|answer| answer.citations.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_their_denominators_and_nothing_has_none() {
        let mut group = ScoreGroup::default();
        for value in [Some(1.0), None, Some(0.5)] {
            group.push(value);
        }
        assert_eq!((group.mean(), group.nulls, group.min(), group.max()), (Some(0.75), 1, Some(0.5), Some(1.0)));
        assert!((group.standard_deviation().unwrap() - 0.125_f64.sqrt()).abs() < 1e-12);
        let empty = ScoreGroup::default();
        assert_eq!((empty.mean(), empty.standard_deviation()), (None, None));
    }
}
