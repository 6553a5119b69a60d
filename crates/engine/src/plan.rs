//! [`Plan`]: which metrics, under which names, with which options. Made and checked before anything runs.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use probare_cancellation::{Cancellation, cancelled_from_panic};
use probare_core::{
    AnalysisCache, Backend, BackendAnswer, BuildError, Case, CasePolicy, CaseResult, DecisionThresholds,
    EmbeddingRecord, ErrorKind, Field, JudgeAction, MetricDef, MetricInfo, MetricRequest, MetricResult, MissingInput,
    Outcome, OwnMetric, Profile, Registry, RequestError, Sample, ScoreError, Scorer, TRAJECTORY, UnknownMetric,
    is_per_turn,
};
use probare_metrics::cascade::CascadeOptions;

use crate::decision_thresholds::DecisionThresholdsError;
use crate::expectations::{self, EXPECTATIONS};
use crate::own_metrics::OwnMetricError;

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
        #[source]
        source: BuildError,
    },
    /// Two metrics under one name.
    #[error("two metrics are called `{0}`")]
    SameName(String),
    /// Decision thresholds do not fit.
    #[error(transparent)]
    DecisionThresholds(#[from] DecisionThresholdsError),
    /// A metric of the user's own cannot be used.
    #[error(transparent)]
    OwnMetric(#[from] OwnMetricError),
    /// No metric at all.
    #[error("no metric is named")]
    Empty,
}

/// A metric ready to score.
pub struct PlannedMetric {
    /// What sinks are told.
    pub info: MetricInfo,
    computation: MetricComputation,
}

/// How a metric comes to its results.
enum MetricComputation {
    /// From the sample.
    Scored { inputs: RequiredInputs, scorer: Scorer, thresholds: Option<DecisionThresholds>, by_turn: bool },
    /// From the results of the others.
    FromExpectations,
    /// Not at all, and why.
    NotComputed(&'static str),
}

/// What a case must have to be scored.
enum RequiredInputs {
    /// What a metric of ours names.
    Registered(&'static MetricDef),
    /// Fields that a metric of the user's own names.
    Own(Vec<Field>),
}

impl RequiredInputs {
    fn needs(&self) -> &[Field] {
        match self {
            Self::Registered(definition) => definition.needs,
            Self::Own(needs) => needs,
        }
    }

    /// The first needed field or key that the sample lacks.
    fn missing(&self, sample: Sample<'_>) -> Option<MissingInput> {
        match self {
            Self::Registered(definition) => definition.missing_input(sample),
            Self::Own(needs) => needs.iter().copied().find(|field| !sample.has(*field)).map(MissingInput::Field),
        }
    }
}

/// All metrics of a run.
pub struct Plan {
    metrics: Vec<PlannedMetric>,
    infos: Vec<MetricInfo>,
}

impl Plan {
    /// Looks up and builds every metric.
    pub fn new(requests: &[MetricRequest], profile: Profile, registry: &Registry) -> Result<Self, PlanError> {
        Self::with_recorded(requests, profile, registry, &[])
    }

    /// The same for a finished run. Of the metrics that it `recorded`, those that are retired, or computed by code that nobody
    /// started, keep their place and are not computed.
    pub fn with_recorded(
        requests: &[MetricRequest],
        profile: Profile,
        registry: &Registry,
        recorded: &[MetricInfo],
    ) -> Result<Self, PlanError> {
        if requests.is_empty() {
            return Err(PlanError::Empty);
        }
        let mut metrics: Vec<PlannedMetric> = Vec::with_capacity(requests.len());
        for request in requests {
            if metrics.iter().any(|earlier| earlier.info.name == request.name) {
                return Err(PlanError::SameName(request.name.clone()));
            }
            metrics.push(Self::planned(request, profile, registry, recorded)?);
        }
        let infos = metrics.iter().map(|metric| metric.info.clone()).collect();
        Ok(Self { metrics, infos })
    }

    fn planned(
        request: &MetricRequest,
        profile: Profile,
        registry: &Registry,
        recorded: &[MetricInfo],
    ) -> Result<PlannedMetric, PlanError> {
        let not_computed = |info: &MetricInfo, reason: &'static str| PlannedMetric {
            info: info.clone(),
            computation: MetricComputation::NotComputed(reason),
        };
        if request.id == EXPECTATIONS {
            let info = expectations::info(&request.name);
            return Ok(PlannedMetric { info, computation: MetricComputation::FromExpectations });
        }
        let is_retired = registry.retired(&request.id).is_some();
        if let Some(info) = recorded.iter().find(|info| is_retired && info.name == request.name) {
            return Ok(not_computed(info, "not recomputed: the metric is retired"));
        }
        if let Some(metric) = registry.own(request) {
            return Self::own(request, metric);
        }
        if let Some(code) = &request.code {
            let Some(info) = recorded.iter().find(|info| info.code.is_some() && info.name == request.name) else {
                let code = code.source.to_string();
                return Err(OwnMetricError::Untrusted { name: request.name.clone(), code }.into());
            };
            return Ok(not_computed(info, "not recomputed: its code is the user's own and was not started"));
        }
        if request.id == TRAJECTORY {
            let reason = "name the metric itself, with the option `per: turn`".to_owned();
            return Err(RequestError { text: request.name.clone(), reason }.into());
        }
        Self::registered(request, registry.get(&request.id)?, request.profile.unwrap_or(profile))
    }

    /// A metric of ours.
    fn registered(
        request: &MetricRequest,
        definition: &'static MetricDef,
        profile: Profile,
    ) -> Result<PlannedMetric, PlanError> {
        let failed = |source| PlanError::Build { name: request.name.clone(), source };
        let mut options = request.options.clone();
        let mut thresholds = DecisionThresholds::take_from_options(&mut options).map_err(failed)?;
        let wish = CascadeOptions::from_options(definition, &mut options).map_err(failed)?;
        let by_turn = is_per_turn(&options);
        let mut scorer = definition.build(options, profile).map_err(failed)?;
        if let Some(wish) = wish {
            if by_turn {
                let reason = "a judge decides about the whole case: `judge` and `per` do not go together";
                return Err(failed(BuildError::Options(reason.to_owned())));
            }
            scorer = wish.build(definition, profile, scorer, thresholds.take()).map_err(failed)?;
        }
        let inputs = RequiredInputs::Registered(definition);
        Ok(PlannedMetric {
            info: MetricInfo::new(&request.name, definition, profile).with_options(definition, request.options.clone()),
            computation: MetricComputation::Scored { inputs, scorer, thresholds, by_turn },
        })
    }

    /// A metric of the user's own.
    fn own(request: &MetricRequest, metric: &OwnMetric) -> Result<PlannedMetric, PlanError> {
        let failed = |source| PlanError::Build { name: request.name.clone(), source };
        if request.profile.is_some() {
            let reason = "a metric of your own has one definition; `profile` says nothing about it";
            return Err(failed(BuildError::Options(reason.to_owned())));
        }
        let mut options = request.options.clone();
        let thresholds = DecisionThresholds::take_from_options(&mut options).map_err(failed)?;
        let by_turn = is_per_turn(&options);
        let scorer = metric.build(options).map_err(failed)?;
        let inputs = RequiredInputs::Own(metric.needs.clone());
        Ok(PlannedMetric {
            info: MetricInfo::from_own(&request.name, metric, request.options.clone()),
            computation: MetricComputation::Scored { inputs, scorer, thresholds, by_turn },
        })
    }

    /// Whether whoever is asked has all models whose vectors are wanted, and can run programs where any are to be run.
    pub fn check_models(&self, outside: &dyn Backend) -> Result<(), PlanError> {
        self.metrics.iter().try_for_each(|metric| {
            let lacking = |source| PlanError::Build { name: metric.info.name.clone(), source };
            if let Some(environment) = metric.runs() {
                outside.can_run(environment).map_err(lacking)?;
            }
            metric.vectors().map_or(Ok(()), |model| outside.can_embed(model).map_err(lacking))
        })
    }

    /// The models whose vectors metrics use, for the manifest.
    pub(crate) fn embeddings(&self, outside: &dyn Backend) -> Vec<EmbeddingRecord> {
        let used = |metric: &PlannedMetric| {
            let model = metric.vectors()?;
            let (metric, sha256) = (metric.info.name.clone(), outside.model_digest(model));
            Some(EmbeddingRecord { metric, model: model.to_owned(), sha256 })
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
    pub const fn empty() -> Self {
        Self::without_scoring(Vec::new())
    }

    /// Metrics of which nothing but the results is wanted, and those are known: nothing is scored.
    pub const fn without_scoring(infos: Vec<MetricInfo>) -> Self {
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
    pub fn score(
        &self,
        case: Case,
        readings: &mut AnalysisCache,
        rules: &dyn CasePolicy,
        outside: &dyn Backend,
    ) -> CaseResult {
        let mut scoring = ScoringProgress::default();
        self.enter(&case, &mut scoring, readings, rules);
        while let Some((metric, turn)) = self.advance(&case, &mut scoring, readings, rules) {
            let answers = catch_panic(readings.cancellation(), || outside.answer(metric, &turn));
            scoring.put_answers(answers);
        }
        self.finish(case, scoring, readings, rules)
    }

    /// Prepares the readings of a thread for a case, which may have been on another thread before.
    #[expect(clippy::unused_self, reason = "it goes with `advance`, which needs the plan")]
    pub(crate) fn enter(
        &self,
        case: &Case,
        scoring: &mut ScoringProgress,
        readings: &mut AnalysisCache,
        rules: &dyn CasePolicy,
    ) {
        readings.next_case();
        let sample = Sample::from_case(case).with_cache(readings);
        if let Err(error) = catch_panic(readings.cancellation(), || rules.provide_shared(sample)) {
            scoring.failed.get_or_insert(error);
        }
    }

    /// Scores a case until a metric asks: its name, and the turn to be answered. Nothing once all results are there.
    pub(crate) fn advance(
        &self,
        case: &Case,
        scoring: &mut ScoringProgress,
        readings: &AnalysisCache,
        rules: &dyn CasePolicy,
    ) -> Option<(&str, JudgeAction)> {
        let sample = Sample::from_case(case).with_cache(readings);
        while let Some(metric) = self.metrics.get(scoring.results.len()) {
            let result = match metric.next(sample, rules, scoring, readings.cancellation()) {
                Ok(JudgeAction::Done(outcome)) => Ok(outcome),
                Ok(turn) => return Some((&metric.info.name, turn)),
                Err(error) => Err(error),
            };
            scoring.put_result(result);
        }
        None
    }

    /// The results of a case that is scored.
    pub(crate) fn finish(
        &self,
        case: Case,
        scoring: ScoringProgress,
        readings: &AnalysisCache,
        rules: &dyn CasePolicy,
    ) -> CaseResult {
        let ScoringProgress { mut results, failed, .. } = scoring;
        let sample = Sample::from_case(&case).with_cache(readings);
        let under = readings.cancellation();
        for (at, metric) in self.metrics.iter().enumerate() {
            if matches!(metric.computation, MetricComputation::FromExpectations) {
                results[at] = expectations::score(&case, &self.infos, &results);
            }
        }
        let told = failed.map_or(Ok(()), Err).and_then(|()| {
            catch_panic(under, || {
                let (model, asked) = (rules.model(&case), rules.prompt_messages(&case));
                (model, asked, rules.expected_failure(&case), rules.benchmark_data(sample, &results))
            })
        });
        match told {
            Ok((model, asked, excused, detail)) => {
                let prompt = rules.prompt(&case);
                let mut result = CaseResult { asked, excused, detail, prompt, ..CaseResult::new(case, results) };
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
    pub fn recalled_result(&self, case: Case, results: Vec<MetricResult>, rules: &dyn CasePolicy) -> CaseResult {
        let (model, asked, excused) = (rules.model(&case), rules.prompt_messages(&case), rules.expected_failure(&case));
        let detail = rules.benchmark_data(Sample::from_case(&case), &results);
        let prompt = rules.prompt(&case);
        let mut result = CaseResult { asked, excused, detail, prompt, ..CaseResult::new(case, results) };
        result.model = model;
        result
    }
}

/// How far a case is scored.
#[derive(Default)]
pub(crate) struct ScoringProgress {
    /// Results of the metrics so far.
    results: Vec<MetricResult>,
    /// Answers to the metric that asks, and how often it has asked.
    answers: Vec<BackendAnswer>,
    turns: usize,
    /// What stopped the benchmark itself.
    failed: Option<ScoreError>,
}

impl ScoringProgress {
    /// Takes the answers to a turn; an error ends the metric that asked.
    pub fn put_answers(&mut self, answers: Result<Vec<BackendAnswer>, ScoreError>) {
        match answers {
            Ok(answers) => {
                self.answers.extend(answers);
                self.turns += 1;
            }
            Err(error) => self.put_result(Err(error)),
        }
    }

    fn put_result(&mut self, result: MetricResult) {
        self.results.push(result);
        self.answers.clear();
        self.turns = 0;
    }
}

impl PlannedMetric {
    fn vectors(&self) -> Option<&str> {
        match &self.computation {
            MetricComputation::Scored { scorer, .. } => scorer.embedding_model(),
            MetricComputation::FromExpectations | MetricComputation::NotComputed(_) => None,
        }
    }

    fn runs(&self) -> Option<&str> {
        match &self.computation {
            MetricComputation::Scored { scorer, .. } => scorer.program_environment(),
            MetricComputation::FromExpectations | MetricComputation::NotComputed(_) => None,
        }
    }

    fn needs(&self, field: Field) -> bool {
        matches!(&self.computation, MetricComputation::Scored { inputs, by_turn: false, .. } if inputs.needs().contains(&field))
    }

    /// A missing response is a failure, because something should have been answered; another missing field means that
    /// the question does not apply to this case.
    fn next(
        &self,
        sample: Sample<'_>,
        rules: &dyn CasePolicy,
        scoring: &ScoringProgress,
        under: &Cancellation,
    ) -> Result<JudgeAction, ScoreError> {
        let done = |outcome| Ok(JudgeAction::Done(outcome));
        let (inputs, scorer, thresholds, by_turn) = match &self.computation {
            MetricComputation::Scored { inputs, scorer, thresholds, by_turn } => (inputs, scorer, thresholds, by_turn),
            MetricComputation::FromExpectations => {
                return done(Outcome::not_applicable("the other results come first"));
            }
            MetricComputation::NotComputed(reason) => return Err(ScoreError::other(ErrorKind::Missing, *reason)),
        };
        catch_panic(under, || {
            if let Some(reason) = rules.skip_reason(sample.case, &self.info) {
                return done(Outcome::not_applicable(reason));
            }
            // A turn has what `turns` says of it, whatever the case has.
            match inputs.missing(sample).filter(|_| !by_turn) {
                Some(MissingInput::Field(Field::Response)) => {
                    let absent = rules.missing_response_result(sample.case, &self.info);
                    absent.unwrap_or(Err(ScoreError::MissingField(Field::Response))).map(JudgeAction::Done)
                }
                Some(lack) => done(Outcome::not_applicable(format!("the case has no `{lack}`"))),
                None => {
                    let mut turn = scorer.next(sample, &scoring.answers, scoring.turns)?;
                    if let (Some(thresholds), JudgeAction::Done(Outcome::Scored(score))) = (thresholds, &mut turn) {
                        score.label = Some(thresholds.label(score.value.get(), self.info.better).into());
                    }
                    Ok(turn)
                }
            }
        })
        .and_then(|result| result)
    }
}

/// Does some work under a cancellation; a panic in it is an error.
pub(crate) fn catch_panic<T>(under: &Cancellation, work: impl FnOnce() -> T) -> Result<T, ScoreError> {
    match catch_unwind(AssertUnwindSafe(|| under.run(work))) {
        Ok(ended) => ended.map_err(ScoreError::from),
        Err(panic) => Err(panic_to_error(panic.as_ref())),
    }
}

/// What a panic says, as an error.
pub(crate) fn panic_to_error(panic: &(dyn Any + Send)) -> ScoreError {
    match cancelled_from_panic(panic) {
        Some(cancelled) => cancelled.into(),
        None => ScoreError::Internal { reason: panic_message(panic) },
    }
}

/// What a panic says.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
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

    impl CasePolicy for Excusing {
        fn expected_failure(&self, case: &Case) -> Option<std::borrow::Cow<'static, str>> {
            Some(format!("known to fail: {}", case.id).into())
        }
    }

    #[test]
    fn a_trajectory_is_taken_turn_by_turn_or_refused_in_words() {
        let plan = |request: MetricRequest| Plan::new(&[request], Profile::Improved, probare_metrics::registry());
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
        let scored = Plan::empty().score(case(), &mut AnalysisCache::default(), &Excusing, &probare_core::NoBackend);
        let recalled = Plan::empty().recalled_result(case(), Vec::new(), &Excusing);
        assert_eq!(recalled.excused.as_deref(), Some("known to fail: a"));
        assert_eq!(recalled.excused, scored.excused);
    }

    #[test]
    fn a_judge_behind_a_score_per_turn_is_refused() {
        let options = serde_json::json!({"judge": "always", "judges": ["house"], "per": "turn"});
        let request = MetricRequest { name: "h".to_owned(), options, ..MetricRequest::plain("hallucination") };
        let refused = Plan::new(&[request], Profile::Improved, probare_metrics::registry()).map(|_| ());
        let Err(PlanError::Build { source, .. }) = refused else { panic!("{refused:?}") };
        assert!(source.to_string().contains("`judge` and `per` do not go together"), "{source}");
    }
}
