//! [`scan_cases`]: the cases of a job, one after the other, without scoring them.

use probare_core::{DefaultCasePolicy, Job, MemorySource, NoBackend, Sink};

use crate::drive::{DriveOptions, RunContext, drive};
use crate::{Plan, RunError};

/// Hands the cases of a job, at most `limit`, to a sink that wants nothing but to see them.
pub fn scan_cases(mut job: Job, limit: Option<u64>, sink: &mut dyn Sink) -> Result<(), RunError> {
    let source = std::mem::replace(&mut job.cases, Box::new(MemorySource::default()));
    let around = RunContext { rules: &DefaultCasePolicy, backend: &NoBackend, sampler: None };
    let options = DriveOptions { limit, ..DriveOptions::default() };
    drive(source, &job.source, &Plan::empty(), around, &options, Box::new(sink))?;
    Ok(())
}
