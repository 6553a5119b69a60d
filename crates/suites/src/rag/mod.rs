//! Responses to a query in a context: one conversation or a file of them, with metrics, a verdict and every anchor.
//!
//! An [`Exchange`] comes from two files, the conversation and the passages that were retrieved for it ([`read`]), or from
//! a row of cases. [`Evaluator::evaluate`] computes; [`report`] writes the published JSON, rounded as Python rounds, with the
//! unrounded values and the anchors beside it. Time is the caller's to measure, so that everything here stays pure.
//!
//! ```
//! use probare_suites::rag::{Evaluator, Exchange, report};
//!
//! let exchange = Exchange {
//!     query: "What does the annual pass cost?".into(),
//!     response: "The annual pass costs $150.".into(),
//!     context: vec!["The annual pass costs $150. Children pay $75.".into()],
//! };
//! let evaluation = Evaluator::default().evaluate(&exchange);
//! let report = report::json(&exchange, &evaluation, Some(1.25));
//! assert_eq!(report["verdict"]["status"], "PASS");
//! assert_eq!(report["metrics"]["latency_ms"], 1.25);
//! assert_eq!(report["anchors"][0]["text"], "pass costs $150");
//! ```

mod evaluation;
pub mod read;
pub mod report;

pub use evaluation::{Evaluation, Evaluator};

/// A query, the response to it, and the passages that the response was to be based on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exchange {
    /// What was asked.
    pub query: String,
    /// What was answered.
    pub response: String,
    /// What was retrieved.
    pub context: Vec<String>,
}

impl Exchange {
    /// The passages as slices.
    pub fn chunks(&self) -> Vec<&str> {
        self.context.iter().map(String::as_str).collect()
    }
}
