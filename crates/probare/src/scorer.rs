//! [`score`] and [`Scorer`]: single cases, without files and without threads.

use std::sync::Arc;

use probare_benchmarks::registry;
use probare_core::{
    AnalysisCache, Case, CaseResult, DefaultCasePolicy, MetricInfo, MetricRequest, Outcome, OwnMetric, Trust,
};
use probare_engine::{
    ModelBackend, Plan, PlanError, RunOptions, apply_decision_thresholds, with_own_metrics, with_program_metrics,
};

use crate::Error;
use crate::jobs::requests;

/// What one metric says about one case. The metric is written as on the command line: `token_f1`, `precision_at_k:k=3`.
///
/// A case without a response is an error; a case without another field that the metric needs is
/// [`Outcome::NotApplicable`].
pub fn score(case: &Case, metric: &str) -> Result<Outcome, Error> {
    let mut result = Scorer::new(&[metric], &RunOptions::default())?.score(case.clone());
    // There is one result for each metric.
    Ok(result.results.pop().unwrap_or_else(|| Ok(Outcome::not_applicable("no metric is named")))?)
}

/// Metrics that are made once and asked about many cases. It can be shared between threads.
pub struct Scorer {
    plan: Plan,
    asked: ModelBackend,
}

impl Scorer {
    /// These metrics. Of the settings those hold that are about metrics and models: `profile`, `judges`, `models`, `offline`,
    /// `record` and the budget. A metric that runs programs is refused: it needs a [`Job`](crate::Job).
    pub fn new(metrics: &[&str], settings: &RunOptions) -> Result<Self, Error> {
        Self::with_own_metrics(metrics, &[], settings)
    }

    /// The same with metrics of your own, which `metrics` name by their ids.
    pub fn with_own_metrics(metrics: &[&str], own: &[Arc<OwnMetric>], settings: &RunOptions) -> Result<Self, Error> {
        let mut requests: Vec<MetricRequest> = requests(metrics)?;
        let asked = settings.model_access().open(&mut requests, registry())?;
        let registry = with_program_metrics(registry(), own).map_err(PlanError::from)?;
        let registry = with_own_metrics(&registry, &requests, Trust::Trusted).map_err(PlanError::from)?;
        apply_decision_thresholds(&settings.decision_thresholds, &mut requests, settings.profile(), &registry)
            .map_err(PlanError::from)?;
        let plan = Plan::new(&requests, settings.profile(), &registry)?;
        plan.check_models(&asked)?;
        Ok(Self { plan, asked })
    }

    /// The metrics, in the order of the results.
    pub fn metrics(&self) -> &[MetricInfo] {
        self.plan.infos()
    }

    /// One result for each metric, in their order.
    pub fn score(&self, case: Case) -> CaseResult {
        self.plan.score(case, &mut AnalysisCache::default(), &DefaultCasePolicy, &self.asked)
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{ErrorKind, Output, Profile};

    use super::*;

    fn case() -> Case {
        Case {
            response: Some(Output::new("It is Canberra.")),
            reference: Some(vec!["Canberra".into()]),
            ..Case::default()
        }
    }

    #[test]
    fn one_scorer_answers_for_all_its_metrics_in_their_order() {
        let settings = RunOptions { profile: Some(Profile::Improved), ..RunOptions::default() };
        let scorer = Scorer::new(&["token_f1", "there=contains:ignore_case=true"], &settings).unwrap();
        let names: Vec<&str> = scorer.metrics().iter().map(|metric| metric.name.as_str()).collect();
        assert_eq!(names, ["token_f1", "there"]);
        let values: Vec<f64> = scorer
            .score(case())
            .results
            .iter()
            .map(|result| result.as_ref().unwrap().score().unwrap().value.get())
            .collect();
        assert_eq!(values, [0.5, 1.0]);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test writes its own input")]
    fn decision_thresholds_of_the_settings_label_values() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bands.json");
        let scorer = Scorer::new(&["token_f1"], &RunOptions::default()).unwrap();
        let info = &scorer.metrics()[0];
        let file = serde_json::json!({
            "format": 1, "metric": "token_f1", "id": "token_f1", "version": info.version, "profile": info.profile.unwrap_or_default(),
            "options": info.options, "bands": {"pass": 0.9, "fail": 0.5, "error": 0.05, "confidence": 0.95},
            "cases": 300, "decided": 200,
        });
        std::fs::write(&path, file.to_string()).unwrap();
        let label = |decision_thresholds: Vec<std::path::PathBuf>| {
            let settings = RunOptions { decision_thresholds, ..RunOptions::default() };
            let result = Scorer::new(&["token_f1"], &settings).unwrap().score(case()).results.remove(0).unwrap();
            result.score().unwrap().label.clone()
        };
        assert_eq!(label(Vec::new()), None);
        assert_eq!(label(vec![path]).as_deref(), Some("fail"));
    }

    #[test]
    fn what_cannot_be_scored_is_an_error_and_no_number() {
        let silent = Case { response: None, ..case() };
        let Err(Error::Score(error)) = score(&silent, "token_f1") else { panic!("a response is missing") };
        assert_eq!(error.kind(), ErrorKind::Missing);
        let alone = Case { reference: None, ..case() };
        assert!(score(&alone, "token_f1").unwrap().score().is_none());
    }

    #[test]
    fn a_metric_that_cannot_be_had_is_refused_before_anything_is_scored() {
        for (metric, part) in [
            ("token_f2", "unknown metric `token_f2`"),
            ("token_f1:x", "KEY=VALUE"),
            ("judge_same_answer", "asks a model, and none is named"),
            ("code_tests", "sandbox"),
        ] {
            let error = Scorer::new(&[metric], &RunOptions::default()).map(drop).unwrap_err();
            let mut told = error.to_string();
            if let Some(cause) = std::error::Error::source(&error) {
                told = format!("{told}: {cause}");
            }
            assert!(told.contains(part), "{metric}: {told}");
        }
    }
}
