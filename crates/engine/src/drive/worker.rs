//! [`Worker`]: what a scoring thread does: rows become cases, and cases get their results.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use probare_cancellation::Cancellation;
use probare_core::{AnalysisCache, Case, CaseResult, MetricInfo, Outcome, RunAnalysisCache, Submission};

use super::error::{DriveError, panic_error};
use super::options::DriveOptions;
use super::parking::{Delivery, ParkedSample, Stage};
use super::queue::{NumberedCases, Queue, RowOutcome, Task};
use super::resume::ResumeHandle;
use super::run_context::{CallResult, Response, RunContext};
use crate::Plan;
use crate::plan::{ScoringProgress, catch_panic, panic_to_error};

/// What every scoring thread works with.
#[derive(Clone, Copy)]
pub(super) struct Worker<'a> {
    pub plan: &'a Plan,
    pub context: RunContext<'a>,
    pub options: &'a DriveOptions,
    pub queue: &'a Arc<Queue>,
    pub run: &'a RunAnalysisCache,
}

/// What became of a sample for now.
enum SampleProgress {
    Finished(Box<CaseResult>),
    /// It waits for answers, and comes back to the queue with them.
    Parked,
}

/// Results of consecutive cases that are handed over together: for cheap metrics, waking the caller's thread for each of them
/// would take longer than scoring it.
struct FinishedSamples<'a> {
    queue: &'a Queue,
    first: u64,
    results: Vec<RowOutcome>,
    since: Instant,
}

impl<'a> FinishedSamples<'a> {
    /// Nobody waits longer than this for a result that is there.
    const LONGEST_WAIT: Duration = Duration::from_millis(20);

    fn new(queue: &'a Queue, first: u64, most: usize) -> Self {
        Self { queue, first, results: Vec::with_capacity(most), since: Instant::now() }
    }

    fn push(&mut self, result: CaseResult) {
        self.results.push(Ok(result));
        if self.since.elapsed() >= Self::LONGEST_WAIT {
            self.hand_over();
        }
    }

    /// The case before this number has no result here.
    fn skip_to(&mut self, number: u64) {
        self.hand_over();
        self.first = number;
    }

    fn hand_over(&mut self) {
        let results = std::mem::take(&mut self.results);
        if !results.is_empty() {
            let first = self.first;
            self.first += results.len() as u64;
            self.queue.add_results(first, results);
        }
        self.since = Instant::now();
    }
}

impl Worker<'_> {
    /// Works until nothing is left.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that loops over cases")]
    pub fn work(self) {
        let under: Cancellation = Arc::clone(&self.options.interrupted).into();
        let mut readings = AnalysisCache::new(self.run.clone()).with_cancellation(under);
        while let Some(task) = self.queue.next_task() {
            match task {
                Task::Parse(number, raw) => {
                    let rows = raw.map_err(DriveError::Input).and_then(|batch| {
                        catch_unwind(AssertUnwindSafe(|| batch.cases()))
                            .map_err(|panic| panic_error("the reader of the cases", panic.as_ref()))
                    });
                    self.queue.add_parsed_rows(number, rows);
                }
                Task::Score(cases) => self.score(cases, &mut readings),
                Task::Resume(ParkedSample { number, case, stage }, delivery) => {
                    let result = self
                        .step(&mut readings, |worker, readings| worker.resume(number, case, stage, delivery, readings));
                    if let Some(result) = result {
                        self.queue.add_results(number, vec![Ok(result)]);
                    }
                }
            }
        }
    }

    /// Scores cases. What is begun is finished and kept, unless the user ends it.
    fn score(self, (first, cases): NumberedCases, readings: &mut AnalysisCache) {
        let mut left = cases.into_iter();
        let mut finished = FinishedSamples::new(self.queue, first, left.len());
        for (number, case) in (first..).zip(left.by_ref()) {
            if self.is_over() || !self.queue.begin() {
                self.queue.abandon_cases(1);
                break;
            }
            match self.step(readings, |worker, readings| worker.begin(number, case, readings)) {
                Some(result) => finished.push(result),
                None => finished.skip_to(number + 1),
            }
        }
        finished.hand_over();
        self.queue.abandon_cases(left.len());
    }

    /// Whether this run was told to end.
    fn is_over(self) -> bool {
        self.options.interrupted.load(Ordering::Relaxed) || self.queue.is_over()
    }

    /// Brings a sample as far as it goes; gives its result where that is its end.
    fn step(
        self,
        readings: &mut AnalysisCache,
        work: impl FnOnce(Self, &mut AnalysisCache) -> io::Result<SampleProgress>,
    ) -> Option<CaseResult> {
        match catch_unwind(AssertUnwindSafe(|| work(self, readings))) {
            Ok(Ok(SampleProgress::Parked)) => {}
            // One that was kept by a run before this one is a result like any other.
            Ok(Ok(SampleProgress::Finished(result))) if result.is_cancelled() && self.is_over() => {
                self.queue.abandon_case();
            }
            Ok(Ok(SampleProgress::Finished(result))) => return Some(*result),
            Ok(Err(error)) => self.queue.fail_run(DriveError::Output(error)),
            Err(panic) => self.queue.fail_run(panic_error("the keeper of the samples", panic.as_ref())),
        }
        None
    }

    /// A case at its beginning: its results may be known.
    fn begin(self, number: u64, mut case: Case, readings: &mut AnalysisCache) -> io::Result<SampleProgress> {
        let Self { plan, context: RunContext { rules, sampler, .. }, .. } = self;
        let Some(sampler) = sampler else {
            return self.score_sample(number, case, ScoringProgress::default(), readings);
        };
        match sampler.recall(&mut case)? {
            Some(results) => Ok(self.finish_sample(plan.recalled_result(case, results, rules))),
            None => self.respond(number, case, Vec::new(), readings),
        }
    }

    /// A sample whose answers have come.
    fn resume(
        self,
        number: u64,
        case: Case,
        stage: Stage,
        delivery: Delivery,
        readings: &mut AnalysisCache,
    ) -> io::Result<SampleProgress> {
        match (stage, delivery) {
            (Stage::Responding(mut replies), Delivery::Reply(reply)) => {
                replies.push(*reply);
                self.respond(number, case, replies, readings)
            }
            (Stage::Scoring(mut scoring), Delivery::Answers(answers)) => {
                scoring.put_answers(Ok(answers));
                self.score_sample(number, case, *scoring, readings)
            }
            (Stage::Scoring(mut scoring), _) => {
                scoring.put_answers(Err(Delivery::lost()));
                self.score_sample(number, case, *scoring, readings)
            }
            (Stage::Responding(_), _) => self.finish_without_output(case, &Delivery::lost()),
        }
    }

    /// Gets the output of a sample, which may have to be asked for.
    fn respond(
        self,
        number: u64,
        mut case: Case,
        replies: Vec<CallResult>,
        readings: &mut AnalysisCache,
    ) -> io::Result<SampleProgress> {
        let Some(sampler) = self.context.sampler else {
            return self.score_sample(number, case, ScoringProgress::default(), readings);
        };
        // A panic is an error of this sample, as it is in a metric.
        let responded = catch_unwind(AssertUnwindSafe(|| sampler.respond(&mut case, &replies)));
        match responded.unwrap_or_else(|panic| Response::Done(Err(panic_to_error(panic.as_ref())))) {
            Response::Done(Ok(())) => self.score_sample(number, case, ScoringProgress::default(), readings),
            Response::Done(Err(error)) => self.finish_without_output(case, &error),
            Response::Pending(ask) => {
                let parked = self.park(number, case, Stage::Responding(replies));
                ask(Box::new(move |reply| parked.deliver(Delivery::Reply(Box::new(reply)))));
                Ok(SampleProgress::Parked)
            }
        }
    }

    /// The metrics of a sample without an output.
    fn finish_without_output(self, case: Case, error: &probare_core::ScoreError) -> io::Result<SampleProgress> {
        let Self { plan, context: RunContext { rules, .. }, .. } = self;
        let failed = |metric: &MetricInfo| match rules.skip_reason(&case, metric) {
            Some(reason) => Ok(Outcome::not_applicable(reason)),
            None => Err(error.clone()),
        };
        let results = plan.infos().iter().map(failed).collect();
        self.save_result(plan.recalled_result(case, results, rules))
    }

    /// Scores a sample until it is finished or one of its metrics asks.
    fn score_sample(
        self,
        number: u64,
        case: Case,
        mut scoring: ScoringProgress,
        readings: &mut AnalysisCache,
    ) -> io::Result<SampleProgress> {
        let Self { plan, context: RunContext { rules, backend: outside, .. }, .. } = self;
        plan.enter(&case, &mut scoring, readings, rules);
        while let Some((metric, turn)) = plan.advance(&case, &mut scoring, readings, rules) {
            match catch_panic(readings.cancellation(), || outside.submit(metric, turn)) {
                Ok(Submission::Answered(answers)) => scoring.put_answers(Ok(answers)),
                Ok(Submission::Pending(ask)) => {
                    let parked = self.park(number, case, Stage::Scoring(Box::new(scoring)));
                    ask(Box::new(move |answers| parked.deliver(Delivery::Answers(answers))));
                    return Ok(SampleProgress::Parked);
                }
                Err(error) => scoring.put_answers(Err(error)),
            }
        }
        let mut result = plan.finish(case, scoring, readings, rules);
        if !self.options.evidence {
            // What a metric cannot do without while it computes is of no use behind it.
            result.results.iter_mut().flatten().for_each(Outcome::forget_evidence);
        }
        self.save_result(result)
    }

    fn park(self, number: u64, case: Case, stage: Stage) -> ResumeHandle {
        ResumeHandle::new(Arc::clone(self.queue), ParkedSample { number, case, stage })
    }

    /// A result that is new, kept if somebody keeps it.
    fn save_result(self, result: CaseResult) -> io::Result<SampleProgress> {
        let result = self.with_line(result);
        if let Some(sampler) = self.context.sampler {
            sampler.save(&result)?;
        }
        Ok(SampleProgress::Finished(Box::new(result)))
    }

    fn finish_sample(self, result: CaseResult) -> SampleProgress {
        SampleProgress::Finished(Box::new(self.with_line(result)))
    }

    /// Written here, where there are many threads, rather than where there is one.
    fn with_line(self, mut result: CaseResult) -> CaseResult {
        result.written = self.options.lines.then(|| result.line_text(self.plan.infos()).into_owned());
        result
    }
}
