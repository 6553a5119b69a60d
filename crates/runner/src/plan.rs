//! [`Plan`]: which metrics, under which names, with which options. Made and checked before anything runs.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use probare_cancellation::{Cancellation, cancelled};
use probare_core::{
    Bands, BuildError, Case, CaseResult, EmbeddingUsed, Field, Lack, MetricDef, MetricInfo, MetricRequest, Named,
    Outcome, Outside, Profile, Readings, Registry, RequestError, Rules, Sample, ScoreError, Scorer, TRAJECTORY,
    UnknownMetric, is_per_turn,
};
use probare_metrics::cascade::Wish;

use crate::bands::BandsError;
use crate::expectations::{self, EXPECTATIONS};

/// Why a plan could not be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The request cannot be read.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// No such metric.
    #[error(transparent)]
    Unknown(#[from] UnknownMetric),
    /// Its options do not fit.
    #[error("metric `{name}`: {source}")]
    Build {
        /// Name in the results.
        name: String,
        /// What is wrong.
        #[source]
        source: BuildError,
    },
    /// Two metrics under one name.
    #[error("two metrics are called `{0}`")]
    SameName(String),
    /// Bands do not fit.
    #[error(transparent)]
    Bands(#[from] BandsError),
    /// No metric at all.
    #[error("no metric is named")]
    Empty,
}

/// A metric ready to score.
pub struct PlannedMetric {
    /// What sinks are told.
    pub info: MetricInfo,
    way: Way,
}

/// How a metric comes to its results.
enum Way {
    /// From the sample.
    Scored { definition: &'static MetricDef, scorer: Scorer, bands: Option<Bands>, by_turn: bool },
    /// From the results of the others.
    Expected,
}

/// All metrics of a run.
pub struct Plan {
    metrics: Vec<PlannedMetric>,
    infos: Vec<MetricInfo>,
}

impl Plan {
    /// Looks up and builds every metric.
    pub fn new(requests: &[MetricRequest], profile: Profile, registry: &Registry) -> Result<Self, PlanError> {
        if requests.is_empty() {
            return Err(PlanError::Empty);
        }
        let mut metrics: Vec<PlannedMetric> = Vec::with_capacity(requests.len());
        for request in requests {
            if metrics.iter().any(|earlier| earlier.info.name == request.name) {
                return Err(PlanError::SameName(request.name.clone()));
            }
            if request.id == EXPECTATIONS {
                metrics.push(PlannedMetric { info: expectations::info(&request.name), way: Way::Expected });
                continue;
            }
            if request.id == TRAJECTORY {
                let reason = "name the metric itself, with the option `per: turn`".to_owned();
                return Err(RequestError { text: request.name.clone(), reason }.into());
            }
            let definition = registry.get(&request.id)?;
            let profile = request.profile.unwrap_or(profile);
            let failed = |source| PlanError::Build { name: request.name.clone(), source };
            let mut options = request.options.clone();
            let mut bands = Bands::take(&mut options).map_err(failed)?;
            let wish = Wish::take(definition, &mut options).map_err(failed)?;
            let by_turn = is_per_turn(&options);
            let mut scorer = definition.build(options, profile).map_err(failed)?;
            if let Some(wish) = wish {
                if by_turn {
                    let reason = "a judge decides about the whole case: `judge` and `per` do not go together";
                    return Err(failed(BuildError::Options(reason.to_owned())));
                }
                scorer = wish.grant(definition, profile, scorer, bands.take()).map_err(failed)?;
            }
            let info = MetricInfo::new(&request.name, definition, profile).with_options(request.options.clone());
            metrics.push(PlannedMetric { info, way: Way::Scored { definition, scorer, bands, by_turn } });
        }
        let infos = metrics.iter().map(|metric| metric.info.clone()).collect();
        Ok(Self { metrics, infos })
    }

    /// Whether whoever is asked has all models whose vectors are wanted, and can run programs where any are to be run.
    pub fn check_models(&self, outside: &dyn Outside) -> Result<(), PlanError> {
        self.metrics.iter().try_for_each(|metric| {
            let lacking = |source| PlanError::Build { name: metric.info.name.clone(), source };
            if let Some(environment) = metric.runs() {
                outside.can_run(environment).map_err(lacking)?;
            }
            metric.vectors().map_or(Ok(()), |model| outside.can_embed(model).map_err(lacking))
        })
    }

    /// The models whose vectors metrics use, for the manifest.
    pub(crate) fn embeddings(&self, outside: &dyn Outside) -> Vec<EmbeddingUsed> {
        let used = |metric: &PlannedMetric| {
            let model = metric.vectors()?;
            let (metric, sha256) = (metric.info.name.clone(), outside.digest(model));
            Some(EmbeddingUsed { metric, model: model.to_owned(), sha256 })
        };
        self.metrics.iter().filter_map(used).collect()
    }

    /// Environments of the programs that metrics want to be run, each once.
    pub fn environments(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for environment in self.metrics.iter().filter_map(PlannedMetric::runs) {
            if !found.iter().any(|known| known == environment) {
                found.push(environment.to_owned());
            }
        }
        found
    }

    /// No metric at all: cases are looked at and nothing is scored.
    pub const fn nothing() -> Self {
        Self::known(Vec::new())
    }

    /// Metrics of which nothing but the results is wanted, and those are known: nothing is scored.
    pub(crate) const fn known(infos: Vec<MetricInfo>) -> Self {
        Self { metrics: Vec::new(), infos }
    }

    /// What sinks are told about the metrics, in order.
    pub fn infos(&self) -> &[MetricInfo] {
        &self.infos
    }

    /// Fields that at least one metric needs.
    pub fn needs(&self) -> Vec<Field> {
        Field::ALL.into_iter().filter(|field| self.metrics.iter().any(|metric| metric.needs(*field))).collect()
    }

    /// All results of one case. A panic is an error of the metric, or of the case where the benchmark itself stopped;
    /// nothing else is touched by it. What the readings are [under](Readings::under) ends metrics with the kind `cancelled`.
    pub fn score(&self, case: Case, readings: &mut Readings, rules: &dyn Rules, outside: &dyn Outside) -> CaseResult {
        readings.next_case();
        let sample = Sample::of(&case).sharing(readings);
        let under = readings.cancellation();
        let lent = caught(under, || rules.lend(sample));
        let score = |metric: &PlannedMetric| metric.score(sample, rules, outside, under);
        let mut results: Vec<Named> = self.metrics.iter().map(score).collect();
        for (at, metric) in self.metrics.iter().enumerate() {
            if matches!(metric.way, Way::Expected) {
                results[at] = expectations::score(&case, &self.infos, &results);
            }
        }
        let told = lent.and_then(|()| {
            caught(under, || {
                let (model, asked) = (rules.model(&case), rules.asked(&case));
                (model, asked, rules.excuse(&case), rules.detail(sample, &results))
            })
        });
        match told {
            Ok((model, asked, excused, detail)) => {
                let mut result = CaseResult { asked, excused, detail, ..CaseResult::new(case, results) };
                result.model = model;
                result
            }
            Err(error) => {
                let results = results.iter().map(|_| Err(error.clone())).collect();
                CaseResult::new(case, results)
            }
        }
    }

    /// A case whose results are known without scoring it.
    pub fn recalled(&self, case: Case, results: Vec<Named>, rules: &dyn Rules) -> CaseResult {
        let (model, asked, excused) = (rules.model(&case), rules.asked(&case), rules.excuse(&case));
        let detail = rules.detail(Sample::of(&case), &results);
        let mut result = CaseResult { asked, excused, detail, ..CaseResult::new(case, results) };
        result.model = model;
        result
    }
}

impl PlannedMetric {
    fn vectors(&self) -> Option<&str> {
        match &self.way {
            Way::Scored { scorer, .. } => scorer.vectors(),
            Way::Expected => None,
        }
    }

    fn runs(&self) -> Option<&str> {
        match &self.way {
            Way::Scored { scorer, .. } => scorer.runs(),
            Way::Expected => None,
        }
    }

    fn needs(&self, field: Field) -> bool {
        matches!(&self.way, Way::Scored { definition, by_turn: false, .. } if definition.needs.contains(&field))
    }

    /// A missing response is a failure, because something should have been answered; another missing field means that
    /// the question does not apply to this case.
    fn score(&self, sample: Sample<'_>, rules: &dyn Rules, outside: &dyn Outside, under: &Cancellation) -> Named {
        let Way::Scored { definition, scorer, bands, by_turn } = &self.way else {
            return Ok(Outcome::not_applicable("the other results come first"));
        };
        caught(under, || {
            if let Some(reason) = rules.leaves_out(sample.case, &self.info) {
                return Ok(Outcome::not_applicable(reason));
            }
            // A turn has what `turns` says of it, whatever the case has.
            match definition.lacks(sample).filter(|_| !by_turn) {
                Some(Lack::Field(Field::Response)) => {
                    rules.absent(sample.case, &self.info).unwrap_or(Err(ScoreError::MissingField(Field::Response)))
                }
                Some(lack) => Ok(Outcome::not_applicable(format!("the case has no `{lack}`"))),
                None => {
                    let mut outcome = scorer.score_with(&self.info.name, sample, outside)?;
                    if let (Some(bands), Outcome::Scored(score)) = (bands, &mut outcome) {
                        score.label = Some(bands.label(score.value.get(), self.info.better).into());
                    }
                    Ok(outcome)
                }
            }
        })
        .and_then(|result| result)
    }
}

/// Does some work under a cancellation; a panic in it is an error.
fn caught<T>(under: &Cancellation, work: impl FnOnce() -> T) -> Result<T, ScoreError> {
    match catch_unwind(AssertUnwindSafe(|| under.during(work))) {
        Ok(ended) => ended.map_err(ScoreError::from),
        Err(panic) => Err(stopped(panic.as_ref())),
    }
}

/// What a panic says, as an error.
pub(crate) fn stopped(panic: &(dyn Any + Send)) -> ScoreError {
    match cancelled(panic) {
        Some(cancelled) => cancelled.into(),
        None => ScoreError::Internal { reason: said(panic) },
    }
}

/// What a panic says.
pub(crate) fn said(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason given".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Excusing;

    impl Rules for Excusing {
        fn excuse(&self, case: &Case) -> Option<std::borrow::Cow<'static, str>> {
            Some(format!("known to fail: {}", case.id).into())
        }
    }

    #[test]
    fn a_trajectory_is_taken_turn_by_turn_or_refused_in_words() {
        let plan = |request: MetricRequest| Plan::new(&[request], Profile::Careful, probare_metrics::registry());
        let taken = plan("trajectory:metric=token_f1".parse().unwrap()).unwrap();
        let info = &taken.infos()[0];
        assert_eq!((info.name.as_str(), &*info.id), ("trajectory:metric=token_f1", "token_f1"));
        assert_eq!(info.options["per"], "turn");
        let error = plan(MetricRequest::plain(TRAJECTORY)).err().unwrap();
        assert_eq!(
            error.to_string(),
            "cannot read the metric `trajectory`: name the metric itself, with the option `per: turn`"
        );
    }

    #[test]
    fn a_case_that_is_recalled_keeps_its_excuse() {
        let case = || Case { id: "a".to_owned(), ..Case::default() };
        let scored = Plan::nothing().score(case(), &mut Readings::default(), &Excusing, &probare_core::Nobody);
        let recalled = Plan::nothing().recalled(case(), Vec::new(), &Excusing);
        assert_eq!(recalled.excused.as_deref(), Some("known to fail: a"));
        assert_eq!(recalled.excused, scored.excused);
    }

    #[test]
    fn a_judge_behind_a_score_per_turn_is_refused() {
        let options = serde_json::json!({"judge": "always", "judges": ["house"], "per": "turn"});
        let request = MetricRequest { name: "h".to_owned(), id: "hallucination".to_owned(), options, profile: None };
        let refused = Plan::new(&[request], Profile::Careful, probare_metrics::registry()).map(|_| ());
        let Err(PlanError::Build { source, .. }) = refused else { panic!("{refused:?}") };
        assert!(source.to_string().contains("`judge` and `per` do not go together"), "{source}");
    }
}
