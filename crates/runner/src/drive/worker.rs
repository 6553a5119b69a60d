//! [`Worker`]: what a scoring thread does: rows become cases, and cases get their results.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use probare_cancellation::Cancellation;
use probare_core::{Case, CaseResult, MetricInfo, Outcome, Readings, RunReadings};

use super::queue::{Cases, Queue, Task};
use super::{DriveError, DriveOptions, Surroundings, bug};
use crate::Plan;
use crate::plan::stopped;

/// What every scoring thread works with.
#[derive(Clone, Copy)]
pub(super) struct Worker<'a> {
    pub plan: &'a Plan,
    pub around: Surroundings<'a>,
    pub options: &'a DriveOptions,
    pub queue: &'a Queue,
    pub run: &'a RunReadings,
}

impl Worker<'_> {
    /// Works until nothing is left.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that loops over cases")]
    pub fn work(self) {
        let under: Cancellation = Arc::clone(&self.options.interrupted).into();
        let mut readings = Readings::new(self.run.clone()).under(under);
        while let Some(task) = self.queue.take() {
            match task {
                Task::Parse(number, raw) => {
                    let rows = raw.map_err(DriveError::Input).and_then(|batch| {
                        catch_unwind(AssertUnwindSafe(|| batch.cases()))
                            .map_err(|panic| bug("the reader of the cases", panic.as_ref()))
                    });
                    self.queue.parsed(number, rows);
                }
                Task::Score(cases) => self.score(cases, &mut readings),
            }
        }
    }

    /// Scores cases. What is begun is finished and kept, unless the user ends it.
    fn score(self, (first, cases): Cases, readings: &mut Readings) {
        let mut results = Vec::with_capacity(cases.len());
        let mut failed = None;
        for case in cases {
            let is_interrupted = self.options.interrupted.load(Ordering::Relaxed);
            if is_interrupted || failed.is_some() || !self.queue.begin() {
                break;
            }
            let sampled = catch_unwind(AssertUnwindSafe(|| self.sampled(case, readings)));
            self.queue.ended();
            match sampled {
                Ok(Ok(result)) if result.is_cancelled() => break,
                Ok(Ok(result)) => results.push(Ok(result)),
                Ok(Err(error)) => failed = Some(DriveError::Output(error)),
                Err(panic) => failed = Some(bug("the keeper of the samples", panic.as_ref())),
            }
        }
        self.queue.scored(first, results, failed);
    }

    /// A case with all its results, kept if somebody keeps them.
    fn sampled(self, mut case: Case, readings: &mut Readings) -> io::Result<CaseResult> {
        let Self { plan, around: Surroundings { rules, outside, sampler }, options, .. } = self;
        // Written here, where there are many threads, rather than where there is one.
        let written = |mut result: CaseResult| {
            result.written = options.lines.then(|| result.line_text(plan.infos()).into_owned());
            result
        };
        let Some(sampler) = sampler else { return Ok(written(plan.score(case, readings, rules, outside))) };
        if let Some(results) = sampler.recall(&mut case)? {
            return Ok(written(plan.recalled(case, results, rules)));
        }
        // A panic is an error of this sample, as it is in a metric.
        let responded = catch_unwind(AssertUnwindSafe(|| sampler.respond(&mut case)));
        let result = match responded.unwrap_or_else(|panic| Err(stopped(panic.as_ref()))) {
            Ok(()) => plan.score(case, readings, rules, outside),
            Err(error) => {
                let failed = |metric: &MetricInfo| match rules.leaves_out(&case, metric) {
                    Some(reason) => Ok(Outcome::not_applicable(reason)),
                    None => Err(error.clone()),
                };
                let results = plan.infos().iter().map(failed).collect();
                plan.recalled(case, results, rules)
            }
        };
        let result = written(result);
        sampler.keep(&result)?;
        Ok(result)
    }
}
