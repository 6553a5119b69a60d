//! Runs that end as soon as their gates are decided.
//!
//! Cases are taken in a seeded order ([`SeededSource`]), and an [`EarlyDecision`] looks at every finished one, in that order.
//! Answers that come early wait for those before them, so neither speed nor the number of requests at once has a part in the
//! verdict. Its chance of being another one than that of the complete run is at most 5 % over the whole run.

mod decision;
mod order;
mod outcome;
mod watch;

pub use decision::{DecidedVerdict, EarlyDecision, EarlyDecisionError, GateDecision};
pub(crate) use order::SeededSource;
pub use outcome::EarlyOutcome;
pub(crate) use watch::EarlyWatch;
