//! Responses to a query in a context: one conversation or a file of them, with metrics, a verdict and every anchor.
//!
//! An [`Exchange`] comes from two files, the conversation and the passages that were retrieved for it ([`read`]); cases
//! come from any file of cases. [`ExchangeEvaluator`] gives the published JSON ([`report`]), rounded as Python rounds, with the
//! unrounded values and the anchors beside it.
//!
//! ```
//! use probare_core::Sample;
//! use probare_benchmarks::rag::{Exchange, ExchangeEvaluator};
//!
//! let exchange = Exchange {
//!     query: "What does the annual pass cost?".into(),
//!     response: "The annual pass costs $150.".into(),
//!     context: vec!["The annual pass costs $150. Children pay $75.".into()],
//! };
//! let case = exchange.into_case("1");
//! let report = ExchangeEvaluator::default().report(Sample::from_case(&case))?;
//! assert_eq!(report["verdict"]["status"], "PASS");
//! assert_eq!(report["anchors"][0]["text"], "pass costs $150");
//! # Ok::<(), probare_core::ScoreError>(())
//! ```

mod benchmark;
mod policy;
mod publisher;
pub mod read;
pub mod report;

pub use benchmark::Rag;
pub use policy::ExchangeEvaluator;

use probare_core::{Case, Output, Passage};

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
    /// The exchange as a case of this id.
    pub fn into_case(self, id: &str) -> Case {
        Case {
            id: id.to_owned(),
            query: Some(self.query),
            response: Some(Output::new(self.response)),
            context: Some(self.context.into_iter().map(|text| Passage { text, ..Passage::default() }).collect()),
            ..Case::default()
        }
    }
}
