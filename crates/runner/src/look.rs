//! [`look`]: the cases of a job, one after the other, without scoring them.

use probare_core::{Given, Job, NoRules, Nobody, Sink};

use crate::drive::{DriveOptions, Surroundings, drive};
use crate::{Plan, RunError};

/// Hands the cases of a job, at most `limit`, to a sink that wants nothing but to see them.
pub fn look(mut job: Job, limit: Option<u64>, sink: &mut dyn Sink) -> Result<(), RunError> {
    let source = std::mem::replace(&mut job.cases, Box::new(Given::default()));
    let around = Surroundings { rules: &NoRules, outside: &Nobody, sampler: None };
    let options = DriveOptions { limit, ..DriveOptions::default() };
    drive(source, &job.source, &Plan::nothing(), around, &options, Box::new(sink))?;
    Ok(())
}
