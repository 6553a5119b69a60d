//! [`RunContext`]: who decides about single cases, who answers judges, and who keeps samples.

use std::io;

use probare_core::{Backend, Case, CasePolicy, CaseResult, MetricResult, Panel, RunCosts, ScoreError};
use probare_models::{CallError, CallReply};

/// The reply of a model under test.
pub type CallResult = Result<CallReply, CallError>;

/// Takes the reply of a model under test, once, on any thread.
pub type ReplySender = Box<dyn FnOnce(CallResult) + Send>;

/// What became of asking for the output of a sample.
pub enum Response {
    /// It is in the case, or there is none.
    Done(Result<(), ScoreError>),
    /// A model is asked, and its reply comes to whoever is named here; where that is dropped, it never comes.
    Pending(Box<dyn FnOnce(ReplySender) + Send>),
}

/// What happens to a sample before and after it is scored. The scoring threads call it, in any order.
pub trait SampleProvider: Sync {
    /// The results of a sample that was finished before, in the order of the run's metrics. An output that is known
    /// already is put into the case, also where nothing else is known.
    fn recall(&self, case: &mut Case) -> io::Result<Option<Vec<MetricResult>>>;

    /// Puts the output under test into the case, or says whom to ask for it. It is called again with all replies so far,
    /// in the order of asking, until it is done.
    fn respond(&self, case: &mut Case, replies: &[CallResult]) -> Response;

    /// How many threads are of use beyond those that compute, since `respond` waits on its thread.
    fn threads(&self) -> usize {
        1
    }

    /// Takes a sample that is finished. An error ends the run.
    fn save(&self, result: &CaseResult) -> io::Result<()>;

    /// How many samples were finished in this process, also those that came too late to count, and how many before it.
    fn finished(&self) -> (u64, u64) {
        (0, 0)
    }

    /// Takes what the benchmark says about the run as a whole, once all samples have come, and gives what the run cost,
    /// where its store knows.
    fn conclude(&self, panels: &[Panel]) -> io::Result<Option<RunCosts>> {
        let _ = panels;
        Ok(None)
    }
}

/// Who decides about single cases, who answers judges, and who keeps samples.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    /// Rules of the benchmark.
    pub rules: &'a dyn CasePolicy,
    /// Models, embeddings, a sandbox.
    pub backend: &'a dyn Backend,
    /// Models under test and a store; nothing where the responses of the file are scored and only reported.
    pub sampler: Option<&'a dyn SampleProvider>,
}
