//! Runs that end as soon as their gates are decided.
//!
//! Cases are taken in a seeded order ([`SeededSource`]), and an [`EarlyDecision`] looks at every finished one, in that order.
//! Answers that come early wait for those before them, so neither speed nor the number of requests at once has a part in the
//! verdict. Its chance of being another one than that of the complete run is at most 5 % over the whole run.

mod baseline;
mod decision;
mod error;
mod order;
mod outcome;
mod watch;

use std::path::Path;

use probare_core::{FileDigest, InputFile, Job, MemorySource, MetricInfo};
use probare_report::{Gate, Gates};

pub use baseline::Baseline;
pub(crate) use decision::EarlySetup;
pub use decision::{DecidedVerdict, EarlyDecision, GateDecision};
pub use error::EarlyDecisionError;
pub use order::SeededSource;
pub use outcome::{EarlyOutcome, STOPPED_EARLY, cases_in_panels, sentence_in_panels};
pub use watch::EarlyProgress;
pub(crate) use watch::{EarlyWatch, ResultContext};

use crate::{DriveError, RunError, RunOptions};

/// Refuses options that only a run may have that takes all its cases, and gates that only one may have that does not.
pub(crate) fn check_options(
    settings: &RunOptions,
    gates: &Gates,
    is_benchmark: bool,
) -> Result<(), EarlyDecisionError> {
    if settings.stop_when_decided != Some(true) {
        let compared = gates.iter().find(|gate| matches!(gate, Gate::NotWorse { .. }));
        return match (compared, &settings.baseline) {
            (Some(gate), _) => Err(EarlyDecisionError::WholeRun { gate: gate.to_string() }),
            (None, Some(_)) => Err(EarlyDecisionError::UnusedBaseline),
            (None, None) => Ok(()),
        };
    }
    if is_benchmark {
        let reason = "a published benchmark needs all of its cases, so its gates cannot be decided early";
        return Err(EarlyDecisionError::CompleteRun(reason.to_owned()));
    }
    for (is_set, option) in [(settings.significant, "significant"), (settings.per_group, "per_group")] {
        if is_set == Some(true) {
            return Err(EarlyDecisionError::CompleteRun(format!(
                "`{option}` looks at intervals or groups of a complete run, so no gate can be decided early with it"
            )));
        }
    }
    Ok(())
}

/// Notes a file among the inputs of a job, which no output may overwrite.
fn add_input(job: &mut Job, path: &Path) -> Result<(), EarlyDecisionError> {
    let unusable = |error: std::io::Error| EarlyDecisionError::Baseline {
        name: path.display().to_string(),
        reason: error.to_string(),
    };
    let FileDigest { sha256, bytes } = probare_files::file_digest(path).map_err(unusable)?;
    job.reads.push(path.to_owned());
    // A run that is computed again has it among its inputs already.
    if job.inputs.iter().all(|known| known.sha256 != sha256) {
        job.inputs.push(InputFile { path: path.display().to_string(), sha256, bytes, ..InputFile::default() });
    }
    Ok(())
}

/// Puts the cases of a job that has no store into the seeded order.
pub(crate) fn prepare(
    job: &mut Job,
    metrics: &[MetricInfo],
    settings: &RunOptions,
    gates: &Gates,
    baseline: Option<&Baseline>,
) -> Result<EarlyDecision, RunError> {
    let seed = settings.seed.unwrap_or_default();
    if let Some(path) = baseline.and_then(|baseline| baseline.path.as_deref()) {
        add_input(job, path)?;
    }
    let cases = std::mem::replace(&mut job.cases, Box::new(MemorySource::default()));
    let mut source = SeededSource::read(cases, settings.limit, seed).map_err(DriveError::Input)?;
    let decision = EarlyDecision::new(&EarlySetup {
        gates,
        metrics,
        cases: source.case_count(),
        outputs: 1,
        seed,
        baseline,
        keys: source.keys(),
    })?;
    // The file of cases is the first input, as of every run.
    job.inputs.splice(0..0, source.take_inputs());
    job.cases = Box::new(source);
    Ok(decision)
}
