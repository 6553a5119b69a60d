//! A run that ends as soon as its gates are decided: its cases in the seeded order, and what the store knows of them already.

use probare_core::{EarlyStopRecord, GenerationRecord, Job, MemorySource, Panel};
use probare_report::Gates;
use probare_store::RunPlan;
use serde_json::Value as Json;

use super::error::EvaluationError;
use super::run_samples::RunSampleProvider;
use crate::RunOptions;
use crate::decide_early::{
    Baseline, EarlyDecision, EarlyDecisionError, EarlySetup, SeededSource, cases_in_panels, check_options,
};

/// Whether the gates of a run can be decided before its last case.
pub(super) fn check(
    settings: &RunOptions,
    gates: &Gates,
    plan: &RunPlan,
    baseline: Option<&Baseline>,
    is_benchmark: bool,
) -> Result<(), EarlyDecisionError> {
    check_options(settings, gates, is_benchmark)?;
    if settings.stop_when_decided != Some(true) {
        return Ok(());
    }
    if settings.batch == Some(true) {
        return Err(EarlyDecisionError::Batch);
    }
    if baseline.is_some() && plan.models.len() > 1 {
        return Err(EarlyDecisionError::SeveralModels { models: plan.models.len() });
    }
    if baseline.is_some() && plan.names_prompts() {
        return Err(EarlyDecisionError::SeveralPrompts { prompts: plan.generation_prompts.len() });
    }
    let cases: u64 = plan.datasets.iter().map(|dataset| dataset.cases).sum();
    EarlyDecision::new(&EarlySetup {
        gates,
        metrics: &plan.metrics,
        cases: usize::try_from(cases).unwrap_or(usize::MAX),
        outputs: plan.outputs_per_case(),
        seed: settings.seed.unwrap_or_default(),
        baseline,
        keys: &[],
    })
    .map(|_| ())
}

/// Puts the cases of a job into the seeded order. Where the store decides the gates already, what comes after the verdict is
/// left out: nobody is asked for it.
pub(super) fn prepare(
    job: &mut Job,
    settings: &RunOptions,
    gates: &Gates,
    (plan, baseline): (&RunPlan, Option<&Baseline>),
    sampling: &RunSampleProvider<'_>,
) -> Result<EarlyDecision, EvaluationError> {
    let cases = std::mem::replace(&mut job.cases, Box::new(MemorySource::default()));
    // Each data set has kept the limit already.
    let mut source =
        SeededSource::read(cases, None, settings.seed.unwrap_or_default()).map_err(crate::DriveError::Input)?;
    let decision = EarlyDecision::new(&EarlySetup {
        gates,
        metrics: &plan.metrics,
        cases: source.case_count(),
        outputs: plan.outputs_per_case(),
        seed: settings.seed.unwrap_or_default(),
        baseline,
        keys: source.keys(),
    })?;
    let mut known = decision.clone();
    for sample in source.samples() {
        let kept = sampling.before.find(sample).map_err(crate::DriveError::Output)?;
        let Some(results) = kept.results else { break };
        if known.push_results(sample, &results).map_err(crate::DriveError::Output)? {
            break;
        }
    }
    if known.is_decided() {
        source.truncate_cases(known.seen());
    }
    job.inputs.extend(source.take_inputs());
    job.cases = Box::new(source);
    // Its rows are not those of the file, in their order: they are in the store of the run.
    job.generation.get_or_insert_with(|| GenerationRecord {
        datasets: plan.datasets.iter().map(|dataset| dataset.name.clone()).collect(),
        models: Vec::new(),
        repeats: plan.repeats,
        ..GenerationRecord::default()
    });
    Ok(decision)
}

/// Leaves the first cases of the order: those up to the verdict of the run whose outputs are scored.
pub(super) fn take_prefix(job: &mut Job, early: &EarlyStopRecord) -> Result<(), EvaluationError> {
    let cases = std::mem::replace(&mut job.cases, Box::new(MemorySource::default()));
    let mut source = SeededSource::read(cases, None, early.seed).map_err(crate::DriveError::Input)?;
    source.truncate_cases(usize::try_from(early.seen).unwrap_or(usize::MAX));
    job.cases = Box::new(source);
    Ok(())
}

/// How a run of a store ended, by its plan and what it published; nothing where it could not end before its last case.
pub fn early_stop_record(plan: &RunPlan, panels: &[Panel]) -> Option<EarlyStopRecord> {
    if plan.early_stop.is_some() {
        return plan.early_stop.clone();
    }
    let seen = cases_in_panels(panels)?;
    let began = RunOptions::from_plan(plan).ok().flatten().unwrap_or_default();
    Some(EarlyStopRecord {
        seed: plan.setting("seed").and_then(Json::as_u64).unwrap_or_default(),
        cases: plan.datasets.iter().map(|dataset| dataset.cases).sum(),
        seen: seen as u64,
        gates: began.limits().to_json(),
        baseline: began.baseline,
    })
}

/// Gates, seed and whether the run may stop are fixed when it starts: the verdict is a function of them and of the values.
pub(super) fn refuse_other_gates(began: &RunPlan, now: &RunOptions) -> Result<(), EvaluationError> {
    let Some(before) = &began.settings else { return Ok(()) };
    let stop = |settings: &Json| settings.get("stop_when_decided").and_then(Json::as_bool).unwrap_or_default();
    if !stop(before) && now.stop_when_decided != Some(true) {
        return Ok(());
    }
    let now = serde_json::to_value(now).unwrap_or_default();
    let limits = |settings: &Json| -> Vec<Json> {
        let gates = settings.get("gates").and_then(Json::as_array).cloned().unwrap_or_default();
        gates.into_iter().map(|mut gate| gate["gate"].take()).collect()
    };
    let seed = |settings: &Json| settings.get("seed").and_then(Json::as_u64).unwrap_or_default();
    let baseline = |settings: &Json| settings.get("baseline").cloned().unwrap_or_default();
    let is_same = stop(before) == stop(&now)
        && seed(before) == seed(&now)
        && limits(before) == limits(&now)
        && baseline(before) == baseline(&now);
    if is_same { Ok(()) } else { Err(EvaluationError::OtherGates) }
}
