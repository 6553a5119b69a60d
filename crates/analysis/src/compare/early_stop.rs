//! [`EarlyStop`]: whether a run may have ended before its last case, as far as its results say. [`compare_prefixes`]: such runs,
//! compared.

use probare_core::{BenchmarkError, EarlyStopRecord, MetricInfo, Panel};
use probare_engine::{Baseline, EarlyDecisionError, cases_in_panels};
use probare_report::comparison::{CaseMean, ComparisonRequest, PrefixComparison, PrefixRun, RunScores, case_order_key};
use probare_store::{RunPlan, Store};
use serde_json::Value as Json;

use super::{CompareError, OutputRows, ResultsSource, side};
use crate::verify::manifest_of_file;

/// A run that takes its cases in a seeded order and ends once its gates are decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlyStop {
    /// The seed of the order.
    pub seed: u64,
    /// Cases of the complete run.
    pub cases: usize,
    /// Cases up to the verdict: the first of the order.
    pub seen: usize,
}

impl From<&EarlyStopRecord> for EarlyStop {
    fn from(early: &EarlyStopRecord) -> Self {
        Self { seed: early.seed, cases: size(early.cases), seen: size(early.seen) }
    }
}

impl EarlyStop {
    /// That of a run in a store, by its plan and what it published.
    pub(crate) fn from_plan(plan: &RunPlan, panels: &[Panel]) -> Option<Self> {
        if let Some(early) = &plan.early_stop {
            return Some(early.into());
        }
        if plan.setting("stop_when_decided").and_then(Json::as_bool) != Some(true) {
            return None;
        }
        let cases = size(plan.datasets.iter().map(|dataset| dataset.cases).sum());
        let seen = cases_in_panels(panels).unwrap_or(cases);
        Some(Self { seed: seed(plan), cases, seen })
    }

    /// Whether there are cases that it does not have.
    pub const fn is_stopped(&self) -> bool {
        self.seen < self.cases
    }
}

fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// The seed that a run of a store began with; that of the order where it scores the first cases of another run.
fn seed(plan: &RunPlan) -> u64 {
    if let Some(early) = &plan.early_stop {
        return early.seed;
    }
    plan.setting("seed").and_then(Json::as_u64).unwrap_or_default()
}

impl ResultsSource {
    /// How the run ended, where it may have ended before its last case.
    pub fn early_stop(&self) -> Result<Option<EarlyStop>, CompareError> {
        let Some(run) = self.run else {
            return Ok(manifest_of_file(&self.path)?.early_stop.as_ref().map(EarlyStop::from));
        };
        let store = Store::open_existing(&self.path)?;
        Ok(EarlyStop::from_plan(&store.run(run)?.plan, &store.panels(run)?))
    }

    /// The seed that was settled before the run; nothing of a file that does not say.
    fn order_seed(&self) -> Result<Option<u64>, CompareError> {
        let Some(run) = self.run else { return Ok(self.early_stop()?.map(|early| early.seed)) };
        Ok(Some(seed(&Store::open_existing(&self.path)?.run(run)?.plan)))
    }
}

/// What a run says of its cases.
fn read_scores(file: &ResultsSource) -> Result<RunScores, CompareError> {
    let asked = ComparisonRequest::default();
    side(file, &asked).map(|(scores, _): (RunScores, OutputRows)| scores)
}

/// The values of a finished run, case by case: the mean of the repeats of a case. Of several models one has to be named.
pub fn read_case_means(file: &ResultsSource) -> Result<(Vec<MetricInfo>, Vec<CaseMean>), CompareError> {
    let scores = read_scores(file)?;
    if scores.has_several_models() {
        return Err(CompareError::SeveralModels { name: file.name.clone() });
    }
    Ok((scores.metrics.clone(), scores.case_means()))
}

/// Reads results that a run is compared with while it goes on. `seed` is that of the order of the run.
pub fn read_baseline(source: &ResultsSource, seed: u64) -> Result<Baseline, EarlyDecisionError> {
    let unusable = |reason: String| EarlyDecisionError::Baseline { name: source.name.clone(), reason };
    let failed = |error: CompareError| unusable(BenchmarkError::from_error(&error).message);
    let stopped = source.early_stop().map_err(failed)?.filter(EarlyStop::is_stopped);
    if let Some(other) = stopped.filter(|early| early.seed != seed) {
        return Err(unusable(format!(
            "it stopped early, in the order of seed {}; take its seed, or a complete run",
            other.seed
        )));
    }
    let (metrics, mut cases) = read_case_means(source).map_err(failed)?;
    if let Some(early) = stopped {
        cases.sort_by_cached_key(|case| case_order_key(seed, &case.id, case.occurrence));
        cases.truncate(early.seen);
    }
    let path = source.run.is_none().then(|| source.path.clone());
    Ok(Baseline::new(source.name.clone(), path, metrics, cases))
}

/// Compares runs of which at least one stopped early with the first of them, on the cases that they share from the beginning of
/// their order; nothing where all are complete.
pub fn compare_prefixes(
    files: &[ResultsSource],
    asked: &ComparisonRequest,
) -> Result<Option<PrefixComparison>, CompareError> {
    let ends = files.iter().map(ResultsSource::early_stop).collect::<Result<Vec<_>, _>>()?;
    let Some((stopped, early)) = find_stopped(files, &ends) else { return Ok(None) };
    let mut runs = Vec::new();
    for (file, end) in files.iter().zip(&ends) {
        let seed = file.order_seed()?;
        if seed != Some(early.seed) || end.is_some_and(|end| end.cases != early.cases) {
            return Err(CompareError::OtherOrder {
                stopped: stopped.name.clone(),
                seed: early.seed,
                cases: early.cases,
                other: file.name.clone(),
                other_seed: seed,
            });
        }
        runs.push(PrefixRun { scores: read_scores(file)?, seen: end.map_or(usize::MAX, |end| end.seen) });
    }
    let names = |run: &PrefixRun| run.scores.has_several_models();
    if let Some(run) = runs.iter().find(|run| names(run) && !runs.iter().all(names)) {
        let why = "it has outputs of several models, and another one has not".to_owned();
        return Err(CompareError::Unaligned { name: run.scores.name.clone(), why });
    }
    let comparison = PrefixComparison::compare(&runs, early.seed, early.cases, asked);
    match comparison.undecidable(asked) {
        Some(metric) => Err(CompareError::NotInBoth { metric: metric.to_owned() }),
        None => Ok(Some(comparison)),
    }
}

/// The first run that stopped early.
pub(super) fn find_stopped<'a>(
    files: &'a [ResultsSource],
    ends: &[Option<EarlyStop>],
) -> Option<(&'a ResultsSource, EarlyStop)> {
    let ended = files.iter().zip(ends).filter_map(|(file, end)| Some((file, (*end)?)));
    ended.into_iter().find(|(_, end)| end.is_stopped())
}
