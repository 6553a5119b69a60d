//! The five measures of a deep-search answer in one number.

use std::cell::OnceCell;

use probare_core::{
    BuildError, Evidence, Field, Metric, Outcome, Profile, Sample, Score, ScoreError, ScoreParts, metric,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::answer_f1::AnswerF1;
use super::claim_verification::ClaimVerification;
use super::inputs::{MeasureValue, parsed_answer, stored_measure};
use super::iteration_efficiency::IterationEfficiency;
use super::measures::{WEIGHTS, aggregate};
use super::source_precision::SourcePrecision;
use super::step_coverage::StepCoverage;

/// Names of the five measures, as parts of the score and in the files of the benchmark.
pub const MEASURES: [&str; 5] = ["f1", "p_at_5", "rqs", "fcs", "ie"];

/// Options of `deep_search_aggregate`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DeepSearchAggregate {
    /// Which definition of the five measures: `published` or `improved`.
    pub profile: Profile,
    /// How much each measure counts.
    pub weights: MeasureWeights,
    /// Name in the metadata of the titles that documents should belong to.
    pub topics: Option<String>,
    /// Name in the metadata of the reasoning steps.
    pub steps: Option<String>,
    /// Name in the metadata of the source texts.
    pub sources: Option<String>,
    /// Name in the metadata of the iterations.
    pub iterations: Option<String>,
}

/// How much each measure counts; the weights sum to 1.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MeasureWeights {
    /// Weight of `answer_f1`.
    pub f1: f64,
    /// Weight of `source_precision`.
    pub p_at_5: f64,
    /// Weight of `step_coverage`.
    pub rqs: f64,
    /// Weight of `claim_verification`.
    pub fcs: f64,
    /// Weight of `iteration_efficiency`.
    pub ie: f64,
}

impl Default for MeasureWeights {
    fn default() -> Self {
        WEIGHTS.into()
    }
}

impl From<[f64; 5]> for MeasureWeights {
    fn from([f1, p_at_5, rqs, fcs, ie]: [f64; 5]) -> Self {
        Self { f1, p_at_5, rqs, fcs, ie }
    }
}

impl MeasureWeights {
    /// In the order of [`MEASURES`].
    pub const fn list(self) -> [f64; 5] {
        [self.f1, self.p_at_5, self.rqs, self.fcs, self.ie]
    }

    /// Fails where a weight is negative or no number, or where they do not sum to 1.
    pub fn check(self) -> Result<Self, String> {
        let list = self.list();
        if let Some((name, weight)) = MEASURES.iter().zip(list).find(|(_, weight)| !(0.0..=1.0).contains(weight)) {
            return Err(format!("the weight of `{name}` is {weight}; it must be between 0 and 1"));
        }
        let sum: f64 = list.iter().sum();
        if (sum - 1.0).abs() > 1e-9 {
            Err(format!("the weights sum to {sum:.4}; they must sum to 1"))
        } else {
            Ok(self)
        }
    }
}

metric!(DeepSearchAggregate as Pure {
    summary: "Weighted sum of the five measures of a deep-search answer",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference, Retrieved, Metadata],
    profiles: [Published, Improved],
    whole: whole,
    prepare: AggregateMetric::new,
    since: "0.1",
    version: 2,
    page: "deep_search_aggregate.md",
});

/// The parts hold the values and the weights.
fn whole(parts: &ScoreParts) -> Option<f64> {
    let mut values = [0.0; 5];
    let mut weights = [0.0; 5];
    for (at, name) in MEASURES.iter().enumerate() {
        values[at] = parts.get(name)?;
        weights[at] = parts.get(&format!("{name}_weight"))?;
    }
    Some(aggregate(values, weights).min(1.0))
}

/// The metrics with their weights. `answer_f1` has no options but the two that are here.
struct AggregateMetric {
    profile: Profile,
    weights: [f64; 5],
    sources: String,
    p_at_5: SourcePrecision,
    rqs: StepCoverage,
    fcs: ClaimVerification,
    ie: IterationEfficiency,
}

impl AggregateMetric {
    fn new(options: DeepSearchAggregate) -> Result<Self, BuildError> {
        let weights = options.weights.check().map_err(BuildError::Options)?.list();
        let name = |given: Option<String>, usual: &str| given.unwrap_or_else(|| usual.to_owned());
        let profile = options.profile;
        let sources = name(options.sources, "sources_verified");
        Ok(Self {
            profile,
            weights,
            p_at_5: SourcePrecision { profile, topics: name(options.topics, "topics") },
            rqs: StepCoverage { profile, steps: name(options.steps, "steps"), sources: sources.clone() },
            fcs: ClaimVerification { profile, sources: sources.clone() },
            ie: IterationEfficiency {
                profile,
                iterations: name(options.iterations, "iterations"),
                sources: sources.clone(),
                ..IterationEfficiency::default()
            },
            sources,
        })
    }

    /// What the measures come to, in the order of [`MEASURES`]: what their own metrics found out about this case before,
    /// or else is found out now.
    fn measure_all(&self, sample: Sample<'_>) -> Result<[MeasureValue; 5], ScoreError> {
        // Read once also where the metrics of the case share nothing.
        let read = OnceCell::new();
        let answer = || match read.get() {
            Some(answer) => Ok::<_, ScoreError>(Option::clone(answer)),
            None => parsed_answer(sample, self.profile, &self.sources).map(|new| read.get_or_init(|| new).clone()),
        };
        let f1 = AnswerF1 { profile: self.profile, sources: self.sources.clone() };
        Ok([
            stored_or_score(stored_measure(sample, f1.cache_key()), || {
                AnswerF1::score_parsed(sample, answer()?.as_deref())
            })?,
            stored_or_score(stored_measure(sample, self.p_at_5.cache_key()), || self.p_at_5.score(sample))?,
            stored_or_score(stored_measure(sample, self.rqs.cache_key()), || {
                self.rqs.score_parsed(sample, answer()?.as_deref())
            })?,
            stored_or_score(stored_measure(sample, self.fcs.cache_key()), || {
                self.fcs.score_parsed(sample, answer()?.as_deref())
            })?,
            stored_or_score(stored_measure(sample, self.ie.cache_key()), || {
                self.ie.score_parsed(sample, answer()?.as_deref())
            })?,
        ])
    }
}

fn stored_or_score(
    known: Option<MeasureValue>,
    score: impl FnOnce() -> Result<Outcome, ScoreError>,
) -> Result<MeasureValue, ScoreError> {
    if let Some(known) = known {
        return Ok(known);
    }
    match score()? {
        Outcome::Scored(score) => Ok((score.value.get(), score.parts)),
        Outcome::Labelled(_) | Outcome::NotApplicable { .. } => {
            Err(ScoreError::BadField { field: Field::Response, reason: "has no value for a part".into() })
        }
    }
}

impl Metric for AggregateMetric {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let mut values = [0.0; 5];
        let mut evidence = Vec::with_capacity(MEASURES.len());
        for (at, (value, parts)) in self.measure_all(sample)?.into_iter().enumerate() {
            values[at] = value;
            evidence.push(Evidence::note(format!("{}: {}", MEASURES[at], basis(MEASURES[at], &parts))));
        }
        let mut score = Score::from_number(aggregate(values, self.weights).min(1.0))?;
        for (name, value) in MEASURES.iter().zip(values) {
            score = score.with_part(*name, value)?;
        }
        for (name, weight) in MEASURES.iter().zip(self.weights) {
            score = score.with_part(format!("{name}_weight"), weight)?;
        }
        Ok(score.because(evidence).into())
    }
}

/// What the value of a measure rests on, in one line. Which tokens, documents, steps and claims these are is the evidence
/// of the measure's own metric; it would stand twice in every report that has both.
fn basis(measure: &str, parts: &ScoreParts) -> String {
    let part = |name: &str| parts.get(name).unwrap_or(0.0);
    match measure {
        "f1" => format!("precision {:.3} and recall {:.3} of the tokens", part("precision"), part("recall")),
        "p_at_5" => format!("documents on a topic fill {} of {} places", part("relevant"), part("places")),
        "rqs" => format!("{} of {} steps are covered", part("covered"), part("steps")),
        "fcs" => format!("{} of {} claims are held by a source", part("verified"), part("claims")),
        _ => match parts.get("iteration") {
            Some(number) => format!("iteration {number} is the first that is right"),
            None => "no iteration is right".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{Case, Output};
    use serde_json::json;

    use super::*;

    #[test]
    fn evidence_is_a_line_for_each_measure() {
        let metadata = json!({
            "topics": ["Suez Canal"],
            "steps": ["Confirm the canal", "Name the engineer"],
            "sources_verified": ["A text on rivers."],
            "iterations": [{"answers": ["No idea."]}, {"answers": ["The canal joined two seas."]}],
        });
        let case = Case {
            response: Some(Output::new("The canal joined two seas.")),
            reference: Some(vec!["The canal joined two seas in 1869.".into()]),
            retrieved: Some(vec!["Suez Canal".into(), "Rhine".into()]),
            metadata: metadata.as_object().unwrap().clone(),
            ..Case::default()
        };
        let lines = |case: &Case| -> Vec<String> {
            let measures = AggregateMetric::new(DeepSearchAggregate::default()).unwrap();
            let outcome = measures.score(Sample::from_case(case)).unwrap();
            outcome.score().unwrap().evidence.iter().map(|piece| piece.text.clone()).collect()
        };
        let expected = [
            "f1: precision 1.000 and recall 0.714 of the tokens",
            "p_at_5: documents on a topic fill 1 of 5 places",
            "rqs: 1 of 2 steps are covered",
            "fcs: 0 of 1 claims are held by a source",
            "ie: iteration 2 is the first that is right",
        ];
        assert_eq!(lines(&case), expected);
        let mut hopeless = case;
        hopeless.metadata.insert("iterations".into(), json!([]));
        assert_eq!(lines(&hopeless)[4], "ie: no iteration is right");
    }
}
