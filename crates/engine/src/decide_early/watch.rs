//! [`EarlyWatch`]: an [`EarlyDecision`] beside a run that is under way. [`EarlyProgress`]: what it says to whoever waits.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use probare_core::{CaseResult, MetricResult};

use super::EarlyDecision;

/// What is left to decide, for a progress line.
#[derive(Debug, Default)]
pub struct EarlyProgress(Mutex<String>);

impl EarlyProgress {
    /// A sentence about the gates that are still open; nothing where none is.
    pub fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, text: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

/// The decision, and the signal that ends the run.
#[derive(Debug)]
pub(crate) struct EarlyWatch {
    decision: EarlyDecision,
    signal: Arc<AtomicBool>,
    progress: Arc<EarlyProgress>,
    /// Cases after which the progress is told again: bounds take a pass over all cases so far.
    next: usize,
}

/// What is known about the next result beside it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ResultContext {
    /// What fails now fails because nobody may be asked any more, which says nothing about the case.
    pub is_short: bool,
    /// US dollars that all results so far have cost, where nobody else tells what the rest would.
    pub spent_usd: Option<f64>,
}

impl EarlyWatch {
    pub fn new(decision: EarlyDecision, progress: Arc<EarlyProgress>) -> Self {
        Self { decision, signal: Arc::default(), progress, next: 1 }
    }

    /// Set once everything is decided.
    pub fn signal(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.signal)
    }

    /// Whether everything is.
    pub fn is_decided(&self) -> bool {
        self.signal.load(Ordering::Relaxed)
    }

    /// Takes the next result of the order.
    pub fn take_result(&mut self, result: &CaseResult, context: ResultContext) -> io::Result<()> {
        if context.is_short && result.results.iter().any(MetricResult::is_err) {
            self.decision.suspend();
        }
        if self.decision.push(result)? {
            self.signal.store(true, Ordering::Relaxed);
            self.progress.set(String::new());
        } else if self.decision.seen() >= self.next {
            let mut text = self.decision.open_text();
            if let Some(usd) = context.spent_usd.filter(|usd| *usd > 0.0) {
                text.push_str(&format!(
                    "; the rest would cost about {:.4} US dollars",
                    self.decision.cost_of_rest(usd)
                ));
            }
            self.progress.set(text);
            self.next = self.decision.seen() + self.decision.seen() / 10 + 1;
        }
        Ok(())
    }

    pub fn into_decision(self) -> EarlyDecision {
        self.decision
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{Case, MetricInfo, Outcome, Profile, Score};
    use probare_report::{Gate, Gates};

    use super::super::decision::EarlySetup;
    use super::*;

    #[test]
    fn the_progress_says_what_is_open_until_it_is_decided() {
        let info = MetricInfo::new("own", probare_metrics::registry().get("token_f1").unwrap(), Profile::default());
        let gates = Gates::new(vec![Gate::fail_under("own=0.5").unwrap()]);
        let decision = EarlyDecision::new(&EarlySetup {
            gates: &gates,
            metrics: &[info],
            cases: 100,
            outputs: 1,
            seed: 1,
            baseline: None,
            keys: &[],
        })
        .unwrap();
        let progress = Arc::<EarlyProgress>::default();
        let mut watch = EarlyWatch::new(decision, Arc::clone(&progress));
        assert_eq!(progress.text(), "");
        let result = || {
            let score = Score::from_number(1.0).unwrap();
            CaseResult::new(Case::default(), vec![Ok(Outcome::Scored(score))])
        };
        watch.take_result(&result(), ResultContext::default()).unwrap();
        assert!(progress.text().starts_with("open own >= 0.5: 1.000 [0."), "{}", progress.text());
        assert!(progress.text().ends_with("after 1 of 100"), "{}", progress.text());
        watch.take_result(&result(), ResultContext { spent_usd: Some(0.02), ..ResultContext::default() }).unwrap();
        assert!(
            progress.text().ends_with("after 2 of 100; the rest would cost about 0.9800 US dollars"),
            "{}",
            progress.text()
        );
        while !watch.is_decided() {
            watch.take_result(&result(), ResultContext::default()).unwrap();
        }
        assert_eq!(progress.text(), "", "nothing is left");
    }
}
