//! Decisions that hold however often one looks: gates that may stop a run, with bounds that are valid at any stop.
//!
//! [`GateTest`] takes the values of cases one after the other, in an order drawn before any of them was known, and says pass
//! or fail as soon as the evidence is strong enough. The chance of a wrong verdict is at most α over the whole run, not per
//! look. The default method mixes 32 constant bets (Waudby-Smith and Ramdas, "Estimating means of bounded random variables
//! by betting", 2024); [`hedged`], [`beta_binomial`] and [`empirical_bernstein`] are there for comparison with other tools.
//!
//! ```
//! use probare_stats::sequential::{GateTest, Observation, Sampling, GateVerdict};
//!
//! let mut gate = GateTest::new(0.5, 0.05, Sampling::DataSet { cases: 200 });
//! let mut seen = 0;
//! while gate.verdict() == GateVerdict::Open {
//!     gate.push(Observation::Value(1.0));
//!     seen += 1;
//! }
//! assert_eq!(gate.verdict(), GateVerdict::Pass);
//! assert!(seen < 10, "ten right answers in a row are enough");
//! ```

mod bernstein;
mod beta_binomial;
mod gate;
mod hedged;
mod mixture;
mod pairs;

pub use bernstein::empirical_bernstein;
pub use beta_binomial::{BetaBinomial, beta_binomial};
pub use gate::{GateTest, GateVerdict, ReleaseTest};
pub use hedged::{HedgedCapital, hedged_capital};
pub use mixture::{Observation, Sampling, anytime_interval, lower_bound, mixture_log_capital, upper_bound};
pub use pairs::{DifferenceTest, paired_observation, paired_threshold};
