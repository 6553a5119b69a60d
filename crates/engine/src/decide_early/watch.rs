//! [`EarlyWatch`]: an [`EarlyDecision`] beside a run that is under way.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use probare_core::{CaseResult, MetricResult};

use super::EarlyDecision;

/// The decision, and the signal that ends the run.
#[derive(Debug)]
pub(crate) struct EarlyWatch {
    decision: EarlyDecision,
    signal: Arc<AtomicBool>,
}

impl EarlyWatch {
    pub fn new(decision: EarlyDecision) -> Self {
        Self { decision, signal: Arc::default() }
    }

    /// Set once everything is decided.
    pub fn signal(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.signal)
    }

    /// Whether everything is.
    pub fn is_decided(&self) -> bool {
        self.signal.load(Ordering::Relaxed)
    }

    /// Takes the next result of the order. `is_short`: what fails now fails because nobody may be asked any more, which says
    /// nothing about the case.
    pub fn take_result(&mut self, result: &CaseResult, is_short: bool) -> io::Result<()> {
        if is_short && result.results.iter().any(MetricResult::is_err) {
            self.decision.suspend();
        }
        if self.decision.push(result)? {
            self.signal.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    pub fn into_decision(self) -> EarlyDecision {
        self.decision
    }
}
